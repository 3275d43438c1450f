{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Mismatches
-- Description : What fits, and what is said of what does not
module Tests.Evolution.Mismatches (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode, get, put)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Plan
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import Data.Char (isPrint)
import Data.Either (isLeft, isRight)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Map as M
import Data.Maybe (fromMaybe)
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word32, Word64, Word8)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Evolution.Schemas
import qualified Tests.Evolution.V1 as V1
import qualified Tests.Evolution.V2 as V2

tests :: TestTree
tests =
  testGroup
    "evolution: schemas"
    [ testGroup "mismatches" mismatches,
      testGroup "what fits" fitting,
      testGroup "newer data" newer
    ]

refused :: String -> Schema -> Schema -> [Edit] -> Text -> Misfit -> TestTree
refused name old new edits path what =
  testCase name $ mismatch (planBetween old new edits) @?= Just (path, what)

-- Of types, at the root.
cannot :: String -> Schema -> Schema -> Text -> Text -> TestTree
cannot name old new x y = refused name old new [] "value" (CannotBecome x y)

mismatch :: Either Mismatch a -> Maybe (Text, Misfit)
mismatch = either (\m -> Just (mismatchPath m, mismatchWhat m)) (const Nothing)

message :: Either Mismatch a -> Text
message = either describeMismatch (const "a decoder")

mismatches :: [TestTree]
mismatches =
  [ refused
      "a new field"
      (inside (List Length64) (record []))
      (inside (List Length64) (record [text "a"]))
      []
      "value[].a"
      (FieldIsNew "a"),
    testCase "the message says what to write" $ do
      message (planBetween (record []) (record [text "a"]) [])
        @?= "R.a: the field is new; give it a default with added @\"a\" in the \
            \evolution of R"
      message (plan @V2.Item (schema @V1.Simple))
        @?= "Item: the data have a field one that the type does not have; say dropped @\"one\", \
            \or renamed @\"one\" and its name today in the evolution of Item"
      message (plan @V1.Colour (schema @V2.Colour))
        @?= "Colour: the data may have a constructor Grey that the type does not have; \
            \say droppedConstructor @\"Grey\" in the evolution of Colour"
      message (plan @Int16 (schema @Int32))
        @?= "value: Int32 cannot become Int16; read it as a newtype, and say how with converted \
            \@\"1\" in the newtype's evolution"
      either summarizeMismatch (const "") (plan @Int16 (schema @Int32))
        @?= "value: Int32 cannot become Int16",
    refused
      "a field that is gone"
      (record [text "a", text "b"])
      (record [text "a"])
      []
      "R"
      (FieldIsUnknown "b"),
    refused
      "two fields become one"
      (record [text "a", text "b"])
      (record [text "c"])
      [Renamed "a" "c", Renamed "b" "c"]
      "R.c"
      (FieldIsAmbiguous "c"),
    refused
      "a constructor that is gone"
      (enumeration ["A", "B"])
      (enumeration ["A", "C"])
      []
      "E"
      (ConstructorIsUnknown "B"),
    cannot "a narrower number" (schema @Int32) (schema @Int16) "Int32" "Int16",
    cannot "a sign that is lost" (schema @Int8) (schema @Word64) "Int8" "Word64",
    cannot "a sign that is too large" (schema @Word32) (schema @Int32) "Word32" "Int32",
    cannot
      "narrower bounds"
      (schema @V2.Wide)
      (schema @V2.Narrow)
      "Word8 from 0 to 20"
      "Word8 from 0 to 10",
    cannot "no longer a Maybe" (schema @(Maybe Text)) (schema @Text) "Maybe Text" "Text",
    cannot
      "a Maybe of a Maybe"
      (schema @(Maybe Text))
      (schema @(Maybe (Maybe Text)))
      "Maybe Text"
      "Maybe (Maybe Text)",
    refused
      "a key that gets a field"
      (inside (Set Length64) (record [text "a"]))
      (inside (Set Length64) (record [text "a", text "b"]))
      [Added "b" (encode ("" :: Text))]
      "value[]"
      KeyChanges,
    refused
      "a key with fields in another order"
      (inside (Set Length64) (record [text "a", text "b"]))
      (inside (Set Length64) (record [text "b", text "a"]))
      []
      "value[]"
      KeyChanges,
    refused
      "a key with a constructor in between"
      (inside keyed (enumeration ["A", "B"]))
      (inside keyed (enumeration ["A", "C", "B"]))
      []
      "value{key}"
      KeyChanges,
    refused
      "a key that becomes a Maybe"
      (schema @(S.Set Text))
      (schema @(S.Set (Maybe Text)))
      []
      "value[]"
      (CannotBecome "Text" "Maybe Text"),
    testCase "an irregular type" $
      case plan @(V2.Irregular Int) (schema @(V1.Irregular Int)) of
        Left (Mismatch _ (IsIrregular _) Nothing) -> pure ()
        Left m -> assertFailure (show m)
        Right _ -> assertFailure "a decoder",
    refused
      "an irregular type that is skipped"
      (record [Field "a" (Irregular "I")])
      (record [])
      [Dropped "a"]
      "R.a"
      (IsIrregular "I"),
    refused
      "an opaque format of variable size"
      (record [Field "a" (Opaque "o" 1 Nothing), text "b"])
      (record [Field "a" (Opaque "o" 1 Nothing), text "b", text "c"])
      [Added "c" (encode ("" :: Text))]
      "R.a"
      (NotDescribed "o"),
    refused
      "an opaque format of variable size in a packed part, with a change around it"
      (record [Field "a" (Packed (Tuple [Opaque "o" 1 Nothing])), text "b"])
      (record [Field "a" (Packed (Tuple [Opaque "o" 1 Nothing])), text "b", text "c"])
      [Added "c" (encode ("" :: Text))]
      "R.a"
      (NotDescribed "o"),
    refused
      "an opaque format of variable size in a packed part that is skipped"
      (record [Field "a" (Packed (Tuple [Unpacked (Opaque "o" 1 Nothing)])), text "b"])
      (record [text "b"])
      [Dropped "a"]
      "R.a"
      (NotDescribed "o"),
    refused
      "an irregular type in a packed part that is skipped"
      (record [Field "a" (Packed (Irregular "I")), text "b"])
      (record [text "b"])
      [Dropped "a"]
      "R.a"
      (IsIrregular "I"),
    refused
      "an opaque format of another version"
      (record [Field "a" (Opaque "o" 1 (Just 4))])
      (record [Field "a" (Opaque "o" 2 (Just 4))])
      []
      "R.a"
      (CannotBecome "opaque \"o\" version 1 of 4 bytes" "opaque \"o\" version 2 of 4 bytes"),
    refused
      "an opaque format of another size"
      (record [Field "a" (Opaque "o" 1 (Just 4))])
      (record [Field "a" (Opaque "o" 1 (Just 8))])
      []
      "R.a"
      (CannotBecome "opaque \"o\" version 1 of 4 bytes" "opaque \"o\" version 1 of 8 bytes"),
    testCase "names of the data cannot control a terminal" $
      T.all isPrint (message (planBetween (record [text "\ESC[2J"]) (record []) [])) @?= True
  ]
  where
    keyed k = Map Length64 k (Leaf Unit)

