-- The arguments of 'answer' are passed in their fields, which are many.
{-# OPTIONS_GHC -fmax-worker-args=16 #-}

-- |
-- Module      : Ashlar.Internal.Builder.Lazy
-- Description : Lazy output, made while it is consumed
module Ashlar.Internal.Builder.Lazy
  ( toLazyByteString,
    toLazyByteStringWith,

    -- * Sizes of chunks
    AllocationStrategy,
    safeStrategy,
    untrimmedStrategy,

    -- * What is left of a builder
    chunksAfter,
  )
where

import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.First
import Ashlar.Internal.Builder.Queue
import Ashlar.Internal.Builder.Suspend
import Ashlar.Internal.Mem
import Control.Exception (throw, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import System.IO.Unsafe (unsafePerformIO)

-- | The bytes in a lazy 'L.ByteString', whose chunks are made one by one as
-- they are consumed, in constant memory; the builder may be infinite.
--
-- The first chunk has at most 4 KiB, the others about 32 KiB (more, up to 64 MiB, for a
-- builder that is deeply nested to the left; less before a 'Ashlar.Builder.Extra.flush'
-- or an inserted ByteString). ByteStrings of 8 KiB and more are chunks of their own and
-- share their memory. Every other chunk takes up at least half of the memory that it
-- keeps alive, or keeps at most 144 bytes.
--
-- After an inserted ByteString, more of them are made ahead: at most 256 or 2 MiB, and in
-- proportion to what has been consumed. What comes before a 'Ashlar.Builder.Extra.flush' is handed
-- out before anything after it runs.
--
-- An exception in a value of the builder surfaces at the chunk that would have contained the value.
-- All chunks before it are handed out. Several threads may consume the result at once. When the
-- consumer stops, nothing is left running.
--
-- Before GHC 9.6, each chunk costs more, because suspending there freezes a thunk.
--
-- Do not interrupt the consumer, by @timeout@ for instance, under GHC's non-moving garbage
-- collector (@--nonmoving-gc@), nor under the compacting one of GHC 9.0 (@-c@, or a heap limit @-M@
-- without @-c100@). There evaluations that are interrupted and resumed may crash: see the known
-- gaps in @docs/safety.md@.
--
-- @since 0.1.0.0
toLazyByteString :: Builder -> L.ByteString
toLazyByteString = toLazyByteStringWith (safeStrategy L.smallChunkSize L.defaultChunkSize) L.empty

-- | A strategy with the size of the first buffer and of the others: at least 1, and more where a
-- primitive needs more at once. Chunks that fill less than half of their buffer are copied, except
-- an output of at most 128 bytes, which keeps 144.
--
-- Use it if the output, or a part of it, is kept.
--
-- @since 0.1.0.0
safeStrategy :: Int -> Int -> AllocationStrategy
safeStrategy first next = AllocationStrategy first next (\used size -> used < size - used)

-- | The same sizes, but no chunk is copied. Chunks that end early, for instance at a
-- 'Ashlar.Builder.Extra.flush', share their buffer, and each keeps all of it alive.
--
-- Use it if the output is consumed at once.
--
-- @since 0.1.0.0
untrimmedStrategy :: Int -> Int -> AllocationStrategy
untrimmedStrategy first next = AllocationStrategy first next (\_ _ -> False)

-- | 'toLazyByteString' with buffers of chosen sizes, followed by another lazy 'L.ByteString', which
-- is not forced before the consumer gets there.
--
-- Where a chunk ends before its buffer, at a 'Ashlar.Builder.Extra.flush' or an inserted
-- ByteString, the rest of the buffer stays in use; all of the buffer, if the chunk was copied. So
-- many short chunks do not leave many half-empty buffers.
--
-- @since 0.1.0.0
toLazyByteStringWith ::
  -- | The sizes of the buffers, in bytes, and which chunks are copied.
  AllocationStrategy ->
  -- | What follows the output.
  L.ByteString ->
  Builder ->
  L.ByteString
toLazyByteStringWith strategy@(AllocationStrategy first _ _) end b =
  -- Not the dupable form, here and below: a builder must not be resumed twice.
  unsafePerformIO (if first >= firstSize then inSmall else inLarge)
  where
    inSmall = do
      small <- newFirst
      ref <- newIORef Small
      step <- runInFirstToRequest first small ref b
      -- This keeps the larger buffer alive until here: see 'runInFirst'.
      larger <- readIORef ref
      case (larger, step) of
        -- The usual end of a short output. It is not worth a copy to its size.
        (Small, Completed p) -> pure $! L.chunk (written (firstOpen small) p) end
        (Larger queue open, _) -> do
          -- The sink must not keep what is handed out.
          writeIORef ref (Larger queue noBuffer)
          chunks strategy end open [] noAllowance step
        -- Not met: a builder suspends in the larger buffer only.
        (Small, Suspended _ _) -> chunks strategy end (firstOpen small) [] noAllowance step
    inLarge = do
      open <- newOpen (max 1 first)
      step <- keepAlive (openBuffer open) (runToRequest b (wholeSpace open))
      chunks strategy end open [] noAllowance step

-- The chunks of a builder that has just stopped, followed by @end@. Arguments: the open buffer, the
-- chunks that were queued before what is in it, the last first, and how much has been queued.
chunks ::
  AllocationStrategy ->
  L.ByteString ->
  Open ->
  [ByteString] ->
  Allowance ->
  BuilderStatus ->
  IO L.ByteString
chunks strategy end open queued used step = case step of
  Completed p -> do
    Taken bytes _ <- takeWritten strategy open p
    pure (queued `inFrontOf` L.chunk bytes end)
  Suspended asked@(PendingRequest request p _ queue) resume -> do
    copied <- allocatedBySuspending asked
    Taken bytes rest <- takeWritten strategy open p
    let stack = sizeForStack copied
        next = nextAllowance used (S.length bytes + insertedBytes request) stack
    answer (Answer strategy end queued bytes stack next queue) rest request resume

insertedBytes :: Request -> Int
insertedBytes request = case request of
  Insert bs -> S.length bs
  _ -> 0

-- What answering a request takes: the strategy, what follows the builder, the chunks that were
-- queued, what was written after them, the least size of a new buffer, and what may be queued next.
data Answer
  = Answer !AllocationStrategy L.ByteString ![ByteString] !ByteString !Int !Allowance !Queue

-- Hand out what was written, answer the request, and resume in the rest of the open buffer or a new
-- one.
answer :: Answer -> Open -> Request -> (FreeSpace -> IO BuilderStatus) -> IO L.ByteString
answer (Answer strategy end queued bytes least allowance queue) rest request resume =
  case request of
    -- The rest of the open buffer stays in use.
    Flush -> deliver queued [bytes] (goOn rest)
    Insert bs -> deliver queued [bytes, bs] (goOnQueueing rest)
    More n _ -> deliver queued [bytes] (newOpen (max n (max size least)) >>= goOn)
  where
    AllocationStrategy _ size _ = strategy
    goOn open = do
      step <- keepAlive (openBuffer open) (resume (restFrom open (openFrom open)))
      chunks strategy end open [] noAllowance step
    goOnQueueing open = do
      Resumed open' more used outcome <-
        keepAlive (openBuffer open) (resumeQueueing queue strategy allowance open resume)
      case outcome of
        Right step -> chunks strategy end open' more used step
        Left e
          | null more -> throwIO e
          -- The chunks before the exception.
          | otherwise -> pure (more `inFrontOf` throw e)

-- The chunks of the queue, other chunks, and what follows them when it is needed; at once, if there
-- are none.
deliver :: [ByteString] -> [ByteString] -> IO L.ByteString -> IO L.ByteString
deliver [] bss rest | all S.null bss = rest
deliver queued bss rest = pure (queued `inFrontOf` foldr L.chunk (unsafePerformIO rest) bss)

-- | What follows a request, made as it is consumed. For an 'Insert', what follows the ByteString.
chunksAfter :: Request -> Queue -> (FreeSpace -> IO BuilderStatus) -> L.ByteString
chunksAfter request queue resume =
  unsafePerformIO $
    -- How much suspending has copied is not known any more.
    answer (Answer strategy L.empty [] S.empty 0 noAllowance queue) noBuffer request' resume
  where
    strategy = safeStrategy L.defaultChunkSize L.defaultChunkSize
    request' = case request of
      Insert _ -> Flush
      _ -> request

-- Note [Chunks as large as the stack]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Suspending copies the stack to the heap, and resuming copies it back. A builder nested deeply to
-- the left, by a million appends, has tens of megabytes of stack, and copying that for every 32 KiB
-- of output takes seconds. So a chunk is at least as large as what the last suspension allocated,
-- if that was more than 8 KiB, up to 64 MiB. Then copying the stack costs no more than writing the
-- bytes, and memory at most doubles. (Test "deep builders are produced in linear time" counts
-- chunks.)
sizeForStack :: Int64 -> Int
sizeForStack copied
  | copied <= 8192 = 0
  | otherwise = fromIntegral (min (64 * 1024 * 1024) copied)
