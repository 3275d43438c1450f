-- |
-- Module      : Main
-- Description : Sockets and messages
--
-- Two tests start this program again, as other processes: see "Tests.Failures" and
-- "Tests.Arriving".
module Main (main) where

import System.Environment (getArgs, setEnv)
import Test.Tasty
import qualified Tests.Arriving
import qualified Tests.Failures
import qualified Tests.Golden
import qualified Tests.Handshake
import qualified Tests.Hostile
import qualified Tests.Messages
import qualified Tests.Sockets

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["child", port] -> Tests.Failures.child port
    ["send-large", address, n] -> Tests.Arriving.sendLarge address (read n)
    ["receive-large", address] -> Tests.Arriving.receiveLarge address
    _ -> do
      -- Some tests count the descriptors and the memory of the process.
      setEnv "TASTY_NUM_THREADS" "1"
      defaultMain $
        testGroup
          "network"
          [ Tests.Sockets.tests,
            Tests.Golden.tests,
            Tests.Handshake.tests,
            Tests.Messages.tests,
            Tests.Arriving.tests,
            Tests.Failures.tests,
            Tests.Hostile.tests
          ]
