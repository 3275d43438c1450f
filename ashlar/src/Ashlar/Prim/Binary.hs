-- |
-- Module      : Ashlar.Prim.Binary
-- Description : Binary numbers, and characters in UTF-8, as primitives
--
-- The write halves of the formats of "Ashlar.Prim.Scalar" and "Ashlar.Prim.Utf8",
-- under the names that they have in @Data.ByteString.Builder.Prim@.
module Ashlar.Prim.Binary
  ( -- * One byte
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

import Ashlar.Prim.Bounded
import Ashlar.Prim.Scalar (Scalar (..))
import qualified Ashlar.Prim.Scalar as Scalar
import Ashlar.Prim.Utf8
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- The write half of a format; it writes scalarSize bytes.
written :: Scalar a -> FixedPrim a
written format = fixedPrim (scalarSize format) (\x p -> scalarWrite format p x)
{-# INLINE CONLIKE written #-}

-- | One byte.
--
-- @since 0.1.0.0
word8 :: FixedPrim Word8
word8 = written Scalar.word8
{-# INLINE CONLIKE word8 #-}

-- | One byte, in two's complement.
--
-- @since 0.1.0.0
int8 :: FixedPrim Int8
int8 = written Scalar.int8
{-# INLINE CONLIKE int8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
--
-- @since 0.1.0.0
word16LE :: FixedPrim Word16
word16LE = written Scalar.word16LE
{-# INLINE CONLIKE word16LE #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
--
-- @since 0.1.0.0
word32LE :: FixedPrim Word32
word32LE = written Scalar.word32LE
{-# INLINE CONLIKE word32LE #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
--
-- @since 0.1.0.0
word64LE :: FixedPrim Word64
word64LE = written Scalar.word64LE
{-# INLINE CONLIKE word64LE #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
--
-- @since 0.1.0.0
int16LE :: FixedPrim Int16
int16LE = written Scalar.int16LE
{-# INLINE CONLIKE int16LE #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
--
-- @since 0.1.0.0
int32LE :: FixedPrim Int32
int32LE = written Scalar.int32LE
{-# INLINE CONLIKE int32LE #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
--
-- @since 0.1.0.0
int64LE :: FixedPrim Int64
int64LE = written Scalar.int64LE
{-# INLINE CONLIKE int64LE #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatLE :: FixedPrim Float
floatLE = written Scalar.floatLE
{-# INLINE CONLIKE floatLE #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleLE :: FixedPrim Double
doubleLE = written Scalar.doubleLE
{-# INLINE CONLIKE doubleLE #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
--
-- @since 0.1.0.0
word16BE :: FixedPrim Word16
word16BE = written Scalar.word16BE
{-# INLINE CONLIKE word16BE #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
--
-- @since 0.1.0.0
word32BE :: FixedPrim Word32
word32BE = written Scalar.word32BE
{-# INLINE CONLIKE word32BE #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
--
-- @since 0.1.0.0
word64BE :: FixedPrim Word64
word64BE = written Scalar.word64BE
{-# INLINE CONLIKE word64BE #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
--
-- @since 0.1.0.0
int16BE :: FixedPrim Int16
int16BE = written Scalar.int16BE
{-# INLINE CONLIKE int16BE #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
--
-- @since 0.1.0.0
int32BE :: FixedPrim Int32
int32BE = written Scalar.int32BE
{-# INLINE CONLIKE int32BE #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
--
-- @since 0.1.0.0
int64BE :: FixedPrim Int64
int64BE = written Scalar.int64BE
{-# INLINE CONLIKE int64BE #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatBE :: FixedPrim Float
floatBE = written Scalar.floatBE
{-# INLINE CONLIKE floatBE #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleBE :: FixedPrim Double
doubleBE = written Scalar.doubleBE
{-# INLINE CONLIKE doubleBE #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
--
-- @since 0.1.0.0
word16Host :: FixedPrim Word16
word16Host = written Scalar.word16Host
{-# INLINE CONLIKE word16Host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
--
-- @since 0.1.0.0
word32Host :: FixedPrim Word32
word32Host = written Scalar.word32Host
{-# INLINE CONLIKE word32Host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
--
-- @since 0.1.0.0
word64Host :: FixedPrim Word64
word64Host = written Scalar.word64Host
{-# INLINE CONLIKE word64Host #-}

-- | A number of this machine's word size, in its byte order.
--
-- @since 0.1.0.0
wordHost :: FixedPrim Word
wordHost = written Scalar.wordHost
{-# INLINE CONLIKE wordHost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
--
-- @since 0.1.0.0
int16Host :: FixedPrim Int16
int16Host = written Scalar.int16Host
{-# INLINE CONLIKE int16Host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
--
-- @since 0.1.0.0
int32Host :: FixedPrim Int32
int32Host = written Scalar.int32Host
{-# INLINE CONLIKE int32Host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
--
-- @since 0.1.0.0
int64Host :: FixedPrim Int64
int64Host = written Scalar.int64Host
{-# INLINE CONLIKE int64Host #-}

-- | A number in two's complement of this machine's word size, in its byte order.
--
-- @since 0.1.0.0
intHost :: FixedPrim Int
intHost = written Scalar.intHost
{-# INLINE CONLIKE intHost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
--
-- @since 0.1.0.0
floatHost :: FixedPrim Float
floatHost = written Scalar.floatHost
{-# INLINE CONLIKE floatHost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
--
-- @since 0.1.0.0
doubleHost :: FixedPrim Double
doubleHost = written Scalar.doubleHost
{-# INLINE CONLIKE doubleHost #-}

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is written as the three bytes
-- that its number would have.
--
-- @since 0.1.0.0
charUtf8 :: BoundedPrim Char
charUtf8 = boundedPrim utf8Bound (flip utf8Write)
{-# INLINE CONLIKE charUtf8 #-}
