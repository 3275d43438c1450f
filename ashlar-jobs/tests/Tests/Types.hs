{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Types
-- Description : Records, the function, a compression, and an engine that is watched
module Tests.Types
  ( Row (..),
    rowOf,
    Answer (..),
    answer,
    rows,
    OldRow (..),
    oldRowOf,
    OtherRow (..),
    OtherAnswer (..),
    NewAnswer (..),
    zeros,
    failingWith,
    noting,
    inBatches,
    counting,
    results,
    complete,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File (Compression (..))
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Schema
import Control.Monad (forM_)
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Text as T
import GHC.Generics (Generic)
import Test.QuickCheck hiding (collect, total)

-- | A record of variable size.
data Row = Row {rowNumber :: Int64, rowName :: T.Text, rowCode :: Maybe Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Row where
  evolution = [added @"rowCode" Nothing, dropped @"rowNote"]

instance Arbitrary Row where
  arbitrary = rowOf <$> arbitrary

-- | The record with a number. Its size depends on the number.
rowOf :: Int64 -> Row
rowOf n = Row n (T.replicate (fromIntegral (n `mod` 23)) "x") (if even n then Just n else Nothing)

-- | What the function returns.
data Answer = Answer {answerNumber :: Int64, answerText :: T.Text}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

-- | The function, without its exceptions.
answer :: Row -> Answer
answer (Row n name code) = Answer (n * n) (name <> T.pack (show code))

rows :: T.Text -> Job Row Answer
rows = job

-- | An older type, which 'Row' evolves from.
data OldRow = OldRow {rowNumber :: Int64, rowName :: T.Text, rowNote :: T.Text}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

oldRowOf :: Int64 -> OldRow
oldRowOf n = let Row _ name _ = rowOf n in OldRow n name "a note"

-- | A type that does not fit.
data OtherRow = OtherRow {rowNumber :: Int64, rowName :: Int64, rowCode :: Maybe Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data OtherAnswer = OtherAnswer {answerNumber :: Int64, answerText :: Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | A newer type, which 'Answer' evolves into.
data NewAnswer = NewAnswer
  { answerNumber :: Int64,
    answerText :: T.Text,
    answerCode :: Maybe Int64
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described NewAnswer where
  evolution = [added @"answerCode" Nothing]

-- | A compression for bytes with many zeros: each run of them is a zero and its length.
zeros :: Compression
zeros = Compression "zeros" shorter longer
  where
    shorter = S.concat . map run . S.group
    run g
      | S.head g /= 0 = g
      | S.length g > 255 = S.concat [S.pack [0, 255], run (S.drop 255 g)]
      | otherwise = S.pack [0, fromIntegral (S.length g)]
    longer n bytes
      | S.length out > n = Left "too long"
      | otherwise = Right out
      where
        out = S.concat (expand bytes)
    expand bytes = case S.uncons bytes of
      Nothing -> []
      Just (0, rest)
        | Just (k, rest') <- S.uncons rest -> S.replicate (fromIntegral k) 0 : expand rest'
      Just (w, rest) -> S.singleton w : expand rest

-- | The function, which throws an exception for some records.
failingWith :: (Row -> Maybe String) -> Row -> IO Answer
failingWith bad row = maybe (pure (answer row)) (ioError . userError) (bad row)

-- | The same engine, and the attempts of what it has delivered, the last one first.
noting :: Engine -> IO (Engine, IO [Int])
noting engine = do
  attempts <- newIORef []
  let noted run name idle = do
        taken <- engineTake engine run name idle
        taken <$ case taken of
          Taken d -> modifyIORef' attempts (deliveryAttempt d :)
          _ -> pure ()
  pure (engine {engineTake = noted}, readIORef attempts)

-- | Batches of at least this number of bytes, and at most this number of them.
inBatches :: Int -> Int -> SubmitOptions
inBatches bytes limit = defaultSubmitOptions {submitBatchBytes = bytes, submitLimit = limit}

-- | Give the first records.
counting :: Int64 -> Int64 -> (Row -> IO ()) -> IO ()
counting total n give = forM_ [n .. total - 1] (give . rowOf)

-- | All results.
results :: Engine -> Job a Answer -> IO [Collected Answer]
results engine j = reverse <$> collect engine j (\cs c -> pure (c : cs)) []

-- | These are the results of the first records.
complete :: Int64 -> [Collected Answer] -> Property
complete total got =
  counterexample (take 300 (show [f | Left f <- map collectedResults got])) $
    conjoin
      [ map collectedBatch got === [0 .. List.genericLength got - 1],
        property (concatMap answers got == map (answer . rowOf) [0 .. total - 1])
      ]
  where
    answers = either (const []) id . collectedResults
