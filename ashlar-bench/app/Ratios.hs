-- |
-- Module      : Main
-- Description : Our time as a ratio to each competitor's
--
-- All libraries do a workload in turn, round by round, in one process, so that
-- whatever else the machine does hits all of them. Each round repeats the work
-- until it has taken a millisecond or so. What is compared is the fastest
-- round of each: noise only adds.
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

-- The least time of each in ns.
measure :: [IO ()] -> IO [Double]
measure runs = do
  counts <- forM runs $ \run -> do
    run
    t <- timed 1 run
    pure (max 1 (min 100000 (round (1.0e6 / t)))) :: IO Int
  rounds <- forM [1 .. 40 :: Int] $ \_ ->
    forM (zip counts runs) (uncurry timed)
  pure (map minimum (transpose rounds))

-- Time of one of so many.
timed :: Int -> IO () -> IO Double
timed n run = do
  -- What the one before has left behind is not collected at our expense.
  performMajorGC
  t0 <- getMonotonicTimeNSec
  replicateM_ n run
  t1 <- getMonotonicTimeNSec
  pure (fromIntegral (max 1 (t1 - t0)) / fromIntegral n)
