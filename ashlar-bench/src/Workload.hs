-- |
-- Module      : Workload
-- Description : A piece of work, done by several libraries
module Workload
  ( Workload (..),
    apply,
    applyIO,
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

-- | Run an action on such an argument.
applyIO :: (a -> IO ()) -> a -> IO ()
applyIO f = f
{-# NOINLINE applyIO #-}
