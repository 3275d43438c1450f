{-# LANGUAGE DeriveFunctor #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Collect
-- Description : Results in order
module Ashlar.Jobs.Internal.Collect
  ( collect,
    Collected (..),
    Failed (..),
    failures,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Job
import Ashlar.Jobs.Internal.Parts
import Ashlar.Jobs.Internal.Seen
import Control.Exception (evaluate, throwIO)
import Control.Monad (foldM, forM)
import Data.IORef (newIORef)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T

-- | The results of a batch, or of some records of one.
data Collected b = Collected
  { -- | The number of the batch. A batch of which records were set aside comes in several parts.
    collectedBatch :: !Int64,
    -- | The number of the first record.
    collectedFirst :: !Int64,
    -- | What became of the records.
    collectedResults :: !(Either Failed [b])
  }
  deriving stock (Eq, Show, Functor)

-- | Adjacent records that were set aside.
data Failed = Failed
  { -- | The number of the first one.
    failedFirst :: !Int64,
    -- | How many there are.
    failedCount :: !Int,
    -- | How many attempts have failed.
    failedAttempts :: !Int,
    -- | The error of the last attempt.
    failedError :: !Text
  }
  deriving stock (Eq, Show)

-- | Fold the results of a job, in the order of its records, until all are there. It takes memory
-- for one batch.
--
-- The results of a batch are released when the action has returned, and its accumulator, which is
-- forced, has been evaluated. A collector that was stopped
-- and is started again continues with the first batch that has not been released. The action may
-- have seen that batch, but none before. Where this matters, keep 'collectedFirst' with what the
-- action writes.
--
-- A collector waits until somebody begins to submit, and throws 'NotSubmitted' if that takes too
-- long. Run one collector at a time: of two, the one that falls behind gets 'TakenOver', but both
-- may see the same batches before, and even all of them if they are equally fast. Results of an
-- older type are read as this one, and 'OtherTypes' is thrown if that is impossible. A job with
-- another name throws 'OtherJob'. Damaged results throw 'BadResult', and are not released. If the
-- engine has lost a batch or a result, 'DataLost' is thrown, and 'Forgotten' if the job was
-- forgotten. Exceptions of the action and of the engine are passed on.
collect ::
  Codec b =>
  Engine ->
  Job a b ->
  -- | Given the accumulator and the next results: the next accumulator.
  (s -> Collected b -> IO s) ->
  s ->
  IO s
collect engine j step start = do
  run <- engineJoin engine Nothing
  _ <- checkJob j run
  seen <- newIORef nothingSeen
  let forced s c = step s c >>= evaluate
      go s number =
        s `seq` do
          stored <- engineResult engine run number
          case stored of
            NotYet p -> see seen p >> go s number
            Ended -> pure s
            Released -> throwIO TakenOver
            Stored p bytes -> do
              see seen p
              s' <- results run number bytes >>= foldM forced s
              engineRelease engine run number
              -- The job may be forgotten as soon as its last result has been released.
              if progressClosed p && number + 1 == progressBatches p
                then pure s'
                else go s' (number + 1)
  engineCollected engine run >>= go start
  where
    results run number bytes =
      unseal j number bytes >>= \batch -> case batch of
        Left (OfJob theirs) -> throwIO (OtherJob theirs (jobName j))
        Left (Unusable why) -> bad number why
        Right (e, body) -> case envelopeKind e of
          Failure -> pure [Collected number (envelopeFirst e) (Left (failedOf e))]
          Task -> bad number "it is no result"
          Results -> do
            g <- decoder run e
            xs <- records g number (envelopeCount e) body
            pure [Collected number (envelopeFirst e) (Right xs)]
          Parts -> do
            parts <- either (bad number) pure (getParts (fromIntegral (envelopeCount e)) body)
            g <- decoder run e
            forM (zip (firsts e parts) parts) $ \(first, Part n state) ->
              Collected number first <$> case state of
                Done part -> Right <$> records g number (fromIntegral n) part
                SetAside attempts why -> pure (Left (Failed first n attempts why))
                Waiting _ _ -> bad number "it is not done"
    decoder run e =
      getterOf engine run "results" (jobResults j) (envelopeResult e)
        >>= either (throwIO . OtherTypes . (("results of " ++ show (jobName j) ++ ": ") ++)) pure
    records g number count body = decodeRecords g count body >>= either (bad number) pure
    bad :: Int64 -> String -> IO x
    bad number why = throwIO (BadResult number why)
{-# INLINE collect #-}

-- The number of the first record of each part.
firsts :: Envelope -> [Part] -> [Int64]
firsts e = scanl (+) (envelopeFirst e) . map (fromIntegral . partCount)

failedOf :: Envelope -> Failed
failedOf e =
  Failed
    { failedFirst = envelopeFirst e,
      failedCount = fromIntegral (envelopeCount e),
      failedAttempts = fromIntegral (envelopeAttempt e),
      failedError = T.decodeUtf8With T.lenientDecode (envelopeBody e)
    }

-- | What was set aside, by number, each with its records, or why these cannot be read. All of it is
-- held in memory. It is empty if nobody has begun to submit.
--
-- Throws 'DataLost' if the engine has lost some of it.
failures :: Codec a => Engine -> Job a b -> IO [(Failed, Either String [a])]
failures engine j = do
  there <- engineCurrent engine
  case there of
    Nothing -> pure []
    Just (run, _) -> do
      _ <- checkJob j run
      engineAside engine run >>= fmap concat . mapM (one run)
  where
    one run (Aside number batch failure) = do
      opened <- unseal j number batch
      records <- case opened of
        Left why -> pure (Left (describe why))
        Right (e, body) -> do
          getter <- getterOf engine run "arguments" (jobArguments j) (envelopeArgument e)
          pure (getter >>= \g -> Right (g, envelopeCount e, body))
      failed <- unseal j number failure
      case failed of
        Left why -> alone (Failed 0 0 0 (T.pack (describe why))) records
        Right (e, body)
          | envelopeKind e == Parts,
            Right parts <- getParts (fromIntegral (envelopeCount e)) body ->
            sequence
              [ (,) (Failed first n attempts why)
                  <$> either (pure . Left) (some (fromIntegral (first - envelopeFirst e)) n) records
                | (first, Part n (SetAside attempts why)) <- zip (firsts e parts) parts
              ]
          | otherwise -> alone (failedOf e) records
    describe bad = case bad of
      OfJob theirs -> "it belongs to the job " ++ show theirs
      Unusable why -> why
    -- One that cannot be read is no reason to keep back the others.
    alone what records = (: []) . (,) what <$> either (pure . Left) allOf records
    allOf (g, count, body) = decodeRecords g count body
    some from n (g, count, body) = decodeSome g count body from n
{-# INLINE failures #-}
