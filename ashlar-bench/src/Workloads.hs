-- |
-- Module      : Workloads
-- Description : What is measured
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

-- | All of them.
workloads :: [Workload]
workloads = builderWorkloads ++ interopWorkloads ++ getWorkloads ++ numberWorkloads ++ codecWorkloads ++ bulkWorkloads
