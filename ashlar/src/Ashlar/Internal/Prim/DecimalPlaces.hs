-- |
-- Module      : Ashlar.Internal.Prim.DecimalPlaces
-- Description : The decimal places of fixed-point numbers
module Ashlar.Internal.Prim.DecimalPlaces (decimalPlaces) where

-- | The number of decimal places that tell all multiples of a unit apart, as shown by
-- 'Data.Fixed.showFixed'. The argument says how many of it make 1.
decimalPlaces :: Integer -> Int
decimalPlaces unit = length (takeWhile (< unit) (iterate (* 10) 1))
