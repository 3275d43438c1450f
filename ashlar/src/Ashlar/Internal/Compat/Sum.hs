{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Sum
-- Description : The numbers of constructors, as binary and cereal write them
--
-- A constructor is its number, counted from 0: in 1, 2 or 4 bytes, the most significant
-- first, as the number of constructors demands. Both libraries do it so.
module Ashlar.Internal.Compat.Sum
  ( GCount (..),
    tag,
    getTag,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Numbers (word16BE, word32BE, word8)
import Ashlar.Internal.Codec.Tag (GCount (..))
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Refuse

-- | The number (the second argument) of one of so many constructors.
tag :: Int -> Int -> Builder
tag count i
  | count <= 256 = word8 (fromIntegral i)
  | count <= 65536 = word16BE (fromIntegral i)
  | otherwise = word32BE (fromIntegral i)
{-# INLINE tag #-}

-- | The number of one of so many constructors. One that there is not fails.
getTag :: Int -> Get Int
getTag count
  | count <= 256 = fmap fromIntegral getWord8 >>= known
  | count <= 65536 = fmap fromIntegral getWord16be >>= known
  | otherwise = fmap fromIntegral getWord32be >>= known
  where
    known i = if i < count then pure i else invalid "Unknown encoding for constructor"
    {-# INLINE known #-}
{-# INLINE getTag #-}
