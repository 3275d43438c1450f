-- |
-- Module      : Ashlar.Builder
-- Description : Builders: values to bytes
--
-- Builders: sequences of bytes that are appended in constant time and then run
-- into a sink, which may be a strict or lazy 'Data.ByteString.ByteString', a
-- Handle, or anything else.
--
-- >>> toStrictByteString (word8 1 <> word32BE 2 <> "abc")
-- "\SOH\NUL\NUL\NUL\STXabc"
--
-- The names are those of "Data.ByteString.Builder"; see "Ashlar.Builder.Extra" and
-- "Ashlar.Builder.Prim" for those of the modules below it. Import qualified, or what you
-- need: 'writeFile' is a name of the Prelude.
module Ashlar.Builder
  ( -- * Builders
    Builder,

    -- * Running builders
    toStrictByteString,
    toLazyByteString,
    hPutBuilder,
    hPutBuilderLen,
    writeFile,
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

    -- * One byte
    word8,
    int8,

    -- * Least significant byte first
    word16LE,
    word32LE,
    word64LE,
    int16LE,
    int32LE,
    int64LE,
    floatLE,
    doubleLE,

    -- * Most significant byte first
    word16BE,
    word32BE,
    word64BE,
    int16BE,
    int32BE,
    int64BE,
    floatBE,
    doubleBE,
  )
where

import Ashlar.Builder.Bytes
import Ashlar.Builder.Core
import Ashlar.Builder.Instances ()
import Ashlar.Builder.Lazy
import Ashlar.Builder.Numbers
import Ashlar.Builder.Run
import Ashlar.Builder.Strings
import Prelude ()
