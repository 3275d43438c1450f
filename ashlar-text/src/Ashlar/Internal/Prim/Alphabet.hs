{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Prim.Alphabet
-- Description : The characters of Base64
module Ashlar.Internal.Prim.Alphabet
  ( Alphabet (..),
    characterOf,
    unitOf,
  )
where

import Ashlar.Internal.Mem (peekHost)
import Data.Word (Word32, Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Ptr (Ptr))

-- | The last two characters of the alphabet: @+/@ or @-_@.
data Alphabet = Standard | ForUrls
  deriving stock (Eq)

-- | The character of a number below 64.
characterOf :: Alphabet -> Word32 -> IO Word8
characterOf alphabet u = peekHost (characters `plusPtr` fromIntegral u)
  where
    characters = case alphabet of
      Standard -> Ptr "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"#
      ForUrls -> Ptr "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"#

-- | The number that a character stands for, or 64 if it is not in the alphabet.
unitOf :: Alphabet -> Word8 -> Word32
unitOf alphabet c
  | c - 65 < 26 = fromIntegral (c - 65)
  | c - 97 < 26 = fromIntegral (c - 71)
  | c - 48 < 10 = fromIntegral (c + 4)
  | c == c62 = 62
  | c == c63 = 63
  | otherwise = 64
  where
    (c62, c63) = case alphabet of
      Standard -> (0x2B, 0x2F)
      ForUrls -> (0x2D, 0x5F)
