-- |
-- Module      : Main
-- Description : Files of records
--
-- Some tests start this program again, as another process: see "Tests.Processes".
module Main (main) where

import System.Environment (getArgs)
import Test.Tasty
import qualified Tests.Convert
import qualified Tests.Crc32c
import qualified Tests.Damage
import qualified Tests.Described
import qualified Tests.Exceptions
import qualified Tests.Faults.Calls
import qualified Tests.Faults.Power
import qualified Tests.Golden
import qualified Tests.Hostile
import qualified Tests.Joined
import qualified Tests.Large
import qualified Tests.Model
import qualified Tests.OpenBlocks
import qualified Tests.Processes
import qualified Tests.Readers
import qualified Tests.Repair
import qualified Tests.Replace

main :: IO ()
main = do
  args <- getArgs
  case args of
    "child" : "calls" : rest -> Tests.Faults.Calls.child rest
    "child" : "power" : rest -> Tests.Faults.Power.child rest
    "child" : rest -> Tests.Processes.child rest
    _ ->
      defaultMain $
        testGroup
          "files"
          [ Tests.Convert.tests,
            Tests.Crc32c.tests,
            Tests.Golden.tests,
            Tests.Model.tests,
            Tests.Damage.tests,
            Tests.Repair.tests,
            Tests.Replace.tests,
            Tests.Readers.tests,
            Tests.Described.tests,
            Tests.Exceptions.tests,
            testGroup "faults" [Tests.Faults.Power.tests, Tests.Faults.Calls.tests],
            Tests.Hostile.tests,
            Tests.Joined.tests,
            Tests.Large.tests,
            Tests.OpenBlocks.tests,
            Tests.Processes.tests
          ]
