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
-- there is kept, so the second one is dropped. What is set aside is stored together with the result
-- that says so.
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
import Ashlar.File.Internal.Records (Decode)
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Apply
import Ashlar.Jobs.Internal.Exception
import Ashlar.Jobs.Internal.Job
import Ashlar.Jobs.Internal.Name (newName)
import Ashlar.Jobs.Internal.Options
import Ashlar.Jobs.Internal.Parts
import Ashlar.Jobs.Internal.Seen
import Control.Concurrent (forkIOWithUnmask, killThread, threadDelay)
import Control.Exception
import Control.Monad (forever, unless, void)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.Fingerprint (Fingerprint)
import System.Timeout (timeout)

-- | 'workerWith' the default options.
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
-- The function is applied to each record at least once, and to some more often, in a thread of its
-- own. If it throws an exception, of whatever type, the batch is tried again later from that record
-- on, by any worker. After the last attempt ('workerAttempts'), the record is set aside, the
-- collector gets the error in place of its result, and the batch goes on. A batch that kills its
-- workers is cut in halves, until only the record that does so is left ('workerCuts').
--
-- A result that is too large for the engine ('engineMaxBytes') is set aside, too, and the error has
-- the sizes. So are the results of a batch from the one on that makes them too large together.
--
-- A worker waits until somebody begins to submit, and throws 'NotSubmitted' if that takes too long.
-- If the job is forgotten, it returns.
--
-- Arguments of an older type are read as this worker's. If that is impossible, or if the results
-- are of another type than the submitter says, the worker gives the batch back and throws
-- 'OtherTypes'. If the engine has a job with another name, it throws 'OtherJob'. An exception for
-- the worker's thread gives the batch back, too. None of these counts as an attempt. Exceptions of
-- the engine are passed on: then the batch goes to another worker after the idle time. 'DataLost'
-- is thrown as soon as the engine is found to have lost something.
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
  | -- | It had a result, or another worker has it.
    Twice
  | -- | It will be tried again.
    Again
  | -- | Its result has been stored, and records were set aside.
    PutAside
  | -- | There was none.
    Idle
  | -- | There will be none.
    AllDone
  deriving stock (Eq, Show)

-- | What a worker knows of the run that it works for: the decoders of arguments that it has needed,
-- each with the types of arguments and results of its batches.
data Working a = Working
  { workingRun :: !Run,
    workingSeen :: !(IORef Seen),
    workingDecoders :: !(IORef [((Fingerprint, Fingerprint), Decode a)])
  }

-- | An action that works on one batch.
newStep ::
  (Codec a, Codec b) =>
  WorkerOptions ->
  -- | The name of the worker.
  Text ->
  -- | Where it says what it works on.
  IORef (Maybe (Run, Delivery)) ->
  Engine ->
  Job a b ->
  (a -> IO b) ->
  IO (IO Step)
