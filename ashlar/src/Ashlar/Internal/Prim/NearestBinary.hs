{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.NearestBinary
-- Description : The binary floating-point number nearest to a decimal
--
-- Note [Nearest binary numbers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decimal @w * 10^q@ is rounded to the nearest floating-point number, and to the even one of two
-- that are equally near. The algorithm is that of Michael Eisel and Daniel Lemire: Lemire, \"Number
-- parsing at a gigabyte per second\", 2021. The number is a product of @w@, shifted until its first
-- bit is set, and the first 128 bits of 10^q. Of that product, the upper 64 bits have all bits of
-- the result and the one that rounds it, unless the bits below those are all set. Then the lower
-- half of the power is multiplied, too. This is always enough, for every @w@ below 2^64 and every
-- @q@: Noble Mushtak and Daniel Lemire, \"Fast number parsing without fallback\", 2022. The proof
-- is about powers that are rounded down, except 10^(-27) to 10^(-1), which are rounded up.
-- 'truncatedLow' makes them of those of the table, which are all rounded up.
--
-- A decimal is exactly halfway between two numbers only if it has few bits. For a double @q@ is
-- then from -4 to 23, and for a float from -17 to 10. There, the product is exact or nearly so. It
-- was halfway if the bits that were cut off are 0, and is rounded to even. (Tests "numbers as text,
-- read".)
module Ashlar.Internal.Prim.NearestBinary
  ( Binary,
    binary32,
    binary64,
    nearest,
    significandAndExponent,
  )
where

import Ashlar.Internal.Prim.Multiply128
import Ashlar.Internal.Prim.PowersOfTen
import Data.Bits (complement, countLeadingZeros, unsafeShiftL, unsafeShiftR, (.&.))
import Data.Word (Word64)

-- | A format of IEEE 754.
data Binary = Binary
  { -- | How many bits of the significand are stored: one less than it has.
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
    halfwayFrom, halfwayTo :: !Int
  }

-- | The format of 'Float'.
binary32 :: Binary
binary32 = Binary 23 (-127) 0xFF (-65) 38 (-17) 10
{-# INLINE binary32 #-}

-- | The format of 'Double'.
binary64 :: Binary
binary64 = Binary 52 (-1023) 0x7FF (-342) 308 (-4) 23
{-# INLINE binary64 #-}

-- The bits of infinity.
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
  | w == 0 || q < zeroBelow b = 0
  | q > infiniteAbove b = infinityBits b
  | otherwise = case approximated cut (w `unsafeShiftL` zeros) q of
    (# hi, lo #) -> rounded b q zeros hi lo
  where
    zeros = countLeadingZeros w
    -- Bits of the product below those that decide: the significand, and one bit each for its
    -- first, for rounding, and for a product whose first bit is 0.
    cut = 61 - significandBits b
{-# INLINE nearest #-}

-- The first 128 bits of the product of a number and 10^q. If a bit among the upper 64 but the last
-- n is 0, the lower bits of the power do not matter.
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

-- The lower 64 bits of a power, rounded down but for 10^(-27) to 10^(-1).
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
  -- Subnormal: it lies halfway nowhere.
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
        -- The first bit of the significand is not stored: it adds 1 to the exponent. If the
        -- significand is rounded up to a power of two, that also does.
        sum' = (fromIntegral (e - 1) `unsafeShiftL` significandBits b) + halve even'
        even'
          | halfway = m .&. complement 1
          | otherwise = m
        halfway =
          lo <= 1 && m .&. 3 == 1 && q >= halfwayFrom b && q <= halfwayTo b
            && (m `unsafeShiftL` shift) == hi
{-# INLINE rounded #-}

-- | Of the bits of a positive number that is not infinite: @m@ and @k@ such that it is @m * 2^k@.
significandAndExponent :: Binary -> Word64 -> (Word64, Int)
significandAndExponent b bits
  | e == 0 = (fraction, 1 + least)
  | otherwise = (fraction + (1 `unsafeShiftL` significandBits b), e + least)
  where
    e = fromIntegral (bits `unsafeShiftR` significandBits b) :: Int
    fraction = bits .&. ((1 `unsafeShiftL` significandBits b) - 1)
    least = leastExponent b - significandBits b
