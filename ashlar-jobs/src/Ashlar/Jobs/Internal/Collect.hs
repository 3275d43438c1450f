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
import Control.Exception (throwIO)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Encoding.Error as T

-- | The results of a batch.
--
-- @since 0.1.0.0
data Collected b = Collected
  { -- | The number of the batch.
    collectedBatch :: !Int64,
    -- | The number of its first record.
    collectedFirst :: !Int64,
    -- | What became of its records.
    collectedResults :: !(Either Failed [b])
  }
  deriving stock (Eq, Show, Functor)

-- | A batch that was set aside.
--
-- @since 0.1.0.0
data Failed = Failed
  { -- | The number of its first record.
    failedFirst :: !Int64,
    -- | How many records it has.
    failedCount :: !Int,
    -- | How many times it was delivered.
    failedAttempts :: !Int,
    -- | The error of the last attempt.
    failedError :: !Text
  }
  deriving stock (Eq, Show)

-- | Fold the results of a job, in the order of its records, until all are there. It takes memory
-- for one batch.
--
-- The results of a batch are released when the action has returned. A collector that was stopped
-- and is started again continues with the first batch that has not been released. The action may
-- have seen that batch, but none before. Where this matters, keep 'collectedFirst' with what the
-- action writes.
--
-- There is one collector at a time: another one that runs beside it gets 'TakenOver', sooner or
-- later. Results of an older type are read as this one, and 'OtherTypes' is thrown if that is
-- impossible. Damaged results throw 'BadResult', and are not released. Exceptions of the action and
-- of the engine are passed on.
--
-- @since 0.1.0.0
collect ::
  Codec b =>
  Engine ->
  Job a b ->
  -- | Given the accumulator and the next batch: the next accumulator.
  (s -> Collected b -> IO s) ->
  s ->
  IO s
collect engine j step start = engineCollected engine >>= go start
  where
    go s number =
      s `seq` do
        stored <- engineResult engine number
        case stored of
          NotYet -> go s number
          Ended -> pure s
          Released -> throwIO TakenOver
          Stored bytes -> do
            s' <- results number bytes >>= step s
            engineRelease engine number
            go s' (number + 1)
    results number bytes = case unseal j number bytes of
      Left why -> throwIO (BadResult number why)
      Right (e, body) ->
        Collected number (envelopeFirst e) <$> case envelopeKind e of
          Failure -> pure (Left (failedOf e))
          Task -> throwIO (BadResult number "it is no result")
          Results -> do
            getter <- getterOf engine (jobResults j) (envelopeResult e)
            case getter of
              Left why ->
                throwIO (OtherTypes ("results of " ++ show (jobName j) ++ ": " ++ why))
              Right g ->
                either (throwIO . BadResult number) (pure . Right) $
                  decodeRecords g (envelopeCount e) body
{-# INLINE collect #-}

failedOf :: Envelope -> Failed
failedOf e =
  Failed
    { failedFirst = envelopeFirst e,
      failedCount = fromIntegral (envelopeCount e),
      failedAttempts = fromIntegral (envelopeAttempt e),
      failedError = T.decodeUtf8With T.lenientDecode (envelopeBody e)
    }

-- | The batches that were set aside, by number, each with its records, or why these cannot be read.
-- All of them are held in memory.
--
-- @since 0.1.0.0
failures :: Codec a => Engine -> Job a b -> IO [(Failed, Either String [a])]
failures engine j = engineAside engine >>= mapM one
  where
    one (Aside number batch failure) = do
      records <- case unseal j number batch of
        Left why -> pure (Left why)
        Right (e, body) -> do
          getter <- getterOf engine (jobArguments j) (envelopeArgument e)
          pure (getter >>= \g -> decodeRecords g (envelopeCount e) body)
      pure $ case decodeEnvelope failure of
        Left bad -> (Failed 0 0 0 (T.pack (describeBadEnvelope bad)), records)
        Right e -> (failedOf e, records)
{-# INLINE failures #-}
