{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Aeson.Internal.Number
-- Description : Numbers in JSON, as aeson writes them
module Ashlar.Aeson.Internal.Number (jsonScientific) where

import Ashlar.Builder
import Ashlar.Builder.Padded (replicateWord8, word64DecPadded)
import qualified Data.ByteString as S
import Data.Scientific (Scientific, base10Exponent, coefficient)
import Data.Word (Word64)
import Prelude hiding (exponent)

-- Note [Which notation]
-- ~~~~~~~~~~~~~~~~~~~~~
-- aeson writes a number whose exponent is from 0 to 1024 as an integer with all of its digits, and
-- leaves any other to the package scientific. That drops the zeros at the end of the coefficient
-- and counts the digits before the point: from 0 to 7, the number has a fraction and no exponent,
-- else one digit before the point and an exponent. It counts in 'Int', so the exponent of a number
-- close to @1e9223372036854775807@ wraps around. So does ours. (The tests "numbers" have such.)

-- | A JSON number: the bytes of @encode@. At most 1,024 zeros are written for an exponent, so
-- @1e1000000000@ takes no longer than @1@.
--
-- >>> import qualified Data.Scientific as Scientific
-- >>> toStrictByteString (jsonScientific (Scientific.scientific 125 3))
-- "125000"
-- >>> toStrictByteString (jsonScientific (Scientific.scientific 125 1000000000))
-- "1.25e1000000002"
jsonScientific :: Scientific -> Builder
jsonScientific x
  | 0 <= power && power <= 1024 = whole n power
  | abs n < 10000000000000000000 = sign <> short (fromInteger (abs n)) power
  | otherwise = sign <> long (abs n) power
  where
    n = coefficient x
    power = base10Exponent x
    sign = if n < 0 then char7 '-' else mempty

-- A number times a power of ten, as an integer.
whole :: Integer -> Int -> Builder
whole n power
  | n == 0 || power == 0 = integerDec n
  | otherwise = integerDec n <> zeros power

-- A number times a power of ten. It has at most 19 digits.
short :: Word64 -> Int -> Builder
short n power
  | n == 0 = "0.0"
  | (q, 0) <- n `quotRem` 10 = short q (power + 1)
  | before < 0 || before > 7 =
    word64Dec (n `quot` tenTo (digits - 1)) <> char7 '.'
      <> word64DecPadded (max 1 (digits - 1)) (n `rem` tenTo (digits - 1))
      <> exponent before
  | before == 0 = "0." <> word64Dec n
  | before >= digits = word64Dec n <> zeros (before - digits) <> ".0"
  | otherwise =
    word64Dec (n `quot` tenTo after) <> char7 '.' <> word64DecPadded after (n `rem` tenTo after)
  where
    digits = length (takeWhile (> 0) (iterate (`quot` 10) n))
    -- How many digits come before the point, and how many after it.
    before = power + digits
    after = digits - before

-- A positive number times a power of ten.
long :: Integer -> Int -> Builder
long n power
  | before < 0 || before > 7 =
    byteString (S.take 1 digits) <> char7 '.' <> orZero (S.drop 1 digits) <> exponent before
  | before == 0 = "0." <> byteString digits
  | otherwise =
    byteString (S.take before digits) <> zeros (before - S.length digits)
      <> char7 '.'
      <> orZero (S.drop before digits)
  where
    text = toStrictByteString (integerDec n)
    digits = S.dropWhileEnd (== 0x30) text
    before = power + S.length text
    orZero ds = if S.null ds then char7 '0' else byteString ds

exponent :: Int -> Builder
exponent before = char7 'e' <> intDec (before - 1)

zeros :: Int -> Builder
zeros n = replicateWord8 (max 0 n) 0x30

tenTo :: Int -> Word64
tenTo n = 10 ^ n