fitting :: [TestTree]
fitting =
  [ testCase "an equal fingerprint is get itself" $
      planned RefuseUnknown (Description (schema @V1.Order) V.empty) today (schema @V1.Order)
        `isJustThis` today,
    testCase "a change of names alone is get itself" $
      planned
        RefuseUnknown
        (Description (schema @V2.Simple) (V.fromList [[Renamed "two" "second"]]))
        simple
        (schema @V1.Simple)
        `isJustThis` simple,
    testCase "an opaque format of variable size, if only names change" $
      isRight
        ( planBetween
            (record [Field "a" (Opaque "o" 1 Nothing)])
            (record [Field "b" (Opaque "o" 1 Nothing)])
            [Renamed "a" "b"]
        )
        @?= True,
    testCase "bounds and fractions are get itself, if only names change" $ do
      let fields name =
            record
              [ Field name (Between 0 100 (Number W8)),
                Field "day" (Between 0 9 Duration),
                Field "ratio" (Ratio (Leaf BigInteger)),
                Field "part" (Ratio (Between 1 9 (Varint W16)))
              ]
          simplest = getValue (fields "b")
          said = V.fromList [[Renamed "a" "b"]]
      planned RefuseUnknown (Description (fields "b") said) simplest (fields "a")
        `isJustThis` simplest,
    testCase "a packed value with a plain part is get itself, if only names around it change" $ do
      let fields name =
            record [Field name (Packed (Tuple [Leaf Boolean, Unpacked (Leaf (Number W16))]))]
          simplest = getValue (fields "b")
          said = V.fromList [[Renamed "a" "b"]]
      planned RefuseUnknown (Description (fields "b") said) simplest (fields "a")
        `isJustThis` simplest,
    testCase "a packed sum gets a constructor whose format is not described" $ do
      let packedSum cs = inside Packed (defined [Definition "E" Sum Unordered cs])
          g = made (planBetween (packedSum [plain "A", plain "B"]) (packedSum sumOfThree) [])
      map (isRight . runGetWhole g) ["\0", "\128"] @?= [True, True],
    testCase "a packed part is left out, whose format is not described where it is retired" $ do
      let retired = [c {constructorRetired = constructorName c == "O"} | c <- sumOfThree]
          old =
            defined
              [ Definition
                  "R"
                  Record
                  Unordered
                  [Constructor "R" False [Field "a" (Packed (Reference 1)), text "b"]],
                Definition "E" Sum Unordered retired
              ]
      isRight (planBetween old (record [text "b"]) [Dropped "a"]) @?= True,
    testCase "an opaque format of constant size moves" $
      fmap
        (\g -> runGetWhole (putBack g) "abc\7")
        ( planBetween
            (record [Field "a" (Opaque "o" 1 (Just 3)), Field "b" (Leaf (Number W8))])
            (record [Field "b" (Leaf (Number W16)), Field "a" (Opaque "o" 1 (Just 3))])
            []
        )
        @?= Right (Right "\7\0abc"),
    testCase "a map whose keys become wider, negative ones too" $ do
      let old = M.fromList [(k, ()) | k <- [-300, -1, 0, 1, 300 :: Int16]]
      fmap (\g -> runGetWhole g (encode old)) (plan @(M.Map Int64 ()) (schema @(M.Map Int16 ())))
        @?= Right (Right (M.mapKeys fromIntegral old)),
    testCase "Int to Integer, Int to a list, Float to a Maybe" $ do
      reads' @Int @Integer (-5) (-5)
      reads' @Int @[Int] 5 [5]
      reads' @Float @(Maybe Double) 0.5 (Just 0.5)
      reads' @[Word8] @[Maybe Int32] [1, 2] [Just 1, Just 2]
      reads' @(Maybe Word8) @(Maybe [Int]) (Just 3) (Just [3])
  ]
  where
    plain name = Constructor name False []
    sumOfThree =
      [plain "A", plain "B", Constructor "O" False [Field "1" (Opaque "o" 1 Nothing)]]
    today = get :: Get V1.Order
    simple = get :: Get V2.Simple
    putBack g = (\v -> toStrictByteString (putValue v)) <$> g
    reads' :: forall a b. (Described a, Described b, Eq b, Show b) => a -> b -> Assertion
    reads' x y = fmap (\g -> runGetWhole g (encode x)) (plan @b (schema @a)) @?= Right (Right y)

