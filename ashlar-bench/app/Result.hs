{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Result
-- Description : What was measured, and its summaries
module Result
  ( Report (..),
    Result (..),
    readReport,
    writeReport,
    others,
    Ratio (..),
    speed,
    means,
  )
where

import qualified Data.Map.Strict as Map
import Text.Printf (printf)
import Workload (Size (..))

-- | All results of one program.
data Report = Report
  { -- | The compiler, and the optimisation of user code.
    reportName :: String,
    -- | By family.
    reportResults :: [(String, [Result])]
  }
  deriving stock (Read, Show)

-- | The times of one workload.
data Result = Result
  { resultName :: String,
    resultSize :: Size,
    -- | The least time of each library in each run, in ns. The first library is ours.
    resultTimes :: [(String, [Double])]
  }
  deriving stock (Read, Show)

-- | Read what 'writeReport' has written.
readReport :: FilePath -> IO Report
readReport path = read <$> readFile path

-- | Write a report to a file.
writeReport :: FilePath -> Report -> IO ()
writeReport path = writeFile path . show

-- | Our time divided by that of another library.
data Ratio = Ratio
  { ratioLibrary :: String,
    -- | The least time of the library in all runs, in ns.
    ratioTime :: Double,
    -- | The quotient of the least times of all runs.
    ratioBest :: Double,
    -- | The least and the greatest quotient of one run.
    ratioRange :: (Double, Double)
  }

-- | The ratios to all libraries, the first being ours.
others :: Result -> [Ratio]
others result =
  [ Ratio library (minimum theirs) (minimum ours / minimum theirs) (minimum each, maximum each)
    | (library, theirs) <- resultTimes result,
      let each = zipWith (/) ours theirs
  ]
  where
    ours = concatMap snd (take 1 (resultTimes result))

-- | The time of a value, or the bytes in a second, given the time in ns.
speed :: Size -> Double -> String
speed size t = case size of
  Unknown -> ""
  Items n -> printf "%.1f ns each" (t / fromIntegral n)
  Bytes n -> printf "%.2f GB/s" (fromIntegral n / t)

-- | For each library, the number of workloads and the geometric mean of the ratios.
means :: [Result] -> [(String, Int, Double)]
means results =
  [ (library, length ratios, exp (sum (map log ratios) / fromIntegral (length ratios)))
    | (library, ratios) <- Map.toList byLibrary
  ]
  where
    byLibrary =
      Map.fromListWith (++) [(ratioLibrary r, [ratioBest r]) | x <- results, r <- drop 1 (others x)]
