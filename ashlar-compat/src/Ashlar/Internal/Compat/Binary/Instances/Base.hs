{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Base
-- Description : Numbers and other types of base in binary's format
module Ashlar.Internal.Compat.Binary.Instances.Base () where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Compat.Elements (getCount)
import Ashlar.Internal.Compat.Generic (levelled)
import Ashlar.Internal.Compat.Lists
import Ashlar.Internal.Compat.Numbers
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Put
import Control.Applicative (empty)
import Data.Complex (Complex (..))
import Data.Fixed (Fixed (MkFixed))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Ratio (Ratio, denominator, numerator)
import Data.Version (Version (..))
import Data.Void (Void, absurd)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint (..))
import Numeric.Natural (Natural)

-- | Cannot be written. Reading fails.
instance Binary Void where
  put = absurd
  get = empty

-- | No bytes.
instance Binary () where
  put () = mempty
  get = pure ()
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte: 0 or 1. Others are refused.
instance Binary Bool where
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
instance Binary Ordering where
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
instance Binary Word8 where
  put = putWord8
  get = getWord8
  putList xs = putBuilder (putWord8s xs)
  getList = getWord8s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes, most significant first.
instance Binary Word16 where
  put = putWord16be
  get = getWord16be
  putList xs = putBuilder (putWord16s xs)
  getList = getWord16s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes, most significant first.
instance Binary Word32 where
  put = putWord32be
  get = getWord32be
  putList xs = putBuilder (putWord32s xs)
  getList = getWord32s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes, most significant first.
instance Binary Word64 where
  put = putWord64be
  get = getWord64be
  putList xs = putBuilder (putWord64s xs)
  getList = getWord64s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | One byte, in two's complement.
instance Binary Int8 where
  put = putInt8
  get = getInt8
  putList xs = putBuilder (putInt8s xs)
  getList = getInt8s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 2 bytes in two's complement, most significant first.
instance Binary Int16 where
  put = putInt16be
  get = getInt16be
  putList xs = putBuilder (putInt16s xs)
  getList = getInt16s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 4 bytes in two's complement, most significant first.
instance Binary Int32 where
  put = putInt32be
  get = getInt32be
  putList xs = putBuilder (putInt32s xs)
  getList = getInt32s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 8 bytes in two's complement, most significant first.
instance Binary Int64 where
  put = putInt64be
  get = getInt64be
  putList xs = putBuilder (putInt64s xs)
  getList = getInt64s
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As a 'Word64': 8 bytes, most significant first.
instance Binary Word where
  put x = putWord64be (fromIntegral x)
  get = fromIntegral <$> getWord64be
  putList xs = putBuilder (putWords xs)
  getList = getWords
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | As an 'Int64': 8 bytes, most significant first.
instance Binary Int where
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
instance Binary Integer where
  put n = putBuilder (putInteger n)
  get = getInteger
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | A byte 0 and 8 bytes if it fits 64 bits, else a byte 1 and the list of its bytes, least
-- significant first.
instance Binary Natural where
  put n = putBuilder (putNatural n)
  get = getNatural
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | The mantissa as an 'Integer' and the exponent as an 'Int', as by 'decodeFloat': 13 or 25
-- bytes.
instance Binary Double where
  put d = putBuilder (putDoubleParts d)
  get = getDoubleParts
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | As a 'Double': 13 bytes.
instance Binary Float where
  put f = putBuilder (putFloatParts f)
  get = getFloatParts
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE isFlat #-}

-- | UTF-8. A string is the number of its characters, and the characters. As in @binary@,
-- reading accepts some malformed UTF-8.
instance Binary Char where
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

-- | The numerator and the denominator. Reading reduces them to lowest terms. It refuses a
-- denominator of 0, and terms that the type cannot hold.
instance (Binary a, Integral a) => Binary (Ratio a) where
  put r = put (numerator r) *> put (denominator r)
  get = do
    n <- get
    get >>= fraction n
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The real part and the imaginary part.
instance Binary a => Binary (Complex a) where
  put (r :+ i) = put r *> put i
  get = (:+) <$> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | The number without its point, as an 'Integer'.
instance Binary (Fixed e) where
  put (MkFixed n) = put n
  get = MkFixed <$> get
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | 16 bytes.
instance Binary Fingerprint where
  put (Fingerprint x y) = put x *> put y
  get = Fingerprint <$> get <*> get
  isFlat = True
  {-# INLINE put #-}
  {-# INLINE get #-}
  {-# INLINE isFlat #-}

-- | The list of numbers, and the list of tags.
instance Binary Version where
  put (Version branch tags) = put branch *> put tags
  get = Version <$> get <*> get

-- | The number of elements as an 'Int', and the elements.
instance Binary a => Binary [a] where
  put = putList
  get = levelled (isFlat @a) (getCount >>= getList)
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | As a list. An empty one is refused.
instance Binary a => Binary (NonEmpty a) where
  put (x :| xs) = putList (x : xs)
  get =
    get >>= \list -> case list of
      [] -> invalid "NonEmpty is empty!"
      x : xs -> pure (x :| xs)
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0; or a byte 1 and the value. Reading takes any other byte as 1.
instance Binary a => Binary (Maybe a) where
  put m = case m of
    Nothing -> putWord8 0
    Just x -> putWord8 1 *> put x
  get = getWord8 >>= \w -> if w == 0 then pure Nothing else Just <$> levelled (isFlat @a) get
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A byte 0 and the value on the left, or a byte 1 and the value on the right. Reading takes
-- any other byte as 1.
instance (Binary a, Binary b) => Binary (Either a b) where
  put e = case e of
    Left x -> putWord8 0 *> put x
    Right y -> putWord8 1 *> put y
  get =
    getWord8 >>= \w ->
      if w == 0
        then Left <$> levelled (isFlat @a) get
        else Right <$> levelled (isFlat @b) get
  {-# INLINE put #-}
  {-# INLINE get #-}
