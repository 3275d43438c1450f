{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- Coverage would put a new thunk around each mention of a thunk that a handler looks at.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Get.Catch
-- Description : Catching failures, and what becomes of a decoder that is interrupted
--
-- Note [Interrupted inside an alternative]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- An asynchronous exception freezes the evaluation of a decoder's run, and whoever forces the
-- result again resumes it: Note [Exceptions that are not ours]. But it freezes thunks only. What
-- is on the stack above a handler is no thunk, and is lost when the handler is called. There are
-- two ways out, and a run says which is its own ('inPlaceCell'):
--
-- * The input is there from its first byte on: all of it is in memory, in one chunk, or a pure
--   decoder has kept it. The run begins again, and nothing is needed for that.
-- * Input that has been read is gone. The alternative runs as a thunk inside the handler, and so is
--   frozen in its turn. When the evaluation is resumed, the handler has nothing to do, and the
--   thunk is forced again. A run that is suspended by freezing it (see
--   "Ashlar.Internal.Coroutine") goes this way too, each time it waits for input.
--
-- A run in memory that has to begin again goes the second way from then on. Its thunks show whether
-- an exception is synchronous, and its work is not lost a second time.
--
-- A thunk adds to the cost of each alternative (benchmark "many with an alternative"). Tried and
-- dropped: beginning again at the choice, without a thunk. That needs the bytes from there on,
-- which 'Ashlar.Get.commit' gives up. A decoder suspended n times inside one alternative would take
-- time proportional to n².
--
-- (Tests "an interrupted decode can be forced again", "an alternative of many chunks is run once",
-- and others of the groups "push mode" and "exceptions that are not ours".)
module Ashlar.Internal.Get.Catch
  ( -- * How a decoder ended
    Stop (..),
    Outcome,
    failAgain,

    -- * Catching
    catching,
    catchingRun,
    catchingWhole,
    inPlace,
  )
where

import Ashlar.Internal.Coroutine (shortened)
import Ashlar.Internal.Coroutine.Exception (Suspect, passOn, passOnUnseen, rethrow)
import Ashlar.Internal.Coroutine.Thunk
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem.Cells
import Control.Exception (Exception, SomeException, catch, evaluate, fromException, throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import GHC.Exts (RealWorld, State#, catch#, touch#)
import GHC.IO (IO (..), unIO)
import Unsafe.Coerce (unsafeCoerce)

-- | Why a decoder has no result.
data Stop
  = -- | It failed. The cursor is where that happened.
    HasFailed
  | -- | A foreign synchronous exception ended it, which must be thrown outside of the handler.
    Raised SomeException
  | -- | A foreign exception ended it, and the whole run must begin again, in place. Either the
    -- exception was thrown to the thread, and the evaluation that it froze was resumed. Or it must
    -- be thrown if the new run does not throw it again.
    MustRestart (Maybe Suspect)
  | -- | A foreign asynchronous exception froze it as a thunk, and the evaluation was resumed. The
    -- thunk can go on. 'inPlace' takes care of that, and does not return this.
    Frozen

-- | How a decoder ended: with a result, or not. It is unboxed because most results are used at
-- once.
type Outcome a = (# a| Stop #)

-- Thrown when a decoder that was interrupted has to begin again. It never leaves a run.
newtype Restart = Restart (Maybe Suspect)

instance Show Restart where
  show _ = "Ashlar.Get: restart outside of a run"

instance Exception Restart

-- | End in the same way as a decoder that did not succeed.
failAgain :: Stop -> IO a
failAgain stop = case stop of
  HasFailed -> throwFailed
  Raised e -> rethrow e
  MustRestart suspect -> throwIO (Restart suspect)
  Frozen -> throwIO (Restart Nothing)
{-# NOINLINE failAgain #-}

-- | Run a decoder, and catch its failure.
--
-- The code after it runs outside of the handler, where the masking state is as before.
--
-- The work is out of line to keep its callers small: inlined, the code of the other alternative is
-- there four times, and the environment is taken apart and rebuilt each time.
--
-- 'guarded' gets a lambda. @f c env@ would be a thunk, to be evaluated and updated before it can
-- run, which slows down short runs.
catching :: Cells -> Env -> Get a -> State# RealWorld -> (# State# RealWorld, Outcome a #)
catching c env (Get f) = guarded True c (\s -> f c env s)
{-# INLINE catching #-}

-- | 'catching' for a whole run, after which nobody uses the cells.
catchingRun :: Cells -> Env -> Get a -> State# RealWorld -> (# State# RealWorld, Outcome a #)
catchingRun c env (Get f) = guarded False c (\s -> f c env s)
{-# INLINE catchingRun #-}

-- | 'catching' for a whole run on strict input that is not traced: Note [A small run].
--
-- The handler, which is on the stack until the decoder has ended, keeps the string alive.
catchingWhole ::
  Cells ->
  ByteString ->
  Get a ->
  State# RealWorld ->
  (# State# RealWorld, Outcome a #)
catchingWhole c bs (Get f) s0 = case catch# (\s -> f c env s) caught s0 of
  (# s1, a #) -> case unIO (getInt c inPlaceCell) s1 of
    (# s2, now #)
      | now == hasCaught -> (# s2, (# | unsafeCoerce a #) #)
      | otherwise -> (# s2, (# a | #) #)
  where
    env = Whole bs
    caught e s = case unIO (stopIn e) s of
      (# s1, stop #) -> case unIO (putInt c inPlaceCell hasCaught) s1 of
        (# s2, _ #) -> case touch# bs s2 of s3 -> (# s3, unsafeCoerce (stop :: Stop) #)
    stopIn e = if isFailure e then pure HasFailed else stopOf e
{-# INLINE catchingWhole #-}

-- Note [Caught by a cell]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A handler that is called notes that in a cell, and returns the 'Stop' in place of a result. So
-- the result needs no box to tell the two apart.
--
-- A run in place could be frozen between writing and reading the cell, and another handler would
-- write to the cell before the run resumes. There the result has a box.
--
-- The handler of a whole run leaves the cell as it is. An exception that arrives while the handler
-- is at work freezes the run between writing and reading the cell, and two threads may resume it at
-- the same time. If the first put the cell back, the second would take a reason for a result. All
-- other handlers have one around them, which makes the run begin again.
guarded ::
  -- | Are the cells used afterwards?
  Bool ->
  Cells ->
  (State# RealWorld -> (# State# RealWorld, a #)) ->
  State# RealWorld ->
  (# State# RealWorld, Outcome a #)
guarded again c body s0 = case unIO (getInt c inPlaceCell) s0 of
  (# s1, mode #)
    | mode /= goesOnInPlace -> case catch# body caught s1 of
      (# s2, a #) -> case unIO (getInt c inPlaceCell) s2 of
        (# s3, now #)
          | now == hasCaught -> case unIO (stoppedBy a) s3 of
            (# s4, stop #) -> (# s4, (# | stop #) #)
          | otherwise -> (# s3, (# a | #) #)
    | otherwise -> case unIO (inPlace (IO body)) s1 of
      (# s2, Right a #) -> (# s2, (# a | #) #)
      (# s2, Left stop #) -> (# s2, (# | stop #) #)
  where
    stoppedBy a = when again (putInt c inPlaceCell beginsAgain) >> evaluate (unsafeCoerce a :: Stop)
    caught e
      | isFailure e = stopped HasFailed
      | otherwise = \s0' -> case unIO (stopOf e) s0' of (# s1', stop #) -> stopped stop s1'
    stopped stop = unIO (unsafeCoerce (stop :: Stop) <$ putInt c inPlaceCell hasCaught)
{-# NOINLINE guarded #-}

-- What stopped a decoder, by an exception that is not a failure.
stopOf :: SomeException -> IO Stop
stopOf e = case fromException e of
  Just (Restart suspect) -> pure (MustRestart suspect)
  Nothing -> MustRestart <$> passOnUnseen e
{-# NOINLINE stopOf #-}

-- The same for one that runs as a thunk.
stopOfThunk :: Thunk r -> SomeException -> IO Stop
stopOfThunk thunk e = case fromException e of
  Just (Restart suspect) -> pure (MustRestart suspect)
  Nothing -> passOn thunk e (pure (Raised e)) (pure Frozen)
{-# NOINLINE stopOfThunk #-}

-- | Run an action of a decoder as a thunk. An asynchronous exception freezes it. When the
-- interrupted evaluation is resumed, the thunk continues where it was.
inPlace :: IO a -> IO (Either Stop a)
inPlace act = newThunkRight act >>= \(Thunk run) -> force 0 run
  where
    -- A thunk that has been frozen n times. Without 'shortened', a decoder that waits for bytes in
    -- an alternative, one by one, would take time proportional to the square of their number. (The
    -- box of the thunk is built where it is needed, which is rare.)
    force n run = do
      r <-
        evaluate run `catch` \e ->
          if isFailure e then pure (Left HasFailed) else Left <$> stopOfThunk (Thunk run) e
      case r of
        Left Frozen -> shortened n (Thunk run) >>= \(Thunk frozen) -> force (n + 1) frozen
        _ -> pure r
{-# NOINLINE inPlace #-}
