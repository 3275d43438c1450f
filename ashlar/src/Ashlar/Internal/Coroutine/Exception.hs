{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Exception
-- Description : Passing on foreign exceptions
--
-- Note [Exceptions that are not ours]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Decoders and suspended computations catch an exception of their own, so their handlers also
-- meet foreign ones. A foreign asynchronous exception, such as a timeout, must not be rethrown
-- as a synchronous one: a thunk under evaluation would keep the timeout as its value for good.
-- If the handler throws it to its own thread, it stays asynchronous and freezes the thunk.
-- Whoever forces the thunk again comes back to the point after the throw, and the work resumes
-- there.
--
-- The type of an exception tells the two kinds apart ('SomeAsyncException'). Throwing every
-- exception asynchronously would be simpler. But handlers in STM do not see asynchronous
-- exceptions, and would miss the error call of a pure value.
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
-- again" and those of the group "the masking state" cover both notes.
module Ashlar.Internal.Coroutine.Exception
  ( passOn,
    throwHere,
  )
where

import Control.Exception
import GHC.Exts (killThread#, myThreadId#)
import GHC.IO (IO (..), noDuplicate)

-- | What a handler does with a foreign exception. An asynchronous one is thrown again at once.
passOn ::
  -- | The exception.
  SomeException ->
  -- | For a synchronous exception: make sure that it is thrown after the handler has returned.
  IO a ->
  -- | For an asynchronous exception: what to do when the evaluation that it froze is resumed.
  IO a ->
  IO a
passOn e synchronous again = case fromException e of
  -- Two threads may resume the evaluation at the same time. Only one of them may go on.
  Just (SomeAsyncException _) -> throwHere e >> noDuplicate >> again
  Nothing -> synchronous

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
