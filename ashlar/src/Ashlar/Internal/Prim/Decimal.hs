{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Decimal
-- Description : Whole numbers in decimal, and several digits at once
--
-- Numbers in base 10. Negative numbers have a minus sign.
module Ashlar.Internal.Prim.Decimal
  ( -- * Unsigned numbers
    word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,

    -- * Signed numbers
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,

    -- * With leading zeros
    word64DecAtLeast,
    int64DecAtLeast,
    rightAlign,

    -- * Sixteen digits
    sixteenDigits,

    -- * For other formats
    writeDigit,
    writeUpTo4,

    -- * Digits in bytes, the first in the least significant byte
    digits2,
    digits4,
    digits8,
    asCharacters,

    -- * Division by powers of ten
    quotRem100,
    quotRem1e4,
    quotRem1e8,
    quotRem1e16,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Tables (belowThousand)
import Data.Bits (countTrailingZeros, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Marshal.Utils (moveBytes)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (>#))

-- | An unsigned 8-bit number in decimal: 1 to 3 bytes.
word8Dec :: BoundedPrim Word8
word8Dec = boundedPrim 3 (callWrite writeUpTo3 . fromIntegral)
{-# INLINE word8Dec #-}

-- | An unsigned 16-bit number in decimal: 1 to 5 bytes.
word16Dec :: BoundedPrim Word16
word16Dec = boundedPrim 5 $ \x -> tabled (fromIntegral x) (callWrite writeUpTo5 (fromIntegral x))
{-# INLINE word16Dec #-}

-- | An unsigned 32-bit number in decimal: 1 to 10 bytes.
word32Dec :: BoundedPrim Word32
word32Dec = boundedPrim 10 $ \x -> tabled (fromIntegral x) (callWrite writeWord64 (fromIntegral x))
{-# INLINE word32Dec #-}

-- | An unsigned 64-bit number in decimal: 1 to 20 bytes.
word64Dec :: BoundedPrim Word64
word64Dec = boundedPrim 20 $ \x -> tabled x (callWrite writeWord64 x)
{-# INLINE word64Dec #-}

-- | An unsigned number of the machine's word size in decimal: 1 to 20 bytes, on 32-bit machines
-- 1 to 10.
wordDec :: BoundedPrim Word
wordDec = boundedPrim 20 $ \x -> tabled (fromIntegral x) (callWrite writeWord64 (fromIntegral x))
{-# INLINE wordDec #-}

-- | A signed 8-bit number in decimal: 1 to 4 bytes.
int8Dec :: BoundedPrim Int8
int8Dec = boundedPrim 4 (callWrite writeInt8 . fromIntegral)
{-# INLINE int8Dec #-}

-- | A signed 16-bit number in decimal: 1 to 6 bytes.
int16Dec :: BoundedPrim Int16
int16Dec = boundedPrim 6 $ \x -> tabled (fromIntegral x) (callWrite writeInt16 (fromIntegral x))
{-# INLINE int16Dec #-}

-- | A signed 32-bit number in decimal: 1 to 11 bytes.
int32Dec :: BoundedPrim Int32
int32Dec = boundedPrim 11 $ \x -> tabled (fromIntegral x) (callWrite writeInt64 (fromIntegral x))
{-# INLINE int32Dec #-}

-- | A signed 64-bit number in decimal: 1 to 20 bytes.
int64Dec :: BoundedPrim Int64
int64Dec = boundedPrim 20 $ \x -> tabled (fromIntegral x) (callWrite writeInt64 x)
{-# INLINE int64Dec #-}

-- | A signed number of the machine's word size in decimal: 1 to 20 bytes, on 32-bit machines 1
-- to 11.
intDec :: BoundedPrim Int
intDec = boundedPrim 20 $ \x -> tabled (fromIntegral x) (callWrite writeInt64 (fromIntegral x))
{-# INLINE intDec #-}

-- Note [Numbers of up to three digits]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most numbers in text are small. Those from 0 to 999 are copied from a table, which also says how
-- many digits they have. The code is inlined, and all other numbers are a call. Each number has to
-- wait for the address at which the one before it ends. From the table, this takes one load. From
-- the digits ('writeUpTo4'), it takes three multiplications and a count of zeros, one after the
-- other. So a number and a separator take a third of the time. Also tried: the table in the
-- function that is called, which saves half of that. (Benchmark "write 1000 Int64 of 1 to 3 digits,
-- decimal". Test "numbers of up to four digits, in each type".)
--
-- An entry is stored as 4 bytes. So the table is not for 'word8Dec', which has a bound of 3 bytes.

-- Write a number from the table if it is there. If not, use the function, given the same address.
-- Stores 4 bytes, or those of the function. (A negative number is a large one here.)
tabled :: Word64 -> (Ptr Word8 -> IO (Ptr Word8)) -> Ptr Word8 -> IO (Ptr Word8)
tabled x others p
  | x < 1000 = do
    let entry = belowThousand (fromIntegral x)
    digits <- peekHost entry
    pokeHost p (digits :: Word32)
    -- The number of digits as a letter: a, b, or c.
    letter <- peekHost (entry `plusPtr` 3)
    pure (p `plusPtr` (fromIntegral (letter :: Word8) - 96))
  | otherwise = others p
{-# INLINE tabled #-}

-- | Write a minus sign if the number is negative, then its digits with the given function. The
-- free space must hold the sign and what the function stores.
withSign :: (Word64 -> Ptr Word8 -> IO (Ptr Word8)) -> Int64 -> Ptr Word8 -> IO (Ptr Word8)
withSign digits x p
  | x >= 0 = digits (fromIntegral x) p
  -- negate minBound is minBound, whose bits are the right unsigned number.
  | otherwise = pokeHost p (0x2D :: Word8) >> digits (fromIntegral (negate x)) (p `plusPtr` 1)
{-# INLINE withSign #-}

-- The functions below store several digits at once. A store may reach past the last digit: the
-- next write overwrites those bytes. Each function says how many bytes it stores at most, from
-- the given address on. That many must be writable.

-- | Write a number below 256. Stores at most 3 bytes.
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

-- | Write a number below 65,536. Stores at most 5 bytes.
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

-- | Write any number. Stores at most 20 bytes, and at most 10 for a number below 2^32.
writeWord64 :: Write# Word64
writeWord64 = write# $ \x p -> case () of
  _
    | x < 10 -> writeDigit x p
    | x < 10000 -> writeUpTo4 x p
    | x < 100000000 -> writeUpTo8 x p
    | x < 10000000000000000 -> do
      -- 1 to 8 digits, then 8. Below 2^32, 1 or 2 digits, then 8.
      let (hi, lo) = quotRem1e8 x
      writeUpTo8 hi p >>= writeEight lo
    | otherwise -> do
      -- 1 to 4 digits, then 16.
      let (hi, lo) = quotRem1e16 x
      writeUpTo4 hi p >>= writeSixteen lo
{-# NOINLINE writeWord64 #-}

-- | Write a number of 8 bits and its sign. Stores at most 4 bytes.
writeInt8 :: Write# Int64
writeInt8 = write# (withSign (callWrite writeUpTo3))
{-# NOINLINE writeInt8 #-}

-- | Write a number of 16 bits and its sign. Stores at most 6 bytes.
writeInt16 :: Write# Int64
writeInt16 = write# (withSign (callWrite writeUpTo5))
{-# NOINLINE writeInt16 #-}

-- | Write any number and its sign. Stores at most 20 bytes, as a negative number has at most 19
-- digits. Stores at most 11 bytes for a number of 32 bits.
writeInt64 :: Write# Int64
writeInt64 = write# (withSign (callWrite writeWord64))
{-# NOINLINE writeInt64 #-}

-- | A number below 10^16 with leading zeros: 16 bytes.
sixteenDigits :: FixedPrim Word64
sixteenDigits = fixedPrim 16 (\x p -> () <$ writeSixteen x p)
{-# INLINE sixteenDigits #-}

-- | Write a number below 10. Stores 1 byte.
writeDigit :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeDigit x p = do
  pokeHost p (fromIntegral (x + 0x30) :: Word8)
  pure (p `plusPtr` 1)
{-# INLINE writeDigit #-}

-- | Write a number below 10^4. Stores 4 bytes. Leading zeros are shifted out, except the last
-- digit.
writeUpTo4 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUpTo4 x p = do
  let digits = digits4 x
      zeros = countTrailingZeros (digits .|. 0x01000000) .&. 0x18
  pokeLE p (fromIntegral (asCharacters digits `unsafeShiftR` zeros) :: Word32)
  pure (p `plusPtr` (4 - zeros `unsafeShiftR` 3))
{-# INLINE writeUpTo4 #-}

-- | Write a number below 10^8. Stores 8 bytes.
writeUpTo8 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUpTo8 = writeFrom 56
{-# INLINE writeUpTo8 #-}

-- | Write a number below 10^8 and keep some of its leading zeros. Stores 8 bytes.
writeFrom ::
  -- | The most bits of zeros to shift out: 8 for each digit that may be missing, at most 56.
  Int ->
  Word64 ->
  Ptr Word8 ->
  IO (Ptr Word8)
writeFrom most x p = do
  let digits = digits8 x
      zeros = min most (countTrailingZeros (digits .|. 0x0100000000000000) .&. 0x38)
  pokeLE p (asCharacters digits `unsafeShiftR` zeros)
  pure (p `plusPtr` (8 - zeros `unsafeShiftR` 3))
{-# INLINE writeFrom #-}

-- | Write a number below 10^8 with leading zeros. Stores 8 bytes: Note [Eight decimal digits].
writeEight :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeEight x p = do
  pokeLE p (asCharacters (digits8 x))
  pure (p `plusPtr` 8)
{-# INLINE writeEight #-}

-- | Write a number below 10^16 with leading zeros. Stores 16 bytes.
writeSixteen :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeSixteen x p = do
  let (hi, lo) = quotRem1e8 x
  writeEight hi p >>= writeEight lo
{-# INLINE writeSixteen #-}

-- Decimal digits, several at once.
--
-- Note [Eight decimal digits]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number below 10^8 is split into two numbers of 4 digits. Side by side in one word, these
-- are split into four numbers of 2 digits, and then into eight digits, one in each byte of the
-- word. One store writes them all. (Paul Khuong, \"How to print integers really fast\", 2017.)
--
-- A division is a multiplication by a rounded inverse and a shift, because GHC divides by
-- constants with the machine's divide instruction. Each is exact in the range that it is used
-- for: T. Granlund, P. L. Montgomery, \"Division by invariant integers using multiplication\",
-- 1994. The property "numbers around the multiples of powers of ten" checks them.
--
-- This is faster than bytestring's C function, which takes two digits at a time from a table. The
-- longer the number, the larger the difference. Numbers below 10^4 have code of their own
-- ('writeUpTo4'), which is faster than making eight digits each time.

-- | The two digits of a number below 100.
digits2 :: Word64 -> Word64
digits2 x = tens + ((x - 10 * tens) `unsafeShiftL` 8)
  where
    tens = (x * 103) `unsafeShiftR` 10
{-# INLINE digits2 #-}

-- | The four digits of a number below 10^4.
digits4 :: Word64 -> Word64
digits4 x = tens + ((pairs - 10 * tens) `unsafeShiftL` 8)
  where
    (hundreds, rest) = quotRem100 x
    pairs = hundreds .|. (rest `unsafeShiftL` 16)
    tens = ((pairs * 103) `unsafeShiftR` 10) .&. 0x000F000F
{-# INLINE digits4 #-}

-- | The eight digits of a number below 10^8.
digits8 :: Word64 -> Word64
digits8 x = tens + ((pairs - 10 * tens) `unsafeShiftL` 8)
  where
    -- Two numbers below 10^4 in 32 bits each, then four below 100 in 16 bits each.
    (upper, lower) = quotRem1e4 x
    fours = upper .|. (lower `unsafeShiftL` 32)
    hundreds = ((fours * 10486) `unsafeShiftR` 20) .&. 0x0000007F0000007F
    pairs = hundreds .|. ((fours - 100 * hundreds) `unsafeShiftL` 16)
    tens = ((pairs * 103) `unsafeShiftR` 10) .&. 0x000F000F000F000F
{-# INLINE digits8 #-}

-- | Turn the digits in the eight bytes into characters.
asCharacters :: Word64 -> Word64
asCharacters digits = digits + 0x3030303030303030
{-# INLINE asCharacters #-}

-- | Divide a number below 10^4 by 100.
quotRem100 :: Word64 -> (Word64, Word64)
quotRem100 x = (q, x - q * 100)
  where
    q = (x * 10486) `unsafeShiftR` 20
{-# INLINE quotRem100 #-}

-- | Divide a number below 10^8 by 10^4.
quotRem1e4 :: Word64 -> (Word64, Word64)
quotRem1e4 x = (q, x - q * 10000)
  where
    q = (x * 109951163) `unsafeShiftR` 40
{-# INLINE quotRem1e4 #-}

-- | Divide any number by 10^8.
quotRem1e8 :: Word64 -> (Word64, Word64)
quotRem1e8 x = (q, x - q * 100000000)
  where
    q = timesHigh x 0xABCC77118461CEFD `unsafeShiftR` 26
{-# INLINE quotRem1e8 #-}

-- | Divide any number by 10^16.
quotRem1e16 :: Word64 -> (Word64, Word64)
quotRem1e16 x = (q, x - q * 10000000000000000)
  where
    q = timesHigh x 0x39A5652FB1137857 `unsafeShiftR` 51
{-# INLINE quotRem1e16 #-}

-- Numbers with leading zeros.

-- | A number in decimal, with leading zeros up to a minimum number of digits. Longer numbers
-- are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.word64DecAtLeast 3) [7, 12345])
-- "00712345"
word64DecAtLeast ::
  -- | The least number of digits.
  Int ->
  BoundedPrim Word64
word64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeAtLeast n))
{-# INLINE word64DecAtLeast #-}

-- | A signed number in decimal, with leading zeros up to a minimum number of characters. Longer
-- numbers are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.int64DecAtLeast 4) [-7, 7])
-- "-0070007"
int64DecAtLeast ::
  -- | The least number of characters. A minus sign counts, and comes before the zeros.
  Int ->
  BoundedPrim Int64
int64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeSignedAtLeast n))
{-# INLINE int64DecAtLeast #-}

-- The bound of 'word64DecAtLeast' and 'int64DecAtLeast': n bytes, or 20 if that is more. The
-- longest number has 20 digits, and the longest negative one a sign and 19 digits. For a literal,
-- GHC decides the comparison, as in Note [Sizes that add up] in
-- "Ashlar.Internal.Prim.Core".
atLeast20 :: Int -> Int
atLeast20 (I# n) = if isTrue# (n ># 20#) then I# n else 20
{-# INLINE atLeast20 #-}

writeAtLeast :: Int -> Write# Word64
writeAtLeast n = write# $ \x p ->
  if n <= 8 && x < 100000000
    then writeFrom (64 - 8 * max 1 n) x p
    else callWrite writeWord64 x p >>= rightAlign 0x30 n p
{-# NOINLINE writeAtLeast #-}

writeSignedAtLeast :: Int -> Write# Int64
writeSignedAtLeast n = write# $ \x p ->
  if x < 0
    then withSign (callWrite (writeAtLeast (max 1 n - 1))) x p
    else callWrite (writeAtLeast n) (fromIntegral x) p
{-# NOINLINE writeSignedAtLeast #-}

-- | Pad on the left what was just written, and return its new end. If it is wide enough already,
-- do nothing.
rightAlign ::
  -- | The byte to pad with.
  Word8 ->
  -- | The width @n@. It may be any number.
  Int ->
  -- | Where the written bytes start: @n@ bytes must be writable from here on.
  Ptr Word8 ->
  -- | Their end.
  Ptr Word8 ->
  IO (Ptr Word8)
rightAlign filler n p p'
  -- Compared first, because n - len overflows for some negative n. Below, len < n: the bytes
  -- from p to p + n are all that is written.
  | len >= n = pure p'
  | otherwise = do
    moveBytes (p `plusPtr` (n - len)) p len
    fillRange p filler (n - len)
    pure (p `plusPtr` n)
  where
    len = p' `minusPtr` p
