-- |
-- Module      : Ashlar.Get.Varint
-- Description : Decoders for numbers that take the more bytes the larger they are
--
-- The numbers that "Ashlar.Builder.Varint" writes. Each has one encoding, the shortest: all
-- other bytes are refused, and so is a number that its type cannot hold. The error is at the first
-- byte of the number.
--
-- >>> import Ashlar.Get.Varint
-- >>> runGet getWord64Varint "\172\STX"
-- Right 300
-- >>> either (putStrLn . displayException) print (runGet getWord64Varint "\128\0")
-- at byte 0: a varint that is not in its shortest form
--   00000000  80 00                                             |..|
--             ^^ ^^
--
-- A part with its length in front:
--
-- >>> runGet (getNested (fromIntegral <$> getWord32Varint) getRemainingByteString) "\3abcd"
-- Right "abc"
--
-- Note [Numbers of one byte]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most numbers in such formats are small. One of a single byte is read in code, like a
-- 'Ashlar.Get.getWord8' with a comparison; all others by a call.
module Ashlar.Get.Varint
  ( -- * LEB128
    -- $leb128
    getWord16LEB128,
    getWord32LEB128,
    getWord64LEB128,
    getWordLEB128,
    getInt16LEB128,
    getInt32LEB128,
    getInt64LEB128,
    getIntLEB128,

    -- * Protocol Buffers
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
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (peekFound)
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Prefix (readPrefixed)
import Ashlar.Internal.Prim.Varint.Protobuf (unZigzag32, unZigzag64)
import Ashlar.Internal.Prim.Varint.VLQ (readSignAndMagnitude)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.IO (IO (..))

-- A number: what a single byte is, for those bytes of which a predicate holds; what all
-- others are, made of what is read. It is forced.
startingWith :: (Word8 -> Bool) -> (Word8 -> a) -> (Word64 -> a) -> Get Word64 -> Get a
startingWith alone short long (Get readLong) = step $ \c env -> do
  p <- need c env 1
  b <- peekHost p
  if alone b
    then putPtr c cursorCell (p `plusPtr` 1) >> (pure $! short b)
    else IO (readLong c env) >>= \x -> pure $! long x
{-# INLINE startingWith #-}

-- The number that a function for the bytes at the cursor reads; it is given how many
-- bytes are readable there, and called again when it needs more.
reading :: (Ptr Word8 -> Int -> IO Decoded) -> Get Word64
reading rd = step go
  where
    go c env = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      decoded <- rd p (e `minusPtr` p)
      case decoded of
        Decoded n x -> x <$ putPtr c cursorCell (p `plusPtr` n)
        -- More than there are, so this comes to an end.
        Needs n -> need c env n >> go c env
        Overlong n -> refused c env p n "a varint that is not in its shortest form"
        TooLarge n -> refused c env p n "a varint that does not fit its type"
        NegativeZero n -> refused c env p n "a varint of negative zero"
{-# INLINE reading #-}

-- The number is so many bytes, which are there.
refused :: Cells -> Env -> Ptr Word8 -> Int -> String -> IO a
refused c env p n message = do
  at <- position c
  found <- peekFound p n
  failWith c env (at + n) at found (Invalid message)
{-# NOINLINE refused #-}

-- In ranges that are given as for 'checked'.

longUnsigned, longSigned, longVLQ :: Word64 -> Word64 -> Get Word64
longUnsigned toZero greatest = reading (readUnsigned toZero greatest)
longSigned toZero greatest = reading (readSigned toZero greatest)
longVLQ toZero greatest = reading (readSignAndMagnitude toZero greatest)
{-# NOINLINE longUnsigned #-}
{-# NOINLINE longSigned #-}
{-# NOINLINE longVLQ #-}

longPrefixed :: Word64 -> Get Word64
longPrefixed greatest = reading (readPrefixed greatest)
{-# NOINLINE longPrefixed #-}

-- An unsigned number that is changed by a function.
unsigned :: (Word64 -> a) -> Word64 -> Word64 -> Get a
unsigned change toZero greatest = startingWith (< 0x80) (change . fromIntegral) change (longUnsigned toZero greatest)
{-# INLINE unsigned #-}

-- A number in two's complement.
signed :: Num a => Word64 -> Word64 -> Get a
signed toZero greatest = startingWith (< 0x80) short fromIntegral (longSigned toZero greatest)
  where
    -- Its seven bits are moved up, and down with the sign.
    short b = fromIntegral ((fromIntegral (b `unsafeShiftL` 1) :: Int8) `unsafeShiftR` 1)
{-# INLINE signed #-}

-- $leb128
-- As in "Ashlar.Builder.Varint": Little Endian Base 128.

-- $protobuf
-- As in "Ashlar.Builder.Varint": the integers of Protocol Buffers. (Its own decoders accept
-- encodings that are longer than they need be, and cut numbers off that are too large; these do not.)

-- $vlq
-- As in "Ashlar.Builder.Varint": variable-length quantities of @mason@.

-- $prefix
-- As in "Ashlar.Builder.Varint": the first byte tells the number of bytes.

-- | A number in unsigned LEB128: 1 to 3 bytes.
--
-- @since 0.1.0.0
getWord16LEB128 :: Get Word16
getWord16LEB128 = unsigned fromIntegral 0 (fromIntegral (maxBound :: Word16))
{-# INLINE getWord16LEB128 #-}

-- | A number in unsigned LEB128: 1 to 5 bytes.
--
-- @since 0.1.0.0
getWord32LEB128 :: Get Word32
getWord32LEB128 = unsigned fromIntegral 0 (fromIntegral (maxBound :: Word32))
{-# INLINE getWord32LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord64LEB128 :: Get Word64
getWord64LEB128 = unsigned id 0 maxBound
{-# INLINE getWord64LEB128 #-}

-- | A number in unsigned LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWordLEB128 :: Get Word
getWordLEB128 = unsigned fromIntegral 0 (fromIntegral (maxBound :: Word))
{-# INLINE getWordLEB128 #-}

-- | A number in signed LEB128: 1 to 3 bytes.
--
-- @since 0.1.0.0
getInt16LEB128 :: Get Int16
getInt16LEB128 = signed (negate (fromIntegral (minBound :: Int16))) (fromIntegral (maxBound :: Int16) - fromIntegral (minBound :: Int16))
{-# INLINE getInt16LEB128 #-}

-- | A number in signed LEB128: 1 to 5 bytes.
--
-- @since 0.1.0.0
getInt32LEB128 :: Get Int32
getInt32LEB128 = signed (negate (fromIntegral (minBound :: Int32))) (fromIntegral (maxBound :: Int32) - fromIntegral (minBound :: Int32))
{-# INLINE getInt32LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64LEB128 :: Get Int64
getInt64LEB128 = signed (negate (fromIntegral (minBound :: Int64))) (fromIntegral (maxBound :: Int64) - fromIntegral (minBound :: Int64))
{-# INLINE getInt64LEB128 #-}

-- | A number in signed LEB128: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntLEB128 :: Get Int
getIntLEB128 = signed (negate (fromIntegral (minBound :: Int))) (fromIntegral (maxBound :: Int) - fromIntegral (minBound :: Int))
{-# INLINE getIntLEB128 #-}

-- | A number as @uint32@: 1 to 5 bytes.
--
-- @since 0.1.0.0
getWord32Varint :: Get Word32
getWord32Varint = unsigned fromIntegral 0 (fromIntegral (maxBound :: Word32))
{-# INLINE getWord32Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWord64Varint :: Get Word64
getWord64Varint = unsigned id 0 maxBound
{-# INLINE getWord64Varint #-}

-- | A number as @uint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getWordVarint :: Get Word
getWordVarint = unsigned fromIntegral 0 (fromIntegral (maxBound :: Word))
{-# INLINE getWordVarint #-}

-- | A number as @int32@ or @enum@: 1 to 5 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getInt32Varint :: Get Int32
getInt32Varint = unsigned fromIntegral (negate (fromIntegral (minBound :: Int32))) (fromIntegral (maxBound :: Int32) - fromIntegral (minBound :: Int32))
{-# INLINE getInt32Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getInt64Varint :: Get Int64
getInt64Varint = unsigned fromIntegral (negate (fromIntegral (minBound :: Int64))) (fromIntegral (maxBound :: Int64) - fromIntegral (minBound :: Int64))
{-# INLINE getInt64Varint #-}

-- | A number as @int64@: 1 to 9 bytes, or 10 if negative.
--
-- @since 0.1.0.0
getIntVarint :: Get Int
getIntVarint = unsigned fromIntegral (negate (fromIntegral (minBound :: Int))) (fromIntegral (maxBound :: Int) - fromIntegral (minBound :: Int))
{-# INLINE getIntVarint #-}

-- | A number as @sint32@: 1 to 5 bytes.
--
-- @since 0.1.0.0
getInt32Zigzag :: Get Int32
getInt32Zigzag = unsigned (unZigzag32 . fromIntegral) 0 (fromIntegral (maxBound :: Word32))
{-# INLINE getInt32Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getInt64Zigzag :: Get Int64
getInt64Zigzag = unsigned unZigzag64 0 maxBound
{-# INLINE getInt64Zigzag #-}

-- | A number as @sint64@: 1 to 10 bytes.
--
-- @since 0.1.0.0
getIntZigzag :: Get Int
getIntZigzag = unsigned (fromIntegral . unZigzag64) 0 (fromIntegral (maxBound :: Word))
{-# INLINE getIntZigzag #-}

-- | A number of seven bits in each byte: 1 to 10 bytes. (The same as 'getWordLEB128'.)
--
-- @since 0.1.0.0
getWordVLQ :: Get Word
getWordVLQ = getWordLEB128
{-# INLINE getWordVLQ #-}

-- | A number as sign and magnitude: 1 to 10 bytes. A zero with a sign is refused.
--
-- @since 0.1.0.0
getIntVLQ :: Get Int
getIntVLQ = startingWith (\b -> b < 0x80 && b /= 0x40) short fromIntegral (longVLQ (negate (fromIntegral (minBound :: Int))) (fromIntegral (maxBound :: Int) - fromIntegral (minBound :: Int)))
  where
    short b = if b < 0x40 then fromIntegral b else negate (fromIntegral (b .&. 0x3F))
{-# INLINE getIntVLQ #-}

-- | A number whose first byte tells the number of bytes: 1 to 9.
--
-- @since 0.1.0.0
getPrefixVarInt :: Get Word
getPrefixVarInt = startingWith odd (\b -> fromIntegral (b `unsafeShiftR` 1)) fromIntegral (longPrefixed (fromIntegral (maxBound :: Word)))
{-# INLINE getPrefixVarInt #-}
