{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Hostile
-- Description : Schemas that no type has
module Tests.Hostile (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (decode, encode)
import Ashlar.Get
  ( Budget (..),
    DecodeError (..),
    Reason (..),
    defaultBudget,
    runGet,
    runGetWhole,
    runGetWith,
    withBudget,
  )
import Ashlar.Schema
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import Data.Either (isLeft, isRight)
import Data.Int (Int64)
import Data.List (isInfixOf)
import qualified Data.Text as T
import qualified Data.Vector as V
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (NonEmpty, again)
import Tests.Fingerprints (usedOften)
import Tests.Generate

tests :: TestTree
tests =
  testGroup
    "untrusted schemas"
    [ testGroup "are refused" refusals,
      testGroup "cost no more than the budget" costs,
      testCase "a bound of many digits is not shown" $ do
        let s = Schema (Between bound bound (Number I8)) V.empty
            bound = 2 ^ (100000 :: Int)
        checkSchema s @?= Right s
        case errorReason <$> leftOf (runGetWhole (getValue s) "\0") of
          Just (Invalid message) -> assertBool message (length message < 100)
          other -> assertFailure (show other),
      testCase "many elements without end fail where the first one does" $ do
        let s = Schema (List Length64 (Reference 0)) (V.singleton chain)
            chain =
              Definition
                "T"
                Record
                Unordered
                [Constructor "C" False [Field "n" (Leaf Float64), Field "t" (Reference 0)]]
            failsAt n =
              (\e -> (errorOffset e, errorReason e)) <$> leftOf (runGetWhole (getValue s) n)
        map (failsAt . encode) [1000, 2 ^ (33 :: Int) :: Int]
          @?= replicate 2 (Just (8, MissingInput 8 0)),
      testCase "a packed constructor that is made by hand may have any number" $
        [ toStrictByteString (putValue (InPacked (Tagged count i c V.empty)))
          | c <- [Constructor "C" False []],
            (count, i) <- [(2, 2), (3, 3), (2, -1), (1, 7), (0, 0), (2 ^ (40 :: Int), 5)]
        ]
          @?= ["\0", "\0", "\0", "", "", "\0\5"],
      testCase "elements that have bytes announce no more than these" $ do
        let pairs = Schema (List Length64 (Tuple [byte, byte])) V.empty
            budget = defaultBudget {budgetBytes = Just 10000}
            n = 2000
            bytes = encode n <> B.replicate (2 * n + 7000) 1
        fmap putValueSize (runGet (withBudget budget (getValue pairs)) bytes) @?= Right (8 + 2 * n),
      testGroup "take no steps for 64 parts of each byte" fewParts,
      testProperty "random schemas decode to themselves" $
        forAll genSchema (\s -> decode (encode s) === Right s),
      testProperty "random schemas decode what they encode" $
        forAll genSchema $ \s -> case genValue s of
          Nothing -> discard
          Just gen -> forAll gen $ \v ->
            let bytes = toStrictByteString (putValue v)
             in runGetWhole (getValue s) bytes === Right v
                  .&&. runGetWhole (getPlainValue s) bytes === Right (plainValue v),
      testProperty "any bytes for a random schema" $
        forAll genSchema $ \s -> forAll (B.pack <$> arbitrary) (decodesOrNot s),
      testProperty "edited bytes of a schema" $
        forAll (genSchema >>= mutations . encode) $ \bytes -> case decode bytes of
          Left (DecodeError {}) -> property True
          Right s ->
            encode s === bytes
              .&&. isRight (checkSchema s)
              .&&. T.length (describeSchema s) > 0
              .&&. B.length (toStrictByteString (schemaToJson s)) > 0
              .&&. diffSchemas s s === []
              .&&. decodesOrNot s "\0\1\0\0\0\0\0\0\0\0\1\0\0\0"
    ]

putValueSize :: Value -> Int
putValueSize = B.length . toStrictByteString . putValue

byte :: Shape
byte = Leaf (Number W8)

units :: Int -> [Shape]
units n = replicate n (Leaf Unit)

-- Two values of each, with no steps. One part more takes steps.
fewParts :: [TestTree]
fewParts =
  [ most "elements" 62 (\n -> List Length64 (Tuple (byte : units n))) "\1\1",
    most "elements of a set" 62 (\n -> Set Length64 (Tuple (byte : units n))) "\1\2",
    most "entries" 62 (\n -> Map Length64 byte (Tuple (units n))) "\1\2",
    most
      "what may be missing"
      126
      (List Length64 . Optional . Tuple . (byte :) . units)
      "\1\1\1\1",
    most "packed elements" 62 (packedList . Tuple . (byte :) . units) "\1\1",
    most "packed elements of a bit" 6 (packedList . Tuple . (Leaf Boolean :) . units) "\0",
    most
      "what may be missing, packed"
      14
      (packedList . Optional . Tuple . (Leaf Boolean :) . units)
      "\240"
  ]
  where
    packedList = Packed . List LengthVarint
    most name n shape bytes = testCase name $ map (isRight . decoded) [n, n + 1] @?= [True, False]
      where
        decoded k =
          let s = Schema (shape k) V.empty
           in runGetWith defaultBudget {budgetSteps = 0} (getValue s) (count <> bytes)
        count = case shape n of
          Packed _ -> "\2"
          _ -> "\2\0\0\0\0\0\0\0"

decodesOrNot :: Schema -> B.ByteString -> Property
decodesOrNot s bytes = case runGetWith small (getValue s) bytes of
  Left e -> property (errorOffset e <= fromIntegral (B.length bytes))
  Right v -> counterexample (show v) (toStrictByteString (putValue v) `B.isPrefixOf` bytes)

leftOf :: Either e a -> Maybe e
leftOf = either Just (const Nothing)

small :: Budget
small = defaultBudget {budgetSteps = 10000, budgetDepth = 10000}

refusals :: [TestTree]
refusals =
  [ refused "a reference without a definition" "definition 0" (Schema (Reference 0) V.empty),
    refused
      "a negative reference"
      "definition -1"
      (Schema (List Length64 (Reference (-1))) V.empty),
    refused "a definition that nobody uses" "nothing refers" (one Record [] (Leaf Unit)),
    refused
      "another order than that of the first visit"
      "order"
      (Schema (Tuple [Reference 1, Reference 0]) (V.fromList [sumOf "A", sumOf "B"])),
    refused "a newtype of two fields" "newtype" (newtypeOf [Leaf Unit, Leaf Unit]),
    refused "a newtype of none" "newtype" (newtypeOf []),
    refused "a record of two constructors" "record" (two Record "B"),
    refused
      "a record of none"
      "record"
      (Schema (Reference 0) (V.fromList [Definition "A" Record ByParts []])),
    refused "two constructors of one name" "one name" (two Sum "A"),
    refused
      "two fields of one name"
      "one name"
      (one Record [Field "a" (Leaf Unit), Field "a" (Leaf Boolean)] (Reference 0)),
    refused
      "more than 65,536 constructors"
      "too many"
      (Schema (Reference 0) (V.fromList [Definition "A" Sum ByParts (many 65537)])),
    testCase "65,536 constructors are not too many" $
      isRight (again (Schema (Reference 0) (V.fromList [Definition "A" Sum ByParts (many 65536)])))
        @?= True,
    refused
      "a retired constructor with fields"
      "retired"
      ( Schema
          (Reference 0)
          (V.fromList [Definition "A" Sum ByParts [Constructor "A" True [Field "a" (Leaf Unit)]]])
      ),
    refused "a tuple of one" "fewer than two" (Schema (Tuple [Leaf Unit]) V.empty),
    refused "bounds of text" "no whole number" (Schema (Between 0 1 (Utf8 Length64)) V.empty),
    refused "bounds in the wrong order" "no number" (Schema (Between 1 0 (Number I8)) V.empty),
    refused "a fraction of text" "fraction" (Schema (Ratio (Leaf (Utf8 Length64))) V.empty),
    refused "a negative size" "negative" (Schema (Opaque "a" 0 (Just (-1))) V.empty),
    refused "shapes nested deeply" "nested" (Schema (lists 100 (Leaf Unit)) V.empty),
    testCase "shapes nested not so deeply" $
      isRight (again (Schema (lists 99 (Leaf Unit)) V.empty)) @?= True,
    refused
      "a newtype of many bytes, unwrapped many times"
      "essence has more than 1 GiB"
      (unwrappedOften 25000),
    testCase "not unwrapped so often" $ isRight (again (unwrappedOften 20000)) @?= True,
    testCase "shapes nested beyond the budget" $
      isLeft (again (Schema (lists 200000 (Leaf Unit)) V.empty)) @?= True
  ]
  where
    sumOf name = Definition name Sum ByParts []
    one form fields root =
      Schema root (V.fromList [Definition "A" form ByParts [Constructor "A" False fields]])
    newtypeOf shapes = one Newtype (zipWith Field ["a", "b"] shapes) (Reference 0)
    two form second =
      Schema
        (Reference 0)
        ( V.fromList
            [Definition "A" form ByParts [Constructor "A" False [], Constructor second False []]]
        )
    unwrappedOften n = usedOften n (Constant (B.replicate 50000 1))
    many n = [Constructor (T.pack (show i)) False [] | i <- [1 .. n :: Int]]

lists :: Int -> Shape -> Shape
lists n s = iterate (List Length64) s !! n

again :: Schema -> Either DecodeError Schema
again s = decode (encode s)

refused :: String -> String -> Schema -> TestTree
refused name message s = testCase name $ do
  either (message `isInfixOf`) (const False) (checkSchema s) @? take 1000 (show (checkSchema s))
  case again s of
    Left (DecodeError {errorReason = Invalid found}) -> Left found @?= (() <$ checkSchema s)
    other -> assertFailure (show other)

-- Each is a valid schema, and decoding by it would take for ever, or more memory than there is.
costs :: [TestTree]
costs =
  [ bounded "a record that contains itself" (chain [Reference 0]) (B.replicate 1000 1) failsEarly,
    bounded "a newtype of itself" (newtypes [Reference 0]) "" failsEarly,
    bounded
      "a newtype of lists of itself"
      (newtypes [List Length64 (Reference 0)])
      (B.replicate 8 0)
      succeeds,
    bounded
      "no elements of a type without values"
      (onRoot (List Length64) (chain [Reference 0]))
      (B.replicate 8 0)
      succeeds,
    bounded "a tree of units" (chain (doubled 60 (Leaf Unit))) "" failsEarly,
    bounded
      "a tree of units, one byte at its end"
      (chain (doubled 60 (Leaf (Number W8))))
      "a"
      failsEarly,
    bounded
      "a tree of newtypes of units"
      (newtypes (doubled 60 (Leaf Unit)))
      ""
      failsEarly,
    bounded
      "a tuple of many units"
      (Schema (Tuple (replicate 100000 (Leaf Unit))) V.empty)
      ""
      failsEarly,
    bounded
      "many elements of a byte and many units"
      (Schema (List Length64 (Tuple (Leaf (Number W8) : replicate 2000 (Leaf Unit)))) V.empty)
      (B.append "\16\39\0\0\0\0\0\0" (B.replicate 10000 0))
      failsEarly,
    bounded
      "many elements of a byte and 126 units"
      (Schema (List Length64 (Tuple (byte : units 126))) V.empty)
      (encode (20000 :: Int) <> B.replicate 20000 0)
      failsEarly,
    bounded
      "many packed elements of a bit and 60 units"
      (Schema (Packed (List LengthVarint (Tuple (Leaf Boolean : units 60)))) V.empty)
      ("\160\156\1" <> B.replicate 2500 0)
      failsEarly,
    bounded
      "two to the 60th units before bytes that are not there"
      (chain (Tuple [Reference 1, Opaque "x" 0 (Just 0x1000000)] : drop 1 (doubled 61 (Leaf Unit))))
      ""
      failsEarly,
    bounded
      "many elements of one byte at the end of a long chain"
      (onRoot (List Length64) (newtypes (references 1000 ++ [Leaf (Number W8)])))
      (B.append "\16\39\0\0\0\0\0\0" (B.replicate 10000 0))
      failsEarly,
    bounded
      "a chain of types of no bytes"
      (newtypes (references 9000 ++ [Leaf Unit]))
      ""
      succeeds,
    bounded
      "many elements of no bytes"
      (Schema (List LengthVarint (lists 0 (Tuple [Leaf Unit, Leaf Unit]))) V.empty)
      "\255\255\255\255\255\255\255\255\127"
      failsEarly,
    bounded
      "a length that the input does not have"
      (Schema (List LengthVarint (Leaf (Number W8))) V.empty)
      "\255\255\255\255\255\255\255\255\127"
      failsEarly,
    bounded
      "a map of no bytes"
      (Schema (Map Length64 (Leaf Unit) (Leaf Unit)) V.empty)
      (B.replicate 7 0 <> "\1")
      failsEarly,
    bounded
      "an array whose bounds are wide tuples"
      (Schema (Array (Tuple (replicate 100000 (Leaf (Number W8)))) (Leaf Unit)) V.empty)
      (B.replicate 100000 0 <> B.replicate 100000 255 <> B.replicate 8 0)
      failsEarly,
    bounded
      "an array of no elements, because of the last index of a wide tuple"
      (Schema (Array (Tuple (replicate 100000 (Leaf (Number W8)))) (Leaf Unit)) V.empty)
      (B.replicate 99999 0 <> "\1" <> B.replicate 99999 255 <> B.replicate 9 0)
      succeeds,
    -- The schema is looked at once, and not for each of 20,000 values.
    testGroup
      "many empty values of a wide type"
      [ bounded name (Schema (List LengthVarint shape) definition) empties succeeds
        | (name, shape) <-
            [ ("lists", list wide),
              ("sets", Set LengthVarint wide),
              ("maps", Map LengthVarint wide wide),
              ("packed lists", Packed (list wide)),
              ("lists that are not packed", Packed (Unpacked (list wide))),
              ("records", Reference 0)
            ],
          let definition
                | shape == Reference 0 = schemaDefinitions (definitions Record [list wide])
                | otherwise = V.empty
      ]
  ]
  where
    list = List LengthVarint
    wide = Tuple (replicate 20000 (Leaf (Number W8)))
    empties = "\160\156\1" <> B.replicate 20000 0
    succeeds = isRight
    failsEarly = isLeft
    references n = map Reference [1 .. n]
    -- Each is two of the next one.
    doubled n final =
      [Tuple [Reference i, Reference i] | i <- [1 .. n]] ++ [final]
    chain = definitions Record
    newtypes = definitions Newtype
    definitions form shapes =
      Schema
        (Reference 0)
        ( V.fromList
            [ Definition "T" form Unordered [Constructor "C" False [Field "f" shape]]
              | shape <- shapes
            ]
        )
    onRoot f s = s {schemaRoot = f (schemaRoot s)}

bounded ::
  String -> Schema -> B.ByteString -> (Either DecodeError Value -> Bool) -> TestTree
bounded name s bytes right = testCase name $ do
  -- It is a schema that could have been decoded.
  checkSchema s @?= Right s
  setAllocationCounter 0
  result <- evaluate (runGetWith small (getValue s) bytes)
  _ <- evaluate (schemaFingerprint s)
  _ <- evaluate (T.length (describeSchema s))
  _ <- evaluate (length (diffSchemas s s))
  left <- getAllocationCounter
  assertBool (either show (const "decoded") result) (right result)
  assertBool (show (negate left) ++ " bytes") (negate left < allowance)
  where
    size = fromIntegral (B.length (encode s) + B.length bytes) :: Int64
    allowance = 400000000 + 5000 * size
