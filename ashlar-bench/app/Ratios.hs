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
import Data.List (isInfixOf, isPrefixOf, isSuffixOf, partition, stripPrefix, transpose)
import Data.Maybe (mapMaybe)
import Data.Version (showVersion)
import Result
import System.CPUTime (getCPUTime)
import System.Environment (getArgs, getExecutablePath, getProgName)
import System.Exit (die)
import System.IO (BufferMode (..), hSetBuffering, stdout)
import System.Info (fullCompilerVersion)
import System.Mem (performMinorGC)
import System.Process (readProcess)
import Table (tables)
import Text.Printf (printf)
import Text.Read (readMaybe)
import Workload
import Workloads

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  (options, wanted) <- partition ("--" `isPrefixOf`) <$> getArgs
  let isWanted w = null wanted || any (`isInfixOf` workloadName w) wanted
      workloads = concatMap snd families
      option name = mapMaybe (stripPrefix ("--" ++ name ++ "=")) options
  case options of
    ["--one-run"] -> mapM_ oneRun (filter ((`elem` wanted) . workloadName) workloads)
    ["--tables"] -> mapM readReport wanted >>= putStr . tables
    _
      | length (option "runs" ++ option "save") == length options,
        Just runs <- mapM readMaybe (option "runs"),
        all (> 0) runs -> do
        report <- severalRuns (last (3 : runs)) [(f, filter isWanted ws) | (f, ws) <- families]
        mapM_ (`writeReport` report) (option "save")
    _ ->
      die
        "usage: ashlar-ratios [--runs=N] [--save=FILE] [PART OF A WORKLOAD'S NAME]...\n\
        \       ashlar-ratios --tables FILE..."

-- Measure, and print the results.
severalRuns :: Int -> [(String, [Workload])] -> IO Report
severalRuns runs chosen = do
  this <- getExecutablePath
  program <- getProgName
  results <- forM chosen $ \(family, workloads) -> do
    measured <- forM workloads $ \w -> do
      putStrLn (workloadName w)
      times <- replicateM runs (read <$> readProcess this ["--one-run", workloadName w] "")
      let libraries = map fst (workloadRuns w)
          result = Result (workloadName w) (workloadSize w) (zip libraries (transpose times))
      result <$ forM_ (others result) (printRatio (workloadSize w))
    pure (family, measured)
  putStrLn "\nGeometric means of the ratios"
  forM_ (means (concatMap snd results)) $ \(library, n, mean) ->
    printf "  %-32s %4d workloads   %6.3f\n" library n mean
  let level = if "-o1" `isSuffixOf` program then "-O1" else "-O2"
  pure (Report ("GHC " ++ showVersion fullCompilerVersion ++ ", " ++ level) results)
  where
    printRatio size (Ratio library t best (least, greatest)) = do
      printf "  %-32s %10.2f us  %13s   ours / this %6.3f" library (t / 1000) (speed size t) best
      if runs > 1 then printf "   %.2f to %.2f\n" least greatest else putStrLn ""

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
  -- Collect the garbage of the previous library first. A major collection would return memory to
  -- the system, and each round would wait for it again.
  performMinorGC
  before <- getCPUTime
  replicateM_ n work
  after <- getCPUTime
  pure (fromIntegral (max 1000 (after - before)) / 1000 / fromIntegral n)
