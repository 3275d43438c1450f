{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Main
-- Description : The peak memory of decoding, for every instance
--
-- INV-C3: the memory is proportional to the input and to the budgets. For each type, a process of
-- its own decodes hostile inputs of 'inputSize' bytes and reports the peak of the live bytes. It
-- has one generation and a nursery of 64 KiB, so there is a full collection for every 64 KiB
-- allocated.
module Main (main) where

import Ashlar.Codec
import Ashlar.Codec.Golden (Golden (..))
import Ashlar.Codec.Laws (Samples (..))
import Control.Exception (evaluate)
import Control.Monad (when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.Vector as V
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats, max_live_bytes)
import System.Environment (getArgs, getExecutablePath)
import System.IO
import System.Mem (performMajorGC)
import System.Process
import Test.QuickCheck (arbitrary, vectorOf)
import Test.QuickCheck.Gen (Gen (..))
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Instances.All (sections)
import Tests.Instances.Type (Section (..))

main :: IO ()
main = do
  args <- getArgs
  case args of
    ["measure", name] -> measure name
    _ ->
      defaultMain $
        testGroup
          "at its peak, decoding takes less than 128 bytes for each byte of input"
          [testCase name (withinFactor name s) | Golden name s _ <- instances]

instances :: [Golden]
instances = concatMap sectionInstances sections

inputSize :: Int
inputSize = 16384

-- Memory that does not depend on the length: cells, buffers, an error, a nursery.
constantPart :: Int
constantPart = 128 * 1024

-- Small, so that all that it allows fits into 'constantPart'.
budget :: Budget
budget = defaultBudget {budgetDepth = 100, budgetSteps = 100}

withinFactor :: Codec a => String -> Samples a -> Assertion
withinFactor name s = do
  peak <- peakOf name s
  assertBool (show peak ++ " bytes") (peak <= 128 * inputSize + constantPart)
  -- Values that take no memory may give 0. These take more than their bytes do.
  when (name == "Int") $
    assertBool ("only " ++ show peak ++ " bytes seen") (peak > inputSize)

-- Measure in a process of its own.
peakOf :: Codec a => String -> Samples a -> IO Int
peakOf name s = do
  this <- getExecutablePath
  answer <-
    readPiped
      (proc this ["measure", name, "+RTS", "-T", "-G1", "-A64k", "-RTS"])
      (encode (inputs s))
  pure (read answer)

readPiped :: CreateProcess -> S.ByteString -> IO String
readPiped p input = withCreateProcess p {std_in = CreatePipe, std_out = CreatePipe} $
  \to from _ _ -> case (to, from) of
    (Just h, Just h') -> do
      hSetBinaryMode h True
      S.hPut h input
      hClose h
      hGetLine h'
    _ -> assertFailure "no pipe"

-- Print the peak of the live bytes, without the inputs, while they are decoded.
measure :: String -> IO ()
measure name = do
  hSetBinaryMode stdin True
  bytes <- S.getContents
  strange <- either (fail . show) evaluate (decode bytes)
  performMajorGC
  before <- gcdetails_live_bytes . gc <$> getRTSStats
  sequence_
    [ mapM_ (decodeAs s) (strange :: [S.ByteString])
      | Golden name' s _ <- instances,
        name' == name
    ]
  peak <- max_live_bytes <$> getRTSStats
  print (fromIntegral peak - fromIntegral before :: Int64)

-- Decode a value, a list and a vector, each held until a collection has seen it.
decodeAs :: forall a. Codec a => Samples a -> S.ByteString -> IO ()
decodeAs _ bs = do
  held (decodeWith budget bs :: Either DecodeError a)
  held (decodeWith budget bs :: Either DecodeError [a])
  held (decodeWith budget bs :: Either DecodeError (V.Vector a))

held :: b -> IO ()
held x = do
  ref <- evaluate x >>= newIORef . Just
  performMajorGC
  writeIORef ref Nothing

-- Valid values, as many as fit, the same with a byte changed, random bytes, equal bytes, and bytes
-- that announce many elements.
inputs :: Codec a => Samples a -> [S.ByteString]
inputs s = valid : changed : noise : fills ++ [announce k bs | k <- counts, bs <- noise : fills]
  where
    fills = [S.replicate inputSize w | w <- [0, 1, 2, 65, 255]]
    noise = S.pack (unGen (vectorOf inputSize arbitrary) (mkQCGen 1) 30)
    announce k bs = S.take inputSize (encode (k :: Int) <> bs)
    counts = maxBound : [inputSize `div` n | n <- [1, 2, 3, 4, 8, 9, 16, 17]]
    valid = encode (take (fitting 8 0 values) values)
    values = [unGen (sampleGen s) (mkQCGen i) 20 | i <- [1 .. 4000]]
    changed = case S.splitAt (S.length valid `div` 2) valid of
      (start, end) -> start <> S.map (+ 1) (S.take 1 end) <> S.drop 1 end

-- The number of values that fit into an input, but few of values of no bytes.
fitting :: Codec a => Int -> Int -> [a] -> Int
fitting used n xs = case xs of
  x : more
    | used + size x <= inputSize,
      size x > 0 || n < 50 ->
      fitting (used + size x) (n + 1) more
  _ -> n
