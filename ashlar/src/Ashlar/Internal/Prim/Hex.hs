{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Hex
-- Description : Numbers in hexadecimal
--
-- Numbers in base 16, with the digits @0@ to @9@ and @a@ to @f@, either without leading zeros or
-- with all digits of the type. The digits come from a table: see
-- Note [Hexadecimal digits from a table] in "Ashlar.Internal.Prim.HexPairs".
module Ashlar.Internal.Prim.Hex
  ( -- * Without leading zeros
    word8Hex,
    word16Hex,
    word32Hex,
    word64Hex,
    wordHex,

    -- * All digits
    word8HexFixed,
    word16HexFixed,
    word32HexFixed,
    word64HexFixed,
    int8HexFixed,
    int16HexFixed,
    int32HexFixed,
    int64HexFixed,
    floatHexFixed,
    doubleHexFixed,

    -- * For other formats
    countDigits,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.HexPairs
import Ashlar.Internal.Prim.OutOfLine
import Data.Bits (countLeadingZeros, unsafeShiftR, (.&.), (.|.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Float (castDoubleToWord64, castFloatToWord32)

-- | An unsigned 8-bit number in hexadecimal, without leading zeros: 1 to 2 digits.
word8Hex :: BoundedPrim Word8
word8Hex = boundedPrim 2 (callWrite writeByte . fromIntegral)
{-# INLINE word8Hex #-}

-- | An unsigned 16-bit number in hexadecimal, without leading zeros: 1 to 4 digits.
word16Hex :: BoundedPrim Word16
word16Hex = boundedPrim 4 (callWrite writeWord16 . fromIntegral)
{-# INLINE word16Hex #-}

-- | An unsigned 32-bit number in hexadecimal, without leading zeros: 1 to 8 digits.
word32Hex :: BoundedPrim Word32
word32Hex = boundedPrim 8 (callWrite writeAny . fromIntegral)
{-# INLINE word32Hex #-}

-- | An unsigned 64-bit number in hexadecimal, without leading zeros: 1 to 16 digits.
word64Hex :: BoundedPrim Word64
word64Hex = boundedPrim 16 (callWrite writeAny)
{-# INLINE word64Hex #-}

-- | A number of the machine's word size in hexadecimal, without leading zeros: 1 to 16 digits, on
-- 32-bit machines 1 to 8.
wordHex :: BoundedPrim Word
wordHex = boundedPrim 16 (callWrite writeAny . fromIntegral)
{-# INLINE wordHex #-}

-- The functions below store several digits at once, shifted so that the first one comes first. A
-- store may reach past the last digit: the next write overwrites those bytes. Each function says
-- how many bytes it stores at most. That many must be writable.

-- | Write a number below 2^8. Stores 2 bytes.
writeByte :: Write# Word64
writeByte = write# $ \x p -> do
  let n = countDigits x
  pokeLE p (fromIntegral (hexPair x `unsafeShiftR` (16 - 8 * n)) :: Word16)
  pure (p `plusPtr` n)
{-# NOINLINE writeByte #-}

-- | Write a number below 2^16. Stores 4 bytes.
writeWord16 :: Write# Word64
writeWord16 = write# writeLast4
{-# NOINLINE writeWord16 #-}

-- | Write any number. Stores at most 16 bytes, and at most 8 for a number below 2^32.
writeAny :: Write# Word64
writeAny = write# $ \x p -> case () of
  _
    | x < 0x10000 -> writeLast4 x p
    | x < 0x100000000 -> writeLast8 x p
    | otherwise -> do
      -- At most 8 digits, then 8.
      p' <- writeLast8 (x `unsafeShiftR` 32) p
      pokeLE p' (hexPairs4 (x .&. 0xFFFFFFFF))
      pure (p' `plusPtr` 8)
{-# NOINLINE writeAny #-}

-- Write a number below 2^16 or 2^32. Stores 4 or 8 bytes.
writeLast4, writeLast8 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeLast4 x p = do
  let n = countDigits x
  pokeLE p (fromIntegral (hexPairs2 x `unsafeShiftR` (32 - 8 * n)) :: Word32)
  pure (p `plusPtr` n)
writeLast8 x p = do
  let n = countDigits x
  pokeLE p (hexPairs4 x `unsafeShiftR` (64 - 8 * n))
  pure (p `plusPtr` n)
{-# INLINE writeLast4 #-}
{-# INLINE writeLast8 #-}

-- | The number of digits without leading zeros. Zero has one digit.
countDigits :: Word64 -> Int
countDigits x = (67 - countLeadingZeros (x .|. 1)) `unsafeShiftR` 2
{-# INLINE countDigits #-}

-- | An unsigned 8-bit number in hexadecimal: 2 digits.
word8HexFixed :: FixedPrim Word8
word8HexFixed = fixedPrim 2 (writePair . fromIntegral)
{-# INLINE word8HexFixed #-}

-- | An unsigned 16-bit number in hexadecimal: 4 digits.
word16HexFixed :: FixedPrim Word16
word16HexFixed = fixedPrim 4 (write2Pairs . fromIntegral)
{-# INLINE word16HexFixed #-}

-- | An unsigned 32-bit number in hexadecimal: 8 digits.
word32HexFixed :: FixedPrim Word32
word32HexFixed = fixedPrim 8 (write4Pairs . fromIntegral)
{-# INLINE word32HexFixed #-}

-- | An unsigned 64-bit number in hexadecimal: 16 digits.
word64HexFixed :: FixedPrim Word64
word64HexFixed = fixedPrim 16 write8Pairs
{-# INLINE word64HexFixed #-}

-- | The two's complement of a signed 8-bit number in hexadecimal: 2 digits.
int8HexFixed :: FixedPrim Int8
int8HexFixed = fixedPrim 2 (runF word8HexFixed . fromIntegral)
{-# INLINE int8HexFixed #-}

-- | The two's complement of a signed 16-bit number in hexadecimal: 4 digits.
int16HexFixed :: FixedPrim Int16
int16HexFixed = fixedPrim 4 (runF word16HexFixed . fromIntegral)
{-# INLINE int16HexFixed #-}

-- | The two's complement of a signed 32-bit number in hexadecimal: 8 digits.
int32HexFixed :: FixedPrim Int32
int32HexFixed = fixedPrim 8 (runF word32HexFixed . fromIntegral)
{-# INLINE int32HexFixed #-}

-- | The two's complement of a signed 64-bit number in hexadecimal: 16 digits.
int64HexFixed :: FixedPrim Int64
int64HexFixed = fixedPrim 16 (runF word64HexFixed . fromIntegral)
{-# INLINE int64HexFixed #-}

-- | The bits of an IEEE 754 number in hexadecimal, sign and exponent first: 8 digits.
floatHexFixed :: FixedPrim Float
floatHexFixed = fixedPrim 8 (runF word32HexFixed . castFloatToWord32)
{-# INLINE floatHexFixed #-}

-- | The bits of an IEEE 754 number in hexadecimal, sign and exponent first: 16 digits.
doubleHexFixed :: FixedPrim Double
doubleHexFixed = fixedPrim 16 (runF word64HexFixed . castDoubleToWord64)
{-# INLINE doubleHexFixed #-}

-- Write numbers below 2^8, 2^16, 2^32 and 2^64 with all digits: 2, 4, 8 and 16 bytes.

writePair, write2Pairs, write4Pairs, write8Pairs :: Word64 -> Ptr Word8 -> IO ()
writePair x p = pokeLE p (fromIntegral (hexPair x) :: Word16)
write2Pairs x p = writePair (x `unsafeShiftR` 8) p >> writePair (x .&. 0xFF) (p `plusPtr` 2)
write4Pairs x p = write2Pairs (x `unsafeShiftR` 16) p >> write2Pairs (x .&. 0xFFFF) (p `plusPtr` 4)
write8Pairs x p =
  write4Pairs (x `unsafeShiftR` 32) p >> write4Pairs (x .&. 0xFFFFFFFF) (p `plusPtr` 8)
{-# INLINE writePair #-}
{-# INLINE write2Pairs #-}
{-# INLINE write4Pairs #-}
{-# INLINE write8Pairs #-}
