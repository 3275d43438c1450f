{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.NearestBinary
-- Description : The binary floating-point number nearest to a decimal
--
-- Note [Nearest binary numbers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decimal @w * 10^q@ is rounded to the nearest floating-point number, and to the even one of two
-- that are equally near. The algorithm is that of Michael Eisel and Daniel Lemire: Lemire, \"Number
-- parsing at a gigabyte per second\", 2021. @w@ is shifted until its first bit is set, and
-- multiplied by the first 64 bits of 10^q. The upper half of the product has all bits of the result
-- and the bit that rounds it. If the bits below those are all set, a carry could change them, and
-- @w@ is multiplied by the next 64 bits of 10^q, too. This is always enough, for every @w@ below
-- 2^64 and every @q@: Noble Mushtak and Daniel Lemire, \"Fast number parsing without fallback\",
-- 2022. The proof is about powers that are rounded down, except 10^(-27) to 10^(-1), which are
-- rounded up. In the table all powers are rounded up; 'truncatedLow' corrects that.
--
-- A decimal is exactly halfway between two numbers only if it has few bits. For a double @q@ is
-- then from -4 to 23, and for a float from -17 to 10. There, the product is exact or nearly so. If
-- the bits that were cut off are 0, the decimal was halfway, and is rounded to even. (Tests
-- "numbers as text, read".)
--
-- If @w@ and @10^(-q)@ are exact in floating point, their quotient is rounded only once, by the
-- division: William Clinger, \"How to read floating point numbers accurately\", 1990. For numbers
-- of a few digits a division is faster than the product of 128 bits (benchmark "1000 doubles of 3
-- digits").
module Ashlar.Internal.Prim.NearestBinary
  ( Binary,
    binary32,
    binary64,
    nearest,
    isQuotient,
    quotientDouble,
    quotientFloat,
    significandAndExponent,
  )
where

import Ashlar.Internal.Mem.Check (slot)
import Ashlar.Internal.Prim.Core (timesHigh, timesWide)
import Ashlar.Internal.Prim.Tables
import Data.Bits
  ( complement,
    countLeadingZeros,
    finiteBitSize,
    unsafeShiftL,
    unsafeShiftR,
    (.&.),
  )
import Data.Word (byteSwap64)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Double (D#), Int (I#), Ptr (Ptr), indexDoubleOffAddr#, indexWord64OffAddr#)
import GHC.Float (castWord64ToDouble, double2Float)
import GHC.Word (Word64 (W64#))

-- | A format of IEEE 754.
data Binary = Binary
  { -- | The number of bits of the significand that are stored: all but the first.
    significandBits :: !Int,
    -- | The exponent that is stored as 0.
    leastExponent :: !Int,
    -- | The stored exponent of infinity.
    infinite :: !Int,
    -- | Below this power of ten all numbers of up to 64 bits are rounded to 0.
    zeroBelow :: !Int,
    -- | Above this power of ten all numbers but 0 are infinite.
    infiniteAbove :: !Int,
    -- | Between these powers of ten numbers can lie halfway.
    halfwayFrom, halfwayTo :: !Int,
    -- | The greatest power of ten that is exact, negated.
    leastExact :: !Int
  }

-- | The format of 'Float'.
binary32 :: Binary
binary32 = Binary 23 (-127) 0xFF (-65) 38 (-17) 10 (-10)
{-# INLINE binary32 #-}

-- | The format of 'Double'.
binary64 :: Binary
binary64 = Binary 52 (-1023) 0x7FF (-342) 308 (-4) 23 (-22)
{-# INLINE binary64 #-}

infinityBits :: Binary -> Word64
infinityBits b = fromIntegral (infinite b) `unsafeShiftL` significandBits b
{-# INLINE infinityBits #-}

-- | The bits of the number that is nearest to @w * 10^q@.
nearest ::
  Binary ->
  -- | @w@
  Word64 ->
  -- | @q@
  Int ->
  Word64
nearest b w q
  -- After these two, q is an exponent that the table has.
  | w == 0 || q < zeroBelow b = 0
  | q > infiniteAbove b = infinityBits b
  | otherwise = case approximated cut (w `unsafeShiftL` zeros) q of
    (# hi, lo #) -> rounded b q zeros hi lo
  where
    zeros = countLeadingZeros w
    -- The low bits of the upper half that do not decide. Above them are a 0 that may come first,
    -- the first bit of the significand, its stored bits, and a bit for rounding.
    cut = 61 - significandBits b
{-# INLINE nearest #-}

-- The first 128 bits of the product of a number and 10^q. If one of the lowest n bits of the upper
-- half is 0, the lower bits of the power do not matter.
approximated :: Int -> Word64 -> Int -> (# Word64, Word64 #)
approximated n w q = case timesWide w (powerHigh q) of
  (# hi, lo #)
    | hi .&. mask /= mask -> (# hi, lo #)
    | otherwise ->
      let more = timesHigh w (truncatedLow q)
          !lo' = lo + more
       in (# if lo' < more then hi + 1 else hi, lo' #)
  where
    mask = (1 `unsafeShiftL` n) - 1
{-# INLINE approximated #-}

-- The lower 64 bits of a power, rounded down, except for 10^(-27) to 10^(-1).
truncatedLow :: Int -> Word64
truncatedLow q
  | q >= -27 && q < 0 = powerLow q
  -- No entry ends in 64 bits of 0. (Test "the table of powers".)
  | otherwise = powerLow q - 1
{-# INLINE truncatedLow #-}

-- The bits of the number, from the product of its decimal shifted to the left and a power.
rounded ::
  Binary ->
  -- | The power of ten.
  Int ->
  -- | By how many bits the number was shifted.
  Int ->
  -- | The upper 64 bits of the product.
  Word64 ->
  -- | The lower 64 bits of the product.
  Word64 ->
  Word64
rounded b q zeros hi !lo
  | e > 0 = normal
  | e <= -63 = 0
  -- Subnormal: such a number is never halfway.
  | otherwise = halve (m `unsafeShiftR` (1 - e))
  where
    -- 1 if the first bit of the product is set, else 0.
    first = fromIntegral (hi `unsafeShiftR` 63) :: Int
    -- floor (log2 (10^q)) + 63, and so on: the exponent as it is stored.
    e = ((q * 217706) `unsafeShiftR` 16) + 63 + first - zeros - leastExponent b
    shift = first + 61 - significandBits b
    -- The significand with one more bit.
    m = hi `unsafeShiftR` shift
    halve x = (x + (x .&. 1)) `unsafeShiftR` 1
    normal
      | sum' >= infinityBits b = infinityBits b
      | otherwise = sum'
      where
        -- The first bit of the significand is not stored: it adds 1 to the exponent. So does
        -- rounding the significand up to a power of two.
        sum' = (fromIntegral (e - 1) `unsafeShiftL` significandBits b) + halve even'
        even'
          | halfway = m .&. complement 1
          | otherwise = m
        halfway =
          lo <= 1 && m .&. 3 == 1 && q >= halfwayFrom b && q <= halfwayTo b
            && (m `unsafeShiftL` shift) == hi
{-# INLINE rounded #-}

-- | From the bits of a positive, finite number: @m@ and @k@ such that the number is @m * 2^k@.
significandAndExponent :: Binary -> Word64 -> (Word64, Int)
significandAndExponent b bits
  | e == 0 = (fraction, 1 + least)
  | otherwise = (fraction + (1 `unsafeShiftL` significandBits b), e + least)
  where
    e = fromIntegral (bits `unsafeShiftR` significandBits b) :: Int
    fraction = bits .&. ((1 `unsafeShiftL` significandBits b) - 1)
    least = leastExponent b - significandBits b

-- | Is @w * 10^q@ a quotient of two exact numbers, which the machine rounds once?
--
-- 'False' on 32-bit machines: an 'Int' cannot hold such a @w@, and the x87 first rounds to a
-- significand of 64 bits.
isQuotient ::
  Binary ->
  -- | @w@
  Word64 ->
  -- | @q@
  Int ->
  Bool
isQuotient b w q =
  finiteBitSize (0 :: Int) == 64
    && q <= 0
    && q >= leastExact b
    && w <= 1 `unsafeShiftL` (significandBits b + 1)
{-# INLINE isQuotient #-}

-- | @w * 10^q@ where 'isQuotient' holds.
quotientDouble :: Word64 -> Int -> Double
quotientDouble w q = fromIntegral (asInt w) / powerOfTen (negate q)
{-# INLINE quotientDouble #-}

-- | @w * 10^q@ where 'isQuotient' holds.
quotientFloat :: Word64 -> Int -> Float
quotientFloat w q = fromIntegral (asInt w) / double2Float (powerOfTen (negate q))
{-# INLINE quotientFloat #-}

-- (The conversion of an 'Int' to floating point is one instruction.)
asInt :: Word64 -> Int
asInt = fromIntegral
{-# INLINE asInt #-}

-- 10^n for n from 0 to 22, all of which are exact.
powerOfTen :: Int -> Double
powerOfTen i = case (powersOfTen, targetByteOrder, slot "in the table" "powerOfTen" 23 i) of
  (Ptr a, LittleEndian, I# n) -> D# (indexDoubleOffAddr# a n)
  (Ptr a, BigEndian, I# n) -> castWord64ToDouble (byteSwap64 (W64# (indexWord64OffAddr# a n)))
{-# INLINE powerOfTen #-}

-- The least significant byte of each is the first.
powersOfTen :: Ptr Double
powersOfTen =
  Ptr
    "\
    \\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x24\x40\
    \\x00\x00\x00\x00\x00\x00\x59\x40\x00\x00\x00\x00\x00\x40\x8f\x40\
    \\x00\x00\x00\x00\x00\x88\xc3\x40\x00\x00\x00\x00\x00\x6a\xf8\x40\
    \\x00\x00\x00\x00\x80\x84\x2e\x41\x00\x00\x00\x00\xd0\x12\x63\x41\
    \\x00\x00\x00\x00\x84\xd7\x97\x41\x00\x00\x00\x00\x65\xcd\xcd\x41\
    \\x00\x00\x00\x20\x5f\xa0\x02\x42\x00\x00\x00\xe8\x76\x48\x37\x42\
    \\x00\x00\x00\xa2\x94\x1a\x6d\x42\x00\x00\x40\xe5\x9c\x30\xa2\x42\
    \\x00\x00\x90\x1e\xc4\xbc\xd6\x42\x00\x00\x34\x26\xf5\x6b\x0c\x43\
    \\x00\x80\xe0\x37\x79\xc3\x41\x43\x00\xa0\xd8\x85\x57\x34\x76\x43\
    \\x00\xc8\x4e\x67\x6d\xc1\xab\x43\x00\x3d\x91\x60\xe4\x58\xe1\x43\
    \\x40\x8c\xb5\x78\x1d\xaf\x15\x44\x50\xef\xe2\xd6\xe4\x1a\x4b\x44\
    \\x92\xd5\x4d\x06\xcf\xf0\x80\x44"#
