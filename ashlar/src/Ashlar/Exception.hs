{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Exception
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
-- (Tests "catchSTM sees an exception of a value", "an interrupted decode can be
-- forced again".)
--
-- For the same reason nothing that catches and rethrows ('Control.Exception.try',
-- 'Control.Exception.finally') may be called inside a run.
module Ashlar.Exception
  ( passOn,
    throwHere,
  )
where

import Control.Exception
import GHC.Exts (killThread#, myThreadId#)
import GHC.IO (IO (..), noDuplicate)

-- | Throw on an exception that was caught and is not ours. The action is what
-- to do if an evaluation that the exception froze is taken up again.
passOn :: SomeException -> IO a -> IO a
passOn e again = case fromException e of
  -- Two threads may take up the evaluation at the same time; one of them may go on.
  Just (SomeAsyncException _) -> throwHere e >> noDuplicate >> again
  Nothing -> throwIO e

-- | Throw an asynchronous exception to the thread that runs this, and return
-- when the evaluation that it froze is forced again.
--
-- Between asking for the thread and throwing, a foreign exception could freeze
-- the evaluation, which would later hit this thread from another one. So both
-- happen with exceptions masked.
throwHere :: SomeException -> IO ()
throwHere e = mask_ $ IO $ \s0 -> case myThreadId# s0 of
  (# s1, me #) -> (# killThread# me e s1, () #)
