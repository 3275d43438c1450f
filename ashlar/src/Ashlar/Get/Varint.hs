{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Varint
-- Description : Decoders for variable-length integers (varints)
--
-- Reads the numbers that "Ashlar.Builder.Varint" writes: small numbers take fewer bytes.
--
-- >>> import Ashlar.Get.Varint
-- >>> runGet getWord64Varint "\172\STX"
-- Right 300
--
-- The decoders are /strict/. Each number has one encoding, the shortest. They refuse all others,
-- and numbers that the type cannot hold. The error is at the first byte of the number.
--
-- >>> either (putStrLn . displayException) print (runGet getWord64Varint "\128\0")
-- at byte 0: a varint that is not in its shortest form
--   00000000  80 00                                             |..|
--             ^^ ^^
--
-- Those whose names end in @Lenient@ read what other programs write as Protocol Buffers.
--
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

    -- * A length before its part
    lengthPrefixedVarint,
    lengthPrefixedVarintLenient,

    -- * VLQ
    -- $vlq
    getWordVLQ,
    getIntVLQ,

    -- * Prefix varints
    -- $prefix
    getPrefixVarInt,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Strings (getNested)
import Ashlar.Internal.Get.Varint
import Ashlar.Internal.Prim.Varint.Protobuf (lenient)
import qualified Ashlar.Prim.Varint as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)

-- $leb128
-- Little Endian Base 128, as in "Ashlar.Builder.Varint".

-- $protobuf
-- The integers of Protocol Buffers, as in "Ashlar.Builder.Varint". Use these where each value must
-- have one encoding: for signatures, for keys, for formats of your own.

-- $lenient
-- The integers of Protocol Buffers, as its own decoders read them. Use these for messages of other
-- programs. They accept up to ten bytes, even if fewer would do, and drop the bits that the type
-- cannot hold: an @int64@ that is read as @int32@ keeps its low 32 bits. More than ten bytes are an
-- error.

-- $vlq
-- The variable-length quantities of @mason@, as in "Ashlar.Builder.Varint".

-- $prefix
-- The first byte tells the length, as in "Ashlar.Builder.Varint".

