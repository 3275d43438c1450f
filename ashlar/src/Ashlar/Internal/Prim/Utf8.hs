-- |
-- Module      : Ashlar.Internal.Prim.Utf8
-- Description : Characters in UTF-8, ASCII and Latin-1; validating UTF-8; replacing characters
--
-- UTF-8 as in RFC 3629, with one exception. A Haskell 'Char' may be a surrogate (U+D800 to
-- U+DFFF). It is written as the three bytes that UTF-8 would give its code point, as
-- "Data.ByteString.Builder" and @binary@ do.
module Ashlar.Internal.Prim.Utf8
  ( utf8Bound,
    utf8Write,
    utf8ValidPrefix,
    char7,
    char8,
    charUtf8,
    Escaping,
    escaping,
    escapeBound,
    escapeWrite,
    escapeEight,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check (slot)
import Ashlar.Internal.Prim.Core hiding (size)
import Data.Bits (shiftL, shiftR, unsafeShiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Char (ord)
import qualified Data.List as List
import Data.Primitive.ByteArray (ByteArray, byteArrayFromListN, indexByteArray)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

-- | The most bytes that a character takes.
utf8Bound :: Int
utf8Bound = 4
{-# INLINE utf8Bound #-}

-- | Write a character at an address, and return the address after it. The bytes of the character
-- must be writable, at most 'utf8Bound'.
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

-- | The length of the longest prefix that consists of whole characters in UTF-8 as in RFC 3629:
-- no overlong forms, no surrogates, nothing above U+10FFFF.
--
-- It finds the offset of an error, and is not fast.
utf8ValidPrefix ::
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  IO Int
utf8ValidPrefix p n = go 0
  where
    go i
      | i >= n = pure n
      | otherwise = do
        size <- at i >>= characterAt i
        -- i < n here, so the first byte is readable. 'follow' makes sure that the whole
        -- character lies before the end.
        if size > 0 then go (i + size) else pure i

    -- The size of the character that starts at i with byte w, or 0 if it is malformed. See the
    -- table of RFC 3629, section 4.
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

    -- Check the bytes after the first one. They are read only if all lie before the end.
    follow i checks
      | length checks >= n - i = pure 0
      | otherwise = do
        rest <- mapM (\k -> at (i + k)) [1 .. length checks]
        pure (if and (zipWith ($) checks rest) then 1 + length checks else 0)

    tailByte = within 0x80 0xBF
    within lo hi w = w >= lo && w <= (hi :: Word8)
    at i = peekHost (p `plusPtr` i) :: IO Word8

-- Characters in ASCII, Latin-1 and UTF-8, as primitives.

-- | A character in ASCII: one byte, the lowest 7 bits of its code point.
char7 :: FixedPrim Char
char7 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c .&. 0x7F) :: Word8))
{-# INLINE char7 #-}

-- | A character in Latin-1 (ISO\/IEC 8859-1): one byte, the lowest 8 bits of its code point.
char8 :: FixedPrim Char
char8 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c) :: Word8))
{-# INLINE char8 #-}

-- | A character in UTF-8: 1 to 4 bytes. A surrogate is written as the three bytes that UTF-8
-- would give its code point.
charUtf8 :: BoundedPrim Char
charUtf8 = boundedPrim utf8Bound (flip utf8Write)
{-# INLINE charUtf8 #-}

-- Replacing ASCII characters with short strings.
--
-- Note [Escaping without a branch]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A table has an entry of eight bytes for every byte: the length of its replacement, and the
-- replacement. A byte that is not replaced has itself there. Writing one takes one load, one store
-- of eight bytes, and one addition. There is no branch that a text full of quotes and line ends
-- could mispredict, and the next byte only waits for the addition. Each byte needs eight bytes of
-- free space. The next one overwrites those that its replacement does not use.
--
-- Most bytes are not replaced. So a second table has a byte for each, which is 0 where it stays.
-- Eight of these, combined, tell if a word can be copied as it is. That takes a third of the time
-- for a text with few replacements. (Benchmarks "aeson's Value: messages" and "JSON".)

-- | The replacements for ASCII characters. Make it once, as a constant of the program.
data Escaping
  = -- The 256 entries, and for each byte 1 if it is replaced.
    Escaping !ByteArray !ByteArray

-- | Make an 'Escaping' from a function.
--
-- A replacement has at most 7 bytes. A longer one is an error when the escaping is first used.
escaping ::
  -- | The replacement of each ASCII character (0 to 127). 'Nothing' keeps the character.
  (Word8 -> Maybe ByteString) ->
  Escaping
escaping replacement =
  Escaping (table entry) (table flag)
  where
    table f = byteArrayFromListN 256 (map f [0 .. 255])
    entry :: Word8 -> Word64
    entry w = packed w (maybe [w] S.unpack (replaced w))
    flag :: Word8 -> Word8
    flag w = maybe 0 (const 1) (replaced w)
    replaced w = if w < 128 then replacement w else Nothing
    packed w bytes
      | n <= 7 =
        fromIntegral n .|. List.foldr (\b rest -> (rest .|. fromIntegral b) `shiftL` 8) 0 bytes
      | otherwise =
        errorWithoutStackTrace
          ( "Ashlar.Builder.Escape: the replacement of character " ++ show w ++ " has " ++ show n
              ++ " bytes; at most 7 are possible"
          )
      where
        n = length bytes

-- | The number of bytes that must be writable for 'escapeWrite'.
escapeBound :: Int
escapeBound = 8
{-# INLINE escapeBound #-}

-- | Write a byte, or what replaces it, at an address, and return the address after it.
-- 'escapeBound' bytes must be writable.
escapeWrite :: Escaping -> Ptr Word8 -> Word8 -> IO (Ptr Word8)
escapeWrite (Escaping entries _) p w = do
  -- An entry's length is at most 7.
  let entry = indexByteArray entries (slot "in the table" "escapeWrite" 256 (fromIntegral w))
  pokeLE p ((entry :: Word64) `unsafeShiftR` 8)
  pure (p `plusPtr` fromIntegral (entry .&. 0xFF))
{-# INLINE escapeWrite #-}

-- 1 if the byte is replaced, and else 0.
isReplaced :: Escaping -> Word8 -> Word8
isReplaced (Escaping _ flags) w =
  indexByteArray flags (slot "in the table" "isReplaced" 256 (fromIntegral w))
{-# INLINE isReplaced #-}

-- | 'escapeWrite' for the eight bytes of a word, in the order in which they are in memory.
-- 'escapeBound' bytes must be writable for each.
escapeEight :: Escaping -> Ptr Word8 -> Word64 -> IO (Ptr Word8)
escapeEight escapes p w
  -- Outside of ASCII nothing is replaced.
  | w .&. 0x8080808080808080 == 0x8080808080808080 || none = (p `plusPtr` 8) <$ pokeHost p w
  | otherwise = one 0 p >>= one 1 >>= one 2 >>= one 3 >>= one 4 >>= one 5 >>= one 6 >>= one 7
  where
    none = flag 0 .|. flag 1 .|. flag 2 .|. flag 3 .|. flag 4 .|. flag 5 .|. flag 6 .|. flag 7 == 0
    flag k = isReplaced escapes (byte k)
    one k q = escapeWrite escapes q (byte k)
    byte k = fromIntegral (w `unsafeShiftR` place k) :: Word8
    place k = case targetByteOrder of
      LittleEndian -> 8 * k
      BigEndian -> 56 - 8 * k
{-# INLINE escapeEight #-}
