{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Base64
-- Description : Decoders for bytes in Base64
--
-- Base64 (RFC 4648), which "Ashlar.Builder.Base64" writes: two alphabets, with padding or without.
-- Decoding refuses all that encoding would not have written. 'decodeBase64Lenient' refuses nothing.
--
-- >>> import Ashlar.Get.Base64
-- >>> import Ashlar.Get.Parse (bytes)
-- >>> runGet (bytes "Basic " *> takeBase64) "Basic dXNlcjpwYXNzd29yZA=="
-- Right "user:password"
module Ashlar.Get.Base64
  ( -- * A number of characters
    getBase64,
    getBase64Unpadded,
    getBase64Url,
    getBase64UrlUnpadded,

    -- * As many characters as there are
    takeBase64,
    takeBase64Unpadded,
    takeBase64Url,
    takeBase64UrlUnpadded,

    -- * All of a string
    decodeBase64,
    decodeBase64Unpadded,
    decodeBase64Url,
    decodeBase64UrlUnpadded,
    decodeBase64Lenient,
    decodeBase64UrlLenient,
  )
where

import Ashlar.Internal.Get.Base64
import Prelude ()
