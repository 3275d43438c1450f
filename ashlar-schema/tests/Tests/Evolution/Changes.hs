{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Changes
-- Description : Every kind of change, against decoding as the old type and converting by hand
module Tests.Evolution.Changes (tests, genOrder, order, genExpression, expression) where

import Ashlar.Codec (Codec, decode, encode)
import Ashlar.Codec.Packed (Packed (..))
import Ashlar.Codec.Wrappers (Varint (..))
import Ashlar.Get
import Ashlar.Schema (Described, schema)
import Ashlar.Schema.Evolution
import Control.Applicative (empty, (<|>))
import Data.Bits (xor)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int32)
import qualified Data.List.NonEmpty as NE
import qualified Data.Map as M
import qualified Data.Set as S
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word32, Word64)
import GHC.Float (float2Double)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import qualified Tests.Evolution.V1 as V1
import qualified Tests.Evolution.V2 as V2

tests :: TestTree
tests =
  testGroup
    "changes of types"
    [ changes "records and sums" True genOrder order,
      changes "a list of records" True (resize 10 (listOf genOrder)) (traverse order),
      changes "a vector for a list" True genItems (Just . map item . V.toList),
      changes "recursion" False genTree (Just . tree),
      changes "mutual recursion" False genExpression (Just . expression),
      changes "fields of a recursive type in another order" False genChain (Just . chain),
      changes "keys" False genKeys (Just . keys),
      changes "a constructor at the end" False (elements [minBound .. maxBound]) (Just . colour),
      changes "only names" False (V1.Simple <$> arbitrary <*> arbitrary) $ \(V1.Simple a b) ->
        Just (V2.Simple a b),
      changes "a default for no bytes" False (pure V1.Empty) (\_ -> Just defaultEmpty),
      testProperty "defaults for no bytes" $ \(NonNegative n) ->
        let planned = either (const Nothing) Just (plan (schema @[V1.Empty]))
         in (planned >>= \g -> result (runGetWhole g (encode (replicate n V1.Empty))))
              === Just (replicate n defaultEmpty),
      testGroup
        "elements that have bytes take no steps of the budget"
        [ free "numbers that become others" [1, 2 :: Int32] [1, 2 :: Double],
          free "numbers in LEB128" [Varint 1, Varint (2 :: Word32)] [1, 2 :: Word64],
          free "texts" ["a", "b" :: T.Text] ["a", "b" :: String],
          free "packed numbers" [Packed 1, Packed (2 :: Word32)] [1, 2 :: Word64],
          free "packed again" [Packed 1, Packed (2 :: Word32)] [Packed 1, Packed (2 :: Word64)]
        ],
      changes "a newtype's conversion" False (V1.Money <$> arbitrary) $ \(V1.Money n) ->
        Just (V2.Money (10 * toInteger n)),
      changes "a second constructor" False (V1.Single <$> arbitrary) $ \(V1.Single n) ->
        Just (V2.Single n)
    ]
  where
    defaultEmpty = V2.Empty (T.replicate 1000 "x")
    free :: (Described a, Described b, Eq b, Show b) => String -> a -> b -> TestTree
    free name old new = testCase name $ case plan (schemaOf old) of
      Left m -> assertFailure (show m)
      Right g ->
        runGetWhole (withBudget defaultBudget {budgetSteps = 1} g) (encode old) @?= Right new
    schemaOf (_ :: x) = schema @x

changes ::
  forall a b.
  (Described a, Show a, Described b, Show b) =>
  String ->
  -- Is there something that is skipped?
  Bool ->
  Gen a ->
  (a -> Maybe b) ->
  TestTree
