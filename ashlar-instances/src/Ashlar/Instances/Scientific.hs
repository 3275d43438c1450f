{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.Scientific
-- Description : Scientific: instances, and text both ways
module Ashlar.Instances.Scientific
  ( scientificText,
    getScientificText,
  )
where

import qualified Ashlar.Builder.Decimal as B
import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Codec.Wrappers (Zigzag (..))
import qualified Ashlar.Get.Decimal as G
import Ashlar.Schema (Described (..), part, recordOf)
import Data.Maybe (fromMaybe)
import Data.Scientific (Scientific, base10Exponent, coefficient, scientific)

-- | The coefficient as an 'Integer', then the exponent as a 'Zigzag'. Each number has one encoding:
-- a coefficient that is a multiple of 10 is refused, and 0 has the exponent 0. Only numbers whose
-- exponent would be too large without their zeros, as that of @scientific 10 maxBound@, keep these.
-- More than 18 of them are refused: the package scientific compares numbers in quadratic time then.
--
-- Exponents are not limited. The decoded number takes little memory, but converting @1e1000000000@
-- to an 'Integer' or a 'Rational' takes all the memory there is. Use
-- 'Data.Scientific.toBoundedInteger' and the like on untrusted numbers.
instance Codec Scientific

instance HasFormat Scientific where
  format = refined normal fromNormal (both codec codec)
  {-# INLINE format #-}

-- | The coefficient and the exponent. A schema does not say how numbers are ordered, nor that they
-- have as few digits as possible.
instance Described Scientific where
  describe =
    recordOf "Scientific" [part @Integer "coefficient", part @(Zigzag Int) "exponent"]

-- The same number with as few digits as possible. The exponent must not overflow.
--
-- Zeros are removed 1, 2, 4 and so on at a time, while there are enough, and then fewer again. One
-- at a time would take quadratic time.
normal :: Scientific -> (Integer, Zigzag Int)
normal x
  | coefficient x == 0 = (0, Zigzag 0)
  | otherwise = case without 10 1 (coefficient x, base10Exponent x) of
    (c, e) -> (c, Zigzag e)
  where
    -- The power of ten with this number of zeros.
    without power zeros (c, e) = case once power zeros (c, e) of
      Just less ->
        let most =
              without (power * power) (2 * zeros) less
         in fromMaybe most (once power zeros most)
      Nothing -> (c, e)
    once :: Integer -> Int -> (Integer, Int) -> Maybe (Integer, Int)
    once power zeros (c, e)
      | e <= maxBound - zeros, (q, 0) <- c `quotRem` power = Just (q, e + zeros)
      | otherwise = Nothing

fromNormal :: (Integer, Zigzag Int) -> Either String Scientific
fromNormal (c, Zigzag e)
  | if c == 0 then e == 0 else c `rem` zeros /= 0 = Right (scientific c e)
  | otherwise = Left "Scientific: more digits than needed"
  where
    zeros = if e == maxBound then 10 ^ (19 :: Int) else 10

-- | A number in decimal, as 'show' writes it: with an exponent if it is less than 0.1 or not less
-- than 10,000,000. So huge exponents make no huge text.
scientificText :: Scientific -> Builder
scientificText x = B.scaled (coefficient x) (base10Exponent x)

-- | A number from its text: an optional sign, digits, and a fraction and an exponent, both
-- optional. (See 'Ashlar.Get.Decimal.scaled'.)
--
-- An exponent that does not fit an 'Int', as that of @scientific 100 maxBound@ in its normal form,
-- is refused. The number takes little memory: see the instance.
getScientificText :: Get Scientific
getScientificText = do
  (c, e) <- G.scaled
  pure $! scientific c e
