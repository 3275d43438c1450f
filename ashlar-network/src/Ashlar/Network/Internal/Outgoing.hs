-- |
-- Module      : Ashlar.Network.Internal.Outgoing
-- Description : Messages that leave in batches
--
-- A message is written into a buffer. The buffer is sent when it is full, on request, and by a
-- thread that waits until no more messages are added. A message that does not fit into a buffer is
-- sent as its builder runs.
module Ashlar.Network.Internal.Outgoing
  ( Outgoing,
    newOutgoing,
    sendFrame,
    sendEnd,
    finish,
    sendBytes,
    flushOutgoing,
    flusher,
  )
where

import Ashlar.Builder (BufferOverflow (..), Builder, pokeBuilder, toStrictByteString, word32LE)
import Ashlar.File.Crc32c (crc32cAfter)
import Ashlar.File.Internal.Crc32c (Method (..), crc32cOf)
import Ashlar.Internal.Builder.Buffer
import Ashlar.Internal.Mem (copyRange, keepAlive, pokeLE, withBytes)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Gather
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
import Control.Concurrent (yield)
import Control.Concurrent.MVar
import Control.Exception (catch, evaluate, fromException, mask, onException, throwIO, try)
import Control.Monad (forever, unless, void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Data.Word (Word32, Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | The messages that have not been sent yet.
data Outgoing = Outgoing
  { outLink :: !Link,
    -- | Held while bytes are written or sent.
    outLock :: !(MVar ()),
    outBuffer :: !(IORef Filling),
    -- | Full if there may be something to send.
    outSignal :: !(MVar ()),
    -- | Whether the end has been sent.
    outEnded :: !(IORef Bool),
    -- | Whether messages have been lost.
    outLost :: !(IORef Bool)
  }

-- A buffer, and the address up to which it is written.
data Filling = Filling !Open !(Ptr Word8)

newOutgoing :: Link -> IO Outgoing
newOutgoing link = do
  open <- newOpen bufferSize
  Outgoing link
    <$> newMVar ()
    <*> newIORef (Filling open (openFrom open))
    <*> newEmptyMVar
    <*> newIORef False
    <*> newIORef False

bufferSize :: Int
bufferSize = 32768

-- | Add a message: its length, its bytes and, if the options say so, their checksum.
--
-- It is written into the rest of the buffer, and its length afterwards. The size is computed only
-- if it does not fit there. If a value in the builder throws, nothing is sent, unless the message
-- is too large for any buffer. Then the connection fails.
sendFrame ::
  Outgoing ->
  -- | The number of bytes: less than 2^31.
  IO Int ->
  -- | The message.
  Builder ->
  IO ()
sendFrame out sized body = mask $ \unmask -> do
  takeMVar (outLock out)
  outcome <- try (add unmask)
  case outcome of
    Right () -> pure ()
    Left e -> case fromException e of
      Just (BufferOverflow _ _) -> larger unmask `onException` putMVar (outLock out) ()
      Nothing -> putMVar (outLock out) () >> throwIO e
  putMVar (outLock out) ()
  where
    checksums = optionsChecksums (linkOptions (outLink out))
    add :: (IO Int -> IO Int) -> IO ()
    add unmask = do
      usable (outLink out)
      ended <- readIORef (outEnded out)
      when ended (throwIO AfterEnd)
      Filling open p <- readIORef (outBuffer out)
      let free = freeAfter open p - overhead
      when (free < 0) (throwIO (BufferOverflow free 0))
      keepAlive open $ do
        n <- unmask (pokeBuilder (p `plusPtr` 4) free body)
        pokeLE p (fromIntegral n :: Word32)
        let end = p `plusPtr` (n + 4)
        -- The checksum covers the length, too.
        when checksums $ crc32cOf Fastest 0 p (n + 4) >>= pokeLE end
        added out (if checksums then end `plusPtr` 4 else end)
    larger :: (IO Int -> IO Int) -> IO ()
    larger unmask = do
      n <- unmask sized
      if n + overhead > bufferSize
        then sendLarge out unmask n body
        else do
          _ <- freeFor out (n + overhead)
          add unmask `catch` \(BufferOverflow _ _) -> throwIO WrongSize
{-# INLINE sendFrame #-}

-- The length and the checksum.
overhead :: Int
overhead = 8

-- | Say that no more messages follow, and send all of them.
sendEnd :: Outgoing -> IO ()
sendEnd out = mask $ \_ -> locked out $ do
  ended <- readIORef (outEnded out)
  unless ended $ do
    p <- freeFor out 4
    pokeLE p (maxBound :: Word32)
    added out (p `plusPtr` 4)
    writeIORef (outEnded out) True
  sendBuffer out

-- | Send all messages and the end. If the connection has failed, this throws why only if messages
-- have been lost: whoever received has been told already.
finish :: Outgoing -> IO ()
finish out = do
  end <- readIORef (linkEnd (outLink out))
  case end of
    Nothing -> do
      flushOutgoing out
      -- A peer that has all it wants may be gone.
      sendEnd out `catch` gone
    Just e -> do
      Filling open p <- readIORef (outBuffer out)
      lost <- readIORef (outLost out)
      when (lost || p /= openFrom open) (throwIO e)
  where
    gone :: ConnectionError -> IO ()
    gone _ = pure ()

-- | Add bytes as they are. (For the handshake.) They are evaluated first, so the time for the
-- handshake covers that.
sendBytes :: Outgoing -> ByteString -> IO ()
sendBytes out bytes =
  evaluate bytes >>= \bs -> mask $ \_ -> locked out $ do
    let n = S.length bs
    p <- freeFor out n
    withBytes bs (copyRange p)
    added out (p `plusPtr` n)

-- | Send what was added before.
flushOutgoing :: Outgoing -> IO ()
flushOutgoing out = mask $ \_ -> locked out (sendBuffer out)

-- | Send whatever is added, as soon as nothing more is added for the moment. It runs in a thread of
-- its own, and ends when the connection has failed.
flusher :: Outgoing -> IO ()
flusher out = forever $ do
  takeMVar (outSignal out)
  settle rounds
  flushOutgoing out
  where
    settle 0 = pure ()
    settle k = do
      before <- readIORef (outBuffer out)
      yield
      after <- readIORef (outBuffer out)
      unless (same before after) (settle (k - 1 :: Int))
    same (Filling _ p) (Filling _ q) = p == q
    -- A sender that never stops fills buffers, and sends them itself.
    rounds = 16

locked :: Outgoing -> IO a -> IO a
locked out act = do
  takeMVar (outLock out)
  a <- (usable (outLink out) >> act) `onException` putMVar (outLock out) ()
  putMVar (outLock out) ()
  pure a

-- The address of n free bytes. What is in the buffer may be sent.
freeFor :: Outgoing -> Int -> IO (Ptr Word8)
freeFor out n = do
  Filling open p <- readIORef (outBuffer out)
  if n <= freeAfter open p
    then pure p
    else do
      sendBuffer out
      new <- newOpen (max n bufferSize)
      writeIORef (outBuffer out) (Filling new (openFrom new))
      pure (openFrom new)

freeAfter :: Open -> Ptr Word8 -> Int
freeAfter open p = openSize open - (p `minusPtr` unsafeForeignPtrToPtr (openBuffer open))

-- The buffer has been written up to this address.
added :: Outgoing -> Ptr Word8 -> IO ()
added out end = do
  Filling open before <- readIORef (outBuffer out)
  writeIORef (outBuffer out) (Filling open end)
  when (before == openFrom open) (void (tryPutMVar (outSignal out) ()))

-- Send the bytes in the buffer. The rest of it stays in use.
sendBuffer :: Outgoing -> IO ()
sendBuffer out = do
  Filling open p <- readIORef (outBuffer out)
  when (p /= openFrom open) $ do
    writeIORef (outBuffer out) (Filling (handedOut open p) p)
    deliver out [written open p]

-- Send. If that throws, some of it may have left, so the connection fails.
deliver :: Outgoing -> [ByteString] -> IO ()
deliver out chunks = do
  outcome <-
    try . timed link (optionsSendTime (linkOptions link)) Sending $
      transportSend (linkTransport link) chunks
  either (\e -> writeIORef (outLost out) True >> failFor link e) pure outcome
  where
    link = outLink out

-- A message that does not fit into a buffer, as its builder makes it.
sendLarge :: Outgoing -> (IO Int -> IO Int) -> Int -> Builder -> IO ()
sendLarge out unmask n body = do
  sendBuffer out
  sumRef <- newIORef 0
  sentRef <- newIORef (0 :: Int)
  let pass chunks = do
        sent <- readIORef sentRef
        let sent' = sent + sum (map S.length chunks)
        when (sent' > n + 4) (throwIO WrongSize)
        writeIORef sentRef sent'
        when checksums $ do
          before <- readIORef sumRef
          writeIORef sumRef $! List.foldl' crc32cAfter before chunks
        deliver out chunks
  outcome <- try (unmask (gather Kept pass (word32LE (fromIntegral n) <> body)))
  case outcome of
    Left e -> do
      sent <- readIORef sentRef
      when (sent > 0) (void (endWith link (asConnectionError e)))
      throwIO e
    Right m -> when (m /= n + 4) (failWith link WrongSize)
  when checksums $ do
    sum' <- readIORef sumRef
    deliver out [toStrictByteString (word32LE sum')]
  where
    link = outLink out
    checksums = optionsChecksums (linkOptions link)
