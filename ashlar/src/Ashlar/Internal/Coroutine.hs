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
-- list that is decoded by recursion, fed in small chunks, has a frame for each element. So n
-- suspensions would take time in proportion to n².
--
-- Therefore a decoder whose suspension has copied more than 'deepStack' goes on in a thread of its
-- own. There it suspends by waiting for its next answer, and its stack stays where it is. Others
-- remain in the caller's thread: to change threads takes some microseconds, on a bound thread ten.
--
-- * If a foreign exception strikes the waiting caller, the caller passes it on to the thread, and
--   the thread freezes the computation. If the caller's evaluation is forced again, another thread
--   resumes the computation (Note [Exceptions that are not ours]). A value that catches every
--   exception may swallow that one. Then the old thread goes on, and the new one waits for it:
--   'noDuplicate' makes sure that only one of them evaluates.
-- * So what a thread says may come from an older one. A suspension is valid whoever tells of it.
--   The end of a computation counts only from the thread that the caller waits for: an older one
--   may have ended by an exception that was for its caller.
-- * A value that is forced under a mask cannot be interrupted. So a masked caller waits
--   uninterruptibly.
-- * When nobody can resume the computation any more, GHC ends the thread by
--   'BlockedIndefinitelyOnMVar'. GHC may send that exception although the caller is still alive:
--   then another thread resumes the computation.
--
-- Builders always remain in the caller's thread. They write to memory that the caller's stack keeps
-- alive, and the caller may be gone before its thread.
--
-- (Tests of the group "deep stacks". Before, a budget limited how many levels a decoder could
-- suspend, which refused correct input.)
module Ashlar.Internal.Coroutine
  ( Status (..),
    start,
    startDeep,
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
import GHC.IO (noDuplicate)
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

-- How a computation in threads of its own and its caller talk: what the threads say, the answers to
-- the computation, and whether it waits for one.
data Worker o i r = Worker !(MVar (Said o i r)) !(MVar i) !(IORef Bool)

-- What a thread says: it has suspended, or its computation is over. Threads are numbered.
data Said o i r = Asks o | Over !Int (IO (Status o i r))

-- | Run a computation until it first suspends, or to its end.
--
-- An exception of the computation surfaces in 'start', or in the resumption that reaches it.
start ::
  -- | The computation. Its argument suspends it. Only the computation itself may call that
  -- function, and not from a thunk.
  ((o -> IO i) -> IO r) ->
  IO (Status o i r)
start body = Suspend.start (body . noting) >>= status again
  where
    again _ resume i = resume i >>= status again
{-# INLINE start #-}

-- | 'start' for a computation that needs nothing of its caller's stack. If its own stack is deep,
-- it goes on in a thread of its own: Note [Deep computations].
startDeep :: ((o -> IO i) -> IO r) -> IO (Status o i r)
startDeep body = do
  workerRef <- newIORef Nothing
  let suspending suspend o =
        readIORef workerRef >>= \worker -> case worker of
          Nothing -> noting suspend o
          Just (Worker said answers waits) -> do
            putMVar said (Asks o)
            writeIORef waits True
            takeMVar answers <* writeIORef waits False
      goOn deep resume i
        | deep = newThunk (noDuplicate >> resume i) >>= inThread workerRef
        | otherwise = resume i >>= status goOn
  Suspend.start (body . suspending) >>= status goOn
{-# INLINE startDeep #-}

-- Suspend, and note what was allocated before.
noting :: (Asked o -> IO i) -> o -> IO i
noting suspend o = do
  here <- myThreadId
  getAllocationCounter >>= suspend . Asked o here

-- What a step means to the caller. The function says how to go on: on a deep stack (True), or not.
status ::
  (Bool -> (i -> IO (Step (Asked o) i r)) -> i -> IO (Status o i r)) ->
  Step (Asked o) i r ->
  IO (Status o i r)
status goOn step = case step of
  Ended r -> pure (Completed r)
  Yielded (Asked o there before) resume -> do
    after <- getAllocationCounter
    here <- myThreadId
    -- The counter runs downwards, and is that of one thread. (If the computation ran in another
    -- one, it pays for a thread anyway.)
    let elsewhere = here /= there
        copied = if elsewhere then 0 else before - after
    pure (Suspended o copied (goOn (elsewhere || copied > deepStack) resume))

-- Bytes. To copy as many takes as long as to change threads.
deepStack :: Int64
deepStack = 16384

-- Resume a computation in a thread of its own.
inThread :: IORef (Maybe (Worker o i r)) -> Thunk (Step (Asked o) i r) -> IO (Status o i r)
inThread workerRef computation@(Thunk x) = do
  worker@(Worker said _ waits) <- Worker <$> newEmptyMVar <*> newEmptyMVar <*> newIORef False
  writeIORef workerRef (Just worker)
  let begin number patient = do
        thread <- forkIOWithUnmask $ \unmask ->
          ((over <$> unmask (evaluate x)) `catch` ended again) >>= putMVar said . Over number
        awaiting number again patient worker thread
        where
          again = started (begin (number + 1))
      over step = case step of
        Ended r -> pure (Completed r)
        Yielded _ _ -> fail "Ashlar.Internal.Coroutine: a thread of its own has suspended"
      ended again e = do
        thrown <- hasThrown computation
        waiting <- readIORef waits
        pure $ case fromException e of
          _ | thrown -> rethrow e
          Just BlockedIndefinitelyOnMVar | waiting -> again
          _ -> throwOn e again
  started (begin 0)

-- Mask exceptions, and run an action that waits for a thread, given whether it must not be
-- interrupted. It returns what is to be done when exceptions are not masked any more.
started :: (Bool -> IO (IO a)) -> IO a
started wait = do
  -- Two threads may evaluate what calls this.
  noDuplicate
  state <- getMaskingState
  join (mask_ (wait (state /= Unmasked)))

-- Wait until the computation suspends or ends, as an action of 'started'.
awaiting ::
  -- | The number of the thread.
  Int ->
  -- | Resume the computation in the next one.
  IO (Status o i r) ->
  Bool ->
  Worker o i r ->
  ThreadId ->
  IO (IO (Status o i r))
awaiting number again patient worker@(Worker said answers _) thread = wait
  where
    wait = (takenBy patient >>= next) `catch` interrupted
    takenBy uninterruptibly = (if uninterruptibly then uninterruptibleMask_ else id) (takeMVar said)
    next found = case found of
      Over n act
        | n == number -> pure act
        -- An older thread.
        | otherwise -> takenBy patient >>= next
      Asks o -> pure . pure . Suspended o 0 $ \i ->
        started $ \patient' ->
          putMVar answers i >> awaiting number again patient' worker thread
    interrupted e = do
      uninterruptibleMask_ (throwTo thread (e :: SomeException))
      pure (throwOn e again)
