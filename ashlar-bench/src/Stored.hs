{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Stored
-- Description : Builders that nothing can be known of
--
-- Lists of builders, as a program has them that puts its output together in one
-- place and writes it in another.
module Stored (ofAshlar, ofBytestring) where

import qualified Ashlar.Builder as A
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import Output

-- | So many of ours.
ofAshlar :: Int -> [A.Builder]
ofAshlar = stored
{-# NOINLINE ofAshlar #-}

-- | So many of bytestring's.
ofBytestring :: Int -> [B.Builder]
ofBytestring = stored
{-# NOINLINE ofBytestring #-}

stored :: Output b => Int -> [b]
stored n = take n (cycle [word8 7, word64LE 4, byteString (C.pack "seven b"), stringUtf8 "abc", int64LE 12, doubleLE 3])
{-# INLINE stored #-}