newStep options name current engine j f = do
  output <- newIORef Nothing
  stepBy options name current engine j $ \w e -> do
    decoder <- argumentDecoder engine j w e
    pure $ \body space from n ->
      apply
        output
        (bodyLimit engine j)
        space
        (textLimit (limitsOf options) (fst (bodyLimit engine j)))
        f
        (envelopeFirst e + fromIntegral from)
        (forRecords decoder (envelopeCount e) body from n)
{-# INLINE newStep #-}

-- | How to work on records of a batch, which have a type that can be read: given the body, the most
-- bytes of the results, how many records are passed over, and how many follow.
type Applying a = Working a -> Envelope -> IO (ByteString -> Int -> Int -> Int -> IO Ran)

-- | The same, given all that depends on the types.
stepBy ::
  WorkerOptions ->
  Text ->
  IORef (Maybe (Run, Delivery)) ->
  Engine ->
  Job a b ->
  Applying a ->
  IO (IO Step)
stepBy options name current engine j applying = do
  -- The run, or one that is done.
  state <- newIORef (Left Nothing)
  let stays = workerStays options
      leave done = writeIORef state (Left done)
      join' old = do
        run <- engineJoin engine old
        _ <- checkJob j run
        w <- Working run <$> newIORef nothingSeen <*> newIORef []
        w <$ writeIORef state (Right w)
      joined = readIORef state >>= either join' pure
      giveBack w ex = do
        -- Its attempts may have been counted anew.
        busy <- readIORef current
        let back = case busy of
              Nothing -> pure ()
              Just (_, d) ->
                void . engineHold engine (workingRun w) name d $
                  Hold (workerIdle options) (Just (deliveryAttempt d - 1)) Nothing
        case fromException ex of
          Just (Unreachable _) -> pure ()
          Just (EngineFailed _) -> pure ()
          -- If Redis does not answer, the batch is free again after the idle time.
          _ -> void (timeout 2000000 back) `catch` ignore
        throwIO (ex :: SomeException)
      work restore' restore w = do
        taken <- restore' (engineTake engine (workingRun w) name (workerIdle options))
        case taken of
          NothingYet p -> Idle <$ see (workingSeen w) p
          Finished -> AllDone <$ leave (Just (workingRun w))
          Taken d -> do
            seeBatch (workingSeen w) (deliveryNumber d)
            writeIORef current (Just (workingRun w, d))
            (restore (workOn options name current engine j applying w d) `catch` giveBack w)
              `finally` writeIORef current Nothing
  pure $
    mask $ \restore ->
      (restore joined >>= work restore restore) `catch` \ex -> case ex of
        Forgotten -> AllDone <$ leave Nothing
        -- Nobody submits it again, or another run than the one that is done.
        NotSubmitted | stays -> Idle <$ leave Nothing
        _ -> throwIO ex

-- | Work on a batch until it is done, or is to be tried again: Note [The order of things].
workOn ::
  WorkerOptions ->
  Text ->
  IORef (Maybe (Run, Delivery)) ->
  Engine ->
  Job a b ->
  Applying a ->
  Working a ->
  Delivery ->
  IO Step
workOn options name current engine j applying w d0 =
  unsealed >>= \batch -> case batch of
    Left (OfJob theirs) -> throwIO (OtherJob theirs (jobName j))
    Left (Unusable why) ->
      finish' Nothing (wholeAside (deliveryAttempt d0) 0 (T.pack (take 2000 why)))
    Right (e, body) -> do
      let count = fromIntegral (envelopeCount e)
      ranOn <- applying w e
      cut0 <- cutOf j d0 count
      let finish = finish' (Just e)
          go d cut = case nextPart cut of
            Nothing -> finish cut
            Just (from, n, _) -> do
              ran <- ranOn body (max 1 (limit - partsReserve limits limit - doneBytes cut)) from n
              next d $ case ran of
                Ran bytes -> completed bytes cut
                Stopped k bytes trouble -> failedAt limits k bytes trouble cut
          next d cut = case nextPart cut of
            Nothing -> finish cut
            Just (_, _, tries)
              | S.length note > maxBytes engine -> finish (giveUp (tooMuch note) cut)
              | tries > 0 -> do
                let idle = max 0 (workerIdle options - workerRetry options)
                held <- hold (Hold idle (Just 0) (Just note))
                pure (if held then Again else Twice)
              | otherwise -> do
                let d' = d {deliveryAttempt = 1, deliveryNote = note}
                held <- hold (Hold 0 (Just 1) (Just note))
                if held then writeIORef current (Just (run, d')) >> go d' cut else pure Twice
              where
                note = sealed (Just e) Parts (cutFailed cut) (putParts (cutParts cut))
                hold = engineHold engine run name d
      maybe (go d0 cut0) (next d0) (killed limits (deliveryAttempt d0 - 1) cut0)
  where
    run = workingRun w
    unsealed = unseal j (deliveryNumber d0) (deliveryBytes d0)
    limit = fst (bodyLimit engine j)
    limits = limitsOf options
    sealed = resultOf j d0
    tooMuch bytes =
      T.pack $
        "its results and errors have " ++ show (S.length bytes)
          ++ " bytes together, where engineMaxBytes allows "
          ++ show (maxBytes engine)
    finish' e cut = do
      let result = sealedCut (sealed e) d0 cut
          aside = [() | Part _ (SetAside _ _) <- cutParts cut]
          -- The results are not needed there.
          kept =
            Aside (deliveryNumber d0) (deliveryBytes d0) $
              sealedCut (sealed e) d0 (withoutResults cut)
          count = sum (map partCount (cutParts cut))
      if S.length result > maxBytes engine && length (cutParts cut) > 1
        then finish' e (wholeAside (cutFailed cut) count (tooMuch result))
        else do
          stored <-
            engineStore engine run name (deliveryNumber d0) result $
              if null aside then Nothing else Just kept
          engineAcknowledge engine run d0
          pure $ if not stored then Twice else if null aside then Kept else PutAside

-- | All records of a batch are set aside, after as many attempts.
wholeAside :: Int -> Int -> Text -> Cut
wholeAside failed n why = Cut failed [Part n (SetAside failed why)]

-- | What is known of a batch with this number of records. A note that is damaged is not used, and
-- none with results of another type.
cutOf :: Job a b -> Delivery -> Int -> IO Cut
cutOf j d count = do
  note <- unseal j (deliveryNumber d) (deliveryNote d)
  pure $ case note of
    Right (e, body)
      | envelopeKind e == Parts,
        envelopeResult e == typeFingerprint (jobResults j),
        fromIntegral (envelopeCount e) == count,
        Right parts <- getParts count body ->
        Cut (fromIntegral (envelopeAttempt e)) parts
    _ -> whole count

doneBytes :: Cut -> Int
doneBytes cut = sum [S.length bytes | Part _ (Done bytes) <- cutParts cut]

withoutResults :: Cut -> Cut
withoutResults (Cut failed parts) = Cut failed (map without parts)
  where
    without (Part n (Done _)) = Part n (Done S.empty)
    without part = part

-- | The result of a batch that is done, given how to seal one.
sealedCut :: (Kind -> Int -> ByteString -> ByteString) -> Delivery -> Cut -> ByteString
sealedCut sealed d (Cut failed parts) = case parts of
  [Part _ (SetAside n why)] -> sealed Failure n (T.encodeUtf8 why)
  _
    | Just bytes <- mapM done parts -> sealed Results (failed + deliveryAttempt d) (S.concat bytes)
    | otherwise -> sealed Parts failed (putParts parts)
  where
    done (Part _ (Done bytes)) = Just bytes
    done _ = Nothing

-- | How to read the records of a batch. Throws 'OtherTypes' if that is impossible, or if its
-- results are of another type.
argumentDecoder :: Codec a => Engine -> Job a b -> Working a -> Envelope -> IO (Decode a)
argumentDecoder engine j w e = do
  known <- readIORef (workingDecoders w)
  case lookup (argument, result) known of
    Just g -> pure g
    Nothing -> do
      decoder <- getterOf engine run "arguments" (jobArguments j) argument
      g <- either (refuse "arguments") pure decoder
      unless (result == typeFingerprint (jobResults j)) $
        engineSchema engine run result
          >>= maybe (throwIO (lostSchema "results")) (refuse "results" . difference (jobResults j))
      writeIORef (workingDecoders w) (((argument, result), g) : known)
      pure g
  where
    run = workingRun w
    argument = envelopeArgument e
    result = envelopeResult e
    refuse what why = throwIO (OtherTypes (what ++ " of " ++ show (jobName j) ++ ": " ++ why))
{-# INLINE argumentDecoder #-}

-- | The result of a batch. The header of the batch may be missing.
resultOf :: Job a b -> Delivery -> Maybe Envelope -> Kind -> Int -> ByteString -> ByteString
resultOf j d e kind attempt =
  seal
    j
    kind
    (maybe (typeFingerprint (jobArguments j)) envelopeArgument e)
    (deliveryNumber d)
    attempt
    (maybe 0 envelopeFirst e)
    (maybe 0 envelopeCount e)

-- | While the action runs, the worker keeps what it works on.
withHeartbeat ::
  WorkerOptions -> Text -> IORef (Maybe (Run, Delivery)) -> Engine -> IO r -> IO r
withHeartbeat options name current engine action =
  bracket (forkIOWithUnmask (\unmask -> unmask (forever beat))) killThread (const action)
  where
    beat = do
      threadDelay (max 1000 (workerIdle options `div` 3))
      busy <- readIORef current
      -- If it fails, another worker may take the batch, and one of the results is dropped.
      mapM_ alive busy
    -- (Whatever the engine throws, the next sign of life is due.)
    alive (run, d) = void (engineHold engine run name d (Hold 0 Nothing Nothing)) `catch` go
    go e = case fromException e :: Maybe SomeAsyncException of
      Just _ -> throwIO e
      Nothing -> pure ()

-- What matters more has been thrown, or will be.
ignore :: JobException -> IO ()
ignore _ = pure ()
