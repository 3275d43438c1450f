-- |
-- Module      : Ashlar.Internal.Prim.DecimalPlaces
-- Description : The decimal places of fixed-point numbers
module Ashlar.Internal.Prim.DecimalPlaces
  ( DecimalPlaces (..),
    decimalPlaces,
  )
where

-- | How a fixed-point type is shown. Each type has one as a constant, so powers are computed once.
data DecimalPlaces = DecimalPlaces
  { -- | How many units of the type make 1.
    placesUnit :: !Integer,
    -- | The number of decimal places that tell all multiples of the unit apart, as shown by
    -- 'Data.Fixed.showFixed'.
    placesCount :: !Int,
    -- | Ten to the power of that number.
    placesPower :: !Integer
  }

-- | The decimal places of a type, given its 'Data.Fixed.resolution'.
decimalPlaces :: Integer -> DecimalPlaces
decimalPlaces unit = DecimalPlaces unit places (10 ^ places)
  where
    places = length (takeWhile (< unit) (iterate (* 10) 1))
{-# NOINLINE decimalPlaces #-}
