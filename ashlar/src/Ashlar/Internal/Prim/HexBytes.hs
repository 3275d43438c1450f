-- |
-- Module      : Ashlar.Internal.Prim.HexBytes
-- Description : Strings of bytes in hexadecimal, both ways
--
-- C code converts them (@cbits/hex.c@). One call handles a limited number, as in
-- Note [Foreign copies] in "Ashlar.Internal.Mem".
module Ashlar.Internal.Prim.HexBytes
  ( mostHexBytes,
    writeHex,
    readHex,
    hexSpan,
  )
where

import Data.Word (Word8)
import Foreign.C.Types (CSize (..))
import Foreign.Ptr (Ptr, plusPtr)

-- | The most bytes of one foreign call, which takes or makes 64 KiB of digits.
mostHexBytes :: Int
mostHexBytes = 32768
{-# INLINE mostHexBytes #-}

-- | Write the digits of n bytes: n bytes must be readable, and 2n writable.
writeHex :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
writeHex dst src n
  | n <= mostHexBytes = c_encode dst src (fromIntegral n)
  | otherwise = do
    c_encode dst src (fromIntegral mostHexBytes)
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
        good <- c_decode (dst0 `plusPtr` i) (src0 `plusPtr` (2 * i)) (fromIntegral m)
        let k = fromIntegral good
        if k == 2 * m then go (i + m) else pure (2 * i + k)

-- | The number of leading digits among n characters, which must be readable.
hexSpan :: Ptr Word8 -> Int -> IO Int
hexSpan p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        let len = min (2 * mostHexBytes) (n - i)
        k <- fromIntegral <$> c_span (p `plusPtr` i) (fromIntegral len)
        if k == len then go (i + len) else pure (i + k)

foreign import ccall unsafe "ashlar_hex_encode"
  c_encode :: Ptr Word8 -> Ptr Word8 -> CSize -> IO ()

foreign import ccall unsafe "ashlar_hex_decode"
  c_decode :: Ptr Word8 -> Ptr Word8 -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_hex_span"
  c_span :: Ptr Word8 -> CSize -> IO CSize
