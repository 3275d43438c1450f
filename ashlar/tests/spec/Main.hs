-- |
-- Module      : Main
-- Description : The properties of the library
--
-- The same tests run with user code at -O2 and at -O0: rewrite rules and
-- inlining must not change a byte.
module Main (main) where

import Test.Tasty
import qualified Tests.Builder
import qualified Tests.Codec
import qualified Tests.Combinators
import qualified Tests.Get
import qualified Tests.Handles
import qualified Tests.Hostile
import qualified Tests.Instances
import qualified Tests.Lazy
import qualified Tests.Numbers
import qualified Tests.Refused
import qualified Tests.Sources
import qualified Tests.Types

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar"
      [ Tests.Numbers.tests,
        Tests.Builder.tests,
        Tests.Lazy.tests,
        Tests.Handles.tests,
        Tests.Get.tests,
        Tests.Sources.tests,
        Tests.Codec.tests,
        Tests.Instances.tests,
        Tests.Combinators.tests,
        Tests.Refused.tests,
        Tests.Hostile.tests,
        Tests.Types.tests
      ]
