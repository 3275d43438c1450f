{-# LANGUAGE OverloadedStrings #-}
-- Optimised: text's rule for literals is what makes such a text.
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Tests.Surrogates
-- Description : A text that ends in half a surrogate pair
--
-- A literal with a surrogate is such a text with text 1.2. It must be written without reading what
-- lies after it in memory, and in the same way by all builders.
module Tests.Surrogates (tests) where

import Ashlar.Builder
import Ashlar.Builder.Escape (escaping, textUtf8Escaped)
import qualified Ashlar.Builder.Prim as P
import Ashlar.Compat.Text.Encoding (encodeUtf8BuilderEscaped)
import qualified Data.Text as T
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests = testCase "a text that ends in half a surrogate pair: all builders agree" $ do
  let plain = toStrictByteString (textUtf8 half)
      escaped = toStrictByteString (textUtf8Escaped (escaping (const Nothing)) half)
      compat = toStrictByteString (encodeUtf8BuilderEscaped (P.liftFixedToBounded P.word8) half)
  assertBool (show plain) (plain `elem` ["abc\xED\xA0\x80", "abc\xEF\xBF\xBD"])
  [escaped, compat] @?= [plain, plain]

half :: T.Text
half = "abc\xD800"
{-# NOINLINE half #-}
