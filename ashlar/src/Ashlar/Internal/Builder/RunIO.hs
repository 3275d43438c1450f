{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Builder.RunIO
-- Description : Sinks and drivers that run a builder in IO, and the first buffer of a run
--
-- Each driver is a sink, and 'runBuilderWith' or 'runInFirst'. "Ashlar.Internal.Builder.Strict" has
-- those that collect all bytes, "Ashlar.Internal.Builder.Lazy" lazy output, which has to suspend.
module Ashlar.Internal.Builder.RunIO
  ( toByteStringIO,
    toByteStringIOWith,
    toBufferIOWith,
    hPutBuilder,
    hPutBuilderLen,
    writeFile,
    pokeBuilder,
    BufferOverflow (..),
    runBuilderWith,
    First (..),
    newFirst,
    firstOpen,
    smallSize,
    runInFirst,
    ageCells,
    ageCellsAt,
  )
where

import Ashlar.Builder.Buffer
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Coroutine.Thunk
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import qualified Ashlar.Internal.Mem.Check as Check
import Control.Concurrent.MVar (MVar, newEmptyMVar, readMVar, tryPutMVar, tryTakeMVar)
import Control.Exception (Exception (..), IOException, bracket, catch, throwIO)
import Control.Monad (replicateM_, unless, void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Primitive.ByteArray
  ( MutableByteArray (..),
    mutableByteArrayContents,
    newPinnedByteArray,
  )
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr), lazy)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..))
import GHC.IO.Handle.Internals (wantWritableHandle)
import GHC.IO.Handle.Types (Handle (..), Handle__ (haBufferMode, haType), isWritableHandleType)
import System.IO
  ( BufferMode (BlockBuffering),
    IOMode (WriteMode),
    hClose,
    hFlush,
    hPutBuf,
    openBinaryFile,
  )
import System.IO.Unsafe (unsafePerformIO)
import Prelude hiding (writeFile)

-- | Run a builder, and hand each buffer to an action as soon as it is full.
--
-- Each buffer has the given size: at least 1, and more where a primitive needs more at once. No
-- byte is written again after it has been handed out, so the chunks may be kept. Chunks that end
-- early, for instance at a flush, share a buffer, and each keeps all of it alive. ByteStrings of 8
-- KiB and more are handed out as they are. No chunk is empty. If the action throws, the run ends.
-- If a value in the builder throws, the bytes in the open buffer are lost.
toByteStringIOWith ::
  -- | The size of each buffer, in bytes.
  Int ->
  -- | Given each chunk, in order.
  (ByteString -> IO ()) ->
  Builder ->
  IO ()
-- (The example of "Ashlar.Builder.Buffer" is this code.)
toByteStringIOWith size consume b = do
  first <- newOpen (max 1 size)
  ref <- newIORef first
  let deliver p = do
        open <- readIORef ref
        -- Before the action runs: should it throw, nothing is sent twice.
        writeIORef ref $! handedOut open p
        when (p /= openFrom open) $ consume (written open p)
      sink = Sink $ \request p -> do
        deliver p
        case request of
          -- The rest of the open buffer stays in use.
          Flush -> (`restFrom` p) <$> readIORef ref
          Insert bs -> consume bs >> (`restFrom` p) <$> readIORef ref
          More n _ -> do
            new <- newOpen (max 1 (max size n))
            writeIORef ref new
            pure (wholeSpace new)
  keepAlive ref (runBuilderWith sink (wholeSpace first) b >>= deliver)

-- | 'toByteStringIOWith' with buffers of 32 KiB.
--
-- >>> import qualified Data.ByteString as S
-- >>> toByteStringIO (print . S.length) (byteString (S.replicate 40000 0) <> "and more")
-- 40000
-- 8
toByteStringIO :: (ByteString -> IO ()) -> Builder -> IO ()
toByteStringIO = toByteStringIOWith 32768

-- | Run a builder through a buffer, and hand its bytes to an action each time the buffer is full,
-- as an address and a number of bytes. Returns the number of bytes in all, at most 'maxBound'.
--
-- The buffer grows from at most 512 bytes to the given size, which is at least 1, and to more where
-- a primitive needs more at once. While it grows, its bytes are kept, and not handed over. The
-- memory is used again after the action has returned. ByteStrings of 8 KiB and more are handed over
-- where they are. If a value in the builder throws, the bytes in the open buffer are lost.
toBufferIOWith :: Int -> (Ptr Word8 -> Int -> IO ()) -> Builder -> IO Int
toBufferIOWith size consume b = do
  -- The buffer is our own: Note [A buffer of our own].
  first <- newFirst (max 1 (min 512 size))
  throughBuffer (const runInFirst) first size consume b

