-- |
-- Module      : Ashlar.Builder.Lazy
-- Description : Lazy output, made while it is consumed
module Ashlar.Builder.Lazy
  ( toLazyByteString,
    toLazyByteStringWith,

    -- * Sizes of chunks
    AllocationStrategy,
    safeStrategy,
    untrimmedStrategy,

    -- * For "Ashlar.Builder.Fill"
    Chunks,
    chunk,
    chunksOf,
    Yield (..),
    takeWritten,
    lazySink,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Builder.Core
import Ashlar.Coroutine
import Ashlar.Mem
import Control.Concurrent (myThreadId)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Int (Int64)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (getAllocationCounter)

-- | The bytes in a lazy 'L.ByteString', whose chunks are made one by one as
-- they are consumed, in constant memory; the builder may be infinite.
--
-- The first chunk has at most 4 KiB, the others about 32 KiB (more, up to 64 MiB,
-- for a builder that is deeply nested to the left; less before a 'Ashlar.Builder.Extra.flush'
-- or an inserted ByteString); ByteStrings of 8 KiB and more are chunks of their own and
-- share their memory. Every other chunk takes up at least half of the memory that it
-- keeps alive. An exception
-- in a value inside the builder surfaces at the chunk in which it would have
-- been used, and the chunks before that are good. Nothing is left running when
-- the consumer stops.
--
-- @since 0.1.0.0
toLazyByteString :: Builder -> L.ByteString
toLazyByteString = toLazyByteStringWith (safeStrategy L.smallChunkSize L.defaultChunkSize) L.empty

-- | How large the buffers are from which lazy output is made, and which chunks are
-- copied so that they do not keep a large buffer alive for a few bytes.
--
-- @since 0.1.0.0
data AllocationStrategy
  = -- The size of the first buffer and of the others, and the test whether a chunk
    -- of so many bytes, from a buffer of so many, is to be copied.
    AllocationStrategy !Int !Int (Int -> Int -> Bool)

-- | Given the size of the first buffer and of the others (at least 1; more where a
-- primitive needs more at once): chunks that take up less than half of their buffer
-- are copied.
--
-- Use it where the output, or a part of it, is kept.
--
-- @since 0.1.0.0
safeStrategy :: Int -> Int -> AllocationStrategy
safeStrategy first next = AllocationStrategy first next (\used size -> used < size - used)

-- | The same sizes, but no chunk is copied. Chunks that end early, at a
-- 'Ashlar.Builder.Extra.flush' say, share their buffer, and each keeps all of it alive.
--
-- Use it where the output is consumed at once.
--
-- @since 0.1.0.0
untrimmedStrategy :: Int -> Int -> AllocationStrategy
untrimmedStrategy first next = AllocationStrategy first next (\_ _ -> False)

-- | 'toLazyByteString' with buffers of given sizes, in front of another lazy
-- 'L.ByteString', which is not forced before the consumer gets there.
--
-- Where a chunk ends before its buffer does, at a 'Ashlar.Builder.Extra.flush' or an
-- inserted ByteString, what is left of the buffer is used on (and where the chunk was
-- copied, all of it is), so that many of them do not leave many half-empty buffers.
--
-- @since 0.1.0.0
toLazyByteStringWith :: AllocationStrategy -> L.ByteString -> Builder -> L.ByteString
toLazyByteStringWith strategy@(AllocationStrategy first _ _) end b =
  chunksOf end $
    start $ \yield -> do
      open <- newOpen (max 1 first)
      ref <- newIORef open
      sink <- lazySink strategy ref yield
      keepAlive ref $ do
        p <- runBuilderWith sink (wholeSpace open) b
        chunk <$> takeWritten strategy ref p

-- | The chunks of a suspended computation, in front of other ones.
--
-- Not the dupable form: the steps share mutable state, and must not be run by two
-- threads.
chunksOf :: L.ByteString -> IO (Step Yield (Maybe a) Chunks) -> L.ByteString
chunksOf end step = unsafePerformIO (step >>= finish)
  where
    finish (Ended chunks) = pure (chunks end)
    finish (Suspended (Yield chunks note) go) = do
      note
      pure (chunks (chunksOf end (go Nothing)))

-- | Chunks, to be put in front of the rest of a list.
type Chunks = L.ByteString -> L.ByteString

-- | One chunk, or none if it would be empty.
chunk :: ByteString -> Chunks
chunk = L.chunk

-- | What the computation hands out, and an action to be done as soon as it has
-- stopped.
data Yield = Yield Chunks (IO ())

-- | The bytes written up to an address and not handed out yet. They count as
-- handed out from now on (INV-B3), unless they are copied: then their place is free
-- again.
takeWritten :: AllocationStrategy -> IORef Open -> Ptr Word8 -> IO ByteString
takeWritten (AllocationStrategy _ _ trimmed) ref p = do
  open <- readIORef ref
  let bytes = written open p
  if trimmed (S.length bytes) (openSize open)
    then pure $! S.copy bytes
    else bytes <$ writeIORef ref (handedOut open p)

-- Note [Chunks as large as the stack]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Suspending copies the stack to the heap, and resuming copies it back. A
-- builder nested deeply to the left (a million appends) has tens of megabytes
-- of it, and copying that for every 32 KiB of output takes seconds. So a chunk
-- is made at least as large as what the last suspension allocated, if that was
-- more than 8 KiB, up to 64 MiB: then copying the stack costs no more than
-- writing the bytes, and the memory needed at most doubles. The same builder
-- takes 17 to 88 ms. (Test "deep builders are produced in linear time" counts
-- chunks.)
sizeForStack :: Int64 -> Int
sizeForStack copied
  | copied <= 8192 = 0
  | otherwise = fromIntegral (min (64 * 1024 * 1024) copied)

-- | The sink that hands out chunks. It is resumed with an answer that it does not
-- look at.
lazySink :: AllocationStrategy -> IORef Open -> (Yield -> IO a) -> IO Sink
lazySink strategy@(AllocationStrategy _ next _) ref yield = do
  cost <- newIORef 0
  let stop chunks = do
        there <- myThreadId
        before <- getAllocationCounter
        () <$ yield (Yield chunks (noteCost there before))
      -- The counter runs downwards. The computation may have been run in a thread
      -- of its own (Note [Freezing]), whose counter says nothing here. (The thread is
      -- not kept any longer: who refers to a thread keeps it from being found blocked
      -- for ever.)
      noteCost there before = do
        now <- myThreadId
        after <- getAllocationCounter
        writeIORef cost (if now == there then before - after else 0)
      -- What is left of the open buffer is used on.
      rest = (\open -> restFrom open (openFrom open)) <$> readIORef ref
  pure $
    Sink $ \request p -> do
      bytes <- takeWritten strategy ref p
      case request of
        Flush -> unless (S.null bytes) (stop (chunk bytes)) >> rest
        Insert bs -> stop (chunk bytes . chunk bs) >> rest
        More n _ -> do
          -- Nothing written: the buffer was too small for one primitive.
          unless (S.null bytes) (stop (chunk bytes))
          copied <- readIORef cost
          open <- newOpen (max n (max next (sizeForStack copied)))
          writeIORef ref open
          pure (wholeSpace open)
