-- |
-- Module      : Ashlar.Internal.Builder.Suspend
-- Description : Running a builder from one request to the next
--
-- For drivers that cannot stay until a builder has ended: the builder is run until
-- it asks for something, and is then a value, with the function that goes on with it.
-- What is done about a request is for the driver to decide, which keeps its state in
-- its arguments; the sink does nothing but stop.
module Ashlar.Internal.Builder.Suspend
  ( BuilderStatus,
    Step (..),
    PendingRequest (..),
    runToRequest,
    allocatedBySuspending,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Coroutine
import Control.Concurrent (ThreadId, myThreadId)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import System.Mem (getAllocationCounter)

-- | A builder that has asked for something and is given a space to go on, or that has
-- ended at an address. It must be gone on with at most once.
--
-- A space must stay alive until the builder next stops; see 'Sink'.
type BuilderStatus = Step PendingRequest FreeSpace (Ptr Word8)

-- | What a builder has asked for, and the address up to which its space was written.
data PendingRequest = PendingRequest !Request !(Ptr Word8) !Before

-- The thread that suspended, and its allocation counter just before.
data Before = Before !ThreadId !Int64

-- | Run a builder in a space until it asks for something.
runToRequest :: Builder -> FreeSpace -> IO BuilderStatus
runToRequest b space = start $ \suspend ->
  let sink = Sink $ \request p -> do
        here <- myThreadId
        counter <- getAllocationCounter
        suspend (PendingRequest request p (Before here counter))
   in runBuilderWith sink space b

-- | How many bytes were allocated since the builder has asked, if that was just now.
--
-- The counter runs downwards. The computation may have been run in a thread of its own
-- (Note [Freezing] in "Ashlar.Internal.Coroutine"), whose counter says nothing here.
allocatedBySuspending :: PendingRequest -> IO Int64
allocatedBySuspending (PendingRequest _ _ (Before there before)) = do
  here <- myThreadId
  after <- getAllocationCounter
  pure $! if here == there then before - after else 0