-- The state of a run of 'throughBuffer': the number of bytes that were handed over, and the open
-- buffer.
data HandedOver = HandedOver !Int !Open

-- 'toBufferIOWith', given the function that runs the builder.
throughBuffer ::
  -- | Runs the builder, given an action that hands over what has been written up to an address.
  ((Ptr Word8 -> IO ()) -> First -> Sink -> Builder -> IO (Ptr Word8)) ->
  -- | The buffer to begin with.
  First ->
  -- | The full size of the buffer.
  Int ->
  (Ptr Word8 -> Int -> IO ()) ->
  Builder ->
  IO Int
throughBuffer runWith first size consume b = do
  ref <- newIORef (HandedOver 0 (firstOpen first))
  -- The reference keeps the buffers alive. If a value throws, nothing reads it after the bytes have
  -- been handed over.
  let deliver p = keepAlive ref (handOver ref consume p)
  runWith deliver first (Sink (answerHandingOver ref size consume)) b >>= handOver ref consume
  -- This keeps the buffers alive until here: see 'runInFirst'.
  HandedOver count _ <- readIORef ref
  pure count
{-# INLINE throughBuffer #-}

-- Hand over what has been written up to an address.
--
-- This is not inlined beside an action of which GHC finds that it never returns. GHC would drop
-- what the caller does afterwards, which keeps the buffer alive. (Test "a value throws, and the
-- bytes before it have to wait".)
handOver :: IORef HandedOver -> (Ptr Word8 -> Int -> IO ()) -> Ptr Word8 -> IO ()
handOver ref consume p = do
  HandedOver count open <- readIORef ref
  let n = p `minusPtr` openFrom open
  when (n > 0) $ do
    -- Before the action runs: should it throw, nothing is sent twice.
    writeIORef ref $! HandedOver (plusCount count n) (handedOut open p)
    consume (openFrom open) n
{-# NOINLINE handOver #-}

-- Answers the requests of a run of 'throughBuffer'. If the open buffer is smaller than the full
-- size, and the request fits into the full size, nothing is handed over: the bytes move to a buffer
-- of four times the size, or of as many bytes as are likely, but at most of the full size.
answerHandingOver ::
  IORef HandedOver -> Int -> (Ptr Word8 -> Int -> IO ()) -> Request -> Ptr Word8 -> IO FreeSpace
answerHandingOver ref size consume request p = do
  HandedOver count open <- readIORef ref
  let used = p `minusPtr` openFrom open
  case request of
    More n wanted | openSize open < size && n <= size - used -> do
      -- At most the full size, and so is the sum of used and n.
      let likely = if wanted <= size - used then used + wanted else size
          larger = if openSize open > size `quot` 4 then size else 4 * openSize open
      new <- newOpen (max likely larger)
      -- The old buffer is in the reference until its bytes have been copied.
      copiedTo new open p <* writeIORef ref (HandedOver count new)
    _ -> do
      handOver ref consume p
      case request of
        Insert bs -> do
          HandedOver before rest <- readIORef ref
          writeIORef ref $! HandedOver (plusCount before (S.length bs)) rest
          withBytes bs consume
        _ -> pure ()
      HandedOver count' rest <- readIORef ref
      ageCellsAt count count'
      -- What was handed over has been consumed, so all of the buffer is free again.
      free <- case request of
        More n _ | max n size > openSize rest -> newOpen (max n size)
        _ -> pure (emptied rest)
      writeIORef ref (HandedOver count' free)
      pure (wholeSpace free)
{-# NOINLINE answerHandingOver #-}

-- | Write the bytes to a 'Handle', in constant memory.
--
-- The bytes pass through the driver's own buffer, of up to 32 KiB, one of which is kept, and reach
-- the Handle by 'hPutBuf': in order, without its newline conversion or character encoding. The
-- Handle's lock is held while a buffer is written, not while the builder runs. So a value in the
-- builder may use the same Handle.
--
-- Up to 32 KiB, less what the last write reserved and did not need (at most 256 bytes, or a
-- primitive's bound), reach the Handle at once, if there is no 'Ashlar.Builder.Extra.flush' among
-- them, and no ByteString and no section ("Ashlar.Builder.Section") of 8 KiB or more. So the lines
-- of several threads do not mix.
--
-- If a value in the builder throws, the bytes before it are written first. Some may be lost:
--
-- * Adjacent writes of bounded size may share the value's reservation: up to 256 bytes.
-- * If the value is a character of a string, or an element of a list in a loop of
--   "Ashlar.Builder.Prim": the bytes that this loop wrote into the open buffer, up to 32 KiB.
-- * If the value is inside of a section ("Ashlar.Builder.Section"): the bytes of the section.
-- * If it is inside of a builder from bytestring's, or of HTTP chunks: those of the open buffer, up
--   to 32 KiB.
-- * If GHC finds, while it compiles the program, that the value always throws, it may evaluate it
--   first: all bytes. (GHC 9.6 does.)
--
-- If the thread is interrupted, the Handle has received a prefix of the output. A Handle that is
-- closed or cannot be written raises the usual 'Control.Exception.IOException', before any value is
-- evaluated.
hPutBuilder :: Handle -> Builder -> IO ()
hPutBuilder h b = () <$ hPutBuilderLen h b

-- | 'hPutBuilder', returning the number of bytes, or 'maxBound' if it is larger.
hPutBuilderLen :: Handle -> Builder -> IO Int
hPutBuilderLen h b = do
  -- Before a value is evaluated, which may wait for ever. ('wantWritableHandle' alone, which takes
  -- the lock, would add a quarter to the time of a short line.)
  state <- readMVar (case h of FileHandle _ m -> m; DuplexHandle _ _ m -> m)
  unless (isWritableHandleType (haType state)) $
    wantWritableHandle "Ashlar.Builder.hPutBuilder" h (\_ -> pure ())
  -- See Note [A buffer of our own].
  kept <- tryTakeMVar keptFirst
  first <- maybe (newFirst 512) pure kept
  n <- throughBuffer runSaving first 32768 (hPutBuf h) b
  -- (Not after an exception, because the run may be resumed.)
  maybe didWithout (void . tryPutMVar keptFirst) kept
  -- Unless the Handle keeps blocks, 'hPutBuf' flushes it after each write. It does not if there is
  -- nothing to write.
  when (n == 0 && not (keepsBlocks (haBufferMode state))) (hFlush h)
  pure n
  where
    keepsBlocks mode = case mode of
      BlockBuffering _ -> True
      _ -> False

-- Note [A buffer of our own]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- bytestring runs a builder in the Handle's own buffer, and must hold the Handle's lock meanwhile.
-- A value in the builder that writes to the same Handle then waits for ever, or its bytes land in
-- the middle. If the buffer were taken out of the Handle first, the Handle would need another one.
-- A buffer of our own costs one more copy, and a new one its allocation. So one of 32 KiB is kept
-- from run to run, with the cells of the run in it (Note [Small first buffers]). A run takes it
-- atomically, and gives it back when it has ended well. An exception may end a run that is resumed
-- later, so the buffer goes with that run. After a thousand runs without one, another is made.
-- Compared with new buffers, 1 KiB takes 0.8 of the time, 32 KiB 0.85 (GHC 9.0.2). (Benchmarks "a
-- line of 90 bytes, Handle", "build Word64s to /dev/null". Tests "runs within a run have buffers of
-- their own", "lines of several threads".)
--
-- While it is taken, other runs begin with 512 bytes. If that is too small, the bytes so far move
-- to a larger one, so up to 32 KiB reach the Handle at once. Also tried: new buffers of 2 KiB, of
-- which GHC's allocator puts only one into a block of 4 KiB, and of 32 KiB. Both are slower for a
-- short line. An IORef in place of the MVar takes 10 ns more.

-- The kept buffer, unless a run has it.
keptFirst :: MVar First
keptFirst = unsafePerformIO newEmptyMVar
{-# NOINLINE keptFirst #-}

-- How many runs had to do without it. (Two threads may count one of theirs.)
runsWithout :: IORef Int
runsWithout = unsafePerformIO (newIORef 1000)
{-# NOINLINE runsWithout #-}

didWithout :: IO ()
didWithout = do
  n <- readIORef runsWithout
  writeIORef runsWithout $! if n < 1000 then n + 1 else 0
  when (n >= 1000) $ newFirst 32768 >>= void . tryPutMVar keptFirst
{-# NOINLINE didWithout #-}

-- | Write the bytes to a file, in constant memory. Its previous contents are lost, even if an
-- exception in the builder ends the output early.
writeFile :: FilePath -> Builder -> IO ()
-- (withBinaryFile would give exceptions of the builder's values the path of the file.)
writeFile path b = bracket (openBinaryFile path WriteMode) hClose (`hPutBuilder` b)

-- | Write the bytes into memory of the given size, and return their number.
--
-- Throws 'BufferOverflow' if they do not fit or the size is negative. The memory then holds the
-- first of them. Nothing is ever written after its end. Bytes that fit exactly do fit: a primitive
-- that reserves more than it uses gets that space elsewhere.
pokeBuilder :: Ptr Word8 -> Int -> Builder -> IO Int
pokeBuilder start size b
  | size < 0 = throwIO (BufferOverflow size 0)
  | otherwise = do
    scratchRef <- newIORef Nothing
    -- If there is a scratch buffer, the memory has been written up to this address.
    doneRef <- newIORef start
    let -- Copy what is in the scratch buffer up to p, if there is one, into the memory. Returns the
        -- address up to which the memory has been written.
        copyScratch p =
          readIORef scratchRef >>= \scratch -> case scratch of
            Nothing -> pure p
            Just buffer -> do
              done <- readIORef doneRef
              let n = p `minusPtr` openFrom buffer
                  free = end `minusPtr` done
              copyRange done (openFrom buffer) (min n free)
              when (n > free) $ throwIO (BufferOverflow free n)
              writeIORef scratchRef Nothing
              pure (done `plusPtr` n)
        sink = Sink $ \request p -> do
          done <- copyScratch p
          let free = end `minusPtr` done
          case request of
            Flush -> pure (FreeSpace done end)
            More n _
              | n <= free -> pure (FreeSpace done end)
              | otherwise -> do
                buffer <- newOpen n
                writeIORef doneRef done
                writeIORef scratchRef (Just buffer)
                pure (wholeSpace buffer)
            Insert bs -> do
              let n = S.length bs
              -- At most free bytes are copied.
              withBytesQuick bs (\src _ -> copyRange done src (min n free))
              when (n > free) $ throwIO (BufferOverflow free n)
              pure (FreeSpace (done `plusPtr` n) end)
    keepAlive scratchRef $ do
      p <- runBuilderWith sink (FreeSpace start end) b
      (`minusPtr` start) <$> copyScratch p
  where
    end = start `plusPtr` size

-- | A builder had more bytes than the memory it was given.
data BufferOverflow = BufferOverflow
  { -- | Bytes that were free at that moment.
    overflowFree :: !Int,
    -- | Bytes to be written next.
    overflowNeeded :: !Int
  }
  deriving stock (Eq, Show)

instance Exception BufferOverflow where
  displayException (BufferOverflow free needed) =
    "Ashlar.Builder: buffer overflow: " ++ show needed ++ " bytes to write, " ++ show free
      ++ " free"

-- Running a builder with a sink.

-- | Run a builder, beginning in the given free space. Returns the address after the last byte
-- written into the free space that was open at the end.
--
-- The memory of each free space must stay alive until the sink is asked for the next. The last must
-- stay alive until this action has returned.
runBuilderWith ::
  -- | Asked for more free space, and for all else that the builder needs.
  Sink ->
  -- | Where the builder begins.
  FreeSpace ->
  Builder ->
  IO (Ptr Word8)
runBuilderWith k (FreeSpace from to) b = withCells (cellsUpTo endCell) $ \c -> do
  putPtr c cursorCell from
  putPtr c endCell to
  runOn b c k
  getPtr c cursorCell
{-# INLINE runBuilderWith #-}

-- The first buffer of a run, small and with the cells in it.
--
-- Note [Small first buffers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most runs write a few bytes: a number, a key, a short response. Output in memory begins in a
-- buffer of 'smallSize' bytes, output through a buffer in one of up to 512
-- (Note [A buffer of our own]). The buffer is one object with the two cells of the run, which stand
-- before the bytes, so one allocation serves both. For output in memory, the first request makes
-- what only longer output needs: the record of the output so far, and a larger buffer, into which
-- the bytes are copied.
--
-- Lazy output goes on in that larger buffer without suspending, whatever is asked of the sink. So
-- where its chunks end does not depend on the small buffer.
--
-- Tried and dropped: a first buffer of 4 KiB for lazy output. It is a large object of GHC's, which
-- takes longer to allocate than a short response to write. Copying the bytes of a small buffer to
-- their size takes half as long again as writing one number. (Allocation tests "one number, strict"
-- and "a short response, lazy". Benchmarks "short: one Integer" and "short: a map of 10".)

-- | The cells of one run and its first buffer, in one object.
data First = First
  { -- | The cells, and the buffer after them.
    firstCells :: Cells,
    -- | The size of the buffer, in bytes.
    firstSize :: Int
  }

-- | The bytes of a first buffer for output in memory.
smallSize :: Int
smallSize = 128
{-# INLINE smallSize #-}

-- The bytes of the two cells: at most 8 each, and 16 each in a checked build.
twoCells :: Int
twoCells = Check.cellBytes (cellsUpTo endCell)
{-# INLINE twoCells #-}

-- | Cells and a buffer of this many bytes, not initialised.
newFirst :: Int -> IO First
newFirst n = do
  MutableByteArray c <- newPinnedByteArray (twoCells + n)
  Check.noneWritten c (cellsUpTo endCell)
  pure (First c n)
{-# INLINE newFirst #-}

-- | Let the collector promote the cells. Call it once, where the output gets long.
--
-- Note [Cells in the way]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- GHC allocates small pinned objects in one block, and promotes none of them before that block is
-- full. Nothing may fill it: larger buffers have blocks of their own. Each frame on the stack of
-- nested builders refers to the cells. So as long as these are young, each minor collection looks
-- through all of the stack, and a million builders that are nested to the left take quadratic time.
-- The second of these objects no longer fits into the block of the first. (Benchmark "appends: 5
-- short strings, to the left, 200000". No test: only the time shows it.)
ageCells :: IO ()
ageCells = replicateM_ 2 (newPinnedByteArray 3000)
{-# NOINLINE ageCells #-}

-- | 'ageCells' in the step that brings the output to 64 KiB, given its bytes before the step and
-- after it.
ageCellsAt :: Int -> Int -> IO ()
ageCellsAt before after = when (before < 65536 && after >= 65536) ageCells
{-# INLINE ageCellsAt #-}

firstFrom :: First -> Ptr Word8
firstFrom (First c _) = mutableByteArrayContents (MutableByteArray c) `plusPtr` twoCells
{-# INLINE firstFrom #-}

-- | The first buffer. Nothing of it has been handed out.
firstOpen :: First -> Open
firstOpen first@(First c n) = case firstFrom first of
  Ptr a -> openOn (ForeignPtr a (PlainPtr c)) n
{-# INLINE firstOpen #-}

-- | 'runBuilderWith' in a first buffer.
--
-- The buffer stays alive while the builder runs, because the cells are read after that. If GHC
-- found that the builder never returns, it would drop what comes after the run, but 'lazy' hides
-- the builder until no such analysis follows. ('Ashlar.Internal.Mem.keepAlive' would allocate a
-- closure, on GHC 9.10.) So whatever a caller uses after this call also stays alive during it.
runInFirst :: First -> Sink -> Builder -> IO (Ptr Word8)
runInFirst first@(First c n) k (Builder b) = do
  putPtr c cursorCell (firstFrom first)
  putPtr c endCell (firstFrom first `plusPtr` n)
  IO (\s -> (# lazy b c k s, () #))
  getPtr c cursorCell
{-# INLINE runInFirst #-}

-- | 'runInFirst', with an action to perform if a value in the builder throws. Its argument is the
-- address up to which the open buffer has been written. If the action throws an 'IOException', the
-- value's exception is thrown all the same.
--
-- The builder runs as a thunk. So asynchronous exceptions can be told from those of values, and a
-- run that is part of a pure value can be resumed (Note [Exceptions that are not ours]).
runSaving :: (Ptr Word8 -> IO ()) -> First -> Sink -> Builder -> IO (Ptr Word8)
runSaving save first k b = do
  outcome <- newThunk (runInFirst first k b) >>= tryThunk
  case outcome of
    Right p -> pure p
    Left e -> ((getPtr (firstCells first) cursorCell >>= save) `catch` ignored) >> rethrow e
  where
    ignored :: IOException -> IO ()
    ignored _ = pure ()
