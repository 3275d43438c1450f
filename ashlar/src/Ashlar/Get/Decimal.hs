{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Decimal
-- Description : Decoders for exact decimal numbers with a fraction
--
-- "Ashlar.Builder.Decimal" writes them, by the same names: import both qualified. Whole numbers and
-- floating-point numbers are in "Ashlar.Get.Parse".
module Ashlar.Get.Decimal
  ( fixed,
    scaled,
  )
where

import Ashlar.Internal.Get.Decimal
import Prelude ()
