-- |
-- Module      : Ashlar.Internal.Prim.Escape
-- Description : Replacing ASCII characters with short strings
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
module Ashlar.Internal.Prim.Escape
  ( Escaping,
    escaping,
    escapeBound,
    escapeWrite,
    escapeEight,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Check (slot)
import Data.Bits (shiftL, unsafeShiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Primitive.ByteArray (ByteArray, byteArrayFromListN, indexByteArray)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)

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
