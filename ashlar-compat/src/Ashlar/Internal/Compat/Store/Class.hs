{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE EmptyCase #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Class
-- Description : The class of Data.Store, and its derivation
module Ashlar.Internal.Compat.Store.Class
  ( Store (..),
    Size (..),
    Poke,
    Peek,
    GStoreSize (..),
    GStorePoke (..),
    GStorePeek (..),
    GSumSize (..),
    GSumPoke (..),
    GSumPeek (..),

    -- * Sizes
    getSizeWith,
    getSize,
    contramapSize,
    combineSize,
    combineSizeWith,
    addSize,
  )
where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Sum (GCount (..), SumArity)
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers (getWord8)
import Ashlar.Put (putWord8)
import Data.Functor.Contravariant (Contravariant (contramap))
import Data.Kind (Type)
import GHC.Generics
import GHC.TypeLits (type (<=))

-- | Writes bytes, and has a value. In @store@ this writes into memory. Here it is a put, which
-- cannot corrupt memory.
type Poke = PutM

-- | A decoder.
type Peek = Get

-- | The number of bytes of a value: a function of it, or a constant.
data Size a
  = -- | It depends on the value.
    VarSize (a -> Int)
  | -- | All values have it.
    ConstSize {-# UNPACK #-} !Int

-- | 'contramapSize'.
instance Contravariant Size where
  contramap = contramapSize
  {-# INLINE contramap #-}

-- | Types that have the format of the package @store@: the class of "Data.Store", with the
-- same methods and the same derivation.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Store as S
-- >>> import qualified Data.ByteString as B
-- >>> data Shape = Dot | Circle Word8 deriving (Generic, S.Store)
-- >>> B.unpack (S.encode (Dot, Circle 5))
-- [0,1,5]
class Store a where
  -- | The number of bytes.
  size :: Size a

  -- | Write a value.
  poke :: a -> Poke ()

  -- | Read a value.
  peek :: Peek a

  default size :: (Generic a, GStoreSize (Rep a)) => Size a
  size = contramapSize from gsize
  {-# INLINE size #-}

  default poke :: (Generic a, GStorePoke (Rep a)) => a -> Poke ()
  poke x = gpoke (from x)
  {-# INLINE poke #-}

  default peek :: (Generic a, GStorePeek (Rep a)) => Peek a
  peek = deeper (to <$> gpeek)
  {-# INLINE peek #-}

-- | The number of bytes of a value, by the given size.
getSizeWith :: Size a -> a -> Int
getSizeWith s x = case s of
  VarSize f -> f x
  ConstSize n -> n
{-# INLINE getSizeWith #-}

-- | The number of bytes of a value.
getSize :: Store a => a -> Int
getSize = getSizeWith size
{-# INLINE getSize #-}

-- | The size of the result of a function.
contramapSize :: (a -> b) -> Size b -> Size a
contramapSize f s = case s of
  VarSize g -> VarSize (\x -> g (f x))
  ConstSize n -> ConstSize n
{-# INLINE contramapSize #-}

-- | The size of two parts.
combineSize :: (Store a, Store b) => (c -> a) -> (c -> b) -> Size c
combineSize f g = combineSizeWith f g size size
{-# INLINE combineSize #-}

-- | The size of two parts, given the size of each.
combineSizeWith :: (c -> a) -> (c -> b) -> Size a -> Size b -> Size c
combineSizeWith f g a b = case (a, b) of
  (ConstSize m, ConstSize n) -> ConstSize (m + n)
  (ConstSize m, VarSize t) -> VarSize (\x -> m + t (g x))
  (VarSize s, ConstSize n) -> VarSize (\x -> s (f x) + n)
  (VarSize s, VarSize t) -> VarSize (\x -> s (f x) + t (g x))
{-# INLINE combineSizeWith #-}

-- | Add a number of bytes to a size.
addSize :: Int -> Size a -> Size a
addSize m s = case s of
  VarSize f -> VarSize (\x -> m + f x)
  ConstSize n -> ConstSize (m + n)
{-# INLINE addSize #-}

-- | Types of "GHC.Generics" whose size is known.
class GStoreSize f where
  -- | The number of bytes.
  gsize :: Size (f a)

-- | Types of "GHC.Generics" that can be written.
class GStorePoke f where
  -- | Write a value.
  gpoke :: f a -> Poke ()

-- | Types of "GHC.Generics" that can be read.
class GStorePeek f where
  -- | Read a value.
  gpeek :: Peek (f a)

instance GStoreSize f => GStoreSize (M1 i c f) where
  gsize = contramapSize unM1 gsize
  {-# INLINE gsize #-}

instance GStorePoke f => GStorePoke (M1 i c f) where
  gpoke (M1 x) = gpoke x
  {-# INLINE gpoke #-}

instance GStorePeek f => GStorePeek (M1 i c f) where
  gpeek = M1 <$> gpeek
  {-# INLINE gpeek #-}

instance Store a => GStoreSize (K1 i a) where
  gsize = contramapSize unK1 size
  {-# INLINE gsize #-}

instance Store a => GStorePoke (K1 i a) where
  gpoke (K1 x) = poke x
  {-# INLINE gpoke #-}

instance Store a => GStorePeek (K1 i a) where
  gpeek = K1 <$> peek
  {-# INLINE gpeek #-}

instance GStoreSize U1 where
  gsize = ConstSize 0
  {-# INLINE gsize #-}

instance GStorePoke U1 where
  gpoke _ = pure ()
  {-# INLINE gpoke #-}

instance GStorePeek U1 where
  gpeek = pure U1
  {-# INLINE gpeek #-}

instance GStoreSize V1 where
  gsize = ConstSize 0
  {-# INLINE gsize #-}

instance GStorePoke V1 where
  gpoke x = case x of {}
  {-# INLINE gpoke #-}

instance GStorePeek V1 where
  gpeek = invalid "a type without values"
  {-# INLINE gpeek #-}

instance (GStoreSize f, GStoreSize g) => GStoreSize (f :*: g) where
  gsize = combineSizeWith (\(x :*: _) -> x) (\(_ :*: y) -> y) gsize gsize
  {-# INLINE gsize #-}

instance (GStorePoke f, GStorePoke g) => GStorePoke (f :*: g) where
  gpoke (x :*: y) = gpoke x *> gpoke y
  {-# INLINE gpoke #-}

instance (GStorePeek f, GStorePeek g) => GStorePeek (f :*: g) where
  gpeek = (:*:) <$> gpeek <*> gpeek
  {-# INLINE gpeek #-}

-- | A byte for the number of the constructor, counted from 0, and its fields.
instance
  (GSumSize f, GSumSize g, SumArity (f :+: g) <= 255) =>
  GStoreSize (f :+: g)
  where
  -- Constant if all constructors have the same size.
  gsize = addSize 1 gsumSize
  {-# INLINE gsize #-}

instance (GSumPoke f, GSumPoke g, GCount f) => GStorePoke (f :+: g) where
  gpoke = gsumPoke 0
  {-# INLINE gpoke #-}

instance (GSumPeek f, GSumPeek g, GCount f, GCount g) => GStorePeek (f :+: g) where
  gpeek =
    getWord8 >>= \w ->
      if fromIntegral w < gCount @(f :+: g)
        then gsumPeek (fromIntegral w)
        else invalid "Found invalid tag"
  {-# INLINE gpeek #-}

class GSumSize (f :: Type -> Type) where
  gsumSize :: Size (f a)

instance (GSumSize f, GSumSize g) => GSumSize (f :+: g) where
  gsumSize = case (gsumSize @f, gsumSize @g) of
    (ConstSize m, ConstSize n) | m == n -> ConstSize n
    (s, t) -> VarSize (\x -> case x of L1 y -> getSizeWith s y; R1 y -> getSizeWith t y)
  {-# INLINE gsumSize #-}

instance GStoreSize f => GSumSize (C1 c f) where
  gsumSize = contramapSize unM1 gsize
  {-# INLINE gsumSize #-}

-- Writing a sum, given the number of its first constructor.
class GSumPoke (f :: Type -> Type) where
  gsumPoke :: Int -> f a -> Poke ()

instance (GSumPoke f, GSumPoke g, GCount f) => GSumPoke (f :+: g) where
  gsumPoke i x = case x of
    L1 y -> gsumPoke i y
    R1 y -> gsumPoke (i + gCount @f) y
  {-# INLINE gsumPoke #-}

instance GStorePoke f => GSumPoke (C1 c f) where
  gsumPoke i (M1 x) = putWord8 (fromIntegral i) *> gpoke x
  {-# INLINE gsumPoke #-}

-- Reading a sum, given the number of the constructor. The first one here has 0.
class GSumPeek (f :: Type -> Type) where
  gsumPeek :: Int -> Peek (f a)

instance (GSumPeek f, GSumPeek g, GCount f) => GSumPeek (f :+: g) where
  gsumPeek i
    | i < gCount @f = L1 <$> gsumPeek i
    | otherwise = R1 <$> gsumPeek (i - gCount @f)
  {-# INLINE gsumPeek #-}

instance GStorePeek f => GSumPeek (C1 c f) where
  gsumPeek _ = M1 <$> gpeek
  {-# INLINE gsumPeek #-}
