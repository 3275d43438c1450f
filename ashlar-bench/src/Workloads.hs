-- |
-- Module      : Workloads
-- Description : All benchmarks
module Workloads
  ( Workload (..),
    families,
  )
where

import Workload
import Workloads.Builder
import Workloads.Bulk
import Workloads.Codec
import Workloads.Files
import Workloads.Get
import Workloads.Interop
import Workloads.Json
import Workloads.Numbers
import Workloads.Pushed
import Workloads.Records
import Workloads.Texts
import Workloads.Tokens

-- | All workloads, by what they measure.
families :: [(String, [Workload])]
families =
  [ ("Builders", builderWorkloads ++ interopWorkloads ++ jsonWorkloads),
    ("Decoders", getWorkloads ++ pushedWorkloads),
    ("Numbers one after the other", numberWorkloads),
    ("Codec", codecWorkloads ++ recordWorkloads ++ bulkWorkloads),
    ("Files and older types", fileWorkloads),
    ("Text: Base64, dates, numbers", textWorkloads ++ tokenWorkloads)
  ]
