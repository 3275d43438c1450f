-- |
-- Module      : Ashlar.Prim.Html
-- Description : Characters in the text of an HTML document
--
-- The characters that mean something to HTML are replaced by character references, so that
-- text can stand between tags and in quoted attributes (HTML Living Standard, section 13.1.4).
-- As in @blaze-builder@, control characters that HTML does not allow are left out:
-- those from U+0000 to U+001F, but for tab, line feed and carriage return, and U+007F.
module Ashlar.Prim.Html
  ( charHtmlUtf8,

    -- * Bytes of UTF-8
    Escapes,
    escapes,
    escapeBound,
    writeEscape,
    mayEscape,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Bounded
import Ashlar.Prim.Utf8
import Data.Bits (complement, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.Char (chr, ord)
import Data.Primitive.ByteArray (ByteArray, byteArrayFromList, indexByteArray)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A character: at most 6 bytes, in room for 'escapeBound'.
charHtmlUtf8 :: BoundedPrim Char
charHtmlUtf8 = boundedPrim 8 writeChar
{-# INLINE charHtmlUtf8 #-}

writeChar :: Char -> Ptr Word8 -> IO (Ptr Word8)
writeChar c p
  | c < '\x80' = writeEscape escapes p (fromIntegral (ord c))
  | otherwise = utf8Write p c
{-# NOINLINE writeChar #-}

-- What stands for an ASCII character.
reference :: Char -> String
reference c = case c of
  '<' -> "&lt;"
  '>' -> "&gt;"
  '&' -> "&amp;"
  '"' -> "&quot;"
  '\'' -> "&#39;"
  _
    | c `elem` "\t\n\r" -> [c]
    | c < ' ' || c == '\DEL' -> ""
    | otherwise -> [c]

-- | What to write for each byte of UTF-8: the bytes that stand for it, at most six, the
-- first one lowest in a word of 64 bits, and their number in its highest byte.
newtype Escapes = Escapes ByteArray

-- | (A loop evaluates it once, in front.)
escapes :: Escapes
escapes = Escapes (byteArrayFromList (map (entry . reference . chr) [0 .. 0x7F] ++ map (entry . pure . chr) [0x80 .. 0xFF]))
  where
    entry :: String -> Word64
    entry s = foldr (\c rest -> fromIntegral (ord c) .|. (rest `unsafeShiftL` 8)) 0 s .|. (fromIntegral (length s) `unsafeShiftL` 56)
{-# NOINLINE escapes #-}

-- | Room for a byte, since a whole word is written.
escapeBound :: Int
escapeBound = 8
{-# INLINE escapeBound #-}

-- | Write what stands for a byte of UTF-8, and return the address behind it. 'escapeBound'
-- bytes must be writable.
--
-- Without a branch: a character takes 1 ns, where telling the special ones apart
-- takes 4 in text that has many (GHC 9.0.2).
writeEscape :: Escapes -> Ptr Word8 -> Word8 -> IO (Ptr Word8)
writeEscape (Escapes table) p b = do
  -- There is an entry for each byte.
  let w = indexByteArray table (fromIntegral b) :: Word64
  pokeLE p w
  pure (p `plusPtr` fromIntegral (w `unsafeShiftR` 56))
{-# INLINE writeEscape #-}

-- | May something else stand for one of eight bytes? If the answer is no, they are
-- written as they are.
--
-- Note [Eight bytes at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text has no special characters, so eight bytes are tested together. A word has a byte
-- of 0 if and only if @(w - 0x01…01) .&. complement w .&. 0x80…80@ is not 0, and a byte below 32 if
-- so with @0x20…20@ in place of @0x01…01@ (Warren, Hacker's Delight, second edition, section
-- 6-1). With the bits set in which they differ, @\<@ and @>@ are one character, and so are
-- @\"@, @&@ and @'@, together with @#@, for which the answer is yes as well. So it is for
-- line feed, tab and carriage return.
mayEscape :: Word64 -> Bool
mayEscape w = (below 0x20 w .|. equals 0x7F w .|. equals 0x3E (w .|. all8 0x02) .|. equals 0x27 (w .|. all8 0x05)) .&. all8 0x80 /= 0
  where
    equals b v = below 1 (v `xor` all8 b)
    below b v = (v - all8 b) .&. complement v
    all8 b = 0x0101010101010101 * b
{-# INLINE mayEscape #-}
