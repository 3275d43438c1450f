-- |
-- Module      : Ashlar.Internal.Builder.Integers
-- Description : Builders for whole numbers of any size in decimal
module Ashlar.Internal.Builder.Integers
  ( integerDec,
    naturalDec,
  )
where

import Ashlar.Internal.Builder.Chars (char7)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Decimal (word64Dec)
import Ashlar.Internal.Builder.Prim
import Ashlar.Internal.Prim.Decimal (sixteenDigits)
import GHC.Num (naturalLog2)
import Numeric.Natural (Natural)

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
-- are written in the same way, until 16 digits are left. The powers are squares of one another:
-- 10^16,
-- 10^32, 10^64 and so on. GMP, which implements 'Natural', divides large numbers in less than
-- quadratic time.

-- | As many powers as are needed for the square of the greatest, which comes first, to
-- be above the number.
powersFor :: Natural -> [Natural]
powersFor x = go [] 10000000000000000
  where
    go smaller p
      -- Only if p^2 is surely above x does it end: p^2 >= 2^(2 * floor (log2 p)).
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
