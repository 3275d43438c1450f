{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.RealFloat
-- Description : Floating-point numbers in decimal, in several notations
--
-- The names are those of @Data.ByteString.Builder.RealFloat@, and so are the bytes,
-- whatever the version of @bytestring@.
--
-- A number is written as the shortest decimal that is read back as the same number. If
-- there is more than one, the closest is taken. A decimal that lies exactly half-way
-- between two numbers is never taken, although a reader might round it to the right one.
-- So the number 1.0e23 is written
--
-- >>> import Ashlar.Builder
-- >>> toStrictByteString (doubleDec 1.0e23)
-- "9.999999999999999e22"
--
-- as 'show' and @bytestring@ write it.
--
-- The time for a number does not depend on its size. The algorithm is Schubfach
-- (Raffaello Giulietti, \"The Schubfach way to render doubles\", 2020).
module Ashlar.Builder.RealFloat
  ( floatDec,
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

import Ashlar.Internal.Builder.Decimal
  ( FloatFormat,
    doubleDec,
    floatDec,
    formatDouble,
    formatFloat,
    generic,
    scientific,
    standard,
    standardDefaultPrecision,
  )
import Ashlar.Internal.Builder.Loops ()
