{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Catch
-- Description : Catching failures, and what becomes of a decoder that is interrupted
--
-- Note [Interrupted inside an alternative]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- An asynchronous exception freezes the evaluation of a decoder's run, and
-- whoever forces the result again takes it up: Note [Exceptions that are not ours].
-- But it freezes thunks only. What is on the stack above a handler is no thunk, and
-- is lost when the handler is called. There are two ways out, and a run says which
-- is its own ('inPlaceCell'):
--
-- * All of the input is in memory, in one piece: the run begins again. Nothing
--   is needed for that.
-- * Input that has been read is gone: the alternative is run as a thunk inside
--   the handler, and so is frozen in its turn. When the evaluation is taken up,
--   the handler has nothing to do, and the thunk is forced again. A run that is
--   suspended by freezing it (see "Ashlar.Internal.Coroutine") goes this way too, each
--   time it waits for input.
--
-- A thunk costs 12 ns for each alternative (10,000 of which half fail took 165 µs
-- without thunks and 285 µs with them, GHC 9.0.2). Also tried: to begin again at the
-- choice, without a thunk. That needs the bytes from there on, which
-- 'Ashlar.Get.commit' gives up; and a decoder that is suspended n times inside of one
-- alternative takes time in proportion to n².
--
-- (Tests "an interrupted decode can be forced again", "an alternative of many chunks
-- is run once", and others of the group "push mode".)
module Ashlar.Internal.Get.Catch
  ( Outcome (..),
    catching,
    Caught (..),
    inPlace,
  )
where

import Ashlar.Internal.Coroutine (shortened)
import Ashlar.Internal.Coroutine.Exception (passOn)
import Ashlar.Internal.Coroutine.Thunk
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Mem.Cells
import Control.Exception (SomeException, catch, evaluate, throw, throwIO)
import GHC.Exts (RealWorld, State#, catch#)
import GHC.IO (IO (..), unIO)

-- | How a decoder ended.
data Outcome
  = Succeeded
  | -- | It failed. The cursor is where that happened.
    HasFailed
  | -- | A foreign asynchronous exception ended it; then somebody took up the
    -- evaluation that it froze. The whole run must begin again.
    TakenUp

-- | Run a decoder, and catch its failure. The result is good only if it
-- 'Succeeded'.
--
-- Whatever comes next runs outside of the handler, where asynchronous exceptions
-- are as they were.
--
-- The work is out of line for the sake of what calls it: inlined, the code for the
-- other alternative was there four times, and the environment was taken apart and
-- built anew each time.
--
-- It is given a lambda: @f c env@ would be a thunk, which is evaluated and updated before it can be
-- run. A run on one byte took 8 ns more.
catching :: Cells -> Env -> Get a -> State# RealWorld -> (# State# RealWorld, Outcome, a #)
catching c env (Get f) = guarded c (\s -> f c env s)
{-# INLINE catching #-}

-- Note [Caught by a cell]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- The handler writes into a cell that it was called, and returns something
-- that is not looked at, or throws the exception that it was called with, where that is
-- not ours (Note [Thrown outside of the handler]). So the result needs no box to tell the
-- two cases apart. (A run in place could be frozen between writing and reading the cell,
-- and another handler would write to it before it is taken up. There the result has its
-- box.)
guarded :: Cells -> (State# RealWorld -> (# State# RealWorld, a #)) -> State# RealWorld -> (# State# RealWorld, Outcome, a #)
guarded c body s0 = case unIO (getInt c inPlaceCell) s0 of
  (# s1, 0 #) -> case catch# body (caught c) s1 of
    (# s2, a #) -> case unIO (getInt c failedCell) s2 of
      (# s3, 0 #) -> (# s3, Succeeded, a #)
      (# s3, how #) -> case unIO (putInt c failedCell 0) s3 of
        (# s4, _ #)
          | how == 1 -> (# s4, HasFailed, a #)
          | how == 2 -> (# s4, TakenUp, a #)
          -- This throws the exception.
          | otherwise -> case unIO (evaluate a) s4 of (# s5, a' #) -> (# s5, TakenUp, a' #)
  (# s1, _ #) -> case unIO (inPlace (IO body)) s1 of
    (# s2, Returned a #) -> (# s2, Succeeded, a #)
    (# s2, Missed #) -> (# s2, HasFailed, notLookedAt #)
    (# s2, _ #) -> (# s2, TakenUp, notLookedAt #)
{-# NOINLINE guarded #-}

caught :: Cells -> SomeException -> State# RealWorld -> (# State# RealWorld, a #)
caught c e = unIO handler
  where
    handler
      | isFailure e = notLookedAt <$ putInt c failedCell 1
      | isRestart e = notLookedAt <$ putInt c failedCell 2
      | otherwise = passOn e (throw e <$ putInt c failedCell 3) (notLookedAt <$ putInt c failedCell 2)

notLookedAt :: a
notLookedAt = errorWithoutStackTrace "Ashlar.Get: the result of a failed decoder was used"
{-# NOINLINE notLookedAt #-}

-- | How an action of a decoder ended.
data Caught a
  = Returned a
  | -- | It failed.
    Missed
  | -- | The whole run must begin again.
    Interrupted
  | -- | It was frozen, and can go on. ('inPlace' does not return this, nor the next.)
    Frozen
  | -- | It was ended by an exception that is not ours.
    Threw SomeException

-- | Run an action of a decoder as a thunk. If an asynchronous exception strikes, it
-- is frozen; and if somebody takes up the evaluation that was interrupted, it
-- goes on where it was.
inPlace :: IO a -> IO (Caught a)
inPlace act = newThunk (Returned <$> act) >>= force 0
  where
    -- A thunk that has been frozen so often. (Without 'shortened' a decoder that waits for
    -- 40,000 bytes in an alternative, one by one, took 8.8 s, and takes 24 ms, with a
    -- nursery of 64 MiB, GHC 9.0.2.)
    force n thunk@(Thunk run) = do
      r <- evaluate run `catch` stopped
      case r of
        Frozen -> shortened n thunk >>= force (n + 1)
        Threw e -> throwIO e
        _ -> pure r
    stopped :: SomeException -> IO (Caught a)
    stopped e
      | isFailure e = pure Missed
      | isRestart e = pure Interrupted
      | otherwise = passOn e (pure (Threw e)) (pure Frozen)
{-# NOINLINE inPlace #-}
