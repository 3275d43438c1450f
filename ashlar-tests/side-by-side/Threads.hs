{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Threads
-- Description : Values that are interrupted, or forced by two threads at once
module Threads
  ( inThreads,
    meeting,
    Interruption (..),
    interruptions,
  )
where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Samples
import Seen

-- | What the threads see, one after the other.
inThreads :: [IO Seen] -> IO Seen
inThreads acts = do
  waiting <- forM acts $ \act -> do
    done <- newEmptyMVar
    done <$ forkIO (act >>= putMVar done)
  mconcat <$> mapM takeMVar waiting

-- | The same, and all of them have begun before one goes through the gate.
meeting :: Gate -> [IO Seen] -> IO Seen
meeting gate acts = do
  waiting <- forM acts $ \act -> do
    done <- newEmptyMVar
    done <$ (forkIO ((act >>= putMVar done) `finally` arrive gate) >> awaitArrival gate)
  openGate gate
  mconcat <$> mapM takeMVar waiting

-- | By an exception of a plain type, or by one of the asynchronous hierarchy.
data Interruption = ByPlain | ByHalt
  deriving stock (Bounded, Enum)

-- | A pure value is interrupted at its hole, and then forced again. The bytes that were seen before
-- the interruption do not count.
interruptions :: [Interruption] -> (Hole -> a) -> (a -> IO Seen) -> [(String, IO Seen)]
interruptions kinds value look = concatMap each kinds
  where
    each kind = case kind of
      ByPlain -> by "Plain" Plain
      ByHalt -> by "Halt" Halt
    by name e =
      [ ( "interrupted by " ++ name,
          do
            let x = value (interrupting e)
            (<>) <$> once x <*> seeing (look x)
        ),
        ( "interrupted by another thread's " ++ name,
          do
            gate <- newGate
            let x = value (waitingAt gate)
            done <- newEmptyMVar
            t <- forkIO ((once x >>= putMVar done) `finally` arrive gate)
            awaitArrival gate
            throwTo t e
            first <- takeMVar done
            openGate gate
            (first <>) <$> seeing (look x)
        )
      ]
    once x = exceptionOnly <$> seeing (look x)
