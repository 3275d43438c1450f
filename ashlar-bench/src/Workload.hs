{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE PatternSynonyms #-}

-- |
-- Module      : Workload
-- Description : The same work, done by several libraries
module Workload
  ( Workload (Workload, workloadName, workloadRuns, workloadSize),
    Size (..),
    items,
    bytesOfText,
    apply,
    applyIO,
  )
where

import Control.Exception (evaluate)

-- | The same work, done by several libraries. The first is ours.
data Workload = Measured
  { workloadName :: String,
    workloadRuns :: [(String, IO ())],
    -- | For figures beside the time.
    workloadSize :: Size
  }

-- | Work of which only the time is of interest.
pattern Workload :: String -> [(String, IO ())] -> Workload
pattern Workload name runs <-
  Measured name runs _
  where
    Workload name runs = Measured name runs Unknown

{-# COMPLETE Workload #-}

-- | How much work it is.
data Size
  = Unknown
  | -- | A number of values, for the time of one.
    Items Int
  | -- | A number of bytes, for the bytes in a second.
    Bytes Int
  deriving stock (Read, Show)

-- | Work on a number of values.
items :: Int -> Workload -> Workload
items n w = w {workloadSize = Items n}

-- | Work that makes or takes a number of bytes of text.
bytesOfText :: Int -> Workload -> Workload
bytesOfText n w = w {workloadSize = Bytes n}

-- | Apply a function to an argument that the compiler does not know.
apply :: (a -> b) -> a -> IO ()
apply f x = () <$ (evaluate $! f x)
{-# NOINLINE apply #-}

-- | Run an action on an argument that the compiler does not know.
applyIO :: (a -> IO ()) -> a -> IO ()
applyIO f = f
{-# NOINLINE applyIO #-}
