-- |
-- Module      : Ashlar.Internal.Builder.Lazy
-- Description : Lazy output, made while it is consumed, and suspended builders
module Ashlar.Internal.Builder.Lazy
  ( toLazyByteString,
    toLazyByteStringWith,

    -- * Sizes of chunks
    AllocationStrategy,
    safeStrategy,
    untrimmedStrategy,

    -- * Suspended builders
    chunksAfter,
    BuilderStatus,
    Status (..),
    PendingRequest (..),
    runToRequest,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Internal.Builder.Bytes (NextChunk (..), insertedThen, nextChunk)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.RunIO
  ( First (..),
    ageCells,
    firstOpen,
    newFirst,
    runBuilderWith,
    runInFirst,
    smallSize,
  )
import Ashlar.Internal.Coroutine
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells (Cells)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)

-- | The bytes in a lazy 'L.ByteString', whose chunks are made one by one as they are consumed, in
-- constant memory. The builder may be infinite.
--
-- The first chunk has at most 4 KiB, the others about 32 KiB (more, up to 64 MiB, for a
-- builder that is deeply nested to the left; less before a 'Ashlar.Builder.Extra.flush'
-- or an inserted ByteString). ByteStrings of 8 KiB and more are chunks of their own and
-- share their memory. All remaining chunks fill at least half of the memory that they
-- keep alive. A short output keeps at most 144 bytes.
--
-- An inserted ByteString, and what comes before it or before a 'Ashlar.Builder.Extra.flush', is
-- handed out before anything after it runs. So a value may depend on that output, or wait for an
-- answer to it.
--
-- An exception in a value of the builder surfaces at the chunk that would have contained the value.
-- All chunks before it are handed out. Several threads may consume the result at once. When the
-- consumer stops, nothing is left running.
--
-- For each chunk the builder is suspended: 0.3 to 0.7 µs with GHC 9.0, which freezes a thunk for
-- that. It copies the stack, so inserts in a builder that is nested to the left take time in
-- proportion to the square of the depth. Chunks that 'Ashlar.Builder.lazyByteString' passes on need
-- no suspension.
--
-- Do not interrupt the consumer, by @timeout@ for instance, under GHC's non-moving garbage
-- collector (@--nonmoving-gc@), nor under the compacting one of GHC 9.0 (@-c@, or a heap limit @-M@
-- without @-c100@). There evaluations that are interrupted and resumed may crash: see the known
-- gaps in @docs/safety.md@.
toLazyByteString :: Builder -> L.ByteString
toLazyByteString = toLazyByteStringWith (safeStrategy L.smallChunkSize L.defaultChunkSize) L.empty

-- | The sizes of the buffers of lazy output, and which chunks are copied so that a few bytes do not
-- keep a large buffer alive.
data AllocationStrategy
  = -- The size of the first buffer, the size of the others, and whether to copy a chunk, given its
    -- size and that of its buffer.
    AllocationStrategy !Int !Int (Int -> Int -> Bool)

-- | A strategy with the size of the first buffer and of the others: at least 1, and more where a
-- primitive needs more at once. Chunks that fill less than half of their buffer are copied, except
-- an output of at most 128 bytes, which keeps 144.
--
-- Use it if the output, or a part of it, is kept.
safeStrategy :: Int -> Int -> AllocationStrategy
safeStrategy first next = AllocationStrategy first next (\used size -> used < size - used)

-- | The same sizes, but no chunk is copied. Chunks that end early, for instance at a
-- 'Ashlar.Builder.Extra.flush', share their buffer, and each keeps all of it alive.
--
-- Use it if the output is consumed at once.
untrimmedStrategy :: Int -> Int -> AllocationStrategy
untrimmedStrategy first next = AllocationStrategy first next (\_ _ -> False)

-- | 'toLazyByteString' with buffers of chosen sizes, followed by another lazy 'L.ByteString', which
-- is not forced before the consumer gets there.
--
-- A chunk may end before its buffer does, at a 'Ashlar.Builder.Extra.flush' or an inserted
-- ByteString. Then the rest of the buffer stays in use, or all of it, if the chunk was copied. So
-- many short chunks do not leave many half-empty buffers.
toLazyByteStringWith ::
  -- | The sizes of the buffers, in bytes, and which chunks are copied.
  AllocationStrategy ->
  -- | What follows the output.
  L.ByteString ->
  Builder ->
  L.ByteString
