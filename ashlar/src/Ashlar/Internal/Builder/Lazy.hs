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
import Ashlar.Internal.Builder.Suspend
import Ashlar.Internal.Mem
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import System.IO.Unsafe (unsafePerformIO)

-- | The bytes in a lazy 'L.ByteString', whose chunks are made one by one as
-- they are consumed, in constant memory; the builder may be infinite.
--
-- The first chunk has at most 4 KiB, the others about 32 KiB (more, up to 64 MiB, for a
-- builder that is deeply nested to the left; less before a 'Ashlar.Builder.Extra.flush'
-- or an inserted ByteString). ByteStrings of 8 KiB and more are chunks of their own and
-- share their memory. Every other chunk takes up at least half of the memory that it
-- keeps alive.
--
-- An exception in a value of the builder surfaces at the chunk that would have contained the value.
-- The chunks before it are good. Several threads may consume the result at once. When the consumer
-- stops, nothing is left running.
--
-- Before GHC 9.6, each chunk costs more, because suspending there freezes a thunk.
--
-- @since 0.1.0.0
toLazyByteString :: Builder -> L.ByteString
toLazyByteString = toLazyByteStringWith (safeStrategy L.smallChunkSize L.defaultChunkSize) L.empty

-- | The sizes of the buffers of lazy output, and which chunks are copied so that a few bytes do not
-- keep a large buffer alive.
--
-- @since 0.1.0.0
data AllocationStrategy
  = -- The size of the first buffer, the size of the others, and whether to copy a chunk, given its
    -- size and that of its buffer.
    AllocationStrategy !Int !Int (Int -> Int -> Bool)

-- | A strategy with the size of the first buffer and of the others: at least 1, and more where a
-- primitive needs more at once. Chunks that fill less than half of their buffer are copied.
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
toLazyByteStringWith :: AllocationStrategy -> L.ByteString -> Builder -> L.ByteString
toLazyByteStringWith strategy@(AllocationStrategy first _ _) end b =
  -- Not the dupable form, here and below: a builder must not be resumed twice.
  unsafePerformIO $ do
    open <- newOpen (max 1 first)
    step <- keepAlive (openBuffer open) (runToRequest b (wholeSpace open))
    chunks strategy end open step

-- The chunks of a builder that has just suspended, followed by @end@. Its free space is the rest of
-- the open buffer.
chunks :: AllocationStrategy -> L.ByteString -> Open -> BuilderStatus -> IO L.ByteString
chunks strategy end open step = case step of
  Completed p -> do
    Taken bytes _ <- takeWritten strategy open p
    pure (L.chunk bytes end)
  Suspended asked@(PendingRequest request p _) resume -> do
    copied <- allocatedBySuspending asked
    Taken bytes rest <- takeWritten strategy open p
    answer strategy end copied bytes rest request resume

-- Hand out what was written, answer the request, and resume. Arguments: the bytes that suspending
-- has copied, what was written, and the open buffer after that has been handed out.
answer ::
  AllocationStrategy ->
  L.ByteString ->
  Int64 ->
  ByteString ->
  Open ->
  Request ->
  (FreeSpace -> IO BuilderStatus) ->
  IO L.ByteString
answer strategy@(AllocationStrategy _ next _) end copied bytes rest request resume = case request of
  -- The rest of the open buffer stays in use.
  Flush -> deliver [bytes] (goOn rest)
  Insert bs -> deliver [bytes, bs] (goOn rest)
  More n _ -> deliver [bytes] (newOpen (max n (max next (sizeForStack copied))) >>= goOn)
  where
    goOn open =
      keepAlive (openBuffer open) (resume (restFrom open (openFrom open)))
        >>= chunks strategy end open

-- Chunks, and what follows them when it is needed; at once, if they are empty.
deliver :: [ByteString] -> IO L.ByteString -> IO L.ByteString
deliver bss rest
  | all S.null bss = rest
  | otherwise = pure (foldr L.chunk (unsafePerformIO rest) bss)

-- | What follows a request, made as it is consumed. For an 'Insert', what follows the ByteString.
chunksAfter :: Request -> (FreeSpace -> IO BuilderStatus) -> L.ByteString
chunksAfter request resume =
  unsafePerformIO $
    -- How much suspending has copied is not known any more.
    answer strategy L.empty 0 S.empty noBuffer request' resume
  where
    strategy = safeStrategy L.defaultChunkSize L.defaultChunkSize
    request' = case request of
      Insert _ -> Flush
      _ -> request

-- Bytes to hand out, and the open buffer after that.
data Taken = Taken !ByteString !Open

-- The bytes written up to an address and not handed out yet. They count as handed out from now on
-- (INV-B3), unless they are copied, which frees their space.
takeWritten :: AllocationStrategy -> Open -> Ptr Word8 -> IO Taken
takeWritten (AllocationStrategy _ _ trimmed) open p
  | trimmed (S.length bytes) (openSize open) = pure $! Taken (S.copy bytes) open
  | otherwise = pure $! Taken bytes (handedOut open p)
  where
    bytes = written open p

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
