{-# LANGUAGE DerivingStrategies #-}
-- No coverage: it wraps each mention of a variable in a new thunk, and 'hasThrown' would look at
-- that one.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Coroutine
-- Description : A computation that can be suspended in the middle
--
-- A computation in 'IO' that suspends itself to hand out a value, and later resumes with an answer.
-- How depends on the version of GHC: "Ashlar.Internal.Coroutine.Suspend".
--
-- Note [Deep computations]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- To suspend a computation copies its stack to the heap, and to resume it copies the stack back. A
-- list that is decoded by recursion, fed in small chunks, or a builder that is nested to the left,
-- has a frame for each element. So n suspensions would take time in proportion to n².
--
-- Therefore a computation whose suspension has copied more than 'deepStack' goes on in a thread of
-- its own. There it suspends by waiting for its next answer, and its stack stays where it is.
-- Others remain in the caller's thread: to change threads takes some microseconds, on a bound
-- thread ten.
--
-- * The caller waits for the thread, and holds the memory that the computation writes to. So it
--   never leaves a thread that runs. If a foreign exception strikes the caller, it first stops the
--   thread by an asynchronous exception, which freezes the computation. If the caller's evaluation
--   is forced again, another thread resumes the computation (Note [Exceptions that are not ours]).
--   (One gap: if GHC restarts a transaction whose view of memory has become inconsistent, at the
--   moment at which the thread begins, it drops the caller's frames without a word.)
-- * A value that is forced under a mask cannot be interrupted. So a masked caller waits
--   uninterruptibly.
-- * When nobody can resume the computation any more, GHC ends the thread by
--   'BlockedIndefinitelyOnMVar'.
--
-- (Tests "deep", "deep builders are produced in linear time" and those of the group "deep stacks".
-- Before, a budget limited how many levels a decoder could suspend, which refused correct input.)
module Ashlar.Internal.Coroutine
  ( Status (..),
    start,
  )
where

import qualified Ashlar.Internal.Coroutine.Suspend as Suspend
import Ashlar.Internal.Coroutine.Thunk
import Control.Concurrent (ThreadId, forkIOWithUnmask, myThreadId)
import Control.Concurrent.MVar (MVar, newEmptyMVar, putMVar, takeMVar)
import Control.Exception
import Control.Monad (join)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import System.Mem (getAllocationCounter)

-- | The status of a computation that can be suspended, when control returns to its caller.
data Status o i r
  = -- | It is suspended. It hands out a value, and resumes when it is given one. It must be resumed
    -- at most once. The number is that of the bytes that suspending has allocated, as far as it is
    -- known.
    Suspended o !Int64 (i -> IO (Status o i r))
  | -- | It has returned its result.
    Completed r

-- A value that is handed out, the thread that does so, and its allocation counter just before.
data Asked o = Asked o !ThreadId !Int64

-- How a computation in a thread of its own and its caller talk.
data Worker o i r = Worker !(MVar (Said o i r)) !(MVar i)

-- What the thread says: it has suspended, or its computation is over.
data Said o i r = Asks o | Over (IO (Status o i r))

-- Stops the thread of a computation, and so freezes it.
data Stop = Stop
  deriving stock (Show)

instance Exception Stop where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

-- | Run a computation until it first suspends, or to its end.
--
-- An exception of the computation surfaces in 'start', or in the resumption that reaches it.
start ::
  -- | The computation. Its argument suspends it. Only the computation itself may call that
  -- function, and not from a thunk.
  ((o -> IO i) -> IO r) ->
  IO (Status o i r)
start body = do
  workerRef <- newIORef Nothing
  let suspending suspend o =
        readIORef workerRef >>= \worker -> case worker of
          Nothing -> do
            here <- myThreadId
            getAllocationCounter >>= suspend . Asked o here
          Just (Worker said answers) -> putMVar said (Asks o) >> takeMVar answers
  Suspend.start (body . suspending) >>= status workerRef
{-# INLINE start #-}

status :: IORef (Maybe (Worker o i r)) -> Step (Asked o) i r -> IO (Status o i r)
status workerRef step = case step of
  Ended r -> pure (Completed r)
  Yielded (Asked o there before) resume -> do
    after <- getAllocationCounter
    here <- myThreadId
    -- The counter runs downwards, and is that of one thread.
    let copied = if here == there then before - after else 0
        goOn i
          | copied > deepStack = newThunk (resume i) >>= inThread workerRef
          | otherwise = resume i >>= status workerRef
    pure (Suspended o copied goOn)

-- Bytes. To copy as many takes as long as to change threads.
deepStack :: Int64
deepStack = 16384

-- Resume a computation in a thread of its own.
inThread :: IORef (Maybe (Worker o i r)) -> Thunk (Step (Asked o) i r) -> IO (Status o i r)
inThread workerRef computation@(Thunk x) = do
  worker@(Worker said _) <- Worker <$> newEmptyMVar <*> newEmptyMVar
  writeIORef workerRef (Just worker)
  let begin patient = do
        thread <- forkIOWithUnmask $ \unmask ->
          ((over <$> unmask (evaluate x)) `catch` ended) >>= mapM_ (putMVar said)
        awaiting begin patient worker thread
      over step = Just . Over $ case step of
        Ended r -> pure (Completed r)
        Yielded _ _ -> fail "Ashlar.Internal.Coroutine: a thread of its own has suspended"
      ended e = case fromException e of
        Just Stop -> pure Nothing
        Nothing -> do
          thrown <- hasThrown computation
          pure . Just . Over $ if thrown then rethrow e else throwOn e (started begin)
  started begin

-- Mask exceptions, and run an action that waits for a thread, given whether it must not be
-- interrupted. It returns what is to be done when exceptions are not masked any more.
started :: (Bool -> IO (IO a)) -> IO a
started wait = getMaskingState >>= \state -> join (mask_ (wait (state /= Unmasked)))

-- Wait until the computation suspends or ends, as an action of 'started'.
awaiting ::
  -- | What resumes the computation in another thread.
  (Bool -> IO (IO (Status o i r))) ->
  Bool ->
  Worker o i r ->
  ThreadId ->
  IO (IO (Status o i r))
awaiting begin patient worker@(Worker said answers) thread = do
  next <-
    (if patient then uninterruptibleMask_ else id) (takeMVar said) `catch` \e -> do
      uninterruptibleMask_ (throwTo thread Stop)
      pure (Over (throwOn (e :: SomeException) (started begin)))
  pure $ case next of
    Over act -> act
    Asks o -> pure . Suspended o 0 $ \i ->
      started (\patient' -> putMVar answers i >> awaiting begin patient' worker thread)
