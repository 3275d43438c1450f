-- |
-- Module      : Ashlar.Codec.Refine
-- Description : Refusing values that were read
module Ashlar.Codec.Refine
  ( refine,
    invalidAtOffset,
  )
where

import Ashlar.Get.Core
import Ashlar.Get.Env
import Ashlar.Get.Error

-- | Read a value and make another of it, or fail where it begins, with a message.
refine :: (a -> Either String b) -> Get a -> Get b
refine check g = do
  at <- step (\c _ -> position c)
  g >>= \x -> either (invalidAtOffset at) pure (check x)
{-# INLINE refine #-}

-- | Fail at an offset in the stream, with a message.
invalidAtOffset :: Int -> String -> Get a
invalidAtOffset at message = step (\_ env -> failWith env at (Invalid message))
{-# NOINLINE invalidAtOffset #-}
