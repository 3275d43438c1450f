-- |
-- Module      : Ashlar.Builder.Lazy
-- Description : Lazy output, made while it is consumed
module Ashlar.Builder.Lazy
  ( toLazyByteString,
    toLazyByteStringWith,
  )
where

import Ashlar.Builder.Core
import Ashlar.Coroutine
import Ashlar.Mem
import Control.Concurrent (ThreadId, myThreadId)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Int (Int64)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (getAllocationCounter)

-- | The bytes in a lazy 'L.ByteString', whose chunks are made one by one as
-- they are consumed, in constant memory; the builder may be infinite.
--
-- The first chunk has at most 4 KiB, the others about 32 KiB (more, up to 64 MiB,
-- for a builder that is deeply nested to the left; less before a 'Ashlar.Builder.flush' or an
-- inserted ByteString); ByteStrings of 8 KiB and more are chunks of their own and
-- share their memory. An exception
-- in a value inside the builder surfaces at the chunk in which it would have
-- been used, and the chunks before that are good. Nothing is left running when
-- the consumer stops.
--
-- @since 0.1.0.0
toLazyByteString :: Builder -> L.ByteString
toLazyByteString = toLazyByteStringWith 4096 32768

-- | 'toLazyByteString' with a given size of the first chunk and of the others
-- (at least 1; more where a primitive needs more at once).
--
-- @since 0.1.0.0
toLazyByteStringWith :: Int -> Int -> Builder -> L.ByteString
toLazyByteStringWith firstSize nextSize b = suspended (start body)
  where
    body yield = do
      open <- newOpen (max 1 firstSize)
      ref <- newIORef open
      here <- myThreadId
      cost <- newIORef (Cost here 0 0)
      let first = Space (openFrom open) (openEnd open)
      keepAlive ref $ do
        p <- runBuilderWith (lazySink (max 1 nextSize) ref cost yield) first b
        written <- takeWritten ref p
        pure (chunks [written])

    -- Not the dupable form: the steps share mutable state, and must not be run
    -- by two threads.
    suspended step = unsafePerformIO (step >>= finish)

    finish (Ended rest) = pure (rest L.Empty)
    finish (Suspended (Yield out note) go) = do
      note
      pure (out (suspended (go ())))

-- What the computation hands out: the chunks to be put before the rest of the
-- list, and an action to be done as soon as it has stopped.
data Yield = Yield (L.ByteString -> L.ByteString) (IO ())

chunks :: [ByteString] -> L.ByteString -> L.ByteString
chunks bss rest = foldr L.chunk rest bss

-- The open buffer, and where the part of it begins that was not handed out.
data Open = Open !(ForeignPtr Word8) !Int !(Ptr Word8)

newOpen :: Int -> IO Open
newOpen n = do
  fp <- newBuffer n
  pure (Open fp n (unsafeForeignPtrToPtr fp))

openFrom, openEnd :: Open -> Ptr Word8
openFrom (Open _ _ from) = from
openEnd (Open fp size _) = unsafeForeignPtrToPtr fp `plusPtr` size

-- The bytes written up to an address and not handed out yet. They count as
-- handed out from now on (INV-B3).
takeWritten :: IORef Open -> Ptr Word8 -> IO ByteString
takeWritten ref p = do
  Open fp size from <- readIORef ref
  writeIORef ref (Open fp size p)
  pure (sliceBuffer fp from p)

-- A thread and its allocation counter just before the last suspension, and the
-- bytes that this suspension allocated.
data Cost = Cost !ThreadId !Int64 !Int64

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

lazySink :: Int -> IORef Open -> IORef Cost -> (Yield -> IO ()) -> Sink
lazySink nextSize ref cost yield = Sink $ \request p -> do
  written <- takeWritten ref p
  case request of
    Flush
      | S.null written -> rest
      | otherwise -> stop [written] >> rest
    Insert bs -> stop [written, bs] >> rest
    More n _ -> do
      -- Nothing written: the buffer was too small for one primitive.
      if S.null written then pure () else stop [written]
      Cost _ _ copied <- readIORef cost
      open <- newOpen (max n (max nextSize (sizeForStack copied)))
      writeIORef ref open
      space open
  where
    -- What is left of the open buffer is used on.
    rest = readIORef ref >>= space
    space open = pure (Space (openFrom open) (openEnd open))
    stop bss = do
      there <- myThreadId
      before <- getAllocationCounter
      writeIORef cost (Cost there before 0)
      yield (Yield (chunks bss) noteCost)
    -- The counter runs downwards. The computation may have been run in a thread
    -- of its own (Note [Freezing]), whose counter says nothing here.
    noteCost = do
      Cost there before _ <- readIORef cost
      here <- myThreadId
      after <- getAllocationCounter
      writeIORef cost (Cost there before (if here == there then before - after else 0))
