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

    -- ** One byte
    word8,
    int8,

    -- ** Least significant byte first
    word16LE,
    word24LE,
    word32LE,
    word64LE,
    int16LE,
    int24LE,
    int32LE,
    int64LE,
    floatLE,
    doubleLE,

    -- ** Most significant byte first
    word16BE,
    word24BE,
    word32BE,
    word64BE,
    int16BE,
    int24BE,
    int32BE,
    int64BE,
    floatBE,
    doubleBE,

    -- ** The machine's order and size
    word16Host,
    word32Host,
    word64Host,
    wordHost,
    int16Host,
    int32Host,
    int64Host,
    intHost,
    floatHost,
    doubleHost,

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
import Ashlar.Internal.Builder.Numbers (primBounded, primFixed)
import Ashlar.Internal.Builder.Strings (asciiLiteral, utf8Literal)
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal
import Ashlar.Internal.Prim.Floating
import Ashlar.Internal.Prim.Hex
import Ashlar.Internal.Prim.Scalar (writeHalf)
import qualified Ashlar.Internal.Prim.Scalar as Scalar
import Ashlar.Internal.Prim.Utf8 (char7, char8, charUtf8)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
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

-- | One byte.
word8 :: FixedPrim Word8
word8 = writeHalf Scalar.word8
{-# INLINE word8 #-}

-- | A signed byte, in two's complement.
int8 :: FixedPrim Int8
int8 = writeHalf Scalar.int8
{-# INLINE int8 #-}

-- | An unsigned 16-bit number, least significant byte first: 2 bytes.
word16LE :: FixedPrim Word16
word16LE = writeHalf Scalar.word16LE
{-# INLINE word16LE #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
word24LE :: FixedPrim Word32
word24LE = writeHalf Scalar.word24LE
{-# INLINE word24LE #-}

-- | An unsigned 32-bit number, least significant byte first: 4 bytes.
word32LE :: FixedPrim Word32
word32LE = writeHalf Scalar.word32LE
{-# INLINE word32LE #-}

-- | An unsigned 64-bit number, least significant byte first: 8 bytes.
word64LE :: FixedPrim Word64
word64LE = writeHalf Scalar.word64LE
{-# INLINE word64LE #-}

-- | A signed 16-bit number in two's complement, least significant byte first: 2 bytes.
int16LE :: FixedPrim Int16
int16LE = writeHalf Scalar.int16LE
{-# INLINE int16LE #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
int24LE :: FixedPrim Int32
int24LE = writeHalf Scalar.int24LE
{-# INLINE int24LE #-}

-- | A signed 32-bit number in two's complement, least significant byte first: 4 bytes.
int32LE :: FixedPrim Int32
int32LE = writeHalf Scalar.int32LE
{-# INLINE int32LE #-}

-- | A signed 64-bit number in two's complement, least significant byte first: 8 bytes.
int64LE :: FixedPrim Int64
int64LE = writeHalf Scalar.int64LE
{-# INLINE int64LE #-}

-- | An IEEE 754 number in 4 bytes, least significant byte first. NaNs keep their payload.
floatLE :: FixedPrim Float
floatLE = writeHalf Scalar.floatLE
{-# INLINE floatLE #-}

-- | An IEEE 754 number in 8 bytes, least significant byte first. NaNs keep their payload.
doubleLE :: FixedPrim Double
doubleLE = writeHalf Scalar.doubleLE
{-# INLINE doubleLE #-}

-- | An unsigned 16-bit number, most significant byte first: 2 bytes.
word16BE :: FixedPrim Word16
word16BE = writeHalf Scalar.word16BE
{-# INLINE word16BE #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
word24BE :: FixedPrim Word32
word24BE = writeHalf Scalar.word24BE
{-# INLINE word24BE #-}

-- | An unsigned 32-bit number, most significant byte first: 4 bytes.
word32BE :: FixedPrim Word32
word32BE = writeHalf Scalar.word32BE
{-# INLINE word32BE #-}

-- | An unsigned 64-bit number, most significant byte first: 8 bytes.
word64BE :: FixedPrim Word64
word64BE = writeHalf Scalar.word64BE
{-# INLINE word64BE #-}

-- | A signed 16-bit number in two's complement, most significant byte first: 2 bytes.
int16BE :: FixedPrim Int16
int16BE = writeHalf Scalar.int16BE
{-# INLINE int16BE #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
int24BE :: FixedPrim Int32
int24BE = writeHalf Scalar.int24BE
{-# INLINE int24BE #-}

-- | A signed 32-bit number in two's complement, most significant byte first: 4 bytes.
int32BE :: FixedPrim Int32
int32BE = writeHalf Scalar.int32BE
{-# INLINE int32BE #-}

-- | A signed 64-bit number in two's complement, most significant byte first: 8 bytes.
int64BE :: FixedPrim Int64
int64BE = writeHalf Scalar.int64BE
{-# INLINE int64BE #-}

-- | An IEEE 754 number in 4 bytes, most significant byte first. NaNs keep their payload.
floatBE :: FixedPrim Float
floatBE = writeHalf Scalar.floatBE
{-# INLINE floatBE #-}

-- | An IEEE 754 number in 8 bytes, most significant byte first. NaNs keep their payload.
doubleBE :: FixedPrim Double
doubleBE = writeHalf Scalar.doubleBE
{-# INLINE doubleBE #-}

-- | An unsigned 16-bit number, in the machine's byte order: 2 bytes.
word16Host :: FixedPrim Word16
word16Host = writeHalf Scalar.word16Host
{-# INLINE word16Host #-}

-- | An unsigned 32-bit number, in the machine's byte order: 4 bytes.
word32Host :: FixedPrim Word32
word32Host = writeHalf Scalar.word32Host
{-# INLINE word32Host #-}

-- | An unsigned 64-bit number, in the machine's byte order: 8 bytes.
word64Host :: FixedPrim Word64
word64Host = writeHalf Scalar.word64Host
{-# INLINE word64Host #-}

-- | An unsigned number of the machine's word size, in its byte order.
wordHost :: FixedPrim Word
wordHost = writeHalf Scalar.wordHost
{-# INLINE wordHost #-}

-- | A signed 16-bit number in two's complement, in the machine's byte order: 2 bytes.
int16Host :: FixedPrim Int16
int16Host = writeHalf Scalar.int16Host
{-# INLINE int16Host #-}

-- | A signed 32-bit number in two's complement, in the machine's byte order: 4 bytes.
int32Host :: FixedPrim Int32
int32Host = writeHalf Scalar.int32Host
{-# INLINE int32Host #-}

-- | A signed 64-bit number in two's complement, in the machine's byte order: 8 bytes.
int64Host :: FixedPrim Int64
int64Host = writeHalf Scalar.int64Host
{-# INLINE int64Host #-}

-- | A signed number of the machine's word size in two's complement, in its byte order.
intHost :: FixedPrim Int
intHost = writeHalf Scalar.intHost
{-# INLINE intHost #-}

-- | An IEEE 754 number in 4 bytes, in the machine's byte order. NaNs keep their payload.
floatHost :: FixedPrim Float
floatHost = writeHalf Scalar.floatHost
{-# INLINE floatHost #-}

-- | An IEEE 754 number in 8 bytes, in the machine's byte order. NaNs keep their payload.
doubleHost :: FixedPrim Double
doubleHost = writeHalf Scalar.doubleHost
{-# INLINE doubleHost #-}
