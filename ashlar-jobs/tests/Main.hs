-- |
-- Module      : Main
-- Description : Jobs
--
-- Some tests start this program again, as another process: see "Tests.Processes".
module Main (main) where

import System.Environment (getArgs)
import Test.Tasty
import qualified Tests.Envelopes
import qualified Tests.Golden
import qualified Tests.Processes
import qualified Tests.Redis
import qualified Tests.Schedules

main :: IO ()
main = do
  args <- getArgs
  case args of
    "child" : rest -> Tests.Processes.child rest
    _ ->
      defaultMain $
        testGroup
          "jobs"
          [ Tests.Envelopes.tests,
            Tests.Golden.tests,
            Tests.Schedules.tests,
            Tests.Redis.tests
          ]
