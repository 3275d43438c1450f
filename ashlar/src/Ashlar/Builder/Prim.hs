{-# LANGUAGE MagicHash #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Prim
-- Description : Primitives: how values of fixed or bounded size are written
--
-- A primitive writes values that take a fixed number of bytes ('FixedPrim') or at most some number
-- ('BoundedPrim'). Primitives combine into larger ones. As a builder, for one value or for many, a
-- whole primitive takes one check of the free space.
--
-- Import this module qualified. The names are those of "Data.ByteString.Builder.Prim".
-- Floating-point numbers, numbers of 24 bits and numbers with leading zeros are added.
--
-- A tag of one byte, a key of four and a value of eight, with one check for all 13:
--
-- >>> import Ashlar.Builder
-- >>> import qualified Ashlar.Builder.Prim as P
-- >>> let entry = P.word8 P.>*< P.word32BE P.>*< P.word64BE
-- >>> toLazyByteString (P.primMapListFixed entry [(1, (2, 3))])
-- "\SOH\NUL\NUL\NUL\STX\NUL\NUL\NUL\NUL\NUL\NUL\NUL\ETX"
--
-- "Ashlar.Builder.Bytestring" converts bytestring's own primitives. "Ashlar.Builder.Prim.Unsafe"
-- makes new ones.
--
-- Primitives are for small values. The whole bound is reserved at once. If a buffer has less free
-- space, that space stays unused. A sink of your own may refuse a large bound
-- ('Ashlar.Builder.Sink.SinkRefused'); those of this library do not.
module Ashlar.Builder.Prim
  ( -- * Primitives of bounded size
    BoundedPrim,
    emptyB,
    (>$<),
    (>*<),
    eitherB,
    condB,

    -- ** As builders
    primBounded,
    primMapListBounded,
    primUnfoldrBounded,
    primMapByteStringBounded,
    primMapLazyByteStringBounded,

    -- * Primitives of fixed size
    FixedPrim,
    emptyF,
    liftFixedToBounded,

    -- ** As builders
    primFixed,
    primMapListFixed,
    primUnfoldrFixed,
    primMapByteStringFixed,
    primMapLazyByteStringFixed,

    -- * Numbers in binary
    module Ashlar.Internal.Prim.Binary,

    -- * Characters
    char7,
    char8,
    charUtf8,

    -- * Whole numbers in decimal
    int8Dec,
    int16Dec,
    int32Dec,
    int64Dec,
    intDec,
    word8Dec,
    word16Dec,
    word32Dec,
    word64Dec,
    wordDec,

    -- * Whole numbers in decimal, with leading zeros
    word64DecAtLeast,
    int64DecAtLeast,

    -- * Floating-point numbers in decimal
    floatDec,
    doubleDec,
    floatScientific,
    doubleScientific,

    -- * Hexadecimal numbers, no leading zeros
    word8Hex,
    word16Hex,
    word32Hex,
    word64Hex,
    wordHex,

    -- * Hexadecimal numbers, all digits
    int8HexFixed,
    int16HexFixed,
    int32HexFixed,
    int64HexFixed,
    word8HexFixed,
    word16HexFixed,
    word32HexFixed,
    word64HexFixed,
    floatHexFixed,
    doubleHexFixed,

    -- * String literals
    cstring,
    cstringUtf8,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Loops
import Ashlar.Internal.Builder.Primitive (primBounded, primFixed)
import Ashlar.Internal.Builder.Strings (asciiLiteral, utf8Literal)
import Ashlar.Internal.Prim.Binary
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal
import Ashlar.Internal.Prim.Floating
import Ashlar.Internal.Prim.Hex
import Ashlar.Internal.Prim.Utf8 (char7, char8, charUtf8)
import GHC.Exts (Addr#)

-- | The bytes at an address up to the first zero, as in @"abc"#@. They must stay readable for as
-- long as the program runs.
cstring :: Addr# -> Builder
cstring s = asciiLiteral s
{-# INLINE cstring #-}

-- | 'cstring', with a zero byte for each pair @C0 80@, which is how GHC writes U+0000 in literals.
cstringUtf8 :: Addr# -> Builder
cstringUtf8 s = utf8Literal s
{-# INLINE cstringUtf8 #-}
