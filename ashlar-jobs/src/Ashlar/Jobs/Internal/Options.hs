{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Options
-- Description : How to work
module Ashlar.Jobs.Internal.Options
  ( WorkerOptions (..),
    defaultWorkerOptions,
    limitsOf,
    Worked (..),
  )
where

import Ashlar.Jobs.Internal.Parts (Limits (..))
import Data.Int (Int64)
import Data.Text (Text)

-- | How to work.
data WorkerOptions = WorkerOptions
  { -- | The name of the worker, which no other one has. 'Nothing' makes one of the name of the
    -- host and the number of the process.
    workerName :: !(Maybe Text),
    -- | After how many microseconds without a sign of life another worker takes the batch. The
    -- default is 30 seconds. A worker gives a sign at each third of it, however long the function
    -- takes.
    workerIdle :: !Int,
    -- | How many attempts may fail at a record before it is set aside. The default is 5.
    workerAttempts :: !Int,
    -- | How many more attempts may fail at a batch, so that only the records that fail are set
    -- aside. After that, all of it is set aside that has no results yet. The default is 32.
    workerCuts :: !Int,
    -- | How many microseconds after an exception a batch is tried again. The default is a second.
    -- More than 'workerIdle' counts as that.
    workerRetry :: !Int,
    -- | Wait for the job to be submitted again when all batches are done and no more will come, or
    -- when it was forgotten. The default is 'False'.
    workerStays :: !Bool
  }
  deriving stock (Eq, Show)

-- | A worker with a name of its own, which tries each record five times, waits 30 seconds for a
-- sign of life, and returns when the job is done.
defaultWorkerOptions :: WorkerOptions
defaultWorkerOptions = WorkerOptions Nothing 30000000 5 32 1000000 False

-- | What a worker has done. A batch is not counted if the reply to its result was lost.
-- 'Ashlar.Jobs.statusWorkers' counts it.
data Worked = Worked
  { -- | The batches whose results are from this worker, all of them.
    workedBatches :: !Int64,
    -- | The batches whose results are from this worker, but for records that it has set aside.
    workedAside :: !Int64
  }
  deriving stock (Eq, Show)

-- | How often what is tried.
limitsOf :: WorkerOptions -> Limits
limitsOf options = Limits attempts (attempts + within 0 (workerCuts options))
  where
    attempts = within 1 (workerAttempts options)
    within least = max least . min 100000
