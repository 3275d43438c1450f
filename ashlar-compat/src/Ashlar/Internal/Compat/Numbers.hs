{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Compat.Numbers
-- Description : Integers, fractions and characters in the formats of binary and cereal
--
-- An 'Integer' that fits 32 bits is a byte 0 and its 4 bytes, most significant first. Any
-- other is a byte 1, its sign (1 or 255), and its magnitude: the number of bytes in 64
-- bits, and the bytes, least significant first. Both libraries have this format.
-- @binary@ writes a 'Double' as the 'Integer' and the 'Int' of 'decodeFloat'.
module Ashlar.Internal.Compat.Numbers
  ( putInteger,
    getInteger,
    putNatural,
    getNatural,
    putDoubleParts,
    getDoubleParts,
    putFloatParts,
    getFloatParts,
    getCharLenient,
    fraction,
  )
where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Numbers (int64BE, word8)
import Ashlar.Internal.Compat.Elements (getCount, putCount)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Scalar
  ( fromWord64,
    magnitudeBytes,
    magnitudeOf,
    magnitudeSize,
    peekMagnitude,
    peekShort,
    wordBytes,
  )
import Data.Bits
import Data.Int (Int32, Int64)
import Data.Word (Word64, Word8)
import Foreign.Ptr (plusPtr)
import GHC.Base (unsafeChr)
import GHC.Exts (Int (I#), Ptr)
import GHC.Float (castDoubleToWord64, castWord64ToDouble)
import GHC.Num.Integer (Integer (IS), integerFromNatural, integerGcd, integerToNatural)
import GHC.Real (Ratio (..))
import Numeric.Natural (Natural)

-- | An 'Integer', in one of its two forms.
putInteger :: Integer -> Builder
putInteger n = case n of
  IS i -> putSmall (I# i)
  _ -> append (append (word8 1) (word8 (if n < 0 then 255 else 1))) (putMagnitude (abs n))
{-# NOINLINE putInteger #-}

putSmall :: Int -> Builder
putSmall i
  | i == fromIntegral (fromIntegral i :: Int32) = ensure 5 $ \p -> do
    pokeHost p (0 :: Word8)
    pokeBE (p `plusPtr` 1) (fromIntegral i :: Int32)
    pure (p `plusPtr` 5)
  | otherwise = ensure 18 $ \p -> do
    let magnitude = magnitudeOf i
        len = wordBytes magnitude
    pokeHost p (1 :: Word8)
    pokeHost (p `plusPtr` 1) (if i < 0 then 255 else 1 :: Word8)
    pokeBE (p `plusPtr` 2) (fromIntegral len :: Int64)
    -- Stores 8 bytes. The next write overwrites those after the last byte of the magnitude.
    pokeLE (p `plusPtr` 10) magnitude
    pure (p `plusPtr` (10 + len))
{-# INLINE putSmall #-}

-- A positive number: the number of its bytes, and the bytes.
putMagnitude :: Integer -> Builder
putMagnitude n = append (putCount (magnitudeSize n)) (shortByteString (magnitudeBytes n))

-- | An 'Integer' in either form. As in both libraries, any byte but 0 announces the long
-- form, any sign but 1 is negative, and zeros at the end of the magnitude do no harm.
getInteger :: Get Integer
getInteger = do
  tag <- getWord8
  if tag == 0
    then (\i -> toInteger (i :: Int32)) <$> getInt32be
    else do
      sign <- getWord8
      m <- getCount >>= getMagnitude
      pure $! if sign == 1 then m else negate m

getMagnitude :: Int -> Get Integer
getMagnitude n
  | n <= 0 = if n == 0 then pure 0 else invalid ("negative number of elements: " ++ show n)
  | n <= 8 = consume n $ \p -> effect (fromWord64 <$> peekShort p n)
  | otherwise = consume n $ \p -> effect (lengthWithoutZeros p n >>= peekMagnitude p)

-- Without the zeros at the end.
lengthWithoutZeros :: Ptr Word8 -> Int -> IO Int
lengthWithoutZeros !p !n
  | n <= 0 = pure 0
  | otherwise = do
    final <- peekHost (p `plusPtr` (n - 1))
    if final == (0 :: Word8) then lengthWithoutZeros p (n - 1) else pure n

-- | A 'Natural': a byte 0 and 8 bytes, or a byte 1 and a magnitude.
putNatural :: Natural -> Builder
putNatural n
  | i <= toInteger (maxBound :: Word64) = ensure 9 $ \p -> do
    pokeHost p (0 :: Word8)
    pokeBE (p `plusPtr` 1) (fromInteger i :: Word64)
    pure (p `plusPtr` 9)
  | otherwise = append (word8 1) (putMagnitude i)
  where
    i = integerFromNatural n
{-# NOINLINE putNatural #-}

-- | A 'Natural' in either form.
getNatural :: Get Natural
getNatural = do
  tag <- getWord8
  if tag == 0
    then fromIntegral <$> getWord64be
    else -- It is not negative.
      getCount >>= getMagnitude >>= \m -> pure $! integerToNatural m

-- | A 'Double' as @binary@ writes it. The mantissa of a normal number has 53 bits, so it always
-- takes the long form: 25 bytes, written at once, without an 'Integer'.
putDoubleParts :: Double -> Builder
putDoubleParts d
  | biased == 0 || biased == 2047 = case decodeFloat d of
    (m, e) -> append (putInteger m) (int64BE (fromIntegral e))
  | otherwise = ensure 25 $ \p -> do
    pokeHost p (1 :: Word8)
    pokeHost (p `plusPtr` 1) (if testBit w 63 then 255 else 1 :: Word8)
    pokeBE (p `plusPtr` 2) (7 :: Int64)
    pokeLE (p `plusPtr` 10) ((w .&. 0xFFFFFFFFFFFFF) .|. 0x10000000000000)
    pokeBE (p `plusPtr` 17) (fromIntegral biased - 1075 :: Int64)
    pure (p `plusPtr` 25)
  where
    w = castDoubleToWord64 d
    biased = (w `unsafeShiftR` 52) .&. 2047

-- | A 'Double' from any mantissa and exponent.
getDoubleParts :: Get Double
getDoubleParts = do
  m <- getInteger
  e <- getCount
  pure $! case m of
    IS i -> encodeSmall (I# i) e
    _ -> encodeFloat m e

-- A mantissa of 53 bits with an exponent in the normal range needs no arithmetic.
encodeSmall :: Int -> Int -> Double
encodeSmall i e
  | magnitude `unsafeShiftR` 52 == 1 && e >= -1074 && e <= 971 =
    castWord64ToDouble $
      (if i < 0 then 0x8000000000000000 else 0)
        .|. (fromIntegral (e + 1075) `unsafeShiftL` 52)
        .|. (magnitude .&. 0xFFFFFFFFFFFFF)
  | otherwise = encodeFloat (toInteger i) e
  where
    magnitude = fromIntegral (abs i) :: Word64
{-# INLINE encodeSmall #-}

-- | A 'Float' as @binary@ writes it.
putFloatParts :: Float -> Builder
putFloatParts f = case decodeFloat f of
  (m, e) -> append (putInteger m) (int64BE (fromIntegral e))

-- | A 'Float' from any mantissa and exponent.
getFloatParts :: Get Float
getFloatParts = do
  m <- getInteger
  e <- getCount
  pure $! encodeFloat m e

-- | A character as both libraries read it: UTF-8, but continuation bytes are not checked, and
-- overlong forms are accepted. Only a number above that of the last character fails.
getCharLenient :: Get Char
getCharLenient = do
  w <- byte
  if w < 0x80 then pure $! unsafeChr w else long w
  where
    long w
      | w < 0xE0 = continued >>= \x -> character (shift6 (w `xor` 0xC0) .|. x)
      | w < 0xF0 =
        (\x y -> shift6 (shift6 (w `xor` 0xE0) .|. x) .|. y) <$> continued <*> continued
          >>= character
      | otherwise =
        (\x y z -> shift6 (shift6 (shift6 (w `xor` 0xF0) .|. x) .|. y) .|. z)
          <$> continued <*> continued <*> continued
          >>= character
    byte = (fromIntegral :: Word8 -> Int) <$> getWord8
    continued = xor 0x80 <$> byte
    shift6 i = i `unsafeShiftL` 6
    character i
      | i <= 0x10FFFF = pure $! unsafeChr i
      | otherwise = invalid "Not a valid Unicode code point!"
{-# INLINE getCharLenient #-}

-- | The fraction of a numerator and a denominator, in lowest terms. A denominator of 0 is refused,
-- and so are terms that the type cannot hold.
--
-- (If one of them is negative, the fraction is computed with 'Integer', because @-128 % 127@ throws
-- for 'Data.Int.Int8'. The divisor is always computed with 'Integer': where 'gcd' is not
-- specialised to that, it is Euclid's algorithm, which takes quadratic time.)
fraction :: Integral a => a -> a -> Get (Ratio a)
fraction n d
  | d == 0 = invalid "a fraction over 0"
  | n > 0 && d > 0 =
    let g = fromInteger divisor in (\ !n' !d' -> pure $! n' :% d') (n `quot` g) (d `quot` g)
  | toInteger narrowN == lowestN && toInteger narrowD == lowestD = pure $! narrowN :% narrowD
  | otherwise = invalid "a fraction whose lowest terms its type cannot hold"
  where
    divisor = integerGcd (toInteger n) (toInteger d)
    lowestN = toInteger n `quot` (signum (toInteger d) * divisor)
    lowestD = abs (toInteger d) `quot` divisor
    narrowN = fromInteger lowestN
    narrowD = fromInteger lowestD
{-# INLINEABLE fraction #-}
