{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Traps
-- Description : What must not go wrong in old values
module Tests.Evolution.Traps (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode, get)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Ashlar.Schema.Internal.Describe (Edit (..))
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft, isRight)
import Data.Int (Int32, Int64)
import qualified Data.Map as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Evolution.Schemas
import qualified Tests.Evolution.V1 as V1
import qualified Tests.Evolution.V2 as V2

tests :: TestTree
tests =
  testGroup
    "evolution: values"
    [ testGroup "tags" tags,
      testGroup "errors" errors,
      testGroup "costs" costs,
      testCase "an interrupted decode goes on" interrupted
    ]

tags :: [TestTree]
tags =
  [ testCase "an invalid old tag does not become a new constructor" $ do
      let g = made $ plan @V2.Colour (schema @V1.Colour)
      map (isRight . runGetWhole g . B.singleton) [0 .. 4] @?= [True, True, True, False, False],
    testCase "an invalid old tag in a key" $ do
      let g = made $ plan @(M.Map V2.Colour ()) (schema @(M.Map V1.Colour ()))
      map (isRight . runGetWhole g . B.append "\1\0\0\0\0\0\0\0" . B.singleton) [0 .. 4]
        @?= [True, True, True, False, False],
    testCase "more than 256 constructors" $ do
      let old = enumeration [T.pack ("C" ++ show i) | i <- [1 .. 200 :: Int]]
          new = enumeration [T.pack ("C" ++ show i) | i <- reverse [1 .. 300 :: Int]]
          g = made $ planBetween old new []
      map (bytesOf g . B.singleton) [0, 199, 200, 255]
        @?= [Just [43, 1], Just [100, 0], Nothing, Nothing],
    testCase "fewer than 256 constructors" $ do
      let names = [T.pack ("C" ++ show i) | i <- [1 .. 300 :: Int]]
          old = enumeration names
          new = enumeration (drop 100 names)
          g = made $ planBetween old new [DroppedConstructor n | n <- take 100 names]
      map (bytesOf g) ["\99\0", "\100\0", "\43\1", "\44\1"]
        @?= [Nothing, Just [0], Just [199], Nothing],
    testCase "invalid tags of two sums side by side" $ do
      -- (The tables of the two follow each other in memory.)
      let sums order =
            defined
              [ Definition "R" Record Unordered [Constructor "R" False fields],
                Definition "A" Sum Unordered [Constructor n False [] | n <- order ["a", "b", "c"]],
                Definition "B" Sum Unordered [Constructor n False [] | n <- order ["d", "e", "f"]]
              ]
          fields = [Field "x" (Reference 1), Field "y" (Reference 2), Field "z" (Leaf (Number W8))]
          g = made $ planBetween (sums id) (sums reverse) []
      [bytesOf g (B.pack [x, y, 7]) | x <- [0 .. 255], y <- [0 .. 255]]
        @?= [ if x < 3 && y < 3 then Just [2 - x, 2 - y, 7] else Nothing
              | x <- [0 .. 255],
                y <- [0 .. 255]
            ],
    testCase "old bounds are checked" $ do
      let g = made $ plan @V2.Wide (schema @V2.Narrow)
      map (isRight . runGetWhole g . B.singleton) [0, 10, 11, 20, 21]
        @?= [True, True, False, False, False],
    testCase "no elements of a NonEmpty that is a list today" $ do
      let old = Schema (NonEmpty Length64 (Leaf (Number W8))) V.empty
          g = made $ planBetween old (schema @[Word8]) []
      isLeft (runGetWhole g (B.replicate 8 0)) @?= True
  ]
  where
    bytesOf g bytes =
      either
        (const Nothing)
        (Just . B.unpack . toStrictByteString . putValue)
        (runGetWhole g bytes)

