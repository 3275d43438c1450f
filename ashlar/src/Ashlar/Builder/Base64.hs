{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Base64
-- Description : Bytes in Base64
--
-- Base64 (RFC 4648): four characters for three bytes. There are two alphabets, whose last two
-- characters are @+@ and @/@, or @-@ and @_@ for URLs and names of files. Padding with @=@ fills up
-- the last group of four. "Ashlar.Get.Base64" reads all of them.
--
-- >>> import Ashlar.Builder.Base64
-- >>> toStrictByteString ("Basic " <> byteStringBase64 "user:password")
-- "Basic dXNlcjpwYXNzd29yZA=="
--
-- Groups are converted many at once, and the output of a builder is written where it belongs.
module Ashlar.Builder.Base64
  ( -- * Builders
    byteStringBase64,
    byteStringBase64Unpadded,
    byteStringBase64Url,
    byteStringBase64UrlUnpadded,

    -- * Builders for lazy ByteStrings
    lazyByteStringBase64,
    lazyByteStringBase64Unpadded,
    lazyByteStringBase64Url,
    lazyByteStringBase64UrlUnpadded,

    -- * In memory
    encodeBase64,
    encodeBase64Unpadded,
    encodeBase64Url,
    encodeBase64UrlUnpadded,
  )
where

import Ashlar.Internal.Builder.Base64
import Prelude ()
