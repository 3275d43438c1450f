{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Coroutine
-- Description : A computation that can be suspended in the middle (before GHC 9.6)
--
-- A computation in 'IO' that stops to hand out a value, and goes on when it is
-- told to. Two implementations have this interface; this one is for the
-- versions of GHC that have no delimited continuations, the other is in
-- @src-prompt@.
--
-- Note [Freezing]
-- ~~~~~~~~~~~~~~~
-- When an asynchronous exception interrupts the evaluation of a thunk, GHC does
-- not throw the work away: it freezes the stack of that evaluation into the
-- thunk, and whoever forces the thunk next goes on where it stopped. So the
-- computation is run as a thunk, and suspends by throwing an asynchronous
-- exception to its own thread, which 'resume' catches.
--
-- Also tried: a thread of its own for the computation, with MVars to hand over
-- (25 times slower on the bound main thread, and a thread is left behind when
-- the consumer drops the list).
--
-- What makes it safe, point by point:
--
-- * /The right thread./ Throwing asks for the number of the thread, and between
--   asking and throwing there is a point (inside @killThread#@ itself, before
--   it allocates) where a foreign exception may strike. The computation would
--   be frozen there, with that number, and when it is resumed by another
--   thread, it would hit the first one. So asynchronous exceptions are masked
--   around the two steps. ('throwHere')
-- * /The frame that unmasks./ Masking leaves a frame on the stack which ends
--   it, and this frame is frozen with the rest. If the computation is resumed
--   by a thread that has masked exceptions itself, it would unmask them behind
--   that thread's back. So if it was frozen unmasked and is resumed masked, it
--   runs in a thread of its own until it next stops. ('resume') Who resumes it waits,
--   and is not interrupted while it waits, as it would not be in any other value that
--   it forces under a mask: what the computation writes to is kept alive from there.
-- * /Foreign exceptions./ An asynchronous exception that is not ours is thrown
--   on as one, so that the thunks under evaluation are frozen and not poisoned
--   (Note [Exceptions that are not ours]). If somebody forces them again, the
--   handler goes on, and resumes the computation.
--   (One thing remains: if that somebody has exceptions masked, and the first
--   had not, they are unmasked for that thread. Any 'Control.Exception.mask' within
--   'System.IO.Unsafe.unsafePerformIO' has this flaw in these versions.)
-- * /Two threads./ The frozen stack was claimed by the thread that froze it.
--   After each resumption 'noDuplicate' claims it for the one that goes on.
--
-- * /Chains./ A frozen stack is a new object each time, and the thunk becomes an
--   indirection to it. The next time it is frozen, that object becomes an
--   indirection to the next one; only the garbage collector shortens such chains.
--   So a computation that suspends n times between two collections takes time in
--   proportion to n² (8 bytes at a time, GHC 9.0.2: 1.4 µs for each suspension, 0.4 without chains, and
--   more with a larger nursery). Every 16 suspensions the chain is followed by
--   hand, with what debuggers use to look at the heap. ('shortened') All thunks that are
--   under evaluation within the computation are frozen with it, so whoever has one there
--   does the same.
--
-- The tests "in odd places" of the group "lazy output" hold all this in place: under @mask@,
-- under @atomically@, nested, forced by several threads, interrupted by
-- timeouts, on the main thread.
module Ashlar.Internal.Coroutine
  ( Status (..),
    start,
    suspendsByFreezing,
    shortened,
  )
where

import Ashlar.Internal.Coroutine.Exception (passOn, throwHere)
import Ashlar.Internal.Coroutine.Status
import Ashlar.Internal.Coroutine.Thunk
import Control.Concurrent (forkIOWithUnmask)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import GHC.Exts.Heap (Box (..), GenClosure (..), asBox, getBoxedClosureData)
import GHC.IO (noDuplicate)
import Unsafe.Coerce (unsafeCoerce)

-- | Whether a computation suspends by an exception that its own handlers see. It
-- does here: they must pass it on ('passOn'), and be ready to go on afterwards.
suspendsByFreezing :: Bool
suspendsByFreezing = True

-- | Run a computation up to its first suspension, or its end. The function
-- that it is given suspends it; it may be called only by the computation
-- itself, and not from a thunk.
--
-- An exception of the computation is an exception of 'start' or of the
-- resumption during which it was thrown.
start :: ((o -> IO i) -> IO r) -> IO (Status o i r)
start body = do
  mail <- newIORef Empty
  computation <- newThunk (body (suspend mail))
  run mail 0 computation
{-# INLINE start #-}

-- What the two sides hand to each other.
data Mail o i
  = Empty
  | -- | From the computation, and the masking state in which it was frozen.
    Out o !MaskingState
  | In i

-- Thrown to suspend, and caught by the innermost 'run'. No computation
-- suspends inside the run of another, so the innermost is the right one.
data Suspend = Suspend
  deriving stock (Show)

instance Exception Suspend where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

suspend :: IORef (Mail o i) -> o -> IO i
suspend mail o = do
  state <- getMaskingState
  writeIORef mail (Out o state)
  throwHere (toException Suspend)
  -- Frozen here, and resumed.
  noDuplicate
  answer <- readIORef mail
  case answer of
    In i -> i <$ writeIORef mail Empty
    _ -> fail "Ashlar.Internal.Coroutine: resumed without a value"

-- Run the computation, which was resumed so often, until it stops or ends.
run :: IORef (Mail o i) -> Int -> Thunk r -> IO (Status o i r)
run mail !n (Thunk computation) = go
  where
    go = do
      end <- (Returned . Completed <$> evaluate computation) `catch` stopped
      case end of
        Returned step -> pure step
        Raised e -> throwIO e
        Resumed -> go

    stopped e = case fromException e of
      Just Suspend -> do
        letter <- readIORef mail
        writeIORef mail Empty
        case letter of
          Out x state -> pure (Returned (Suspended x (resume mail (Thunk computation) state n)))
          _ -> others e
      Nothing -> others e

    others e = passOn e (pure (Raised e)) (pure Resumed)

-- What came of running it: a step; an exception that is to be thrown on; or an
-- asynchronous one that froze all this, and somebody forces it again.
data Outcome o i r
  = Returned (Status o i r)
  | Raised SomeException
  | Resumed

-- Go on with a computation that was frozen in this masking state, after so many
-- resumptions.
resume :: IORef (Mail o i) -> Thunk r -> MaskingState -> Int -> i -> IO (Status o i r)
resume mail computation there n i = do
  writeIORef mail (In i)
  frozen <- shortened n computation
  here <- getMaskingState
  if there == Unmasked && here /= Unmasked
    then elsewhere (run mail (n + 1) frozen)
    else run mail (n + 1) frozen

-- | A thunk that has been frozen once more than so often: every 16th time the frozen stack
-- itself, in place of a chain of indirections to it. If the heap looks otherwise than
-- expected, the thunk as it is.
shortened :: Int -> Thunk r -> IO (Thunk r)
shortened n thunk@(Thunk computation)
  | n `rem` 16 == 15 = follow (asBox computation)
  | otherwise = pure thunk
  where
    follow box = do
      closure <- getBoxedClosureData box
      case closure of
        BlackholeClosure {indirectee = next} -> follow next
        IndClosure {indirectee = next} -> follow next
        -- It stands for the thunk that became an indirection to it.
        APStackClosure {} | Box frozen <- box -> pure (Thunk (unsafeCoerce frozen))
        _ -> pure thunk

-- Run an action in a thread that has exceptions unmasked, and wait for it. An
-- asynchronous exception that ends it stays one, and if the evaluation that it froze is
-- forced again, so is the action.
elsewhere :: IO a -> IO a
elsewhere act = do
  result <- newEmptyMVar
  _ <- forkIOWithUnmask (\unmask -> try (unmask act) >>= putMVar result)
  uninterruptibleMask_ (takeMVar result) >>= either (\e -> passOn e (throwIO e) (elsewhere act)) pure