-- | An error of today's decoder is at the offset of the old byte.
errors :: [TestTree]
errors =
  [ failing @V1.Order @V2.Order
      "in a field that moved"
      (edited (encode sample) ("paid" `B.append` "\7\0\0\0") "pa\255d\7\0\0\0")
      "Order.status.Just.Paid.by[0]",
    testCase "the offset and the path in a moved record" $
      errorAt (B.pack [0, 5, 3, 0, 0, 0, 0, 0, 0, 0, 97, 255, 97]) @?= (11, ["R.b"]),
    testCase "the offset in a moved record, in chunks" $ do
      let bytes = B.pack [0, 5, 3, 0, 0, 0, 0, 0, 0, 0, 97, 255, 97]
          lazy = runGetLazyWhole moved (L.fromChunks (map B.singleton (B.unpack bytes)))
      either (Left . errorOffset) Right lazy
        @?= either (Left . errorOffset) Right (runGetWhole moved bytes),
    testCase "trailing input is trailing in the old bytes" $
      either
        errorReason
        (const NoAlternative)
        (runGetWhole moved (B.pack [0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 9]))
        @?= TrailingInput,
    testCase "the message of a tag" $ do
      let g = made $ plan @V2.Colour (schema @V1.Colour)
      either summarizeError (const "") (runGet g "\3")
        @?= "at byte 0: Colour: there is no constructor 3"
  ]
  where
    sample =
      V1.Order 1 "note" [] 3 4 (V1.Paid "paid" 7) M.empty Nothing (True, 1)
    edited bytes old new = case B.breakSubstring old bytes of
      (a, b) -> B.concat [a, new, B.drop (B.length old) b]
    moved =
      either (error . show) id $
        planBetween
          (record [number "z" W8, number "a" I8, text "b"])
          (record [text "b", text "n", number "a" I64, number "z" W8])
          [Added "n" (encode ("default" :: Text))]
    number name n = Field name (Leaf (Number n))
    errorAt bytes =
      either (\e -> (errorOffset e, errorLabels e)) (const (-1, [])) (runGetWhole moved bytes)

-- With the offset that the old decoder has, and this path.
failing :: forall a b. (Described a, Described b) => String -> B.ByteString -> String -> TestTree
failing name bytes path = testCase name $
  case (runGetWhole (get @a) bytes, runGetWhole (made (plan @b (schema @a))) bytes) of
    (Left old, Left new) -> (errorOffset new, errorLabels new) @?= (errorOffset old, [path])
    _ -> assertFailure "it is not refused"

