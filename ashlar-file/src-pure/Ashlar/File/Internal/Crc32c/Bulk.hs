{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.File.Internal.Crc32c.Bulk
-- Description : CRC-32C of bytes in memory, in Haskell
--
-- The functions of the module of this name in @src-c@, without C, for the cabal flag
-- @pure-haskell@.
module Ashlar.File.Internal.Crc32c.Bulk
  ( fastest,
    byTables,
    hasInstruction,
  )
where

import Data.Bits (complement, unsafeShiftR, xor, (.&.))
import Data.Primitive.PrimArray (PrimArray, indexPrimArray, primArrayFromListN)
import Data.Word (Word32, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (peek)

-- | The checksum of some bytes and n more, given that of the former.
fastest ::
  Word32 ->
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  IO Word32
fastest = byTables

-- | The same, by a table.
byTables :: Word32 -> Ptr Word8 -> Int -> IO Word32
byTables before start count = go (complement before) start (start `plusPtr` count)
  where
    go :: Word32 -> Ptr Word8 -> Ptr Word8 -> IO Word32
    go !crc !from !end
      | from == end = pure (complement crc)
      | otherwise = do
        w <- peek from
        go (step crc w) (from `plusPtr` 1) end
    step crc w =
      let index = fromIntegral (crc `xor` fromIntegral w) .&. 255
       in (crc `unsafeShiftR` 8) `xor` indexPrimArray table index

-- | Has this processor an instruction for it? Nothing here asks.
hasInstruction :: Maybe Bool
hasInstruction = Nothing

-- Each byte as a register, after a byte of zeros. The polynomial has its bits reversed.
table :: PrimArray Word32
table = primArrayFromListN 256 [iterate bit b !! 8 | b <- [0 .. 255]]
  where
    bit crc = (crc `unsafeShiftR` 1) `xor` (if odd crc then 0x82F63B78 else 0)
{-# NOINLINE table #-}
