{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Exception
-- Description : Passing on exceptions that are not ours
--
-- Note [Exceptions that are not ours]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Decoders and suspended computations catch an exception of their own, and so
-- meet foreign ones. A foreign asynchronous exception (a timeout, say) must not
-- be thrown on as a synchronous one: if a thunk is being evaluated, that would
-- make the timeout the thunk's value for good. Thrown to one's own thread it
-- stays asynchronous, the thunk is frozen, and whoever forces it again comes
-- back to the point behind the throw. There the work is taken up again.
--
-- Which of the two an exception is, its type tells ('SomeAsyncException'). To
-- throw all of them asynchronously would be simpler, but handlers in STM do not
-- see asynchronous exceptions, and would miss the error call of a pure value.
--
-- Note [Thrown outside of the handler]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A handler runs with asynchronous exceptions masked. To throw a synchronous exception on
-- from inside of it is common, and does no harm where 'catch' is outside, which puts the
-- masking state back. But @catchSTM@ does not (GHC 9.0.2): whoever caught the exception of
-- a value there had a thread that was masked for good. So our handlers return such an
-- exception, and it is thrown when they have returned.
--
-- (Tests "catchSTM sees an exception of a value", "an interrupted decode can be
-- forced again", and of the group "the masking state".)
--
-- For the same reason nothing that catches and rethrows ('Control.Exception.try',
-- 'Control.Exception.finally') may be called inside a run.
module Ashlar.Internal.Coroutine.Exception
  ( passOn,
    throwHere,
  )
where

import Control.Exception
import GHC.Exts (killThread#, myThreadId#)
import GHC.IO (IO (..), noDuplicate)

-- | What a handler does with an exception that is not ours. An asynchronous one is thrown
-- on at once; the second action is what to do if an evaluation that it froze is taken up
-- again. For a synchronous one the first action is done, which is to see to it that it is
-- thrown on outside of the handler.
passOn :: SomeException -> IO a -> IO a -> IO a
passOn e synchronous again = case fromException e of
  -- Two threads may take up the evaluation at the same time; one of them may go on.
  Just (SomeAsyncException _) -> throwHere e >> noDuplicate >> again
  Nothing -> synchronous

-- | Throw an asynchronous exception to the thread that runs this, and return
-- when the evaluation that it froze is forced again.
--
-- Between asking for the thread and throwing, a foreign exception could freeze
-- the evaluation, which would later hit this thread from another one. So both
-- happen with exceptions masked.
throwHere :: SomeException -> IO ()
throwHere e = mask_ $
  IO $ \s0 -> case myThreadId# s0 of
    (# s1, me #) -> (# killThread# me e s1, () #)
