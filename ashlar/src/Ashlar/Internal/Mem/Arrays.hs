{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Mem.Arrays
-- Description : Short copies between arrays and addresses
--
-- Copies by words that overlap at the end, as in Note [Short copies] of "Ashlar.Internal.Mem".
module Ashlar.Internal.Mem.Arrays
  ( copyShortTo,
    copyShortFrom,
  )
where

import Ashlar.Internal.Mem (peekHost, pokeHost)
import Ashlar.Internal.Mem.Check
import Data.Bits ((.|.))
import Data.Primitive.ByteArray (ByteArray (..), MutableByteArray (..))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Exts
  ( Int (I#),
    RealWorld,
    indexWord8Array#,
    indexWord8ArrayAsWord16#,
    indexWord8ArrayAsWord32#,
    indexWord8ArrayAsWord64#,
    writeWord8Array#,
    writeWord8ArrayAsWord16#,
    writeWord8ArrayAsWord32#,
    writeWord8ArrayAsWord64#,
  )
import GHC.IO (IO (..))
import GHC.Word (Word16 (W16#), Word32 (W32#), Word64 (W64#), Word8 (W8#))

-- | Copy at least one byte to the beginning of an array. The result has a byte with the highest bit
-- if and only if one of the bytes has it.
copyShortTo ::
  -- | The destination, of at least @n@ bytes.
  MutableByteArray RealWorld ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, positive.
  Int ->
  IO Word64
copyShortTo (MutableByteArray arr) p n
  | broken "own memory" "copyShortTo" (n > 0) [("bytes", n)] = pure 0
  | lackingMutableArray "copyShortTo" (MutableByteArray arr) 0 n = pure 0
  | n >= 8 = words8 0 0
  | n >= 4 = do
    a <- peekHost p
    b <- peekHost (p `plusPtr` (n - 4))
    write32 0 a
    write32 (n - 4) b
    pure (fromIntegral (a .|. b :: Word32))
  | n >= 2 = do
    a <- peekHost p
    b <- peekHost (p `plusPtr` (n - 2))
    write16 0 a
    write16 (n - 2) b
    pure (fromIntegral (a .|. b :: Word16))
  | otherwise = do
    a@(W8# b) <- peekHost p
    IO (\s -> (# writeWord8Array# arr 0# b s, fromIntegral a #))
  where
    -- i + 8 is at most n + 7, so what is left is at most the last word.
    words8 !i !bits
      | i + 8 < n = do
        w <- peekHost (p `plusPtr` i)
        write64 i w
        words8 (i + 8) (bits .|. w)
      | otherwise = do
        w <- peekHost (p `plusPtr` (n - 8))
        write64 (n - 8) w
        pure (bits .|. w)
    write64 (I# i) (W64# w) = IO (\s -> (# writeWord8ArrayAsWord64# arr i w s, () #))
    write32 (I# i) (W32# w) = IO (\s -> (# writeWord8ArrayAsWord32# arr i w s, () #))
    write16 (I# i) (W16# w) = IO (\s -> (# writeWord8ArrayAsWord16# arr i w s, () #))
{-# INLINE copyShortTo #-}

-- | Copy bytes of an array.
copyShortFrom ::
  -- | The source.
  ByteArray ->
  -- | The first byte: the array has @n@ bytes from there on.
  Int ->
  -- | The destination: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO ()
copyShortFrom (ByteArray arr) from p n
  | lackingArray "copyShortFrom" (ByteArray arr) from n = pure ()
  | n >= 8 = words8 0
  | n >= 4 = pokeHost p (read32 0) >> pokeHost (p `plusPtr` (n - 4)) (read32 (n - 4))
  | n >= 2 = pokeHost p (read16 0) >> pokeHost (p `plusPtr` (n - 2)) (read16 (n - 2))
  | n == 1 = pokeHost p (case from of I# i -> W8# (indexWord8Array# arr i))
  | otherwise = pure ()
  where
    words8 !i
      | i + 8 < n = pokeHost (p `plusPtr` i) (read64 i) >> words8 (i + 8)
      | otherwise = pokeHost (p `plusPtr` (n - 8)) (read64 (n - 8))
    read64 i = case from + i of I# j -> W64# (indexWord8ArrayAsWord64# arr j)
    read32 i = case from + i of I# j -> W32# (indexWord8ArrayAsWord32# arr j)
    read16 i = case from + i of I# j -> W16# (indexWord8ArrayAsWord16# arr j)
{-# INLINE copyShortFrom #-}
