-- |
-- Module      : Main
-- Description : Tests of schemas
module Main (main) where

import Test.Tasty
import qualified Tests.Fingerprints
import qualified Tests.Hostile
import qualified Tests.Instances
import qualified Tests.Texts
import qualified Tests.Types

main :: IO ()
main =
  defaultMain
    ( testGroup
        "schemas"
        [ Tests.Instances.tests,
          Tests.Fingerprints.tests,
          Tests.Hostile.tests,
          Tests.Texts.tests,
          Tests.Types.tests
        ]
    )
