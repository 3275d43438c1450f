-- |
-- Module      : Ashlar.Internal.Prim.UUID
-- Description : The text of UUIDs, in memory
--
-- 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with hyphens between them (RFC 9562).
module Ashlar.Internal.Prim.UUID
  ( uuidBytes,
    writeUUID,
    readUUID,
  )
where

import Ashlar.Internal.Mem (peekHost, peekLE, pokeHost)
import Ashlar.Internal.Prim.Core
import qualified Ashlar.Internal.Prim.Hex as P
import Data.Bits (complement, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The bytes of the text.
uuidBytes :: Int
uuidBytes = 36

-- | Write the text of a UUID, whose more significant half comes first. 'uuidBytes' bytes must be
-- writable.
writeUUID :: Word64 -> Word64 -> Ptr Word8 -> IO ()
writeUUID high low p = do
  runF P.word32HexFixed (fromIntegral (high `unsafeShiftR` 32)) p
  hyphenAt 8
  runF P.word16HexFixed (fromIntegral (high `unsafeShiftR` 16)) (p `plusPtr` 9)
  hyphenAt 13
  runF P.word16HexFixed (fromIntegral high) (p `plusPtr` 14)
  hyphenAt 18
  runF P.word16HexFixed (fromIntegral (low `unsafeShiftR` 48)) (p `plusPtr` 19)
  hyphenAt 23
  runF P.word16HexFixed (fromIntegral (low `unsafeShiftR` 32)) (p `plusPtr` 24)
  runF P.word32HexFixed (fromIntegral low) (p `plusPtr` 28)
  where
    hyphenAt i = pokeHost (p `plusPtr` i) (0x2D :: Word8)

-- | The halves of a UUID, if its text is at an address, where 'uuidBytes' bytes must be readable.
readUUID :: Ptr Word8 -> IO (Maybe (Word64, Word64))
readUUID p = do
  a <- peekLE p
  b <- fours 9 14
  c <- fours 19 24
  d <- peekLE (p `plusPtr` 28)
  hyphens <- mapM (\i -> peekHost (p `plusPtr` i)) [8, 13, 18, 23]
  pure $
    if allDigits a .&. allDigits b .&. allDigits c .&. allDigits d == everyTop
      && all (== (0x2D :: Word8)) hyphens
      then Just (joined a b, joined c d)
      else Nothing
  where
    joined x y = valueOf x `unsafeShiftL` 32 .|. valueOf y
    fours :: Int -> Int -> IO Word64
    fours i j = do
      x <- peekLE (p `plusPtr` i)
      y <- peekLE (p `plusPtr` j)
      pure (fromIntegral (x :: Word32) .|. fromIntegral (y :: Word32) `unsafeShiftL` 32)

-- Eight characters in a word, the first in the lowest byte.

everyByte, everyTop :: Word64
everyByte = 0x0101010101010101
everyTop = 0x8080808080808080

-- The top bit of each byte that is in a range. The top bits must be 0, so no sum overflows a byte.
within :: Word64 -> Word64 -> Word64 -> Word64
within from to w = (w + everyByte * (0x80 - from)) .&. complement (w + everyByte * (0x7F - to))

letters :: Word64 -> Word64
letters w = within 0x61 0x66 (w .|. everyByte * 0x20) .&. everyTop

-- The top bit of each byte that is a hexadecimal digit.
allDigits :: Word64 -> Word64
allDigits w
  | w .&. everyTop /= 0 = 0
  | otherwise = (within 0x30 0x39 w .&. everyTop) .|. letters w

valueOf :: Word64 -> Word64
valueOf w = fours .&. 0xFFFFFFFF
  where
    -- The low half of a letter is 9 less than its value.
    digits = (w .&. (everyByte * 15)) + 9 * (letters w `unsafeShiftR` 7)
    ones = (digits `unsafeShiftL` 4 .|. digits `unsafeShiftR` 8) .&. 0x00FF00FF00FF00FF
    twos = (ones `unsafeShiftL` 8 .|. ones `unsafeShiftR` 16) .&. 0x0000FFFF0000FFFF
    fours = twos `unsafeShiftL` 16 .|. twos `unsafeShiftR` 32
