{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Builder.Run
-- Description : Sinks and drivers that run a builder to its end
--
-- Every driver here is made of a sink and 'runBuilderWith'. (Lazy output, which
-- has to stop in the middle, is in "Ashlar.Builder.Lazy".)
module Ashlar.Builder.Run
  ( toStrictByteString,
    toByteStringIOWith,
    toBufferIOWith,
    hPutBuilder,
    hPutBuilderLen,
    pokeBuilder,
    BufferOverflow (..),
  )
where

import Ashlar.Builder.Core
import Ashlar.Mem
import Control.Exception (Exception (..), throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import System.IO (Handle, hPutBuf)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- A buffer and its size.
data Buffer = Buffer !(ForeignPtr Word8) !Int

allocate :: Int -> IO Buffer
allocate n = (`Buffer` n) <$> newBuffer n

bufferStart :: Buffer -> Ptr Word8
bufferStart (Buffer fp _) = unsafeForeignPtrToPtr fp

spaceFrom :: Buffer -> Int -> Space
spaceFrom b@(Buffer _ size) used = Space (bufferStart b `plusPtr` used) (bufferStart b `plusPtr` size)

-- | The bytes in one strict 'ByteString'.
--
-- Linear in the number of bytes. The buffer has 128 bytes, then 4 KiB, and doubles
-- up to 64 KiB by copying; what is longer is kept in pieces, each as large as all
-- before it (or as large as need be, where a builder knows how much it will write),
-- and put together in the end. No more than a quarter of the memory behind the
-- result is unused. If the builder is a single ByteString of 8 KiB or more, the
-- result is that ByteString.
--
-- @since 0.1.0.0
toStrictByteString :: Builder -> ByteString
toStrictByteString b =
  -- The dupable form is enough: two threads that both evaluate the result
  -- have buffers of their own.
  unsafeDupablePerformIO $ do
    -- Nothing is allocated before the first request, which may tell how much is
    -- needed.
    ref <- newIORef (Output [] 0 (Buffer B.nullForeignPtr 0) nullPtr)
    keepAlive ref $ do
      p <- runBuilderWith (growing ref) (Space nullPtr nullPtr) b
      output <- readIORef ref
      pure $! finished output p

-- The output so far: pieces that are complete, the last first, and the number of
-- their bytes; the open buffer, and where in it the next piece begins.
data Output = Output ![ByteString] !Int !Buffer !(Ptr Word8)

-- All of it, given the address behind its last byte.
finished :: Output -> Ptr Word8 -> ByteString
finished (Output pieces _ (Buffer fp size) from) p
  | not (null pieces) = S.concat (reverse (end : pieces))
  | size - S.length end > size `quot` 4 = S.copy end
  | otherwise = end
  where
    end = sliceBuffer fp from p

-- Note [Growing]
-- ~~~~~~~~~~~~~~
-- A buffer with at most 32 KiB in it is copied into a larger one. A larger one is
-- left as it is, and the pieces are put together in the end: each byte is copied
-- once, where doubling copies it once or twice and, more often than not, once
-- more to trim the result. The 170,000 bytes of 10,000 records take 69 µs in
-- place of 81 (GHC 9.0.2). Also tried: realloc moves the pages of a huge buffer
-- instead of copying it, which is three times faster at 100 MB; between 64 KB
-- and 1 MB, where most outputs are, it is three to six times slower.
copiedUpTo :: Int
copiedUpTo = 32768

growing :: IORef Output -> Sink
growing ref = Sink $ \request p -> do
  output <- readIORef ref
  case request of
    Flush -> pure (restOf output p)
    -- The rest of the open buffer is used on, behind what was written.
    Insert bs -> restOf output p <$ writeIORef ref (insert bs (cut p output))
    More n wanted -> enlarged ref output p n wanted

restOf :: Output -> Ptr Word8 -> Space
restOf (Output _ _ buffer@(Buffer _ size) _) p = Space p (bufferStart buffer `plusPtr` size)

-- What was written up to this address becomes a piece.
cut :: Ptr Word8 -> Output -> Output
cut p output@(Output pieces count buffer@(Buffer fp _) from)
  | p == from = output
  | otherwise = Output (sliceBuffer fp from p : pieces) (count + p `minusPtr` from) buffer p

insert :: ByteString -> Output -> Output
insert bs (Output pieces count buffer from) = Output (bs : pieces) (count + S.length bs) buffer from

enlarged :: IORef Output -> Output -> Ptr Word8 -> Int -> Int -> IO Space
enlarged ref output@(Output pieces _ (Buffer _ size) from) p n wanted
  | null pieces && used <= copiedUpTo = do
      new <- allocate (max (used + wanted) sizeAfter)
      -- Both hold the used bytes; the old one stays alive until replaced.
      copyRange (bufferStart new) from used
      openAt new used (Output [] 0)
  | otherwise = do
      let Output pieces' count _ _ = cut p output
      new <- allocate (max wanted (max 4096 count))
      openAt new 0 (Output pieces' count)
  where
    used = p `minusPtr` from
    openAt new already withBuffer = do
      writeIORef ref (withBuffer new (bufferStart new))
      pure (spaceFrom new already)
    sizeAfter
      | size == 0 = 128
      | wanted > n = 2 * size
      | otherwise = max 4096 (2 * size)

-- | Run a builder, and hand each buffer to an action as soon as it is full.
--
-- Every buffer has the given size (at least 1; more where a primitive needs
-- more at once). No byte is written again after it has been handed on, so the
-- chunks may be kept; those that end early, at a flush say, share a buffer, and
-- each keeps all of it alive. ByteStrings of 8 KiB and more arrive as they are. The
-- action is never given an empty chunk; an exception of it ends the run.
--
-- @since 0.1.0.0
toByteStringIOWith :: Int -> (ByteString -> IO ()) -> Builder -> IO ()
toByteStringIOWith size consume b = do
  let fresh n = allocate (max 1 (max size n))
  first <- fresh 0
  ref <- newIORef first
  -- The start of what has not been handed on yet, in the open buffer.
  startRef <- newIORef (bufferStart first)
  let deliver p = do
        Buffer fp _ <- readIORef ref
        start <- readIORef startRef
        -- Before the action runs: should it throw, nothing is sent twice.
        writeIORef startRef p
        when (p /= start) $ consume (sliceBuffer fp start p)
      -- What is left of the open buffer is used on.
      rest p = do
        buffer@(Buffer _ total) <- readIORef ref
        pure (Space p (bufferStart buffer `plusPtr` total))
      sink = Sink $ \request p -> do
        deliver p
        case request of
          Flush -> rest p
          Insert bs -> consume bs >> rest p
          More n _ -> do
            new <- fresh n
            writeIORef ref new
            writeIORef startRef (bufferStart new)
            pure (spaceFrom new 0)
  keepAlive ref (runBuilderWith sink (spaceFrom first 0) b >>= deliver)

-- | Run a builder through one buffer of the given size (at least 1; more where
-- a primitive needs more at once), and hand its bytes to an action each time
-- it is full, as an address and a number of bytes.
--
-- The memory is used again after the action has returned. ByteStrings of
-- 8 KiB and more are handed over where they are. Returns the number of bytes.
--
-- @since 0.1.0.0
toBufferIOWith :: Int -> (Ptr Word8 -> Int -> IO ()) -> Builder -> IO Int
toBufferIOWith = throughBuffer (const runBuilderWith)

-- | 'toBufferIOWith' by a way to run builders. This is given an action that hands
-- over what has been written up to an address.
throughBuffer ::
  ((Ptr Word8 -> IO ()) -> Sink -> Space -> Builder -> IO (Ptr Word8)) ->
  Int ->
  (Ptr Word8 -> Int -> IO ()) ->
  Builder ->
  IO Int
throughBuffer runWith size consume b = do
  first <- allocate (max 1 size)
  ref <- newIORef first
  -- The start of what has not been handed over yet, in the open buffer.
  startRef <- newIORef (bufferStart first)
  countRef <- newIORef 0
  let send p n = when (n > 0) $ do
        consume p n
        count <- readIORef countRef
        writeIORef countRef $! count + n
      deliver p = do
        start <- readIORef startRef
        -- Before the action runs: should it throw, nothing is sent twice.
        writeIORef startRef p
        send start (p `minusPtr` start)
      sink = Sink $ \request p -> do
        deliver p
        case request of
          Flush -> pure ()
          Insert bs -> withBytes bs send
          More n _ -> do
            Buffer _ old <- readIORef ref
            when (n > old) $ allocate n >>= writeIORef ref
        buffer <- readIORef ref
        writeIORef startRef (bufferStart buffer)
        pure (spaceFrom buffer 0)
  keepAlive ref (runWith deliver sink (spaceFrom first 0) b >>= deliver)
  readIORef countRef

-- | Write the bytes to a 'Handle', in constant memory.
--
-- The bytes pass through a buffer of 32 KiB of the driver's own and reach the
-- Handle by 'hPutBuf': in order, without its newline or character encoding.
-- The Handle's lock is held while a buffer is written and not while the
-- builder runs, so a value inside the builder may use the same Handle. If such a
-- value throws, what comes before it is written first (but for the last few bytes,
-- if they share a reservation with the value, or the last characters of its string).
-- If the thread is interrupted, what was written is a prefix of the output. A Handle
-- that is closed or cannot be written raises the usual 'Control.Exception.IOException'.
--
-- @since 0.1.0.0
hPutBuilder :: Handle -> Builder -> IO ()
hPutBuilder h b = () <$ hPutBuilderLen h b

-- | 'hPutBuilder', returning the number of bytes.
--
-- @since 0.1.0.0
hPutBuilderLen :: Handle -> Builder -> IO Int
hPutBuilderLen h = throughBuffer runBuilderSaving 32768 (hPutBuf h)

-- | Write the bytes into memory of the given size, and return their number.
--
-- Throws 'BufferOverflow' where they do not fit or the size is negative; the memory then holds the
-- beginning of them. Nothing is ever written behind it. Bytes that fit exactly
-- do fit: a primitive that asks for more room than it uses in the end gets
-- that room elsewhere.
--
-- @since 0.1.0.0
pokeBuilder :: Ptr Word8 -> Int -> Builder -> IO Int
pokeBuilder start size b
  | size < 0 = throwIO (BufferOverflow size 0)
  | otherwise = do
      scratchRef <- newIORef Nothing
      -- Up to here the memory has been written, when there is a scratch buffer.
      doneRef <- newIORef start
      let -- Take over what was written up to p, wherever that is.
          settle p =
            readIORef scratchRef >>= \scratch -> case scratch of
              Nothing -> pure p
              Just buffer -> do
                done <- readIORef doneRef
                let n = p `minusPtr` bufferStart buffer
                    room = end `minusPtr` done
                copyRange done (bufferStart buffer) (min n room)
                when (n > room) $ throwIO (BufferOverflow room n)
                writeIORef scratchRef Nothing
                pure (done `plusPtr` n)
          sink = Sink $ \request p -> do
            done <- settle p
            let room = end `minusPtr` done
            case request of
              Flush -> pure (Space done end)
              More n _
                | n <= room -> pure (Space done end)
                | otherwise -> do
                    buffer <- allocate n
                    writeIORef doneRef done
                    writeIORef scratchRef (Just buffer)
                    pure (spaceFrom buffer 0)
              Insert bs -> do
                let n = S.length bs
                -- At most room bytes.
                withBytesQuick bs (\src _ -> copyRange done src (min n room))
                when (n > room) $ throwIO (BufferOverflow room n)
                pure (Space (done `plusPtr` n) end)
      keepAlive scratchRef $ do
        p <- runBuilderWith sink (Space start end) b
        (`minusPtr` start) <$> settle p
  where
    end = start `plusPtr` size

-- | A builder had more bytes than the memory it was given.
--
-- @since 0.1.0.0
data BufferOverflow = BufferOverflow
  { -- | Bytes that were left at that moment.
    overflowRoom :: !Int,
    -- | Bytes that were to be written next.
    overflowNeeded :: !Int
  }
  deriving stock (Eq, Show)

instance Exception BufferOverflow where
  displayException (BufferOverflow room needed) =
    "Ashlar.Builder: buffer overflow: " ++ show needed ++ " bytes to write, room for " ++ show room