-- | A number in unsigned LEB128: 1 to 3 bytes.
--
-- @since 0.1.0.0
getWord16LEB128 :: Get Word16
getWord16LEB128 = getVarint P.word16LEB128
{-# INLINE getWord16LEB128 #-}

-- | A number in unsigned LEB128: 1 to 5 bytes.
--
-- @since 0.1.0.0
getWord32LEB128 :: Get Word32
getWord32LEB128 = getVarint P.word32LEB128
{-# INLINE getWord32LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord64LEB128 :: Get Word64
getWord64LEB128 = getVarint P.word64LEB128
{-# INLINE getWord64LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWordLEB128 :: Get Word
getWordLEB128 = getVarint P.wordLEB128
{-# INLINE getWordLEB128 #-}

-- | A number in signed LEB128: 1 to 3 bytes.
--
-- @since 0.1.0.0
getInt16LEB128 :: Get Int16
getInt16LEB128 = getVarint P.int16LEB128
{-# INLINE getInt16LEB128 #-}

-- | A number in signed LEB128: 1 to 5 bytes.
--
-- @since 0.1.0.0
getInt32LEB128 :: Get Int32
getInt32LEB128 = getVarint P.int32LEB128
{-# INLINE getInt32LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64LEB128 :: Get Int64
getInt64LEB128 = getVarint P.int64LEB128
{-# INLINE getInt64LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntLEB128 :: Get Int
getIntLEB128 = getVarint P.intLEB128
{-# INLINE getIntLEB128 #-}

-- | A number as @uint32@: 1 to 5 bytes.
--
-- @since 0.1.0.0
getWord32Varint :: Get Word32
getWord32Varint = getVarint P.word32Varint
{-# INLINE getWord32Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord64Varint :: Get Word64
getWord64Varint = getVarint P.word64Varint
{-# INLINE getWord64Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWordVarint :: Get Word
getWordVarint = getVarint P.wordVarint
{-# INLINE getWordVarint #-}

-- | A number as @int32@ or @enum@: 1 to 5 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getInt32Varint :: Get Int32
getInt32Varint = getVarint P.int32Varint
{-# INLINE getInt32Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getInt64Varint :: Get Int64
getInt64Varint = getVarint P.int64Varint
{-# INLINE getInt64Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getIntVarint :: Get Int
getIntVarint = getVarint P.intVarint
{-# INLINE getIntVarint #-}

-- | A number as @sint32@: 1 to 5 bytes.
--
-- @since 0.1.0.0
getInt32Zigzag :: Get Int32
getInt32Zigzag = getVarint P.int32Zigzag
{-# INLINE getInt32Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64Zigzag :: Get Int64
getInt64Zigzag = getVarint P.int64Zigzag
{-# INLINE getInt64Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntZigzag :: Get Int
getIntZigzag = getVarint P.intZigzag
{-# INLINE getIntZigzag #-}

-- | A number as @uint32@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord32VarintLenient :: Get Word32
getWord32VarintLenient = getVarint (lenient P.word32Varint)
{-# INLINE getWord32VarintLenient #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord64VarintLenient :: Get Word64
getWord64VarintLenient = getVarint (lenient P.word64Varint)
{-# INLINE getWord64VarintLenient #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWordVarintLenient :: Get Word
getWordVarintLenient = getVarint (lenient P.wordVarint)
{-# INLINE getWordVarintLenient #-}

-- | A number as @int32@ or @enum@: 1 to 10 bytes.
--
-- >>> runGet getInt32VarintLenient "\255\255\255\255\SI"
-- Right (-1)
--
-- @since 0.1.0.0
getInt32VarintLenient :: Get Int32
getInt32VarintLenient = getVarint (lenient P.int32Varint)
{-# INLINE getInt32VarintLenient #-}

-- | A number as @int64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64VarintLenient :: Get Int64
getInt64VarintLenient = getVarint (lenient P.int64Varint)
{-# INLINE getInt64VarintLenient #-}

-- | A number as @int64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntVarintLenient :: Get Int
getIntVarintLenient = getVarint (lenient P.intVarint)
{-# INLINE getIntVarintLenient #-}

-- | A number as @sint32@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt32ZigzagLenient :: Get Int32
getInt32ZigzagLenient = getVarint (lenient P.int32Zigzag)
{-# INLINE getInt32ZigzagLenient #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64ZigzagLenient :: Get Int64
getInt64ZigzagLenient = getVarint (lenient P.int64Zigzag)
{-# INLINE getInt64ZigzagLenient #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntZigzagLenient :: Get Int
getIntZigzagLenient = getVarint (lenient P.intZigzag)
{-# INLINE getIntZigzagLenient #-}

-- | A section with its length before it. The length is a @uint64@, and the decoder runs on the
-- bytes of the section alone, as by 'Ashlar.Get.isolate'. Strings, bytes, messages and packed
-- numbers of Protocol Buffers have this format.
--
-- The decoder must read the whole section. If the input ends before the section does, and the
-- decoder does not fail by itself, the error is at the beginning of the section. The length is
-- strict.
--
-- "Ashlar.Builder.Section" writes such sections: @lengthPrefixed (varintPrim word32Varint)@.
--
-- >>> runGet (lengthPrefixedVarint getRemainingByteString) "\3abcd"
-- Right "abc"
-- >>> runGet (lengthPrefixedVarint (many getWord32Varint)) "\3\1\172\2"
-- Right [1,300]
--
-- @since 0.1.0.0
lengthPrefixedVarint :: Get a -> Get a
lengthPrefixedVarint = getNested (getWord64Varint >>= toLength)
{-# INLINE lengthPrefixedVarint #-}

-- | 'lengthPrefixedVarint' whose length is lenient.
--
-- >>> runGet (lengthPrefixedVarintLenient getRemainingByteString) "\131\0abcd"
-- Right "abc"
--
-- @since 0.1.0.0
lengthPrefixedVarintLenient :: Get a -> Get a
lengthPrefixedVarintLenient = getNested (getWord64VarintLenient >>= toLength)
{-# INLINE lengthPrefixedVarintLenient #-}

-- No input is longer than an 'Int' can say, so such a part is longer than what is left.
toLength :: Word64 -> Get Int
toLength n
  | n <= fromIntegral (maxBound :: Int) = pure (fromIntegral n)
  | otherwise = invalid ("a part of " ++ show n ++ " bytes")
{-# INLINE toLength #-}

-- | A number of seven bits in each byte: 1 to 10 bytes. The same as 'getWordLEB128'.
--
-- @since 0.1.0.0
getWordVLQ :: Get Word
getWordVLQ = getVarint P.wordVLQ
{-# INLINE getWordVLQ #-}

-- | A number as sign and magnitude: 1 to 10 bytes. A zero with a sign is refused.
--
-- @since 0.1.0.0
getIntVLQ :: Get Int
getIntVLQ = getVarint P.intVLQ
{-# INLINE getIntVLQ #-}

-- | A number whose first byte tells its length: 1 to 9 bytes.
--
-- @since 0.1.0.0
getPrefixVarInt :: Get Word
getPrefixVarInt = getVarint P.prefixVarInt
{-# INLINE getPrefixVarInt #-}
