-- The unsafeDupablePerformIO of newThunk must be neither shared nor floated out.
{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Thunk
-- Description : An action as a thunk, which can be frozen
--
-- What an asynchronous exception interrupts is lost if it is an action, and is frozen
-- if it is a thunk: Note [Exceptions that are not ours] in "Ashlar.Internal.Coroutine.Exception".
module Ashlar.Internal.Coroutine.Thunk
  ( Thunk (..),
    newThunk,
  )
where

import System.IO.Unsafe (unsafeDupablePerformIO)

-- | A thunk in a box, which keeps it from being evaluated when it is passed on.
data Thunk a = Thunk a

-- | An action as a thunk. It must be known to one evaluation only, which is itself not run
-- by two threads: therefore the dupable form is enough.
newThunk :: IO a -> IO (Thunk a)
newThunk io = pure (Thunk (unsafeDupablePerformIO io))
{-# NOINLINE newThunk #-}
