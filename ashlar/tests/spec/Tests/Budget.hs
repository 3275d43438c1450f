{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Budget
-- Description : Limits to what input can make a decoder do
module Tests.Budget (tests) where

import Ashlar.Codec
import Ashlar.Get
import Control.Applicative
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Failures

tests :: TestTree
tests =
  testGroup
    "budgets"
    [ testCase "a million levels are an error" million,
      testCase "as many levels as the budget says" exactly,
      testCase "a budget within a budget" within,
      testCase "elements of no size" empties,
      testCase "extreme budgets" extremes
    ]

-- How many of these nest; 0 ends it.
nested :: Get Int
nested = deeper (getWord8 >>= \w -> if w == 0 then pure 0 else (+ 1) <$> nested)

tooDeep :: Reason
tooDeep = OverBudget "nested more deeply than the budget allows"

million :: Assertion
million = do
  let bs = S.replicate 1000000 1
  brief (runGet nested bs) @?= Left (fromIntegral levels, [], tooDeep)
  brief (runGetLazy nested (L.fromChunks (replicate 100 (S.replicate 10000 1)))) @?= Left (fromIntegral levels, [], tooDeep)
  case pushChunk (runGetIncremental nested) bs of
    Fail _ _ e -> errorReason e @?= tooDeep
    _ -> assertFailure "not failed"
  where
    levels = budgetDepth defaultBudget

exactly :: Assertion
exactly = do
  let levels n = S.replicate (n - 1) 1 <> "\0"
  runGet nested (levels (budgetDepth defaultBudget)) @?= Right (budgetDepth defaultBudget - 1)
  runGetWith defaultBudget {budgetDepth = 5} nested (levels 5) @?= Right 4
  reasonOf (runGetWith defaultBudget {budgetDepth = 5} nested (levels 6)) @?= Just tooDeep
  -- Levels that are side by side do not add up.
  runGetWith defaultBudget {budgetDepth = 1} (many (deeper getWord8)) "abc" @?= Right [97, 98, 99]
  -- An alternative begins at the level it is on.
  runGetWith defaultBudget {budgetDepth = 2} ((deeper (deeper getWord8) *> empty) <|> deeper (deeper getWord8)) "a" @?= Right 97

within :: Assertion
within = do
  let two = defaultBudget {budgetDepth = 2}
  runGetWith two (deeper (deeper (withBudget two (deeper (deeper getWord8))))) "a" @?= Right 97
  reasonOf (runGetWith two (deeper (withBudget two getWord8 *> deeper (deeper getWord8))) "ab") @?= Just tooDeep
  -- What is decoded within does not count outside.
  let few = defaultBudget {budgetEmpties = 10}
      units = get :: Get [()]
      five = encode (replicate 5 ())
  runGetWith few (length <$> (units *> withBudget few (units *> units) *> units)) (S.concat (replicate 4 five)) @?= Right 5
  overBudget (runGetWith few (units *> withBudget few units *> units *> units) (S.concat (replicate 4 five)))

empties :: Assertion
empties = do
  decodeWith budget (encode (replicate 7 ())) @?= Right (replicate 7 ())
  overBudget (decodeWith budget (encode (replicate 8 ())) :: Either DecodeError [()])
  overBudget (decodeLazyWith budget (encodeLazy [replicate 4 (), replicate 4 ()]) :: Either DecodeError [[()]])
  -- Those of an alternative that failed do not count.
  runGetWith budget (((get :: Get [()]) *> empty) <|> get) (encode (replicate 7 ())) @?= Right (replicate 7 ())
  -- Each value of a source has a budget of its own.
  let bs = encode (replicate 600000 ())
  source <- newSource (pure (bs <> bs))
  r <- getFrom source ((,) <$> (length <$> (get :: Get [()])) <*> bytesRead)
  r @?= Right (600000, 8)
  r' <- getFrom source (length <$> (get :: Get [()]))
  r' @?= Right 600000
  where
    budget = defaultBudget {budgetEmpties = 7}

extremes :: Assertion
extremes = do
  let none = Budget minBound minBound
      all' = Budget maxBound maxBound
  runGetWith none getWord8 "a" @?= Right 97
  reasonOf (runGetWith none (deeper getWord8) "a") @?= Just tooDeep
  decodeWith none (encode ([] :: [()])) @?= Right ([] :: [()])
  overBudget (decodeWith none (encode [()]) :: Either DecodeError [()])
  runGetWith all' nested (S.replicate 200000 1 <> "\0") @?= Right 200000
  decodeWith all' (encode (replicate 2000000 ())) @?= Right (replicate 2000000 ())

overBudget :: Either DecodeError a -> Assertion
overBudget r = case reasonOf r of
  Just (OverBudget _) -> pure ()
  other -> assertFailure (show other)
