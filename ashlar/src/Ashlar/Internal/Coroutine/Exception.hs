{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Coverage would put a new thunk around each mention of a thunk that a handler looks at.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Exception
-- Description : Passing on foreign exceptions; the status of what can be suspended
--
-- Note [Exceptions that are not ours]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Suspended computations, and builders whose sink is a user's, have handlers of their own, which
-- also meet foreign exceptions. A foreign asynchronous exception, such as a timeout, must not be
-- rethrown as a synchronous one: a thunk under evaluation would keep the timeout as its value for
-- good. If the handler throws it to its own thread, it stays asynchronous and freezes the thunk.
-- Whoever forces the thunk again comes back to the point after the throw, and the work resumes
-- there.
--
-- A handler is not told how an exception was thrown. Its type does not say: 'throwTo' takes any
-- exception, and users throw types of their own. What shows it is the evaluation. So what such a
-- handler encloses is a thunk. A synchronous exception becomes the value of the thunk, an
-- asynchronous one does not ('hasThrown').
--
-- (Decoders have no handlers: Note [A failure is a value] in "Ashlar.Internal.Get.Type".)
--
-- One limit: 'Control.Exception.bracket' and its like rethrow every exception synchronously. So a
-- value that runs one of them in 'System.IO.Unsafe.unsafePerformIO' keeps it
-- ('Ashlar.Builder.writeFile', 'Ashlar.Get.runGetFile'). GHC's own library does the same.
--
-- Tried and dropped: deciding by the type alone. Exceptions of plain types poisoned pure values.
--
-- Note [Thrown outside of the handler]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A handler runs with asynchronous exceptions masked. It commonly rethrows a synchronous
-- exception from there, which does no harm inside a 'catch', because 'catch' restores the
-- masking state. But @catchSTM@ does not (GHC 9.0.2): a thread that caught a value's exception
-- there stayed masked for good. So our handlers return such an exception, and it is thrown
-- after they have returned.
--
-- For the same reason, nothing inside a run may catch and rethrow
-- ('Control.Exception.try', 'Control.Exception.finally').
--
-- The tests "catchSTM sees an exception of a value", "an interrupted decode can be forced
-- again" and those of the groups "the masking state" and "exceptions that are not ours" cover both
-- notes.
module Ashlar.Internal.Coroutine.Exception
  ( passOn,
    tryThunk,
    throwOn,
    throwHere,
    rethrow,
    Status (..),
  )
where

import Ashlar.Internal.Coroutine.Thunk
import Control.Exception
import GHC.Exts (killThread#, myThreadId#, raiseIO#)
import GHC.IO (IO (..), noDuplicate)

-- | What a handler does with a foreign exception that ended the evaluation of a thunk. An
-- asynchronous one is thrown again at once.
passOn ::
  -- | The thunk, of which the handler encloses all of the evaluation.
  Thunk r ->
  -- | The exception.
  SomeException ->
  -- | For a synchronous exception: make sure that it is thrown after the handler has returned.
  IO a ->
  -- | For an asynchronous exception: what to do when the evaluation that it froze is resumed.
  IO a ->
  IO a
passOn thunk e synchronous again = do
  thrown <- hasThrown thunk
  if thrown then synchronous else throwOn e again

-- | Evaluate a thunk, or return the synchronous exception that it throws. An asynchronous one is
-- thrown again. If the evaluation that it froze is resumed, so is the thunk.
tryThunk :: Thunk a -> IO (Either SomeException a)
tryThunk thunk@(Thunk x) = do
  outcome <-
    (Just . Right <$> evaluate x)
      `catch` \e -> passOn thunk e (pure (Just (Left e))) (pure Nothing)
  maybe (tryThunk thunk) pure outcome

-- | Throw an exception as an asynchronous one.
throwOn ::
  SomeException ->
  -- | What to do when the evaluation that it froze is resumed.
  IO a ->
  IO a
-- Two threads may resume the evaluation at the same time. Only one of them may go on.
throwOn e again = throwHere e >> noDuplicate >> again

-- | Throw an asynchronous exception to the thread that runs this, and return when the
-- evaluation that it froze is forced again.
--
-- A foreign exception between the two steps, asking for the thread and throwing, could freeze
-- the evaluation there. Another thread that resumes it would then throw to this one. So both
-- steps run with exceptions masked.
throwHere :: SomeException -> IO ()
throwHere e = mask_ $
  IO $ \s0 -> case myThreadId# s0 of
    (# s1, me #) -> (# killThread# me e s1, () #)

-- | Throw an exception that was caught, as it was. (From GHC 9.10 on, 'throwIO' would add another
-- backtrace.)
rethrow :: SomeException -> IO a
rethrow e = IO (raiseIO# e)

-- The status of a computation that can be suspended.
--
-- Both implementations of "Ashlar.Internal.Coroutine" return it.

-- | What a computation has come to when control returns to its caller.
data Status o i r
  = -- | It is suspended: it hands out a value, and resumes when it is given one. It must be
    -- resumed at most once.
    Suspended o (i -> IO (Status o i r))
  | -- | It has returned its result.
    Completed r
