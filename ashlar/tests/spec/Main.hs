-- |
-- Module      : Main
-- Description : The properties of the library
--
-- The same tests run with user code at -O2 and at -O0: rewrite rules and
-- inlining must not change a byte.
module Main (main) where

import Test.Tasty
import qualified Tests.Arithmetic
import qualified Tests.Builder
import qualified Tests.Codec
import qualified Tests.Escape
import qualified Tests.Floating
import qualified Tests.Get
import qualified Tests.Handles
import qualified Tests.Hostile
import qualified Tests.Html
import qualified Tests.Http
import qualified Tests.Lazy
import qualified Tests.Numbers
import qualified Tests.Results
import qualified Tests.Section
import qualified Tests.Interop
import qualified Tests.Lazy
import qualified Tests.Numbers
import qualified Tests.Prim
import qualified Tests.Sources
import qualified Tests.Text
import qualified Tests.Types
import qualified Tests.Varint

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar"
      [ Tests.Numbers.tests,
        Tests.Arithmetic.tests,
        Tests.Text.tests,
        Tests.Floating.tests,
        Tests.Builder.tests,
        Tests.Escape.tests,
        Tests.Results.tests,
        Tests.Varint.tests,
        Tests.Section.tests,
        Tests.Http.tests,
        Tests.Html.tests,
        Tests.Prim.tests,
        Tests.Interop.tests,
        Tests.Lazy.tests,
        Tests.Handles.tests,
        Tests.Get.tests,
        Tests.Sources.tests,
        Tests.Codec.tests,
        Tests.Hostile.tests,
        Tests.Types.tests
      ]
