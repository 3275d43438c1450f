-- It is a list of tests. There is nothing to optimise.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Main
-- Description : The properties of the library
--
-- The same tests run with user code at -O1 and at -O0: rewrite rules and
-- inlining must not change a byte.
module Main (main) where

import Test.Tasty
import qualified Tests.Alone
import qualified Tests.Arithmetic
import qualified Tests.Base64
import qualified Tests.Budget
import qualified Tests.Builder
import qualified Tests.BuilderOrders
import qualified Tests.Bulk
import qualified Tests.ByteLimit
import qualified Tests.ByteOrders
import qualified Tests.Checked
import qualified Tests.Codec
import qualified Tests.CodecCombinators
import qualified Tests.CodecRefined
import qualified Tests.CodecRun
import qualified Tests.Combinators
import qualified Tests.Commit
import qualified Tests.CompatBinary
import qualified Tests.CompatCereal
import qualified Tests.CompatFormats
import qualified Tests.CompatStore
import qualified Tests.CompatText
import qualified Tests.Decimal
import qualified Tests.Deep
import qualified Tests.Dialogue
import qualified Tests.Edited
import qualified Tests.Errors
import qualified Tests.Escape
import qualified Tests.Exceptions
import qualified Tests.Extra
import qualified Tests.Floating
import qualified Tests.Get
import qualified Tests.GetBinary
import qualified Tests.GetCereal
import qualified Tests.GetNames
import qualified Tests.GetVarint
import qualified Tests.Growth
import qualified Tests.Handles
import qualified Tests.Hostile
import qualified Tests.Html
import qualified Tests.Http
import qualified Tests.Inserted
import qualified Tests.Instances
import qualified Tests.Interop
import qualified Tests.Interrupted
import qualified Tests.Kept
import qualified Tests.Large
import qualified Tests.Lazy
import qualified Tests.Literals
import qualified Tests.Loops
import qualified Tests.Masking
import qualified Tests.Names
import qualified Tests.Numbers
import qualified Tests.Offsets
import qualified Tests.OneStep
import qualified Tests.Output
import qualified Tests.Packed
import Tests.Pages (pagesTest)
import qualified Tests.Parts
import qualified Tests.Paths
import qualified Tests.Prim
import qualified Tests.Push
import qualified Tests.PushedValues
import qualified Tests.Put
import qualified Tests.PutCereal
import qualified Tests.ReadFloating
import qualified Tests.Refused
import qualified Tests.Regressions
import qualified Tests.Results
import qualified Tests.Resumed
import qualified Tests.Retention
import qualified Tests.Scan
import qualified Tests.Section
import qualified Tests.Sinks
import qualified Tests.Sources
import qualified Tests.Spans
import qualified Tests.Surrogates
import qualified Tests.Text
import qualified Tests.Thunks
import qualified Tests.Time
import qualified Tests.Types
import qualified Tests.Unicode
import qualified Tests.Unqualified
import qualified Tests.Utf16
import qualified Tests.Varint
import qualified Tests.View
import qualified Tests.Waiting
import qualified Tests.WordSize

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar"
      [ -- First, since these collect garbage hundreds of times, and the constants of other tests
        -- fill the heap.
        Tests.Kept.tests,
        Tests.Thunks.tests,
        Tests.Resumed.tests,
        Tests.Retention.tests,
        Tests.Alone.tests,
        Tests.Arithmetic.tests,
        Tests.Base64.tests,
        Tests.Budget.tests,
        Tests.ByteLimit.tests,
        Tests.Builder.tests,
        Tests.BuilderOrders.tests,
        Tests.Bulk.tests,
        Tests.ByteOrders.tests,
        Tests.Checked.tests,
        Tests.Codec.tests,
        Tests.CodecCombinators.tests,
        Tests.CodecRefined.tests,
        Tests.CodecRun.tests,
        Tests.Combinators.tests,
        Tests.Commit.tests,
        Tests.CompatBinary.tests,
        Tests.CompatCereal.tests,
        Tests.CompatFormats.tests,
        Tests.CompatStore.tests,
        Tests.CompatText.tests,
        Tests.Decimal.tests,
        Tests.Deep.tests,
        Tests.Dialogue.tests,
        Tests.Edited.tests,
        Tests.Errors.tests,
        Tests.Escape.tests,
        Tests.Exceptions.tests,
        Tests.Extra.tests,
        Tests.Floating.tests,
        Tests.Get.tests,
        Tests.GetBinary.tests,
        Tests.GetCereal.tests,
        Tests.GetNames.tests,
        Tests.GetVarint.tests,
        Tests.Growth.tests,
        Tests.Handles.tests,
        Tests.Hostile.tests,
        Tests.Html.tests,
        Tests.Http.tests,
        Tests.Inserted.tests,
        Tests.Instances.tests,
        Tests.Interop.tests,
        Tests.Interrupted.tests,
        Tests.Large.tests,
        Tests.Lazy.tests,
        Tests.Literals.tests,
        Tests.Loops.tests,
        Tests.Masking.tests,
        Tests.Names.tests,
        Tests.Numbers.tests,
        Tests.Offsets.tests,
        Tests.Spans.tests,
        Tests.Surrogates.tests,
        Tests.OneStep.tests,
        Tests.Output.tests,
        Tests.Packed.tests,
        pagesTest,
        Tests.Parts.tests,
        Tests.Paths.tests,
        Tests.Prim.tests,
        Tests.Push.tests,
        Tests.PushedValues.tests,
        Tests.Put.tests,
        Tests.PutCereal.tests,
        Tests.ReadFloating.tests,
        Tests.Refused.tests,
        Tests.Regressions.tests,
        Tests.Results.tests,
        Tests.Scan.tests,
        Tests.Section.tests,
        Tests.Sinks.tests,
        Tests.Sources.tests,
        Tests.Text.tests,
        Tests.Unicode.tests,
        Tests.Time.tests,
        Tests.Types.tests,
        Tests.Unqualified.tests,
        Tests.Utf16.tests,
        Tests.Varint.tests,
        Tests.View.tests,
        Tests.Waiting.tests,
        Tests.WordSize.tests
      ]
