-- |
-- Module      : Ashlar.Internal.Prim.Escape
-- Description : Replacing ASCII characters by short strings
--
-- Note [Escaping without a branch]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Every ASCII character has an entry of eight bytes in a table: how many bytes it is
-- written as, and these bytes (itself, where it is not to be replaced). A character
-- is written by one load, one store of eight bytes, and an addition: there is no branch
-- that a text full of quotes and line ends could mispredict, and the next character
-- waits for nothing but the addition. It takes room for eight bytes, of which the
-- next character overwrites those that were not meant.
module Ashlar.Internal.Prim.Escape
  ( Escaping,
    escaping,
    escapeBound,
    escapeWrite,
  )
where

import Ashlar.Internal.Mem
import Data.Bits (shiftL, unsafeShiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Primitive.ByteArray (ByteArray, byteArrayFromListN, indexByteArray)
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Which ASCII characters are replaced, and by what. To be made once, as a constant
-- of the program.
--
-- @since 0.1.0.0
newtype Escaping = Escaping ByteArray

-- | From a function that tells the replacement of each ASCII character (0 to 127); a
-- character without one stands for itself.
--
-- A replacement has at most 7 bytes: a longer one is an error, when the escaping is
-- first used.
--
-- @since 0.1.0.0
escaping :: (Word8 -> Maybe ByteString) -> Escaping
escaping replacement = Escaping (byteArrayFromListN 128 (map entry [0 .. 127]))
  where
    entry :: Word8 -> Word64
    entry w = packed w (maybe [w] S.unpack (replacement w))
    packed w bytes
      | n <= 7 = fromIntegral n .|. List.foldr (\b rest -> (rest .|. fromIntegral b) `shiftL` 8) 0 bytes
      | otherwise =
        errorWithoutStackTrace
          ("Ashlar.Builder.Escape: the replacement of character " ++ show w ++ " has " ++ show n ++ " bytes; at most 7 are possible")
      where
        n = length bytes

-- | Bytes that 'escapeWrite' needs.
escapeBound :: Int
escapeBound = 8
{-# INLINE escapeBound #-}

-- | Write an ASCII character (less than 128, which is not checked), and return the
-- address behind it. 'escapeBound' bytes must be writable.
escapeWrite :: Escaping -> Ptr Word8 -> Word8 -> IO (Ptr Word8)
escapeWrite (Escaping table) p w = do
  -- The table has 128 entries.
  let entry = indexByteArray table (fromIntegral w) :: Word64
  pokeLE p (entry `unsafeShiftR` 8)
  pure (p `plusPtr` fromIntegral (entry .&. 0xFF))
{-# INLINE escapeWrite #-}
