{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
-- No coverage: it wraps each mention of a variable in a new thunk, and 'hasThrown' would look at
-- that one.
{-# OPTIONS_GHC -fno-hpc #-}

-- |
-- Module      : Ashlar.Internal.Coroutine.Suspend
-- Description : A computation that can be suspended in the middle (before GHC 9.6)
--
-- A computation in 'IO' that suspends itself to hand out a value, and later resumes with an
-- answer. There are two implementations. This one is for versions of GHC without delimited
-- continuations. The other is in @src-prompt@.
--
-- Note [Freezing]
-- ~~~~~~~~~~~~~~~
-- When an asynchronous exception interrupts the evaluation of a thunk, GHC keeps the work: it
-- freezes the stack of that evaluation into the thunk, and forcing the thunk again resumes it. So a
-- computation runs as a thunk. It suspends by throwing an asynchronous exception to its own thread,
-- and 'run' catches the exception.
--
-- Tried and dropped: a thread of its own for each computation, with MVars between the two. It is
-- slower, on the bound main thread by far, and remains until the garbage collector finds it. (Deep
-- ones have it: Note [Deep computations] in "Ashlar.Internal.Coroutine".)
--
-- What could go wrong, and what prevents it:
--
-- * /The wrong thread./ Throwing first asks for the thread's identity. If a foreign exception
--   struck between asking and throwing (inside @killThread#@, before it allocates), it would freeze
--   the computation with that identity. Another thread that resumes it would then throw to the
--   first one. So 'throwHere' masks asynchronous exceptions around the two steps.
-- * /Unmasking by mistake./ Masking leaves a frame on the stack that unmasks at its end, and this
--   frame is frozen, too. If a thread that has masked exceptions itself resumed the computation, it
--   would find them unmasked afterwards. So if a computation was frozen unmasked and is resumed
--   masked, 'resume' runs it in a thread of its own until it next suspends or ends. The caller
--   waits for it uninterruptibly, as for any other value that it forces under a mask. Meanwhile,
--   the caller's stack keeps alive the memory that the computation writes to.
-- * /Foreign exceptions./ A foreign asynchronous exception is thrown again as an asynchronous one,
--   so that it freezes the thunks under evaluation and does not become their value
--   (Note [Exceptions that are not ours]). If they are forced again, the handler continues and
--   resumes the computation. One flaw remains: if the thread that forces them has exceptions masked
--   and the first one had not, they become unmasked. In these versions of GHC, every
--   'Control.Exception.mask' within 'System.IO.Unsafe.unsafePerformIO' has this flaw.
-- * /Two threads./ The frozen stack is claimed by the thread that froze it. After each resumption,
--   'noDuplicate' claims it for the thread that continues.
-- * /Chains./ Each freeze makes a new object for the stack, and turns the thunk into an indirection
--   to it. The next freeze turns that object into an indirection to the next one. Only the garbage
--   collector removes such indirections. So the time of suspensions between two collections would
--   grow with the square of their number. Therefore 'shortened' follows the chain by hand after
--   every 16 of them.
--
-- The tests "in odd places" of the group "lazy output" cover all this: under @mask@, under
-- @atomically@, nested, forced by several threads, interrupted by timeouts, on the main thread.
module Ashlar.Internal.Coroutine.Suspend (start) where

import Ashlar.Internal.Coroutine.Thunk
import Control.Concurrent (forkIOWithUnmask)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception
import Control.Monad (join)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import GHC.IO (noDuplicate)

-- | Run a computation until it first suspends, or to its end.
--
-- An exception of the computation surfaces in 'start', or in the resumption that reaches it.
start ::
  -- | The computation. Its argument suspends it. Only the computation itself may call that
  -- function, and not from a thunk.
  ((o -> IO i) -> IO r) ->
  IO (Step o i r)
start body = do
  mail <- newIORef Empty
  computation <- newThunk (body (suspend mail))
  run mail 0 computation
{-# INLINE start #-}

-- What the computation and its caller hand to each other.
data Mail o i
  = Empty
  | -- | From the computation: a value, and the masking state in which it was frozen.
    Out o !MaskingState
  | -- | To the computation: the answer.
    In i

-- Thrown to suspend, and caught by the innermost 'run'. That is the right one, because no
-- computation suspends inside the 'run' of another.
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
  -- The computation is frozen here, and resumes here.
  noDuplicate
  answer <- readIORef mail
  case answer of
    In i -> i <$ writeIORef mail Empty
    _ -> fail "Ashlar.Internal.Coroutine: resumed without a value"

-- Run the computation until it suspends or ends. The number counts its resumptions so far.
run :: IORef (Mail o i) -> Int -> Thunk r -> IO (Step o i r)
run mail !n thunk@(Thunk computation) = go
  where
    go = do
      end <- (Returned . Ended <$> evaluate computation) `catch` stopped
      case end of
        Returned step -> pure step
        Raised e -> rethrow e
        Resumed -> go

    stopped e = case fromException e of
      Just Suspend -> do
        letter <- readIORef mail
        writeIORef mail Empty
        case letter of
          Out x state -> pure (Returned (Yielded x (resume mail thunk state n)))
          _ -> others e
      Nothing -> others e

    others e = passOn thunk e (pure (Raised e)) (pure Resumed)

-- How running the computation ended.
data Outcome o i r
  = Returned (Step o i r)
  | -- | A foreign synchronous exception, to be thrown after the handler has returned.
    Raised SomeException
  | -- | A foreign asynchronous exception froze the evaluation, which has been forced again.
    Resumed

-- Resume a computation: the masking state is the one in which it was frozen, and the number
-- counts its resumptions so far.
resume :: IORef (Mail o i) -> Thunk r -> MaskingState -> Int -> i -> IO (Step o i r)
resume mail computation there n i = do
  writeIORef mail (In i)
  frozen <- shortened n computation
  here <- getMaskingState
  if there == Unmasked && here /= Unmasked
    then elsewhere (run mail (n + 1) frozen)
    else run mail (n + 1) frozen

-- Every 16th time, replace a thunk by its frozen stack: Note [Freezing], Chains. If the heap does
-- not look as expected, this is the same thunk.
shortened ::
  -- How often the thunk had been frozen before the last time.
  Int ->
  Thunk r ->
  IO (Thunk r)
shortened n thunk
  | n `rem` 16 == 15 = fromMaybe thunk <$> frozenStack thunk
  | otherwise = pure thunk

-- Run an action in a new thread with exceptions unmasked, and wait for it. An asynchronous
-- exception that ends the action is thrown here as one. If the evaluation that it freezes is
-- forced again, the action runs again.
elsewhere :: IO a -> IO a
elsewhere act = do
  result <- newEmptyMVar
  _ <- forkIOWithUnmask $ \unmask -> do
    thunk@(Thunk unmasked) <- newThunk (unmask act)
    end <-
      (pure <$> evaluate unmasked) `catch` \e -> do
        thrown <- hasThrown thunk
        pure (if thrown then rethrow e else throwOn e (elsewhere act))
    putMVar result end
  join (uninterruptibleMask_ (takeMVar result))
