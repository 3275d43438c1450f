-- |
-- Module      : Ashlar.Internal.Builder.Queue
-- Description : Chunks of lazy output that wait for the next stop
--
-- Note [Chunks made ahead]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- Suspending costs as much as copying some kilobytes, and a run of inserted ByteStrings would pay
-- that for each. So the sink of lazy output queues them and goes on. It suspends when the queue is
-- full, at a flush, and where a buffer is full. Then all chunks of the queue are handed out.
--
-- * /Laziness./ After any other request, the first inserted ByteString is handed out before
--   anything after it runs. Then up to four times as many bytes and ByteStrings as were handed out
--   last are made ahead: at least 32 KiB, and at most 2 MiB and 256 ByteStrings, or more if the
--   stack is large ('nextAllowance'). So a builder may be infinite. What a flush has asked for
--   never waits.
-- * /Exceptions./ The chunks of the queue are handed out before an exception that follows them. So
--   a builder with a queue runs as a thunk inside a handler ('resumeQueueing'). A builder without a
--   queue needs no handler.
-- * /Memory./ The queue refers to nothing that has been handed out.
--
-- A value that depends on earlier output having been read needs a flush before it. After short
-- strings, which are copied, it needs one in any case.
--
-- (Benchmarks whose names begin with "inserted". Tests of the group "inserted ByteStrings".)
module Ashlar.Internal.Builder.Queue
  ( -- * The queue
    Queue,
    newQueue,
    enqueue,

    -- * How much may be queued
    Allowance (..),
    noAllowance,
    nextAllowance,

    -- * Filling and emptying it
    Resumed (..),
    resumeQueueing,
    inFrontOf,

    -- * What a buffer hands out
    AllocationStrategy (..),
    Taken (..),
    takeWritten,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Coroutine.Exception (tryThunk)
import Ashlar.Internal.Coroutine.Thunk
import Control.Exception (SomeException)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Primitive.PrimArray
  ( MutablePrimArray,
    newPrimArray,
    readPrimArray,
    writePrimArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import GHC.Exts (RealWorld)

-- | The chunks that wait. A queue is closed, except in 'resumeQueueing', and is made when that is
-- called first: most builders do not need it.
newtype Queue = Queue (IORef Made)

data Made = NotMade | Made {-# UNPACK #-} !Waiting

-- | The chunks that wait, and how many more may.
data Waiting = Waiting
  { -- | The last first.
    waitingChunks :: !(IORef [ByteString]),
    -- | The rest of the open buffer, to which nothing has been written yet.
    waitingSpace :: !(IORef FreeSpace),
    waitingOpen :: !(IORef Opened),
    -- | 0: the address where the rest of the open buffer begins. 1: how many ByteStrings may still
    -- be queued. 2: how many bytes.
    waitingCells :: !(MutablePrimArray RealWorld Int)
  }

-- | The open buffer.
data Opened = Opened !AllocationStrategy !Open

-- | A closed queue.
newQueue :: IO Queue
newQueue = Queue <$> newIORef NotMade
{-# INLINE newQueue #-}

closed :: Opened
closed = Opened (AllocationStrategy 0 0 (\_ _ -> False)) noBuffer

setLeft :: Waiting -> Allowance -> IO ()
setLeft waiting (Allowance bytes count) = do
  writePrimArray (waitingCells waiting) 1 count
  writePrimArray (waitingCells waiting) 2 bytes
{-# INLINE setLeft #-}

getLeft :: Waiting -> IO Allowance
getLeft waiting =
  (\count bytes -> Allowance bytes count)
    <$> readPrimArray (waitingCells waiting) 1
    <*> readPrimArray (waitingCells waiting) 2
{-# INLINE getLeft #-}

setOpen :: Waiting -> AllocationStrategy -> Open -> IO FreeSpace
setOpen waiting strategy open = do
  writePrimArray (waitingCells waiting) 0 (openFrom open `minusPtr` nullPtr)
  writeIORef (waitingOpen waiting) $! Opened strategy open
  writeIORef (waitingSpace waiting) $! space
  pure space
  where
    space = restFrom open (openFrom open)

-- | A number of bytes, and one of chunks, that may be or have been queued.
data Allowance = Allowance !Int !Int

-- | Nothing may be queued.
noAllowance :: Allowance
noAllowance = Allowance 0 0

-- | Four times as much as has been handed out at this stop, within bounds.
nextAllowance ::
  -- | What has been queued.
  Allowance ->
  -- | The bytes handed out besides the queue.
  Int ->
  -- | Allow at least what takes this number of bytes of memory:
  -- Note [Chunks as large as the stack] in "Ashlar.Internal.Builder.Lazy".
  Int ->
  Allowance
nextAllowance (Allowance bytes count) more least =
  Allowance
    (max least (max 32768 (min 2097152 (4 * (bytes + more)))))
    -- A short chunk takes some 64 bytes.
    (max (least `quot` 64) (min 256 (4 * (count + 1))))

-- | Queue an inserted ByteString, after what was written before it up to an address, and return the
-- free space that is left. If the queue is full or closed, run the other action.
enqueue :: Queue -> IO FreeSpace -> ByteString -> Ptr Word8 -> IO FreeSpace
enqueue (Queue ref) full bs p =
  readIORef ref >>= \queue -> case queue of
    NotMade -> full
    Made waiting -> do
      Allowance bytes count <- getLeft waiting
      if count > 0 && S.length bs <= bytes
        then do
          setLeft waiting (Allowance (bytes - S.length bs) (count - 1))
          from <- readPrimArray (waitingCells waiting) 0
          when (p `minusPtr` nullPtr /= from) $ enqueueWritten waiting p
          chunks <- readIORef (waitingChunks waiting)
          writeIORef (waitingChunks waiting) (bs : chunks)
          readIORef (waitingSpace waiting)
        else full
{-# INLINE enqueue #-}

-- What was written, which is at least one byte.
enqueueWritten :: Waiting -> Ptr Word8 -> IO ()
enqueueWritten waiting p = do
  Opened strategy open <- readIORef (waitingOpen waiting)
  Taken bytes rest <- takeWritten strategy open p
  modifyIORef' (waitingChunks waiting) (bytes :)
  () <$ setOpen waiting strategy rest
{-# NOINLINE enqueueWritten #-}

-- | How a builder with a queue came to its next stop: the open buffer, the chunks before what is in
-- it, the last first, how much has been queued, and the builder, or an exception of it.
data Resumed a = Resumed !Open ![ByteString] !Allowance !(Either SomeException a)

-- | Resume a builder in the rest of the open buffer, with a queue. An asynchronous exception
-- freezes it, and if the evaluation is resumed, so is the builder
-- (Note [Exceptions that are not ours] in "Ashlar.Internal.Coroutine.Exception").
resumeQueueing ::
  Queue -> AllocationStrategy -> Allowance -> Open -> (FreeSpace -> IO a) -> IO (Resumed a)
resumeQueueing (Queue ref) strategy allowance@(Allowance bytes count) open resume = do
  waiting <-
    readIORef ref >>= \queue -> case queue of
      Made waiting -> pure waiting
      NotMade -> do
        waiting <-
          Waiting <$> newIORef [] <*> newIORef (wholeSpace noBuffer) <*> newIORef closed
            <*> newPrimArray 3
        waiting <$ writeIORef ref (Made waiting)
  space <- setOpen waiting strategy open
  setLeft waiting allowance
  outcome <- newThunk (resume space) >>= tryThunk
  Allowance bytesLeft countLeft <- getLeft waiting
  Opened _ open' <- readIORef (waitingOpen waiting)
  chunks <- readIORef (waitingChunks waiting)
  -- Nothing that is handed out is kept here.
  setLeft waiting noAllowance
  writeIORef (waitingOpen waiting) closed
  writeIORef (waitingChunks waiting) []
  pure (Resumed open' chunks (Allowance (bytes - bytesLeft) (count - countLeft)) outcome)

-- | Chunks, the last first, in front of others.
inFrontOf :: [ByteString] -> L.ByteString -> L.ByteString
inFrontOf [] rest = rest
inFrontOf (bs : before) rest = inFrontOf before $! L.Chunk bs rest

-- | The sizes of the buffers of lazy output, and which chunks are copied so that a few bytes do not
-- keep a large buffer alive.
--
-- @since 0.1.0.0
data AllocationStrategy
  = -- The size of the first buffer, the size of the others, and whether to copy a chunk, given its
    -- size and that of its buffer.
    AllocationStrategy !Int !Int (Int -> Int -> Bool)

-- | Bytes to hand out, and the open buffer after that.
data Taken = Taken !ByteString !Open

-- | The bytes written up to an address and not handed out yet. They count as handed out from now on
-- (INV-B3), unless they are copied, which frees their space.
takeWritten :: AllocationStrategy -> Open -> Ptr Word8 -> IO Taken
takeWritten (AllocationStrategy _ _ trimmed) open p
  | p == openFrom open = pure $! Taken S.empty open
  | trimmed (S.length bytes) (openSize open) = pure $! Taken (S.copy bytes) open
  | otherwise = pure $! Taken bytes (handedOut open p)
  where
    bytes = written open p
