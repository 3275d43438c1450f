{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Server
-- Description : Servers and clients for the other tests: warp, nginx, http-client, curl, sockets
module Tests.Server
  ( serving,
    servingBehindNginx,
    requestTo,
    withClient,
    curl,
    rawExchange,
    rawRequest,
  )
where

import Control.Exception (IOException, bracket, catch, finally)
import qualified Data.ByteString as S
import Network.HTTP.Client hiding (path, port)
import Network.Socket
import qualified Network.Socket.ByteString as N
import Network.Wai (Application)
import Network.Wai.Handler.Warp
  ( defaultSettings,
    setOnException,
    setTimeout,
    withApplicationSettings,
  )
import System.Directory (createDirectory)
import System.Exit (ExitCode)
import System.FilePath ((</>))
import System.IO (hClose, hSetBinaryMode)
import System.IO.Temp (withSystemTempDirectory)
import System.Process
import Tests.InUse (eventually)

-- | Run an application on a free port of the loopback interface.
serving :: Application -> (Int -> IO a) -> IO a
serving app = withApplicationSettings settings (pure app)
  where
    settings = setTimeout 20 (setOnException (\_ _ -> pure ()) defaultSettings)

-- | The same, with nginx as a reverse proxy before it, which does not buffer.
--
-- The shell that runs nginx stops it when its own input ends: at the end of the action, and also
-- when this process dies.
servingBehindNginx :: Application -> (Int -> IO a) -> IO a
servingBehindNginx app act =
  serving app $ \behind -> withSystemTempDirectory "ashlar-nginx" $ \folder -> do
    port <- freePort
    mapM_ (createDirectory . (folder </>)) ["body", "proxy", "other"]
    writeFile (folder </> "nginx.conf") (configuration folder port behind)
    let script =
          "exec 3<&0; nginx -p \"$0\" -c \"$0/nginx.conf\" -e \"$0/error\" </dev/null 3<&- & "
            <> "pid=$!; cat <&3 >/dev/null; kill $pid; wait $pid"
        run =
          (proc "sh" ["-c", script, folder]) {std_in = CreatePipe, close_fds = True}
        start = createProcess run
        stop (input, _, _, process) = mapM_ hClose input `finally` waitForProcess process
    bracket start stop (\_ -> listening port >> act port)
  where
    listening port = eventually (canConnect port)

configuration :: FilePath -> Int -> Int -> String
configuration folder port behind =
  unlines
    [ "daemon off;",
      "worker_processes 1;",
      "pid " <> folder </> "pid" <> ";",
      "events { worker_connections 1024; }",
      "http {",
      "  access_log off;",
      "  client_body_temp_path " <> folder </> "body" <> ";",
      "  proxy_temp_path " <> folder </> "proxy" <> ";",
      "  fastcgi_temp_path " <> folder </> "other" <> ";",
      "  uwsgi_temp_path " <> folder </> "other" <> ";",
      "  scgi_temp_path " <> folder </> "other" <> ";",
      "  server {",
      "    listen 127.0.0.1:" <> show port <> ";",
      "    client_max_body_size 0;",
      "    location / {",
      "      proxy_pass http://127.0.0.1:" <> show behind <> ";",
      "      proxy_http_version 1.1;",
      "      proxy_buffering off;",
      "      proxy_request_buffering off;",
      "    }",
      "  }",
      "}"
    ]

loopback :: Int -> SockAddr
loopback port = SockAddrInet (fromIntegral port) (tupleToHostAddress (127, 0, 0, 1))

withSocket :: (Socket -> IO a) -> IO a
withSocket = bracket (socket AF_INET Stream defaultProtocol) close

freePort :: IO Int
freePort = withSocket $ \s -> bind s (loopback 0) >> fromIntegral <$> socketPort s

canConnect :: Int -> IO Bool
canConnect port = withSocket $ \s ->
  (True <$ connect s (loopback port)) `catch` refused
  where
    refused :: IOException -> IO Bool
    refused _ = pure False

-- | A request to a path. The connection is closed after it.
requestTo :: Int -> String -> IO Request
requestTo port path = do
  request <- parseRequest ("http://127.0.0.1:" <> show port <> path)
  pure request {requestHeaders = [("Connection", "close")], responseTimeout = responseTimeoutNone}

-- | With connections of its own, of which none is kept.
withClient :: (Manager -> IO a) -> IO a
withClient act = newManager defaultManagerSettings {managerIdleConnectionCount = 0} >>= act

-- | Run curl.
curl :: [String] -> IO (ExitCode, S.ByteString)
curl arguments = do
  let run = (proc "curl" ("-s" : "-m" : "30" : arguments)) {std_out = CreatePipe, close_fds = True}
  withCreateProcess run $ \_ out _ process -> case out of
    Nothing -> ioError (userError "curl without output")
    Just h -> do
      hSetBinaryMode h True
      bytes <- S.hGetContents h
      code <- waitForProcess process
      pure (code, bytes)

-- | Send bytes and nothing more, and read to the end.
rawExchange :: Int -> S.ByteString -> IO S.ByteString
rawExchange = exchange (`shutdown` ShutdownSend)

-- | The same, with a connection that the server closes. (To nginx, a client that sends no more has
-- gone.)
rawRequest :: Int -> S.ByteString -> IO S.ByteString
rawRequest = exchange (\_ -> pure ())

exchange :: (Socket -> IO ()) -> Int -> S.ByteString -> IO S.ByteString
exchange sent port bytes = withSocket $ \s -> do
  connect s (loopback port)
  N.sendAll s bytes
  sent s
  go s []
  where
    go s seen = do
      bs <- N.recv s 65536
      if S.null bs then pure (S.concat (reverse seen)) else go s (bs : seen)
