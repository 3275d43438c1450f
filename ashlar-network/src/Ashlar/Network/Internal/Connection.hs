-- |
-- Module      : Ashlar.Network.Internal.Connection
-- Description : Connections that carry messages
module Ashlar.Network.Internal.Connection
  ( Connection,
    withConnection,
    send,
    flush,
    endSending,
    receive,
    receiveWith,
    forMessages,
  )
where

import Ashlar.Codec (Builder, Codec, DecodeError, Get, get, put, size)
import Ashlar.File (Evolved (..), RecordType (..))
import Ashlar.Get (Source, endOfInput)
import Ashlar.Network.Internal.Arriving
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Handshake
import Ashlar.Network.Internal.Incoming
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Outgoing
import Ashlar.Network.Internal.Transport
import Control.Concurrent
  ( forkIOWithUnmask,
    killThread,
    newEmptyMVar,
    putMVar,
    takeMVar,
  )
import Control.Exception (SomeException, catch, finally, mask, throwIO)
import Data.Word (Word32)

-- | A connection on which this end sends @a@s and receives @b@s.
--
-- Threads may share it: one may send while another receives. Messages of two threads that send, or
-- receive, at the same time do not mix.
data Connection a b = Connection
  { connectionOut :: !Outgoing,
    connectionIn :: !Incoming,
    connectionSize :: a -> Int,
    connectionPut :: a -> Builder,
    -- | Reads a message to its end.
    connectionGet :: !(Get b),
    -- | Whether the peer's type is that of this end, and no older version of it.
    connectionSame :: !Bool,
    -- | Whether the peer's messages have checksums.
    connectionSummed :: !Bool
  }

-- | Shake hands, and run an action with the connection. The transport is closed afterwards.
--
-- When the action returns, what it has sent is flushed, and the peer is told that this was all. To
-- be sure that the peer has received it, receive up to the peer's end before you return: closing a
-- TCP socket with unread bytes may drop what is on its way to the peer.
--
-- If the connection has failed, but the action returns, so does this, unless messages of this end
-- have been lost. Then it throws the 'ConnectionError'.
--
-- When the action throws, what was not flushed is dropped, and the peer gets 'PeerClosed'.
--
-- It throws a 'ConnectionError' if the handshake fails.
withConnection ::
  (Codec a, Codec b) =>
  Options ->
  -- | What this end sends.
  RecordType a ->
  -- | What it receives.
  RecordType b ->
  Transport ->
  (Connection a b -> IO r) ->
  IO r
