-- |
-- Module      : Main
-- Description : The examples, against the servers that they are for
module Main (main) where

import Servers
import Test.Tasty
import qualified Tests.Calculator
import qualified Tests.Checksum
import qualified Tests.LogShipper
import qualified Tests.Postgres
import qualified Tests.Redis
import qualified Tests.Site
import qualified Tests.Tls

main :: IO ()
main =
  withRedisServer $ \redis -> withPostgresServer $ \postgres ->
    defaultMain $
      testGroup
        "examples"
        [ Tests.Redis.tests redis,
          Tests.Postgres.tests postgres,
          Tests.LogShipper.tests,
          Tests.Checksum.tests,
          Tests.Calculator.tests,
          Tests.Tls.tests,
          Tests.Site.tests
        ]
