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
import Ashlar.File.Internal.Block (RecordTooLarge (..))
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Exception (lostSchema)
import Ashlar.Jobs.Internal.Job
import Control.Exception (SomeException, evaluate, fromException, throw, throwIO, try)
import Control.Monad (when)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Fingerprint (Fingerprint)
import System.IO (hPutStrLn, stderr)

-- | How to submit.
data SubmitOptions = SubmitOptions
  { -- | A batch ends with the record that makes it at least this long, in bytes. The default is
    -- 128 KiB. Between 64 and 256 KiB, the costs of a batch are small beside those of its bytes.
    -- Less than 1 counts as 1.
    submitBatchBytes :: !Int,
    -- | The number of batches that may wait or be in work. The default is 64. The submitter waits
    -- while there are this many. Less than 1 counts as 1.
    submitLimit :: !Int,
    -- | If the job was submitted to its end, and all its results were collected, forget it and
    -- submit it again. The default is 'False': 'AlreadySubmitted' is thrown. It is thrown in any
    -- case while there are results that have not been collected.
    submitAgain :: !Bool,
    -- | Is told of settings of the engine that may lose data, if there are any. The default writes
    -- to the standard error.
    submitWarn :: !(Text -> IO ())
  }

-- | Batches of 128 KiB, at most 64 of them, never a second time, and warnings to the standard
-- error.
defaultSubmitOptions :: SubmitOptions
defaultSubmitOptions =
  SubmitOptions
    { submitBatchBytes = 131072,
      submitLimit = 64,
      submitAgain = False,
      submitWarn = hPutStrLn stderr . ("Ashlar.Jobs: " ++) . T.unpack
    }

-- | 'submitWith' the default options.
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
-- batch that the engine has. If the job was submitted to its end, even with no records,
-- 'AlreadySubmitted' is thrown, and the action is not run: see 'submitAgain'. A program that is
-- started again until it has succeeded takes that as success.
--
-- If what the engine has is a job with another name, or with types that cannot be read as these,
-- 'OtherJob' or 'OtherTypes' is thrown, and nothing changes.
--
-- A record that is too large for the engine ('engineMaxBytes') is not sent: the action that takes
-- it throws 'TooLarge'. It may be caught there, and other records given. If any other exception
-- leaves the action that takes a record, it is thrown again at each later use, and in the end.
--
-- There is one submitter at a time: an older one that is still running gets 'TakenOver'. Throws
-- 'DataLost' if the engine has lost what it had confirmed, 'Forgotten' if the job was forgotten,
-- and what the engine throws. After 'DataLost', submit again: it continues after the last batch
-- that is left, or says what is missing, and then 'Ashlar.Jobs.forget' the job.
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
  (run, progress) <- begin options engine j
  let session = progressSession progress
  next <- newIORef (Next (progressBatches progress) (progressRecords progress))
  body <- newBody (submitBatchBytes options) most $ \bytes count -> do
    Next number first <- readIORef next
    -- If it cannot be added, no record may be taken after it.
    writeIORef next (error "submit: a batch could not be added")
    let end = first + fromIntegral count
    -- At once: the bytes do not stay.
    sealed <- evaluate (seal j Task argument number 0 first count bytes)
    let limit = max 1 (submitLimit options)
    persist (engineAdd engine run (NewBatch session limit number end sealed))
    writeIORef next $! Next (number + 1) end
  let tooLarge (RecordTooLarge n limit) = do
        Next _ first <- readIORef next
        m <- openRecords body
        throwIO . TooLarge $
          "record " ++ show (first + fromIntegral m) ++ " has at least " ++ show n
            ++ " bytes, where "
            ++ limitName
            ++ " allows "
            ++ show limit
      give x = do
        _ <- readIORef next >>= evaluate
        taken <- try (writeRecord body x)
        case taken of
          Right () -> pure ()
          Left e -> maybe (refuse e) tooLarge (fromException e)
      -- Whoever catches the exception gets it again.
      refuse e = writeIORef next (throw e) >> throwIO (e :: SomeException)
  produce (progressRecords progress) give
  flushOpen body
  Next number end <- readIORef next
  writeIORef next (error "submit: a record was given after the end")
  persist (engineClose engine run session number)
  pure end
  where
    argument = typeFingerprint (jobArguments j)
    (most, limitName) = bodyLimit engine j
    persist act = do
      added <- act
      case added of
        Added -> pure ()
        Full -> persist act
        Superseded -> throwIO TakenOver
{-# INLINE submitWith #-}

-- What comes before the first record.
begin :: SubmitOptions -> Engine -> Job a b -> IO (Run, Progress)
begin options engine j = do
  there <- engineCurrent engine
  mapM_ (uncurry begun) there
  (run, progress) <- engineOpen engine (aboutJob j)
  -- Somebody else may have been faster.
  fits run
  when (progressClosed progress) $ throwIO (AlreadySubmitted (progressRecords progress))
  saveType run (jobArguments j)
  saveType run (jobResults j)
  engineWarnings engine >>= mapM_ (submitWarn options)
  pure (run, progress)
  where
    saveType :: Run -> RecordType t -> IO ()
    saveType run ty = engineSaveSchema engine run (typeFingerprint ty) (typeSchema ty)
    -- What is there is looked at before anything changes.
    begun run progress = do
      fits run
      when (progressClosed progress) $ do
        status <- engineStatus engine
        let collected = statusCollected status == progressBatches progress
        if submitAgain options && collected
          then engineForget engine (Just run)
          else throwIO (AlreadySubmitted (progressRecords progress))
    fits run = do
      e <- checkJob j run
      sameType run "arguments" (jobArguments j) (envelopeArgument e)
      sameType run "results" (jobResults j) (envelopeResult e)
    sameType :: Run -> String -> RecordType t -> Fingerprint -> IO ()
    sameType run what ty theirs
      | typeFingerprint ty == theirs = pure ()
      | otherwise = do
        schema <- engineSchema engine run theirs
        let refused why = throwIO (OtherTypes (what ++ " of " ++ show (jobName j) ++ ": " ++ why))
        case schema of
          Nothing -> throwIO (lostSchema what)
          Just bytes -> either refused (const (pure ())) (typeEvolved ty bytes theirs)

-- The number of the next batch, and of its first record.
data Next = Next !Int64 !Int64
