-- |
-- Module      : Ashlar.Codec.Refine
-- Description : Refusing values that were read
module Ashlar.Codec.Refine
  ( refine,
  )
where

import Ashlar.Get.Core
import Ashlar.Get.Progress (here)

-- | Read a value and make another of it, or fail where it begins, with a message.
refine :: (a -> Either String b) -> Get a -> Get b
refine check g = do
  at <- here
  g >>= \x -> either (invalidFrom at) pure (check x)
{-# INLINE refine #-}
