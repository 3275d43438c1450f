-- |
-- Module      : Compare
-- Description : What changed between two files of results
module Compare (compared) where

import Data.List (sortOn)
import Results
import Statistics
import Text.Printf (printf)

-- | Old and new reports: what to say, and whether anything is slower than noise allows. Reports of
-- different compilers are not compared.
compared :: [Report] -> [Report] -> (String, Bool)
compared olds news = (unlines (concatMap said pairs ++ nothing), any (any isSlower . snd) pairs)
  where
    pairs =
      [ (reportName new, changes old new)
        | new <- news,
          old <- olds,
          reportName old == reportName new
      ]
    nothing = ["Nothing to compare: no compiler and workload in common." | all (null . snd) pairs]
    said (name, each) =
      printf "%s: %d workloads, %d slower than noise allows" name (length each) (length slower) :
      map line slower
      where
        slower = sortOn (negate . changeTime) (filter isSlower each)
    line c =
      printf
        "  %-60s %5.2f of the old time, noise %.0f%%%s"
        (resultName (changeResult c))
        (changeTime c)
        (100 * changeNoise c)
        (maybe "" grown (changeAllocated c))
    grown :: (Double, Double) -> String
    grown (old, new)
      | new > 1.01 * old + 100 = printf ", allocates %.0f bytes, before %.0f" new old
      | otherwise = ""
