-- |
-- Module      : Random
-- Description : Random reports
module Random
  ( positive,
    library,
    result,
    report,
    scaled,
    mapReport,
    mapLibraries,
  )
where

import Results
import Statistics (box)
import Test.QuickCheck hiding (Result)

-- | A positive number.
positive :: Gen Double
positive = (10 **) <$> choose (-2, 6)

name :: Gen String
name = listOf1 (oneof [choose ('a', 'z'), elements " ,\"\n<&\228"])

-- | The times of a library in some runs.
library :: Gen Library
library = choose (1, 4) >>= libraryOf "ours"

libraryOf :: String -> Int -> Gen Library
libraryOf called runs = do
  times <- vectorOf runs positive
  medians <- mapM (\t -> (* t) <$> choose (1, 2)) times
  allocated <- oneof [pure Nothing, Just <$> choose (0, 1.0e6)]
  bytes <- oneof [pure Nothing, Just <$> choose (0, 1000000)]
  boxed <- oneof [pure Nothing, Just . box <$> listOf1 positive]
  pure (Library called times medians allocated Nothing bytes bytes boxed)

-- | A workload of up to four libraries, of which one is no competitor.
result :: Gen Result
result = do
  runs <- choose (1, 4)
  n <- choose (1, 3)
  libraries <- mapM (`libraryOf` runs) (take (n + 1) ["ours", "store", "memcpy", "binary"])
  picture <- elements [Row, Bars, Curve "title" "axis" 3.5, Boxes "boxes" "axis" 7]
  size <- elements [Unknown, Items 7, Bytes 1000]
  Result <$> name <*> name <*> pure size <*> pure picture <*> pure libraries

-- | A report of a few workloads, each of another name.
report :: Gen Report
report = do
  results <- resize 6 (listOf result)
  called <- elements ["GHC 1", "GHC 2"]
  pure (Report called "a machine" (zipWith numbered [0 :: Int ..] results))
  where
    numbered i r = r {resultName = show i ++ resultName r}

-- | A library that takes this many times as long.
scaled :: Double -> Library -> Library
scaled factor l =
  l {libraryTimes = times (libraryTimes l), libraryMedians = times (libraryMedians l)}
  where
    times = map (* factor)

-- | Change each library, by its number.
mapReport :: (Int -> Library -> Library) -> Report -> Report
mapReport f = mapLibraries (zipWith f [0 ..])

-- | Change the libraries of each workload.
mapLibraries :: ([Library] -> [Library]) -> Report -> Report
mapLibraries f r =
  r {reportResults = [x {resultLibraries = f (resultLibraries x)} | x <- reportResults r]}
