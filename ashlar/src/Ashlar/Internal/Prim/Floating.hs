{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Floating
-- Description : Floating-point numbers in decimal
--
-- The shortest decimal that is read back as the same number
-- (Note [Shortest decimals] in "Ashlar.Internal.Prim.ShortestDecimal"), in the two notations that take
-- no more than some 20 characters.
module Ashlar.Internal.Prim.Floating
  ( -- * As show writes them
    floatDec,
    doubleDec,

    -- * With an exponent
    floatScientific,
    doubleScientific,

    -- * Taken apart
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
import Ashlar.Internal.Prim.Digits
import Ashlar.Internal.Prim.OutOfLine
import Ashlar.Internal.Prim.ShortestDecimal
import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word16, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Float (castDoubleToWord64, castFloatToWord32)

-- | A number in decimal as 'show' writes it: in full (@12.0@) from 0.1 up to 10^7, else
-- with an exponent (@1.2e-2@).
--
-- @since 0.1.0.0
floatDec :: BoundedPrim Float
floatDec = boundedPrim 25 (callWrite writeFloatDec)
{-# INLINE floatDec #-}

-- | A number in decimal as 'show' writes it: in full (@12.0@) from 0.1 up to 10^7, else
-- with an exponent (@1.2e-2@).
--
-- @since 0.1.0.0
doubleDec :: BoundedPrim Double
doubleDec = boundedPrim 25 (callWrite writeDoubleDec)
{-# INLINE doubleDec #-}

-- | A number in decimal with one digit in front of the point, and an exponent (@1.2e1@).
--
-- @since 0.1.0.0
floatScientific :: BoundedPrim Float
floatScientific = boundedPrim 25 (callWrite writeFloatScientific)
{-# INLINE floatScientific #-}

-- | A number in decimal with one digit in front of the point, and an exponent (@1.2e1@).
--
-- @since 0.1.0.0
doubleScientific :: BoundedPrim Double
doubleScientific = boundedPrim 25 (callWrite writeDoubleScientific)
{-# INLINE doubleScientific #-}

-- The bound is one more than the longest number takes, -2.2250738585072014e-308: the
-- digits are stored 8 at a time, and may reach one byte further.

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

-- | What the bits of a floating-point number say. The flag says that it is negative.
data Unpacked
  = NotANumber
  | Infinite !Bool
  | Zero !Bool
  | -- | The arguments of 'shortest'.
    Finite !Bool !Word64 !Int !Bool

unpackFloat :: Float -> Unpacked
unpackFloat x = unpack 23 8 (fromIntegral (castFloatToWord32 x))
{-# INLINE unpackFloat #-}

unpackDouble :: Double -> Unpacked
unpackDouble x = unpack 52 11 (castDoubleToWord64 x)
{-# INLINE unpackDouble #-}

-- | From the numbers of bits of fraction and exponent, and the bits (IEEE 754).
unpack :: Int -> Int -> Word64 -> Unpacked
unpack fractionBits exponentBits bits
  | biased == 2 * bias + 1 = if fraction == 0 then Infinite negative else NotANumber
  | biased > 0 = Finite negative (fraction .|. hidden) (biased - bias - fractionBits) (fraction == 0 && biased > 1)
  | fraction > 0 = Finite negative fraction (1 - bias - fractionBits) False
  | otherwise = Zero negative
  where
    hidden = 1 `unsafeShiftL` fractionBits
    fraction = bits .&. (hidden - 1)
    biased = fromIntegral (bits `unsafeShiftR` fractionBits) .&. (2 * bias + 1)
    bias = (1 `unsafeShiftL` (exponentBits - 1)) - 1
    negative = bits `unsafeShiftR` (fractionBits + exponentBits) /= 0
{-# INLINE unpack #-}

-- | A decimal: this number times this power of ten.
data Decimal = Decimal !Word64 !Int

-- | The shortest decimal for a finite number, given as to 'shortest'. The number has at
-- most 17 digits, and may end in zeros.
decimal :: Word64 -> Int -> Bool -> Decimal
decimal c q narrow
  -- A whole number is its own decimal: one with fewer digits would be another whole
  -- number, and no other is in the interval.
  | q <= 0, q >= -52, whole `unsafeShiftL` negate q == c = Decimal whole 0
  | otherwise = case shortest c q narrow of (# digits, e #) -> Decimal digits e
  where
    whole = c `unsafeShiftR` negate q
{-# INLINE decimal #-}

-- | How a number is written that is neither small nor large.
data Notation = InFull | WithExponent

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
    -- A word of so many characters, the first in the least significant byte: 8 bytes
    -- are stored, and 9 with the sign.
    writeWord n w q = pokeLE q (w :: Word64) >> pure (q `plusPtr` n)
{-# INLINE writeNumber #-}

writeSign :: Bool -> Ptr Word8 -> IO (Ptr Word8)
writeSign negative p
  | negative = pokeHost p (0x2D :: Word8) >> pure (p `plusPtr` 1)
  | otherwise = pure p
{-# INLINE writeSign #-}

-- | A finite number without its sign: at most 24 bytes are stored.
writeFinite :: Notation -> Word64 -> Int -> Write# Bool
writeFinite notation c q = write# $ \narrow p -> case (notation, decimal c q narrow) of
  (InFull, Decimal digits 0) | digits < 10000000 -> do
    p' <- runB word64Dec digits p
    pokeLE p' (0x302E :: Word16)
    pure (p' `plusPtr` 2)
  (_, Decimal digits e) -> writeDigits notation (normalised digits e) p
{-# NOINLINE writeFinite #-}

-- | The same decimal with just 17 digits. It must be positive, and have no more.
normalised :: Word64 -> Int -> Decimal
normalised digits e
  | digits < 1000000000 = go (digits * 100000000) (e - 8)
  | otherwise = go digits e
  where
    go d k
      | d < 10000000000000000 = go (10 * d) (k - 1)
      | otherwise = Decimal d k
{-# INLINE normalised #-}

-- | A normalised decimal. The 16 digits behind the first are made as two words, and
-- stored where they belong: behind the point, or partly in front of it.
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
    -- Shifted twice, as a shift by all 64 bits is none.
    pokeLE (p' `plusPtr` 1) (asCharacters ((upper `unsafeShiftR` moved) .|. ((lower `unsafeShiftL` 1) `unsafeShiftL` (63 - moved))))
    pokeLE (p' `plusPtr` 9) (asCharacters (lower `unsafeShiftR` moved))
    pure (p' `plusPtr` (1 + max 1 (behind - point)))
  | InFull <- notation,
    point == -1 = do
    -- At most 2 + 17 bytes.
    pokeLE p (0x2E30 :: Word16)
    p1 <- writeDigit first (p `plusPtr` 2)
    writeBehind p1
    pure (p1 `plusPtr` behind)
  | otherwise = do
    -- At most 18 bytes, then an e, a sign, and a store of 4.
    p1 <- writeDigit first p
    writePoint p1
    writeBehind (p1 `plusPtr` 1)
    let p' = p1 `plusPtr` (1 + max 1 behind) :: Ptr Word8
    pokeHost p' (0x65 :: Word8)
    p'' <- writeSign (point < 0) (p' `plusPtr` 1)
    writeUpTo4 (fromIntegral (abs point)) p''
  where
    -- The power of ten at which the first digit stands.
    point = e + 16
    (first, others) = quotRem1e16 digits
    (upper8, lower8) = quotRem1e8 others
    upper = digits8 upper8
    lower = digits8 lower8
    -- The digits behind the first, without zeros at the end. (The first digit is in
    -- the least significant byte.)
    behind
      | lower /= 0 = 16 - countLeadingZeros lower `unsafeShiftR` 3
      | otherwise = 8 - countLeadingZeros upper `unsafeShiftR` 3
    writeBehind q = do
      pokeLE q (asCharacters upper)
      pokeLE (q `plusPtr` 8) (asCharacters lower)
    writePoint q = pokeHost q (0x2E :: Word8)
{-# INLINE writeDigits #-}
