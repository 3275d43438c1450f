-- |
-- Module      : Ashlar.Internal.Prim.Utf8
-- Description : One character in UTF-8: its bound, write half, and what is valid
--
-- UTF-8 as in RFC 3629, with one allowance: a surrogate (U+D800 to U+DFFF),
-- which a Haskell 'Char' may be, is written as the three bytes that its number
-- would have, as "Data.ByteString.Builder" and @binary@ write it.
module Ashlar.Internal.Prim.Utf8
  ( utf8Bound,
    utf8Write,
    utf8ValidPrefix,
  )
where

import Ashlar.Internal.Mem
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

-- | How many of so many bytes, from the first on, are whole characters in UTF-8 as
-- RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. All of
-- the bytes must be readable.
--
-- It says where an error is, and is not made to be fast.
utf8ValidPrefix :: Ptr Word8 -> Int -> IO Int
utf8ValidPrefix p n = go 0
  where
    go i
      | i >= n = pure n
      | otherwise = do
        size <- at i >>= characterAt i
        -- The whole character must lie before the end, which the check of its
        -- bytes has made sure of.
        if size > 0 then go (i + size) else pure i

    -- The size of the character with this first byte, or 0 if it is malformed
    -- (the table of RFC 3629, section 4).
    characterAt i w
      | w < 0x80 = pure 1
      | w < 0xC2 = pure 0
      | w < 0xE0 = follow i [tailByte]
      | w == 0xE0 = follow i [within 0xA0 0xBF, tailByte]
      | w == 0xED = follow i [within 0x80 0x9F, tailByte]
      | w < 0xF0 = follow i [tailByte, tailByte]
      | w == 0xF0 = follow i [within 0x90 0xBF, tailByte, tailByte]
      | w < 0xF4 = follow i [tailByte, tailByte, tailByte]
      | w == 0xF4 = follow i [within 0x80 0x8F, tailByte, tailByte]
      | otherwise = pure 0

    -- Are the bytes behind the first one as they must be?
    follow i checks
      | length checks >= n - i = pure 0
      | otherwise = do
        rest <- mapM (\k -> at (i + k)) [1 .. length checks]
        pure (if and (zipWith ($) checks rest) then 1 + length checks else 0)

    tailByte = within 0x80 0xBF
    within lo hi w = w >= lo && w <= (hi :: Word8)
    at i = peekHost (p `plusPtr` i) :: IO Word8