isJustThis :: Either Mismatch (Get a) -> Get a -> Assertion
isJustThis found g = case found of
  Left m -> assertFailure (show m)
  Right h -> do
    h' <- evaluate h
    g' <- evaluate g
    assertBool "another decoder" (isTrue# (reallyUnsafePtrEquality# h' g'))

-- | An old program, and data of a newer one.
newer :: [TestTree]
newer =
  [ testCase "an unknown field is skipped" $ do
      let old = record [Field "a" (Leaf (Number W8))]
          new = record [text "n", Field "a" (Leaf (Number W8))]
          skipping = planned SkipUnknown (Description old (V.fromList [[]])) (getValue old) new
      mismatch (planBetween new old []) @?= Just ("R", FieldIsUnknown "n")
      runGetWhole (encoded <$> made skipping) (encode ("xyz" :: Text) <> "\7") @?= Right "\7",
    testCase "an unknown constructor is refused by its name" $ do
      let g = made $ planSkipping @V1.Colour (schema @V2.Colour)
      map (isRight . runGetWhole g . B.singleton) [0 .. 4] @?= [True, True, True, False, False]
      either summarizeError (const "") (runGetWhole g "\3")
        @?= "at byte 0: constructor Grey, which the type does not have",
    testCase "compatible schemas" $ do
      compatibleSchema @V2.Order Backward (schema @V1.Order) @?= Right ()
      isLeft (compatibleSchema @V2.Order Forward (schema @V1.Order)) @?= True
      compatibleSchema @V1.Order Full (schema @V1.Order) @?= Right ()
      compatibleSchema @V2.Colour Backward (schema @V1.Colour) @?= Right ()
      isLeft (compatibleSchema @V2.Colour Full (schema @V1.Colour)) @?= True
      -- Nothing can be said of a program that has been released.
      let released = compatibleSchema @V2.Colour Forward (schema @V1.Colour)
      either mismatchAdvice (const Nothing) released @?= Nothing,
    testCase "a translation is the new bytes" $ do
      let found = made (translation @V2.Single (schema @V1.Single))
          g = fromMaybe (error "nothing changes") found
      runGetWhole g "\7" @?= Right (toStrictByteString (put (V2.Single 7)))
  ]
