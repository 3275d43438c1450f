{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.ShortestDecimal
-- Description : The shortest decimal that stands for a binary floating-point number
--
-- Note [Shortest decimals]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A floating-point number stands for an interval: the real numbers that round to it. It is
-- written as the decimal in this interval with the fewest digits. Of several such decimals, the
-- closest one is written, and of two that are equally close, the greater one. The interval
-- excludes its ends, even where a reader would round them to this number. So 1.0e23 is written
-- 9.999999999999999e22. 'show' does all this in the same way, and so does bytestring from 0.11.1
-- on.
--
-- The algorithm is Schubfach: Raffaello Giulietti, \"The Schubfach way to render doubles\", 2020.
-- Let the number be c * 2^q. There is one power 10^k such that the interval has at least one
-- multiple of 10^k and at most one multiple of 10^(k+1). So four candidates suffice: the
-- neighbours of the number among the multiples of 10^k, and those among the multiples of
-- 10^(k+1). They are compared with the ends of the interval, in units of 10^k / 4. Of an end, only
-- the integral part matters and whether the fraction is 0. The lowest bit tells the latter
-- ('roundedToOdd').
--
-- A table gives 10^(-k) with 128 bits. The error of a product is below 2^(-68) of a unit. Wherever
-- a comparison depends on a fraction that is not 0, that fraction is at least 2^(-63) and below
-- 1 - 2^(-62), for all q and c of a double. The continued fractions of 2^q / 10^k show this. So a
-- fraction below 2^(-63) counts as 0. Floats are a subset of these cases.
module Ashlar.Internal.Prim.ShortestDecimal
  ( shortest,
  )
where

import Ashlar.Internal.Prim.Multiply128
import Ashlar.Internal.Prim.PowersOfTen
import Data.Bits (unsafeShiftL, unsafeShiftR, (.|.))
import Data.Word (Word64)

-- | The shortest decimal for @c * 2^q@, as a number and an exponent of ten. The number has at
-- most 17 digits, and may end in zeros.
--
-- @c * 2^q@ must be a positive, finite float or double.
shortest ::
  -- | @c@, below 2^53.
  Word64 ->
  -- | @q@, from -1074 to 971. Therefore @-k@ is in the table of powers.
  Int ->
  -- | Whether the interval is narrow: the next smaller number is half as far away as the next
  -- greater one. It is so if @c@ is a power of two and not subnormal, and @q@ is not the least
  -- exponent of its type.
  Bool ->
  (# Word64, Int #)
shortest c q narrow
  | insideTens /= insideTens' = (# if insideTens then tens else tens + 1, k + 1 #)
  | inside /= inside' = (# if inside then ones else ones + 1, k #)
  | value >= 4 * ones + 2 = (# ones + 1, k #)
  | otherwise = (# ones, k #)
  where
    -- floor (log10 (2^q)), or floor (log10 (3/4 * 2^q)) for the narrow interval.
    k = (q * 1262611 - (if narrow then 524031 else 0)) `unsafeShiftR` 22
    -- q + floor (log2 (10^(-k))) + 1, a shift of 1 to 4 bits.
    shift = q + ((negate k * 1741647) `unsafeShiftR` 19) + 1
    scaled x = roundedToOdd (powerHigh (negate k)) (powerLow (negate k)) (x `unsafeShiftL` shift)
    -- The number and the ends of its interval, in units of 10^k / 4.
    value = scaled (4 * c)
    lower = scaled (if narrow then 4 * c - 1 else 4 * c - 2)
    upper = scaled (4 * c + 2)
    -- The greatest candidates that are not above the number. An end is odd if it is not a
    -- multiple of the unit, and candidates are even. So they can be compared.
    ones = value `unsafeShiftR` 2
    tens = quot10 ones
    inside = lower < 4 * ones
    inside' = 4 * ones + 4 < upper
    insideTens = lower < 40 * tens
    insideTens' = 40 * tens + 40 < upper
{-# INLINE shortest #-}

-- | The product of a power and a number, divided by 2^128. The lowest bit is set if the division
-- leaves a remainder.
roundedToOdd ::
  -- | The upper 64 bits of the power.
  Word64 ->
  -- | The lower 64 bits of the power.
  Word64 ->
  -- | The number.
  Word64 ->
  Word64
roundedToOdd hi lo x = case timesWide hi x of
  (# integral, middle #) ->
    let middle' = middle + timesHigh lo x
        carry = if middle' < middle then 1 else 0
        sticky = if middle' > 1 then 1 else 0
     in (integral + carry) .|. sticky
{-# INLINE roundedToOdd #-}

quot10 :: Word64 -> Word64
quot10 x = timesHigh x 0xCCCCCCCCCCCCCCCD `unsafeShiftR` 3
{-# INLINE quot10 #-}
