{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Seen
-- Description : How far a job has been seen
--
-- An engine that is restarted from an old copy is complete in itself, but behind what others have
-- seen. So workers and collectors remember how far the job was.
module Ashlar.Jobs.Internal.Seen
  ( Seen,
    nothingSeen,
    see,
    seeBatch,
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Exception
import Control.Exception (throwIO)
import Control.Monad (when)
import Data.IORef
import Data.Int (Int64)

-- | The number of batches, and whether the job was submitted to its end.
data Seen = Seen !Int64 !Bool
  deriving stock (Eq, Show)

nothingSeen :: Seen
nothingSeen = Seen 0 False

-- | Throws 'DataLost' if the job was further before.
see :: IORef Seen -> Progress -> IO ()
see ref p = do
  Seen batches closed <- readIORef ref
  when (progressBatches p < batches) $ throwIO (lostFrom (progressBatches p))
  when (closed && not (progressClosed p)) $ throwIO lostEnd
  writeIORef ref $! Seen (progressBatches p) (progressClosed p)

-- | There is a batch with this number.
seeBatch :: IORef Seen -> Int64 -> IO ()
seeBatch ref number = modifyIORef' ref $ \(Seen batches closed) ->
  Seen (max batches (number + 1)) closed
