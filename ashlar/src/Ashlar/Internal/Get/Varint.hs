-- |
-- Module      : Ashlar.Internal.Get.Varint
-- Description : The decoders of varint formats
--
-- Note [Numbers of one byte]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most numbers in varint formats are small. Numbers of one byte are read by inlined code, a
-- 'Ashlar.Get.getWord8' and a comparison. All others are read by a call.
module Ashlar.Internal.Get.Varint
  ( getVarint,
    getConverted,

    -- * Strict
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

    -- * A section with its length before it
    lengthPrefixedVarint,
    lengthPrefixedVarintLenient,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (peekFound)
import Ashlar.Internal.Get.Strings (getNested)
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Type
import qualified Ashlar.Prim.Varint as P
import Data.Either (isRight)
import Data.Int (Int32, Int64)
import Data.Word (Word32, Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- | A number in a varint format. The strict decoders of "Ashlar.Get.Varint" are this one, each for
-- a format of "Ashlar.Prim.Varint".
--
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> import qualified Ashlar.Prim.Varint as P
-- >>> runGet (getVarint P.int32Zigzag) "\ETX"
-- Right (-2)
getVarint :: Varint a -> Get a
getVarint format = startingWith alone short long (coded code)
  where
    ReadHalf alone short code long = varintRead format
{-# INLINE getVarint #-}

-- | An unsigned number of 64 bits in LEB128, converted. If the conversion returns a message, fail
-- with that at the first byte of the number.
getConverted ::
  -- | The same conversion for a number of one byte that is accepted.
  (Word8 -> a) ->
  -- | The conversion.
  (Word64 -> Either String a) ->
  Get a
getConverted short check = startingWith alone short id (refine check longest)
  where
    longest = longUnsigned Shortest 0 maxBound
    alone b = b < 0x80 && isRight (check (fromIntegral b))
{-# INLINE getConverted #-}

-- Read a number. If the predicate holds of its first byte, the number is the first function of that
-- byte. Otherwise it is the second function of what the decoder reads. The number is forced.
-- (Note [Numbers of one byte].)
startingWith :: (Word8 -> Bool) -> (Word8 -> a) -> (w -> a) -> Get w -> Get a
startingWith alone short long readLong = do
  need 1
  b <- inspect (\_ _ p -> peekHost p)
  if alone b
    then moveBy 1 *> (pure $! short b)
    else readLong >>= \x -> pure $! long x
{-# INLINE startingWith #-}

-- The decoder for a code: Note [A code is no function] in "Ashlar.Internal.Prim.Varint.Type".
coded :: Code -> Get Word64
coded code = case code of
  Unsigned form (Range toZero greatest) -> longUnsigned form toZero greatest
  Signed form (Range toZero greatest) -> longSigned form toZero greatest
  Lenient -> longLenient
  Other form rd -> longOther form rd
{-# INLINE coded #-}

longUnsigned, longSigned :: Form -> Word64 -> Word64 -> Get Word64
longUnsigned form toZero greatest = reading (readUnsigned form (Range toZero greatest))
longSigned form toZero greatest = reading (readSigned form (Range toZero greatest))
{-# NOINLINE longUnsigned #-}
{-# NOINLINE longSigned #-}

longLenient :: Get Word64
longLenient = reading readLenient
{-# NOINLINE longLenient #-}

longOther :: Form -> (Form -> Ptr Word8 -> Int -> IO Decoded) -> Get Word64
longOther form rd = reading (rd form)
{-# NOINLINE longOther #-}

-- Read a number by a function, which is given the cursor and the number of bytes that are readable
-- there, and is called again after it has asked for more.
reading :: (Ptr Word8 -> Int -> IO Decoded) -> Get Word64
reading rd = go
  where
    go = do
      decoded <- inspect (\c _ p -> getPtr c endCell >>= \e -> rd p (e `minusPtr` p))
      case decoded of
        Decoded n x -> x <$ moveBy n
        -- n is greater than the number of readable bytes, so the loop ends.
        Needs n -> need n *> go
        Overlong n -> refused n "a varint that is not in its shortest form"
        TooLarge n -> refused n "a varint that does not fit its type"
        Malformed n message -> refused n message
        TooLong n -> refused n ("a varint of more than " ++ show n ++ " bytes")
{-# INLINE reading #-}

-- Fail because of the number at the cursor.
refused ::
  -- How many bytes it has, all of which are readable.
  Int ->
  String ->
  Get a
refused n message = do
  at <- here
  found <- inspect (\_ _ p -> peekFound p n)
  failWith (at + n) at found (Invalid message)
{-# NOINLINE refused #-}

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

-- | A section with its length before it. The length is a strict @uint64@, and the decoder runs on
-- the bytes of the section alone, as by 'Ashlar.Get.isolate'. Strings, bytes, messages and packed
-- numbers of Protocol Buffers have this format.
--
-- The decoder must read all bytes of the section. If the input has too few bytes, and the decoder
-- does not fail, the error is at the beginning of the section.
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

-- (No input is longer than the greatest 'Int'.)
toLength :: Word64 -> Get Int
toLength n
  | n <= fromIntegral (maxBound :: Int) = pure (fromIntegral n)
  | otherwise = invalid ("a part of " ++ show n ++ " bytes")
{-# INLINE toLength #-}
