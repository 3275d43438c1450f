{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Worker
-- Description : Batches to results
--
-- Note [The order of things]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A worker takes a batch, runs the function, stores the result, and acknowledges the batch, in this
-- order. If it dies between two of these, another worker does all of it again. A result that is
-- there is kept, so the second one is dropped. A batch that cannot be done is first set aside, then
-- gets a result that says so, and is then acknowledged.
module Ashlar.Jobs.Internal.Worker
  ( worker,
    workerWith,
    WorkerOptions (..),
    defaultWorkerOptions,
    Worked (..),

    -- * Step by step
    newStep,
    Step (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File (RecordType (..))
import Ashlar.Get (Get)
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Job
import Control.Concurrent (forkIOWithUnmask, killThread, threadDelay)
import Control.Exception
import Control.Monad (forever)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Unique (hashUnique, newUnique)
import GHC.Fingerprint (Fingerprint)
import System.Posix.Process (getProcessID)
import System.Posix.Unistd (getSystemID, nodeName)

-- | How to work.
--
-- @since 0.1.0.0
data WorkerOptions = WorkerOptions
  { -- | The name of the worker, which no other one has. 'Nothing' makes one of the name of the
    -- host and the number of the process.
    workerName :: !(Maybe Text),
    -- | After how many microseconds without a sign of life another worker takes the batch. The
    -- default is 30 seconds. A worker gives a sign at each third of it, however long the function
    -- takes.
    workerIdle :: !Int,
    -- | How many times a batch is delivered before it is set aside. The default is 5.
    workerAttempts :: !Int,
    -- | How many microseconds after an exception a batch is tried again. The default is a second.
    -- More than 'workerIdle' counts as that.
    workerRetry :: !Int,
    -- | Wait for more when all batches are done and no more will come. The default is 'False'.
    workerStays :: !Bool
  }
  deriving stock (Eq, Show)

-- | A worker with a name of its own, which tries each batch five times, waits 30 seconds for a sign
-- of life, and returns when the job is done.
--
-- @since 0.1.0.0
defaultWorkerOptions :: WorkerOptions
defaultWorkerOptions = WorkerOptions Nothing 30000000 5 1000000 False

-- | What a worker has done.
--
-- @since 0.1.0.0
data Worked = Worked
  { -- | The batches whose result is from this worker.
    workedBatches :: !Int64,
    -- | The batches that it has set aside.
    workedAside :: !Int64
  }
  deriving stock (Eq, Show)

-- | 'workerWith' the default options.
--
-- @since 0.1.0.0
worker ::
  (Codec a, Codec b) =>
  Engine ->
  Job a b ->
  -- | Applied to each record, at least once.
  (a -> IO b) ->
  IO Worked
worker = workerWith defaultWorkerOptions
{-# INLINE worker #-}

-- | Apply a function to the records of a job, batch by batch, until all are done. Any number of
-- workers may do so, in any number of threads, processes and hosts. They may be killed at any time.
--
-- The function is applied to each record at least once, and to some more often. If it throws an
-- exception, the whole batch is tried again later, by any worker. After the last attempt it is set
-- aside, and the collector gets the error in place of the results. The same happens to a batch that
-- kills its workers.
--
-- Arguments of an older type are read as this worker's. If that is impossible, or if the results
-- are of another type than the submitter says, the worker gives the batch back and throws
-- 'OtherTypes'. An asynchronous exception gives the batch back, too. Neither counts as an attempt.
-- Exceptions of the engine are passed on. Then the batch goes to another worker after the idle
-- time.
--
-- @since 0.1.0.0
workerWith ::
  (Codec a, Codec b) =>
  WorkerOptions ->
  Engine ->
  Job a b ->
  -- | Applied to each record, at least once.
  (a -> IO b) ->
  IO Worked
workerWith options engine j f = do
  name <- maybe newName pure (workerName options)
  current <- newIORef Nothing
  step <- newStep options name current engine j f
  let go done@(Worked batches aside) =
        done `seq` do
          result <- step
          case result of
            Kept -> go (Worked (batches + 1) aside)
            PutAside -> go (Worked batches (aside + 1))
            AllDone | not (workerStays options) -> pure done
            _ -> go done
  withHeartbeat options name current engine (go (Worked 0 0))
{-# INLINE workerWith #-}

-- | What became of a batch.
data Step
  = -- | Its result has been stored.
    Kept
  | -- | It had a result.
    Twice
  | -- | It will be tried again.
    Again
  | -- | It was set aside.
    PutAside
  | -- | There was none.
    Idle
  | -- | There will be none.
    AllDone
  deriving stock (Eq, Show)

-- | An action that works on one batch.
newStep ::
  (Codec a, Codec b) =>
  WorkerOptions ->
  -- | The name of the worker.
  Text ->
  -- | Where it says what it works on.
  IORef (Maybe Delivery) ->
  Engine ->
  Job a b ->
  (a -> IO b) ->
  IO (IO Step)
newStep options name current engine j f = do
  getters <- newIORef []
  output <- newIORef Nothing
  pure $
    mask $ \restore -> do
      taken <- restore (engineTake engine name (workerIdle options))
      case taken of
        NothingYet -> pure Idle
        Finished -> pure AllDone
        Taken d -> do
          writeIORef current (Just d)
          (restore (workOn getters output d) `catch` giveBack d)
            `finally` writeIORef current Nothing
  where
    workOn getters output d = case unseal j (deliveryNumber d) (deliveryBytes d) of
      Left why -> setAside engine name j d Nothing why
      Right (e, body)
        | deliveryAttempt d > workerAttempts options ->
          setAside engine name j d (Just e) "each worker that took it has died or lost it"
        | otherwise -> do
          g <- argumentGetter engine j getters e
          result <- apply output f (envelopeFirst e) (forRecords g (envelopeCount e) body)
          case result of
            Right bytes -> do
              let sealed = resultOf j d (Just e) Results bytes
              kept <- engineStore engine name (deliveryNumber d) sealed
              engineAcknowledge engine d
              pure (if kept then Kept else Twice)
            Left why
              | deliveryAttempt d < workerAttempts options -> do
                let idle = max 0 (workerIdle options - workerRetry options)
                Again <$ engineSetIdle engine name d idle (deliveryAttempt d)
              | otherwise -> setAside engine name j d (Just e) why
    giveBack d ex = do
      let back = engineSetIdle engine name d (workerIdle options) (deliveryAttempt d - 1)
      case fromException ex of
        Just (OtherTypes _) -> back
        _ | interrupts ex -> back
        _ -> pure ()
      throwIO (ex :: SomeException)
{-# INLINE newStep #-}

-- | The bytes of the results, or why there are none.
apply ::
  Codec b =>
  -- | Where they are written, if this has been used before.
  IORef (Maybe Output) ->
  (a -> IO b) ->
  -- | The number of the first record.
  Int64 ->
  -- | Runs an action on each record.
  ((a -> IO ()) -> IO (Either String ())) ->
  IO (Either String ByteString)
apply ref f first eachRecord = do
  -- After an exception it has the results of some records, so it is not used again.
  Output body bodies <- atomicModifyIORef' ref ((,) Nothing) >>= maybe newOutput pure
  -- Written at once, so that exceptions inside of it belong to its record.
  result <- try (eachRecord (\x -> f x >>= writeRecord body))
  case result of
    Right (Right ()) -> do
      flushOpen body
      Written _ parts <- readIORef bodies
      writeIORef bodies (Written 0 [])
      writeIORef ref (Just (Output body bodies))
      pure (Right (S.concat (reverse parts)))
    Right (Left why) -> pure (Left why)
    Left ex
      | interrupts ex -> throwIO ex
      | SomeException inner <- ex -> do
        Written n _ <- readIORef bodies
        m <- openRecords body
        let i = first + fromIntegral (n + m)
        -- (The outer one would add a backtrace, from GHC 9.10 on.)
        pure (Left ("record " ++ show i ++ ": " ++ displayException inner))
{-# INLINE apply #-}

-- | Where results are written, and those that are complete.
data Output = Output !OpenBlock !(IORef Written)

-- | How many results, and their bytes, the last first.
data Written = Written !Int [ByteString]

newOutput :: IO Output
newOutput = do
  bodies <- newIORef (Written 0 [])
  body <- newBody 262144 $ \bytes n -> do
    -- At once: the bytes do not stay.
    part <- evaluate (S.copy bytes)
    modifyIORef' bodies (\(Written m parts) -> Written (m + fromIntegral n) (part : parts))
  pure (Output body bodies)

-- | Whether an exception is for the thread, and not from what it computes.
interrupts :: SomeException -> Bool
interrupts ex = case fromException ex of
  Just StackOverflow -> False
  Just HeapOverflow -> False
  _ -> case fromException ex of
    Just (SomeAsyncException _) -> True
    Nothing -> False

-- | How to read the records of a batch. Those that have been needed are remembered.
argumentGetter ::
  Codec a => Engine -> Job a b -> IORef [(Fingerprint, Get a)] -> Envelope -> IO (Get a)
argumentGetter engine j getters e = do
  known <- readIORef getters
  case lookup argument known of
    Just g -> pure g
    Nothing -> do
      getter <- getterOf engine (jobArguments j) argument
      g <- either (refuse "arguments") pure getter
      if envelopeResult e == typeFingerprint (jobResults j)
        then pure ()
        else engineSchema engine (envelopeResult e) >>= refuse "results" . difference (jobResults j)
      writeIORef getters ((argument, g) : known)
      pure g
  where
    argument = envelopeArgument e
    refuse what why = throwIO (OtherTypes (what ++ " of " ++ show (jobName j) ++ ": " ++ why))
{-# INLINE argumentGetter #-}

-- | Do not try a batch again.
setAside :: Engine -> Text -> Job a b -> Delivery -> Maybe Envelope -> String -> IO Step
setAside engine name j d e why = do
  let failure = resultOf j d e Failure (T.encodeUtf8 (T.pack why))
  engineSetAside engine (Aside (deliveryNumber d) (deliveryBytes d) failure)
  kept <- engineStore engine name (deliveryNumber d) failure
  engineAcknowledge engine d
  pure (if kept then PutAside else Twice)

-- | The result of a batch. The header of the batch may be missing.
resultOf :: Job a b -> Delivery -> Maybe Envelope -> Kind -> ByteString -> ByteString
resultOf j d e kind =
  seal
    j
    kind
    (maybe (typeFingerprint (jobArguments j)) envelopeArgument e)
    (deliveryNumber d)
    (deliveryAttempt d)
    (maybe 0 envelopeFirst e)
    (maybe 0 envelopeCount e)

-- | While the action runs, the worker keeps what it works on.
withHeartbeat :: WorkerOptions -> Text -> IORef (Maybe Delivery) -> Engine -> IO r -> IO r
withHeartbeat options name current engine action =
  bracket (forkIOWithUnmask (\unmask -> unmask (forever beat))) killThread (const action)
  where
    beat = do
      threadDelay (max 1000 (workerIdle options `div` 3))
      busy <- readIORef current
      -- If it fails, another worker may take the batch, and one of the results is dropped.
      mapM_ (\d -> engineSetIdle engine name d 0 (deliveryAttempt d) `catch` ignore) busy
    ignore :: JobException -> IO ()
    ignore _ = pure ()

-- | The name of a new worker.
newName :: IO Text
newName = do
  host <- nodeName <$> getSystemID
  process <- getProcessID
  n <- hashUnique <$> newUnique
  pure (T.pack (host ++ "-" ++ show process ++ "-" ++ show n))
