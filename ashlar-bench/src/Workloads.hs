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
import Workloads.Codec
import Workloads.Interop

-- | All of them.
workloads :: [Workload]
workloads = builderWorkloads ++ interopWorkloads ++ codecWorkloads