toLazyByteStringWith strategy@(AllocationStrategy first _ _) end b =
  -- Not the dupable form, here and below: a builder must not be resumed twice.
  unsafePerformIO (if first >= smallSize then inSmall else inLarge)
  where
    inSmall = do
      small <- newFirst smallSize
      ref <- newIORef Small
      step <- runInFirstToRequest first small ref b
      -- This keeps the larger buffer alive until here: see 'runInFirst'.
      larger <- readIORef ref
      case (larger, step) of
        -- A short output usually ends here. Copying it to its size is not worth while.
        (Small, Completed p) -> pure $! L.chunk (written (firstOpen small) p) end
        (Larger aged open, _) -> do
          -- The sink holds the variable, and must not keep alive what is handed out.
          writeIORef ref (Larger aged noBuffer)
          chunks strategy end open step
        -- Cannot happen: a builder suspends only after it has moved to the larger buffer.
        (Small, Suspended {}) -> chunks strategy end (firstOpen small) step
    inLarge = do
      open <- newOpen (max 1 first)
      step <- keepAlive (openBuffer open) (runToRequest b (wholeSpace open))
      chunks strategy end open step

-- The chunks of a builder that has just suspended or ended, followed by @end@.
chunks :: AllocationStrategy -> L.ByteString -> Open -> BuilderStatus -> IO L.ByteString
chunks strategy@(AllocationStrategy _ size _) end open step = case step of
  Completed p -> do
    Taken bytes _ <- takeWritten strategy open p
    pure $! L.chunk bytes end
  Suspended (PendingRequest request p) copied resume -> do
    Taken bytes rest <- takeWritten strategy open p
    let goOn = resumed strategy end resume
    case request of
      -- The rest of the open buffer stays in use.
      Flush -> bytes `before` goOn rest (openFrom rest)
      Inserting bs following -> handOut strategy bytes bs following goOn rest
      More n _ ->
        bytes `before` do
          new <- newOpen (max n (max size (sizeForStack copied)))
          goOn new (openFrom new)

resumed ::
  AllocationStrategy ->
  L.ByteString ->
  (FreeSpace -> IO BuilderStatus) ->
  Open ->
  Ptr Word8 ->
  IO L.ByteString
resumed strategy end resume open p =
  keepAlive (openBuffer open) (resume (restFrom open p)) >>= chunks strategy end open

-- Hand out the chunks of a lazy string after one that was inserted, without resuming the builder.
-- The given action resumes it after them. The open buffer has been written up to the address.
passOnChunks ::
  AllocationStrategy ->
  Following ->
  (Open -> Ptr Word8 -> IO L.ByteString) ->
  Open ->
  Ptr Word8 ->
  IO L.ByteString
passOnChunks strategy following goOn open p = do
  next <- nextChunk (freeBytes (restFrom open p)) following
  case next of
    NoNext -> goOn open p
    InsertNext bs -> do
      Taken bytes rest <- takeWritten strategy open p
      handOut strategy bytes bs following goOn rest
    CopyNext bs -> do
      -- It has no more bytes than are free. What follows uses the buffer, which keeps it alive.
      withBytesQuick bs (copyRange p)
      passOnChunks strategy following goOn open (p `plusPtr` S.length bs)

-- The bytes written, an inserted ByteString, and lazily what follows them. Nothing has been written
-- to the rest of the open buffer.
handOut ::
  AllocationStrategy ->
  ByteString ->
  ByteString ->
  Following ->
  (Open -> Ptr Word8 -> IO L.ByteString) ->
  Open ->
  IO L.ByteString
handOut strategy bytes bs following goOn open = do
  rest <- insertedThen following (passOnChunks strategy following goOn open (openFrom open))
  pure $! L.chunk bytes (L.chunk bs rest)

-- The bytes written, and lazily what follows them. If nothing was written, what follows is made at
-- once.
before :: ByteString -> IO L.ByteString -> IO L.ByteString
before bytes rest
  | S.null bytes = rest
  | otherwise = pure $! L.Chunk bytes (unsafePerformIO rest)

