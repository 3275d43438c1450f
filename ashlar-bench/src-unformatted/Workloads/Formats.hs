-- |
-- Module      : Workloads.Formats
-- Description : No notations of floating-point numbers
--
-- bytestring has them from 0.11.1 on.
module Workloads.Formats (formatWorkloads) where

import Workload

-- | None.
formatWorkloads :: [Workload]
formatWorkloads = []
