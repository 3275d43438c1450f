{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Wai.Internal.Response
-- Description : Response bodies made by builders
module Ashlar.Wai.Internal.Response
  ( -- * Bodies of unknown length
    streamBuilder,
    streamParts,
    FlushPolicy (..),
    BodyBroken (..),
    BodyEnded (..),

    -- * Bodies of known length
    responseStrict,
    responseEncoded,
    WrongBodyLength (..),
  )
where

import Ashlar.Builder (Builder, toStrictByteString)
import Ashlar.Builder.Buffer
import Ashlar.Builder.Sink
import Ashlar.Codec (Codec, encodedSize, put)
import Ashlar.Http.Body (WrongBodyLength (..))
import Control.Concurrent
import Control.Exception
import Control.Monad (forever, unless, void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B (byteStringInsert)
import qualified Data.ByteString.Char8 as S8
import Data.IORef
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import Network.HTTP.Types
  ( ResponseHeaders,
    Status,
    hContentLength,
    statusCode,
  )
import Network.HTTP.Types.Header (hTransferEncoding)
import Network.Wai (Response, StreamingBody, responseBuilder, responseStream)

-- | When the parts of a body are sent to the client.
--
-- Whatever the policy, a buffer that is full is handed to the server at once, and
-- 'Ashlar.Builder.Extra.flush' within a part sends what comes before it. So does an inserted
-- ByteString, which is sent at once.
data FlushPolicy
  = -- | When a buffer is full, and at the end.
    FlushNever
  | -- | At the end of each part. This is for events that are rare. An empty part sends the headers.
    FlushEachPart
  | -- | At most this number of microseconds after a part has been written. Parts that follow one
    -- another quickly are sent together. While the body runs, a thread waits for the time.
    FlushAfter !Int
  deriving stock (Eq, Show)

-- | A part was written after the end of its body, by a thread that had been left running.
data BodyEnded = BodyEnded
  deriving stock (Eq, Show)

instance Exception BodyEnded where
  displayException BodyEnded = "Ashlar.Wai: a part was written after the end of the body"

-- | A write to the server was interrupted, so the body is incomplete.
data BodyBroken = BodyBroken
  deriving stock (Eq, Show)

instance Exception BodyBroken where
  displayException BodyBroken = "Ashlar.Wai: a write was interrupted, so the body is incomplete"

-- | A body from a builder, in constant memory. It is sent in chunks of 2 KiB and, if it is long, of
-- 64 KiB, which are not copied again. 'Ashlar.Builder.Extra.flush' sends what comes before it.
--
-- An exception of a value in the builder goes to the server, which closes the connection. So the
-- client sees that the body is incomplete.
streamBuilder :: Builder -> StreamingBody
streamBuilder b = streamParts FlushNever (\write -> write b)

-- | A body from parts that come over time, such as events. All parts are written through one
-- buffer.
--
-- The function that writes a part returns when the part is in the buffer or, if the policy says so,
-- has been sent. It waits for a slow client. Several threads may write, and their parts do not mix.
-- After the end of the body, it throws 'BodyEnded'. If the body ends by an exception, it must have
-- ended its own threads: one may still be in the server's function that writes.
--
-- If the client is gone, the server's exception is thrown where the next part is written, and at
-- the end of the body. If what waits for the client is interrupted, as by 'System.Timeout.timeout',
-- bytes are lost, and 'BodyBroken' is thrown at these places. So the server never ends a body as if
-- it were whole. If a value in a part throws, the body can go on without that part, unless some of
-- its bytes have been sent. Then its exception is thrown at these places, too.
streamParts ::
  FlushPolicy ->
  -- | The body, given the function that writes a part.
  ((Builder -> IO ()) -> IO ()) ->
  StreamingBody
streamParts policy body write = streaming policy body (\form bs -> write (form bs))

-- How a chunk goes to the server.
type Form = ByteString -> B.Builder

-- A short chunk is copied to the server's buffer, where it is sent together with others. A long one
-- is sent from where it is.
chunk :: Form
chunk bs
  | S.length bs <= 4096 = B.byteString bs
  | otherwise = B.byteStringInsert bs

streaming ::
  FlushPolicy ->
  ((Builder -> IO ()) -> IO ()) ->
  -- | Send a chunk.
  (Form -> ByteString -> IO ()) ->
  -- | Flush what has been sent.
  IO () ->
  IO ()
streaming policy body send flush = do
  ref <- newIORef nothingPending
  -- Held while a part is written; while anything goes to the server, or the buffer is exchanged. A
  -- value in a part may take any time, and the parts before it do not wait for that.
  lock <- newMVar ()
  serving <- newMVar ()
  ended <- newIORef False
  failed <- newIORef Nothing
  let server = withMVar serving . const
      -- The body knows of a failure before anything else is sent, and before it ends.
      serverKeeping act = server (act `catch` \e -> keep e >> throwIO e)
      flushPending = serverKeeping (flushAll ref send flush)
      locked act = withMVar lock (\() -> readIORef ended >>= act)
      check = readIORef failed >>= mapM_ throwIO
      -- What was to be sent has left its buffer, so after an exception the body cannot go on. Nor
      -- can it after a part that was sent to its middle.
      keep e = writeIORef failed . Just $ case fromException e of
        Just (SomeAsyncException _) -> toException BodyBroken
        Nothing -> e
      -- After this, nothing flushes at the same time, and a thread that does so may be killed.
      finish = locked (\_ -> server (check >> handOutAll ref send >> writeIORef ended True))
      run after = (body write >> finish) `onException` writeIORef ended True
        where
          write b = locked $ \late -> do
            when late (throwIO BodyEnded)
            check
            append serving keep ref send flush b
            after
  case policy of
    FlushNever -> run (pure ())
    FlushEachPart -> run flushPending
    FlushAfter time -> do
      due <- newEmptyMVar
      -- (The program may wait for itself, and go on when GHC has told it so. Then GHC tells this
      -- thread, too.)
      let wait = takeMVar due `catch` \BlockedIndefinitelyOnMVar -> wait
          -- Parts up to here are sent, whether they are due or not.
          flushDue = bracket (tryTakeMVar lock) (mapM_ (putMVar lock)) $ \idle -> serverKeeping $ do
            late <- readIORef ended
            unless late $ do
              _ <- tryTakeMVar due
              -- The buffer of a part that is being written stays.
              if null idle then handOutAll ref send >> flush else flushAll ref send flush
          flusher = forever (wait >> threadDelay time >> flushDue)
      bracket
        (forkIOWithUnmask (\unmask -> unmask flusher `catch` keep))
        killThread
        (\_ -> run (void (tryPutMVar due ())))

-- The open buffer, and the address up to which it has been written.
data Pending = Pending !Open !(Ptr Word8)

-- Run a builder in the rest of the open buffer. Should it throw, the bytes that it has written
-- there are dropped.
append ::
  -- | Held while the variable is changed, or anything is sent.
  MVar () ->
  -- | Called if it throws when a part of it may have been sent.
  (SomeException -> IO ()) ->
  IORef Pending ->
  (Form -> ByteString -> IO ()) ->
  IO () ->
  Builder ->
  IO ()
append serving broken ref send flush b = keepAlive ref $ do
  Pending open from <- readIORef ref
  begun <- newIORef False
  writing begun open from `catch` \e -> do
    readIORef begun >>= \partly -> when partly (broken e)
    throwIO e
  where
    writing begun open from = do
      end <- runBuilderWith (sink begun) (restFrom open from) b
      withMVar serving (\() -> modifyIORef' ref (\(Pending now _) -> Pending now end))
    sink begun = Sink $ \request p -> withMVar serving $ \() -> do
      Pending open from <- readIORef ref
      writeIORef ref (Pending open p)
      when (p /= from) (writeIORef begun True)
      case request of
        More n _ -> do
          handOutAll ref send
          new <- newOpen (max n (sizeAfter open p))
          writeIORef ref (Pending new (openFrom new))
        -- What comes next may wait for an answer to it, so it does not wait in a buffer either.
        Insert bs -> do
          writeIORef begun True
          handOutAll ref send
          send B.byteStringInsert bs
        Flush -> flushAll ref send flush
        `onException` writeIORef begun True
      (\(Pending now at) -> restFrom now at) <$> readIORef ref

-- Buffers are small until a chunk has filled most of one. So a stream of events, of which there may
-- be thousands at once, holds little memory, and a long body is sent in large chunks.
sizeAfter :: Open -> Ptr Word8 -> Int
sizeAfter open p
  | 2 * (p `minusPtr` openFrom open) > openSize open = largeSize
  | otherwise = smallSize

smallSize, largeSize :: Int
smallSize = 2048
largeSize = 65536

-- Send what has been written. The rest of the buffer stays in use.
handOutAll :: IORef Pending -> (Form -> ByteString -> IO ()) -> IO ()
handOutAll ref send = do
  Pending open p <- readIORef ref
  -- Before the action runs: should it throw, nothing is sent twice.
  writeIORef ref (Pending (handedOut open p) p)
  when (p /= openFrom open) $ send chunk (written open p)

-- The same, and flush. The stream may be idle after this, and keeps no large buffer.
flushAll :: IORef Pending -> (Form -> ByteString -> IO ()) -> IO () -> IO ()
flushAll ref send flush = do
  handOutAll ref send
  Pending open _ <- readIORef ref
  when (openSize open > smallSize) $ writeIORef ref nothingPending
  flush

nothingPending :: Pending
nothingPending = Pending noBuffer nullPtr

-- Note [Which lengths are announced]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- RFC 9110 (6.4.1, 8.6, 15.3.6, 15.4.5) and RFC 9112 (6.1, 6.3) say by the status whether a
-- response has content, and which length it may announce:
--
--   1xx, 204: no content, and neither a Content-Length nor a Transfer-Encoding.
--   205: no content. Its end must still be found, so the length is 0.
--   304: no content. The length, if there is one, is that of the content that a 200 would have had.
--     The body that an application gives to a 304 is hardly that, so only a length that it states
--     itself is sent.
--   All others have content, also that of no bytes.
--
-- To HEAD the same headers are sent as to GET, with the length of the content that GET would get.
-- Servers leave the body out themselves, and so they do with a 204 and a 304. That is too late for
-- the length.
--
-- What follows a 2xx answer to CONNECT is not content but a tunnel, which WAI makes by
-- 'Network.Wai.responseRaw'. These functions do not know the method.

-- | A response that is built in memory, with its @Content-Length@. The body is built when the
-- response is evaluated. So if a value throws, nothing is sent, and with
-- @'evaluate' (responseStrict status headers b) >>= respond@ the server answers with an error.
--
-- Responses of 1xx, 204, 205 and 304 have no content. With these, the body is not built, and no
-- length is announced, but for the 0 of a 205. A 304 keeps the @Content-Length@ that the headers
-- have, which must be that of the content of a 200.
--
-- To HEAD it announces the length that it has to GET. It is not for a 2xx answer to CONNECT, which
-- has no content: use 'Network.Wai.responseRaw'.
responseStrict ::
  Status ->
  -- | A @Content-Length@ among them is replaced.
  ResponseHeaders ->
  -- | The body.
  Builder ->
  Response
responseStrict status headers b
  | hasContent status = ofBytes status headers (toStrictByteString b)
  | otherwise = withoutContent status headers

ofBytes :: Status -> ResponseHeaders -> ByteString -> Response
ofBytes status headers bs =
  bs `seq` responseBuilder status (withLength (S.length bs) headers) (chunk bs)

-- | A response whose body is the encoding of a value, with its @Content-Length@. Up to 64 KiB are
-- built in memory, as by 'responseStrict'. A longer body is streamed, in constant memory. If the
-- status allows no content, the value is not encoded, as there.
--
-- If an instance is wrong about the size, no byte is sent beyond it, and 'WrongBodyLength' ends the
-- response. Up to 64 KiB it is thrown when the response is evaluated, and nothing is sent.
responseEncoded ::
  Codec a =>
  Status ->
  -- | A @Content-Length@ among them is replaced.
  ResponseHeaders ->
  -- | The value of the body.
  a ->
  Response
responseEncoded status headers a
  | not (hasContent status) = withoutContent status headers
  | n >= 0 && n <= largeSize =
    if len == n then ofBytes status headers bs else throw (wrongLength n len)
  | otherwise = responseStream status (withLength n headers) (exactly n (put a))
  where
    n = encodedSize a
    bs = toStrictByteString (put a)
    len = S.length bs

-- See Note [Which lengths are announced].
hasContent :: Status -> Bool
hasContent status = code >= 200 && code `notElem` [204, 205, 304]
  where
    code = statusCode status

withoutContent :: Status -> ResponseHeaders -> Response
withoutContent status headers = responseBuilder status allowed mempty
  where
    allowed = case statusCode status of
      205 -> withLength 0 headers
      304 -> headers
      _ -> filter ((`notElem` [hContentLength, hTransferEncoding]) . fst) headers

withLength :: Int -> ResponseHeaders -> ResponseHeaders
withLength n headers =
  (hContentLength, S8.pack (show n)) : filter ((/= hContentLength) . fst) headers

-- A body of the given length.
exactly :: Int -> Builder -> StreamingBody
exactly n b write flush = do
  sent <- newIORef 0
  let send form bs = do
        before <- readIORef sent
        let now = before + S.length bs
        when (now > n) $ throwIO (wrongLength n now)
        writeIORef sent now
        write (form bs)
  streaming FlushNever (\part -> part b) send flush
  total <- readIORef sent
  when (total /= n) $ throwIO (wrongLength n total)

-- The length that was announced, and that of what was built.
wrongLength :: Int -> Int -> WrongBodyLength
wrongLength n built = WrongBodyLength (fromIntegral n) (fromIntegral built)
