-- |
-- Module      : Workload
-- Description : A piece of work, done by several libraries
module Workload
  ( Workload (..),
    apply,
  )
where

import Control.Exception (evaluate)

-- | A piece of work, done by several libraries. The first is ours.
data Workload = Workload
  { workloadName :: String,
    workloadRuns :: [(String, IO ())]
  }

-- | Evaluate a function at an argument that is not known when the work is compiled.
apply :: (a -> b) -> a -> IO ()
apply f x = () <$ (evaluate $! f x)
{-# NOINLINE apply #-}
