{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Tuples
-- Description : Formats of tuples of more than seven elements
--
-- The elements one after the other, as in all tuples. @base@ 4.15 has no 'GHC.Generics.Generic'
-- instances to derive them from, so they use pairs of tuples, which have the same bytes.
--
-- Tried and dropped: a generic representation of all fields, defined here. Paths in errors would
-- have one number instead of two. But the code for a field of unknown type has two branches, each
-- with the code of all fields after it, and this module took minutes to compile.
module Ashlar.Internal.Codec.Instances.Tuples () where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Get.Core (Get)

-- A tuple as a pair of tuples, and back.
data Halves c a b = Halves (c -> (a, b)) ((a, b) -> c)

layoutOf :: (Codec a, Codec b) => Halves c a b -> Layout c
layoutOf (Halves there back) = mappedLayout there back
{-# INLINE layoutOf #-}

sizeOf :: (Codec a, Codec b) => Halves c a b -> c -> Int
sizeOf (Halves there _) x = size (there x)
{-# INLINE sizeOf #-}

putOf :: (Codec a, Codec b) => Halves c a b -> c -> Builder
putOf (Halves there _) x = put (there x)
{-# INLINE putOf #-}

getOf :: (Codec a, Codec b) => Halves c a b -> Get c
getOf (Halves _ back) = get >>= \x -> pure $! back x
{-# INLINE getOf #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h) =>
  Codec (a, b, c, d, e, f, g, h)
  where
  layout = layoutOf tuple8
  size = sizeOf tuple8
  put = putOf tuple8
  get = getOf tuple8
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple8 :: Halves (a, b, c, d, e, f, g, h) (a, b, c, d) (e, f, g, h)
tuple8 =
  Halves
    (\(a, b, c, d, e, f, g, h) -> ((a, b, c, d), (e, f, g, h)))
    (\((a, b, c, d), (e, f, g, h)) -> (a, b, c, d, e, f, g, h))
{-# INLINE tuple8 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i) =>
  Codec (a, b, c, d, e, f, g, h, i)
  where
  layout = layoutOf tuple9
  size = sizeOf tuple9
  put = putOf tuple9
  get = getOf tuple9
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple9 :: Halves (a, b, c, d, e, f, g, h, i) (a, b, c, d) (e, f, g, h, i)
tuple9 =
  Halves
    (\(a, b, c, d, e, f, g, h, i) -> ((a, b, c, d), (e, f, g, h, i)))
    (\((a, b, c, d), (e, f, g, h, i)) -> (a, b, c, d, e, f, g, h, i))
{-# INLINE tuple9 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j) =>
  Codec (a, b, c, d, e, f, g, h, i, j)
  where
  layout = layoutOf tuple10
  size = sizeOf tuple10
  put = putOf tuple10
  get = getOf tuple10
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple10 :: Halves (a, b, c, d, e, f, g, h, i, j) (a, b, c, d, e) (f, g, h, i, j)
tuple10 =
  Halves
    (\(a, b, c, d, e, f, g, h, i, j) -> ((a, b, c, d, e), (f, g, h, i, j)))
    (\((a, b, c, d, e), (f, g, h, i, j)) -> (a, b, c, d, e, f, g, h, i, j))
{-# INLINE tuple10 #-}

instance
  ( Codec a,
    Codec b,
    Codec c,
    Codec d,
    Codec e,
    Codec f,
    Codec g,
    Codec h,
    Codec i,
    Codec j,
    Codec k
  ) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k)
  where
  layout = layoutOf tuple11
  size = sizeOf tuple11
  put = putOf tuple11
  get = getOf tuple11
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple11 :: Halves (a, b, c, d, e, f, g, h, i, j, k) (a, b, c, d, e) (f, g, h, i, j, k)
tuple11 =
  Halves
    (\(a, b, c, d, e, f, g, h, i, j, k) -> ((a, b, c, d, e), (f, g, h, i, j, k)))
    (\((a, b, c, d, e), (f, g, h, i, j, k)) -> (a, b, c, d, e, f, g, h, i, j, k))
{-# INLINE tuple11 #-}

instance
  ( Codec a,
    Codec b,
    Codec c,
    Codec d,
    Codec e,
    Codec f,
    Codec g,
    Codec h,
    Codec i,
    Codec j,
    Codec k,
    Codec l
  ) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l)
  where
  layout = layoutOf tuple12
  size = sizeOf tuple12
  put = putOf tuple12
  get = getOf tuple12
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple12 :: Halves (a, b, c, d, e, f, g, h, i, j, k, l) (a, b, c, d, e, f) (g, h, i, j, k, l)
tuple12 =
  Halves
    (\(a, b, c, d, e, f, g, h, i, j, k, l) -> ((a, b, c, d, e, f), (g, h, i, j, k, l)))
    (\((a, b, c, d, e, f), (g, h, i, j, k, l)) -> (a, b, c, d, e, f, g, h, i, j, k, l))
{-# INLINE tuple12 #-}

instance
  ( Codec a,
    Codec b,
    Codec c,
    Codec d,
    Codec e,
    Codec f,
    Codec g,
    Codec h,
    Codec i,
    Codec j,
    Codec k,
    Codec l,
    Codec m
  ) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m)
  where
  layout = layoutOf tuple13
  size = sizeOf tuple13
  put = putOf tuple13
  get = getOf tuple13
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple13 :: Halves (a, b, c, d, e, f, g, h, i, j, k, l, m) (a, b, c, d, e, f) (g, h, i, j, k, l, m)
tuple13 =
  Halves
    (\(a, b, c, d, e, f, g, h, i, j, k, l, m) -> ((a, b, c, d, e, f), (g, h, i, j, k, l, m)))
    (\((a, b, c, d, e, f), (g, h, i, j, k, l, m)) -> (a, b, c, d, e, f, g, h, i, j, k, l, m))
{-# INLINE tuple13 #-}

instance
  ( Codec a,
    Codec b,
    Codec c,
    Codec d,
    Codec e,
    Codec f,
    Codec g,
    Codec h,
    Codec i,
    Codec j,
    Codec k,
    Codec l,
    Codec m,
    Codec n
  ) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  where
  layout = layoutOf tuple14
  size = sizeOf tuple14
  put = putOf tuple14
  get = getOf tuple14
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple14 ::
  Halves
    (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    (a, b, c, d, e, f, g)
    (h, i, j, k, l, m, n)
tuple14 =
  Halves
    (\(a, b, c, d, e, f, g, h, i, j, k, l, m, n) -> ((a, b, c, d, e, f, g), (h, i, j, k, l, m, n)))
    (\((a, b, c, d, e, f, g), (h, i, j, k, l, m, n)) -> (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
{-# INLINE tuple14 #-}

instance
  ( Codec a,
    Codec b,
    Codec c,
    Codec d,
    Codec e,
    Codec f,
    Codec g,
    Codec h,
    Codec i,
    Codec j,
    Codec k,
    Codec l,
    Codec m,
    Codec n,
    Codec o
  ) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  where
  layout = layoutOf tuple15
  size = sizeOf tuple15
  put = putOf tuple15
  get = getOf tuple15
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tuple15 ::
  Halves
    (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    (a, b, c, d, e, f, g)
    (h, i, j, k, l, m, n, o)
tuple15 =
  Halves
    ( \(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) ->
        ((a, b, c, d, e, f, g), (h, i, j, k, l, m, n, o))
    )
    ( \((a, b, c, d, e, f, g), (h, i, j, k, l, m, n, o)) ->
        (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    )
{-# INLINE tuple15 #-}
