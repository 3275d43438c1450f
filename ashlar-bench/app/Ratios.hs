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
--
-- The peak of memory needs a process for each library. It is measured only for a file of results.
module Main (main) where

import Control.Exception (finally)
import Control.Monad (forM, forM_, replicateM, replicateM_, unless, when)
import Data.IORef
import Data.List (isInfixOf, isPrefixOf, isSuffixOf, partition, sortOn, stripPrefix, transpose)
import Data.Maybe (catMaybes, mapMaybe)
import Data.Version (showVersion)
import GHC.Clock (getMonotonicTime)
import Results
import Spawn
import Statistics
import System.CPUTime (getCPUTime)
import System.Environment (getArgs, getExecutablePath, getProgName)
import System.Exit (ExitCode (..), die, exitFailure)
import System.IO (BufferMode (..), hPutStrLn, hSetBuffering, stderr, stdout)
import System.Info (arch, fullCompilerVersion)
import System.Mem (getAllocationCounter, performMinorGC)
import System.Process (readProcessWithExitCode)
import Text.Printf (printf)
import Text.Read (readMaybe)
import Workload
import Workloads

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  (options, wanted) <- partition ("--" `isPrefixOf`) <$> getArgs
  let isWanted (f, w) = null wanted || any (\x -> any (x `isInfixOf`) [f, workloadName w]) wanted
      workloads = [(f, w) | (f, ws) <- families, w <- ws]
      named name = [w | (_, w) <- workloads, workloadName w == name]
      option name = mapMaybe (stripPrefix ("--" ++ name ++ "=")) options
      number name standard = last (standard : mapMaybe readMaybe (option name))
      minutes = number "minutes" 0 :: Double
      unhurried = minutes <= 0 || minutes > 5
      known = ["runs", "save", "minutes", "programs"]
  case (options, wanted) of
    (["--one-run", budget], [name])
      | Just s <- readMaybe (drop 2 budget) -> mapM_ (oneRun s) (named name)
    (["--once"], [name, library]) ->
      sequence_ [run | w <- named name, (l, run) <- workloadRuns w, l == library]
    _
      | sum (map (length . option) known) == length options,
        (number "runs" 3 :: Int) > 0 -> do
        programs <- concat <$> mapM readPrograms (option "programs")
        severalRuns
          (number "runs" 3)
          minutes
          (option "save")
          programs
          [x | x@(_, w) <- workloads, isWanted x, unhurried || isSmall w]
    _ ->
      die
        "usage: ashlar-ratios [--runs=N] [--minutes=M] [--save=FILE] [--programs=FILE]\n\
        \                     [PART OF A WORKLOAD'S NAME OR FAMILY]...\n\
        \With --minutes, the rounds are fewer than 30, so that it takes about as long. Without, a\n\
        \run takes 10 seconds at most."

-- Not for a measurement in a hurry.
isSmall :: Workload -> Bool
isSmall w = case workloadSize w of
  Bytes n -> n < 100000000
  _ -> True

-- Measure and print the results. An interruption keeps what is done.
severalRuns :: Int -> Double -> [FilePath] -> [Program] -> [(String, Workload)] -> IO ()
severalRuns runs minutes files programs chosen = do
  program <- getProgName
  machine <- processor
  done <- newIORef []
  failed <- newIORef (0 :: Int)
  start <- getMonotonicTime
  let level = if "-o1" `isSuffixOf` program then "-O1" else "-O2"
      machineWords = if arch == "x86_64" then "" else ", " ++ arch
      name = "GHC " ++ showVersion fullCompilerVersion ++ ", " ++ level ++ machineWords
      save = forM_ files $ \path -> do
        results <- reverse <$> readIORef done
        writeReports path [Report name machine results]
      each = forM_ (zip [1 :: Int ..] chosen) $ \(i, (family, w)) -> do
        now <- getMonotonicTime
        -- A part of the time is for the processes' start, their data, and the peaks.
        let left = 0.5 * max 0 (start + 60 * minutes - now)
            budget
              | minutes <= 0 = 10 * fromIntegral runs
              | otherwise = left / fromIntegral (length chosen - i + 1)
        printf "%d of %d: %s\n" i (length chosen) (workloadName w)
        measured <- measureWorkload runs budget (not (null files)) programs family w
        case measured of
          Right result -> do
            modifyIORef' done (result :)
            forM_ (others result) (printRatio (workloadSize w))
            when (i `mod` 20 == 0) save
          Left said -> modifyIORef' failed (+ 1) >> hPutStrLn stderr ("  FAILED: " ++ said)
  each `finally` save
  results <- reverse <$> readIORef done
  putStrLn "\nGeometric means of the ratios"
  forM_ (means results) $ \(other, n, mean) ->
    printf "  %-32s %4d workloads   %6.3f\n" other n mean
  n <- readIORef failed
  unless (n == 0) (printf "%d workloads failed\n" n >> exitFailure)
  where
    printRatio size (Ratio other t best (least, greatest)) = do
      printf "  %-32s %10.2f us  %13s   ours / this %6.3f" other (t / 1000) (speed size t) best
      if runs > 1 then printf "   %.2f to %.2f\n" least greatest else putStrLn ""

