{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies] in "Ashlar.Internal.Mem".
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Prim.Hex
-- Description : Numbers and strings of bytes in hexadecimal
--
-- Numbers in base 16, with the digits @0@ to @9@ and @a@ to @f@, either without leading zeros or
-- with all digits of the type.
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
    hexPair,
    hexPairs2,
    hexPairs4,
    mostHexBytes,
    writeHex,
    readHex,
    hexSpan,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check
import Ashlar.Internal.Prim.Bulk
import Ashlar.Internal.Prim.Core
import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8, byteSwap16)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Int (I#), Ptr (Ptr), indexWord16OffAddr#)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import GHC.Word (Word16 (W16#))

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

-- The functions below store several digits at once, shifted so that there are no leading zeros. A
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

-- Note [Hexadecimal digits from a table]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The table has the two hexadecimal digits of every byte: 512 bytes. It gives two digits at a time.
-- Where a number may have fewer digits than its type, eight digits are combined in one word,
-- shifted, and stored at once. Where all digits are wanted, each pair is stored by itself.
--
-- Making eight digits without a table was also tried: spread the units of 4 bits over the bytes
-- of a word, and add 39 to those above 9. It takes more time, and twice the time for strings of
-- bytes.

-- | The 2 digits of a number below 2^8 as characters, the first one in the least significant
-- byte. Nothing checks that the number is below 2^8.
hexPair :: Word64 -> Word64
hexPair x = case (table, slot "in the table" "hexPair" 256 (fromIntegral x)) of
  -- The table has 256 entries of 2 bytes.
  (Ptr a, I# i) -> fromIntegral (firstLowest (W16# (indexWord16OffAddr# a i)))
  where
    firstLowest = case targetByteOrder of
      LittleEndian -> id
      BigEndian -> byteSwap16
{-# INLINE hexPair #-}

-- | The 4 digits of a number below 2^16, in the same order.
hexPairs2 :: Word64 -> Word64
hexPairs2 x = hexPair (x `unsafeShiftR` 8) .|. (hexPair (x .&. 0xFF) `unsafeShiftL` 16)
{-# INLINE hexPairs2 #-}

-- | The 8 digits of a number below 2^32, in the same order.
hexPairs4 :: Word64 -> Word64
hexPairs4 x = hexPairs2 (x `unsafeShiftR` 16) .|. (hexPairs2 (x .&. 0xFFFF) `unsafeShiftL` 32)
{-# INLINE hexPairs4 #-}

table :: Ptr ()
table =
  Ptr
    "\
    \000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
    \202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f\
    \404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f\
    \606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f\
    \808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f\
    \a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf\
    \c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf\
    \e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"#

-- Strings of bytes in hexadecimal, both ways.
--
-- "Ashlar.Internal.Prim.Bulk" converts them. One call handles a limited number, as in
-- Note [Foreign copies] in "Ashlar.Internal.Mem".

-- | The most bytes of one foreign call, which takes or makes 64 KiB of digits.
mostHexBytes :: Int
mostHexBytes = 32768
{-# INLINE mostHexBytes #-}

-- | Write the digits of n bytes: n bytes must be readable, and 2n writable.
writeHex :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
writeHex dst src n
  | n <= mostHexBytes = hexEncode dst src n
  | otherwise = do
    hexEncode dst src mostHexBytes
    writeHex
      (dst `plusPtr` (2 * mostHexBytes))
      (src `plusPtr` mostHexBytes)
      (n - mostHexBytes)

-- | Read n bytes from 2n digits, in either case, and return the number of digits before the first
-- other character. 2n characters must be readable, and n bytes writable.
readHex :: Ptr Word8 -> Ptr Word8 -> Int -> IO Int
readHex dst0 src0 n = go 0
  where
    -- The first i bytes have been read.
    go i
      | i == n = pure (2 * n)
      | otherwise = do
        let m = min mostHexBytes (n - i)
        k <- hexDecode (dst0 `plusPtr` i) (src0 `plusPtr` (2 * i)) m
        if k == 2 * m then go (i + m) else pure (2 * i + k)

-- | The number of leading digits among n characters, which must be readable.
hexSpan :: Ptr Word8 -> Int -> IO Int
hexSpan p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        let len = min (2 * mostHexBytes) (n - i)
        k <- hexDigits (p `plusPtr` i) len
        if k == len then go (i + len) else pure (i + k)
