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
-- The handlers around suspended computations, and around builders with a user's sink, also catch
-- foreign exceptions. They must not rethrow a foreign asynchronous exception, such as a timeout, as
-- a synchronous one: a thunk under evaluation would keep the timeout as its value for good.
-- Instead, the handler throws it to its own thread. So it stays asynchronous and freezes the thunk.
-- When the thunk is forced again, the work resumes after the throw.
--
-- A handler is not told how an exception was thrown. The type of the exception does not say it:
-- 'throwTo' takes any exception, and users throw types of their own. So the code in such a handler
-- is evaluated as a thunk. A synchronous exception becomes the value of the thunk, an asynchronous
-- one does not ('hasThrown').
--
-- (Decoders have no handlers: Note [A failure is a value] in "Ashlar.Internal.Get.Type".)
--
-- One limit: 'Control.Exception.bracket' and its like rethrow every exception synchronously. So a
-- pure value that runs one of them in 'System.IO.Unsafe.unsafePerformIO' keeps the exception
-- ('Ashlar.Builder.writeFile', 'Ashlar.Get.runGetFile'). GHC's own library does the same.
--
-- Tried and dropped: deciding by the type alone. Pure values then kept asynchronous exceptions of
-- types that are usually synchronous.
--
-- Note [Thrown outside of the handler]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A handler runs with asynchronous exceptions masked. If it rethrows a synchronous exception, an
-- outer 'catch' restores the masking state. But @catchSTM@ does not (GHC 9.0.2): a thread that
-- caught a value's exception there stayed masked for good. So our handlers return such an
-- exception, and it is thrown after they have returned.
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

-- | Handle a foreign exception that ended the evaluation of a thunk. An asynchronous one is thrown
-- again at once.
passOn ::
  -- | The thunk. The handler must enclose its whole evaluation.
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
-- This asks for the thread, and then throws. A foreign exception between these two steps could
-- freeze the evaluation there, and another thread that resumes it would then throw to this one. So
-- both steps run with exceptions masked.
throwHere :: SomeException -> IO ()
throwHere e = mask_ $
  IO $ \s0 -> case myThreadId# s0 of
    (# s1, me #) -> (# killThread# me e s1, () #)

-- | Throw an exception that was caught, unchanged. (From GHC 9.10 on, 'throwIO' would add another
-- backtrace.)
rethrow :: SomeException -> IO a
rethrow e = IO (raiseIO# e)

-- | The status of a computation that can be suspended, when control returns to its caller. Both
-- implementations of "Ashlar.Internal.Coroutine" return it.
data Status o i r
  = -- | It is suspended. It hands out a value, and resumes when it is given one. It must be resumed
    -- at most once.
    Suspended o (i -> IO (Status o i r))
  | -- | It has returned its result.
    Completed r
