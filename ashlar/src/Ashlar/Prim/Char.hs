-- |
-- Module      : Ashlar.Prim.Char
-- Description : One character in one byte
module Ashlar.Prim.Char
  ( char7,
    char8,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Bounded
import Data.Bits ((.&.))
import Data.Char (ord)
import Data.Word (Word8)

-- | The lowest 7 bits of a character's number.
char7 :: FixedPrim Char
char7 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c .&. 0x7F) :: Word8))
{-# INLINE char7 #-}

-- | The lowest 8 bits of a character's number.
char8 :: FixedPrim Char
char8 = fixedPrim 1 (\c p -> pokeHost p (fromIntegral (ord c) :: Word8))
{-# INLINE char8 #-}
