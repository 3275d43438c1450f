-- |
-- Module      : Ashlar.Internal.Coroutine.Status
-- Description : How far a computation has come that can be suspended
--
-- What both implementations of "Ashlar.Internal.Coroutine" return.
module Ashlar.Internal.Coroutine.Status
  ( Status (..),
  )
where

-- | How far a computation has come.
data Status o i r
  = -- | It has stopped, with a value for us, and waits for one from us. It must
    -- be resumed at most once.
    Suspended o (i -> IO (Status o i r))
  | -- | It has ended.
    Completed r
