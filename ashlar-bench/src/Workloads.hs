-- |
-- Module      : Workloads
-- Description : All benchmarks
module Workloads
  ( Workload (..),
    families,
  )
where

import Competitors (competitors)
import Workload
import Workloads.Appends
import Workloads.Builder
import Workloads.Bulk
import Workloads.Bytestring
import Workloads.Codec
import Workloads.Connections
import Workloads.Digits
import Workloads.Files
import Workloads.Formats
import Workloads.Get
import Workloads.Interop
import Workloads.Json
import Workloads.Languages
import Workloads.Numbers
import Workloads.Offsets
import Workloads.Packed (packedWorkloads)
import Workloads.Packing
import Workloads.Parse
import Workloads.Pushed
import Workloads.Puts
import Workloads.Records
import Workloads.Scaling
import Workloads.Sockets
import Workloads.Texts
import Workloads.Tokens
import Workloads.Utf8
import Workloads.Vectors
import Workloads.Views

-- | All workloads, by what they measure.
families :: [(String, [Workload])]
families =
  [ (family, map joined workloads)
    | (family, workloads) <-
        [ ("Builders", builderWorkloads ++ interopWorkloads ++ jsonWorkloads ++ socketWorkloads),
          ("Decoders", getWorkloads ++ offsetWorkloads ++ pushedWorkloads),
          ("Numbers one after the other", numberWorkloads ++ putWorkloads),
          ("Codec", codecWorkloads ++ bulkWorkloads),
          ("Records", recordWorkloads),
          ("Packed", packedWorkloads),
          ("Files and older types", fileWorkloads),
          ("Connections", connectionWorkloads),
          ("A vector of records", vectorWorkloads),
          ("In place", viewWorkloads),
          ("Text: Base64, dates, numbers", textWorkloads ++ tokenWorkloads ++ digitWorkloads),
          ("Packing bytes", packingWorkloads),
          ("UTF-8", utf8Workloads),
          ("Appends", appendWorkloads),
          ("Parsing", parseWorkloads),
          ("bytestring's own benchmarks", bytestringWorkloads ++ formatWorkloads),
          ("Across languages", languageWorkloads),
          ("Scaling", scalingWorkloads)
        ]
  ]
  where
    joined w =
      w
        { workloadRuns =
            workloadRuns w ++ [library | (name, library) <- competitors, name == workloadName w]
        }
