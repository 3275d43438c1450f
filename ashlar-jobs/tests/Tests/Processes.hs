{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Processes
-- Description : What other processes do
module Tests.Processes
  ( child,
    Child,
    withChild,
    killChild,
    awaitChild,
  )
where

import Ashlar.Jobs
import Ashlar.Jobs.Engine.Redis
import Control.Concurrent (forkIO, threadDelay)
import Control.Exception (bracket, throwIO, try)
import Control.Monad (forM_, forever, void, when)
import qualified Database.Redis as R
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..), exitWith)
import System.Posix.Process (exitImmediately)
import System.Posix.Signals (sigKILL, signalProcess)
import System.Process
import Tests.Types

-- | What another process does: a worker that hangs at a record, or a submitter.
child :: [String] -> IO ()
child args = do
  -- It ends with its parent.
  _ <- forkIO (getContents >>= \s -> length s `seq` exitImmediately (ExitFailure 9))
  case args of
    ["work", socket, hang] -> redis socket $ \r -> do
      let f row@(Row n _ _) = do
            when (show n == hang) (forever (threadDelay 1000000))
            pure (answer row)
          options = defaultWorkerOptions {workerIdle = 500000}
      void (workerWith options (redisEngine r "rows") (rows "rows") f)
    ["submit", socket, bytes, count] -> redis socket $ \r -> do
      let options = inBatches (read bytes) 8
      submitted <- try . submitWith options (redisEngine r "rows") (rows "rows") $ \n give ->
        forM_ [n .. read count - 1] (give . rowOf)
      case submitted of
        Right _ -> pure ()
        Left (AlreadySubmitted _) -> exitWith (ExitFailure 4)
        Left ex -> throwIO ex
    _ -> exitWith (ExitFailure 3)
  where
    redis socket =
      withRedis
        defaultRedisOptions
          { redisConnect = R.defaultConnectInfo {R.connectPort = R.UnixSocket socket},
            redisPatience = 20000000
          }

newtype Child = Child ProcessHandle

-- | With another process, which is killed at the end.
withChild :: [String] -> (Child -> IO a) -> IO a
withChild args action = do
  self <- getExecutablePath
  bracket
    (createProcess (proc self ("child" : args)) {std_in = CreatePipe})
    (\(_, _, _, p) -> killChild (Child p))
    (\(_, _, _, p) -> action (Child p))

-- | By SIGKILL. Harmless if it has ended.
killChild :: Child -> IO ()
killChild (Child p) = do
  pid <- getPid p
  forM_ pid (signalProcess sigKILL)
  void (waitForProcess p)

-- | Until it ends by itself.
awaitChild :: Child -> IO ExitCode
awaitChild (Child p) = waitForProcess p
