-- |
-- Module      : Report
-- Description : The table
module Report
  ( Row (..),
    report,
  )
where

import Data.List (transpose)
import Text.Printf (printf)
import Worker (Measured (..))

-- | A library and its two phases.
data Row = Row
  { rowLibrary :: String,
    rowEncode :: Measured,
    rowDecode :: Measured
  }

-- | Two rounds of the same library.
instance Semigroup Row where
  Row library e d <> Row _ e' d' = Row library (e <> e') (d <> d')

-- | A table of these, with ratios to the first.
report :: [Row] -> String
report rows = unlines (map (unwords . zipWith3 pad alignments widths) table)
  where
    table = heading ++ map cells rows
    heading =
      [ ["", "file", "|", "encode", "", "ashlar's", "peak", "|", "decode", "", "ashlar's", "peak"],
        ["", "MB", "|", "s", "MB/s", "share", "MB", "|", "s", "MB/s", "share", "MB"]
      ]
    cells row =
      [rowLibrary row, megabytes (measuredBytes (rowEncode row))]
        ++ phase rowEncode row
        ++ phase rowDecode row
    phase part row =
      let m = part row
          ours = [measuredSeconds (part first) | first <- take 1 rows]
       in [ "|",
            printf "%.2f" (measuredSeconds m),
            printf "%.0f" (fromIntegral (measuredBytes m) / 1.0e6 / measuredSeconds m),
            concatMap (\s -> printf "%.2f" (s / measuredSeconds m)) ours,
            megabytes (measuredPeak m)
          ]
    megabytes n = printf "%.1f" (fromIntegral n / 1.0e6 :: Double)
    widths = map (maximum . map length) (transpose table)
    alignments = False : repeat True
    pad right width s
      | right = replicate (width - length s) ' ' ++ s
      | otherwise = s ++ replicate (width - length s) ' '
