-- |
-- Module      : Ashlar.Internal.Coroutine.Status
-- Description : The status of a computation that can be suspended
--
-- Both implementations of "Ashlar.Internal.Coroutine" return it.
module Ashlar.Internal.Coroutine.Status
  ( Status (..),
  )
where

-- | What a computation has come to when control returns to its caller.
data Status o i r
  = -- | It is suspended: it hands out a value, and resumes when it is given one. It must be
    -- resumed at most once.
    Suspended o (i -> IO (Status o i r))
  | -- | It has returned its result.
    Completed r
