-- |
-- Module      : Ashlar.Internal.Prim.Varint.Prefix
-- Description : Numbers whose first byte tells their length
--
-- PrefixVarint (Stoklund Olesen, <https://github.com/stoklund/varint>), as in @mason@. The first
-- byte has as many zeros below its lowest 1 as bytes follow. Above that come seven bits of the
-- number for each byte, the least significant first. A number of more than 56 bits is a byte of
-- zeros and then 8 bytes, the least significant first.
module Ashlar.Internal.Prim.Varint.Prefix
  ( prefixVarInt,
    readPrefixed,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Type
import Data.Bits (countTrailingZeros, unsafeShiftL, unsafeShiftR, (.|.))
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | 1 to 9 bytes.
prefixVarInt :: Varint Word
prefixVarInt =
  Varint (boundedPrim 9 (prefixWrite . fromIntegral)) (prefixSize . fromIntegral) $
    ReadHalf odd short (Prefixed (fromIntegral (maxBound :: Word))) fromIntegral
  where
    short b = fromIntegral (b `unsafeShiftR` 1)
{-# INLINE prefixVarInt #-}

prefixSize :: Word64 -> Int
prefixSize x = min 9 (groupsOfBits (bitsUnsigned x))
{-# INLINE prefixSize #-}

-- Eight bytes are written whatever their number: the buffer has the bound free (INV-B2).
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

-- | Read a number.
readPrefixed ::
  -- | The greatest number; the least is 0.
  Word64 ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there, at least one.
  Int ->
  IO Decoded
readPrefixed greatest p have = do
  b <- peekHost p :: IO Word8
  let n = countTrailingZeros b + 1
  if have < n
    then pure (Needs n)
    else of' n <$> if n == 9 then peekLE (p `plusPtr` 1) else (`unsafeShiftR` n) <$> bytes n
  where
    of' n x = checked Shortest n (prefixSize x) (Range 0 greatest) x
    -- The first @k@ bytes (k ≤ 8), which are there.
    bytes n
      | have >= 8 = (\w -> (w `unsafeShiftL` (64 - 8 * n)) `unsafeShiftR` (64 - 8 * n)) <$> peekLE p
      | otherwise = go (n - 1) 0
    go :: Int -> Word64 -> IO Word64
    go i acc
      | i < 0 = pure acc
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        go (i - 1) ((acc `unsafeShiftL` 8) .|. fromIntegral b)
{-# INLINE readPrefixed #-}
