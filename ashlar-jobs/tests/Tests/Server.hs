{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Server
-- Description : A Redis server of our own
--
-- It listens on a socket in a temporary folder. A shell kills it when its standard input ends, so
-- it ends with us, however we end.
module Tests.Server
  ( Server (..),
    withServer,
    withServerOf,
    start,
    kill,
    optionsFor,
    waitUntil,
  )
where

import Ashlar.Jobs (status)
import Ashlar.Jobs.Engine.Redis
import Control.Concurrent (threadDelay)
import Control.Exception (bracket_, finally)
import Control.Monad (unless)
import Data.IORef
import qualified Database.Redis as R
import System.Directory (removePathForcibly)
import System.FilePath ((</>))
import System.IO (Handle, hClose)
import System.IO.Temp (withSystemTempDirectory)
import System.Process

data Server = Server
  { serverSocket :: FilePath,
    serverFolder :: FilePath,
    serverSettings :: [String],
    serverProcess :: IORef (Maybe (Handle, ProcessHandle))
  }

-- | A server that writes each change to the disk before it replies.
withServer :: (Server -> IO a) -> IO a
withServer = withServerOf []

-- | With other settings, which come last.
withServerOf :: [String] -> (Server -> IO a) -> IO a
withServerOf settings action = withSystemTempDirectory "jobs" $ \folder -> do
  server <- Server (folder </> "socket") folder settings <$> newIORef Nothing
  bracket_ (start server) (kill server) (action server)

-- | Start it, and wait until it answers.
start :: Server -> IO ()
start server = do
  removePathForcibly (serverSocket server)
  (input, _, _, process) <-
    createProcess
      ( proc
          "sh"
          ( ["-c", "exec 3<&0; redis-server \"$@\" </dev/null & cat <&3; kill -9 $!; wait", "sh"]
              ++ ["--port", "0", "--unixsocket", serverSocket server, "--dir", serverFolder server]
              ++ ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
              ++ ["--loglevel", "warning", "--logfile", serverFolder server </> "log"]
              ++ serverSettings server
          )
      )
        { std_in = CreatePipe
        }
  writeIORef (serverProcess server) (flip (,) process <$> input)
  withRedis (optionsFor server) (\redis -> () <$ status (redisEngine redis "ready"))

-- | Kill it at once, and wait until it is gone.
kill :: Server -> IO ()
kill server = do
  running <- atomicModifyIORef' (serverProcess server) ((,) Nothing)
  case running of
    Nothing -> pure ()
    Just (input, process) -> hClose input `finally` waitForProcess process >> pure ()

-- | How to reach it.
optionsFor :: Server -> RedisOptions
optionsFor server =
  defaultRedisOptions
    { redisConnect = R.defaultConnectInfo {R.connectPort = R.UnixSocket (serverSocket server)},
      redisPatience = 20000000
    }

-- | Until something that others do has happened: half a minute at most.
waitUntil :: String -> IO Bool -> IO ()
waitUntil what condition = go (6000 :: Int)
  where
    go 0 = fail ("waited in vain: " ++ what)
    go n = do
      ok <- condition
      unless ok (threadDelay 5000 >> go (n - 1))
