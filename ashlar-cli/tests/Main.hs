-- |
-- Module      : Main
-- Description : The tool, as a user runs it
module Main (main) where

import Test.Tasty
import qualified Tests.Bare
import qualified Tests.Characters
import qualified Tests.Commands
import qualified Tests.Convert
import qualified Tests.Cookbook
import qualified Tests.Damage
import qualified Tests.Exchange
import qualified Tests.Joined
import qualified Tests.Json
import qualified Tests.Keys
import qualified Tests.Paths
import qualified Tests.Pipes
import qualified Tests.Status
import qualified Tests.Streams
import qualified Tests.Targets
import qualified Tests.Usage

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar"
      [ Tests.Bare.tests,
        Tests.Characters.tests,
        Tests.Commands.tests,
        Tests.Convert.tests,
        Tests.Cookbook.tests,
        Tests.Damage.tests,
        Tests.Exchange.tests,
        Tests.Joined.tests,
        Tests.Json.tests,
        Tests.Keys.tests,
        Tests.Paths.tests,
        Tests.Pipes.tests,
        Tests.Status.tests,
        Tests.Streams.tests,
        Tests.Targets.tests,
        Tests.Usage.tests
      ]
