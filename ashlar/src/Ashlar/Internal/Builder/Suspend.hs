-- |
-- Module      : Ashlar.Internal.Builder.Suspend
-- Description : Running a builder from one request to the next
--
-- For drivers that cannot wait until a builder has ended. The builder runs until it makes a
-- request. It is then a value: the request, and the function that resumes it. The driver answers
-- the request and keeps its state in its arguments. The sink only suspends, except where a driver
-- resumes it with a queue.
module Ashlar.Internal.Builder.Suspend
  ( BuilderStatus,
    Status (..),
    PendingRequest (..),
    runToRequest,
    allocatedBySuspending,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Queue
import Ashlar.Internal.Coroutine
import Control.Concurrent (ThreadId, myThreadId)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import System.Mem (getAllocationCounter)

-- | A builder that is suspended and resumes when given free space, or that has ended at an address.
-- Resume it at most once.
--
-- The free space must stay alive until the builder next suspends; see 'Sink'.
type BuilderStatus = Status PendingRequest FreeSpace (Ptr Word8)

-- | The request of a suspended builder, the address up to which its free space was written, and the
-- queue for 'resumeQueueing'.
data PendingRequest = PendingRequest !Request !(Ptr Word8) !Before !Queue

-- The thread that suspended, and its allocation counter just before.
data Before = Before !ThreadId !Int64

-- | Run a builder until its first request.
runToRequest :: Builder -> FreeSpace -> IO BuilderStatus
runToRequest b space = do
  queue <- newQueue
  start $ \suspend ->
    let stop request p = do
          here <- myThreadId
          counter <- getAllocationCounter
          suspend (PendingRequest request p (Before here counter) queue)
        {-# NOINLINE stop #-}
        sink = Sink $ \request p -> case request of
          Insert bs -> enqueue queue (stop request p) bs p
          _ -> stop request p
     in runBuilderWith sink space b

-- | How many bytes suspending has allocated, if called at once after it.
--
-- The counter runs downwards. If the computation ran in a thread of its own (Note [Freezing] in
-- "Ashlar.Internal.Coroutine"), its counter says nothing here, and the result is 0.
allocatedBySuspending :: PendingRequest -> IO Int64
allocatedBySuspending (PendingRequest _ _ (Before there before) _) = do
  here <- myThreadId
  after <- getAllocationCounter
  pure $! if here == there then before - after else 0
