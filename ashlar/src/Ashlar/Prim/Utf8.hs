-- |
-- Module      : Ashlar.Prim.Utf8
-- Description : One character in UTF-8: its bound and write half
--
-- UTF-8 as in RFC 3629, with one allowance: a surrogate (U+D800 to U+DFFF),
-- which a Haskell 'Char' may be, is written as the three bytes that its number
-- would have, as "Data.ByteString.Builder" and @binary@ write it.
module Ashlar.Prim.Utf8
  ( utf8Bound,
    utf8Write,
  )
where

import Ashlar.Mem
import Data.Bits (shiftR, (.&.), (.|.))
import Data.Char (ord)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The most bytes that a character takes.
utf8Bound :: Int
utf8Bound = 4
{-# INLINE utf8Bound #-}

-- | Write a character, and return the address behind it. As many bytes
-- as the character takes must be writable.
utf8Write :: Ptr Word8 -> Char -> IO (Ptr Word8)
utf8Write p c
  | x < 0x80 = byte 0 x >> end 1
  | x < 0x800 = byte 0 (0xC0 .|. bits 6) >> byte 1 (tailBits 0) >> end 2
  | x < 0x10000 = byte 0 (0xE0 .|. bits 12) >> byte 1 (tailBits 6) >> byte 2 (tailBits 0) >> end 3
  | otherwise =
      byte 0 (0xF0 .|. bits 18) >> byte 1 (tailBits 12) >> byte 2 (tailBits 6) >> byte 3 (tailBits 0)
        >> end 4
  where
    x = ord c
    bits n = x `shiftR` n
    tailBits n = 0x80 .|. (bits n .&. 0x3F)
    byte i b = pokeHost (p `plusPtr` i) (fromIntegral b :: Word8)
    end n = pure (p `plusPtr` n)
{-# INLINE utf8Write #-}
