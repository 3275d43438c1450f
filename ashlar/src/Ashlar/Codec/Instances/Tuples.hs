{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Instances.Tuples
-- Description : Formats of tuples of more than seven elements
--
-- The elements one after the other, as in all tuples. They are not derived, because
-- base 4.15 has no 'GHC.Generics.Generic' instances for them, but taken from tuples of two tuples,
-- which have the same bytes.
module Ashlar.Codec.Instances.Tuples () where

import Ashlar.Codec.Class
import Ashlar.Codec.Combinators
import Ashlar.Codec.Instances.Data ()

-- The methods of a tuple, given how it is taken apart and put together.
nested :: (Codec a, Codec b) => (c -> (a, b)) -> ((a, b) -> c) -> Format c
nested there back = bijection there back codec
{-# INLINE nested #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h) =>
  Codec (a, b, c, d, e, f, g, h)
  where
  layout = formatLayout tuple8
  size = formatSize tuple8
  put = formatPut tuple8
  get = formatGet tuple8
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple8 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h) =>
  Format (a, b, c, d, e, f, g, h)
tuple8 = nested (\(a, b, c, d, e, f, g, h) -> ((a, b, c, d), (e, f, g, h))) (\((a, b, c, d), (e, f, g, h)) -> (a, b, c, d, e, f, g, h))
{-# INLINE tuple8 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i) =>
  Codec (a, b, c, d, e, f, g, h, i)
  where
  layout = formatLayout tuple9
  size = formatSize tuple9
  put = formatPut tuple9
  get = formatGet tuple9
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple9 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i) =>
  Format (a, b, c, d, e, f, g, h, i)
tuple9 = nested (\(a, b, c, d, e, f, g, h, i) -> ((a, b, c, d), (e, f, g, h, i))) (\((a, b, c, d), (e, f, g, h, i)) -> (a, b, c, d, e, f, g, h, i))
{-# INLINE tuple9 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j) =>
  Codec (a, b, c, d, e, f, g, h, i, j)
  where
  layout = formatLayout tuple10
  size = formatSize tuple10
  put = formatPut tuple10
  get = formatGet tuple10
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple10 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j) =>
  Format (a, b, c, d, e, f, g, h, i, j)
tuple10 = nested (\(a, b, c, d, e, f, g, h, i, j) -> ((a, b, c, d, e), (f, g, h, i, j))) (\((a, b, c, d, e), (f, g, h, i, j)) -> (a, b, c, d, e, f, g, h, i, j))
{-# INLINE tuple10 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k)
  where
  layout = formatLayout tuple11
  size = formatSize tuple11
  put = formatPut tuple11
  get = formatGet tuple11
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple11 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k) =>
  Format (a, b, c, d, e, f, g, h, i, j, k)
tuple11 = nested (\(a, b, c, d, e, f, g, h, i, j, k) -> ((a, b, c, d, e), (f, g, h, i, j, k))) (\((a, b, c, d, e), (f, g, h, i, j, k)) -> (a, b, c, d, e, f, g, h, i, j, k))
{-# INLINE tuple11 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l)
  where
  layout = formatLayout tuple12
  size = formatSize tuple12
  put = formatPut tuple12
  get = formatGet tuple12
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple12 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l) =>
  Format (a, b, c, d, e, f, g, h, i, j, k, l)
tuple12 = nested (\(a, b, c, d, e, f, g, h, i, j, k, l) -> ((a, b, c, d, e, f), (g, h, i, j, k, l))) (\((a, b, c, d, e, f), (g, h, i, j, k, l)) -> (a, b, c, d, e, f, g, h, i, j, k, l))
{-# INLINE tuple12 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m)
  where
  layout = formatLayout tuple13
  size = formatSize tuple13
  put = formatPut tuple13
  get = formatGet tuple13
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple13 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m) =>
  Format (a, b, c, d, e, f, g, h, i, j, k, l, m)
tuple13 = nested (\(a, b, c, d, e, f, g, h, i, j, k, l, m) -> ((a, b, c, d, e, f), (g, h, i, j, k, l, m))) (\((a, b, c, d, e, f), (g, h, i, j, k, l, m)) -> (a, b, c, d, e, f, g, h, i, j, k, l, m))
{-# INLINE tuple13 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m, Codec n) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  where
  layout = formatLayout tuple14
  size = formatSize tuple14
  put = formatPut tuple14
  get = formatGet tuple14
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple14 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m, Codec n) =>
  Format (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
tuple14 = nested (\(a, b, c, d, e, f, g, h, i, j, k, l, m, n) -> ((a, b, c, d, e, f, g), (h, i, j, k, l, m, n))) (\((a, b, c, d, e, f, g), (h, i, j, k, l, m, n)) -> (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
{-# INLINE tuple14 #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m, Codec n, Codec o) =>
  Codec (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  where
  layout = formatLayout tuple15
  size = formatSize tuple15
  put = formatPut tuple15
  get = formatGet tuple15
  {-# INLINABLE layout #-}
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

tuple15 ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g, Codec h, Codec i, Codec j, Codec k, Codec l, Codec m, Codec n, Codec o) =>
  Format (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
tuple15 = nested (\(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) -> ((a, b, c, d, e, f, g), (h, i, j, k, l, m, n, o))) (\((a, b, c, d, e, f, g), (h, i, j, k, l, m, n, o)) -> (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o))
{-# INLINE tuple15 #-}
