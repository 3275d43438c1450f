-- |
-- Module      : Ashlar.Internal.Prim.Char
-- Description : One character in one byte
module Ashlar.Internal.Prim.Char
  ( char7,
    char8,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Bounded
import Data.Bits ((.&.))
import Data.Char (ord)
import Data.Word (Word8)

-- | A character of ASCII in one byte: the lowest 7 bits of its number.
--
-- @since 0.1.0.0
char7 :: FixedPrim Char
char7 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c .&. 0x7F) :: Word8))
{-# INLINE char7 #-}

-- | A character of Latin-1 (ISO/IEC 8859-1) in one byte: the lowest 8 bits of its number.
--
-- @since 0.1.0.0
char8 :: FixedPrim Char
char8 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c) :: Word8))
{-# INLINE char8 #-}
