{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Class
-- Description : The class of Data.Binary, and its derivation
--
-- Note [Levels of derived decoders]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A recursive type lets a byte of input cost a frame of the stack, so a derived decoder
-- counts as a level ('deeper'). One that reads nothing but numbers and the like needs
-- none ('isFlat'): there the check would cost more than the reading, and would stand
-- between fields that share one check of the bytes left.
module Ashlar.Internal.Compat.Binary.Class
  ( Binary (..),
    GBinaryPut (..),
    GBinaryGet (..),
    getMany,
  )
where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Sum
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Core
import Data.Kind (Type)
import GHC.Generics

-- | Types that have the format of the package @binary@: the class of "Data.Binary", with
-- the same methods, the same derivation and the same bytes.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Binary as B
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> data Shape = Dot | Circle Word16 deriving (Generic, B.Binary)
-- >>> L.unpack (B.encode [Dot, Circle 5])
-- [0,0,0,0,0,0,0,2,0,1,0,5]
--
-- @since 0.1.0.0
class Binary t where
  -- | Write a value.
  put :: t -> Put

  -- | Read a value.
  get :: Get t

  -- | Write a list: the number of elements as an 'Int', and the elements. An instance may
  -- do it faster, but not differently.
  putList :: [t] -> Put
  putList xs = putBuilder (putElements put xs)
  {-# INLINEABLE putList #-}

  -- | Read a list of so many elements, of which each is forced. (Hidden: instances of
  -- users have the default.)
  getList :: Int -> Get [t]
  getList = getMany
  {-# INLINEABLE getList #-}

  -- | Is the type without any types inside that could be its own? (Hidden: instances of
  -- users have the default.)
  isFlat :: Bool
  isFlat = False
  {-# INLINE isFlat #-}

  default put :: (Generic t, GBinaryPut (Rep t)) => t -> Put
  put x = gput (from x)
  {-# INLINE put #-}

  default get :: (Generic t, GBinaryGet (Rep t)) => Get t
  get = levelled (gflat @(Rep t)) (to <$> gget)
  {-# INLINE get #-}

-- | A list of so many elements by 'get'.
getMany :: Binary t => Int -> Get [t]
getMany n = getElements n get
{-# INLINE getMany #-}

-- One level deeper, but for what is flat. (A function, so that the decoder is not copied
-- before the compiler knows which.)
levelled :: Bool -> Get a -> Get a
levelled flat g = if flat then g else deeper g
{-# INLINE levelled #-}

-- | Types of "GHC.Generics" that can be written.
--
-- @since 0.1.0.0
class GBinaryPut f where
  -- | Write a value.
  gput :: f t -> Put

-- | Types of "GHC.Generics" that can be read.
--
-- @since 0.1.0.0
class GBinaryGet f where
  -- | Read a value.
  gget :: Get (f t)

  -- See Note [Levels of derived decoders].
  gflat :: Bool
  gflat = False
  {-# INLINE gflat #-}

instance GBinaryPut V1 where
  gput _ = pure ()
  {-# INLINE gput #-}

-- | As in @binary@, reading succeeds, with a value that is undefined.
instance GBinaryGet V1 where
  gget = pure (errorWithoutStackTrace "Ashlar.Compat.Binary: a value of a type that has none")
  {-# INLINE gget #-}

instance GBinaryPut U1 where
  gput _ = pure ()
  {-# INLINE gput #-}

instance GBinaryGet U1 where
  gget = pure U1
  {-# INLINE gget #-}
  gflat = True
  {-# INLINE gflat #-}

instance (GBinaryPut f, GBinaryPut g) => GBinaryPut (f :*: g) where
  gput (x :*: y) = gput x *> gput y
  {-# INLINE gput #-}

instance (GBinaryGet f, GBinaryGet g) => GBinaryGet (f :*: g) where
  gget = (:*:) <$> gget <*> gget
  {-# INLINE gget #-}
  gflat = gflat @f && gflat @g
  {-# INLINE gflat #-}

instance GBinaryPut f => GBinaryPut (M1 i c f) where
  gput (M1 x) = gput x
  {-# INLINE gput #-}

instance GBinaryGet f => GBinaryGet (M1 i c f) where
  gget = M1 <$> gget
  {-# INLINE gget #-}
  gflat = gflat @f
  {-# INLINE gflat #-}

instance Binary a => GBinaryPut (K1 i a) where
  gput (K1 x) = put x
  {-# INLINE gput #-}

instance Binary a => GBinaryGet (K1 i a) where
  gget = K1 <$> get
  {-# INLINE gget #-}
  gflat = isFlat @a
  {-# INLINE gflat #-}

instance (GSumPut f, GSumPut g, GCount f, GCount g) => GBinaryPut (f :+: g) where
  gput = gsumPut (gCount @(f :+: g)) 0
  {-# INLINE gput #-}

instance (GSumGet f, GSumGet g, GCount f, GCount g) => GBinaryGet (f :+: g) where
  gget = getTag (gCount @(f :+: g)) >>= \i -> gsumGet i id
  {-# INLINE gget #-}
  gflat = gsumFlat @(f :+: g)
  {-# INLINE gflat #-}

-- Given the number of all constructors, and that of the first.
class GSumPut (f :: Type -> Type) where
  gsumPut :: Int -> Int -> f t -> Put

instance (GSumPut f, GSumPut g, GCount f) => GSumPut (f :+: g) where
  gsumPut count i x = case x of
    L1 y -> gsumPut count i y
    R1 y -> gsumPut count (i + gCount @f) y
  {-# INLINE gsumPut #-}

instance GBinaryPut f => GSumPut (C1 c f) where
  gsumPut count i (M1 x) = putBuilder (tag count i) *> gput x
  {-# INLINE gsumPut #-}

-- Given the number of the constructor, the first of which has 0, and what to make of the
-- value: a function at the end takes less time to compile than one at each level.
class GSumGet (f :: Type -> Type) where
  gsumGet :: Int -> (f t -> a) -> Get a
  gsumFlat :: Bool

instance (GSumGet f, GSumGet g, GCount f) => GSumGet (f :+: g) where
  gsumGet i inside
    | i < gCount @f = gsumGet i (\x -> inside (L1 x))
    | otherwise = gsumGet (i - gCount @f) (\x -> inside (R1 x))
  {-# INLINE gsumGet #-}
  gsumFlat = gsumFlat @f && gsumFlat @g
  {-# INLINE gsumFlat #-}

instance GBinaryGet f => GSumGet (C1 c f) where
  gsumGet _ inside = (\x -> inside (M1 x)) <$> gget
  {-# INLINE gsumGet #-}
  gsumFlat = gflat @f
  {-# INLINE gsumFlat #-}
