-- |
-- Module      : Ashlar.Internal.Prim.Varint.LEB128
-- Description : LEB128, unsigned and signed
--
-- Little Endian Base 128, as in DWARF (version 5, section 7.6) and WebAssembly
-- (section 5.2.2). Seven bits of the number in each byte, the least significant first; the
-- highest bit of a byte is set if another one follows. A signed number is
-- written in two's complement, cut down to the groups that are needed to tell
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
  )
where

import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Groups
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)

sizeUnsigned :: Integral a => a -> Int
sizeUnsigned = groupsOfBits . bitsUnsigned . fromIntegral
{-# INLINE sizeUnsigned #-}

sizeSigned :: Integral a => a -> Int
sizeSigned = groupsOfBits . bitsSigned . fromIntegral
{-# INLINE sizeSigned #-}

-- | 1 to 3 bytes.
--
-- @since 0.1.0.0
word16LEB128 :: Varint Word16
word16LEB128 = Varint (boundedPrim 3 writeUnsigned16) sizeUnsigned
{-# INLINE word16LEB128 #-}

-- | 1 to 5 bytes.
--
-- @since 0.1.0.0
word32LEB128 :: Varint Word32
word32LEB128 = Varint (boundedPrim 5 writeUnsigned32) sizeUnsigned
{-# INLINE word32LEB128 #-}

-- | 1 to 10 bytes.
--
-- @since 0.1.0.0
word64LEB128 :: Varint Word64
word64LEB128 = Varint (boundedPrim 10 writeUnsigned64) sizeUnsigned
{-# INLINE word64LEB128 #-}

-- | 1 to 10 bytes.
--
-- @since 0.1.0.0
wordLEB128 :: Varint Word
wordLEB128 = Varint (boundedPrim 10 (writeUnsigned64 . fromIntegral)) sizeUnsigned
{-# INLINE wordLEB128 #-}

-- | 1 to 3 bytes.
--
-- @since 0.1.0.0
int16LEB128 :: Varint Int16
int16LEB128 = Varint (boundedPrim 3 writeSigned16) sizeSigned
{-# INLINE int16LEB128 #-}

-- | 1 to 5 bytes.
--
-- @since 0.1.0.0
int32LEB128 :: Varint Int32
int32LEB128 = Varint (boundedPrim 5 writeSigned32) sizeSigned
{-# INLINE int32LEB128 #-}

-- | 1 to 10 bytes.
--
-- @since 0.1.0.0
int64LEB128 :: Varint Int64
int64LEB128 = Varint (boundedPrim 10 writeSigned64) sizeSigned
{-# INLINE int64LEB128 #-}

-- | 1 to 10 bytes.
--
-- @since 0.1.0.0
intLEB128 :: Varint Int
intLEB128 = Varint (boundedPrim 10 (writeSigned64 . fromIntegral)) sizeSigned
{-# INLINE intLEB128 #-}
