{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Network.Socket
-- Description : Builders to sockets, and decoders from sockets
--
-- @
-- {-\# LANGUAGE OverloadedStrings \#-}
-- import Ashlar.Builder
-- import Ashlar.Get
-- import Ashlar.Get.Parse (takeTillByte)
-- import Ashlar.Network.Socket
-- import Network.Socket (Socket)
--
-- -- Send each line back.
-- echo :: Socket -> IO (Either DecodeError ())
-- echo socket = do
--   source <- socketSource socket
--   let line = takeTillByte 10 \<* skip 1
--       answer () l = () \<$ sendBuilder socket (byteString l \<> "\\n")
--   foldFrom source line answer ()
-- @
--
-- Sockets are those of the package network. "Ashlar.Network.Messages" sends typed messages.
module Ashlar.Network.Socket
  ( -- * Sending
    sendBuilder,

    -- * Receiving
    socketSource,
    socketChunks,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Get (Source, newSource)
import Ashlar.Network.Internal.Gather
import Ashlar.Network.Internal.Transport
import Data.ByteString (ByteString)
import Network.Socket (Socket)

-- | Send the bytes of a builder over a connected stream socket, and return their number.
--
-- It waits until the system has taken all bytes, and takes constant memory: some 70 KiB. One
-- system call takes up to 64 KiB, and after them a ByteString of 8 KiB or more, which is not
-- copied. Such a ByteString, and what comes before it or before a 'Ashlar.Builder.Extra.flush', is
-- sent before the builder goes on.
--
-- Exceptions of the socket are 'Control.Exception.IOException's. If it throws, or a value in the
-- builder does, or the thread is interrupted, the peer gets some prefix of the bytes. Close the
-- connection then, unless the protocol can tell.
--
-- Only one thread at a time should send over a socket.
sendBuilder :: Socket -> Builder -> IO Int
sendBuilder socket = gather Reused (sendChunks socket)

-- | A source that reads from a connected stream socket, for the decoders of "Ashlar.Get". It waits
-- only until there is something to read. The source ends where the peer has shut its side down. The
-- function that runs the decoder throws the 'Control.Exception.IOException's of the socket.
--
-- To try again after a timeout, decode by 'Ashlar.Get.attemptFrom'.
socketSource :: Socket -> IO Source
socketSource socket = socketChunks socket >>= newSource

-- | An action that receives the next chunk. It is empty if the peer has shut its side down.
--
-- A chunk is at most 32 KiB, as the system returns it, and is not copied. Small ones share a buffer
-- of 32 KiB, and each keeps all of it alive. If a wait is interrupted, no bytes are lost.
--
-- Exceptions of the socket are 'Control.Exception.IOException's.
socketChunks :: Socket -> IO (IO ByteString)
socketChunks = receiver
