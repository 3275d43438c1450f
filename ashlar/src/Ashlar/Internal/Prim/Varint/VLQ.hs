-- |
-- Module      : Ashlar.Internal.Prim.Varint.VLQ
-- Description : Variable-length quantities, with a bit for the sign
--
-- The format of @mason@: groups of bits, the least significant first. The highest bit of a byte is
-- set if another one follows.
--
-- An unsigned number has seven bits in each byte, as in LEB128. A signed number is its sign and
-- magnitude: the second highest bit of the first byte is the sign, which leaves six bits there.
--
-- The quantities of MIDI have the same name, and the most significant bits first. They are another
-- format.
module Ashlar.Internal.Prim.Varint.VLQ
  ( wordVLQ,
    intVLQ,
    readSignAndMagnitude,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.LEB128 (wordLEB128)
import Ashlar.Internal.Prim.Varint.Type
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | 1 to 10 bytes.
wordVLQ :: Varint Word
wordVLQ = wordLEB128
{-# INLINE wordVLQ #-}

-- | 1 to 10 bytes.
intVLQ :: Varint Int
intVLQ =
  Varint (boundedPrim 10 intWrite) intSize $
    ReadHalf alone short (SignAndMagnitude (rangeOf (0 :: Int))) fromIntegral
  where
    -- Not a zero with a sign.
    alone b = b < 0x80 && b /= 0x40
    short b = if b < 0x40 then fromIntegral b else negate (fromIntegral (b .&. 0x3F))
{-# INLINE intVLQ #-}

-- (The absolute value of the least number is a 'Word64', and not an 'Int'.)
magnitude :: Int -> Word64
magnitude x = if x < 0 then negate (fromIntegral x) else fromIntegral x
{-# INLINE magnitude #-}

intWrite :: Int -> Ptr Word8 -> IO (Ptr Word8)
intWrite x p
  | m < 0x40 = first m
  -- 6 bits here, and at most 58 in at most 9 groups.
  | otherwise = first (0x80 .|. (m .&. 0x3F)) >>= writeUnsigned63 (m `unsafeShiftR` 6)
  where
    m = magnitude x
    sign = if x < 0 then 0x40 else 0
    first b = do
      pokeHost p (fromIntegral (b .|. sign) :: Word8)
      pure (p `plusPtr` 1)

intSize :: Int -> Int
intSize x
  | m < 0x40 = 1
  | otherwise = 1 + groupsOfBits (bitsUnsigned (m `unsafeShiftR` 6))
  where
    m = magnitude x

-- | Read a number as sign and magnitude, in a range.
readSignAndMagnitude ::
  Range ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there, at least one.
  Int ->
  IO Decoded
readSignAndMagnitude range p have = do
  b <- (fromIntegral :: Word8 -> Word64) <$> peekHost p
  of' b <$> if b < 0x80 then pure (Groups 0 0 0) else readGroups (p `plusPtr` 1) (have - 1)
  where
    of' b (Groups n rest _)
      | b == 0x40 = NegativeZero 1
      | b < 0x80 = Decoded 1 (signed (b .&. 0x3F))
      | n == 0 = Needs (have + 1)
      -- The magnitude is less than 2^63, or that with a sign; nine groups have 63 bits.
      | n > 9 || m > 0x7FFFFFFFFFFFFFFF + negative || rest > 0x200000000000000 =
        TooLarge (min (n + 1) 10)
      | rest == 0 = Overlong (n + 1)
      | otherwise = checked Shortest (n + 1) (1 + groupsOfBits (bitsUnsigned rest)) range (signed m)
      where
        m = (rest `unsafeShiftL` 6) .|. (b .&. 0x3F)
        negative = (b `unsafeShiftR` 6) .&. 1
        signed x = if negative == 1 then negate x else x
{-# INLINE readSignAndMagnitude #-}
