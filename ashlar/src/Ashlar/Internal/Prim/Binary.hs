-- |
-- Module      : Ashlar.Internal.Prim.Binary
-- Description : Binary numbers, and characters in UTF-8, as primitives
--
-- The write halves of the formats of "Ashlar.Internal.Prim.Scalar" and "Ashlar.Internal.Prim.Utf8",
-- under the names that they have in @Data.ByteString.Builder.Prim@.
module Ashlar.Internal.Prim.Binary
  ( -- * One byte
    word8,
    int8,

    -- * Least significant byte first
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

    -- * Most significant byte first
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

    -- * The machine's order and size
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
    charUtf8,
  )
where

import Ashlar.Internal.Prim.Bounded
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as Scalar
import Ashlar.Internal.Prim.Utf8
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- The write half of a format; it writes scalarSize bytes.
writeHalf :: Scalar a -> FixedPrim a
writeHalf format = fixedPrim (scalarSize format) (\x p -> scalarWrite format p x)
{-# INLINE writeHalf #-}

-- | One byte.
--
-- @since 0.1.0.0
word8 :: FixedPrim Word8
word8 = writeHalf Scalar.word8
{-# INLINE word8 #-}

-- | One byte, in two's complement.
--
-- @since 0.1.0.0
int8 :: FixedPrim Int8
int8 = writeHalf Scalar.int8
{-# INLINE int8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
--
-- @since 0.1.0.0
word16LE :: FixedPrim Word16
word16LE = writeHalf Scalar.word16LE
{-# INLINE word16LE #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- @since 0.1.0.0
word24LE :: FixedPrim Word32
word24LE = writeHalf Scalar.word24LE
{-# INLINE word24LE #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
--
-- @since 0.1.0.0
word32LE :: FixedPrim Word32
word32LE = writeHalf Scalar.word32LE
{-# INLINE word32LE #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
--
-- @since 0.1.0.0
word64LE :: FixedPrim Word64
word64LE = writeHalf Scalar.word64LE
{-# INLINE word64LE #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
--
-- @since 0.1.0.0
int16LE :: FixedPrim Int16
int16LE = writeHalf Scalar.int16LE
{-# INLINE int16LE #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- @since 0.1.0.0
int24LE :: FixedPrim Int32
int24LE = writeHalf Scalar.int24LE
{-# INLINE int24LE #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
--
-- @since 0.1.0.0
int32LE :: FixedPrim Int32
int32LE = writeHalf Scalar.int32LE
{-# INLINE int32LE #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
--
-- @since 0.1.0.0
int64LE :: FixedPrim Int64
int64LE = writeHalf Scalar.int64LE
{-# INLINE int64LE #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatLE :: FixedPrim Float
floatLE = writeHalf Scalar.floatLE
{-# INLINE floatLE #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleLE :: FixedPrim Double
doubleLE = writeHalf Scalar.doubleLE
{-# INLINE doubleLE #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
--
-- @since 0.1.0.0
word16BE :: FixedPrim Word16
word16BE = writeHalf Scalar.word16BE
{-# INLINE word16BE #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- @since 0.1.0.0
word24BE :: FixedPrim Word32
word24BE = writeHalf Scalar.word24BE
{-# INLINE word24BE #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
--
-- @since 0.1.0.0
word32BE :: FixedPrim Word32
word32BE = writeHalf Scalar.word32BE
{-# INLINE word32BE #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
--
-- @since 0.1.0.0
word64BE :: FixedPrim Word64
word64BE = writeHalf Scalar.word64BE
{-# INLINE word64BE #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
--
-- @since 0.1.0.0
int16BE :: FixedPrim Int16
int16BE = writeHalf Scalar.int16BE
{-# INLINE int16BE #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- @since 0.1.0.0
int24BE :: FixedPrim Int32
int24BE = writeHalf Scalar.int24BE
{-# INLINE int24BE #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
--
-- @since 0.1.0.0
int32BE :: FixedPrim Int32
int32BE = writeHalf Scalar.int32BE
{-# INLINE int32BE #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
--
-- @since 0.1.0.0
int64BE :: FixedPrim Int64
int64BE = writeHalf Scalar.int64BE
{-# INLINE int64BE #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatBE :: FixedPrim Float
floatBE = writeHalf Scalar.floatBE
{-# INLINE floatBE #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleBE :: FixedPrim Double
doubleBE = writeHalf Scalar.doubleBE
{-# INLINE doubleBE #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
--
-- @since 0.1.0.0
word16Host :: FixedPrim Word16
word16Host = writeHalf Scalar.word16Host
{-# INLINE word16Host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
--
-- @since 0.1.0.0
word32Host :: FixedPrim Word32
word32Host = writeHalf Scalar.word32Host
{-# INLINE word32Host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
--
-- @since 0.1.0.0
word64Host :: FixedPrim Word64
word64Host = writeHalf Scalar.word64Host
{-# INLINE word64Host #-}

-- | A number of this machine's word size, in its byte order.
--
-- @since 0.1.0.0
wordHost :: FixedPrim Word
wordHost = writeHalf Scalar.wordHost
{-# INLINE wordHost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
--
-- @since 0.1.0.0
int16Host :: FixedPrim Int16
int16Host = writeHalf Scalar.int16Host
{-# INLINE int16Host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
--
-- @since 0.1.0.0
int32Host :: FixedPrim Int32
int32Host = writeHalf Scalar.int32Host
{-# INLINE int32Host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
--
-- @since 0.1.0.0
int64Host :: FixedPrim Int64
int64Host = writeHalf Scalar.int64Host
{-# INLINE int64Host #-}

-- | A number in two's complement of this machine's word size, in its byte order.
--
-- @since 0.1.0.0
intHost :: FixedPrim Int
intHost = writeHalf Scalar.intHost
{-# INLINE intHost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatHost :: FixedPrim Float
floatHost = writeHalf Scalar.floatHost
{-# INLINE floatHost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleHost :: FixedPrim Double
doubleHost = writeHalf Scalar.doubleHost
{-# INLINE doubleHost #-}

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is writeHalf as the three bytes
-- that its number would have.
--
-- @since 0.1.0.0
charUtf8 :: BoundedPrim Char
charUtf8 = boundedPrim utf8Bound (flip utf8Write)
{-# INLINE charUtf8 #-}
