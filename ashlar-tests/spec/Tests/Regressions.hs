-- |
-- Module      : Tests.Regressions
-- Description : What the fuzzer found once
--
-- The files in fuzz/regressions ("Tests.Fuzz.Regression"). In each, all that the fuzzer
-- checks holds, whatever number it chose.
module Tests.Regressions (tests) where

import Control.Monad (forM_)
import qualified Data.ByteString as S
import Data.List (isSuffixOf)
import Data.Word (Word64)
import System.Directory (listDirectory)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Fuzz.Getters
import Tests.Fuzz.Instances
import Tests.Fuzz.Regression
import Tests.Fuzz.Target

tests :: TestTree
tests =
  testGroup
    "the fuzzer's targets"
    [ testCase "what the fuzzer has found" replayed,
      testCase "the inputs that it begins with" seeds
    ]

targets :: [Target]
targets = instances ++ getters

replayed :: Assertion
replayed = do
  files <- filter (".txt" `isSuffixOf`) <$> listDirectory folder
  forM_ files $ \file -> do
    found <- readRegression (folder ++ "/" ++ file)
    case found of
      Nothing -> assertFailure (file ++ " is no finding")
      Just r -> case [t | t <- targets, targetName t == regressionTarget r] of
        [t] -> forM_ (regressionSeed r : [0 .. 63]) (holds t (regressionInput r))
        _ -> assertFailure (file ++ ": no such target")
  where
    folder = "fuzz/regressions"

-- Every target, on its own seeds.
seeds :: Assertion
seeds = forM_ targets $ \t -> forM_ (targetSeeds t) $ \bs -> forM_ [0 .. 31] (holds t bs)

holds :: Target -> S.ByteString -> Word64 -> Assertion
holds t bs seed = do
  problem <- check seed t bs
  assertEqual (targetName t ++ ": " ++ show bs) Nothing problem
