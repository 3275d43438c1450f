{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Stored
-- Description : Builders that the compiler cannot see through
--
-- Lists of builders, as in a program that composes its output in one module and writes it in
-- another.
module Stored (ofAshlar, ofBytestring) where

import qualified Ashlar.Builder as A
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import Output

-- | This many of our builders.
ofAshlar :: Int -> [A.Builder]
ofAshlar = stored
{-# NOINLINE ofAshlar #-}

-- | This many of bytestring's builders.
ofBytestring :: Int -> [B.Builder]
ofBytestring = stored
{-# NOINLINE ofBytestring #-}

stored :: Output b => Int -> [b]
stored n =
  take
    n
    ( cycle
        [ word8 7,
          word64LE 4,
          byteString (C.pack "seven b"),
          stringUtf8 "abc",
          int64LE 12,
          doubleLE 3
        ]
    )
{-# INLINE stored #-}
