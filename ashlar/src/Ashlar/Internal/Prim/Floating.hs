{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Floating
-- Description : Floating-point numbers in decimal, by the shortest digits that stand for them
--
-- The shortest decimal that reads back as the same number (Note [Shortest decimals]), in the two
-- notations of bounded length.
module Ashlar.Internal.Prim.Floating
  ( -- * As show writes them
    floatDec,
    doubleDec,

    -- * With an exponent
    floatScientific,
    doubleScientific,

    -- * The parts of a number
    Unpacked (..),
    unpackFloat,
    unpackDouble,
    Decimal (..),
    decimal,
  )
where

import Ashlar.Internal.Mem (pokeHost, pokeLE)
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal
import Ashlar.Internal.Prim.Tables
import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Float (castDoubleToWord64, castFloatToWord32)

-- | A number in decimal as 'show' writes it: in full (@12.0@) from 0.1 to below 10^7, otherwise
-- with an exponent (@1.2e-2@).
floatDec :: BoundedPrim Float
floatDec = boundedPrim 25 (callWrite writeFloatDec)
{-# INLINE floatDec #-}

-- | A number in decimal as 'show' writes it: in full (@12.0@) from 0.1 to below 10^7, otherwise
-- with an exponent (@1.2e-2@).
doubleDec :: BoundedPrim Double
doubleDec = boundedPrim 25 (callWrite writeDoubleDec)
{-# INLINE doubleDec #-}

-- | A number in decimal with one digit before the point, and an exponent (@1.2e1@).
floatScientific :: BoundedPrim Float
floatScientific = boundedPrim 25 (callWrite writeFloatScientific)
{-# INLINE floatScientific #-}

-- | A number in decimal with one digit before the point, and an exponent (@1.2e1@).
doubleScientific :: BoundedPrim Double
doubleScientific = boundedPrim 25 (callWrite writeDoubleScientific)
{-# INLINE doubleScientific #-}

-- The longest number, -2.2250738585072014e-308, takes one byte less than the bound. The digits
-- are stored 8 at a time, and may reach one byte further.

writeFloatDec :: Write# Float
writeFloatDec = write# (writeNumber InFull . unpackFloat)
{-# NOINLINE writeFloatDec #-}

writeDoubleDec :: Write# Double
writeDoubleDec = write# (writeNumber InFull . unpackDouble)
{-# NOINLINE writeDoubleDec #-}

writeFloatScientific :: Write# Float
writeFloatScientific = write# (writeNumber WithExponent . unpackFloat)
{-# NOINLINE writeFloatScientific #-}

writeDoubleScientific :: Write# Double
writeDoubleScientific = write# (writeNumber WithExponent . unpackDouble)
{-# NOINLINE writeDoubleScientific #-}

-- | A floating-point number, taken apart. The first flag says whether it is negative.
data Unpacked
  = NotANumber
  | Infinite !Bool
  | Zero !Bool
  | -- | After the sign, the arguments of 'shortest'.
    Finite !Bool !Word64 !Int !Bool

unpackFloat :: Float -> Unpacked
unpackFloat x = unpack 23 8 (fromIntegral (castFloatToWord32 x))
{-# INLINE unpackFloat #-}

unpackDouble :: Double -> Unpacked
unpackDouble x = unpack 52 11 (castDoubleToWord64 x)
{-# INLINE unpackDouble #-}

-- | Take apart the bits of an IEEE 754 number.
unpack ::
  -- | The number of bits of the fraction.
  Int ->
  -- | The number of bits of the exponent.
  Int ->
  -- | The bits.
  Word64 ->
  Unpacked
unpack fractionBits exponentBits bits
  | biased == 2 * bias + 1 = if fraction == 0 then Infinite negative else NotANumber
  | biased > 0 =
    Finite
      negative
      (fraction .|. hidden)
      (biased - bias - fractionBits)
      (fraction == 0 && biased > 1)
  | fraction > 0 = Finite negative fraction (1 - bias - fractionBits) False
  | otherwise = Zero negative
  where
    hidden = 1 `unsafeShiftL` fractionBits
    fraction = bits .&. (hidden - 1)
    biased = fromIntegral (bits `unsafeShiftR` fractionBits) .&. (2 * bias + 1)
    bias = (1 `unsafeShiftL` (exponentBits - 1)) - 1
    negative = bits `unsafeShiftR` (fractionBits + exponentBits) /= 0
{-# INLINE unpack #-}

-- | @Decimal n e@ is the number @n * 10^e@.
data Decimal = Decimal !Word64 !Int

-- | The shortest decimal for a finite number. It has at most 17 digits, and may end in zeros. The
-- arguments are those of 'shortest'.
decimal :: Word64 -> Int -> Bool -> Decimal
decimal c q narrow
  -- A whole number is its own decimal. One with fewer digits would be another whole number, and
  -- the interval holds no other.
  | q <= 0, q >= -52, whole `unsafeShiftL` negate q == c = Decimal whole 0
  | otherwise = case shortest c q narrow of (# digits, e #) -> Decimal digits e
  where
    whole = c `unsafeShiftR` negate q
{-# INLINE decimal #-}

-- | How to write a number that is neither small nor large.
data Notation = InFull | WithExponent

-- | Write a number. Stores at most 25 bytes.
writeNumber :: Notation -> Unpacked -> Ptr Word8 -> IO (Ptr Word8)
writeNumber notation x p = case x of
  NotANumber -> writeWord 3 0x4E614E p -- NaN
  Infinite negative -> writeSign negative p >>= writeWord 8 0x7974696E69666E49 -- Infinity
  Zero negative ->
    writeSign negative p >>= case notation of
      InFull -> writeWord 3 0x302E30 -- 0.0
      WithExponent -> writeWord 5 0x3065302E30 -- 0.0e0
  Finite negative c q narrow -> writeSign negative p >>= callWrite (writeFinite notation c q) narrow
  where
    -- Write the n characters in a word, the first in the least significant byte. Stores 8
    -- bytes, and 9 with the sign.
    writeWord n w q = pokeLE q (w :: Word64) >> pure (q `plusPtr` n)
{-# INLINE writeNumber #-}

-- | Write a minus sign for a negative number. Stores at most 1 byte.
writeSign :: Bool -> Ptr Word8 -> IO (Ptr Word8)
writeSign negative p
  | negative = pokeHost p (0x2D :: Word8) >> pure (p `plusPtr` 1)
  | otherwise = pure p
{-# INLINE writeSign #-}

-- | Write a finite number without its sign. Stores at most 24 bytes.
writeFinite :: Notation -> Word64 -> Int -> Write# Bool
writeFinite notation c q = write# $ \narrow p -> case (notation, decimal c q narrow) of
  (InFull, Decimal digits 0) | digits < 10000000 -> do
    -- At most 7 digits, of which word64Dec stores at most 8 bytes, and 2 bytes after them.
    p' <- runB word64Dec digits p
    pokeLE p' (0x302E :: Word16)
    pure (p' `plusPtr` 2)
  (_, Decimal digits e) -> writeDigits notation (normalised digits e) p
{-# NOINLINE writeFinite #-}

-- | The same decimal with exactly 17 digits. The argument must be positive, with at most 17.
normalised :: Word64 -> Int -> Decimal
normalised digits e
  | digits < 1000000000 = go (digits * 100000000) (e - 8)
  | otherwise = go digits e
  where
    go d k
      | d < 10000000000000000 = go (10 * d) (k - 1)
      | otherwise = Decimal d k
{-# INLINE normalised #-}

-- | Write a normalised decimal. The 16 digits after the first one are made as two words. They are
-- stored after the point, or partly before it.
writeDigits :: Notation -> Decimal -> Ptr Word8 -> IO (Ptr Word8)
writeDigits notation (Decimal digits e) p
  | InFull <- notation,
    point >= 0,
    point < 7 = do
    -- At most 1 + 6 + 1 + 16 = 24 bytes.
    p1 <- writeDigit first p
    pokeLE p1 (asCharacters upper)
    let p' = p1 `plusPtr` point :: Ptr Word8
        moved = 8 * point
    writePoint p'
    -- In two shifts, as unsafeShiftL must not shift by 64 bits.
    pokeLE
      (p' `plusPtr` 1)
      ( asCharacters
          ( (upper `unsafeShiftR` moved)
              .|. ((lower `unsafeShiftL` 1) `unsafeShiftL` (63 - moved))
          )
      )
    pokeLE (p' `plusPtr` 9) (asCharacters (lower `unsafeShiftR` moved))
    pure (p' `plusPtr` (1 + max 1 (following - point)))
  | InFull <- notation,
    point == -1 = do
    -- At most 2 + 17 bytes.
    pokeLE p (0x2E30 :: Word16)
    p1 <- writeDigit first (p `plusPtr` 2)
    writeRest p1
    pure (p1 `plusPtr` following)
  | otherwise = do
    -- At most 18 bytes, then an e, a sign, and a store of 4: 24 bytes.
    p1 <- writeDigit first p
    writePoint p1
    writeRest (p1 `plusPtr` 1)
    let p' = p1 `plusPtr` (1 + max 1 following) :: Ptr Word8
    pokeHost p' (0x65 :: Word8)
    p'' <- writeSign (point < 0) (p' `plusPtr` 1)
    writeUpTo4 (fromIntegral (abs point)) p''
  where
    -- The power of ten of the first digit.
    point = e + 16
    (first, rest) = quotRem1e16 digits
    (upper8, lower8) = quotRem1e8 rest
    upper = digits8 upper8
    lower = digits8 lower8
    -- The number of digits after the first one, without trailing zeros. The least significant
    -- byte holds the first digit.
    following
      | lower /= 0 = 16 - countLeadingZeros lower `unsafeShiftR` 3
      | otherwise = 8 - countLeadingZeros upper `unsafeShiftR` 3
    writeRest q = do
      pokeLE q (asCharacters upper)
      pokeLE (q `plusPtr` 8) (asCharacters lower)
    writePoint q = pokeHost q (0x2E :: Word8)
{-# INLINE writeDigits #-}

-- The shortest decimal that stands for a binary floating-point number.
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
-- 10^(k+1). They are compared with the ends of the interval, in units of 10^k / 4. Only two things
-- about an end matter: its integral part, and whether its fraction is 0. Its lowest bit tells the
-- latter ('roundedToOdd').
--
-- A table gives 10^(-k) with 128 bits. The error of a product is below 2^(-68) of a unit. Wherever
-- a comparison depends on a fraction that is not 0, that fraction is at least 2^(-63) and below
-- 1 - 2^(-62), for all q and c of a double. The continued fractions of 2^q / 10^k show this. So a
-- fraction below 2^(-63) counts as 0. Floats are a subset of these cases.

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
  -- greater one. That holds if @c@ is a power of two and not subnormal, and @q@ is not the least
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
