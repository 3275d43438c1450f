{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Getters
-- Description : Decoders that the compiler cannot see through
--
-- Lists of decoders, as in a program that reads a format described at run time. The functions that
-- use them cannot inline them.
module Getters
  ( ashlarGetters,
    binaryGetters,
  )
where

import qualified Ashlar.Get as A
import qualified Data.Binary.Get as Binary

-- | Ours.
ashlarGetters :: [A.Get Int]
ashlarGetters =
  take 10000 $
    cycle
      [ fromIntegral <$> A.getWord8,
        fromIntegral <$> A.getWord16le,
        fromIntegral <$> A.getInt32be,
        fromIntegral <$> A.getInt64le
      ]
{-# NOINLINE ashlarGetters #-}

-- | The same.
binaryGetters :: [Binary.Get Int]
binaryGetters =
  take 10000 $
    cycle
      [ fromIntegral <$> Binary.getWord8,
        fromIntegral <$> Binary.getWord16le,
        fromIntegral <$> Binary.getInt32be,
        fromIntegral <$> Binary.getInt64le
      ]
{-# NOINLINE binaryGetters #-}
