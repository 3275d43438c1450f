-- |
-- Module      : Ashlar.Prim.Utf8
-- Description : One character in UTF-8: its size, write half and read half
--
-- UTF-8 as in RFC 3629, with one allowance: a surrogate (U+D800 to U+DFFF),
-- which a Haskell 'Char' may be, is written and read as the three bytes that
-- its number would have, as "Data.ByteString.Builder" and @binary@ write it.
module Ashlar.Prim.Utf8
  ( utf8Bound,
    utf8Size,
    utf8Write,
    utf8Length,
    utf8Read,
  )
where

import Ashlar.Mem
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Char (ord)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.Base (unsafeChr)

-- | The most bytes that a character takes.
utf8Bound :: Int
utf8Bound = 4
{-# INLINE utf8Bound #-}

-- | The bytes that a character takes.
utf8Size :: Char -> Int
utf8Size c
  | c < '\x80' = 1
  | c < '\x800' = 2
  | c < '\x10000' = 3
  | otherwise = 4
{-# INLINE utf8Size #-}

-- | Write a character, and return the address behind it. 'utf8Size' bytes must
-- be writable.
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

-- | The bytes that a character takes whose first byte is this: 1 to 4, or 0
-- if no character begins so.
utf8Length :: Word8 -> Int
utf8Length b
  | b < 0x80 = 1
  | b < 0xC2 = 0
  | b < 0xE0 = 2
  | b < 0xF0 = 3
  | b < 0xF5 = 4
  | otherwise = 0
{-# INLINE utf8Length #-}

-- | Read a character of so many bytes ('utf8Length' of the first, not 0), all
-- of which must be readable. 'Nothing' if they are not the shortest form of a
-- number up to U+10FFFF.
utf8Read :: Ptr Word8 -> Int -> IO (Maybe Char)
utf8Read p n = do
  b0 <- byte 0
  case n of
    1 -> pure (Just (unsafeChr b0))
    2 -> do
      b1 <- byte 1
      valid 0x80 ((b0 .&. 0x1F) `shiftL` 6 .|. low b1) (isTail b1)
    3 -> do
      b1 <- byte 1
      b2 <- byte 2
      valid 0x800 ((b0 .&. 0x0F) `shiftL` 12 .|. low b1 `shiftL` 6 .|. low b2) (isTail b1 && isTail b2)
    _ -> do
      b1 <- byte 1
      b2 <- byte 2
      b3 <- byte 3
      valid
        0x10000
        ((b0 .&. 0x07) `shiftL` 18 .|. low b1 `shiftL` 12 .|. low b2 `shiftL` 6 .|. low b3)
        (isTail b1 && isTail b2 && isTail b3)
  where
    byte :: Int -> IO Int
    byte i = fromIntegral <$> (peekHost (p `plusPtr` i) :: IO Word8)
    low b = b .&. 0x3F
    isTail b = b .&. 0xC0 == 0x80
    -- The number is at most 0x1FFFFF, and unsafeChr is given it only when it
    -- is a character.
    valid least x tails
      | tails && x >= least && x <= 0x10FFFF = pure (Just (unsafeChr x))
      | otherwise = pure Nothing
{-# INLINE utf8Read #-}
