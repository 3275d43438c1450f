{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Cli.Transcode.Memory
-- Description : Reading and copying bytes at addresses
--
-- (Apart from the closures, whose modules are compiled without eta-expansion: there each round of a
-- loop would allocate.)
module Ashlar.Cli.Transcode.Memory
  ( peekLE,
    copyWords,
    copyPlain,
    copyLarge,
  )
where

import Control.Monad (when)
import Data.Bits (Bits, complement, unsafeShiftL, xor, (.&.), (.|.))
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, castPtr, plusPtr)
import Foreign.Storable (Storable (..))
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

-- | Read a number, the least significant byte first, at any address.
peekLE :: (Bits a, Num a, Storable a) => Ptr Word8 -> IO a
peekLE p = case targetByteOrder of
  LittleEndian -> peek (castPtr p)
  BigEndian -> go 0 0
  where
    go i n
      | i >= sizeOf n = pure n
      | otherwise = do
        b <- peek (p `plusPtr` i) :: IO Word8
        go (i + 1) (n .|. (fromIntegral b `unsafeShiftL` (8 * i)))
{-# INLINE peekLE #-}

-- | Copy n bytes, of which there are whole words of 8.
copyWords :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyWords !to !from !n = when (n > 0) $ do
  w <- peek (castPtr from) :: IO Word64
  poke (castPtr to) w
  copyWords (to `plusPtr` 8) (from `plusPtr` 8) (n - 8)

-- | Copy bytes, if all are printable ASCII, and none of them a quotation mark or a backslash.
copyPlain :: Ptr Word8 -> Ptr Word8 -> Int -> IO Bool
copyPlain !q !p !n = words8 0
  where
    words8 !i
      | i + 8 > n = bytes i
      | otherwise = do
        w <- peek (castPtr p `plusPtr` i) :: IO Word64
        if odds w == 0 then poke (castPtr q `plusPtr` i) w >> words8 (i + 8) else pure False
    bytes !i
      | i >= n = pure True
      | otherwise = do
        b <- peek (p `plusPtr` i) :: IO Word8
        if b >= 0x20 && b < 0x7F && b /= 0x22 && b /= 0x5C
          then poke (q `plusPtr` i) b >> bytes (i + 1)
          else pure False
    -- The highest bits of bytes that are not plain, if no byte has it itself.
    odds w =
      0x8080808080808080
        .&. ( w
                .|. below w 0x2020202020202020
                .|. zero 0x2222222222222222
                .|. zero 0x5C5C5C5C5C5C5C5C
                .|. zero 0x7F7F7F7F7F7F7F7F
            )
      where
        below a b = (a - b) .&. complement a
        zero mask = below (w `xor` mask) 0x0101010101010101

-- | Copy bytes. While a foreign call runs, no thread can collect garbage. So each copies at most
-- 64 KiB.
copyLarge :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyLarge to from n = when (n > 0) $ do
  copyBytes to from step
  copyLarge (to `plusPtr` step) (from `plusPtr` step) (n - step)
  where
    step = min n 65536
