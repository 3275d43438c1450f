-- |
-- Module      : Workloads
-- Description : All benchmarks
module Workloads
  ( Workload (..),
    workloads,
  )
where

import Workload
import Workloads.Builder
import Workloads.Bulk
import Workloads.Codec
import Workloads.Get
import Workloads.Interop
import Workloads.Numbers
import Workloads.Pushed
import Workloads.Records
import Workloads.Texts
import Workloads.Tokens

-- | All workloads.
workloads :: [Workload]
workloads =
  builderWorkloads ++ interopWorkloads ++ getWorkloads ++ numberWorkloads
    ++ pushedWorkloads
    ++ codecWorkloads
    ++ recordWorkloads
    ++ bulkWorkloads
    ++ textWorkloads
    ++ tokenWorkloads
