{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Decimal
-- Description : Whole numbers in decimal
--
-- Numbers in base 10: a minus sign where they are negative, no leading zeros.
module Ashlar.Internal.Prim.Decimal
  ( -- * Without a sign
    word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,

    -- * With a sign where negative
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,

    -- * Sixteen digits
    sixteenDigits,

    -- * Parts of other formats
    withSign,
    writeWord64,
    writeDigit,
    writeUpTo4,
    writeFrom,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Digits
import Ashlar.Internal.Prim.OutOfLine
import Data.Bits (countTrailingZeros, unsafeShiftR, (.&.), (.|.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A number of 8 bits in decimal: 1 to 3 bytes.
--
-- @since 0.1.0.0
word8Dec :: BoundedPrim Word8
word8Dec = boundedPrim 3 (callWrite writeUpTo3 . fromIntegral)
{-# INLINE word8Dec #-}

-- | A number of 16 bits in decimal: 1 to 5 bytes.
--
-- @since 0.1.0.0
word16Dec :: BoundedPrim Word16
word16Dec = boundedPrim 5 (callWrite writeUpTo5 . fromIntegral)
{-# INLINE word16Dec #-}

-- | A number of 32 bits in decimal: 1 to 10 bytes.
--
-- @since 0.1.0.0
word32Dec :: BoundedPrim Word32
word32Dec = boundedPrim 10 (callWrite writeWord64 . fromIntegral)
{-# INLINE word32Dec #-}

-- | A number of 64 bits in decimal: 1 to 20 bytes.
--
-- @since 0.1.0.0
word64Dec :: BoundedPrim Word64
word64Dec = boundedPrim 20 (callWrite writeWord64)
{-# INLINE word64Dec #-}

-- | A number of the machine's word size in decimal: 1 to 20 bytes (to 10, where words have
-- 32 bits).
--
-- @since 0.1.0.0
wordDec :: BoundedPrim Word
wordDec = boundedPrim 20 (callWrite writeWord64 . fromIntegral)
{-# INLINE wordDec #-}

-- | A number of 8 bits in decimal, with a minus sign if it is negative: 1 to 4 bytes.
--
-- @since 0.1.0.0
int8Dec :: BoundedPrim Int8
int8Dec = boundedPrim 4 (callWrite writeInt8 . fromIntegral)
{-# INLINE int8Dec #-}

-- | A number of 16 bits in decimal, with a minus sign if it is negative: 1 to 6 bytes.
--
-- @since 0.1.0.0
int16Dec :: BoundedPrim Int16
int16Dec = boundedPrim 6 (callWrite writeInt16 . fromIntegral)
{-# INLINE int16Dec #-}

-- | A number of 32 bits in decimal, with a minus sign if it is negative: 1 to 11 bytes.
--
-- @since 0.1.0.0
int32Dec :: BoundedPrim Int32
int32Dec = boundedPrim 11 (callWrite writeInt64 . fromIntegral)
{-# INLINE int32Dec #-}

-- | A number of 64 bits in decimal, with a minus sign if it is negative: 1 to 20 bytes.
--
-- @since 0.1.0.0
int64Dec :: BoundedPrim Int64
int64Dec = boundedPrim 20 (callWrite writeInt64)
{-# INLINE int64Dec #-}

-- | A number of the machine's word size in decimal, with a minus sign if it is negative:
-- 1 to 20 bytes (to 11, where words have 32 bits).
--
-- @since 0.1.0.0
intDec :: BoundedPrim Int
intDec = boundedPrim 20 (callWrite writeInt64 . fromIntegral)
{-# INLINE intDec #-}

-- | Write the sign of a number, if it is negative, and its digits.
withSign :: (Word64 -> Ptr Word8 -> IO (Ptr Word8)) -> Int64 -> Ptr Word8 -> IO (Ptr Word8)
withSign digits x p
  | x >= 0 = digits (fromIntegral x) p
  -- The least number is its own opposite, and right as a number without sign.
  | otherwise = pokeHost p (0x2D :: Word8) >> digits (fromIntegral (negate x)) (p `plusPtr` 1)
{-# INLINE withSign #-}

-- Several digits are stored at once, and a store may reach behind the last of them: what
-- is there will be overwritten by what is written next. Each function says how many
-- bytes from the first address on it stores at most.

-- | A number below 256: at most 3 bytes are stored.
writeUpTo3 :: Write# Word64
writeUpTo3 = write# $ \x p ->
  if x < 10
    then writeDigit x p
    else do
      let (hundreds, rest) = quotRem100 x
      p' <- if hundreds == 0 then pure p else writeDigit hundreds p
      pokeLE p' (fromIntegral (asCharacters (digits2 rest)) :: Word16)
      pure (p' `plusPtr` 2)
{-# NOINLINE writeUpTo3 #-}

-- | A number below 65,536: at most 5 bytes are stored.
writeUpTo5 :: Write# Word64
writeUpTo5 = write# $ \x p ->
  if x < 10000
    then writeUpTo4 x p
    else do
      let (myriads, rest) = quotRem1e4 x
      p' <- writeDigit myriads p
      pokeLE p' (fromIntegral (asCharacters (digits4 rest)) :: Word32)
      pure (p' `plusPtr` 4)
{-# NOINLINE writeUpTo5 #-}

-- | Any number: at most 20 bytes are stored, and at most 10 of one below 2^32.
writeWord64 :: Write# Word64
writeWord64 = write# $ \x p -> case () of
  _
    | x < 10 -> writeDigit x p
    | x < 10000 -> writeUpTo4 x p
    | x < 100000000 -> writeUpTo8 x p
    | x < 10000000000000000 -> do
      -- 1 to 8 digits (of a number below 2^32: 1 or 2), then 8.
      let (hi, lo) = quotRem1e8 x
      writeUpTo8 hi p >>= writeEight lo
    | otherwise -> do
      -- 1 to 4 digits, then 16.
      let (hi, lo) = quotRem1e16 x
      writeUpTo4 hi p >>= writeSixteen lo
{-# NOINLINE writeWord64 #-}

-- | A number of 8 bits and its sign: at most 4 bytes are stored.
writeInt8 :: Write# Int64
writeInt8 = write# (withSign (callWrite writeUpTo3))
{-# NOINLINE writeInt8 #-}

-- | A number of 16 bits and its sign: at most 6 bytes are stored.
writeInt16 :: Write# Int64
writeInt16 = write# (withSign (callWrite writeUpTo5))
{-# NOINLINE writeInt16 #-}

-- | Any number and its sign: at most 20 bytes are stored (a negative one has at most
-- 19 digits), and at most 11 of one of 32 bits.
writeInt64 :: Write# Int64
writeInt64 = write# (withSign (callWrite writeWord64))
{-# NOINLINE writeInt64 #-}

-- | A number below 10^16, with leading zeros: 16 bytes.
sixteenDigits :: FixedPrim Word64
sixteenDigits = fixedPrim 16 (\x p -> () <$ writeSixteen x p)
{-# INLINE sixteenDigits #-}

-- | A number below 10: 1 byte is stored.
writeDigit :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeDigit x p = do
  pokeHost p (fromIntegral (x + 0x30) :: Word8)
  pure (p `plusPtr` 1)
{-# INLINE writeDigit #-}

-- | A number below 10^4: 4 bytes are stored. Zeros in front are shifted out, but the
-- last digit is kept.
writeUpTo4 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUpTo4 x p = do
  let digits = digits4 x
      zeros = countTrailingZeros (digits .|. 0x01000000) .&. 0x18
  pokeLE p (fromIntegral (asCharacters digits `unsafeShiftR` zeros) :: Word32)
  pure (p `plusPtr` (4 - zeros `unsafeShiftR` 3))
{-# INLINE writeUpTo4 #-}

-- | A number below 10^8: 8 bytes are stored.
writeUpTo8 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUpTo8 = writeFrom 56
{-# INLINE writeUpTo8 #-}

-- | The same, where at most so many bits of zeros are shifted out: 8 for each digit
-- that may be missing, at most 56.
writeFrom :: Int -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeFrom most x p = do
  let digits = digits8 x
      zeros = min most (countTrailingZeros (digits .|. 0x0100000000000000) .&. 0x38)
  pokeLE p (asCharacters digits `unsafeShiftR` zeros)
  pure (p `plusPtr` (8 - zeros `unsafeShiftR` 3))
{-# INLINE writeFrom #-}

-- | A number below 10^8, with leading zeros: 8 bytes are stored.
writeEight :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeEight x p = do
  pokeLE p (asCharacters (digits8 x))
  pure (p `plusPtr` 8)
{-# INLINE writeEight #-}

-- | A number below 10^16, with leading zeros: 16 bytes are stored.
writeSixteen :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeSixteen x p = do
  let (hi, lo) = quotRem1e8 x
  writeEight hi p >>= writeEight lo
{-# INLINE writeSixteen #-}
