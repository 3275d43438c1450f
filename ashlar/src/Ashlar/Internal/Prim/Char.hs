-- |
-- Module      : Ashlar.Internal.Prim.Char
-- Description : Characters in ASCII, Latin-1 and UTF-8, as primitives
module Ashlar.Internal.Prim.Char
  ( char7,
    char8,
    charUtf8,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Utf8
import Data.Bits ((.&.))
import Data.Char (ord)
import Data.Word (Word8)

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
