-- The unsafeDupablePerformIO of newThunk must be neither shared nor floated out.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Thunk
-- Description : An action as a thunk, which can be frozen
--
-- An asynchronous exception discards the work of an action, but freezes that of a thunk: see
-- Note [Exceptions that are not ours] in "Ashlar.Internal.Coroutine.Exception".
module Ashlar.Internal.Coroutine.Thunk
  ( Thunk (..),
    newThunk,
  )
where

import System.IO.Unsafe (unsafeDupablePerformIO)

-- | A thunk in a box, so that passing it on does not evaluate it.
data Thunk a = Thunk a

-- | Turn an action into a thunk. Only one evaluation may know it, and that evaluation must not
-- run in two threads. Therefore the dupable form is enough.
newThunk :: IO a -> IO (Thunk a)
newThunk io = pure (Thunk (unsafeDupablePerformIO io))
{-# NOINLINE newThunk #-}
