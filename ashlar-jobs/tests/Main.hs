-- |
-- Module      : Main
-- Description : Jobs
--
-- Some tests start this program again, as another process: see "Tests.Processes".
module Main (main) where

import System.Environment (getArgs)
import Test.Tasty
import qualified Tests.Engines
import qualified Tests.Envelopes
import qualified Tests.Golden
import qualified Tests.Laws
import qualified Tests.Lost
import qualified Tests.Poison
import qualified Tests.Processes
import qualified Tests.Redis
import qualified Tests.Replies
import qualified Tests.Schedules
import qualified Tests.Settings
import qualified Tests.Silence

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
            Tests.Engines.tests,
            Tests.Laws.tests,
            Tests.Lost.tests,
            Tests.Poison.tests,
            Tests.Schedules.tests,
            Tests.Replies.tests,
            Tests.Redis.tests,
            Tests.Settings.tests,
            Tests.Silence.tests
          ]
