{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Submit
-- Description : Records to batches
module Ashlar.Jobs.Internal.Submit
  ( submit,
    submitWith,
    SubmitOptions (..),
    defaultSubmitOptions,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File (RecordType (..))
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope (Kind (Task))
import Ashlar.Jobs.Internal.Job
import Control.Exception (evaluate, throwIO)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)

-- | How to submit.
--
-- @since 0.1.0.0
data SubmitOptions = SubmitOptions
  { -- | A batch ends with the record that makes it at least this long, in bytes. The default is
    -- 128 KiB. Between 64 and 256 KiB, the costs of a batch are small beside those of its bytes.
    -- Less than 1 counts as 1.
    submitBatchBytes :: !Int,
    -- | The number of batches that may wait or be in work. The default is 64. The submitter waits
    -- while there are this many.
    submitLimit :: !Int
  }
  deriving stock (Eq, Show)

-- | Batches of 128 KiB, and at most 64 of them.
--
-- @since 0.1.0.0
defaultSubmitOptions :: SubmitOptions
defaultSubmitOptions = SubmitOptions 131072 64

-- | 'submitWith' the default options.
--
-- @since 0.1.0.0
submit ::
  Codec a =>
  Engine ->
  Job a b ->
  -- | Given how many records the engine has, and an action that takes a record: give it all
  -- following records, in order, and in one thread.
  (Int64 -> (a -> IO ()) -> IO ()) ->
  -- | The number of all records.
  IO Int64
submit = submitWith defaultSubmitOptions
{-# INLINE submit #-}

-- | Submit all records of a job, and say that nothing follows. It takes memory for one batch, and
-- waits while the engine has too many.
--
-- A submitter that was stopped is started again with the same records. It continues after the last
-- batch that the engine has. If all records were there, nothing happens.
--
-- If an exception leaves the action that takes a record, no more records are taken. There is one
-- submitter at a time: an older one that is still running gets 'TakenOver'. Throws 'BatchesLost' if
-- the engine has lost what it had confirmed, and what the engine throws.
--
-- @since 0.1.0.0
submitWith ::
  Codec a =>
  SubmitOptions ->
  Engine ->
  Job a b ->
  -- | Given how many records the engine has, and an action that takes a record: give it all
  -- following records, in order, and in one thread.
  (Int64 -> (a -> IO ()) -> IO ()) ->
  -- | The number of all records.
  IO Int64
submitWith options engine j produce = do
  saveType (jobArguments j)
  saveType (jobResults j)
  progress <- engineOpen engine
  let session = progressSession progress
  if progressClosed progress
    then pure (progressRecords progress)
    else do
      next <- newIORef (Next (progressBatches progress) (progressRecords progress))
      body <- newBody (submitBatchBytes options) $ \bytes count -> do
        Next number first <- readIORef next
        -- If it cannot be added, no record may be taken after it.
        writeIORef next (error "submit: a batch could not be added")
        let end = first + fromIntegral count
        -- At once: the bytes do not stay.
        sealed <- evaluate (seal j Task argument number 0 first count bytes)
        persist (engineAdd engine (NewBatch session (submitLimit options) number end sealed))
        writeIORef next $! Next (number + 1) end
      produce (progressRecords progress) (writeRecord body)
      flushOpen body
      Next number end <- readIORef next
      persist (engineClose engine session number)
      pure end
  where
    argument = typeFingerprint (jobArguments j)
    saveType :: RecordType t -> IO ()
    saveType ty = engineSaveSchema engine (typeFingerprint ty) (typeSchema ty)
    persist act = do
      added <- act
      case added of
        Added -> pure ()
        Full -> persist act
        Superseded -> throwIO TakenOver
        Missing -> throwIO BatchesLost
{-# INLINE submitWith #-}

-- The number of the next batch, and of its first record.
data Next = Next !Int64 !Int64
