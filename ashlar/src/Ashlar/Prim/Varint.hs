{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Prim.Varint
-- Description : Variable-length integers (varints): LEB128, Protocol Buffers
--
-- Each format as one value, which knows how to write a number, the bytes that this takes, and how
-- to read it back. "Ashlar.Builder.Varint" has a builder of the same name for each, and
-- "Ashlar.Get.Varint" a decoder. Import this module qualified. (@Ashlar.Compat.Varint@ of the
-- package @ashlar-compat@ has the formats of MIDI, ASN.1, git, SQLite and mason.)
--
-- >>> import qualified Ashlar.Prim.Varint as P
-- >>> P.varintSize P.word32Varint 300
-- 2
-- >>> import Ashlar.Builder.Prim (primBounded)
-- >>> primBounded (P.varintPrim P.word32Varint) 300
-- "\172\STX"
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> runGet (getVarint P.word32Varint) "\172\STX"
-- Right 300
module Ashlar.Prim.Varint
  ( -- * Formats
    Varint,
    varintPrim,
    varintSize,
    varintBound,
    padded,

    -- * LEB128
    -- $leb128
    word16LEB128,
    word32LEB128,
    word64LEB128,
    wordLEB128,
    int16LEB128,
    int32LEB128,
    int64LEB128,
    intLEB128,

    -- * Protocol Buffers
    -- $protobuf
    word32Varint,
    word64Varint,
    wordVarint,
    int32Varint,
    int64Varint,
    intVarint,
    int32Zigzag,
    int64Zigzag,
    intZigzag,
    zigzag32,
    zigzag64,
    unZigzag32,
    unZigzag64,
  )
where

import Ashlar.Internal.Prim.Varint.LEB128 hiding (lenient)
import Ashlar.Internal.Prim.Varint.Type (Varint (..), varintBound)

-- $leb128
-- Little Endian Base 128, as in DWARF (version 5, section 7.6) and WebAssembly. Each byte has seven
-- bits, the least significant first. Its highest bit is set if another byte follows. A signed
-- number is cut down to the bits that tell its sign.

-- $protobuf
-- The integers of Protocol Buffers. A varint is unsigned LEB128. A negative number is taken as 64
-- bits, and has 10 bytes. Zigzag writes the index in the sequence 0, -1, 1, -2, 2 and so on, which
-- is short for numbers near 0.
