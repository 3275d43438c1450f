-- |
-- Module      : Main
-- Description : Tests of schemas
module Main (main) where

import Test.Tasty
import qualified Tests.Compat
import qualified Tests.DerivedVia
import qualified Tests.Evolution.Advice
import qualified Tests.Evolution.Attack
import qualified Tests.Evolution.Changes
import qualified Tests.Evolution.Converted
import qualified Tests.Evolution.Given
import qualified Tests.Evolution.Lossless
import qualified Tests.Evolution.Mismatches
import qualified Tests.Evolution.OneField
import qualified Tests.Evolution.Packed
import qualified Tests.Evolution.Pairs
import qualified Tests.Evolution.Traps
import qualified Tests.Fingerprints
import qualified Tests.Hostile
import qualified Tests.Instances
import qualified Tests.JsonLines
import Tests.Pages (pagesTest)
import qualified Tests.Texts
import qualified Tests.Types

main :: IO ()
main =
  defaultMain
    ( testGroup
        "schemas"
        [ pagesTest,
          Tests.Instances.tests,
          Tests.Fingerprints.tests,
          Tests.Hostile.tests,
          Tests.Texts.tests,
          Tests.JsonLines.tests,
          Tests.Compat.tests,
          Tests.Types.tests,
          Tests.DerivedVia.tests,
          Tests.Evolution.Changes.tests,
          Tests.Evolution.Converted.tests,
          Tests.Evolution.Given.tests,
          Tests.Evolution.OneField.tests,
          Tests.Evolution.Pairs.tests,
          Tests.Evolution.Mismatches.tests,
          Tests.Evolution.Advice.tests,
          Tests.Evolution.Lossless.tests,
          Tests.Evolution.Packed.tests,
          Tests.Evolution.Traps.tests,
          Tests.Evolution.Attack.tests
        ]
    )
