{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Given
-- Description : Conversions whose decoders commit or make barriers
--
-- The decoder of a converted field runs in the middle of the translator, which goes back to find
-- the old byte that an error is about.
module Tests.Evolution.Given (tests) where

import Ashlar.Builder (word8)
import Ashlar.Codec
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Control.Applicative (optional)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "evolution: converted by decoders that go back"
    [ testCase "a commit in a conversion does not hide the error after it" committed,
      testCase "a budget that is used up after a conversion stays used up" budgets
    ]

-- A byte after which all choices are given up.
newtype Commits = Commits Word8
  deriving anyclass (Codec)

instance HasFormat Commits where
  format = fromPutGet 1 (\(Commits w) -> word8 w) ((Commits <$> getWord8) <* commit)

instance Described Commits where
  describe = as @Word8

-- A byte that is read within a barrier.
newtype Attempts = Attempts Word8
  deriving anyclass (Codec)

instance HasFormat Attempts where
  format = fromPutGet 1 (\(Attempts w) -> word8 w) (attempt (Attempts <$> getWord8))

instance Described Attempts where
  describe = as @Word8

-- Not 0.
newtype Positive = Positive Word8
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Positive where
  format =
    satisfying "not positive" (/= Positive 0) $
      fromPutGet 1 (\(Positive w) -> word8 w) (Positive <$> getWord8)

instance Described Positive where
  describe = as @Word8

data Before = Before {a :: Word8, b :: Word8, c :: [[Word8]]}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Committed = Committed {a :: Word16, b :: Positive, c :: [[Word8]]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Committed where
  evolution = [converted @"a" (\(Commits w) -> fromIntegral w)]

data Attempted = Attempted {a :: Word16, b :: Positive, c :: [[Word8]]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Attempted where
  evolution = [converted @"a" (\(Attempts w) -> fromIntegral w)]

-- Every way to run a decoder says the same.
everyWay :: Get x -> B.ByteString -> [Either DecodeError x]
everyWay g bytes =
  [ runGet g bytes,
    runGetLazy g (L.fromChunks bytewise),
    case pushEndOfInput (foldl pushChunk (runGetIncremental g) bytewise) of
      Done _ _ x -> Right x
      Fail _ _ e -> Left e
      Partial _ -> error "not ended"
  ]
  where
    bytewise = map B.singleton (B.unpack bytes)

made :: Either Mismatch x -> x
made = either (error . show) id

committed :: Assertion
committed =
  map brief (everyWay g (encode (Before 7 0 [])))
    @?= replicate 3 (Left (1, ["Committed.b"]))
  where
    g = made (plan @Committed (schema @Before))
    brief = either (\e -> Left (errorOffset e, errorLabels e)) Right

budgets :: Assertion
budgets = mapM_ check [0 .. 8]
  where
    check depth = do
      let results = map brief (everyWay (within depth) (encode (Before 7 8 [[1], [2, 3]])))
          allAre r = results == replicate 3 r
      -- Never what stands in for a value.
      any allAre [Left True, Right (Just (Attempted 7 (Positive 8) [[1], [2, 3]]))]
        @? show (depth, results)
    within depth = withBudget defaultBudget {budgetDepth = depth} (optional g)
    g = made (plan @Attempted (schema @Before))
    brief = either (\e -> case errorReason e of OverBudget _ -> Left True; _ -> Left False) Right