costs :: [TestTree]
costs =
  [ testCase "large defaults for elements of no bytes are limited" $ do
      let g = made $ plan @[V2.Empty] (schema @[V1.Empty])
      limited 100000000 (runGetWhole (length <$> g) (encode (1000000 :: Int))) isOverBudget,
    testCase "large defaults for small elements are limited" $ do
      let old = record [Field "a" (Leaf (Number W8))]
          new = record [Field "a" (Leaf (Number W8)), Field "b" (Leaf (Utf8 Length64))]
          g =
            made $
              planBetween
                old {schemaRoot = List Length64 (Reference 0)}
                new {schemaRoot = List Length64 (Reference 0)}
                [Added "b" (encode (T.replicate 10000 "x"))]
          bytes n = encode (replicate n (7 :: Word8))
      limited 800000000 (runGetWhole (() <$ g) (bytes 100000)) isOverBudget
      -- With steps for it, they are no error.
      isRight (runGetWhole (() <$ g) (bytes 100)) @?= True,
    testCase "a length that the input does not have" $ do
      let g = made $ plan @[Int64] (schema @[Int32])
      limited 10000000 (runGetWhole (length <$> g) (encode (2 ^ (40 :: Int) :: Int64))) isLeft,
    testCase "a length that the input does not have, skipped" $ do
      let g = made $ planBetween (record [text "a"]) (record []) [Dropped "a"]
      limited 10000000 (runGetWhole g (encode (2 ^ (40 :: Int) :: Int64))) isLeft,
    testCase "many elements of no bytes, skipped" $ do
      let old = record [Field "a" (List Length64 (Leaf Unit))]
          g = made $ planBetween old (record []) [Dropped "a"]
      limited 10000000 (runGetWhole g (encode (2 ^ (60 :: Int) :: Int64))) isLeft,
    testCase "nesting is limited" $ do
      let g = made $ plan @V2.Chain (schema @V1.Chain)
          deep n = B.concat (replicate n "\1\7") `B.append` "\0"
      isRight (runGetWhole g (deep 10000)) @?= True
      isOverBudget (runGetWhole g (deep 200000)) @?= True,
    testCase "skipped nesting is limited" $ do
      let old = schema @V1.Item
          g = made $ plan @V2.Item old
          deep n = B.concat (replicate n "\1") `B.append` B.replicate (n + 1) 0
          item n = encode ("" :: Text) <> encode (1 :: Float) <> deep n
      isOverBudget (runGetWhole g (item 200000)) @?= True,
    testCase "moved fields of a recursive type take linear time" $ do
      let g = made $ plan @V2.Chain (schema @V1.Chain)
          deep n = B.concat (replicate n "\1\7") `B.append` "\0"
      a <- allocated (runGetWhole (() <$ g) (deep 5000))
      b <- allocated (runGetWhole (() <$ g) (deep 50000))
      assertBool (show (a, b)) (b < 20 * a),
    testGroup
      "hostile schemas take bounded time"
      [ hostile "numbers" (Leaf (Number W8)) isLeft,
        hostile "nothing" (Leaf Unit) isRight,
        hostile "strings" (Leaf (Utf8 Length64)) isLeft,
        hostile "recursion" (Reference 0) isLeft
      ],
    testCase "hostile schemas of newtypes take bounded time" $ do
      let old = defined (one Record (Reference 1) : doubledOnes Newtype 1 (Leaf (Utf8 Length64)))
      limited
        300000000
        (runGetWhole (made (planBetween old (record []) [Dropped "a"])) "")
        isLeft
  ]
  where
    -- Each is two of the next one: 2^60 of the last.
    doubledOnes form from final =
      map (one form) ([Tuple [Reference i, Reference i] | i <- [from + 1 .. from + 60]] ++ [final])
    one form shape = Definition "T" form Unordered [Constructor "C" False [Field "a" shape]]
    hostile name final right = testCase name $ do
      let old = defined (doubledOnes Record 0 final)
      limited 300000000 (runGetWhole (made (planBetween old (record []) [Dropped "a"])) "") right
    isOverBudget r = case r of
      Left (DecodeError {errorReason = OverBudget _}) -> True
      _ -> False

limited :: Int64 -> r -> (r -> Bool) -> Assertion
limited most r right = do
  setAllocationCounter 0
  ok <- evaluate (right r)
  left <- getAllocationCounter
  assertBool "another result" ok
  assertBool (show (negate left) ++ " bytes") (negate left < most)

allocated :: r -> IO Int64
allocated r = do
  setAllocationCounter 0
  _ <- evaluate r
  negate <$> getAllocationCounter

-- Forced again and again, each time for a little longer. (If it is not interrupted, that is well.)
interrupted :: Assertion
interrupted = do
  let olds = [V1.Binding "b" (V1.Let [] (V1.Literal n)) | n <- [1 .. 5000]]
      news = [V2.Binding (V2.Let [] (V2.Literal n)) "b" True | n <- [1 .. 5000]]
      bytes = encode olds
      g = made $ plan @[V2.Binding] (schema @[V1.Binding])
      chunks = L.fromChunks (map (\i -> B.take 100 (B.drop i bytes)) [0, 100 .. B.length bytes])
      force t r = timeout t (evaluate r) >>= maybe (force (t + 100) r) pure
  whole' <- force 100 (runGetWhole g bytes)
  whole' @?= Right news
  inChunks <- force 100 (runGetLazyWhole g chunks)
  inChunks @?= Right news
