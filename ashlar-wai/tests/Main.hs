-- |
-- Module      : Main
-- Description : Bodies in WAI, alone and against real peers
module Main (main) where

import Test.Tasty
import qualified Tests.Events
import qualified Tests.Lengths
import qualified Tests.Model
import qualified Tests.Peers

main :: IO ()
main =
  defaultMain $
    testGroup
      "wai"
      [Tests.Model.tests, Tests.Lengths.tests, Tests.Events.tests, Tests.Peers.tests]
