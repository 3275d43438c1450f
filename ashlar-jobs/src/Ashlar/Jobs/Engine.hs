{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Jobs.Engine
-- Description : What keeps batches and results between the processes
--
-- An 'Engine' keeps the batches of one job until they are done, and their results until they are
-- collected. It is a record of functions, so that there can be several:
--
-- * "Ashlar.Jobs.Engine.Redis": Redis Streams, for any number of hosts
-- * "Ashlar.Jobs.Engine.Memory": this process, for tests
--
-- To write another, keep these rules. The rest of this package relies on nothing else.
--
-- [E1] Every function may be called again with the same arguments, because its reply was lost.
-- The second call changes nothing. ('engineTake' may deliver another batch: nobody works on the
-- first one then, so it becomes idle.)
--
-- [E2] A batch that was added is delivered to some worker, and again to others each time that it
-- has been idle for as long as they say, until it is acknowledged.
--
-- [E3] The first result of a batch is kept, and no other.
--
-- [E4] What a function has changed is not lost, or the engine says so. A function with a 'Run'
-- throws 'Forgotten' if that run was deleted by 'engineForget', and 'DataLost' if it is not there
-- for another reason, or if what the function needs of it is missing. It changes nothing then.
--
-- Functions wait for a while where they say so, and then return that there is nothing yet. Callers
-- ask again.
module Ashlar.Jobs.Engine
  ( Engine (..),
    Run (..),
    Progress (..),
    NewBatch (..),
    Added (..),
    Taken (..),
    Delivery (..),
    Hold (..),
    Stored (..),
    Aside (..),
    Status (..),
    JobException (..),
  )
where

import Ashlar.Jobs.Internal.Exception
import Data.ByteString (ByteString)
import Data.Int (Int64)
import Data.Text (Text)
import GHC.Fingerprint (Fingerprint)

-- | The batches and results of one job. Batches are numbered from 0. The contents are bytes that
-- an engine does not interpret.
data Engine = Engine
  { -- | The most bytes of a batch, or of a result. Less than 64 KiB counts as that.
    engineMaxBytes :: !Int,
    -- | What is there, without waiting. 'Nothing' if nobody has begun to submit.
    engineCurrent :: IO (Maybe (Run, Progress)),
    -- | Begin to submit, or continue, given what 'runAbout' will be if this is the beginning.
    -- Whoever submitted before is 'Superseded' from then on.
    engineOpen :: ByteString -> IO (Run, Progress),
    -- | What is there, if it is another run than this one. It waits until somebody begins to
    -- submit, and throws 'NotSubmitted' if that takes too long.
    engineJoin :: Maybe Run -> IO Run,
    -- | Keep the schema with this fingerprint.
    engineSaveSchema :: Run -> Fingerprint -> ByteString -> IO (),
    -- | The schema with this fingerprint.
    engineSchema :: Run -> Fingerprint -> IO (Maybe ByteString),
    -- | Add the next batch. It waits for a while if there are too many. Throws 'DataLost' if the
    -- batch before it is missing.
    engineAdd :: Run -> NewBatch -> IO Added,
    -- | Nothing follows: the session, and the number of batches.
    engineClose :: Run -> Int64 -> Int64 -> IO Added,
    -- | The next batch for the worker with this name: one that has been idle for this number of
    -- microseconds at least, or else one that nobody has had. It waits for a while.
    engineTake :: Run -> Text -> Int -> IO Taken,
    -- | If the worker still has the delivery, change what is kept with it. Else 'False'.
    engineHold :: Run -> Text -> Delivery -> Hold -> IO Bool,
    -- | Keep a result, if there is none: the worker, the number of the batch, the result. 'False'
    -- if there is one, or if it has been collected. If the result is kept, so is the last argument.
    engineStore :: Run -> Text -> Int64 -> ByteString -> Maybe Aside -> IO Bool,
    -- | The batch is done.
    engineAcknowledge :: Run -> Delivery -> IO (),
    -- | The number of the first batch whose result has not been released.
    engineCollected :: Run -> IO Int64,
    -- | The result of the batch with this number. It waits for a while.
    engineResult :: Run -> Int64 -> IO Stored,
    -- | The result with this number, and all before, are no longer needed.
    engineRelease :: Run -> Int64 -> IO (),
    -- | What has been set aside, by number.
    engineAside :: Run -> IO [Aside],
    -- | How far the job is.
    engineStatus :: IO Status,
    -- | Delete this run if it is there, or whatever is there.
    engineForget :: Maybe Run -> IO (),
    -- | Which of its settings may lose data, as far as they can be seen: a sentence for each.
    engineWarnings :: IO [Text]
  }

-- | One submission of a job, from the first 'engineOpen' until 'engineForget'.
data Run = Run
  { -- | No other run has the same.
    runId :: !ByteString,
    -- | What whoever opened it first says about the job.
    runAbout :: !ByteString
  }
  deriving stock (Eq, Show)

-- | How far a job has been submitted.
data Progress = Progress
  { -- | Tells this submitter from earlier ones.
    progressSession :: !Int64,
    -- | How many batches there are.
    progressBatches :: !Int64,
    -- | How many records they have.
    progressRecords :: !Int64,
    -- | Whether nothing follows.
    progressClosed :: !Bool
  }
  deriving stock (Eq, Show)

-- | A batch to be added.
data NewBatch = NewBatch
  { -- | That of 'engineOpen'.
    newSession :: !Int64,
    -- | At most this number of batches may wait or be in work, this one included.
    newLimit :: !Int,
    newNumber :: !Int64,
    -- | The number of records in all batches up to this one.
    newRecords :: !Int64,
    newBytes :: !ByteString
  }
  deriving stock (Eq, Show)

-- | What became of a batch to be added.
data Added
  = -- | It is there, perhaps from an earlier call.
    Added
  | -- | There are too many. Try again.
    Full
  | -- | Another submitter has begun.
    Superseded
  deriving stock (Eq, Show)

-- | What there is to do.
data Taken
  = Taken !Delivery
  | -- | Nothing at the moment, and how far the job has been submitted.
    NothingYet !Progress
  | -- | Nothing, and nothing will come.
    Finished
  deriving stock (Eq, Show)

-- | A batch that a worker has.
data Delivery = Delivery
  { -- | The engine's name for it.
    deliveryId :: !ByteString,
    deliveryNumber :: !Int64,
    -- | How many times it has been delivered: 1 for the first. 'holdAttempt' changes it.
    deliveryAttempt :: !Int,
    deliveryBytes :: !ByteString,
    -- | What 'holdNote' has kept with it. It is empty if there is nothing.
    deliveryNote :: !ByteString
  }
  deriving stock (Eq, Show)

-- | What is kept with a delivery.
data Hold = Hold
  { -- | From now on, it counts as idle for this number of microseconds.
    holdIdle :: !Int,
    -- | It counts as delivered this number of times.
    holdAttempt :: !(Maybe Int),
    -- | Whoever gets the batch next gets this, too. An empty one counts as none.
    holdNote :: !(Maybe ByteString)
  }
  deriving stock (Eq, Show)

-- | What there is of a result.
data Stored
  = -- | The result, and how far the job has been submitted.
    Stored !Progress !ByteString
  | -- | Nothing, and how far the job has been submitted.
    NotYet !Progress
  | -- | It has been released.
    Released
  | -- | The job has no batch with this number.
    Ended
  deriving stock (Eq, Show)

-- | A batch of which records were set aside.
data Aside = Aside
  { asideNumber :: !Int64,
    -- | The batch, as it was submitted.
    asideBatch :: !ByteString,
    -- | Which of its records, and the errors.
    asideFailure :: !ByteString
  }
  deriving stock (Eq, Show)

-- | How far a job is. All of it is from one moment.
data Status = Status
  { statusProgress :: !Progress,
    -- | How many batches wait, or are in work.
    statusTasks :: !Int,
    -- | How many results have been stored, collected ones included.
    statusStored :: !Int64,
    -- | How many results have been collected.
    statusCollected :: !Int64,
    -- | How many batches have records that were set aside.
    statusAside :: !Int,
    -- | How many batches the engine has lost: they do not wait, are not in work, and have had no
    -- result. It is 0 unless the engine has lost data. (That a result was lost, only
    -- 'Ashlar.Jobs.collect' finds out.)
    statusLost :: !Int64,
    -- | How many results are those of which worker.
    statusWorkers :: [(Text, Int64)]
  }
  deriving stock (Eq, Show)
