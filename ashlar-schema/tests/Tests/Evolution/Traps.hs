{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Traps
-- Description : Messages, and what must not go wrong
module Tests.Evolution.Traps (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode, get, put)
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Plan
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
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
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import qualified Tests.Evolution.V1 as V1
import qualified Tests.Evolution.V2 as V2

tests :: TestTree
tests =
  testGroup
    "evolution"
    [ testGroup "mismatches" mismatches,
      testGroup "what fits" fitting,
      testGroup "tags" tags,
      testGroup "errors" errors,
      testGroup "costs" costs,
      testGroup "newer data" newer,
      testCase "an interrupted decode goes on" interrupted
    ]

record :: [Field] -> Schema
record fields = defined [Definition "R" Record Unordered [Constructor "R" False fields]]

enumeration :: [Text] -> Schema
enumeration names = defined [Definition "E" Sum Unordered [Constructor n False [] | n <- names]]

-- The first one is the root.
defined :: [Definition] -> Schema
defined ds = Schema (Reference 0) (V.fromList ds)

inside :: (Shape -> Shape) -> Schema -> Schema
inside f s = s {schemaRoot = f (schemaRoot s)}

planBetween :: Schema -> Schema -> [Edit] -> Either Mismatch (Get Value)
planBetween old new edits = planned RefuseUnknown (Description new said) (getValue new) old
  where
    said = V.map (const edits) (schemaDefinitions new)

refused :: String -> Schema -> Schema -> [Edit] -> Text -> Misfit -> TestTree
refused name old new edits path what =
  testCase name $ mismatch (planBetween old new edits) @?= Just (Mismatch path what)

-- Of types, at the root.
cannot :: String -> Schema -> Schema -> Text -> Text -> TestTree
cannot name old new x y = refused name old new [] "value" (CannotBecome x y)

mismatch :: Either Mismatch a -> Maybe Mismatch
mismatch = either Just (const Nothing)

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
    testCase "says what to write" $ do
      message (planBetween (record []) (record [text "a"]) [])
        @?= "R.a: the field is new; give it a default with added"
      message (plan @V2.Item (schema @V1.Simple))
        @?= "Item: the data have a field one that the type does not have; say dropped @\"one\", \
            \or renamed @\"one\" and its name today"
      message (plan @V1.Colour (schema @V2.Colour))
        @?= "Colour: the data may have a constructor Grey that the type does not have; \
            \say droppedConstructor @\"Grey\", or renamedConstructor @\"Grey\" and its name today"
      message (plan @Int16 (schema @Int32))
        @?= "value: Int32 cannot become Int16; say how with converted",
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
      "Text"
      "Maybe Text",
    cannot "a set is no list" (schema @(S.Set Text)) (schema @[Text]) "Set Text" "[Text]",
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
        Left (Mismatch _ (IsIrregular _)) -> pure ()
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

text :: Text -> Field
text name = Field name (Leaf (Utf8 Length64))

fitting :: [TestTree]
fitting =
  [ testCase "an equal fingerprint is get itself" $
      planned RefuseUnknown (Description (schema @V1.Order) V.empty) today (schema @V1.Order)
        `isJustThis` today,
    testCase "names alone are get itself" $
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

tags :: [TestTree]
tags =
  [ testCase "an invalid old tag does not become a new constructor" $ do
      let g = made $ plan @V2.Colour (schema @V1.Colour)
      map (isRight . runGetWhole g . B.singleton) [0 .. 4] @?= [True, True, True, False, False],
    testCase "the same in a key" $ do
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
    testCase "the same offset in chunks" $ do
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
    testCase "so they are for small elements" $ do
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
      limited 10000000 (runGetWhole (length <$> g) (encode (2 ^ (40 :: Int) :: Int))) isLeft,
    testCase "a length that the input does not have, skipped" $ do
      let g = made $ planBetween (record [text "a"]) (record []) [Dropped "a"]
      limited 10000000 (runGetWhole g (encode (2 ^ (40 :: Int) :: Int))) isLeft,
    testCase "many elements of no bytes, skipped" $ do
      let old = record [Field "a" (List Length64 (Leaf Unit))]
          g = made $ planBetween old (record []) [Dropped "a"]
      limited 10000000 (runGetWhole g (encode (2 ^ (60 :: Int) :: Int))) isLeft,
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
    testCase "the same with newtypes" $ do
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

-- | An old program, and data of a newer one.
newer :: [TestTree]
newer =
  [ testCase "a field that it does not know" $ do
      let old = record [Field "a" (Leaf (Number W8))]
          new = record [text "n", Field "a" (Leaf (Number W8))]
          skipping = planned SkipUnknown (Description old (V.fromList [[]])) (getValue old) new
      mismatch (planBetween new old []) @?= Just (Mismatch "R" (FieldIsUnknown "n"))
      runGetWhole (encoded <$> made skipping) (encode ("xyz" :: Text) <> "\7") @?= Right "\7",
    testCase "a constructor that it does not know" $ do
      let g = made $ planSkipping @V1.Colour (schema @V2.Colour)
      map (isRight . runGetWhole g . B.singleton) [0 .. 4] @?= [True, True, True, False, False]
      either summarizeError (const "") (runGetWhole g "\3")
        @?= "at byte 0: constructor Grey, which is no longer in use",
    testCase "compatible" $ do
      compatible @V2.Order Backward (schema @V1.Order) @?= Right ()
      isLeft (compatible @V2.Order Forward (schema @V1.Order)) @?= True
      compatible @V1.Order Full (schema @V1.Order) @?= Right ()
      compatible @V2.Colour Backward (schema @V1.Colour) @?= Right ()
      isLeft (compatible @V2.Colour Full (schema @V1.Colour)) @?= True,
    testCase "a translation is the new bytes" $ do
      let found = made (translation @V2.Single (schema @V1.Single))
          g = fromMaybe (error "nothing changes") found
      runGetWhole g "\7" @?= Right (toStrictByteString (put (V2.Single 7)))
  ]

encoded :: Value -> B.ByteString
encoded = toStrictByteString . putValue

made :: Either Mismatch g -> g
made = either (error . show) id
