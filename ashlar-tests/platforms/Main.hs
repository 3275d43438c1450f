-- |
-- Module      : Main
-- Description : The properties that depend on the machine
--
-- What byte order, alignment and the size of a word can change: numbers, primitives, text, the core
-- of builders and decoders, and all instances with their golden files. For machines that are only
-- emulated, where the whole suite takes too long. @scripts/platforms@ compiles it.
module Main (main) where

import Test.Tasty
import qualified Tests.Arithmetic
import qualified Tests.Base64
import qualified Tests.Builder
import qualified Tests.Bulk
import qualified Tests.ByteOrders
import qualified Tests.Decimal
import qualified Tests.Floating
import qualified Tests.Get
import qualified Tests.GetVarint
import qualified Tests.Instances
import qualified Tests.Numbers
import qualified Tests.Prim
import qualified Tests.ReadFloating
import qualified Tests.Scan
import qualified Tests.Section
import qualified Tests.Text
import qualified Tests.Unicode
import qualified Tests.Utf16
import qualified Tests.Varint

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar"
      [ Tests.Arithmetic.tests,
        Tests.Base64.tests,
        Tests.Builder.tests,
        Tests.Bulk.tests,
        Tests.ByteOrders.tests,
        Tests.Decimal.tests,
        Tests.Floating.tests,
        Tests.Get.tests,
        Tests.GetVarint.tests,
        Tests.Instances.tests,
        Tests.Numbers.tests,
        Tests.Prim.tests,
        Tests.ReadFloating.tests,
        Tests.Scan.tests,
        Tests.Section.tests,
        Tests.Text.tests,
        Tests.Unicode.tests,
        Tests.Utf16.tests,
        Tests.Varint.tests
      ]
