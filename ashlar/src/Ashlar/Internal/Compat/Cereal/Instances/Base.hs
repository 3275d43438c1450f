{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Instances.Base
-- Description : Types of base in cereal's format
module Ashlar.Internal.Compat.Cereal.Instances.Base () where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Compat.Elements (getCount)
import Ashlar.Internal.Compat.Lists
import Ashlar.Internal.Compat.Numbers
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Refuse
import Ashlar.Put
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Monoid as Monoid
import Data.Ratio (Ratio, denominator, numerator, (%))
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | No bytes.
instance Serialize () where
  put () = mempty
  get = pure ()
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte: 0 or 1. Others are refused.
instance Serialize Bool where
  put b = putWord8 (if b then 1 else 0)
  get =
    getWord8 >>= \w -> case w of
      0 -> pure False
      1 -> pure True
      _ -> notOf "Bool" w
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte: 0, 1 or 2. Others are refused.
instance Serialize Ordering where
  put o = putWord8 (fromIntegral (fromEnum o))
  get =
    getWord8 >>= \w -> case w of
      0 -> pure LT
      1 -> pure EQ
      2 -> pure GT
      _ -> notOf "Ordering" w
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

notOf :: String -> Word8 -> Get a
notOf name w = invalid ("Could not map value " ++ show w ++ " to " ++ name)
{-# NOINLINE notOf #-}

-- | One byte.
instance Serialize Word8 where
  put = putWord8
  get = getWord8
  putList xs = putBuilder (putWord8s xs)
  getList = getWord8s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes, most significant first.
instance Serialize Word16 where
  put = putWord16be
  get = getWord16be
  putList xs = putBuilder (putWord16s xs)
  getList = getWord16s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes, most significant first.
instance Serialize Word32 where
  put = putWord32be
  get = getWord32be
  putList xs = putBuilder (putWord32s xs)
  getList = getWord32s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes, most significant first.
instance Serialize Word64 where
  put = putWord64be
  get = getWord64be
  putList xs = putBuilder (putWord64s xs)
  getList = getWord64s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte, in two's complement.
instance Serialize Int8 where
  put = putInt8
  get = getInt8
  putList xs = putBuilder (putInt8s xs)
  getList = getInt8s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes in two's complement, most significant first.
instance Serialize Int16 where
  put = putInt16be
  get = getInt16be
  putList xs = putBuilder (putInt16s xs)
  getList = getInt16s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes in two's complement, most significant first.
instance Serialize Int32 where
  put = putInt32be
  get = getInt32be
  putList xs = putBuilder (putInt32s xs)
  getList = getInt32s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes in two's complement, most significant first.
instance Serialize Int64 where
  put = putInt64be
  get = getInt64be
  putList xs = putBuilder (putInt64s xs)
  getList = getInt64s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As a 'Word64': 8 bytes, most significant first.
instance Serialize Word where
  put x = putWord64be (fromIntegral x)
  get = fromIntegral <$> getWord64be
  putList xs = putBuilder (putWords xs)
  getList = getWords
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As a 'Int64': 8 bytes, most significant first.
instance Serialize Int where
  put x = putInt64be (fromIntegral x)
  get = fromIntegral <$> getInt64be
  putList xs = putBuilder (putInts xs)
  getList = getInts
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and 4 bytes if it fits 32 bits, else a byte 1, a byte for the sign, and the list
-- of the bytes of the magnitude, least significant first.
instance Serialize Integer where
  put n = putBuilder (putInteger n)
  get = getInteger
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and 8 bytes if it fits 64 bits, else a byte 1 and the list of its bytes, least
-- significant first.
instance Serialize Natural where
  put n = putBuilder (putNatural n)
  get = getNatural
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | 8 bytes of IEEE 754, most significant first.
instance Serialize Double where
  put = putDoublebe
  get = getDoublebe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes of IEEE 754, most significant first.
instance Serialize Float where
  put = putFloatbe
  get = getFloatbe
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | UTF-8. A string is the number of its characters, and the characters. Reading checks
-- less than UTF-8 demands, as in @cereal@.
instance Serialize Char where
  put = putCharUtf8
  get = getChar8
  putList str = putBuilder (putChars str)
  getList = getChars
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

getChar8 :: Get Char
getChar8 = getCharLenient

-- | The numerator and the denominator. One that is 0 is refused.
instance (Serialize a, Integral a) => Serialize (Ratio a) where
  put r = put (numerator r) *> put (denominator r)
  get = do
    n <- get
    d <- get
    -- Not forced: of numbers with bounds, that can be an exception.
    if d == 0 then invalid "a fraction over 0" else pure (n % d)
  isFlat = isFlat @a
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | The number of elements as an 'Int', and the elements.
instance Serialize a => Serialize [a] where
  put = putList
  get = getCount >>= getList
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0; or a byte 1 and the value. When read, any other byte is as 1.
instance Serialize a => Serialize (Maybe a) where
  put m = case m of
    Nothing -> putWord8 0
    Just x -> putWord8 1 *> put x
  get = getWord8 >>= \w -> if w == 0 then pure Nothing else Just <$> get
  isFlat = isFlat @a
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and the value on the left, or a byte 1 and the value on the right. When read,
-- any other byte is as 1.
instance (Serialize a, Serialize b) => Serialize (Either a b) where
  put e = case e of
    Left x -> putWord8 0 *> put x
    Right y -> putWord8 1 *> put y
  get = getWord8 >>= \w -> if w == 0 then Left <$> get else Right <$> get
  isFlat = isFlat @a && isFlat @b
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

deriving newtype instance Serialize a => Serialize (Monoid.Dual a)

deriving newtype instance Serialize Monoid.All

deriving newtype instance Serialize Monoid.Any

deriving newtype instance Serialize a => Serialize (Monoid.Sum a)

deriving newtype instance Serialize a => Serialize (Monoid.Product a)

deriving newtype instance Serialize a => Serialize (Monoid.First a)

deriving newtype instance Serialize a => Serialize (Monoid.Last a)
