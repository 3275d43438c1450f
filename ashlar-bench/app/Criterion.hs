-- |
-- Module      : Main
-- Description : The workloads as a criterion benchmark
module Main (main) where

import Criterion.Main
import Workloads

main :: IO ()
main =
  defaultMain
    [ bgroup (workloadName w) [bench library (whnfIO run) | (library, run) <- workloadRuns w]
      | w <- concatMap snd families
    ]
