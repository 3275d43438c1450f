{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Instances.Base
-- Description : Numbers, tuples and other types of base in store's format
--
-- Numbers have the machine's byte order and size.
module Ashlar.Internal.Compat.Store.Instances.Base () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Numbers (fraction)
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Put
import Data.Char (ord)
import Data.Complex (Complex)
import Data.Functor.Identity (Identity (..))
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Monoid as M
import Data.Ratio (Ratio, denominator, numerator)
import Data.Void (Void)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Storable (sizeOf)
import GHC.Base (unsafeChr)

instance Store Word8 where
  size = ConstSize (sizeOf (0 :: Word8))
  poke = putWord8
  peek = getWord8
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Word16 where
  size = ConstSize (sizeOf (0 :: Word16))
  poke = putWord16host
  peek = getWord16host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Word32 where
  size = ConstSize (sizeOf (0 :: Word32))
  poke = putWord32host
  peek = getWord32host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Word64 where
  size = ConstSize (sizeOf (0 :: Word64))
  poke = putWord64host
  peek = getWord64host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Word where
  size = ConstSize (sizeOf (0 :: Word))
  poke = putWordhost
  peek = getWordhost
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Int8 where
  size = ConstSize (sizeOf (0 :: Int8))
  poke = putInt8
  peek = getInt8
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Int16 where
  size = ConstSize (sizeOf (0 :: Int16))
  poke = putInt16host
  peek = getInt16host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Int32 where
  size = ConstSize (sizeOf (0 :: Int32))
  poke = putInt32host
  peek = getInt32host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Int64 where
  size = ConstSize (sizeOf (0 :: Int64))
  poke = putInt64host
  peek = getInt64host
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Int where
  size = ConstSize (sizeOf (0 :: Int))
  poke = putInthost
  peek = getInthost
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Float where
  size = ConstSize (sizeOf (0 :: Float))
  poke = putFloathost
  peek = getFloathost
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

instance Store Double where
  size = ConstSize (sizeOf (0 :: Double))
  poke = putDoublehost
  peek = getDoublehost
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

-- | 4 bytes. A number that is not a character is refused.
instance Store Char where
  size = ConstSize 4
  poke c = putWord32host (fromIntegral (ord c))
  peek =
    getWord32host >>= \w ->
      if w <= 0x10FFFF then pure $! unsafeChr (fromIntegral w) else invalid "no character"
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

-- | One byte: 0 or 1. Others are refused.
instance Store Bool

instance Store ()

instance Store Void

instance Store a => Store (Maybe a)

instance (Store a, Store b) => Store (Either a b)

-- | The real part and the imaginary part.
instance Store a => Store (Complex a)

-- | The numerator and the denominator. Reading reduces them to lowest terms. It refuses a
-- denominator of 0, and terms that the type cannot hold.
instance (Integral a, Store a) => Store (Ratio a) where
  size = combineSize numerator denominator
  poke r = poke (numerator r) *> poke (denominator r)
  peek = do
    n <- peek
    peek >>= fraction n
  {-# INLINE size #-}
  {-# INLINE poke #-}
  {-# INLINE peek #-}

deriving newtype instance Store a => Store (Identity a)

deriving newtype instance Store a => Store (M.Dual a)

deriving newtype instance Store M.All

deriving newtype instance Store M.Any

deriving newtype instance Store a => Store (M.Sum a)

deriving newtype instance Store a => Store (M.Product a)

deriving newtype instance Store a => Store (M.First a)

deriving newtype instance Store a => Store (M.Last a)

instance (Store a, Store b) => Store (a, b)

instance (Store a, Store b, Store c) => Store (a, b, c)

instance (Store a, Store b, Store c, Store d) => Store (a, b, c, d)

instance (Store a, Store b, Store c, Store d, Store e) => Store (a, b, c, d, e)

instance (Store a, Store b, Store c, Store d, Store e, Store f) => Store (a, b, c, d, e, f)

instance
  (Store a, Store b, Store c, Store d, Store e, Store f, Store g) =>
  Store (a, b, c, d, e, f, g)
