{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Network.Internal.Outgoing
-- Description : Messages that leave in batches
--
-- A message is written into a buffer. The buffer is sent when it is full, on request, and by a
-- thread that waits until no more messages are added. A message that does not fit into a buffer is
-- sent as its builder runs.
--
-- Note [Messages in place]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- The builder of a message writes where the message is sent from, after space for its length. The
-- first free address moves only when all of it is there. So a value that throws leaves nothing, and
-- an interruption neither. If the buffer is too small, the messages before this one are sent, and
-- what it has moves to a new buffer.
--
-- The sink is made once. One for each message, as 'Ashlar.Builder.pokeBuilder' makes it, allocated
-- 200 bytes more, and a builder ran again where a buffer ended. The parts of 'sendFrame' are not
-- inlined, or the compiler would copy the fields of 'Outgoing' into each of its closures. (Test
-- "the bytes are those of the messages, wherever a buffer ends", benchmark "100000 messages over a
-- Unix socket".)
--
-- Note [A message that takes long]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A value may take any time while its message is written, and the messages before it must not wait
-- for that. So there are two locks. Whoever writes a message holds 'outLock', and whoever sends, or
-- exchanges the buffer, holds 'outSending', too. If the flusher finds the first lock taken, it
-- takes the second alone, and sends up to where the message begins. The slot 'readySlot' says where
-- that is. It is written after the lock was taken, so all bytes before it are in memory, on any
-- processor.
--
-- Then the flusher waits until the lock is given back. 'outWanted' asks for a signal there. It is
-- set before the flusher tries the lock, and read after the lock was given back. So the signal is
-- not missed. (Test "a message does not wait for the value of the next one".)
--
-- Also tried: one slot, written by an atomic operation, so that the flusher never needs the first
-- lock. A message took a seventh longer.
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

import Ashlar.Builder (Builder, toStrictByteString, word32LE)
import Ashlar.Builder.Buffer
import qualified Ashlar.Builder.Prim as P
import Ashlar.Builder.Prim.Unsafe (runF)
import Ashlar.Builder.Sink
import Ashlar.File.Crc32c (crc32cAfter)
import Ashlar.File.Internal.Crc32c (Method (..), crc32cOf)
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Gather
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
import Control.Concurrent (yield)
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (forM_, forever, unless, void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import Data.Primitive.ByteArray
  ( MutableByteArray,
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word8)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr, minusPtr, nullPtr, plusPtr)
import Foreign.Storable (sizeOf)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Exts (RealWorld)
import System.Timeout (timeout)

-- | The messages that have not been sent yet.
--
-- They are in the buffer, after what has been sent, and free space follows. The slots have its
-- first address and the one after its end.
data Outgoing = Outgoing
  { outLink :: !Link,
    -- | Held while a message is written.
    outLock :: !(MVar ()),
    -- | Held while bytes are sent, and while the buffer is exchanged.
    outSending :: !(MVar ()),
    outBuffer :: !(IORef Open),
    outSlots :: !(MutableByteArray RealWorld),
    -- | Asked by the builder of a message for more space.
    outSink :: Sink,
    -- | Full if there may be something to send.
    outSignal :: !(MVar ()),
    -- | Is the signal to be given at the end of the next message, whatever waits before it?
    outWanted :: !(IORef Bool),
    -- | Whether the end has been sent.
    outEnded :: !(IORef Bool),
    -- | Whether messages have been lost.
    outLost :: !(IORef Bool)
  }

newOutgoing :: Link -> IO Outgoing
newOutgoing link = do
  lock <- newMVar ()
  lock' <- newMVar ()
  buffer <- newIORef noBuffer
  slots <- newByteArray (3 * sizeOf nullPtr)
  signal <- newEmptyMVar
  wanted <- newIORef False
  ended <- newIORef False
  lost <- newIORef False
  let out = Outgoing link lock lock' buffer slots (sinkOf out) signal wanted ended lost
  out <$ freshBuffer out bufferSize

bufferSize :: Int
bufferSize = 32768

-- The address of the first free byte, the one after the last, and the one at which the message that
-- is being written begins, or an earlier one.
nextSlot, endSlot, readySlot :: Int
nextSlot = 0
endSlot = 1
readySlot = 2

-- The address of the first free byte, where the next message begins.
getNext :: Outgoing -> IO (Ptr Word8)
getNext out = readByteArray (outSlots out) nextSlot
{-# INLINE getNext #-}

getEnd :: Outgoing -> IO (Ptr Word8)
getEnd out = readByteArray (outSlots out) endSlot
{-# INLINE getEnd #-}

-- Go on in a new buffer of n bytes. 'outSending' must be held.
freshBuffer :: Outgoing -> Int -> IO ()
freshBuffer out n = do
  open <- newOpen n
  writeIORef (outBuffer out) open
  writeByteArray (outSlots out) nextSlot (openFrom open)
  writeByteArray (outSlots out) readySlot (openFrom open)
  writeByteArray (outSlots out) endSlot (openFrom open `plusPtr` n :: Ptr Word8)

-- | Add a message: its length, its bytes and, if the options say so, their checksum.
--
-- Its bytes are written after the messages that wait, and then its length before them. The size is
-- computed only if no buffer has the space that its builder asks for. If a value in the builder
-- throws, nothing is sent, unless the message is too large for any buffer. Then the connection
-- fails.
sendFrame ::
  Outgoing ->
  -- | The number of bytes: less than 2^31.
  IO Int ->
  -- | The message.
  Builder ->
  IO ()
sendFrame out sized body = mask $ \unmask -> do
  takeMVar (outLock out)
  next <- getNext out
  writeByteArray (outSlots out) readySlot next
  end <- unmask (writeMessage out body) `catch` notWritten out unmask sized body
  unless (end == nullPtr) (endMessage out end)
  endWriting out

-- What happens in place of a message that could not be written. Returns null.
notWritten ::
  Outgoing -> (IO Int -> IO Int) -> IO Int -> Builder -> SomeException -> IO (Ptr Word8)
notWritten out unmask sized body e = do
  case fromException e of
    Just LargeMessage -> (unmask sized >>= sendLarge out unmask body) `onException` release
    Nothing -> release >> throwIO e
  pure nullPtr
  where
    release = endWriting out
{-# NOINLINE notWritten #-}

-- | No buffer has the space that the builder of a message asks for.
data LargeMessage = LargeMessage
  deriving stock (Show)

instance Exception LargeMessage

-- The length and the checksum.
lengthBytes, sumBytes :: Int
lengthBytes = 4
sumBytes = 4

-- Write the bytes of a message after space for its length, and return the address after the last:
-- Note [Messages in place]. (The handler of 'sendFrame' is on the stack, and keeps the buffer
-- alive.)
writeMessage :: Outgoing -> Builder -> IO (Ptr Word8)
writeMessage out body = do
  usable (outLink out)
  ended <- readIORef (outEnded out)
  when ended (throwIO AfterEnd)
  next <- getNext out
  end <- getEnd out
  let begin = next `plusPtr` lengthBytes
      stop = end `plusPtr` negate sumBytes
  space <- if begin <= stop then pure (FreeSpace begin stop) else spaceFor out begin 0
  runBuilderWith (outSink out) space body
{-# NOINLINE writeMessage #-}

-- Add what 'writeMessage' has written.
endMessage :: Outgoing -> Ptr Word8 -> IO ()
endMessage out end = do
  next <- getNext out
  let n = end `minusPtr` next
  runF P.word32LE (fromIntegral (n - lengthBytes)) next
  -- The checksum covers the length, too.
  when checksums $ crc32cOf Fastest 0 next n >>= \s -> runF P.word32LE s end
  -- This reads the variable that keeps the buffer alive.
  added out next (if checksums then end `plusPtr` sumBytes else end)
  where
    checksums = optionsChecksums (linkOptions (outLink out))
{-# NOINLINE endMessage #-}

-- What a builder of a message asks for.
sinkOf :: Outgoing -> Sink
sinkOf out = Sink $ \request p -> case request of
  More n _ -> spaceFor out p n
  Insert bs -> do
    space <- spaceFor out p (S.length bs)
    insertCopy space bs
  -- It leaves soon, as a whole.
  Flush -> spaceFor out p 0

-- Space for n bytes more of the message that has been written up to an address. If there is too
-- little, the messages before it are sent, and it moves to a new buffer.
spaceFor :: Outgoing -> Ptr Word8 -> Int -> IO FreeSpace
spaceFor out p n = mask_ $ do
  open <- readIORef (outBuffer out)
  next <- getNext out
  end <- getEnd out
  let body = next `plusPtr` lengthBytes
      begun = p `minusPtr` body
  if n <= (end `minusPtr` p) - sumBytes
    then pure (FreeSpace p (end `plusPtr` negate sumBytes))
    else do
      when (n > bufferSize - lengthBytes - sumBytes - begun) (throwIO LargeMessage)
      sending out (sendBuffer out >> freshBuffer out bufferSize)
      body' <- (`plusPtr` lengthBytes) <$> getNext out
      end' <- getEnd out
      -- Both buffers hold them.
      keepAlive open (copyBytes body' body begun)
      pure (FreeSpace (body' `plusPtr` begun) (end' `plusPtr` negate sumBytes))

-- | Say that no more messages follow, and send all of them.
sendEnd :: Outgoing -> IO ()
sendEnd out = mask_ . writing out $ do
  ended <- readIORef (outEnded out)
  unless ended $ do
    p <- freeFor out 4
    runF P.word32LE maxBound p
    added out p (p `plusPtr` 4)
    writeIORef (outEnded out) True
  sending out (sendBuffer out)

-- | Send all messages and the end. If the connection has failed, this throws why only if messages
-- have been lost: whoever received has been told already.
finish :: Outgoing -> IO ()
finish out = do
  end <- readIORef (linkEnd (outLink out))
  case end of
    Nothing -> do
      -- (Another thread may find meanwhile that it has failed.)
      flushOutgoing out `catch` unlessSent
      -- A peer that has all it wants may be gone.
      sendEnd out `catch` gone
    Just e -> unlessSent e
  where
    -- Bytes that are being sent have left the buffer. Whether they are lost is known after that,
    -- and a transport that is closed should end soon.
    unlessSent :: ConnectionError -> IO ()
    unlessSent e = do
      known <- timeout 1000000 . withMVar (outSending out) $ \() -> do
        open <- readIORef (outBuffer out)
        next <- getNext out
        lost <- readIORef (outLost out)
        pure (lost || next /= openFrom open)
      when (fromMaybe True known) (throwIO e)
    gone :: ConnectionError -> IO ()
    gone _ = pure ()

-- | Add bytes as they are. (For the handshake.) They are evaluated first, so the time for the
-- handshake covers that.
sendBytes :: Outgoing -> ByteString -> IO ()
sendBytes out bytes =
  evaluate bytes >>= \bs -> mask_ . writing out $ do
    let n = S.length bs
    p <- freeFor out n
    FreeSpace end _ <- insertCopy (FreeSpace p (p `plusPtr` n)) bs
    added out p end

-- | Send what was added before.
flushOutgoing :: Outgoing -> IO ()
flushOutgoing out = mask_ (writing out (sending out (sendBuffer out)))

-- | Send whatever is added, as soon as nothing more is added for the moment. It runs in a thread of
-- its own, and ends when the connection has failed.
flusher :: Outgoing -> IO ()
flusher out = forever (wait >> settle rounds >> mask_ sendAll)
  where
    -- (The program may wait for itself, and go on when GHC has told it so. Then GHC tells this
    -- thread, too.)
    wait = takeMVar (outSignal out) `catch` \BlockedIndefinitelyOnMVar -> wait
    -- See Note [A message that takes long].
    sendAll = do
      writeIORef (outWanted out) True
      free <- tryTakeMVar (outLock out)
      case free of
        Just () -> do
          writeIORef (outWanted out) False
          sending out (sendBuffer out) `finally` putMVar (outLock out) ()
        Nothing -> sending out (readByteArray (outSlots out) readySlot >>= sendUpTo out)
    settle 0 = pure ()
    settle k = do
      before <- getNext out
      begun <- getMonotonicTimeNSec
      yield
      now <- getMonotonicTimeNSec
      after <- getNext out
      -- While other threads compute, each of them has 20 ms.
      unless (before == after || now - begun > 1000000) (settle (k - 1 :: Int))
    -- A sender that never stops fills buffers, and sends them itself.
    rounds = 16

-- Give back 'outLock'.
endWriting :: Outgoing -> IO ()
endWriting out = do
  putMVar (outLock out) ()
  wanted <- readIORef (outWanted out)
  when wanted (signalled out)

signalled :: Outgoing -> IO ()
signalled out = void (tryPutMVar (outSignal out) ())
{-# NOINLINE signalled #-}

-- Hold one of the two locks. Exceptions must be masked.
writing, sending :: Outgoing -> IO a -> IO a
writing out act = do
  takeMVar (outLock out)
  (usable (outLink out) >> act) `finally` endWriting out
sending out act = do
  takeMVar (outSending out)
  (usable (outLink out) >> act) `finally` putMVar (outSending out) ()

-- The address of n free bytes. What is in the buffer may be sent.
freeFor :: Outgoing -> Int -> IO (Ptr Word8)
freeFor out n = do
  next <- getNext out
  end <- getEnd out
  if n <= end `minusPtr` next
    then pure next
    else do
      sending out (sendBuffer out >> freshBuffer out (max n bufferSize))
      getNext out

-- The buffer, which was written up to the first address, now is up to the second.
added :: Outgoing -> Ptr Word8 -> Ptr Word8 -> IO ()
added out before end = do
  open <- readIORef (outBuffer out)
  writeByteArray (outSlots out) nextSlot end
  when (before == openFrom open) (signalled out)

-- Send the bytes in the buffer. The rest of it stays in use. Both locks must be held.
sendBuffer :: Outgoing -> IO ()
sendBuffer out = getNext out >>= sendUpTo out

-- Send the bytes before an address, if there are any. 'outSending' must be held.
sendUpTo :: Outgoing -> Ptr Word8 -> IO ()
sendUpTo out end = do
  open <- readIORef (outBuffer out)
  when (end > openFrom open) $ do
    writeIORef (outBuffer out) $! handedOut open end
    deliver out [written open end]

-- Send. If that throws, some of it may have left, so the connection fails. The peer has its time
-- for each piece of at most 128 KiB.
deliver :: Outgoing -> [ByteString] -> IO ()
deliver out chunks = do
  outcome <-
    try . forM_ (pieces 131072 chunks) $
      timed link (optionsSendTime (linkOptions link)) Sending . transportSend (linkTransport link)
  either (\e -> writeIORef (outLost out) True >> failFor link e) pure outcome
  where
    link = outLink out

-- A message that does not fit into a buffer, as its builder makes it.
sendLarge :: Outgoing -> (IO Int -> IO Int) -> Builder -> Int -> IO ()
sendLarge out unmask body n = do
  sending out (sendBuffer out)
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
