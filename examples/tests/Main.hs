-- |
-- Module      : Main
-- Description : The examples, against the servers that they are for
module Main (main) where

import Control.Concurrent (myThreadId, throwTo)
import Control.Exception (AsyncException (UserInterrupt))
import Servers
import System.Posix.Signals (Handler (CatchOnce), installHandler, sigTERM)
import Test.Tasty
import qualified Tests.Checksum
import qualified Tests.LogShipper
import qualified Tests.Postgres
import qualified Tests.Redis

main :: IO ()
main = do
  thread <- myThreadId
  _ <- installHandler sigTERM (CatchOnce (throwTo thread UserInterrupt)) Nothing
  withRedisServer $ \redis -> withPostgresServer $ \postgres ->
    defaultMain $
      testGroup
        "examples"
        [ Tests.Redis.tests redis,
          Tests.Postgres.tests postgres,
          Tests.LogShipper.tests,
          Tests.Checksum.tests
        ]
