{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Prim.Varint
-- Description : Variable-length integers (varints): LEB128, Protocol Buffers
--
-- Each format as one value, which knows how to write a number, the bytes that this takes, and how
-- to read it back. "Ashlar.Builder.Varint" has a builder of the same name for each, and
-- "Ashlar.Get.Varint" a decoder. Import this module qualified. (@Ashlar.Compat.Varint@ of the
-- package @ashlar-compat@ has the formats of MIDI, ASN.1, git, SQLite and mason.)
--
-- >>> import qualified Ashlar.Prim.Varint as P
-- >>> P.varintSize P.word32Varint 300
-- 2
-- >>> import Ashlar.Builder.Prim (primBounded)
-- >>> primBounded (P.varintPrim P.word32Varint) 300
-- "\172\STX"
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> runGet (getVarint P.word32Varint) "\172\STX"
-- Right 300
module Ashlar.Prim.Varint
  ( -- * Formats
    Varint,
    varintPrim,
    varintSize,
    varintBound,
    padded,

    -- * LEB128
    -- $leb128
    word16LEB128,
    word32LEB128,
    word64LEB128,
    wordLEB128,
    int16LEB128,
    int32LEB128,
    int64LEB128,
    intLEB128,

    -- * Protocol Buffers
    -- $protobuf
    word32Varint,
    word64Varint,
    wordVarint,
    int32Varint,
    int64Varint,
    intVarint,
    int32Zigzag,
    int64Zigzag,
    intZigzag,
    zigzag32,
    zigzag64,
    unZigzag32,
    unZigzag64,
  )
where

import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Type
import Data.Bits (finiteBitSize, unsafeShiftL, unsafeShiftR, xor, (.&.))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr)

-- $leb128
-- Little Endian Base 128, as in DWARF (version 5, section 7.6) and WebAssembly. Each byte has seven
-- bits, the least significant first. Its highest bit is set if another byte follows. A signed
-- number is in two's complement, in as few bytes as tell its sign.

-- $protobuf
-- The integers of Protocol Buffers (page "Encoding" of its documentation). A varint is unsigned
-- LEB128. A negative number is extended to 64 bits, and takes 10 bytes. Zigzag writes the index in
-- the sequence 0, -1, 1, -2, 2 and so on, which is short for numbers near 0.

-- An unsigned format: the most bytes that a number takes, and the writer.
unsigned ::
  forall a.
  (Bounded a, Integral a) =>
  Int ->
  (a -> Ptr Word8 -> IO (Ptr Word8)) ->
  Varint a
