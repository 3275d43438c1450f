-- |
-- Module      : Ashlar.Internal.Prim.HexBytes
-- Description : Strings of bytes in hexadecimal, both ways
--
-- "Ashlar.Internal.Prim.Bulk" converts them. One call handles a limited number, as in
-- Note [Foreign copies] in "Ashlar.Internal.Mem".
module Ashlar.Internal.Prim.HexBytes
  ( mostHexBytes,
    writeHex,
    readHex,
    hexSpan,
  )
where

import Ashlar.Internal.Prim.Bulk
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The most bytes of one foreign call, which takes or makes 64 KiB of digits.
mostHexBytes :: Int
mostHexBytes = 32768
{-# INLINE mostHexBytes #-}

-- | Write the digits of n bytes: n bytes must be readable, and 2n writable.
writeHex :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
writeHex dst src n
  | n <= mostHexBytes = hexEncode dst src n
  | otherwise = do
    hexEncode dst src mostHexBytes
    writeHex
      (dst `plusPtr` (2 * mostHexBytes))
      (src `plusPtr` mostHexBytes)
      (n - mostHexBytes)

-- | Read n bytes from 2n digits, in either case, and return the number of digits before the first
-- character that is none. 2n characters must be readable, and n bytes writable.
readHex :: Ptr Word8 -> Ptr Word8 -> Int -> IO Int
readHex dst0 src0 n = go 0
  where
    -- The first i bytes have been read.
    go i
      | i == n = pure (2 * n)
      | otherwise = do
        let m = min mostHexBytes (n - i)
        k <- hexDecode (dst0 `plusPtr` i) (src0 `plusPtr` (2 * i)) m
        if k == 2 * m then go (i + m) else pure (2 * i + k)

-- | The number of leading digits among n characters, which must be readable.
hexSpan :: Ptr Word8 -> Int -> IO Int
hexSpan p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        let len = min (2 * mostHexBytes) (n - i)
        k <- hexDigits (p `plusPtr` i) len
        if k == len then go (i + len) else pure (i + k)
