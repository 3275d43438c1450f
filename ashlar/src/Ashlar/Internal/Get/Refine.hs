-- |
-- Module      : Ashlar.Internal.Get.Refine
-- Description : Refusing values that were read
module Ashlar.Internal.Get.Refine
  ( refine,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Progress (here)

-- | Read a value and make another of it, or fail with a message
-- ('Ashlar.Get.Invalid'), where the value begins.
--
-- @'refine' 'Right' g == g@, and @'refine' f ('refine' g x) == 'refine' (g 'Control.Monad.>=>' f) x@.
--
-- >>> import Ashlar.Get.Combinators (refine)
-- >>> let even' n = if even n then Right (n `div` 2) else Left "an odd number"
-- >>> runGet (refine even' getWord16be) "\0\6"
-- Right 3
-- >>> either (putStrLn . displayException) print (runGet (getWord8 *> refine even' getWord16be) "\1\0\7")
-- at byte 1: an odd number
--   00000000  01 00 07                                          |...|
--                ^^
--
-- @since 0.1.0.0
refine :: (a -> Either String b) -> Get a -> Get b
refine check g = do
  at <- here
  g >>= \x -> either (invalidFrom at) pure (check x)
{-# INLINE refine #-}
