{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Hex
-- Description : Bytes in hexadecimal
--
-- Two digits for each byte; those above 9 are @a@ to @f@. "Ashlar.Get.Hex" reads them. Numbers in
-- hexadecimal are in "Ashlar.Builder".
module Ashlar.Builder.Hex
  ( -- * Builders
    byteStringHex,
    lazyByteStringHex,

    -- * In memory
    encodeHex,
  )
where

import Ashlar.Internal.Builder.Hex
import Prelude ()
