{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Wire
-- Description : A connection that is never used again after it has failed
--
-- What the clients of this package share. An exchange sends a builder and decodes what comes back.
-- If anything goes wrong in the middle of one, nobody knows where in the stream the next reply
-- begins. So the socket is closed, and all later exchanges return the first failure.
module Wire
  ( Wire,
    Failure (..),
    withUnixSocket,
    newWire,
    closeWire,
    exchange,

    -- * Within an exchange
    send,
    receive,
    receiveAll,
  )
where

import Ashlar.Builder (Builder, toByteStringIO)
import Ashlar.Get (DecodeError, Get)
import Ashlar.Get.Feed (Values (..), pullValues, runGetValues)
import Control.Concurrent.Async (concurrently)
import Control.Concurrent.MVar
import Control.Exception
import Data.IORef
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)

-- | A connection on which messages of this type come, for any number of threads.
data Wire m = Wire Socket (IORef ([m], Values m)) (MVar (Maybe Failure))

-- | Why a connection cannot be used.
data Failure
  = -- | What came is not a reply, or ends in the middle of one.
    Malformed DecodeError
  | -- | A reply that does not answer what was sent.
    ProtocolError String
  | -- | Why the server has ended the connection.
    EndedByServer String
  | -- | The system's own error.
    Lost IOException
  | -- | An exception, such as a timeout, ended an exchange before its last reply.
    Interrupted String
  | -- | It was closed by 'closeWire'.
    Closed
  deriving stock (Show)

instance Exception Failure where
  displayException failure = case failure of
    Malformed e -> "the server's reply cannot be decoded: " ++ displayException e
    ProtocolError what -> "the server has sent " ++ what
    EndedByServer why -> "the server has ended the connection: " ++ why
    Lost e -> "the connection is lost: " ++ displayException e
    Interrupted what -> "an exchange was interrupted: " ++ what
    Closed -> "the connection is closed"

-- | Connect, and close the connection in the end.
withUnixSocket :: Get m -> FilePath -> (Wire m -> IO a) -> IO a
withUnixSocket get path = bracket open closeWire
  where
    open = bracketOnError (socket AF_UNIX Stream defaultProtocol) close $ \sock ->
      connect sock (SockAddrUnix path) >> newWire get sock

-- | A connection over a socket, which belongs to it from now on.
newWire :: Get m -> Socket -> IO (Wire m)
newWire get sock = Wire sock <$> newIORef ([], runGetValues get) <*> newMVar Nothing

-- | Close the socket, when no exchange uses it.
closeWire :: Wire m -> IO ()
closeWire (Wire sock _ state) = modifyMVar_ state $ \now ->
  maybe (Just Closed <$ close sock) (pure . Just) now

-- | Send and receive, while no other thread does. Any exception in it makes the connection useless.
-- Those of the connection are returned, others are thrown on.
exchange :: Wire m -> IO a -> IO (Either Failure a)
exchange (Wire sock _ state) act = mask $ \restore -> do
  now <- takeMVar state
  case now of
    Just failure -> Left failure <$ putMVar state now
    Nothing -> do
      result <- try (restore act)
      case result of
        Right a -> Right a <$ putMVar state Nothing
        Left e -> do
          let (failure, ours) = failureOf e
          putMVar state (Just failure)
          close sock
          if ours then pure (Left failure) else throwIO e

failureOf :: SomeException -> (Failure, Bool)
failureOf e
  | Just failure <- fromException e = (failure, True)
  | otherwise = (Interrupted (displayException e), False)

orLost :: IO a -> IO a
orLost act = act `catch` (throwIO . Lost)

-- | Send what a builder makes, 32 KiB at a time.
send :: Wire m -> Builder -> IO ()
send (Wire sock _ _) = toByteStringIO (orLost . sendAll sock)

-- | What comes next. All messages of a packet are decoded at once.
receive :: Wire m -> IO m
receive (Wire sock arrived _) = readIORef arrived >>= go
  where
    go (messages, state) = case messages of
      m : ms -> m <$ writeIORef arrived (ms, state)
      [] -> case state of
        ValuesPartial {} -> pullValues (orLost (recv sock 32768)) state >>= go
        ValuesFail _ _ e -> throwIO (Malformed e)
        ValuesDone _ -> throwIO (EndedByServer "it has closed the connection")

-- | Send, and receive meanwhile. A server may stop reading while nobody takes its replies.
receiveAll :: Wire m -> Builder -> IO a -> IO a
receiveAll wire builder replies = snd <$> concurrently (send wire builder) replies
