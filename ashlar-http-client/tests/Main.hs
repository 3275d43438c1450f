-- |
-- Module      : Main
-- Description : Bodies in http-client, alone and against real peers
module Main (main) where

import Test.Tasty
import qualified Tests.Failures
import qualified Tests.Model
import qualified Tests.Peers

main :: IO ()
main =
  defaultMain $
    testGroup "http-client" [Tests.Model.tests, Tests.Peers.tests, Tests.Failures.tests]
