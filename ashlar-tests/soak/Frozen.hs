{-# LANGUAGE NumericUnderscores #-}

-- |
-- Module      : Main
-- Description : Two faults of GHC's garbage collectors, without this library
--
-- A pure value is evaluated under 'timeout', several times, and then to its end. It uses
-- base alone. Where the timeout interrupts a deep evaluation, GHC keeps its stack on the heap, and
-- goes on from there.
--
-- * Compiled with @-O1@, the evaluation is one deep stack, which is a large object. On GHC 9.0.2
--   the compacting collector (@-c@) stops with "update_fwd_large: unknown/strange object 38": it
--   does not know that a large object can be a black hole, which a frozen stack is while it is
--   resumed.
-- * Compiled with @-O0@, each level is a thunk, so there are many small frozen stacks. With
--   @--nonmoving-gc@ the program crashes, or gives a wrong value, on GHC 9.0.2 and 9.10.3.
--
-- It runs for a number of seconds, 10 by default, and exits with 0 if all is well.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_, when)
import GHC.Clock (getMonotonicTime)
import System.Environment (getArgs)
import System.Exit
import System.Timeout (timeout)

main :: IO ()
main = do
  args <- getArgs
  end <- (+ (case args of [s] -> read s; _ -> 10)) <$> getMonotonicTime
  let go seed = do
        let n = deep seed size
        forM_ [1 .. 8] $ \k -> timeout (seed * k `mod` 200 + 20) (evaluate n)
        n' <- evaluate n
        when (n' /= size * seed + size * (size + 1) `div` 2) $ putStrLn "WRONG" >> exitFailure
        now <- getMonotonicTime
        when (now < end) (go (seed + 1))
  go 1

size :: Int
size = 20_000

-- The work grows with the number. It allocates, so it can be interrupted.
deep :: Int -> Int -> Int
deep _ 0 = 0
deep seed i = sum (replicate 3 0) + deep seed (i - 1) + seed + i
{-# NOINLINE deep #-}
