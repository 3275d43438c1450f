-- |
-- Module      : Ashlar.Internal.Prim.Base64Groups
-- Description : Groups of four characters of Base64, in Haskell
--
-- The functions of the module of this name in @src-c@, without C, for the cabal flag
-- @pure-haskell@.
module Ashlar.Internal.Prim.Base64Groups
  ( base64Encode,
    base64Decode,
    base64Characters,
  )
where

import Ashlar.Internal.Mem (peekHost, pokeHost)
import Ashlar.Internal.Prim.Alphabet
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word32, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Write n groups of four characters, from groups of three bytes at the second address.
base64Encode :: Alphabet -> Ptr Word8 -> Ptr Word8 -> Int -> IO ()
base64Encode alphabet dst src n = go 0
  where
    wide = fromIntegral :: Word8 -> Word32
    go i
      | i == n = pure ()
      | otherwise = do
        a <- byteAt src (3 * i)
        b <- byteAt src (3 * i + 1)
        c <- byteAt src (3 * i + 2)
        let w = wide a `unsafeShiftL` 16 .|. wide b `unsafeShiftL` 8 .|. wide c
            store k by =
              characterOf alphabet (w `unsafeShiftR` by .&. 63) >>= storeAt dst (4 * i + k)
        store 0 18 >> store 1 12 >> store 2 6 >> store 3 0
        go (i + 1)

-- | Decode n groups of four characters, up to the first that has a character outside of the
-- alphabet. Return the number of groups before it. Three bytes must be writable for each of the n,
-- and those after the result may be overwritten.
base64Decode :: Alphabet -> Ptr Word8 -> Ptr Word8 -> Int -> IO Int
base64Decode alphabet dst src n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        a <- unit i 0
        b <- unit i 1
        c <- unit i 2
        d <- unit i 3
        -- Only what is not in the alphabet has this bit.
        if (a .|. b .|. c .|. d) .&. 64 /= 0
          then pure i
          else do
            let w = a `unsafeShiftL` 18 .|. b `unsafeShiftL` 12 .|. c `unsafeShiftL` 6 .|. d
            storeAt dst (3 * i) (fromIntegral (w `unsafeShiftR` 16))
            storeAt dst (3 * i + 1) (fromIntegral (w `unsafeShiftR` 8))
            storeAt dst (3 * i + 2) (fromIntegral w)
            go (i + 1)
    unit i k = unitOf alphabet <$> byteAt src (4 * i + k)

-- | The number of leading characters of the alphabet among n, which must be readable.
base64Characters :: Alphabet -> Ptr Word8 -> Int -> IO Int
base64Characters alphabet p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        c <- byteAt p i
        if unitOf alphabet c < 64 then go (i + 1) else pure i

byteAt :: Ptr Word8 -> Int -> IO Word8
byteAt p i = peekHost (p `plusPtr` i)
{-# INLINE byteAt #-}

storeAt :: Ptr Word8 -> Int -> Word8 -> IO ()
storeAt p i = pokeHost (p `plusPtr` i)
{-# INLINE storeAt #-}
