{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Decimal
-- Description : Exact decimal numbers with a fraction
--
-- "Ashlar.Get.Decimal" reads them, by the same names: import both qualified.
module Ashlar.Builder.Decimal
  ( fixed,
    scaled,
  )
where

import Ashlar.Internal.Builder.Scaled
import Prelude ()
