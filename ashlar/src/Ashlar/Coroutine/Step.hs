-- |
-- Module      : Ashlar.Coroutine.Step
-- Description : How far a computation has come that can be suspended
--
-- What both implementations of "Ashlar.Coroutine" return.
module Ashlar.Coroutine.Step
  ( Step (..),
  )
where

-- | How far a computation has come.
data Step o i r
  = -- | It has stopped, with a value for us, and waits for one from us. It must
    -- be resumed at most once.
    Suspended o (i -> IO (Step o i r))
  | -- | It has ended.
    Ended r
