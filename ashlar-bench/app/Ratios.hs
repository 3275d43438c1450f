-- |
-- Module      : Main
-- Description : Our time as a ratio to each competitor's
--
-- All libraries take turns at a workload, round by round, in one process, so that other load on the
-- machine affects all of them. Each round begins with another library, and repeats the work for
-- at least a millisecond. It is the CPU time of the process that counts. The fastest rounds are
-- compared, since noise only adds.
--
-- Libraries whose times are within a factor of four repeat the work equally often. The first
-- megabytes after a garbage collection are not in the cache, so fewer repetitions would count
-- against a library.
--
-- That is one run. Each workload has several, each in a process of its own, because a ratio also
-- depends on where in memory a process has its code and its data.
module Main (main) where

import Control.Monad (forM, forM_, replicateM, replicateM_)
import Data.List (isInfixOf, isPrefixOf, partition, transpose)
import qualified Data.Map.Strict as Map
import System.CPUTime (getCPUTime)
import System.Environment (getArgs, getExecutablePath)
import System.Exit (die)
import System.IO (BufferMode (..), hSetBuffering, stdout)
import System.Mem (performMajorGC)
import System.Process (readProcess)
import Text.Printf (printf)
import Text.Read (readMaybe)
import Workload
import Workloads

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  (options, wanted) <- partition ("--" `isPrefixOf`) <$> getArgs
  let isWanted w = null wanted || any (`isInfixOf` workloadName w) wanted
  case options of
    [] -> severalRuns 3 (filter isWanted workloads)
    ["--one-run"] -> mapM_ oneRun (filter ((`elem` wanted) . workloadName) workloads)
    [option]
      | ("--runs", '=' : number) <- break (== '=') option,
        Just runs <- readMaybe number,
        runs > 0 ->
        severalRuns runs (filter isWanted workloads)
    _ -> die "usage: ashlar-ratios [--runs=N] [PART OF A WORKLOAD'S NAME]..."

-- For each library: the ratio of the least times of all runs, and the least and the greatest ratio
-- of one run.
severalRuns :: Int -> [Workload] -> IO ()
severalRuns runs chosen = do
  this <- getExecutablePath
  rows <- forM chosen $ \w -> do
    putStrLn (workloadName w)
    times <- replicateM runs (read <$> readProcess this ["--one-run", workloadName w] "")
    let best = map minimum (transpose times)
        ratios = transpose [map (ourTime run /) run | run <- times]
    forM (zip3 (map fst (workloadRuns w)) best ratios) $ \(library, t, each) -> do
      let ratio = ourTime best / t
      printf "  %-32s %10.2f us%s   ours / this %6.3f" library (t / 1000) (rate w t) ratio
      if runs > 1 then printf "   %.2f to %.2f\n" (minimum each) (maximum each) else putStrLn ""
      pure (library, ratio)
  putStrLn "\nGeometric means of the ratios"
  let others = concatMap (drop 1) rows
      means = Map.fromListWith (++) [(library, [ratio]) | (library, ratio) <- others]
  forM_ (Map.toList means) $ \(library, ratios) ->
    printf "  %-32s %4d workloads   %6.3f\n" library (length ratios) (geometricMean ratios)

-- The time of a value, or the bytes in a second, given the time in ns.
rate :: Workload -> Double -> String
rate w t = case workloadSize w of
  Unknown -> ""
  Items n -> printf " %8.1f ns each" (t / fromIntegral n)
  Bytes n -> printf " %8.2f GB/s" (fromIntegral n / t)

-- Our library is the first.
ourTime :: [Double] -> Double
ourTime = minimum . take 1

geometricMean :: [Double] -> Double
geometricMean xs = exp (sum (map log xs) / fromIntegral (length xs))

-- Print the least time of each library in ns.
oneRun :: Workload -> IO ()
oneRun w = measure (map snd (workloadRuns w)) >>= print

measure :: [IO ()] -> IO [Double]
measure libraries = do
  enough <- forM libraries $ \work -> do
    work
    t <- timed 1 work
    pure (max 1 (min 100000 (round (1.0e6 / t)))) :: IO Int
  let counts = [min (4 * n) (maximum enough) | n <- enough]
  rounds <- forM [1 .. 30] $ \n -> do
    let (later, sooner) = splitAt (n `mod` length libraries) (zip counts libraries)
    first <- forM sooner (uncurry timed)
    second <- forM later (uncurry timed)
    pure (second ++ first)
  pure (map minimum (transpose rounds))

-- The CPU time of one of n repetitions, in ns.
timed :: Int -> IO () -> IO Double
timed n work = do
  -- Collect the garbage of the previous library first.
  performMajorGC
  before <- getCPUTime
  replicateM_ n work
  after <- getCPUTime
  pure (fromIntegral (max 1000 (after - before)) / 1000 / fromIntegral n)
