-- |
-- Module      : Main
-- Description : Our time as a ratio to each competitor's
--
-- All libraries take turns at a workload, round by round, in one process, so that other load on the
-- machine affects all of them. Each round repeats the work for about a millisecond. The fastest
-- rounds are compared, since noise only adds.
module Main (main) where

import Control.Monad (forM, forM_, replicateM_)
import Data.List (isInfixOf, transpose)
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)
import System.Mem (performMajorGC)
import Text.Printf (printf)
import Workloads

main :: IO ()
main = do
  wanted <- getArgs
  let chosen = [w | w <- workloads, null wanted || any (`isInfixOf` workloadName w) wanted]
  forM_ chosen $ \w -> do
    best <- measure (map snd (workloadRuns w))
    putStrLn (workloadName w)
    let ours = head best
    forM_ (zip (map fst (workloadRuns w)) best) $ \(library, t) ->
      printf "  %-32s %10.2f us   ours / this %6.3f\n" library (t / 1000) (ours / t)

-- The least time of each library in ns.
measure :: [IO ()] -> IO [Double]
measure runs = do
  counts <- forM runs $ \run -> do
    run
    t <- timed 1 run
    pure (max 1 (min 100000 (round (1.0e6 / t)))) :: IO Int
  rounds <- forM [1 .. 40 :: Int] $ \_ ->
    forM (zip counts runs) (uncurry timed)
  pure (map minimum (transpose rounds))

-- The time of one of n repetitions.
timed :: Int -> IO () -> IO Double
timed n run = do
  -- Collect the garbage of the previous library first.
  performMajorGC
  t0 <- getMonotonicTimeNSec
  replicateM_ n run
  t1 <- getMonotonicTimeNSec
  pure (fromIntegral (max 1 (t1 - t0)) / fromIntegral n)
