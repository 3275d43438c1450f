-- |
-- Module      : Ashlar.Internal.Builder.Strict
-- Description : All of a builder's bytes in one strict value
--
-- One sink, 'collectingSink', collects the bytes in memory. The drivers differ in their results.
module Ashlar.Internal.Builder.Strict
  ( -- * Drivers
    toStrictByteString,
    toShortByteString,
    toByteArray,

    -- * Bytes that are kept
    prebuilt,

    -- * The sink
    Output (..),
    noOutput,
    collectingSink,
    chunksUpTo,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.RunIO
  ( First (..),
    ageCellsAt,
    firstOpen,
    newFirst,
    runInFirst,
    smallSize,
  )
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells (Cells)
import Data.Bits (complement, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short.Internal as SBS
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( ByteArray (..),
    MutableByteArray,
    newByteArray,
    shrinkMutableByteArray,
    unsafeFreezeByteArray,
  )
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (RealWorld)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The bytes in one strict 'ByteString'.
--
-- Linear in the number of bytes. The buffer has 128 bytes at first, then 4 KiB. Longer output is
-- kept in chunks, each as large as all before it up to 64 KiB, or as large as a builder announces,
-- and concatenated at the end. At most a quarter of the result's memory is unused, or of a short
-- result's up to 144 bytes. If the builder is a single ByteString of 8 KiB or more, the result is
-- that ByteString.
toStrictByteString :: Builder -> ByteString
toStrictByteString b = runCollecting (\open p -> pure $! written open p) inBuffers b
  where
    inBuffers output p
      | inOneBuffer output = pure $! if wasteful output p then S.copy end else end
      | otherwise = case filter (not . S.null) (chunksUpTo p output) of
        chunks@(_ : _ : _) -> do
          buffer <- newBuffer (notTooLong n)
          gather (bufferArray buffer) 0 chunks
          let start = unsafeForeignPtrToPtr buffer
          pure $! sliceBuffer buffer start (start `plusPtr` n)
        few -> pure $! S.concat few
      where
        end = written (outputOpen output) p
        n = countUpTo p output

-- | The same bytes, computed once and kept: for a constant that many outputs contain.
--
-- The builder runs when the result is first run or forced. It must not be infinite. If a value in
-- it throws, so does every output with it.
--
-- Give the result a name at top level that is not inlined. Otherwise GHC moves it into the builder
-- that contains it, and each run computes it again:
--
-- > header :: Builder
-- > header = prebuilt ("Server: " <> stringUtf8 name <> "\r\n")
-- > {-# NOINLINE header #-}
--
-- >>> prebuilt ("x = " <> intDec 7)
-- "x = 7"
prebuilt :: Builder -> Builder
-- This lambda is not marked oneShot, so the bytes stay outside of it: Note [Builders run once].
prebuilt b = case toStrictByteString b of
  bytes -> Builder (\c k s -> case byteString bytes of Builder f -> f c k s)
{-# NOINLINE prebuilt #-}

-- | The bytes in a 'ShortByteString', as by 'toByteArray'.
--
-- >>> toShortByteString (word16BE 0x4142 <> "C")
-- "ABC"
toShortByteString :: Builder -> ShortByteString
toShortByteString b = case toByteArray b of ByteArray bytes -> SBS.SBS bytes

-- | The bytes in a 'ByteArray' of exactly their size.
--
-- Linear in the number of bytes, which are collected as by 'toStrictByteString' and then copied
-- once. A result below 4 KiB is not pinned, so it does not fragment the heap. GHC never moves a
-- larger one anyway. So if a larger one lies in one buffer, of which at most a quarter is unused,
-- the result is that buffer.
toByteArray :: Builder -> ByteArray
toByteArray b = runCollecting inFirst inBuffers b
  where
    inFirst open p = gathered (p `minusPtr` openFrom open) [written open p]
    inBuffers output p
      | inOneBuffer output && n >= largeObject && not (wasteful output p) = do
        -- The buffer was made for this run, and no part of it has been handed out.
        let array = bufferArray (openBuffer open)
        shrinkMutableByteArray array n
        unsafeFreezeByteArray array
      | otherwise = gathered n (chunksUpTo p output)
      where
        open = outputOpen output
        n = countUpTo p output

-- A new array of the bytes of some chunks, given the number of bytes.
gathered :: Int -> [ByteString] -> IO ByteArray
gathered n chunks = do
  array <- newByteArray (notTooLong n)
  -- The chunks have n bytes together.
  gather array 0 chunks
  unsafeFreezeByteArray array

-- Copy chunks to an array that has space for them, from an offset on.
gather :: MutableByteArray RealWorld -> Int -> [ByteString] -> IO ()
gather array off chunks = case chunks of
  bs : rest -> do
    withBytesQuick bs (copyToArray array off)
    gather array (off + S.length bs) rest
  [] -> pure ()

-- GHC moves no array of this size. (Its own limit is 3,276 bytes.)
largeObject :: Int
largeObject = 4096

-- Run a builder, and compute a result from the address after its last byte. The first function is
-- called if all bytes are in the first buffer, the second one with the output if they are not.
--
-- Each caller gives all arguments, so that this is inlined there.
runCollecting :: (Open -> Ptr Word8 -> IO r) -> (Output -> Ptr Word8 -> IO r) -> Builder -> r
runCollecting inFirst inBuffers b =
  -- The dupable form is enough: two threads that both evaluate the result have buffers of their
  -- own.
  unsafeDupablePerformIO $ do
    first <- newFirst smallSize
    ref <- newIORef noOutput
    p <- runInFirst first (Sink (\request p -> answerInFirst (firstCells first) ref request p)) b
    -- This keeps the buffers alive until here: see 'runInFirst'.
    output <- readIORef ref
    if inFirstBuffer output then inFirst (firstOpen first) p else inBuffers output p
{-# INLINE runCollecting #-}

-- Answer a request of a run that began in a first buffer. Out of line, so that nothing is built for
-- requests that are never made.
answerInFirst :: Cells -> IORef Output -> Request -> Ptr Word8 -> IO FreeSpace
answerInFirst c ref request p = do
  output <- readIORef ref
  if inFirstBuffer output
    then case request of
      -- The most common request. It needs no 'Output' of the first buffer.
      More n wanted -> moveToNewBuffer ref (firstOpen (First c smallSize)) p n wanted
      _ -> answerRequest ref (Output [] 0 (firstOpen (First c smallSize))) request p
    else answerRequest ref output request p
{-# NOINLINE answerInFirst #-}

-- All bytes are still in the first buffer: the builder has made no request, or only 'Flush'.
inFirstBuffer :: Output -> Bool
inFirstBuffer output = openSize (outputOpen output) == 0
{-# INLINE inFirstBuffer #-}

-- | The output so far. If there are no chunks, nothing of the open buffer has been handed out.
data Output = Output
  { -- | The chunks that are complete, the last first.
    outputChunks :: ![ByteString],
    -- | The number of their bytes, at most 'maxBound' ('plusCount').
    outputCount :: !Int,
    outputOpen :: !Open
  }

-- | No output. The first request allocates a buffer, because it may tell how many bytes are needed.
noOutput :: Output
noOutput = Output [] 0 noBuffer

-- | All chunks in order. The last one ends at this address in the open buffer, which must not be
-- written any more.
chunksUpTo :: Ptr Word8 -> Output -> [ByteString]
chunksUpTo p (Output chunks _ open) = reverse (written open p : chunks)

-- How many bytes these have.
countUpTo :: Ptr Word8 -> Output -> Int
countUpTo p (Output _ count open) = count `plusCount` (p `minusPtr` openFrom open)

inOneBuffer :: Output -> Bool
inOneBuffer = null . outputChunks

-- More than a quarter of the open buffer, and more than 128 bytes, lie after this address.
wasteful :: Output -> Ptr Word8 -> Bool
wasteful (Output _ _ open) p = slack > 128 && slack > openSize open `quot` 4
  where
    slack = freeBytes (restFrom open p)

-- Note [Collecting strict output]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The first buffer is allocated before the builder runs, and is not trimmed:
-- Note [Small first buffers] in "Ashlar.Internal.Builder.RunIO".
--
-- The output is copied from the first buffer to the next. From then on a full buffer is left as it
-- is, and all are concatenated at the end. So each byte is copied once, and the memory is at most
-- 64 KiB more than twice the output. If a builder announces at least as many bytes as there are so
-- far, the bytes so far are copied into a buffer that has space for all. This buffer is the result.
--
-- The size of a buffer fills whole blocks of GHC's ('wholeBlocks'). An announced size is not
-- rounded up, because it is often exact.
--
-- Also tried: doubling by copying, up to 64 KiB, and chunks as large as all before them after that.
-- That allocates half as much again. New memory costs more than writing it, because the kernel must
-- supply it page by page: from GHC 9.2 on, the collector returns much of what it frees. Where it
-- has done so, encoding a tree took twice as long as on 9.0.2. (Benchmark "encode Tree", allocation
-- test "long strict output".)
--
-- A second buffer of 1 KiB instead of 4 KiB, or growth by a factor of 4, changes nothing. realloc,
-- which moves the pages of a huge buffer instead of copying it, is faster at 100 MB, but several
-- times slower between 64 KB and 1 MB, where most outputs are.

-- The most bytes of a buffer, if a builder announces no more.
largestBuffer :: Int
largestBuffer = 65536

-- The bytes of the blocks of 4 KiB that an array of n bytes takes, without its header.
wholeBlocks :: Int -> Int
wholeBlocks n = ((n + header + 4095) .&. complement 4095) - header
  where
    header = 16

-- | The sink that collects the output in memory.
collectingSink :: IORef Output -> Sink
collectingSink ref = Sink $ \request p -> do
  output <- readIORef ref
  answerRequest ref output request p

answerRequest :: IORef Output -> Output -> Request -> Ptr Word8 -> IO FreeSpace
answerRequest ref output request p = case request of
  Flush -> pure (restFrom (outputOpen output) p)
  -- The rest of the open buffer stays in use.
  Insert bs -> restFrom (outputOpen output) p <$ writeIORef ref (insert bs (cut p output))
  More n wanted -> answerMore ref output p n wanted
{-# NOINLINE answerRequest #-}

-- Make a chunk of what was written up to this address.
cut :: Ptr Word8 -> Output -> Output
cut p output@(Output chunks count open)
  | p == openFrom open = output
  | otherwise =
    Output
      (written open p : chunks)
      (count `plusCount` (p `minusPtr` openFrom open))
      (handedOut open p)

insert :: ByteString -> Output -> Output
insert bs (Output chunks count open) = Output (bs : chunks) (count `plusCount` S.length bs) open

notTooLong :: Int -> Int
notTooLong n
  | n < maxBound = n
  | otherwise = errorWithoutStackTrace "Ashlar.Builder: the bytes are too many for an array"
{-# NOINLINE notTooLong #-}

-- Answer 'More': Note [Collecting strict output].
answerMore :: IORef Output -> Output -> Ptr Word8 -> Int -> Int -> IO FreeSpace
answerMore ref output@(Output chunks _ open) p n wanted
  | null chunks && (used <= smallSize || (wanted > n && wanted >= used)) =
    moveToNewBuffer ref open p n wanted
  | otherwise = do
    let Output chunks' count _ = cut p output
    ageCellsAt (outputCount output) count
    new <- newOpen (max (max n wanted) (wholeBlocks (min largestBuffer count)))
    writeIORef ref (Output chunks' count new)
    pure (wholeSpace new)
  where
    used = p `minusPtr` openFrom open

-- Replace the open buffer by a new one, and copy to it what was written.
moveToNewBuffer :: IORef Output -> Open -> Ptr Word8 -> Int -> Int -> IO FreeSpace
moveToNewBuffer ref open p n wanted = do
  -- (If the sum is cut off at maxBound, the allocation fails.)
  new <- newOpen (max (used `plusCount` wanted) (if wanted > n then 0 else wholeBlocks 1))
  -- Both have space for the used bytes. The old one stays alive until it is replaced.
  copiedTo new open p <* writeIORef ref (Output [] 0 new)
  where
    used = p `minusPtr` openFrom open
{-# INLINE moveToNewBuffer #-}
