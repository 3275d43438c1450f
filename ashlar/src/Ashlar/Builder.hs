{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder
-- Description : Builders: values to bytes
--
-- A builder is a sequence of bytes. Appending takes constant time. A builder runs into a sink: a
-- strict or lazy 'Data.ByteString.ByteString', a Handle, or a sink of your own.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> toStrictByteString (word8 1 <> word32BE 2 <> "abc")
-- "\SOH\NUL\NUL\NUL\STXabc"
--
-- This module has all names of "Data.ByteString.Builder", so that changing the import is enough,
-- and some more. 'generic', 'scientific' and 'standard' are among them since bytestring 0.11.1.
-- Import it unqualified, together with "Ashlar.Codec" and "Ashlar.Get". Two of its names are also
-- in "System.IO": 'writeFile', which is in the Prelude, too, and 'char8'. If another library takes
-- or gives bytestring's builder, "Ashlar.Builder.Bytestring" converts, as in
-- @responseBuilder status headers (toBytestringBuilder page)@.
--
-- In the modules below this one:
--
-- * "Ashlar.Builder.Extra": choosing buffers, copying or inserting, the machine's own order
-- * "Ashlar.Builder.Prim": primitives: many values with one check, loops over lists and bytes
-- * "Ashlar.Builder.Prim.Unsafe": primitives of one's own
-- * "Ashlar.Builder.Unsafe": builders from functions that write at an address; Storable
-- * "Ashlar.Builder.Sink" and "Ashlar.Builder.Buffer": sinks of one's own, and their buffers
-- * "Ashlar.Builder.Parts": the chunks of builders one by one, for streaming libraries
-- * "Ashlar.Builder.RealFloat": floating-point numbers in several notations
-- * "Ashlar.ByteOrder": numbers whose byte order is chosen at run time
-- * "Ashlar.Builder.Varint": variable-length integers: LEB128, Protocol Buffers
-- * "Ashlar.Builder.Section": parts that follow their length
-- * "Ashlar.Builder.Bytestring": to and from the builders of bytestring
--
-- The package @ashlar-text@ has more: words and lines, Base64, dates, escaping for JSON and
-- HTML, padding.
module Ashlar.Builder
  ( -- * Builders
    Builder,

    -- * Running builders
    toStrictByteString,
    toShortByteString,
    toByteArray,
    toLazyByteString,
    hPutBuilder,
    hPutBuilderLen,
    writeFile,
    toByteStringIO,
    toByteStringIOWith,
    toBufferIOWith,
    pokeBuilder,
    BufferOverflow (..),

    -- * Strings of bytes
    byteString,
    lazyByteString,
    shortByteString,

    -- * Text in UTF-8
    charUtf8,
    stringUtf8,
    textUtf8,
    lazyTextUtf8,

    -- * One byte for each character
    char7,
    string7,
    char8,
    string8,

    -- * Whole numbers in decimal
    word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,
    integerDec,
    naturalDec,

    -- * Floating-point numbers in decimal
    floatDec,
    doubleDec,
    formatFloat,
    formatDouble,
    FloatFormat,
    standard,
    standardDefaultPrecision,
    scientific,
    generic,

    -- * Hexadecimal numbers, no leading zeros
    word8Hex,
    word16Hex,
    word32Hex,
    word64Hex,
    wordHex,

    -- * Hexadecimal numbers, all digits
    word8HexFixed,
    word16HexFixed,
    word32HexFixed,
    word64HexFixed,
    int8HexFixed,
    int16HexFixed,
    int32HexFixed,
    int64HexFixed,
    floatHexFixed,
    doubleHexFixed,
    byteStringHex,
    lazyByteStringHex,

    -- * Numbers in binary
    module Ashlar.Internal.Builder.Numbers,
  )
where

import Ashlar.Internal.Builder.Bytes
import Ashlar.Internal.Builder.Constant ()
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Decimal
import Ashlar.Internal.Builder.Hex
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers hiding (primBounded, primFixed, primStrict, scalar)
import Ashlar.Internal.Builder.RunIO
import Ashlar.Internal.Builder.Strict
import Ashlar.Internal.Builder.Strings
import Prelude ()
