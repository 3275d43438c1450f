-- |
-- Module      : Workload
-- Description : The same work, done by several libraries
module Workload
  ( Workload (..),
    apply,
    applyIO,
  )
where

import Control.Exception (evaluate)

-- | The same work, done by several libraries. The first is ours.
data Workload = Workload
  { workloadName :: String,
    workloadRuns :: [(String, IO ())]
  }

-- | Apply a function to an argument that the compiler does not know.
apply :: (a -> b) -> a -> IO ()
apply f x = () <$ (evaluate $! f x)
{-# NOINLINE apply #-}

-- | Run an action on an argument that the compiler does not know.
applyIO :: (a -> IO ()) -> a -> IO ()
applyIO f = f
{-# NOINLINE applyIO #-}
