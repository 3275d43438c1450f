-- |
-- Module      : Workloads.Formats
-- Description : The notations of floating-point numbers in bytestring's own benchmarks
module Workloads.Formats (formatWorkloads) where

import qualified Ashlar.Builder as A
import qualified Data.ByteString.Builder.RealFloat as B
import Workload
import Workloads.Bytestring

-- | Scientific and positional notation.
formatWorkloads :: [Workload]
formatWorkloads =
  concat
    [ group "FScientific" "" A.scientific B.scientific,
      group "FStandard" "/without" A.standardDefaultPrecision B.standardDefaultPrecision,
      group "FStandard" "/precision-1" (A.standard 1) (B.standard 1),
      group "FStandard" "/precision-6" (A.standard 6) (B.standard 6)
    ]

group :: String -> String -> A.FloatFormat -> B.FloatFormat -> [Workload]
group name variant ours theirs =
  concat
    [ [ ofFloats sign "Float" (map f singles),
        ofDoubles sign "Double" (map g doubles),
        ofDoubles sign "DoubleSmall" (map g smallDoubles)
      ]
      | (sign, f, g) <- [("Positive", id, id), ("Negative", negate, negate)]
    ]
    ++ [ ofFloats "Special" "Float  Average" (special 0),
         ofDoubles "Special" "Double Average" (special 0)
       ]
  where
    ofFloats sign kind =
      many (named sign kind) (foldMap (A.formatFloat ours)) (foldMap (B.formatFloat theirs))
    ofDoubles sign kind =
      many (named sign kind) (foldMap (A.formatDouble ours)) (foldMap (B.formatDouble theirs))
    named sign kind = name ++ "/" ++ sign ++ variant ++ "/" ++ kind
