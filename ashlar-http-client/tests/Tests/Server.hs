{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Server
-- Description : Servers for the other tests: warp, and sockets that answer by hand
module Tests.Server
  ( serving,
    byHand,
    requestTo,
    post,
    withClient,
    markMade,
  )
where

import Control.Concurrent (forkFinally, forkIO, killThread)
import Control.Exception (bracket, finally)
import Control.Monad (forever, void)
import qualified Data.ByteString as S
import Data.IORef (IORef, writeIORef)
import Network.HTTP.Client hiding (path, port)
import Network.Socket
import qualified Network.Socket.ByteString as N
import Network.Wai (Application)
import Network.Wai.Handler.Warp (defaultSettings, setOnException, withApplicationSettings)
import System.IO.Unsafe (unsafePerformIO)

-- | Run an application on a free port of the loopback interface.
serving :: Application -> (Int -> IO a) -> IO a
serving app = withApplicationSettings (setOnException (\_ _ -> pure ()) defaultSettings) (pure app)

-- | A server that handles each connection by an action, which gets functions that receive and send.
byHand :: (IO S.ByteString -> (S.ByteString -> IO ()) -> IO ()) -> (Int -> IO a) -> IO a
byHand handle act = bracket (socket AF_INET Stream defaultProtocol) close $ \s -> do
  bind s (SockAddrInet 0 (tupleToHostAddress (127, 0, 0, 1)))
  listen s 10
  port <- fromIntegral <$> socketPort s
  let accepting = forever $ do
        (c, _) <- accept s
        void (forkFinally (handle (N.recv c 65536) (N.sendAll c) `finally` close c) (\_ -> pure ()))
  bracket (forkIO accepting) killThread (\_ -> act port)

-- | A request to a path.
requestTo :: Int -> String -> IO Request
requestTo port path = parseRequest ("http://127.0.0.1:" <> show port <> path)

-- | A request with a body.
post :: Int -> String -> RequestBody -> IO Request
post port path body = do
  request <- requestTo port path
  pure request {method = "POST", requestBody = body}

-- | With a number of idle connections to keep.
withClient :: Int -> (Manager -> IO a) -> IO a
withClient n act = newManager defaultManagerSettings {managerIdleConnectionCount = n} >>= act

-- | No bytes, whose evaluation sets a variable.
markMade :: IORef Int -> Int -> S.ByteString
markMade ref n = unsafePerformIO (S.empty <$ writeIORef ref n)
{-# NOINLINE markMade #-}
