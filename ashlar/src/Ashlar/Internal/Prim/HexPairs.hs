{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.HexPairs
-- Description : The two hexadecimal digits of every byte
--
-- Note [Hexadecimal digits from a table]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A table of 512 bytes gives two digits at a time. Where a number may have fewer digits than its
-- type, eight digits are combined in one word, shifted, and stored at once. Where all digits are
-- wanted, each pair is stored by itself.
--
-- Making eight digits without a table was also tried: spread the units of 4 bits over the bytes
-- of a word, and add 39 to those above 9. It takes more time, and twice the time for strings of
-- bytes.
module Ashlar.Internal.Prim.HexPairs
  ( hexPair,
    hexPairs2,
    hexPairs4,
  )
where

import Ashlar.Internal.Mem.Check
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word64, byteSwap16)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Int (I#), Ptr (Ptr), indexWord16OffAddr#)
import GHC.Word (Word16 (W16#))

-- | The 2 digits of a number below 2^8 as characters, the first one in the least significant
-- byte. Nothing checks that the number is below 2^8.
hexPair :: Word64 -> Word64
hexPair x = case (table, slot "in the table" "hexPair" 256 (fromIntegral x)) of
  -- The table has 256 entries of 2 bytes.
  (Ptr a, I# i) -> fromIntegral (firstLowest (W16# (indexWord16OffAddr# a i)))
  where
    firstLowest = case targetByteOrder of
      LittleEndian -> id
      BigEndian -> byteSwap16
{-# INLINE hexPair #-}

-- | The 4 digits of a number below 2^16, in the same order.
hexPairs2 :: Word64 -> Word64
hexPairs2 x = hexPair (x `unsafeShiftR` 8) .|. (hexPair (x .&. 0xFF) `unsafeShiftL` 16)
{-# INLINE hexPairs2 #-}

-- | The 8 digits of a number below 2^32, in the same order.
hexPairs4 :: Word64 -> Word64
hexPairs4 x = hexPairs2 (x `unsafeShiftR` 16) .|. (hexPairs2 (x .&. 0xFFFF) `unsafeShiftL` 32)
{-# INLINE hexPairs4 #-}

table :: Ptr ()
table =
  Ptr
    "\
    \000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
    \202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f\
    \404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f\
    \606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f\
    \808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f\
    \a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf\
    \c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf\
    \e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"#
