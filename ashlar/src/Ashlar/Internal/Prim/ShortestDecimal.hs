{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.ShortestDecimal
-- Description : The shortest decimal that stands for a binary floating-point number
--
-- Note [Shortest decimals]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- Each floating-point number stands for an interval of real numbers, those that are
-- rounded to it. It is written as the decimal in its interval that has the fewest
-- digits; of several, as the one closest to it; of two that are equally close, as the
-- greater one. The ends of the interval do not belong to it, even where a reader
-- would round them to this number: so 1.0e23 is written 9.999999999999999e22. All
-- this is as 'show' does it, and bytestring from 0.11.1 on.
--
-- The algorithm is Schubfach: Raffaello Giulietti, \"The Schubfach way to render
-- doubles\", 2020. Let the number be c * 2^q. There is one power 10^k such that the
-- interval has at least one multiple of it and at most one of 10^(k+1). So four
-- candidates are enough: the multiples of 10^k, and those of 10^(k+1), next to the
-- number on either side. They are compared with the ends of the interval, all in
-- units of 10^k / 4. There the ends are irrational-looking fractions; it
-- suffices to know their integral parts, and whether anything is behind the point,
-- which is kept as the lowest bit ('roundedToOdd').
--
-- For that, 10^(-k) is taken from a table with 128 bits. The error is below 2^(-68)
-- of a unit. A fraction that is not 0 is at least 2^(-63) at every place where a
-- comparison depends on it, and below 1 - 2^(-62), for all q and c of a double (that
-- can be seen from the continued fractions of 2^q / 10^k). So a fraction below 2^(-63)
-- is taken for 0. The floats are a part of these cases.
module Ashlar.Internal.Prim.ShortestDecimal
  ( shortest,
  )
where

import Ashlar.Internal.Prim.PowersOfTen
import Ashlar.Internal.Prim.Multiply128
import Data.Bits (unsafeShiftL, unsafeShiftR, (.|.))
import Data.Word (Word64)

-- | @shortest c q narrow@ is the shortest decimal for @c * 2^q@, as a number and an
-- exponent of ten. The number has at most 17 digits, and may end in zeros.
--
-- It must be a float or double, positive and finite: c is below 2^53, q from -1074 to
-- 971. The interval is narrow where the next smaller number is only half as
-- far away as the next greater one: where c is the least number of its many bits, and
-- q is not the least of its type.
shortest :: Word64 -> Int -> Bool -> (# Word64, Int #)
shortest c q narrow
  | insideTens /= insideTens' = (# if insideTens then tens else tens + 1, k + 1 #)
  | inside /= inside' = (# if inside then ones else ones + 1, k #)
  | value >= 4 * ones + 2 = (# ones + 1, k #)
  | otherwise = (# ones, k #)
  where
    -- floor (log10 (2^q)), or floor (log10 (3/4 * 2^q)) for the narrow interval.
    k = (q * 1262611 - (if narrow then 524031 else 0)) `unsafeShiftR` 22
    -- floor (log2 (10^(-k))), which makes a shift of 1 to 4 bits.
    shift = q + ((negate k * 1741647) `unsafeShiftR` 19) + 1
    scaled x = roundedToOdd (powerHigh (negate k)) (powerLow (negate k)) (x `unsafeShiftL` shift)
    -- The number and the ends of its interval, in units of 10^k / 4.
    value = scaled (4 * c)
    lower = scaled (if narrow then 4 * c - 1 else 4 * c - 2)
    upper = scaled (4 * c + 2)
    -- The greatest candidates that are not above the number. An end is odd if it is
    -- not a multiple of the unit, and candidates are even: so they can be compared.
    ones = value `unsafeShiftR` 2
    tens = quot10 ones
    inside = lower < 4 * ones
    inside' = 4 * ones + 4 < upper
    insideTens = lower < 40 * tens
    insideTens' = 40 * tens + 40 < upper
{-# INLINE shortest #-}

-- | The product of a power (its upper and lower 64 bits) with a number, divided by
-- 2^128; the lowest bit is set if the division leaves a remainder.
roundedToOdd :: Word64 -> Word64 -> Word64 -> Word64
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
