-- |
-- Module      : Ashlar.Internal.Get.Varint.Protobuf
-- Description : Decoders for the integers of Protocol Buffers
module Ashlar.Internal.Get.Varint.Protobuf
  ( -- * Strict
    getWord32Varint,
    getWord64Varint,
    getWordVarint,
    getInt32Varint,
    getInt64Varint,
    getIntVarint,
    getInt32Zigzag,
    getInt64Zigzag,
    getIntZigzag,

    -- * Lenient
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
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Strings (getNested)
import Ashlar.Internal.Get.Varint
import Ashlar.Internal.Prim.Varint.Protobuf (lenient)
import qualified Ashlar.Internal.Prim.Varint.Protobuf as P
import Data.Int (Int32, Int64)
import Data.Word (Word32, Word64)

-- | A number as @uint32@: 1 to 5 bytes.
getWord32Varint :: Get Word32
getWord32Varint = getVarint P.word32Varint
{-# INLINE getWord32Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
getWord64Varint :: Get Word64
getWord64Varint = getVarint P.word64Varint
{-# INLINE getWord64Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
getWordVarint :: Get Word
getWordVarint = getVarint P.wordVarint
{-# INLINE getWordVarint #-}

-- | A number as @int32@ or @enum@: 1 to 5 bytes, or 10 if negative.
getInt32Varint :: Get Int32
getInt32Varint = getVarint P.int32Varint
{-# INLINE getInt32Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
getInt64Varint :: Get Int64
getInt64Varint = getVarint P.int64Varint
{-# INLINE getInt64Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
getIntVarint :: Get Int
getIntVarint = getVarint P.intVarint
{-# INLINE getIntVarint #-}

-- | A number as @sint32@: 1 to 5 bytes.
getInt32Zigzag :: Get Int32
getInt32Zigzag = getVarint P.int32Zigzag
{-# INLINE getInt32Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
getInt64Zigzag :: Get Int64
getInt64Zigzag = getVarint P.int64Zigzag
{-# INLINE getInt64Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
getIntZigzag :: Get Int
getIntZigzag = getVarint P.intZigzag
{-# INLINE getIntZigzag #-}

-- | A number as @uint32@: 1 to 10 bytes.
getWord32VarintLenient :: Get Word32
getWord32VarintLenient = getVarint (lenient P.word32Varint)
{-# INLINE getWord32VarintLenient #-}

-- | A number as @uint64@: 1 to 10 bytes.
getWord64VarintLenient :: Get Word64
getWord64VarintLenient = getVarint (lenient P.word64Varint)
{-# INLINE getWord64VarintLenient #-}

-- | A number as @uint64@: 1 to 10 bytes.
getWordVarintLenient :: Get Word
getWordVarintLenient = getVarint (lenient P.wordVarint)
{-# INLINE getWordVarintLenient #-}

-- | A number as @int32@ or @enum@: 1 to 10 bytes.
--
-- >>> runGet getInt32VarintLenient "\255\255\255\255\SI"
-- Right (-1)
getInt32VarintLenient :: Get Int32
getInt32VarintLenient = getVarint (lenient P.int32Varint)
{-# INLINE getInt32VarintLenient #-}

-- | A number as @int64@: 1 to 10 bytes.
getInt64VarintLenient :: Get Int64
getInt64VarintLenient = getVarint (lenient P.int64Varint)
{-# INLINE getInt64VarintLenient #-}

-- | A number as @int64@: 1 to 10 bytes.
getIntVarintLenient :: Get Int
getIntVarintLenient = getVarint (lenient P.intVarint)
{-# INLINE getIntVarintLenient #-}

-- | A number as @sint32@: 1 to 10 bytes.
getInt32ZigzagLenient :: Get Int32
getInt32ZigzagLenient = getVarint (lenient P.int32Zigzag)
{-# INLINE getInt32ZigzagLenient #-}

-- | A number as @sint64@: 1 to 10 bytes.
getInt64ZigzagLenient :: Get Int64
getInt64ZigzagLenient = getVarint (lenient P.int64Zigzag)
{-# INLINE getInt64ZigzagLenient #-}

-- | A number as @sint64@: 1 to 10 bytes.
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
lengthPrefixedVarint :: Get a -> Get a
lengthPrefixedVarint = getNested (getWord64Varint >>= toLength)
{-# INLINE lengthPrefixedVarint #-}

-- | 'lengthPrefixedVarint' whose length is lenient.
--
-- >>> runGet (lengthPrefixedVarintLenient getRemainingByteString) "\131\0abcd"
-- Right "abc"
lengthPrefixedVarintLenient :: Get a -> Get a
lengthPrefixedVarintLenient = getNested (getWord64VarintLenient >>= toLength)
{-# INLINE lengthPrefixedVarintLenient #-}

-- No input is longer than an 'Int' can say, so such a part is longer than what is left.
toLength :: Word64 -> Get Int
toLength n
  | n <= fromIntegral (maxBound :: Int) = pure (fromIntegral n)
  | otherwise = invalid ("a part of " ++ show n ++ " bytes")
{-# INLINE toLength #-}
