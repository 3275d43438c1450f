{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Hex
-- Description : Decoders for bytes in hexadecimal
--
-- Two digits for each byte, in either case. "Ashlar.Builder.Hex" writes them. A number in
-- hexadecimal is 'Ashlar.Get.Parse.hexadecimal'.
module Ashlar.Get.Hex
  ( getHex,
    takeHex,
    decodeHex,
  )
where

import Ashlar.Internal.Get.Hex
import Prelude ()
