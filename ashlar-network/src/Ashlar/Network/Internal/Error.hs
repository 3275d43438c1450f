{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Network.Internal.Error
-- Description : Why a connection failed, and timeouts
module Ashlar.Network.Internal.Error
  ( ConnectionError (..),
    Phase (..),
    asConnectionError,
  )
where

import Ashlar.Codec (DecodeError, summarizeError)
import Control.Exception (Exception (..), SomeException (..))
import Data.ByteString (ByteString)
import Data.Maybe (fromMaybe)
import Data.Word (Word16, Word32)

-- | Why a connection failed. Once it has, it is closed, and each later use throws the same again.
data ConnectionError
  = -- | The peer speaks another protocol. The first bytes that it has sent, at most
    -- 16 of those that had arrived.
    OtherProtocol !ByteString
  | -- | The peer's handshake has a version that this one does not know.
    UnknownVersion !Word16
  | -- | The peer's handshake is damaged, or its schema is too long: how.
    InvalidHandshake String
  | -- | The messages of the peer cannot be read as those of this end: why not.
    CannotRead String
  | -- | The peer cannot read the messages of this end: what it says. (It may be untrusted.)
    Refused String
  | -- | A message has the first number of bytes, and the limit is the second. The peer has
    -- announced it, or 'Ashlar.Network.Messages.send' has refused it: it refuses 2 GiB and more.
    TooLong !Word32 !Int
  | -- | The checksum of a message does not match.
    InvalidChecksum
  | -- | The bytes of a message are not a value of its type.
    InvalidMessage DecodeError
  | -- | The peer has closed the connection, or died, without an end of its messages. The number of
    -- bytes that had arrived of a message: 0 if it was between two.
    PeerClosed !Int
  | -- | The peer was too slow, by the times in 'Ashlar.Network.Messages.Options'.
    TimedOut !Phase
  | -- | A message has another number of bytes than its instance of 'Ashlar.Codec.Codec' says. If
    -- this is found before anything of it was sent, the connection goes on.
    WrongSize
  | -- | An exception of the transport, or one that struck when a message had been sent in part.
    ConnectionBroken SomeException
  | -- | The connection was used after its end.
    AfterEnd
  deriving stock (Show)

-- | What took too long.
data Phase = Handshaking | Sending | Receiving
  deriving stock (Eq, Show)

instance Exception ConnectionError where
  displayException e =
    "Ashlar.Network: " ++ case e of
      OtherProtocol bytes -> "the peer speaks another protocol: " ++ show bytes
      UnknownVersion n -> "the peer's handshake has the unknown version " ++ show n
      InvalidHandshake why -> "the peer's handshake is invalid: " ++ why
      CannotRead why -> "the peer's messages cannot be read: " ++ why
      Refused why -> "the peer cannot read our messages, and says: " ++ why
      TooLong n limit ->
        "a message of " ++ show n ++ " bytes, and the limit is " ++ show limit
      InvalidChecksum -> "the checksum of a message is wrong"
      InvalidMessage why -> "a message is invalid: " ++ summarizeError why
      PeerClosed 0 -> "the peer closed the connection without an end of its messages"
      PeerClosed n ->
        "the peer closed the connection in the middle of a message, after " ++ show n ++ " bytes"
      TimedOut Handshaking -> "the peer did not finish its handshake in time"
      TimedOut Sending -> "the peer did not receive in time"
      TimedOut Receiving -> "the peer did not finish a message in time"
      WrongSize -> "a message has another size than its instance of Codec says"
      ConnectionBroken (SomeException cause) -> displayException cause
      AfterEnd -> "the connection was used after its end"

-- | The exception as one of ours.
asConnectionError :: SomeException -> ConnectionError
asConnectionError e = fromMaybe (ConnectionBroken e) (fromException e)
