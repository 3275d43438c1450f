{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Jobs
-- Description : A function over many records, on many machines
--
-- One program has records, and wants a function applied to each. Other programs apply it, on any
-- number of hosts. They come and go, and may be killed at any time. The results come back in order.
--
-- The submitter, with any number of records in constant memory:
--
-- > {-# LANGUAGE OverloadedStrings #-}
-- > import Ashlar.Jobs
-- > import Ashlar.Jobs.Engine.Redis
-- >
-- > square :: Job Int Integer
-- > square = job "square"
-- >
-- > main = withRedis defaultRedisOptions $ \redis ->
-- >   submit (redisEngine redis "square") square $ \n give ->
-- >     mapM_ give (drop (fromIntegral n) [1 .. 1000000])
--
-- As many workers as you like:
--
-- > main = withRedis defaultRedisOptions $ \redis ->
-- >   worker (redisEngine redis "square") square (\n -> pure (toInteger n ^ 2))
--
-- The collector:
--
-- > main = withRedis defaultRedisOptions $ \redis ->
-- >   collect (redisEngine redis "square") square print' ()
-- >   where
-- >     print' () c = either print (mapM_ print) (collectedResults c)
--
-- The first two return how much they have done: a @main :: IO ()@ needs a 'Control.Monad.void'.
--
-- Records travel in batches of 128 KiB. An 'Engine' keeps the batches until they are done, and the
-- results until they are collected: "Ashlar.Jobs.Engine.Redis" on a server, or
-- "Ashlar.Jobs.Engine.Memory" in this process, for tests.
--
-- == What is promised
--
-- * Every record has one result in the end, or is set aside with an error. The function may be
--   applied more than once.
-- * All three may be stopped and started again. They continue where the engine says. A collector
--   may get the batch again at which it was stopped, and none before.
-- * The submitter waits while the engine has enough to do ('submitLimit').
-- * Every batch has a checksum, the name of the job, and the fingerprints of its types. A worker
--   with other types reads the batches as its own types, if "Ashlar.Schema.Evolution" can, or is
--   refused, and told which field differs.
-- * The promises hold as long as the engine loses nothing that it has confirmed. If it does,
--   whoever needs what is missing throws 'DataLost', and waits no longer.
-- * A job is submitted once. A second 'submit' throws 'AlreadySubmitted', unless 'submitAgain'
--   is set, or the job was forgotten.
--
-- The records may be untrusted. The engine is trusted: whoever can write to it can write a forged
-- batch with a right checksum. Such a batch is decoded safely.
module Ashlar.Jobs
  ( -- * Jobs
    Job (..),
    job,
    Engine,

    -- * Submitting
    submit,
    submitWith,
    SubmitOptions (..),
    defaultSubmitOptions,

    -- * Working
    worker,
    workerWith,
    WorkerOptions (..),
    defaultWorkerOptions,
    Worked (..),

    -- * Collecting
    collect,
    Collected (..),
    Failed (..),
    failures,

    -- * Looking on
    status,
    Status (..),
    Progress (..),
    forget,

    -- * Exceptions
    JobException (..),
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Collect
import Ashlar.Jobs.Internal.Job
import Ashlar.Jobs.Internal.Submit
import Ashlar.Jobs.Internal.Worker

-- | How far a job is, all of it at one moment. It is all zeros if nobody has begun to submit. A
-- Redis that does not answer is 'Unreachable' after a while.
status :: Engine -> IO Status
status = engineStatus

-- | Delete all that the engine has of a job. Do it when all results are collected. Workers that are
-- running then return, or wait for the next submission ('workerStays'). Submitters and collectors
-- get 'Forgotten'. (Redis keeps a note for a day, so that they can tell this from lost data.)
forget :: Engine -> IO ()
forget engine = engineForget engine Nothing
