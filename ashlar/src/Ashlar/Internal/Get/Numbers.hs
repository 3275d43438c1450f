-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}
{-# OPTIONS_HADDOCK hide #-}

-- |
-- Module      : Ashlar.Internal.Get.Numbers
-- Description : Decoders for numbers of constant size
--
-- Numbers in binary. The formats are those of "Ashlar.Internal.Prim.Scalar". This module gives each
-- the name that "Data.Binary.Get" gives it. "Ashlar.Get" exports all of them. They fail where too
-- few bytes are left, and nowhere else.
module Ashlar.Internal.Get.Numbers
  ( -- * One byte
    getWord8,
    getInt8,

    -- * Least significant byte first
    getWord16le,
    getWord24le,
    getWord32le,
    getWord64le,
    getInt16le,
    getInt24le,
    getInt32le,
    getInt64le,
    getFloatle,
    getDoublele,

    -- * Most significant byte first
    getWord16be,
    getWord24be,
    getWord32be,
    getWord64be,
    getInt16be,
    getInt24be,
    getInt32be,
    getInt64be,
    getFloatbe,
    getDoublebe,

    -- * The machine's order and size
    getWord16host,
    getWord32host,
    getWord64host,
    getWordhost,
    getInt16host,
    getInt32host,
    getInt64host,
    getInthost,
    getFloathost,
    getDoublehost,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)

-- | A value in a format of fixed size.
getScalar :: Scalar a -> Get a
getScalar format = fixedGet (scalarSize format) (OneNumber (scalarSize format)) (scalarRead format)
{-# INLINE getScalar #-}

-- | One byte.
getWord8 :: Get Word8
getWord8 = getScalar P.word8
{-# INLINE getWord8 #-}

-- | One byte, in two's complement.
getInt8 :: Get Int8
getInt8 = getScalar P.int8
{-# INLINE getInt8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
getWord16le :: Get Word16
getWord16le = getScalar P.word16LE
{-# INLINE getWord16le #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
--
-- >>> runGet getWord24le "\1\2\0"
-- Right 513
getWord24le :: Get Word32
getWord24le = getScalar P.word24LE
{-# INLINE getWord24le #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
getWord32le :: Get Word32
getWord32le = getScalar P.word32LE
{-# INLINE getWord32le #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
getWord64le :: Get Word64
getWord64le = getScalar P.word64LE
{-# INLINE getWord64le #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
getInt16le :: Get Int16
getInt16le = getScalar P.int16LE
{-# INLINE getInt16le #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
getInt24le :: Get Int32
getInt24le = getScalar P.int24LE
{-# INLINE getInt24le #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
getInt32le :: Get Int32
getInt32le = getScalar P.int32LE
{-# INLINE getInt32le #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
getInt64le :: Get Int64
getInt64le = getScalar P.int64LE
{-# INLINE getInt64le #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
getFloatle :: Get Float
getFloatle = getScalar P.floatLE
{-# INLINE getFloatle #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
getDoublele :: Get Double
getDoublele = getScalar P.doubleLE
{-# INLINE getDoublele #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
getWord16be :: Get Word16
getWord16be = getScalar P.word16BE
{-# INLINE getWord16be #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
getWord24be :: Get Word32
getWord24be = getScalar P.word24BE
{-# INLINE getWord24be #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
getWord32be :: Get Word32
getWord32be = getScalar P.word32BE
{-# INLINE getWord32be #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
getWord64be :: Get Word64
getWord64be = getScalar P.word64BE
{-# INLINE getWord64be #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
getInt16be :: Get Int16
getInt16be = getScalar P.int16BE
{-# INLINE getInt16be #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
--
-- >>> runGet getInt24be "\255\255\254"
-- Right (-2)
getInt24be :: Get Int32
getInt24be = getScalar P.int24BE
{-# INLINE getInt24be #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
getInt32be :: Get Int32
getInt32be = getScalar P.int32BE
{-# INLINE getInt32be #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
getInt64be :: Get Int64
getInt64be = getScalar P.int64BE
{-# INLINE getInt64be #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
getFloatbe :: Get Float
getFloatbe = getScalar P.floatBE
{-# INLINE getFloatbe #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
getDoublebe :: Get Double
getDoublebe = getScalar P.doubleBE
{-# INLINE getDoublebe #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
getWord16host :: Get Word16
getWord16host = getScalar P.word16Host
{-# INLINE getWord16host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
getWord32host :: Get Word32
getWord32host = getScalar P.word32Host
{-# INLINE getWord32host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
getWord64host :: Get Word64
getWord64host = getScalar P.word64Host
{-# INLINE getWord64host #-}

-- | A number of this machine's word size, in the byte order of this machine.
getWordhost :: Get Word
getWordhost = getScalar P.wordHost
{-# INLINE getWordhost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
getInt16host :: Get Int16
getInt16host = getScalar P.int16Host
{-# INLINE getInt16host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
getInt32host :: Get Int32
getInt32host = getScalar P.int32Host
{-# INLINE getInt32host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
getInt64host :: Get Int64
getInt64host = getScalar P.int64Host
{-# INLINE getInt64host #-}

-- | A number in two's complement of this machine's word size, in the byte order of this machine.
getInthost :: Get Int
getInthost = getScalar P.intHost
{-# INLINE getInthost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
getFloathost :: Get Float
getFloathost = getScalar P.floatHost
{-# INLINE getFloathost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
getDoublehost :: Get Double
getDoublehost = getScalar P.doubleHost
{-# INLINE getDoublehost #-}