changes name skips gen model = case plan @b (schema @a) of
  Left m -> testProperty name (counterexample (show m) False)
  Right g ->
    testGroup
      name
      [ testProperty "old values are read as today's" $
          forAll gen $ \x -> result (runGetWhole g (encode x)) `same` model x,
        testProperty "old values in chunks" $
          forAll gen $ \x -> forAll (choose (1, 9)) $ \n ->
            result (runGetLazyWhole g (L.fromChunks (cut n (encode x)))) `same` model x,
        testProperty "old values pushed byte by byte" $
          forAll gen $ \x -> pushed g (cut 1 (encode x)) `same` model x,
        testProperty "two old values, one after the other" $
          forAll gen $ \x -> forAll gen $ \y ->
            result (runGetWhole ((,) <$> g <*> g) (encode x <> encode y))
              `same` ((,) <$> model x <*> model y),
        testProperty "old values in an alternative" $
          forAll gen $ \x ->
            result (runGetWhole ((g *> getWord8 *> empty) <|> g) (encode x)) `same` model x,
        testProperty "truncated old values are refused" $
          forAll gen $ \x ->
            let bytes = encode x
             in conjoin
                  [ case runGetWhole g (B.take n bytes) of
                      Left e -> counterexample (show e) (errorOffset e <= fromIntegral n)
                      Right _ -> counterexample (show n) False
                    | n <- [0 .. min 300 (B.length bytes - 1)]
                  ],
        testProperty "each byte of an old value damaged" $
          forAll gen $ \x ->
            forAll (choose (1, 255)) $ \w ->
              let bytes = encode x
               in conjoin
                    [damaged g x (flipped i w bytes) | i <- [0 .. min 200 (B.length bytes - 1)]]
      ]
  where
    flipped i w bytes = case B.splitAt i bytes of
      (before, rest) -> B.concat [before, B.map (xor w) (B.take 1 rest), B.drop 1 rest]
    damaged g x bytes = case (decode bytes, runGetWhole g bytes) of
      -- Many elements of no bytes, for example.
      (_, Left (DecodeError {errorReason = OverBudget _})) -> property True
      (original, found) -> agrees x bytes original (result found)
    agrees x bytes original found = case (original, found) of
      (Right (x' :: a), _) -> found `same` model x'
      (Left _, Nothing) -> property True
      (Left e, _) -> counterexample (show (e, bytes)) (skips .&&. found `same` model x)

-- (NaN is not itself.)
same :: (Codec b, Show b) => b -> b -> Property
same a b = counterexample (show (a, b)) (encode a == encode b)

result :: Either e b -> Maybe b
result = either (const Nothing) Just

cut :: Int -> B.ByteString -> [B.ByteString]
cut n bs
  | B.null bs = []
  | otherwise = let (a, b) = B.splitAt n bs in a : cut n b

pushed :: Get b -> [B.ByteString] -> Maybe b
pushed g chunks = case pushEndOfInput (pushChunks (runGetIncremental g) (L.fromChunks chunks)) of
  Done _ _ x -> Just x
  _ -> Nothing

genText :: Gen T.Text
genText = T.pack <$> resize 5 (listOf (elements "abc\233\8364"))

genOrder :: Gen V1.Order
genOrder =
  V1.Order <$> arbitrary <*> genText <*> resize 4 (listOf genItem) <*> arbitrary <*> arbitrary
    <*> genStatus
    <*> (M.fromList <$> resize 4 (listOf ((,) <$> genText <*> arbitrary)))
    <*> oneof [pure Nothing, Just <$> resize 3 (listOf genText)]
    <*> arbitrary

genStatus :: Gen V1.Status
genStatus =
  frequency
    [ (4, pure V1.New),
      (2, V1.Paid <$> genText <*> arbitrary),
      (2, pure V1.Void),
      (1, V1.Lost <$> arbitrary)
    ]

order :: V1.Order -> Maybe V2.Order
order (V1.Order n _ is q p s ts e (b, f)) = do
  s' <- status s
  Just
    ( V2.Order
        (fromIntegral p / 100)
        "web"
        (fromIntegral n)
        (map item is)
        (fromIntegral q)
        (Just s')
        (M.map fromIntegral ts)
        (fmap (map Just) e)
        (b, float2Double f)
        (Just 7)
    )

status :: V1.Status -> Maybe V2.Status
status s = case s of
  V1.New -> Just V2.New
  V1.Paid b a -> Just (V2.Paid (fromIntegral a) [b])
  V1.Void -> Just V2.Cancelled
  V1.Lost _ -> Nothing

genItems :: Gen (V.Vector V1.Item)
genItems = V.fromList <$> resize 5 (listOf genItem)

genItem :: Gen V1.Item
genItem = V1.Item <$> genText <*> arbitrary <*> resize 3 genTree

item :: V1.Item -> V2.Item
item (V1.Item l w _) = V2.Item l (float2Double w)

genTree :: Gen V1.Tree
genTree = sized go
  where
    go n
      | n <= 0 = pure V1.Leaf
      | otherwise =
        oneof [pure V1.Leaf, V1.Node <$> go (n `quot` 2) <*> arbitrary <*> go (n `quot` 2)]

tree :: V1.Tree -> V2.Tree
tree t = case t of
  V1.Leaf -> V2.Leaf
  V1.Node a n b -> V2.Node (tree a) (fromIntegral n) (tree b)

genExpression :: Gen V1.Expression
genExpression = sized (go . min 10)
  where
    go :: Int -> Gen V1.Expression
    go n
      | n <= 0 = V1.Literal <$> arbitrary
      | otherwise =
        oneof
          [ V1.Literal <$> arbitrary,
            V1.Variable <$> genText,
            V1.Let <$> resize 2 (listOf (V1.Binding <$> genText <*> go (n `quot` 3)))
              <*> go (n `quot` 2)
          ]

expression :: V1.Expression -> V2.Expression
expression e = case e of
  V1.Literal n -> V2.Literal (fromIntegral n)
  V1.Variable v -> V2.Variable v
  V1.Let bs b -> V2.Let [V2.Binding (expression v) n True | V1.Binding n v <- bs] (expression b)

genChain :: Gen V1.Chain
genChain = foldr V1.Link V1.End <$> listOf arbitrary

chain :: V1.Chain -> V2.Chain
chain c = case c of
  V1.End -> V2.End
  V1.Link n r -> V2.Link (chain r) n

genKeys :: Gen V1.Keys
genKeys =
  V1.Keys <$> (M.fromList <$> resize 5 (listOf ((,) <$> arbitrary <*> genText)))
    <*> (M.fromList <$> listOf ((,) <$> elements [minBound .. maxBound] <*> arbitrary))
    <*> ((NE.:|) <$> genSet <*> resize 3 (listOf genSet))
  where
    genSet = S.fromList <$> resize 5 arbitrary

keys :: V1.Keys -> V2.Keys
keys (V1.Keys ns cs ss) =
  V2.Keys
    (M.mapKeysMonotonic fromIntegral ns)
    (M.mapKeysMonotonic colour cs)
    (map (S.mapMonotonic toInteger) (NE.toList ss))

colour :: V1.Colour -> V2.Colour
colour c = case c of
  V1.Red -> V2.Red
  V1.Green -> V2.Green
  V1.Blue -> V2.Blue
