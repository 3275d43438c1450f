{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Types
-- Description : What may be said of a type's evolution
module Tests.Types (tests) where

import Ashlar.Codec (decode, encode)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..), described)
import Control.Exception (TypeError (..), evaluate, try)
import Data.Int (Int64)
import Data.List (isInfixOf)
import Data.Text (Text)
import qualified Data.Vector as V
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Types.Rejected

tests :: TestTree
tests =
  testGroup
    "evolution"
    [ testCase "is kept beside the definition" kept,
      testGroup
        "must not compile"
        [testCase name (isRejected wanted x) | (name, wanted, x) <- rejected],
      testGroup "must compile" [testCase name (evaluate x) | (name, x) <- accepted]
    ]

-- The message names the type and the field.
isRejected :: [String] -> () -> Assertion
isRejected wanted x = do
  r <- try (evaluate x)
  case r of
    Left (TypeError message) -> assertBool message (all (`isInfixOf` message) wanted)
    Right () -> assertFailure "it compiles"

kept :: Assertion
kept = case V.toList (descriptionEdits (described @Order)) of
  [[Added "channel" bytes, Renamed "nr" "number", Dropped "note", Converted "price" old g, a, b]] ->
    do
      decode bytes @?= Right ("web" :: Text)
      descriptionSchema old @?= schema @Int64
      runGetWhole g (encode (1250 :: Int64)) @?= Right (encode (12.5 :: Double))
      case (a, b) of
        (RenamedConstructor "Void" "Cancelled", DroppedConstructor "Lost") -> pure ()
        _ -> assertFailure "changes of constructors"
  edits -> assertFailure (show (map length edits))
