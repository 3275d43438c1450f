{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Exception
-- Description : Why a job cannot go on
module Ashlar.Jobs.Internal.Exception
  ( JobException (..),

    -- * What is missing
    lostJob,
    lostToAnother,
    lostTasks,
    lostBatch,
    lostFrom,
    lostEnd,
    lostAside,
    lostSchema,
  )
where

import Control.Exception (Exception (..))
import Data.Int (Int64)
import Data.Text (Text)

-- | Why a job cannot go on.
data JobException
  = -- | This program has other types than the others: why they do not fit, with the path to the
    -- first difference.
    OtherTypes String
  | -- | The engine has another job: its name, and the name of the job of this program.
    OtherJob Text Text
  | -- | The job was submitted to its end, with this number of records. To submit it again, use
    -- 'Ashlar.Jobs.submitAgain' or 'Ashlar.Jobs.forget'.
    AlreadySubmitted Int64
  | -- | Nobody has begun to submit the job, for as long as the engine has waited.
    NotSubmitted
  | -- | Another submitter or collector has taken over.
    TakenOver
  | -- | Somebody has deleted the job, by 'Ashlar.Jobs.forget'.
    Forgotten
  | -- | The engine has lost what it had confirmed, as Redis may if it does not write each change to
    -- the disk, or removes keys when its memory is full: what is missing.
    DataLost String
  | -- | Something is larger than the engine can hold: what, its size, and the limit with its name.
    TooLarge String
  | -- | The result of the batch with this number is damaged: how.
    BadResult Int64 String
  | -- | The engine could not be reached, for as long as the options allow: why.
    Unreachable String
  | -- | The engine refused a command: why.
    EngineFailed String
  deriving stock (Eq, Show)

instance Exception JobException where
  displayException e =
    "Ashlar.Jobs: " ++ case e of
      OtherTypes why -> "other types: " ++ why
      OtherJob theirs ours ->
        "the engine has the job " ++ show theirs ++ ", and this program's is " ++ show ours
      AlreadySubmitted n -> "the job was submitted before, with " ++ show n ++ " records"
      NotSubmitted -> "nobody has begun to submit the job"
      TakenOver -> "another process has taken over"
      Forgotten -> "the job was deleted"
      DataLost what -> "the engine has lost " ++ what
      TooLarge what -> "too large for the engine: " ++ what
      BadResult n why -> "the result of batch " ++ show n ++ ": " ++ why
      Unreachable why -> "the engine cannot be reached: " ++ why
      EngineFailed why -> "the engine failed: " ++ why

-- | Everything.
lostJob :: JobException
lostJob = DataLost "the whole job"

-- | Everything, and the job has been submitted again.
lostToAnother :: JobException
lostToAnother = DataLost "the whole job, which has been submitted again since"

-- | The list of what there is to do.
lostTasks :: JobException
lostTasks = DataLost "the batches that were waiting or in work"

-- | A batch is neither waiting nor in work, and has no result.
lostBatch :: Int64 -> JobException
lostBatch n = DataLost ("batch " ++ show n ++ " or its result")

-- | The engine once had more batches: as many as it has now.
lostFrom :: Int64 -> JobException
lostFrom n = DataLost ("the batches from number " ++ show n ++ " on")

-- | The job was closed.
lostEnd :: JobException
lostEnd = DataLost "the note that the job was submitted to its end"

-- | Given how many there are, and how many there should be.
lostAside :: Int -> Int -> JobException
lostAside n m =
  DataLost (show (m - n) ++ " of the " ++ show m ++ " batches that were set aside")

-- | Of the arguments or the results.
lostSchema :: String -> JobException
lostSchema what = DataLost ("the schema of the " ++ what)