unsigned bound write =
  Varint (boundedPrim bound write) (groupsOfBits . bitsUnsigned . fromIntegral) $
    readAsUnsigned (rangeOf (0 :: a)) fromIntegral
{-# INLINE unsigned #-}

signed ::
  forall a.
  (Bounded a, Integral a) =>
  Int ->
  (a -> Ptr Word8 -> IO (Ptr Word8)) ->
  Varint a
signed bound write =
  Varint (boundedPrim bound write) (groupsOfBits . bitsSigned . fromIntegral) $
    ReadHalf (< 0x80) fromGroup (Signed Shortest (rangeOf (0 :: a))) fromIntegral
  where
    -- Extends the sign of the seven bits.
    fromGroup b = fromIntegral ((fromIntegral (b `unsafeShiftL` 1) :: Int8) `unsafeShiftR` 1)
{-# INLINE signed #-}

-- | The same format, whose numbers may be padded: as many groups are accepted as the longest number
-- of the type has, needed or not. Formats that cannot be padded stay as they are, and so do
-- 'int32Varint', 'int64Varint' and 'intVarint'. For Protocol Buffers, "Ashlar.Get.Varint" has
-- lenient decoders.
--
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> import Ashlar.Prim.Varint
-- >>> runGet (getVarint (padded word32LEB128)) "\172\130\128\128\0"
-- Right 300
padded :: Varint a -> Varint a
padded (Varint prim sizeOf (ReadHalf alone short code long)) =
  Varint prim sizeOf . flip (ReadHalf alone short) long $ case code of
    -- (Else a negative number has more groups than the type.)
    Unsigned _ range | rangeToZero range == 0 -> Unsigned Padded range
    Unsigned form range -> Unsigned form range
    Signed _ range -> Signed Padded range
    Other _ reading -> Other Padded reading
    Lenient -> Lenient
{-# INLINE padded #-}

-- | Read an unsigned number, and apply a function to it.
readAsUnsigned ::
  -- | The range of the number before it is changed.
  Range ->
  (Word64 -> a) ->
  ReadHalf a
readAsUnsigned range change =
  ReadHalf (< 0x80) (change . fromIntegral) (Unsigned Shortest range) change
{-# INLINE readAsUnsigned #-}

-- | 1 to 3 bytes.
word16LEB128 :: Varint Word16
word16LEB128 = unsigned 3 writeUnsigned16
{-# INLINE word16LEB128 #-}

-- | 1 to 5 bytes.
word32LEB128 :: Varint Word32
word32LEB128 = unsigned 5 writeUnsigned32
{-# INLINE word32LEB128 #-}

-- | 1 to 10 bytes.
word64LEB128 :: Varint Word64
word64LEB128 = unsigned 10 writeUnsigned64
{-# INLINE word64LEB128 #-}

-- | 1 to 10 bytes.
wordLEB128 :: Varint Word
wordLEB128 = unsigned 10 (writeUnsigned64 . fromIntegral)
{-# INLINE wordLEB128 #-}

-- | 1 to 3 bytes.
int16LEB128 :: Varint Int16
int16LEB128 = signed 3 writeSigned16
{-# INLINE int16LEB128 #-}

-- | 1 to 5 bytes.
int32LEB128 :: Varint Int32
int32LEB128 = signed 5 writeSigned32
{-# INLINE int32LEB128 #-}

-- | 1 to 10 bytes.
int64LEB128 :: Varint Int64
int64LEB128 = signed 10 writeSigned64
{-# INLINE int64LEB128 #-}

-- | 1 to 10 bytes.
intLEB128 :: Varint Int
intLEB128 = signed 10 (writeSigned64 . fromIntegral)
{-# INLINE intLEB128 #-}

-- The integers of Protocol Buffers.

-- A signed number, extended to 64 bits of two's complement and written as an unsigned number.
extended :: forall a. (Bounded a, Integral a) => Varint a
extended =
  Varint (boundedPrim 10 (writeUnsigned64 . bits)) (groupsOfBits . bitsUnsigned . bits) $
    readAsUnsigned (rangeOf (0 :: a)) fromIntegral
  where
    bits x = fromIntegral (fromIntegral x :: Int64)
{-# INLINE extended #-}

-- A format that writes each number as an unsigned number of another type. The function that
-- converts back gets 64 bits: 'lenient' may read more bits than that type has.
via :: forall a w. (Bounded w, Integral w) => (a -> w) -> (Word64 -> a) -> Varint w -> Varint a
via to from (Varint prim sizeOf _) =
  Varint (contramapB to prim) (sizeOf . to) $ readAsUnsigned (rangeOf (0 :: w)) from
{-# INLINE via #-}

-- | @uint32@: 1 to 5 bytes.
word32Varint :: Varint Word32
word32Varint = word32LEB128
{-# INLINE word32Varint #-}

-- | @uint64@: 1 to 10 bytes.
word64Varint :: Varint Word64
word64Varint = word64LEB128
{-# INLINE word64Varint #-}

-- | @uint64@: 1 to 10 bytes.
wordVarint :: Varint Word
wordVarint = wordLEB128
{-# INLINE wordVarint #-}

-- | @int32@ and @enum@: 1 to 5 bytes, or 10 if negative.
int32Varint :: Varint Int32
int32Varint = extended
{-# INLINE int32Varint #-}

-- | @int64@: 1 to 9 bytes, or 10 if negative.
int64Varint :: Varint Int64
int64Varint = extended
{-# INLINE int64Varint #-}

-- | @int64@: 1 to 9 bytes, or 10 if negative.
intVarint :: Varint Int
intVarint = extended
{-# INLINE intVarint #-}

-- | @sint32@: 1 to 5 bytes.
int32Zigzag :: Varint Int32
int32Zigzag = via zigzag32 (unZigzag32 . fromIntegral) word32LEB128
{-# INLINE int32Zigzag #-}

-- | @sint64@: 1 to 10 bytes.
int64Zigzag :: Varint Int64
int64Zigzag = via zigzag64 unZigzag64 word64LEB128
{-# INLINE int64Zigzag #-}

-- | @sint64@: 1 to 10 bytes.
intZigzag :: Varint Int
intZigzag
  | finiteBitSize (0 :: Int) == 64 = via (zigzag64 . fromIntegral) from word64LEB128
  | otherwise = via (zigzag32 . fromIntegral) from word32LEB128
  where
    -- 64 bits also where an Int has 32, because 'lenient' may read more than 32 bits.
    from = fromIntegral . unZigzag64
{-# INLINE intZigzag #-}

-- | The index of a number in the sequence 0, -1, 1, -2, 2 and so on.
--
-- >>> import Ashlar.Prim.Varint (zigzag32)
-- >>> map zigzag32 [0, -1, 1, minBound]
-- [0,1,2,4294967295]
zigzag32 :: Int32 -> Word32
zigzag32 x = fromIntegral ((x `unsafeShiftL` 1) `xor` (x `unsafeShiftR` 31))
{-# INLINE zigzag32 #-}

-- | 'zigzag32' for 64 bits.
zigzag64 :: Int64 -> Word64
zigzag64 x = fromIntegral ((x `unsafeShiftL` 1) `xor` (x `unsafeShiftR` 63))
{-# INLINE zigzag64 #-}

-- | The number at an index of the sequence 0, -1, 1, -2, 2 and so on.
--
-- >>> import Ashlar.Prim.Varint (unZigzag32)
-- >>> map unZigzag32 [0, 1, 2, 3, maxBound]
-- [0,-1,1,-2,-2147483648]
unZigzag32 :: Word32 -> Int32
unZigzag32 w = fromIntegral ((w `unsafeShiftR` 1) `xor` negate (w .&. 1))
{-# INLINE unZigzag32 #-}

-- | 'unZigzag32' for 64 bits.
unZigzag64 :: Word64 -> Int64
unZigzag64 w = fromIntegral ((w `unsafeShiftR` 1) `xor` negate (w .&. 1))
{-# INLINE unZigzag64 #-}
