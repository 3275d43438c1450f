{-# LANGUAGE DerivingStrategies #-}

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
-- [E4] What a function has changed is not lost, or the engine says so: a batch that comes after one
-- that it does not have is 'Missing'.
--
-- Functions wait for a while where they say so, and then return that there is nothing yet. Callers
-- ask again.
module Ashlar.Jobs.Engine
  ( Engine (..),
    Progress (..),
    NewBatch (..),
    Added (..),
    Taken (..),
    Delivery (..),
    Stored (..),
    Aside (..),
    Status (..),
  )
where

import Data.ByteString (ByteString)
import Data.Int (Int64)
import Data.Text (Text)
import GHC.Fingerprint (Fingerprint)

-- | The batches and results of one job. Batches are numbered from 0. The contents are bytes that
-- an engine does not interpret.
--
-- @since 0.1.0.0
data Engine = Engine
  { -- | Keep the schema with this fingerprint.
    engineSaveSchema :: Fingerprint -> ByteString -> IO (),
    -- | The schema with this fingerprint.
    engineSchema :: Fingerprint -> IO (Maybe ByteString),
    -- | Begin to submit, or continue. Whoever submitted before is 'Superseded' from then on.
    engineOpen :: IO Progress,
    -- | Add the next batch. It waits for a while if there are too many.
    engineAdd :: NewBatch -> IO Added,
    -- | Nothing follows: the session, and the number of batches.
    engineClose :: Int64 -> Int64 -> IO Added,
    -- | The next batch for the worker with this name: one that has been idle for this number of
    -- microseconds at least, or else one that nobody has had. It waits for a while.
    engineTake :: Text -> Int -> IO Taken,
    -- | If the worker still has the delivery: from now on, it counts as idle for this number of
    -- microseconds, and as delivered this number of times.
    engineSetIdle :: Text -> Delivery -> Int -> Int -> IO (),
    -- | Keep a result, if there is none: the worker, the number of the batch, the result. 'False'
    -- if there is one, or if it has been collected.
    engineStore :: Text -> Int64 -> ByteString -> IO Bool,
    -- | Keep a batch that is not tried again, for people to look at.
    engineSetAside :: Aside -> IO (),
    -- | The batch is done.
    engineAcknowledge :: Delivery -> IO (),
    -- | The number of the first batch whose result has not been released.
    engineCollected :: IO Int64,
    -- | The result of the batch with this number. It waits for a while.
    engineResult :: Int64 -> IO Stored,
    -- | The result with this number, and all before, are no longer needed.
    engineRelease :: Int64 -> IO (),
    -- | What has been set aside, by number.
    engineAside :: IO [Aside],
    -- | How far the job is.
    engineStatus :: IO Status,
    -- | Delete everything.
    engineForget :: IO ()
  }

-- | How far a job has been submitted.
--
-- @since 0.1.0.0
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
--
-- @since 0.1.0.0
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
--
-- @since 0.1.0.0
data Added
  = -- | It is there, perhaps from an earlier call.
    Added
  | -- | There are too many. Try again.
    Full
  | -- | Another submitter has begun.
    Superseded
  | -- | Batches before it are missing: the engine has lost what was written last.
    Missing
  deriving stock (Eq, Show)

-- | What there is to do.
--
-- @since 0.1.0.0
data Taken
  = Taken !Delivery
  | -- | Nothing at the moment.
    NothingYet
  | -- | Nothing, and nothing will come.
    Finished
  deriving stock (Eq, Show)

-- | A batch that a worker has.
--
-- @since 0.1.0.0
data Delivery = Delivery
  { -- | The engine's name for it.
    deliveryId :: !ByteString,
    deliveryNumber :: !Int64,
    -- | How many times it has been delivered: 1 for the first.
    deliveryAttempt :: !Int,
    deliveryBytes :: !ByteString
  }
  deriving stock (Eq, Show)

-- | What there is of a result.
--
-- @since 0.1.0.0
data Stored
  = Stored !ByteString
  | NotYet
  | -- | It has been released.
    Released
  | -- | The job has no batch with this number.
    Ended
  deriving stock (Eq, Show)

-- | A batch that was set aside.
--
-- @since 0.1.0.0
data Aside = Aside
  { asideNumber :: !Int64,
    -- | The batch, as it was submitted.
    asideBatch :: !ByteString,
    -- | Its result, which has the error.
    asideFailure :: !ByteString
  }
  deriving stock (Eq, Show)

-- | How far a job is.
--
-- @since 0.1.0.0
data Status = Status
  { statusProgress :: !Progress,
    -- | How many batches wait, or are in work.
    statusTasks :: !Int,
    -- | How many results have been stored, collected ones included.
    statusStored :: !Int64,
    -- | How many results have been collected.
    statusCollected :: !Int64,
    -- | How many batches have been set aside.
    statusAside :: !Int,
    -- | How many results are those of which worker.
    statusWorkers :: [(Text, Int64)]
  }
  deriving stock (Eq, Show)
