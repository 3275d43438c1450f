{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Network.Messages
-- Description : Typed messages both ways over a stream of bytes
--
-- Two programs send each other values of types with an instance of 'Ashlar.Codec.Codec', over TCP,
-- a Unix socket, TLS, or anything else that carries bytes.
--
-- @
-- {-\# LANGUAGE DeriveAnyClass, DeriveGeneric \#-}
-- import Ashlar.Codec (Codec)
-- import Ashlar.Network.Messages
-- import Ashlar.Schema (Described)
-- import GHC.Generics (Generic)
-- import Network.Socket (Socket)
--
-- data Question = Add Int Int deriving (Generic, Codec, Described)
-- newtype Answer = Sum Int deriving (Generic, Codec, Described)
--
-- server, client :: Socket -> IO ()
-- server socket = do
--   transport <- socketTransport socket
--   withConnection defaultOptions described described transport $ \\c ->
--     forMessages c $ \\(Add a b) -> send c (Sum (a + b))
-- client socket = do
--   transport <- socketTransport socket
--   withConnection defaultOptions described described transport $ \\c -> do
--     send c (Add 1 2)
--     receive c >>= maybe (pure ()) (\\(Sum n) -> print n)
-- @
--
-- == The handshake
--
-- When a connection begins, each end says the schema of what it sends. If the peer's type is an
-- older version of the type here, its messages are read as "Ashlar.Schema.Evolution" says. If they
-- cannot be read, both ends get an exception that says what differs. With 'describedSkipping', an
-- end also reads what a newer one sends: fields that it does not know are skipped, and a message
-- with a constructor that it does not know is invalid. 'fixedType' has a name in place of a schema.
--
-- == Sending
--
-- Messages are collected, and many leave in one system call: when 32 KiB are full, and as soon as
-- no more are added for the moment. So neither throughput nor latency needs a 'flush', but where
-- other threads keep all processors busy: they run before the thread that sends, for 20 ms each. A
-- message that is larger leaves as its builder runs, in constant memory.
--
-- The peer's speed limits the sender: 'send' waits when the peer does not receive.
--
-- 'receive' returns a message when all of it has arrived. 'receiveWith' decodes one as it arrives,
-- so a message of a GiB takes constant memory at both ends.
--
-- == Failures
--
-- A connection that has failed is closed, and every later use throws the same 'ConnectionError'. So
-- nothing is ever read from the middle of a message. When 'withConnection' ends normally, it says
-- so to the peer. A peer that was killed or cut off says nothing, and the other end gets
-- 'PeerClosed' and not an end.
--
-- If a value in a message throws, the message is not sent and the connection goes on, unless a part
-- of the message has left already.
--
-- == Untrusted peers
--
-- All bytes are checked. No length is trusted: memory is allocated for what has arrived. A limit
-- for messages, one for schemas, and times for the handshake, a message and sending are in the
-- 'Options'. Checksums find accidents. Only a transport such as TLS protects against forgery.
module Ashlar.Network.Messages
  ( -- * Connections
    withConnection,
    Connection,

    -- ** The types of messages
    RecordType (..),
    described,
    describedSkipping,
    fixedType,

    -- ** Streams of bytes
    Transport (..),
    socketTransport,

    -- ** Options
    Options (..),
    defaultOptions,

    -- * Sending
    send,
    flush,
    endSending,

    -- * Receiving
    receive,
    receiveWith,
    forMessages,

    -- * Failures
    ConnectionError (..),
    Phase (..),
  )
where

import Ashlar.File (RecordType (..), fixedType)
import Ashlar.File.Described (described, describedSkipping)
import Ashlar.Network.Internal.Connection
import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Link
import Ashlar.Network.Internal.Transport
