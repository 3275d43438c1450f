{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Varint
-- Description : Decoders for variable-length integers (varints)
--
-- Small numbers take fewer bytes. "Ashlar.Builder.Varint" writes them.
--
-- >>> import Ashlar.Get.Varint
-- >>> runGet getWord64Varint "\172\STX"
-- Right 300
--
-- Different formats have the same names elsewhere. Here, a byte has seven bits of the number, the
-- least significant first, and its highest bit says whether another byte follows:
--
-- +-----------------+--------------------------------+--------------------+------------+
-- | Decoders        | Accepted                       | Used by            | 300        |
-- +=================+================================+====================+============+
-- | @LEB128@        | the shortest form              | own formats        | @AC 02@    |
-- +-----------------+--------------------------------+--------------------+------------+
-- | @LEB128Lenient@ | padding to the type's size     | WebAssembly, DWARF | @AC 82 00@ |
-- +-----------------+--------------------------------+--------------------+------------+
-- | @Varint@        | the shortest form              | own formats        | @AC 02@    |
-- +-----------------+--------------------------------+--------------------+------------+
-- | @Zigzag@        | the shortest form              | own formats        | @D8 04@    |
-- +-----------------+--------------------------------+--------------------+------------+
-- | @VarintLenient@ | padding to ten bytes, any bits | Protocol Buffers   | @AC 82 00@ |
-- +-----------------+--------------------------------+--------------------+------------+
-- | @ZigzagLenient@ | padding to ten bytes, any bits | Protocol Buffers   | @D8 84 00@ |
-- +-----------------+--------------------------------+--------------------+------------+
--
-- The type's size in bytes is its bits divided by 7, rounded up. Where padding is accepted, the
-- example is padded. @Ashlar.Compat.Varint@ of the package @ashlar-compat@ has the formats of MIDI,
-- ASN.1, git, SQLite and mason, and 'getVarint' reads these, too.
--
-- A number that the type cannot hold, or in a form that is not accepted, is an error
-- ('Ashlar.Get.Invalid') at its first byte.
--
-- >>> either (putStrLn . displayException) print (runGet getWord64Varint "\128\0")
-- at byte 0: a varint that is not in its shortest form
--   00000000  80 00                                             |..|
--             ^^ ^^
-- >>> runGet getWord64VarintLenient "\128\0"
-- Right 0
module Ashlar.Get.Varint
  ( -- * Any format
    getVarint,

    -- * LEB128
    -- $leb128
    getWord16LEB128,
    getWord32LEB128,
    getWord64LEB128,
    getWordLEB128,
    getInt16LEB128,
    getInt32LEB128,
    getInt64LEB128,
    getIntLEB128,

    -- * LEB128, padded
    -- $padded
    getWord16LEB128Lenient,
    getWord32LEB128Lenient,
    getWord64LEB128Lenient,
    getWordLEB128Lenient,
    getInt16LEB128Lenient,
    getInt32LEB128Lenient,
    getInt64LEB128Lenient,
    getIntLEB128Lenient,

    -- * Protocol Buffers, strict
    -- $protobuf
    getWord32Varint,
    getWord64Varint,
    getWordVarint,
    getInt32Varint,
    getInt64Varint,
    getIntVarint,
    getInt32Zigzag,
    getInt64Zigzag,
    getIntZigzag,

    -- * Protocol Buffers, lenient
    -- $lenient
    getWord32VarintLenient,
    getWord64VarintLenient,
    getWordVarintLenient,
    getInt32VarintLenient,
    getInt64VarintLenient,
    getIntVarintLenient,
    getInt32ZigzagLenient,
    getInt64ZigzagLenient,
    getIntZigzagLenient,

    -- * A section with its length before it
    lengthPrefixedVarint,
    lengthPrefixedVarintLenient,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Varint
import qualified Ashlar.Prim.Varint as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)

-- $leb128
-- Little Endian Base 128, as in "Ashlar.Builder.Varint".

-- $protobuf
-- The integers of Protocol Buffers, as in "Ashlar.Builder.Varint". Use these where each value must
-- have only one encoding: for signatures, for keys, for formats of your own.

-- $lenient
-- The integers of Protocol Buffers, as other implementations read them. Use these for messages of
-- other programs. They accept up to ten bytes, even if fewer would do, and drop the bits that the
-- type cannot hold: an @int64@ that is read as @int32@ keeps its low 32 bits. More than ten bytes
-- are an error.

-- $padded
-- LEB128 as in WebAssembly (section 5.2.2) and DWARF. Linkers reserve bytes for a number that they
-- write later, and then pad it. A number may have as many bytes as the longest number of its type.
-- The bits that the type cannot hold must be zero, or equal to the sign.

-- | A number in unsigned LEB128: 1 to 3 bytes.
getWord16LEB128 :: Get Word16
getWord16LEB128 = getVarint P.word16LEB128
{-# INLINE getWord16LEB128 #-}

-- | A number in unsigned LEB128: 1 to 5 bytes.
getWord32LEB128 :: Get Word32
getWord32LEB128 = getVarint P.word32LEB128
{-# INLINE getWord32LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
getWord64LEB128 :: Get Word64
getWord64LEB128 = getVarint P.word64LEB128
{-# INLINE getWord64LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
getWordLEB128 :: Get Word
getWordLEB128 = getVarint P.wordLEB128
{-# INLINE getWordLEB128 #-}

-- | A number in signed LEB128: 1 to 3 bytes.
getInt16LEB128 :: Get Int16
getInt16LEB128 = getVarint P.int16LEB128
{-# INLINE getInt16LEB128 #-}

-- | A number in signed LEB128: 1 to 5 bytes.
getInt32LEB128 :: Get Int32
getInt32LEB128 = getVarint P.int32LEB128
{-# INLINE getInt32LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
getInt64LEB128 :: Get Int64
getInt64LEB128 = getVarint P.int64LEB128
{-# INLINE getInt64LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
getIntLEB128 :: Get Int
getIntLEB128 = getVarint P.intLEB128
{-# INLINE getIntLEB128 #-}

-- | A number in unsigned LEB128, which may be padded: 1 to 3 bytes.
getWord16LEB128Lenient :: Get Word16
getWord16LEB128Lenient = getVarint (P.padded P.word16LEB128)
{-# INLINE getWord16LEB128Lenient #-}

-- | A number in unsigned LEB128, which may be padded: 1 to 5 bytes.
--
-- >>> runGet getWord32LEB128Lenient "\172\130\128\128\0"
-- Right 300
getWord32LEB128Lenient :: Get Word32
getWord32LEB128Lenient = getVarint (P.padded P.word32LEB128)
{-# INLINE getWord32LEB128Lenient #-}

-- | A number in unsigned LEB128, which may be padded: 1 to 10 bytes.
getWord64LEB128Lenient :: Get Word64
getWord64LEB128Lenient = getVarint (P.padded P.word64LEB128)
{-# INLINE getWord64LEB128Lenient #-}

-- | A number in unsigned LEB128, which may be padded: 1 to 10 bytes.
getWordLEB128Lenient :: Get Word
getWordLEB128Lenient = getVarint (P.padded P.wordLEB128)
{-# INLINE getWordLEB128Lenient #-}

-- | A number in signed LEB128, which may be padded: 1 to 3 bytes.
getInt16LEB128Lenient :: Get Int16
getInt16LEB128Lenient = getVarint (P.padded P.int16LEB128)
{-# INLINE getInt16LEB128Lenient #-}

-- | A number in signed LEB128, which may be padded: 1 to 5 bytes.
--
-- >>> runGet getInt32LEB128Lenient "\254\255\DEL"
-- Right (-2)
getInt32LEB128Lenient :: Get Int32
getInt32LEB128Lenient = getVarint (P.padded P.int32LEB128)
{-# INLINE getInt32LEB128Lenient #-}

-- | A number in signed LEB128, which may be padded: 1 to 10 bytes.
getInt64LEB128Lenient :: Get Int64
getInt64LEB128Lenient = getVarint (P.padded P.int64LEB128)
{-# INLINE getInt64LEB128Lenient #-}

-- | A number in signed LEB128, which may be padded: 1 to 10 bytes.
getIntLEB128Lenient :: Get Int
getIntLEB128Lenient = getVarint (P.padded P.intLEB128)
{-# INLINE getIntLEB128Lenient #-}
