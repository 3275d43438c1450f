{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Tests.Texts
-- Description : Schemas for people, as JSON, and their differences
module Tests.Texts (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (Codec)
import Ashlar.Codec.Wrappers (Compact)
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Schema
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Char (isPrint)
import Data.Int (Int16, Int32)
import qualified Data.List.NonEmpty as NE
import qualified Data.Map as M
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (NonEmpty)
import qualified Tests.Derived as Derived
import Tests.Fingerprints (changedPair)
import Tests.Generate

tests :: TestTree
tests =
  testGroup
    "texts"
    [ testCase "for people" forPeople,
      testCase "JSON" $
        toStrictByteString (schemaToJson (schema @(Maybe Derived.Colour))) @?= colourJson,
      testProperty "random JSON is JSON" $
        forAll genSchema $ \s -> isJson (toStrictByteString (schemaToJson s)),
      testProperty "a name cannot control a terminal" $ \name ->
        let s = Schema (Opaque (T.pack name) 0 Nothing) V.empty
            d =
              Definition
                (T.pack name)
                Sum
                Unordered
                [Constructor (T.pack name) False [Field (T.pack name) (Leaf Unit)]]
            s' = Schema (Reference 0) (V.fromList [d])
            safe = T.all (\c -> c == '\n' || isPrint c)
         in safe (describeSchema s)
              .&&. safe (describeSchema s')
              .&&. isJson (toStrictByteString (schemaToJson s'))
              .&&. isJson (toStrictByteString (schemaToJson s)),
      testGroup "differences" differences
    ]

data Order = Order
  { number :: Int,
    items :: [Item],
    notes :: M.Map Text (Maybe Note),
    channel :: Channel,
    fourthField :: Wrappers.Varint Word16
  }
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Item = Item Text Double (Derived.Pair Int16) (Derived.Pair Bool)
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

newtype Note = Note {text :: Compact Text}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Channel
  = Web
  | Shop
      { street :: Text,
        till :: Either Word8 (Compact (S.Set Char)),
        openedInTheYear :: Int16,
        shutAt :: Int16
      }
  | Unknown
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

forPeople :: Assertion
forPeople =
  T.lines (describeSchema (schema @(V.Vector Order)))
    @?= [ "[Order]",
          "",
          "data Order = Order",
          "  { number :: Int64",
          "  , items :: [Item]",
          "  , notes :: Map Text (Maybe Note)",
          "  , channel :: Channel",
          "  , fourthField :: Varint Word16",
          "  }",
          "",
          "data Item = Item Text Double Pair#2 Pair#3",
          "",
          "data Pair#2 = Pair Int16 Int16",
          "",
          "data Pair#3 = Pair Bool Bool",
          "",
          "newtype Note = Note { text :: Compact Text }",
          "",
          "data Channel",
          "  = Web",
          "  | Shop { street :: Text, till :: Either, openedInTheYear :: Int16, shutAt :: Int16 }",
          "  | Unknown",
          "",
          "data Either = Left Word8 | Right (Compact (Set Char))"
        ]

colourJson :: B.ByteString
colourJson =
  "{\"root\":{\"type\":\"maybe\",\"of\":{\"type\":\"reference\",\"to\":0}},\"definitions\":\
  \[{\"name\":\"Colour\",\"form\":\"sum\",\"order\":\"unknown\",\"constructors\":\
  \[{\"name\":\"Red\",\"fields\":[]},{\"name\":\"Green\",\"fields\":[]},\
  \{\"name\":\"Blue\",\"fields\":[]}]}]}"

-- A naive reader of JSON, without white space.
isJson :: B.ByteString -> Bool
isJson bytes = any null (value (C.unpack bytes))
  where
    value :: String -> [String]
    value s = case s of
      '{' : '}' : rest -> [rest]
      '[' : ']' : rest -> [rest]
      '{' : rest -> list member '}' rest
      '[' : rest -> list value ']' rest
      '"' : _ -> string s
      't' : 'r' : 'u' : 'e' : rest -> [rest]
      _ -> case span (`elem` ("-0123456789" :: String)) s of
        (_ : _, rest) -> [rest]
        _ -> []
    list one end s = one s >>= next
      where
        next r = case r of
          ',' : rest -> one rest >>= next
          c : rest | c == end -> [rest]
          _ -> []
    member s = [rest' | ':' : rest <- string s, rest' <- value rest]
    string s = case s of
      '"' : rest -> inString rest
      _ -> []
    inString s = case s of
      '"' : rest -> [rest]
      '\\' : 'u' : rest -> inString (drop 4 rest)
      '\\' : c : rest | c `elem` ("\"\\/bfnrt" :: String) -> inString rest
      c : rest | c >= ' ' && c /= '\\' -> inString rest
      _ -> []

differences :: [TestTree]
differences =
  [ testProperty "a schema does not differ from itself" $
      forAll genSchema (\s -> diffSchemas s s === []),
    testProperty "none, if the fingerprints are equal" $
      forAll ((,) <$> genSchema <*> genSchema) $ \(s, s') ->
        schemaFingerprint s /= schemaFingerprint s' || null (diffSchemas s s'),
    testProperty "some, if the fingerprints differ" $
      forAll ((,) <$> genSchema <*> genSchema) $ \(s, s') ->
        schemaFingerprint s == schemaFingerprint s' || not (null (diffSchemas s s')),
    testProperty "some, if one thing has changed that counts" $
      forAll changedPair (\(_, s, s') -> not (null (diffSchemas s s'))),
    found
      "a field added"
      (record' [i32 "a", i32 "b"])
      (record' [i32 "a", text' "c", i32 "b"])
      ["R: field c added: Text"],
    found
      "a field dropped"
      (record' [i32 "a", text' "b"])
      (record' [i32 "a"])
      ["R: field b dropped: Text"],
    found
      "a field renamed"
      (record' [i32 "a", text' "b"])
      (record' [i32 "a", text' "c"])
      ["R: field b renamed to c?"],
    found
      "a field renamed after one that was added"
      (record' [i32 "a", text' "b"])
      (record' [i32 "new", i32 "a", text' "c"])
      ["R: field b renamed to c?", "R: field new added: Int32"],
    found
      "no rename to another type"
      (record' [text' "b"])
      (record' [i32 "c"])
      ["R: field b dropped: Text", "R: field c added: Int32"],
    found
      "fields reordered"
      (record' [i32 "a", text' "b"])
      (record' [text' "b", i32 "a"])
      ["R: fields reordered: a, b to b, a"],
    found
      "widened inside of containers"
      (schema @(M.Map Text [Maybe Int16]))
      (schema @(M.Map Text [Maybe Int32]))
      ["value{}[]: widened: Int16 to Int32"],
    found
      "widened to Integer"
      (schema @Word8)
      (schema @Integer)
      ["value: widened: Word8 to Integer"],
    found "narrowed" (schema @Int32) (schema @Int16) ["value: changed: Int32 to Int16"],
    found "the sign" (schema @Int32) (schema @Word16) ["value: changed: Int32 to Word16"],
    found
      "another way of writing"
      (schema @Word16)
      (schema @(Wrappers.Varint Word16))
      ["value: changed: Word16 to Varint Word16"],
    found
      "made optional"
      (record' [i32 "a"])
      (record' [Field "a" (Optional (Leaf (Number I32)))])
      ["R.a: made optional: Int32 to Maybe Int32"],
    found
      "made optional, and changed inside"
      (record' [i32 "a"])
      (Schema (Optional (Reference 0)) (schemaDefinitions (record' [i32 "a", text' "b"])))
      ["value: made optional: R to Maybe R", "R: field b added: Text"],
    found
      "constructors"
      (sum' ["A", "B", "C", "D"])
      (sum' ["A", "X", "D", "C", "E"])
      [ "S: constructor B renamed to X?",
        "S: constructor E added",
        "S: constructors reordered: A, C, D to A, D, C"
      ],
    found "a constructor dropped" (sum' ["A", "B"]) (sum' ["A"]) ["S: constructor B dropped"],
    found
      "a constructor retired"
      (retiring [False, False])
      (retiring [False, True])
      ["S: constructor 1 retired"],
    found
      "a constructor in use again"
      (retiring [False, True])
      (retiring [False, False])
      ["S: constructor 1 in use again"],
    found
      "a list that may be empty"
      (schema @(NE.NonEmpty Int16))
      (schema @[Int32])
      ["value: changed: NonEmpty Int16 to [Int32]", "value[]: widened: Int16 to Int32"],
    found
      "one type that became more than 16"
      (parted (replicate 18 0))
      (parted [0 .. 17])
      ["R.17: changed: S to S#17", "R.18: changed: S to S#18"],
    found
      "two types that became one"
      (parted [0, 1])
      (parted [0, 0])
      ["value: changed: R to R"],
    found
      "in a recursive type, once"
      (schema @(Derived.Tree Int16))
      (schema @(Derived.Tree Int32))
      ["Tree.Node.2: widened: Int16 to Int32"],
    found "a newtype" (schema @Note) (schema @(Compact Text)) [],
    found
      "another type"
      (schema @Note)
      (schema @Derived.Colour)
      ["value: changed: Compact Text to Colour"]
  ]
  where
    found name old new wanted =
      testCase name (map describeDifference (diffSchemas old new) @?= wanted)
    record' fields =
      Schema
        (Reference 0)
        (V.fromList [Definition "R" Record Unordered [Constructor "R" False fields]])
    sum' names =
      Schema
        (Reference 0)
        (V.fromList [Definition "S" Sum Unordered [Constructor n False [] | n <- names]])
    retiring flags =
      Schema
        (Reference 0)
        ( V.fromList
            [ Definition "S" Sum Unordered $
                [Constructor (T.pack (show i)) r [] | (i, r) <- zip [0 :: Int ..] flags]
            ]
        )
    -- A record, and the types of its fields, all alike.
    parted types =
      Schema
        (Reference 0)
        ( V.fromList $
            Definition
              "R"
              Record
              Unordered
              [ Constructor "R" False $
                  [Field (T.pack (show i)) (Reference (1 + t)) | (i, t) <- zip [1 :: Int ..] types]
              ] :
            replicate
              (1 + maximum types)
              (Definition "S" Record Unordered [Constructor "S" False [i32 "a"]])
        )
    i32 name = Field name (Leaf (Number I32))
    text' name = Field name (Leaf (Utf8 Length64))
