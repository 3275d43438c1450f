{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Codec.Varint
-- Description : Numbers of which small ones take few bytes
--
-- Unsigned LEB128 (DWARF version 5, section 7.6; the varint of Protocol Buffers):
-- seven bits in each byte, the least significant first, and the highest bit set if
-- another byte follows. Each number has one encoding: reading refuses a last byte of
-- zero behind others, and what does not fit 64 bits.
module Ashlar.Codec.Varint
  ( varintSize,
    putVarint,
    getVarint,
    zigzag,
    unZigzag,
  )
where

import Ashlar.Builder.Core
import Ashlar.Get.Core (Get)
import Ashlar.Get.Varint (getWord64LEB128)
import Ashlar.Mem
import Data.Bits (countLeadingZeros, shiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Bytes that a number takes, from 1 to 10.
varintSize :: Word64 -> Int
varintSize n = (70 - countLeadingZeros (n .|. 1)) `quot` 7
{-# INLINE varintSize #-}

-- | Write a number.
putVarint :: Word64 -> Builder
putVarint n = ensure 10 (\p -> writeVarint p n)
{-# INLINE putVarint #-}

-- 10 bytes must be writable; so many take 64 bits.
writeVarint :: Ptr Word8 -> Word64 -> IO (Ptr Word8)
writeVarint !p !n
  | n < 0x80 = (p `plusPtr` 1) <$ pokeHost p (fromIntegral n :: Word8)
  | otherwise = pokeHost p (fromIntegral n .|. 0x80 :: Word8) >> writeVarint (p `plusPtr` 1) (n `unsafeShiftR` 7)

-- | Read a number.
getVarint :: Get Word64
getVarint = getWord64LEB128
{-# INLINE getVarint #-}

-- | The integers 0, -1, 1, -2, 2 and so on, numbered from 0.
zigzag :: Int64 -> Word64
zigzag n = fromIntegral ((n `shiftL` 1) `xor` (n `unsafeShiftR` 63))
{-# INLINE zigzag #-}

-- | The integer with this number.
unZigzag :: Word64 -> Int64
unZigzag w = fromIntegral ((w `unsafeShiftR` 1) `xor` negate (w .&. 1))
{-# INLINE unZigzag #-}
