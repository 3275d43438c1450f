-- |
-- Module      : Ashlar.Prim.Html
-- Description : Characters in the text of an HTML document
--
-- The characters that mean something to HTML are replaced by character references, so that
-- text can stand between tags and in quoted attributes (HTML Living Standard, 13.1.4,
-- and section 13.2.5 for what a parser makes of each). As in @blaze-builder@, control
-- characters that HTML does not allow are left out: those from U+0000 to U+001F,
-- but for tab, line feed and carriage return, and U+007F.
module Ashlar.Prim.Html
  ( charHtmlUtf8,
    writeHtml,
    isSpecial,
    mayHaveSpecial,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Bounded
import Ashlar.Prim.Utf8
import Data.Bits (complement, xor, (.&.), (.|.))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A character: at most 6 bytes, the length of @&quot;@.
charHtmlUtf8 :: BoundedPrim Char
charHtmlUtf8 = boundedPrim 6 (flip writeHtml)
{-# INLINE charHtmlUtf8 #-}

-- | Write a character, and return the address behind it. 6 bytes must be writable.
writeHtml :: Ptr Word8 -> Char -> IO (Ptr Word8)
writeHtml p c
  | c > '>' = if c == '\DEL' then pure p else utf8Write p c
  | otherwise = case c of
      '<' -> four 0x266C743B >> end 4
      '>' -> four 0x2667743B >> end 4
      '&' -> four 0x26616D70 >> byte 4 0x3B >> end 5
      '\'' -> four 0x26233339 >> byte 4 0x3B >> end 5
      '"' -> four 0x2671756F >> pokeBE (p `plusPtr` 4) (0x743B :: Word16) >> end 6
      _
        | c >= ' ' || c == '\n' || c == '\t' || c == '\r' -> utf8Write p c
        | otherwise -> pure p
  where
    -- The first four bytes, as they are read from left to right.
    four = pokeBE p :: Word32 -> IO ()
    byte i = pokeHost (p `plusPtr` i) :: Word8 -> IO ()
    end n = pure (p `plusPtr` n)

-- | Is this ASCII character, or byte of UTF-8, not written as it is?
isSpecial :: Word8 -> Bool
isSpecial w
  | w > 0x3E = w == 0x7F
  | w < 0x20 = w /= 0x0A && w /= 0x09 && w /= 0x0D
  | otherwise = w == 0x3C || w == 0x3E || w == 0x26 || w == 0x22 || w == 0x27
{-# INLINE isSpecial #-}

-- | Can one of eight bytes be special? If the answer is no, none is.
--
-- Note [Eight bytes at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text has no special characters, so eight bytes are tested together. A word has a byte
-- of 0 if and only if @(w - 0x01…01) .&. complement w .&. 0x80…80@ is not 0, and a byte below 32 if the
-- subtrahend is @0x20…20@ (Warren, Hacker's Delight, second edition, section 6-1). With the
-- bit set in which they differ, @\<@ and @>@ are one character, and so are
-- @\"@, @&@ and @'@, together with @#@, which makes the answer yes for nothing now and then. So do
-- line feed, tab and carriage return.
mayHaveSpecial :: Word64 -> Bool
mayHaveSpecial w = (belowIn 0x20 w .|. zeroIn (w `xor` all8 0x7F) .|. zeroIn ((w .|. all8 0x02) `xor` all8 0x3E) .|. zeroIn ((w .|. all8 0x05) `xor` all8 0x27)) .&. all8 0x80 /= 0
  where
    zeroIn = belowIn 1
    belowIn n v = (v - all8 n) .&. complement v
    all8 n = 0x0101010101010101 * n
{-# INLINE mayHaveSpecial #-}
