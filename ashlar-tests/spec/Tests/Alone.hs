-- |
-- Module      : Tests.Alone
-- Description : Modules that are imported alone bring the instances of builders
--
-- The instances 'Data.String.IsString' and 'Show' are not where the type is. That the modules
-- of this group compile is the better part of the test.
module Tests.Alone (tests) where

import Test.Tasty
import Test.Tasty.HUnit
import qualified Tests.Alone.Html
import qualified Tests.Alone.Put

tests :: TestTree
tests =
  testGroup
    "modules imported alone"
    [ testCase "Ashlar.Builder.Html" $ Tests.Alone.Html.shown @?= show "<b>&lt;</b>",
      testCase "Ashlar.Put" $ Tests.Alone.Put.shown @?= show "ABC"
    ]
