-- |
-- Module      : Statistics
-- Description : Summaries of what was measured
module Statistics
  ( -- * Numbers
    geometricMean,
    median,
    box,

    -- * Ratios
    Ratio (..),
    others,
    isLimit,
    speed,
    means,

    -- * Families
    Summary (..),
    summary,
    losses,

    -- * Noise
    noise,
    Change (..),
    changes,
    isSlower,
  )
where

import Data.Bifunctor (first)
import Data.List (sort, sortOn)
import qualified Data.Map.Strict as Map
import Results
import Text.Printf (printf)

-- | The geometric mean of positive numbers, of which there is at least one.
geometricMean :: [Double] -> Double
geometricMean xs = exp (sum (map log xs) / fromIntegral (length xs))

-- | The number in the middle, or the mean of the two in the middle, of at least one number.
median :: [Double] -> Double
median xs = (sorted !! ((n - 1) `div` 2) + sorted !! (n `div` 2)) / 2
  where
    sorted = sort xs
    n = length xs

-- | The least and the greatest of at least one number, the median, and the quartiles: the medians
-- of the lower and of the upper half, each with the number in the middle.
box :: [Double] -> Box
box xs = Box (minimum xs) (median lower) (median xs) (median upper) (maximum xs)
  where
    half = (length xs + 1) `div` 2
    lower = take half (sort xs)
    upper = drop (length xs - half) (sort xs)

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
  [ Ratio (libraryName l) best (minimum ours / best) (minimum each, maximum each)
    | l <- resultLibraries result,
      let theirs = libraryTimes l
          best = minimum theirs
          each = zipWith (/) ours theirs
  ]
  where
    ours = concatMap libraryTimes (take 1 (resultLibraries result))

-- | No competitor: another way of ours, or what bounds the time of every library.
isLimit :: String -> Bool
isLimit name = takeWhile (`notElem` " ,'") name `elem` known || name == "its encode"
  where
    known = ["ashlar", "calibration", "defragmented", "directly", "C", "memcpy", "write", "none"]

-- | The time of a value, or the bytes in a second, given the time in ns.
speed :: Size -> Double -> String
speed size t = case size of
  Unknown -> ""
  Items n -> printf "%.1f ns each" (t / fromIntegral n)
  Bytes n -> printf "%.2f GB/s" (fromIntegral n / t)

-- | For each library, the number of workloads and the geometric mean of the ratios.
means :: [Result] -> [(String, Int, Double)]
means results =
  [ (library, length ratios, geometricMean ratios)
    | (library, ratios) <- Map.toList byLibrary
  ]
  where
    byLibrary =
      Map.fromListWith (++) [(ratioLibrary r, [ratioBest r]) | x <- results, r <- drop 1 (others x)]

-- | A family in short.
data Summary = Summary
  { -- | The number of ratios to competitors.
    summaryCount :: Int,
    -- | Their geometric mean.
    summaryMean :: Double,
    -- | Our worst workload, with the competitor and the ratio.
    summaryWorst :: (String, Ratio)
  }

-- | The summary of some results, if they have a competitor.
summary :: [Result] -> Maybe Summary
summary results =
  case sortOn (negate . ratioBest . snd) (competitors results) of
    [] -> Nothing
    worst : rest ->
      Just (Summary (1 + length rest) (geometricMean (map (ratioBest . snd) (worst : rest))) worst')
      where
        worst' = first resultName worst

-- Our ratios to competitors.
competitors :: [Result] -> [(Result, Ratio)]
competitors results =
  [(x, r) | x <- results, r <- drop 1 (others x), not (isLimit (ratioLibrary r))]

-- | The workloads at which a competitor is faster, the worst first.
losses :: [Result] -> [(Result, Ratio)]
losses = sortOn (negate . ratioBest . snd) . filter ((> 1) . ratioBest . snd) . competitors

-- | By which part the times of a library differ without a reason: the greatest of the difference
-- between runs, of that between a run's median and its least time, and of 5%.
noise :: Library -> Double
noise l = maximum (0.05 : between : zipWith excess (libraryMedians l) times)
  where
    times = libraryTimes l
    between = maximum times `excess` minimum times
    excess x least = x / least - 1

-- | A workload in two reports.
data Change = Change
  { changeResult :: Result,
    -- | Our new time divided by the old one, and by the same quotient of the other libraries: that
    -- cancels what the machine does to all.
    changeTime :: Double,
    -- | How much greater than 1 noise makes it.
    changeNoise :: Double,
    -- | The bytes that we allocated and allocate now.
    changeAllocated :: Maybe (Double, Double)
  }

-- | The workloads that both reports have.
changes :: Report -> Report -> [Change]
changes old new =
  [ Change now (ours / drift) allowed allocated
    | now <- reportResults new,
      Just before <- [Map.lookup (key now) known],
      a : as <- [resultLibraries before],
      b : bs <- [resultLibraries now],
      let ours = least b / least a
          pairs = [(x, y) | x <- as, y <- bs, libraryName x == libraryName y]
          drift = if null pairs then 1 else geometricMean [least y / least x | (x, y) <- pairs]
          theirs = [(1 + noise x) * (1 + noise y) | (x, y) <- pairs]
          allowed = (1 + noise a) * (1 + noise b) * maximum (1 : theirs) - 1
          allocated = (,) <$> libraryAllocated a <*> libraryAllocated b
  ]
  where
    key x = (resultFamily x, resultName x)
    known = Map.fromList [(key x, x) | x <- reportResults old]
    least = minimum . libraryTimes

-- | Slower than noise allows, or allocates more by a hundredth and 100 bytes.
isSlower :: Change -> Bool
isSlower c = changeTime c > 1 + changeNoise c || maybe False grown (changeAllocated c)
  where
    grown (old, new) = new > 1.01 * old + 100
