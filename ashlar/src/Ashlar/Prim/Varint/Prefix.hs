-- |
-- Module      : Ashlar.Prim.Varint.Prefix
-- Description : Numbers whose first byte tells their length
--
-- PrefixVarint (Stoklund Olesen, <https://github.com/stoklund/varint>), as in @mason@: the
-- first byte has as many zeros below its lowest 1 as there are further bytes. Seven bits of the
-- number for each byte follow above that, the least significant first. A number of more than
-- 56 bits is a byte of zeros and then its 64 bits, the least significant byte first.
module Ashlar.Prim.Varint.Prefix
  ( prefixVarInt,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Bounded
import Ashlar.Prim.Varint.Groups
import Data.Bits (unsafeShiftL, (.|.))
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | 1 to 9 bytes.
--
-- @since 0.1.0.0
prefixVarInt :: Varint Word
prefixVarInt = Varint (boundedPrim 9 (prefixWrite . fromIntegral)) (prefixSize . fromIntegral)
{-# INLINE prefixVarInt #-}

prefixSize :: Word64 -> Int
prefixSize x = min 9 (groupsOfBits (bitsUnsigned x))
{-# INLINE prefixSize #-}

-- Eight bytes are written whatever their number: the room for the bound is there (INV-B2).
prefixWrite :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
prefixWrite x p
  | n <= 8 = do
      pokeLE p (((x `unsafeShiftL` 1) .|. 1) `unsafeShiftL` (n - 1))
      pure (p `plusPtr` n)
  | otherwise = do
      pokeHost p (0 :: Word8)
      pokeLE (p `plusPtr` 1) x
      pure (p `plusPtr` 9)
  where
    n = prefixSize x