-- | The output after a request, made as it is consumed. It does not contain the ByteString of an
-- 'Insert'.
chunksAfter :: Request -> (FreeSpace -> IO BuilderStatus) -> L.ByteString
chunksAfter request resume = unsafePerformIO $ case request of
  Flush -> goOn noBuffer (openFrom noBuffer)
  Inserting _ following -> passOnChunks strategy following goOn noBuffer (openFrom noBuffer)
  More n _ -> do
    -- How much the suspension has copied is not known any more.
    open <- newOpen (max n L.defaultChunkSize)
    goOn open (openFrom open)
  where
    goOn = resumed strategy L.empty resume
    strategy = safeStrategy L.defaultChunkSize L.defaultChunkSize

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

-- Bytes to hand out, and the open buffer after that.
data Taken = Taken !ByteString !Open

-- The bytes written up to an address and not handed out yet. They count as handed out from now on
-- (INV-B3), unless they are copied, which frees their space.
takeWritten :: AllocationStrategy -> Open -> Ptr Word8 -> IO Taken
takeWritten (AllocationStrategy _ _ trimmed) open p
  | p == openFrom open = pure $! Taken S.empty open
  | trimmed (S.length bytes) (openSize open) = pure $! Taken (S.copy bytes) open
  | otherwise = pure $! Taken bytes (handedOut open p)
  where
    bytes = written open p

-- Running a builder from one request to the next.
--
-- This is for drivers that cannot wait until a builder has ended. The builder runs until it makes a
-- request. Its sink suspends it, and the driver gets the request and the function that resumes the
-- builder.

-- | A builder that is suspended and resumes when given free space, or that has ended at an address.
-- Resume it at most once.
--
-- The free space must stay alive until the builder next suspends or ends.
type BuilderStatus = Status PendingRequest FreeSpace (Ptr Word8)

-- | The request of a suspended builder, and the address up to which its free space was written.
data PendingRequest = PendingRequest !Request !(Ptr Word8)

-- | Run a builder until its first request.
runToRequest :: Builder -> FreeSpace -> IO BuilderStatus
runToRequest b space = start $ \suspend -> runBuilderWith (Sink (suspendAt suspend)) space b

-- | Run a builder that begins in a first buffer. Its first request, whatever it is, copies what was
-- written into a buffer of the given size. If the request is for free space that this buffer has,
-- the builder goes on. Otherwise it suspends, as at each later request.
runInFirstToRequest ::
  -- | The size of the buffer, at least 'smallSize'.
  Int ->
  First ->
  IORef Larger ->
  Builder ->
  IO BuilderStatus
runInFirstToRequest size first ref b =
  start $ \suspend ->
    let sink = Sink (\request p -> answerInFirst size (firstCells first) ref suspend request p)
     in runInFirst first sink b

-- | The larger buffer of a run that began in a first buffer, or 'Small' if the builder has made no
-- request yet. Is the output so long that 'ageCells' has been called?
data Larger = Small | Larger !Bool !Open

-- Out of line, so that nothing is built for requests that are never made.
answerInFirst ::
  Int ->
  Cells ->
  IORef Larger ->
  (PendingRequest -> IO FreeSpace) ->
  Request ->
  Ptr Word8 ->
  IO FreeSpace
answerInFirst size c ref suspend request p =
  readIORef ref >>= \larger -> case larger of
    Larger aged open -> do
      unless aged $ ageCells >> writeIORef ref (Larger True open)
      suspendAt suspend request p
    Small -> do
      open <- newOpen size
      -- The new buffer has at least as many bytes as a first buffer.
      space@(FreeSpace p' _) <- copiedTo open (firstOpen (First c smallSize)) p
      writeIORef ref (Larger False open)
      case request of
        More n _ | freeBytes space >= n -> pure space
        _ -> suspendAt suspend request p'
{-# NOINLINE answerInFirst #-}

suspendAt :: (PendingRequest -> IO FreeSpace) -> Request -> Ptr Word8 -> IO FreeSpace
suspendAt suspend request p = suspend (PendingRequest request p)
