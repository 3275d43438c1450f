{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Class
-- Description : The class of Data.Serialize, and its derivation
--
-- Made as that of "Ashlar.Internal.Compat.Binary.Class", which has the notes.
module Ashlar.Internal.Compat.Cereal.Class
  ( Serialize (..),
    GSerializePut (..),
    GSerializeGet (..),
  )
where

import Ashlar.Compat.Cereal.Put (Putter)
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Sum
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Core
import Data.Kind (Type)
import GHC.Generics

-- | Types that have the format of the package @cereal@: the class of "Data.Serialize", with
-- the same methods, the same derivation and the same bytes.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Cereal as C
-- >>> import qualified Data.ByteString as S
-- >>> data Shape = Dot | Circle Float deriving (Generic, C.Serialize)
-- >>> S.unpack (C.encode [Dot, Circle 1])
-- [0,0,0,0,0,0,0,2,0,1,63,128,0,0]
--
-- @since 0.1.0.0
class Serialize t where
  -- | Write a value.
  put :: Putter t

  -- | Read a value.
  get :: Get t

  -- | Write a list: the number of elements in 64 bits, and the elements. (Hidden: instances
  -- of users have the default.)
  putList :: [t] -> Put
  putList xs = putBuilder (putElements put xs)
  {-# INLINEABLE putList #-}

  -- | Read a list of so many elements, of which each is forced. (Hidden: instances of
  -- users have the default.)
  getList :: Int -> Get [t]
  getList n = getElements n get
  {-# INLINEABLE getList #-}

  -- | Is the type without any types inside that could be its own? (Hidden: instances of
  -- users have the default.)
  isFlat :: Bool
  isFlat = False
  {-# INLINE isFlat #-}

  default put :: (Generic t, GSerializePut (Rep t)) => Putter t
  put x = gPut (from x)
  {-# INLINE put #-}

  default get :: (Generic t, GSerializeGet (Rep t)) => Get t
  get = levelled (gflat @(Rep t)) (to <$> gGet)
  {-# INLINE get #-}

-- One level deeper, but for what is flat. (A function, so that the decoder is not copied
-- before the compiler knows which.)
levelled :: Bool -> Get a -> Get a
levelled flat g = if flat then g else deeper g
{-# INLINE levelled #-}

-- | Types of "GHC.Generics" that can be written.
--
-- @since 0.1.0.0
class GSerializePut f where
  -- | Write a value.
  gPut :: Putter (f t)

-- | Types of "GHC.Generics" that can be read.
--
-- @since 0.1.0.0
class GSerializeGet f where
  -- | Read a value.
  gGet :: Get (f t)

  -- See Note [Levels of derived decoders].
  gflat :: Bool
  gflat = False
  {-# INLINE gflat #-}

instance GSerializePut U1 where
  gPut _ = pure ()
  {-# INLINE gPut #-}

instance GSerializeGet U1 where
  gGet = pure U1
  {-# INLINE gGet #-}
  gflat = True
  {-# INLINE gflat #-}

instance (GSerializePut f, GSerializePut g) => GSerializePut (f :*: g) where
  gPut (x :*: y) = gPut x *> gPut y
  {-# INLINE gPut #-}

instance (GSerializeGet f, GSerializeGet g) => GSerializeGet (f :*: g) where
  gGet = (:*:) <$> gGet <*> gGet
  {-# INLINE gGet #-}
  gflat = gflat @f && gflat @g
  {-# INLINE gflat #-}

instance GSerializePut f => GSerializePut (M1 i c f) where
  gPut (M1 x) = gPut x
  {-# INLINE gPut #-}

instance GSerializeGet f => GSerializeGet (M1 i c f) where
  gGet = M1 <$> gGet
  {-# INLINE gGet #-}
  gflat = gflat @f
  {-# INLINE gflat #-}

instance Serialize a => GSerializePut (K1 i a) where
  gPut (K1 x) = put x
  {-# INLINE gPut #-}

instance Serialize a => GSerializeGet (K1 i a) where
  gGet = K1 <$> get
  {-# INLINE gGet #-}
  gflat = isFlat @a
  {-# INLINE gflat #-}

instance (GSumPut f, GSumPut g, GCount f, GCount g) => GSerializePut (f :+: g) where
  gPut = gsumPut (gCount @(f :+: g)) 0
  {-# INLINE gPut #-}

instance (GSumGet f, GSumGet g, GCount f, GCount g) => GSerializeGet (f :+: g) where
  gGet = getTag (gCount @(f :+: g)) >>= \i -> gsumGet i id
  {-# INLINE gGet #-}
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

instance GSerializePut f => GSumPut (C1 c f) where
  gsumPut count i (M1 x) = putBuilder (tag count i) *> gPut x
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

instance GSerializeGet f => GSumGet (C1 c f) where
  gsumGet _ inside = (\x -> inside (M1 x)) <$> gGet
  {-# INLINE gsumGet #-}
  gsumFlat = gflat @f
  {-# INLINE gsumFlat #-}
