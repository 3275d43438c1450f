{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Prim.Varint.LEB128
-- Description : LEB128, unsigned and signed
--
-- Little Endian Base 128, as in DWARF (version 5, section 7.6) and WebAssembly (section 5.2.2).
-- Each byte has seven bits of the number, the least significant first. Its highest bit is set if
-- another byte follows. A signed number is in two's complement, cut down to the groups that tell
-- its sign. Each number is written in as few bytes as possible.
module Ashlar.Internal.Prim.Varint.LEB128
  ( -- * Unsigned
    word16LEB128,
    word32LEB128,
    word64LEB128,
    wordLEB128,

    -- * Signed
    int16LEB128,
    int32LEB128,
    int64LEB128,
    intLEB128,

    -- * Other rules for reading
    padded,

    -- * For other formats
    readAsUnsigned,
  )
where

import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Type
import Data.Bits (unsafeShiftL, unsafeShiftR)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr)

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

-- A signed one.
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
    -- Its seven bits are moved up, and down with the sign.
    fromGroup b = fromIntegral ((fromIntegral (b `unsafeShiftL` 1) :: Int8) `unsafeShiftR` 1)
{-# INLINE signed #-}

-- | Read a format with padding: accept as many groups as the type has room for, be they needed or
-- not. Formats that cannot be padded stay as they are.
padded :: Varint a -> Varint a
padded (Varint prim sizeOf (ReadHalf alone short code long)) =
  Varint prim sizeOf . flip (ReadHalf alone short) long $ case code of
    Unsigned _ range -> Unsigned Padded range
    Signed _ range -> Signed Padded range
    BigEndian _ range -> BigEndian Padded range
    other -> other
{-# INLINE padded #-}

-- | Read an unsigned number, which a function changes.
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
