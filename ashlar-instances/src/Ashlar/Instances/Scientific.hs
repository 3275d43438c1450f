{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.Scientific
-- Description : Codec instance for Scientific
module Ashlar.Instances.Scientific () where

import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Codec.Wrappers (Zigzag (..))
import Data.Scientific (Scientific, base10Exponent, coefficient, scientific)

-- | The coefficient as an 'Integer', and the exponent as a 'Zigzag'. A coefficient that
-- can be divided by 10 is refused (unless the exponent is the largest there is), and so
-- is a 0 with an exponent: each number has one encoding.
--
-- Exponents are not limited: what is read takes little memory, but to turn
-- @1e1000000000@ into an 'Integer' or a 'Rational' takes all there is. Use
-- 'Data.Scientific.toBoundedInteger' and the like on numbers from strangers.
instance Codec Scientific where
  layout = formatLayout scientificFormat
  size = formatSize scientificFormat
  put = formatPut scientificFormat
  get = formatGet scientificFormat

scientificFormat :: Format Scientific
scientificFormat = refined normal fromNormal (both codec codec)
{-# INLINE scientificFormat #-}

-- The same number with as few digits as can be. (The exponent must not overflow.)
normal :: Scientific -> (Integer, Zigzag Int)
normal x = go (coefficient x) (base10Exponent x)
  where
    go c e
      | c == 0 = (0, Zigzag 0)
      | e == maxBound = (c, Zigzag e)
      | otherwise = case c `quotRem` 10 of
          (q, 0) -> go q (e + 1)
          _ -> (c, Zigzag e)

fromNormal :: (Integer, Zigzag Int) -> Either String Scientific
fromNormal (c, Zigzag e)
  | if c == 0 then e == 0 else e == maxBound || c `rem` 10 /= 0 = Right (scientific c e)
  | otherwise = Left "Scientific: more digits than needed"
