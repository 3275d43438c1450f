-- |
-- Module      : Ashlar.Internal.Builder.Suspend
-- Description : Running a builder from one request to the next
--
-- For drivers that cannot wait until a builder has ended. The builder runs until it makes a
-- request. It is then a value: the request, and the function that resumes it. The driver answers
-- the request and keeps its state in its arguments. The sink only suspends.
module Ashlar.Internal.Builder.Suspend
  ( BuilderStatus,
    Status (..),
    PendingRequest (..),
    runToRequest,
    runInFirstToRequest,
    Larger (..),
    allocatedBySuspending,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.First
import Ashlar.Internal.Builder.Run (runBuilderWith)
import Ashlar.Internal.Coroutine
import Ashlar.Internal.Mem.Cells (Cells)
import Control.Concurrent (ThreadId, myThreadId)
import Data.IORef (IORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import System.Mem (getAllocationCounter)

-- | A builder that is suspended and resumes when given free space, or that has ended at an address.
-- Resume it at most once.
--
-- The free space must stay alive until the builder next suspends; see 'Sink'.
type BuilderStatus = Status PendingRequest FreeSpace (Ptr Word8)

-- | The request of a suspended builder, and the address up to which its free space was written.
data PendingRequest = PendingRequest !Request !(Ptr Word8) !Before

-- The thread that suspended, and its allocation counter just before.
data Before = Before !ThreadId !Int64

-- | Run a builder until its first request.
runToRequest :: Builder -> FreeSpace -> IO BuilderStatus
runToRequest b space = start $ \suspend -> runBuilderWith (Sink (stopping suspend)) space b

-- | Run a builder until its first request, in a small buffer. The first request of all, whatever it
-- is, copies what was written into a buffer of the given size. If that has the space that is asked
-- for, the builder goes on without suspending.
runInFirstToRequest ::
  -- | The size of the buffer, at least 'firstSize'.
  Int ->
  First ->
  IORef Larger ->
  Builder ->
  IO BuilderStatus
runInFirstToRequest size first ref b =
  start $ \suspend ->
    let sink = Sink (\request p -> fromFirst size (firstCells first) ref suspend request p)
     in runInFirst first sink b

-- | The buffer after the first. None until a builder that runs in a first buffer has made a
-- request.
data Larger = Small | Larger !Open

-- Out of line, so that nothing is built for requests that are never made.
fromFirst ::
  Int ->
  Cells ->
  IORef Larger ->
  (PendingRequest -> IO FreeSpace) ->
  Request ->
  Ptr Word8 ->
  IO FreeSpace
fromFirst size c ref suspend request p =
  readIORef ref >>= \larger -> case larger of
    Larger _ -> stopping suspend request p
    Small -> do
      open <- newOpen size
      -- No more bytes than a first buffer has, and the new one has at least as many.
      space@(FreeSpace p' _) <- copiedTo open (firstOpen (First c)) p
      writeIORef ref (Larger open)
      case request of
        More n _ | freeBytes space >= n -> pure space
        _ -> stopping suspend request p'
{-# NOINLINE fromFirst #-}

-- The sink of a builder that suspends at each request.
stopping :: (PendingRequest -> IO FreeSpace) -> Request -> Ptr Word8 -> IO FreeSpace
stopping suspend request p = do
  here <- myThreadId
  counter <- getAllocationCounter
  suspend (PendingRequest request p (Before here counter))

-- | How many bytes suspending has allocated, if called at once after it.
--
-- The counter runs downwards. If the computation ran in a thread of its own (Note [Freezing] in
-- "Ashlar.Internal.Coroutine"), its counter says nothing here, and the result is 0.
allocatedBySuspending :: PendingRequest -> IO Int64
allocatedBySuspending (PendingRequest _ _ (Before there before)) = do
  here <- myThreadId
  after <- getAllocationCounter
  pure $! if here == there then before - after else 0
