-- |
-- Module      : Ashlar.Network.Internal.Link
-- Description : A transport that is not used after it has failed
module Ashlar.Network.Internal.Link
  ( Options (..),
    defaultOptions,
    Link (..),
    newLink,
    usable,
    failWith,
    failFor,
    endWith,
    timed,
    closeLink,
  )
where

import Ashlar.Network.Internal.Error
import Ashlar.Network.Internal.Transport
import Control.Exception (SomeAsyncException, SomeException, catch, fromException, throwIO)
import Control.Monad (void, when)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Maybe (fromMaybe, isNothing)
import System.Timeout (timeout)

-- | How a connection behaves. Each end has its own. Times are in microseconds, and a negative one
-- is no limit.
data Options = Options
  { -- | The largest message that is accepted, in bytes. Set it below 2 GiB: no end sends more.
    -- Memory is allocated for the bytes that have arrived, at most twice as much, and three times
    -- while the buffer grows. An end that gets a larger one throws 'TooLong' and closes the
    -- connection. The sender, which does not know the limit, gets no more than 'PeerClosed' or
    -- 'ConnectionBroken'.
    optionsMessageLimit :: !Int,
    -- | The largest schema that is accepted, in bytes. One that was made to cost takes some 0.4
    -- microseconds and 64 bytes of memory for each of its bytes, while it is compared. So a server
    -- of untrusted peers sets a limit near the size of its own.
    optionsSchemaLimit :: !Int,
    -- | Whether the messages that are sent have checksums. The peer says whether those that it
    -- sends do. TCP's own checksums miss some errors. Unix sockets and TLS need none.
    optionsChecksums :: !Bool,
    -- | The time for the whole handshake.
    optionsHandshakeTime :: !Int,
    -- | The time from the first byte of a message to its last, as far as it is waited for.
    optionsMessageTime :: !Int,
    -- | The time in which the peer must take what is sent at once, 128 KiB at most. To close the
    -- transport may take as long.
    optionsSendTime :: !Int
  }

-- | Messages up to 64 MiB with checksums, and schemas up to 1 MiB; 10 seconds for the handshake,
-- and a minute for a message and for sending.
defaultOptions :: Options
defaultOptions =
  Options
    { optionsMessageLimit = 67108864,
      optionsSchemaLimit = 1048576,
      optionsChecksums = True,
      optionsHandshakeTime = 10000000,
      optionsMessageTime = 60000000,
      optionsSendTime = 60000000
    }

-- | A transport and, if it has ended, why.
data Link = Link
  { linkOptions :: !Options,
    linkTransport :: !Transport,
    linkEnd :: !(IORef (Maybe ConnectionError))
  }

newLink :: Options -> Transport -> IO Link
newLink options transport = Link options transport <$> newIORef Nothing

-- | Throw what has ended it.
usable :: Link -> IO ()
usable link = readIORef (linkEnd link) >>= mapM_ throwIO

-- | End it, and throw the error. If it has ended already, the first error is thrown.
failWith :: Link -> ConnectionError -> IO a
failWith link e = endWith link e >>= throwIO

-- | End it, and return the error that it has ended with.
endWith :: Link -> ConnectionError -> IO ConnectionError
endWith link e = do
  before <- atomicModifyIORef' (linkEnd link) (\end -> (Just (fromMaybe e end), end))
  when (isNothing before) (closeQuietly link)
  pure (fromMaybe e before)

-- | End it because of an exception, and throw that. One that is not asynchronous is thrown as the
-- error that later uses get.
failFor :: Link -> SomeException -> IO a
failFor link e = do
  end <- endWith link (asConnectionError e)
  case fromException e of
    Just async -> throwIO (async :: SomeAsyncException)
    Nothing -> throwIO end

-- | Run an action, which may take this many microseconds, or any time if that is negative. If it
-- takes longer, the link fails.
timed :: Link -> Int -> Phase -> IO a -> IO a
timed link micros phase act
  | micros < 0 = act
  | otherwise = timeout micros act >>= maybe (failWith link (TimedOut phase)) pure

-- | End it. More than once does nothing.
closeLink :: Link -> IO ()
closeLink link = endWith link AfterEnd >> closeQuietly link

-- The peer may be gone, which is no news. Nor may it delay the end by not receiving.
closeQuietly :: Link -> IO ()
closeQuietly link = void (timeout time (transportClose (linkTransport link))) `catch` ignored
  where
    -- (Within 0 microseconds it would not even begin.)
    time = case optionsSendTime (linkOptions link) of
      0 -> 1
      micros -> micros
    ignored e = case fromException e of
      Just async -> throwIO (async :: SomeAsyncException)
      Nothing -> pure ()
