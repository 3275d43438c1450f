{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Zlib.Internal.Compress
-- Description : A builder's bytes, compressed
--
-- The bytes of a builder go through a buffer of their own into zlib, and what zlib returns goes on.
-- streaming-commons runs zlib, because it can flush.
module Ashlar.Zlib.Internal.Compress
  ( compressed,
    compress,
    Compressor,
    withCompressor,
    write,
    flush,
    CompressorClosed (..),
  )
where

import Ashlar.Builder (Builder, byteString, toLazyByteString)
import Ashlar.Builder.Buffer
import qualified Ashlar.Builder.Extra as Extra
import Ashlar.Builder.Sink
import Ashlar.Builder.Unsafe (fromWriter)
import Ashlar.Zlib.Internal.Format
import Control.Concurrent (forkIO)
import Control.Concurrent.MVar (MVar, newMVar, putMVar, swapMVar, takeMVar)
import Control.Exception
  ( Exception (..),
    SomeAsyncException,
    SomeException,
    catch,
    mask,
    onException,
    throwIO,
    try,
  )
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Streaming.Zlib
  ( Deflate,
    Popper,
    PopperRes (..),
    WindowBits (..),
    feedDeflate,
    finishDeflate,
    flushDeflate,
    initDeflate,
  )

-- | The bytes of a builder, compressed, as a builder again. So they go to any sink, in constant
-- memory: some 300 KiB. zlib has 260 KiB of these outside of the heap. They are freed when the
-- garbage collector finds that the stream has ended or was given up.
--
-- A 'Ashlar.Builder.Extra.flush' in the builder flushes the compressor, and then the sink. All
-- bytes before it can be decompressed from what has left. Each flush takes some bytes, and makes
-- what follows compress worse. Nothing else hands bytes over before the compressor has enough of
-- them: an inserted ByteString is compressed together with what stands around it.
--
-- If a value in the builder throws, all bytes before it are compressed and go to the sink, with the
-- exceptions that 'Ashlar.Builder.hPutBuilder' lists. The stream has no end then, so whoever
-- decompresses it knows that it is incomplete.
--
-- >>> import Ashlar.Zlib
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> let text = foldMap (\n -> intDec n <> "\n") [1 .. 1000]
-- >>> let header = "Content-Encoding: gzip\r\n\r\n"
-- >>> L.length (toLazyByteString (header <> compressed gzip text)) < 2000
-- True
compressed :: Params -> Builder -> Builder
compressed params b = fromWriter $ \write' -> do
  stream <- newStream params (write' . byteString)
  pour stream (write' Extra.flush) b
  finish stream

-- | 'compressed' as a lazy ByteString, which is made as it is consumed. A value that throws does so
-- after the bytes before it, as in 'compressed'.
compress :: Params -> Builder -> L.ByteString
compress params = toLazyByteString . compressed params

-- | A compressed stream that is written builder by builder.
--
-- Threads may share it, and wait for one another. So a value in a builder must not use the stream
-- that the builder is written to.
newtype Compressor = Compressor (MVar State)

data State = Ready !Stream | Broken SomeException | Closed

-- | A 'Compressor' was used after its 'withCompressor' had ended.
data CompressorClosed = CompressorClosed
  deriving stock (Eq, Show)

instance Exception CompressorClosed where
  displayException CompressorClosed =
    "Ashlar.Zlib: the compressor was used after its end"

-- | Compress to an action that takes the chunks. It gets the end of the stream when the inner
-- action has returned.
--
-- If the inner action or a value in a builder throws, the chunks end after all that was written
-- before, and the stream has no end. So whoever decompresses it knows that it is incomplete. If the
-- thread is interrupted or the consumer throws, the consumer is not called again. The exception is
-- thrown again in each case.
--
-- >>> import Ashlar.Zlib
-- >>> let chunk _ = putStrLn "a chunk"
-- >>> withCompressor gzip chunk (\c -> write c "brick" >> flush c >> write c "mortar")
-- a chunk
-- a chunk
withCompressor ::
  Params ->
  -- | The consumer: takes each chunk, which is not empty. It may keep it.
  (ByteString -> IO ()) ->
  (Compressor -> IO a) ->
  IO a
withCompressor params consume act = mask $ \unmask -> do
  state <- newStream params consume >>= newMVar . Ready
  -- A thread that still writes may be waited for. Whoever interrupts that closes the stream later.
  let closing = swapping `onException` forkIO (() <$ swapping)
      swapping = swapMVar state Closed
      end broken whole = do
        last' <- closing
        case last' of
          Ready stream -> unmask (whole stream)
          Broken e -> broken e
          Closed -> pure ()
      failed e = do
        unless (isAsync e) (end (\_ -> pure ()) flushStream `catch` ignored)
        _ <- closing
        throwIO (e :: SomeException)
  a <- unmask (act (Compressor state)) `catch` failed
  a <$ end throwIO finish
  where
    -- Who interrupts the last flush waits until this thread knows of it.
    ignored e = when (isAsync e) (throwIO e)

isAsync :: SomeException -> Bool
isAsync e = case fromException e :: Maybe SomeAsyncException of
  Just _ -> True
  Nothing -> False

-- | Write a builder. Nothing need reach the consumer before the stream is flushed or ends, not even
-- an inserted ByteString. A 'Ashlar.Builder.Extra.flush' in the builder flushes the stream.
--
-- If this throws, the stream is broken: every later use throws the same exception, and so does
-- 'withCompressor', unless its action throws another one. After the end of 'withCompressor', this
-- throws 'CompressorClosed'.
write :: Compressor -> Builder -> IO ()
write compressor b = using compressor (\stream -> pour stream (pure ()) b)

-- | Hand over all that was written before. Then it can be decompressed from what the consumer has
-- got. Each flush takes some bytes, and makes what follows compress worse.
--
-- Throws what 'write' throws.
flush :: Compressor -> IO ()
flush compressor = using compressor flushStream

-- (Not by 'modifyMVar_': if a second exception struck while the first is handled, it would put back
-- the state from before.)
using :: Compressor -> (Stream -> IO ()) -> IO ()
using (Compressor state) act = mask $ \unmask -> do
  now <- takeMVar state
  outcome <- case now of
    Ready stream -> try (unmask (act stream))
    Broken e -> pure (Left e)
    Closed -> pure (Left (toException CompressorClosed))
  putMVar state $ case (now, outcome) of
    (Ready _, Left e) -> Broken e
    _ -> now
  either throwIO pure outcome

-- A running compression, the consumer, and whether the consumer can be called. It cannot while it
-- runs or after it has thrown. Then the memory that zlib was given may be gone, too.
data Stream = Stream !Deflate (ByteString -> IO ()) !(IORef Bool)

newStream :: Params -> (ByteString -> IO ()) -> IO Stream
newStream (Params format level) consume = do
  deflate <- initDeflate (max 0 (min 9 level)) (WindowBits bits)
  Stream deflate consume <$> newIORef True
  where
    bits = case format of
      Gzip -> 31
      Zlib -> 15
      Raw -> -15

-- Hand over what zlib returns, until it returns no more.
pop :: Stream -> Popper -> IO ()
pop stream@(Stream _ consume usable) popper = do
  outcome <- popper
  case outcome of
    PRDone -> pure ()
    PRNext bs -> do
      unless (S.null bs) $ do
        writeIORef usable False
        consume bs
        writeIORef usable True
      pop stream popper
    PRError e -> throwIO e

feed :: Stream -> ByteString -> IO ()
feed stream@(Stream deflate _ _) bs
  | S.null bs = pure ()
  | otherwise = do
    -- Each call of zlib keeps the garbage collector of other threads waiting.
    feedDeflate deflate (S.take most bs) >>= pop stream
    feed stream (S.drop most bs)
  where
    most = 65536

flushStream, finish :: Stream -> IO ()
flushStream stream@(Stream deflate _ _) = pop stream (flushDeflate deflate)
finish stream@(Stream deflate _ _) = pop stream (finishDeflate deflate)

-- Run a builder into the stream. It is suspended while the consumer runs, which may be lazy output.
pour ::
  Stream ->
  -- | What a flush in the builder does besides.
  IO () ->
  Builder ->
  IO ()
pour stream@(Stream _ _ usable) flushed b = do
  first <- newOpen bufferSize
  ref <- newIORef first
  let deliver p = do
        open <- readIORef ref
        -- Before it is fed: should the consumer throw, nothing is fed twice.
        writeIORef ref $! handedOut open p
        feed stream (written open p)
      sink = Sink $ \request p -> do
        deliver p
        case request of
          Flush -> flushStream stream >> flushed
          Insert bs -> feed stream bs
          More n _ -> do
            old <- readIORef ref
            when (n > openSize old) $ newOpen n >>= writeIORef ref
        -- What was fed has been consumed, so all of the buffer is free again.
        modifyIORef' ref emptied
        wholeSpace <$> readIORef ref
      save p = do
        able <- readIORef usable
        when able (deliver p >> flushStream stream >> flushed)
  keepAlive ref (runBuilderSuspending save sink (wholeSpace first) b >>= deliver)
  where
    bufferSize = 32768
