-- |
-- Module      : Ashlar.Builder.Integers
-- Description : Builders for whole numbers of any size in decimal
module Ashlar.Builder.Integers
  ( integerDec,
    naturalDec,
  )
where

import Ashlar.Builder.Core
import Ashlar.Builder.Chars (char7)
import Ashlar.Builder.Decimal (word64Dec)
import Ashlar.Builder.Primitive
import Ashlar.Prim.Decimal (sixteenDigits)
import GHC.Num (naturalLog2)
import Numeric.Natural (Natural)

-- | A number of any size in decimal, behind a minus sign where it is negative.
--
-- A number of n digits takes no more time than multiplying and dividing numbers of that
-- size a few times: some n^1.6, and not n^2.
--
-- >>> toStrictByteString (integerDec (negate (2 ^ 70)))
-- "-1180591620717411303424"
--
-- @since 0.1.0.0
integerDec :: Integer -> Builder
integerDec x
  | x < 0 = char7 '-' `append` naturalDec (fromInteger (negate x))
  | otherwise = naturalDec (fromInteger x)

-- | A number of any size in decimal. See 'integerDec'.
--
-- @since 0.1.0.0
naturalDec :: Natural -> Builder
naturalDec x
  | x < 10000000000000000 = word64Dec (fromIntegral x)
  | otherwise = withoutZeros (powersFor x) x

-- Note [Dividing and conquering]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number is divided by the power of ten that has about half of its digits; what
-- comes before and behind is written in the same way, until 16 digits are left. The
-- powers are squares of one another: 10^16, 10^32, 10^64 and so on. Divisions of
-- large by large numbers are what the library below is good at (GMP divides in
-- O(n^1.6) and less).

-- | The powers up to the square root of a number, or one further, the greatest first.
powersFor :: Natural -> [Natural]
powersFor x = go [] 10000000000000000
  where
    go smaller p
      | 2 * naturalLog2 p <= naturalLog2 x = go (p : smaller) (p * p)
      | otherwise = p : smaller

-- | A number, given the powers such that it is below the square of the first.
withoutZeros :: [Natural] -> Natural -> Builder
withoutZeros [] x = word64Dec (fromIntegral x)
withoutZeros (p : ps) x
  | x < p = withoutZeros ps x
  | otherwise = case x `quotRem` p of
      (q, r) -> withoutZeros ps q `append` withZeros ps r

-- | The same, with as many digits as the greatest such number has.
withZeros :: [Natural] -> Natural -> Builder
withZeros [] x = primFixed sixteenDigits (fromIntegral x)
withZeros (p : ps) x = case x `quotRem` p of
  (q, r) -> withZeros ps q `append` withZeros ps r
