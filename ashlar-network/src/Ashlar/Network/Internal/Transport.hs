-- |
-- Module      : Ashlar.Network.Internal.Transport
-- Description : Streams of bytes both ways
module Ashlar.Network.Internal.Transport
  ( Transport (..),
    socketTransport,
    sendChunks,
    receiver,
  )
where

import Ashlar.Internal.Builder.Buffer
import Control.Concurrent.MVar (newMVar, withMVarMasked)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import Network.Socket (Socket, close, recvBuf)
import Network.Socket.ByteString (sendAll, sendMany)

-- | A stream of bytes both ways: a socket, or the functions of another library.
--
-- With the package tls:
--
-- > tls context = Transport
-- >   { transportSend = sendData context . L.fromChunks,
-- >     transportReceive = recvData context,
-- >     transportClose = contextClose context
-- >   }
--
-- (@bye@ may wait for the peer, and closes nothing. The peer needs none: messages have an end of
-- their own. @recvData@ loses bytes if it is interrupted, so do not interrupt
-- 'Ashlar.Network.Messages.receive' then.)
--
-- @since 0.1.0.0
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
-- @since 0.1.0.0
socketTransport :: Socket -> IO Transport
socketTransport socket = do
  next <- receiver socket
  pure
    Transport
      { transportSend = sendChunks socket,
        transportReceive = next,
        transportClose = close socket
      }

-- | Send all of these chunks.
sendChunks :: Socket -> [ByteString] -> IO ()
sendChunks socket chunks = case chunks of
  [] -> pure ()
  [bs] -> sendAll socket bs
  _ -> sendMany socket chunks

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
        writeIORef ref (handedOut open end)
        pure (written open end)
  where
    size = 32768
    least = 4096
    freeIn open =
      openSize open - (openFrom open `minusPtr` unsafeForeignPtrToPtr (openBuffer open))
