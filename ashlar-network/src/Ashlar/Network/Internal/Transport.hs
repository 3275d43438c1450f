-- |
-- Module      : Ashlar.Network.Internal.Transport
-- Description : Streams of bytes both ways
module Ashlar.Network.Internal.Transport
  ( Transport (..),
    socketTransport,
    sendChunks,
    pieces,
    receiver,
  )
where

import Ashlar.Builder.Buffer
import Control.Concurrent.MVar (newMVar, withMVarMasked)
import Control.Exception (IOException, catch, finally, mask_, throwIO)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import Network.Socket
  ( ShutdownCmd (..),
    Socket,
    SocketOption (NoDelay),
    close,
    recvBuf,
    setSocketOption,
    shutdown,
  )
import Network.Socket.ByteString (sendAll, sendMany)
import System.IO.Error (illegalOperationErrorType, mkIOError)

-- | A stream of bytes both ways: a socket, or the functions of another library.
--
-- With the package tls, whose context uses the functions of a 'socketTransport':
--
-- > tls plain context = Transport
-- >   { transportSend = sendData context . L.fromChunks,
-- >     transportReceive = recvData context,
-- >     transportClose = transportClose plain
-- >   }
--
-- (@examples@ in this repository has the whole program. @bye@ may wait for the peer, and closes
-- nothing. The peer needs none: messages have an end of their own. @recvData@ loses bytes if it is
-- interrupted, so do not interrupt 'Ashlar.Network.Messages.receive' then.)
data Transport = Transport
  { -- | Send these chunks, in order, and return when all are taken. It is called by one thread at a
    -- time. It must not wait for the peer longer than the peer takes to receive them.
    transportSend :: [ByteString] -> IO (),
    -- | Wait for the next bytes, as many as there are. Empty at the end. It is called by one thread
    -- at a time, with asynchronous exceptions masked. If it is interrupted, it must not lose bytes.
    transportReceive :: IO ByteString,
    -- | Release it. It may be called more than once, and while another thread sends or receives.
    -- That thread should get an exception then. It should not wait for the peer.
    transportClose :: IO ()
  }

-- | A connected stream socket: TCP or Unix.
--
-- To close it while another thread sends or receives ends what that thread does. The socket is
-- closed when the thread has left it.
--
-- Of a TCP socket this sets the option @TCP_NODELAY@. Otherwise the system holds back a short
-- packet until the peer has acknowledged the one before, which takes some 40 ms. (Messages are
-- collected before they are sent.)
socketTransport :: Socket -> IO Transport
socketTransport socket = do
  -- Other sockets do not have it.
  setSocketOption socket NoDelay 1 `catch` ignored
  next <- receiver socket
  users <- newIORef (Users 0 False)
  let change f = atomicModifyIORef' users (\old -> let new = f old in (new, (old, new)))
      enter closing (Users n before) = Users (n + 1) (before || closing)
      -- Note [Descriptors are used again].
      leave = do
        (_, Users n closing) <- change (\(Users n closing) -> Users (n - 1) closing)
        when (closing && n == 0) (close socket)
      -- (Masked, because what has been received must not be lost.)
      using act = mask_ $ do
        (Users _ closing, _) <- change (enter False)
        (if closing then throwIO closed else act) `finally` leave
      -- This wakes who waits. The peer may have gone already.
      end = mask_ $ do
        (Users _ closing, _) <- change (enter True)
        unless closing (shutdown socket ShutdownBoth `catch` ignored) `finally` leave
  pure
    Transport
      { transportSend = using . sendChunks socket,
        transportReceive = using next,
        transportClose = end
      }
  where
    closed = mkIOError illegalOperationErrorType "Ashlar.Network: a closed socket" Nothing Nothing
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- How many threads send or receive, and whether the socket is to be closed.
--
-- Note [Descriptors are used again]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A thread that sends has read the number of the descriptor. If another one closes it before the
-- system call, and a third opens another connection, that gets the number, and the bytes. So
-- nothing is closed that a thread uses. (Test "bytes never get into another connection".)
data Users = Users !Int !Bool

-- | Send all of these chunks. (macOS refuses 2 GiB at once.)
sendChunks :: Socket -> [ByteString] -> IO ()
sendChunks socket = mapM_ one . pieces 1073741824
  where
    one chunks = case chunks of
      [bs] -> sendAll socket bs
      _ -> sendMany socket chunks

-- | The same bytes, in pieces of at most n, which is positive, without empty chunks.
pieces :: Int -> [ByteString] -> [[ByteString]]
pieces n = go [] 0 . filter (not . S.null)
  where
    go piece size chunks = case chunks of
      bs : rest
        | S.length bs <= n - size -> go (bs : piece) (size + S.length bs) rest
        | null piece -> [S.take n bs] : go [] 0 (S.drop n bs : rest)
        | otherwise -> reverse piece : go [] 0 chunks
      [] -> [reverse piece | not (null piece)]

-- | Receive into a buffer, and hand out what has arrived, until the buffer is nearly full. Then it
-- is left to those who hold its chunks.
receiver :: Socket -> IO (IO ByteString)
receiver socket = do
  ref <- newIORef noBuffer
  lock <- newMVar ()
  pure . withMVarMasked lock $ \() -> do
    now <- readIORef ref
    open <- if freeIn now >= least then pure now else newOpen size
    writeIORef ref open
    -- Interruptible only while there is nothing to read.
    n <- withForeignPtr (openBuffer open) $ \_ -> recvBuf socket (openFrom open) (freeIn open)
    if n <= 0
      then pure S.empty
      else do
        let end = openFrom open `plusPtr` n
        writeIORef ref $! handedOut open end
        pure (written open end)
  where
    size = 32768
    least = 4096
    freeIn open =
      openSize open - (openFrom open `minusPtr` unsafeForeignPtrToPtr (openBuffer open))
