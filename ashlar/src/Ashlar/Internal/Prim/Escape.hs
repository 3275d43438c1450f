-- |
-- Module      : Ashlar.Internal.Prim.Escape
-- Description : Replacing ASCII characters with short strings
--
-- Note [Escaping without a branch]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A table has an entry of eight bytes for every ASCII character: the length of its replacement,
-- and the replacement. A character that is not replaced has itself there. Writing a character
-- takes one load, one store of eight bytes, and one addition. There is no branch that a text
-- full of quotes and line ends could mispredict, and the next character only waits for the
-- addition. Each character needs eight bytes of free space. The next one overwrites those that
-- its replacement does not use.
module Ashlar.Internal.Prim.Escape
  ( Escaping,
    escaping,
    escapeBound,
    escapeWrite,
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

-- | The replacements for ASCII characters. Make it once, as a constant of the program.
--
-- @since 0.1.0.0
newtype Escaping = Escaping ByteArray

-- | Make an 'Escaping' from a function.
--
-- A replacement has at most 7 bytes. A longer one is an error when the escaping is first used.
--
-- @since 0.1.0.0
escaping ::
  -- | The replacement of each ASCII character (0 to 127). 'Nothing' keeps the character.
  (Word8 -> Maybe ByteString) ->
  Escaping
escaping replacement = Escaping (byteArrayFromListN 128 (map entry [0 .. 127]))
  where
    entry :: Word8 -> Word64
    entry w = packed w (maybe [w] S.unpack (replacement w))
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

-- | Write an ASCII character at an address, and return the address after it. 'escapeBound' bytes
-- must be writable. The character must be below 128, which is not checked.
escapeWrite :: Escaping -> Ptr Word8 -> Word8 -> IO (Ptr Word8)
escapeWrite (Escaping table) p w = do
  -- The table has 128 entries of 8 bytes. An entry's length is at most 7.
  let entry =
        indexByteArray table (slot "in the table" "escapeWrite" 128 (fromIntegral w)) :: Word64
  pokeLE p (entry `unsafeShiftR` 8)
  pure (p `plusPtr` fromIntegral (entry .&. 0xFF))
{-# INLINE escapeWrite #-}