withConnection options sent received transport act = mask $ \unmask -> do
  link <- newLink options transport
  out <- newOutgoing link
  inc <- newIncoming link
  stopped <- newEmptyMVar
  thread <- forkIOWithUnmask $ \unmask' ->
    (unmask' (flusher out) `catch` ignored) `finally` putMVar stopped ()
  let end = closeLink link `finally` (killThread thread >> takeMVar stopped)
  flip finally end . unmask $ do
    (getter, same, summed) <- shakeHands link out inc sent received
    r <- act (Connection out inc size put (getter <* endOfInput) same summed)
    r <$ finish out
  where
    ignored :: SomeException -> IO ()
    ignored _ = pure ()
{-# INLINE withConnection #-}

-- | Returns how to read what the peer sends, whether its type is that of this end, and whether its
-- messages have checksums.
shakeHands ::
  Codec b => Link -> Outgoing -> Incoming -> RecordType a -> RecordType b -> IO (Get b, Bool, Bool)
shakeHands link out inc sent received = timed link (optionsHandshakeTime options) Handshaking $ do
  sendBytes out (hello (optionsChecksums options) sent)
  theirs <- receiveHello link inc
  let same = helloFingerprint theirs == typeFingerprint received
      getter
        | same = Right get
        | otherwise =
          evolvedGet <$> typeEvolved received (helloSchema theirs) (helloFingerprint theirs)
  sendBytes out (verdict (either Just (const Nothing) getter))
  -- Both ends read what the other has to say, or closing would drop it.
  refused <- receiveVerdict link inc
  -- The verdict must leave before the connection is closed.
  flushOutgoing out
  mapM_ (failWith link . Refused) refused
  g <- either (failWith link . CannotRead) pure getter
  pure (g, same, helloChecksums theirs)
  where
    options = linkOptions link
{-# INLINE shakeHands #-}

-- | Send a message. It leaves soon, together with others. This waits if the peer does not receive.
-- Values in the message must not use the connection.
--
-- A message of 2 GiB or more is refused by 'TooLong', and the connection goes on. Throws 'AfterEnd'
-- after 'endSending', and why the connection has failed if it has. An interruption while bytes
-- leave ends the connection.
send :: Connection a b -> a -> IO ()
send c x = sendFrame (connectionOut c) sized (connectionPut c x)
  where
    sized
      | n < 0 || n > most = throwIO (TooLong (fromIntegral (max 0 (min maxLength n))) most)
      | otherwise = pure n
    n = connectionSize c x
    most = 2147483647
    maxLength = fromIntegral (maxBound :: Word32)

-- | Send all messages now, and return when the transport has taken them. Messages leave without it,
-- so use it to be sure that they have left.
flush :: Connection a b -> IO ()
flush = flushOutgoing . connectionOut

-- | Send all messages, and tell the peer that there will be no more: it gets 'Nothing'. This end
-- can still receive.
endSending :: Connection a b -> IO ()
endSending = sendEnd . connectionOut

-- | Wait for the next message. 'Nothing' if the peer has said that there are no more. Throws a
-- 'ConnectionError' if the connection has failed or the message is refused.
--
-- An interruption, for instance by 'System.Timeout.timeout', loses nothing while this waits or
-- decodes, and the connection can be used again. One that strikes as the message is returned loses
-- it. Where that matters, mask: @mask_ (timeout n (receive c))@. It still interrupts the wait.
--
-- An interruption is an exception of a type that says that it is asynchronous
-- ('Control.Exception.SomeAsyncException'): any other that is thrown to a thread that waits here
-- ends the connection, as an exception of the transport does.
receive :: Connection a b -> IO (Maybe b)
receive c = receiveFrame (connectionIn c) (connectionSummed c) (connectionGet c)

-- | Wait for the next message, and decode it as its bytes arrive. So a message may be larger than
-- memory: only what the action keeps is held. It is for peers that send a few large messages, such
-- as the rows of a table.
--
-- The action gets a source of the bytes of the message, which ends where they end. For one decoder:
--
-- > receiveWith c 1000000000 (`getFrom` g)
--
-- For a vector, which is its length and then its elements, one at a time:
--
-- > receiveWith c 1000000000 $ \source ->
-- >   getFrom source (get :: Get Int) >>= \_ -> foldFrom source get (\n x -> pure (n + x)) 0
--
-- The checksum is at the end of the message. So the action sees bytes that have not been checked,
-- but its result is returned only if they were right. 'optionsMessageTime' is the time for each
-- wait for bytes.
--
-- Throws 'InvalidMessage' if the action returns an error, or if bytes are left. The bytes are those
-- of the type of this end: 'CannotRead' is thrown if the peer has an older version of it. An
-- exception of the action is passed on. Each of these ends the connection. An interruption while
-- this waits for the message to begin loses nothing. Other threads that receive wait for the
-- action, so it must not receive itself.
receiveWith ::
  Connection a b ->
  -- | The limit in bytes, in place of 'optionsMessageLimit'.
  Int ->
  (Source -> IO (Either DecodeError r)) ->
  IO (Maybe r)
receiveWith c limit act
  | connectionSame c = receiveArriving inc (connectionSummed c) limit act
  | otherwise = failWith (inLink inc) (CannotRead "receiveWith: its type is an older version")
  where
    inc = connectionIn c

-- | Receive all messages, up to the peer's end, and run an action with each. What the action throws
-- is passed on, and the message counts as received.
forMessages :: Connection a b -> (b -> IO ()) -> IO ()
forMessages c act = go
  where
    go = receive c >>= maybe (pure ()) (\b -> act b >> go)