-- Runs in processes of their own, within a number of seconds. With the peaks of memory, if they are
-- wanted, and the programs of other languages. Returns what is wrong if one fails.
measureWorkload ::
  Int -> Double -> Bool -> [Program] -> String -> Workload -> IO (Either String Result)
measureWorkload runs budget withPeaks programs family w = do
  this <- getExecutablePath
  measured <- replicateM runs (readProcessWithExitCode this arguments "")
  case [times | (ExitSuccess, out, _) <- measured, Just times <- [readMaybe out]] of
    each | length each == runs -> do
      libraries <- forM (zip (map fst (workloadRuns w)) (transpose each)) $ \(name, times) -> do
        peak <- if withPeaks then spawn [this, "--once", workloadName w, name] else pure Nothing
        let allocated = minimum (map snd times)
            rounds = map fst times
        pure
          Library
            { libraryName = name,
              libraryTimes = map minimum rounds,
              libraryMedians = map median rounds,
              libraryAllocated = Just allocated,
              libraryPeak = snd <$> peak,
              libraryOutput = lookup name (workloadOutputs w),
              libraryZlib = lookup name (workloadZlib w),
              libraryBox = Just (box (concat rounds))
            }
      beside <- concat <$> mapM ofProgram programs
      let result = Result family (workloadName w) (workloadSize w) (workloadPicture w)
      pure (Right (result (libraries ++ beside)))
    _ -> pure (Left (concat [said | (_, _, said) <- measured]))
  where
    arguments = ["--one-run", printf "--%.4f" (budget / fromIntegral runs), workloadName w]
    ofProgram p
      | programWorkload p == workloadName w,
        Items n <- workloadSize w = do
        measured <- catMaybes <$> replicateM runs (measureProgram n p)
        pure
          [ Library
              { libraryName = programName p,
                libraryTimes = times,
                libraryMedians = times,
                libraryAllocated = Nothing,
                libraryPeak = Just (maximum (map snd measured)),
                libraryOutput = Nothing,
                libraryZlib = Nothing,
                libraryBox = Nothing
              }
            | let times = map fst measured,
              not (null measured)
          ]
      | otherwise = pure []

-- The name of the processor, where Linux knows it.
processor :: IO String
processor = do
  (_, out, _) <- readProcessWithExitCode "uname" ["-sm"] ""
  (_, info, _) <- readProcessWithExitCode "grep" ["-m1", "model name", "/proc/cpuinfo"] ""
  pure (unwords (words out ++ drop 1 (dropWhile (/= ":") (words info))))

-- Print the times of all rounds and the allocation of each library.
oneRun :: Double -> Workload -> IO ()
oneRun budget w = do
  unless (null (workloadWrong w)) $
    die (unwords ("other results than ours:" : workloadWrong w))
  each <- measure budget (map snd (workloadRuns w))
  print [(ts, minimum as) | (ts, as) <- map unzip each]

-- At most 30 rounds of all libraries, within a number of seconds, but 4 at least. Each has the time
-- and the allocation of one repetition.
measure :: Double -> [IO ()] -> IO [[(Double, Double)]]
measure budget libraries = do
  single <- forM libraries $ \work -> do
    -- The first makes the data, too.
    (first, _) <- timed 1 work
    if first > 5.0e7 then pure first else fst <$> timed 1 work
  let enough = [max 1 (min 100000 (round (1.0e6 / t))) | t <- single] :: [Int]
      counts = [min (4 * n) (maximum enough) | n <- enough]
      cost = sum (zipWith (\n t -> fromIntegral n * t) counts single) / 1.0e9
      rounds = max 4 (min 30 (floor (min 30 (budget / cost)))) :: Int
  each <- forM [1 .. rounds] $ \n -> do
    let (later, sooner) = splitAt (n `mod` length libraries) (zip3 [0 :: Int ..] counts libraries)
        turns = sooner ++ later
    -- Each second round goes the other way: a library that fills the cache counts against the one
    -- after it, which must not always be the same.
    times <- forM (if odd n then turns else reverse turns) $ \(i, k, work) -> (,) i <$> timed k work
    pure (map snd (sortOn fst times))
  pure (transpose each)

-- The CPU time of one of n repetitions in ns, and the bytes that it allocates.
timed :: Int -> IO () -> IO (Double, Double)
timed n work = do
  -- Collect the garbage of the previous library first. A major collection would return memory to
  -- the system, and each round would wait for it again.
  performMinorGC
  allocated <- getAllocationCounter
  before <- getCPUTime
  replicateM_ n work
  after <- getCPUTime
  left <- getAllocationCounter
  pure
    ( fromIntegral (max 1000 (after - before)) / 1000 / fromIntegral n,
      fromIntegral (allocated - left) / fromIntegral n
    )
