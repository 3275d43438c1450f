-- |
-- Module      : Ashlar.Internal.Builder.Decimal
-- Description : Builders for numbers in decimal
--
-- The formats of fixed-size numbers are those of "Ashlar.Internal.Prim.Decimal".
module Ashlar.Internal.Builder.Decimal
  ( word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,
    integerDec,
    naturalDec,
    floatDec,
    doubleDec,

    -- * In other notations
    formatFloat,
    formatDouble,
    FloatFormat,
    standard,
    standardDefaultPrecision,
    scientific,
    generic,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Hex (replicateWord8, word64DecPadded)
import Ashlar.Internal.Builder.Numbers (primFixed, primStrict)
import Ashlar.Internal.Builder.Strings (char7)
import Ashlar.Internal.Prim.Decimal (sixteenDigits)
import qualified Ashlar.Internal.Prim.Decimal as P
import Ashlar.Internal.Prim.Floating (Decimal (..), Unpacked (..))
import qualified Ashlar.Internal.Prim.Floating as P
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Num (naturalLog2)
import Numeric.Natural (Natural)

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"word8Dec" [2] forall x. word8Dec x = primStrict P.word8Dec x
"word16Dec" [2] forall x. word16Dec x = primStrict P.word16Dec x
"word32Dec" [2] forall x. word32Dec x = primStrict P.word32Dec x
"word64Dec" [2] forall x. word64Dec x = primStrict P.word64Dec x
"wordDec" [2] forall x. wordDec x = primStrict P.wordDec x
"int8Dec" [2] forall x. int8Dec x = primStrict P.int8Dec x
"int16Dec" [2] forall x. int16Dec x = primStrict P.int16Dec x
"int32Dec" [2] forall x. int32Dec x = primStrict P.int32Dec x
"int64Dec" [2] forall x. int64Dec x = primStrict P.int64Dec x
"intDec" [2] forall x. intDec x = primStrict P.intDec x
  #-}

-- | A number of 8 bits in decimal: 1 to 3 digits.
word8Dec :: Word8 -> Builder
word8Dec x = closed (primStrict P.word8Dec x)
{-# NOINLINE word8Dec #-}

-- | A number of 16 bits in decimal: 1 to 5 digits.
word16Dec :: Word16 -> Builder
word16Dec x = closed (primStrict P.word16Dec x)
{-# NOINLINE word16Dec #-}

-- | A number of 32 bits in decimal: 1 to 10 digits.
word32Dec :: Word32 -> Builder
word32Dec x = closed (primStrict P.word32Dec x)
{-# NOINLINE word32Dec #-}

-- | A number of 64 bits in decimal: 1 to 20 digits.
word64Dec :: Word64 -> Builder
word64Dec x = closed (primStrict P.word64Dec x)
{-# NOINLINE word64Dec #-}

-- | A number of the machine's word size in decimal.
--
-- >>> toStrictByteString (wordDec 1234)
-- "1234"
wordDec :: Word -> Builder
wordDec x = closed (primStrict P.wordDec x)
{-# NOINLINE wordDec #-}

-- | A number of 8 bits in decimal: 1 to 3 digits, after a minus sign if it is negative.
int8Dec :: Int8 -> Builder
int8Dec x = closed (primStrict P.int8Dec x)
{-# NOINLINE int8Dec #-}

-- | A number of 16 bits in decimal: 1 to 5 digits, after a minus sign if it is negative.
int16Dec :: Int16 -> Builder
int16Dec x = closed (primStrict P.int16Dec x)
{-# NOINLINE int16Dec #-}

-- | A number of 32 bits in decimal: 1 to 10 digits, after a minus sign if it is negative.
int32Dec :: Int32 -> Builder
int32Dec x = closed (primStrict P.int32Dec x)
{-# NOINLINE int32Dec #-}

-- | A number of 64 bits in decimal: 1 to 19 digits, after a minus sign if it is negative.
int64Dec :: Int64 -> Builder
int64Dec x = closed (primStrict P.int64Dec x)
{-# NOINLINE int64Dec #-}

-- | A number of the machine's word size in decimal, after a minus sign if it is
-- negative.
--
-- >>> toStrictByteString (intDec (-42))
-- "-42"
intDec :: Int -> Builder
intDec x = closed (primStrict P.intDec x)
{-# NOINLINE intDec #-}

-- | A number of any size in decimal, after a minus sign if it is negative.
--
-- A large number is divided by one of half as many digits, and so on. The time grows more slowly
-- than the square of the number of digits.
--
-- >>> toStrictByteString (integerDec (negate (2 ^ 70)))
-- "-1180591620717411303424"
integerDec :: Integer -> Builder
integerDec x
  | x < 0 = char7 '-' `append` naturalDec (fromInteger (negate x))
  | otherwise = naturalDec (fromInteger x)

-- | A number of any size in decimal. See 'integerDec'.
naturalDec :: Natural -> Builder
naturalDec x
  | x < 18446744073709551616 = word64Dec (fromIntegral x)
  | otherwise = withoutZeros (powersFor x) x

-- Note [Dividing and conquering]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number is divided by the power of ten that has about half of its digits. Quotient and remainder
-- are written in the same way, until 16 digits are left. Each power is the square of the one before
-- it: 10^16, 10^32, 10^64 and so on. GMP, which implements 'Natural', divides large numbers in less
-- than quadratic time.

-- | The powers for a number, the greatest first. The square of the greatest is above the
-- number.
powersFor :: Natural -> [Natural]
powersFor x = go [] 10000000000000000
  where
    go smaller p
      -- This ends only when p^2 is surely above x, since p^2 >= 2^(2 * floor (log2 p)).
      | 2 * naturalLog2 p <= naturalLog2 x = go (p : smaller) (p * p)
      | otherwise = p : smaller

-- | A number that is below the square of the first power.
withoutZeros :: [Natural] -> Natural -> Builder
withoutZeros [] x = word64Dec (fromIntegral x)
withoutZeros (p : ps) x
  | x < p = withoutZeros ps x
  | otherwise = case x `quotRem` p of
    (q, r) -> withoutZeros ps q `append` withZeros ps r

-- | The same, with zeros in front: as many digits as the greatest such number has.
withZeros :: [Natural] -> Natural -> Builder
withZeros [] x = primFixed sixteenDigits (fromIntegral x)
withZeros (p : ps) x = case x `quotRem` p of
  (q, r) -> withZeros ps q `append` withZeros ps r

-- See Note [Fusing reservations].
{-# RULES
"floatDec" [2] forall x. floatDec x = primStrict P.floatDec x
"doubleDec" [2] forall x. doubleDec x = primStrict P.doubleDec x
  #-}

-- | A number in decimal, as 'show' writes it: the shortest one that is read back as
-- the same number, in full from 0.1 up to 10^7, and with an exponent elsewhere.
--
-- >>> toStrictByteString (floatDec 0.1)
-- "0.1"
floatDec :: Float -> Builder
floatDec x = closed (primStrict P.floatDec x)
{-# NOINLINE floatDec #-}

-- | A number in decimal, as 'show' writes it: the shortest one that is read back as
-- the same number, in full from 0.1 up to 10^7, and with an exponent elsewhere.
--
-- >>> toStrictByteString (doubleDec 1234.5 <> " " <> doubleDec 1e7 <> " " <> doubleDec (-0.02))
-- "1234.5 1.0e7 -2.0e-2"
-- >>> toStrictByteString (doubleDec (1 / 0) <> " " <> doubleDec (0 / 0))
-- "Infinity NaN"
doubleDec :: Double -> Builder
doubleDec x = closed (primStrict P.doubleDec x)
{-# NOINLINE doubleDec #-}

-- | A notation, for 'formatFloat' and 'formatDouble'.
data FloatFormat
  = Generic
  | Scientific
  | Standard !Precision

-- | Digits after the point.
data Precision = AsNeeded | Exactly !Int

-- | In full, with the given number of digits after the point. If that is 0 or negative, there are
-- no such digits and no point.
--
-- This rounds the number's shortest decimal, that of 'doubleDec', and not the number itself. A tie
-- goes to the even digit. So 1.005 counts as a tie, although the number is a little less than its
-- decimal:
--
-- >>> toStrictByteString (formatDouble (standard 2) 3.14159)
-- "3.14"
-- >>> let cents x = formatDouble (standard 2) x <> " "
-- >>> toStrictByteString (foldMap cents [1.005, 1.015, 1.025])
-- "1.00 1.02 1.02 "
-- >>> toStrictByteString (formatDouble (standard 0) 2.5)
-- "2"
--
-- The numbers 0 and -0 are always written @0.0@ and @-0.0@, as @Data.ByteString.Builder@ writes
-- them.
standard :: Int -> FloatFormat
standard n = Standard (Exactly (max 0 n))

-- | In full, with as many digits as needed, and at least one after the point.
--
-- >>> toStrictByteString (formatDouble standardDefaultPrecision 1.25e10)
-- "12500000000.0"
standardDefaultPrecision :: FloatFormat
standardDefaultPrecision = Standard AsNeeded

-- | With one digit before the point, and an exponent.
--
-- >>> toStrictByteString (formatDouble scientific 12.5)
-- "1.25e1"
scientific :: FloatFormat
scientific = Scientific

-- | As 'doubleDec' and 'show': in full from 0.1 up to 10^7, elsewhere with an exponent.
generic :: FloatFormat
generic = Generic

-- | A number in the given notation.
formatFloat :: FloatFormat -> Float -> Builder
formatFloat format x = case format of
  Generic -> floatDec x
  Scientific -> primStrict P.floatScientific x
  Standard precision -> case P.unpackFloat x of
    Finite negative c q narrow -> inFull precision negative (P.decimal c q narrow)
    _ -> floatDec x

-- | A number in the given notation.
formatDouble :: FloatFormat -> Double -> Builder
formatDouble format x = case format of
  Generic -> doubleDec x
  Scientific -> primStrict P.doubleScientific x
  Standard precision -> case P.unpackDouble x of
    Finite negative c q narrow -> inFull precision negative (P.decimal c q narrow)
    _ -> doubleDec x

-- | A sign, and a decimal in full.
inFull :: Precision -> Bool -> Decimal -> Builder
inFull precision negative x = (if negative then char7 '-' else empty) `append` digits
  where
    exact@(Decimal _ e) = reduced x
    places = max 0 (negate e)
    digits = case precision of
      AsNeeded -> withPoint (max 1 places) exact
      Exactly n -> withPoint n (if n < places then rounded n exact else exact)

-- | A decimal in full, with @n@ digits after the point: not fewer than it has.
withPoint :: Int -> Decimal -> Builder
withPoint n (Decimal d e)
  | n <= 0 = whole
  | e >= 0 = whole `append` char7 '.' `append` zeros n
  | otherwise =
    word64Dec before `append` char7 '.' `append` word64DecPadded places after
      `append` zeros (n - places)
  where
    whole = word64Dec d `append` zeros e
    places = negate e
    (before, after) = d `splitAtPower` places
    zeros m = replicateWord8 m 0x30

-- | The same decimal, with a number that does not end in a zero. It must be positive
-- and have at most 17 digits, so at most 16 zeros.
reduced :: Decimal -> Decimal
reduced = without 1 10 . without 2 100 . without 4 10000 . eight . eight
  where
    eight = without 8 100000000
    without n power x@(Decimal d e) = case d `quotRem` power of
      (q, 0) -> Decimal q (e + n)
      _ -> x

-- | A decimal with more than @n@ digits after the point, rounded to @n@, half to even.
rounded :: Int -> Decimal -> Decimal
rounded n (Decimal d e) = Decimal (if up then q + 1 else q) (negate n)
  where
    dropped = negate e - n
    (q, r) = d `splitAtPower` dropped
    -- If 19 or more digits are dropped, what is dropped is far below a half.
    up =
      dropped <= 18 && case compare (2 * r) (powerOfTen dropped) of
        LT -> False
        EQ -> odd q
        GT -> True

-- | Quotient and remainder of a number of at most 19 digits by a power of ten, whose
-- exponent must not be negative.
splitAtPower :: Word64 -> Int -> (Word64, Word64)
splitAtPower d n
  | n >= 19 = (0, d)
  | otherwise = d `quotRem` powerOfTen n

-- | A power of ten, with an exponent from 0 to 19.
powerOfTen :: Int -> Word64
powerOfTen = go 1
  where
    go p 0 = p
    go p n = go (10 * p) (n - 1)
