{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Job
-- Description : Named jobs, and batches of their records
module Ashlar.Jobs.Internal.Job
  ( Job (..),
    job,
    aboutJob,
    checkJob,

    -- * Envelopes of a job
    seal,
    unseal,
    NoBatch (..),
    maxBytes,
    bodyLimit,

    -- * Records
    OpenBlock,
    newBody,
    writeRecord,
    flushOpen,
    openRecords,
    decodeRecords,
    decodeSome,
    forRecords,
    Undecodable (..),
    getterOf,
    difference,
  )
where

import Ashlar.Codec (Codec, decode, get, summarizeError)
import Ashlar.File (Compression (..), Evolved (..), RecordType (..))
import Ashlar.File.Described (described)
import Ashlar.File.Internal.Block
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Ashlar.File.Internal.Records
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Jobs.Internal.Exception
import Ashlar.Schema (Described, describeDifference, diffSchemas)
import Control.Exception (SomeException (..), displayException, throwIO)
import Data.Bifunctor (bimap)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S (unsafePackCStringLen)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word32)
import Foreign.Ptr (castPtr, plusPtr)
import GHC.Fingerprint (Fingerprint)

-- | A job: a function from @a@ to @IO b@ with a name, but without the function, which only workers
-- have.
data Job a b = Job
  { -- | Its name. Submitter, workers and collector must agree on it, and no other job on the server
    -- may have it. To run a job again, choose another name, use 'Ashlar.Jobs.submitAgain', or
    -- 'Ashlar.Jobs.forget' the first run.
    jobName :: !Text,
    -- | The type of the arguments.
    jobArguments :: !(RecordType a),
    -- | The type of the results.
    jobResults :: !(RecordType b),
    -- | How to compress batches and results. What others have compressed in this way is expanded.
    jobCompression :: !(Maybe Compression),
    -- | The most bytes that a compressed batch or result may have when it is expanded. With a
    -- compression, none is made that has more. 'job' sets 256 MiB.
    jobExpansionLimit :: !Int
  }

-- | A job whose types describe themselves, without compression.
job :: (Described a, Described b) => Text -> Job a b
job name = Job name described described Nothing 268435456
{-# INLINE job #-}

-- | What the engine is told of a job: an envelope without records.
aboutJob :: Job a b -> ByteString
aboutJob j = seal j Task (typeFingerprint (jobArguments j)) 0 0 0 0 S.empty

-- | Check that the engine has this job, and return what it says about it.
checkJob :: Job a b -> Run -> IO Envelope
checkJob j run = case decodeEnvelope (runAbout run) of
  Left bad -> throwIO (EngineFailed ("what it says about the job: " ++ describeBadEnvelope bad))
  Right e
    | envelopeJob e /= jobName j -> throwIO (OtherJob (envelopeJob e) (jobName j))
    | otherwise -> pure e

-- | The most bytes of a body, so that the engine can hold its envelope, and others expand it; and
-- the name of what sets this limit.
bodyLimit :: Engine -> Job a b -> (Int, String)
bodyLimit engine j = case jobCompression j of
  Just c
    | jobExpansionLimit j < stored - S.length (compressionName c) ->
      (max 1 (jobExpansionLimit j), "jobExpansionLimit")
    | otherwise -> (max 1 (stored - S.length (compressionName c)), "engineMaxBytes")
  Nothing -> (max 1 stored, "engineMaxBytes")
  where
    stored = maxBytes engine - emptyEnvelope - S.length (T.encodeUtf8 (jobName j))
    emptyEnvelope = 88

-- | The most bytes of an envelope. It says sizes in 4 bytes.
maxBytes :: Engine -> Int
maxBytes engine = max 65536 (min 0x7FFFFFFF (engineMaxBytes engine))

-- | The envelope of a body, compressed if that makes it shorter.
seal ::
  Job a b ->
  Kind ->
  -- | The fingerprint of the type of the arguments. (A result has that of its batch.)
  Fingerprint ->
  -- | The number of the batch.
  Int64 ->
  -- | The attempt.
  Int ->
  -- | The number of the first record.
  Int64 ->
  -- | The number of records.
  Word32 ->
  ByteString ->
  ByteString
seal j kind argument number attempt first count body =
  encodeEnvelope
    Envelope
      { envelopeKind = kind,
        envelopeJob = jobName j,
        envelopeArgument = argument,
        envelopeResult = typeFingerprint (jobResults j),
        envelopeNumber = number,
        envelopeAttempt = fromIntegral attempt,
        envelopeFirst = first,
        envelopeCount = count,
        envelopeCompression = name,
        envelopeExpanded = fromIntegral (S.length body),
        envelopeBody = stored
      }
  where
    (name, stored) = case jobCompression j of
      Just c
        | short <- compressBody c body, S.length short < S.length body -> (compressionName c, short)
      _ -> (S.empty, body)

-- | The envelope with a number, and its body, expanded.
unseal ::
  Job a b ->
  -- | The number of the batch.
  Int64 ->
  ByteString ->
  IO (Either NoBatch (Envelope, ByteString))
unseal j number bytes = case decodeEnvelope bytes of
  Left bad -> refuse (describeBadEnvelope bad)
  Right e
    | envelopeJob e /= jobName j -> pure (Left (OfJob (envelopeJob e)))
    | envelopeNumber e /= number ->
      refuse ("it has the number " ++ show (envelopeNumber e) ++ ", and not " ++ show number)
    | S.null name -> pure (Right (e, envelopeBody e))
    | size > limit -> refuse (show size ++ " bytes, where " ++ show limit ++ " are allowed")
    | Just c <- jobCompression j,
      compressionName c == name ->
      bimap Unusable ((,) e) <$> expandedBy c size (envelopeBody e)
    | otherwise -> refuse ("compressed by " ++ show name ++ ", for which no function was given")
    where
      size = fromIntegral (envelopeExpanded e)
      limit = jobExpansionLimit j
      name = envelopeCompression e
  where
    refuse = pure . Left . Unusable

-- | Why an envelope is not one of a job.
data NoBatch
  = -- | It belongs to the job with this name.
    OfJob Text
  | -- | It is damaged, or another one, or cannot be expanded.
    Unusable String
  deriving stock (Eq, Show)

-- | Where records become a body, as in the blocks of a file.
newBody ::
  -- | How many bytes a body has that is complete.
  Int ->
  -- | The most bytes of a body. A record that has more is refused ('RecordTooLarge').
  Int ->
  -- | Given a complete body, and the number of its records. The bytes are written again afterwards,
  -- so it must not keep them.
  (ByteString -> Word32 -> IO ()) ->
  IO OpenBlock
newBody size limit act = newOpenBlock limits $ \(CompleteBlock at n count) -> do
  body <- S.unsafePackCStringLen (castPtr (at `plusPtr` blockHeaderBytes), n)
  act body (fromIntegral count)
  where
    limits = BlockLimits (min size limit) limit

-- | Write a record. One of no bytes is a byte that is 0, so that no body has more records than
-- bytes.
writeRecord :: Codec a => OpenBlock -> a -> IO ()
writeRecord open x = addRecords open [x]
{-# INLINE writeRecord #-}

-- | The records of a body.
decodeRecords :: Decode a -> Word32 -> ByteString -> IO (Either String [a])
decodeRecords g count body = decodeSome g count body 0 (fromIntegral count)

-- | The same for some of them: how many are passed over, and how many follow.
decodeSome :: Decode a -> Word32 -> ByteString -> Int -> Int -> IO (Either String [a])
decodeSome g count body from n = do
  ref <- newIORef []
  failed <- forRecords g count body from n (\x -> modifyIORef' ref (x :))
  maybe (Right . reverse <$> readIORef ref) (pure . Left . undecodableText) failed

-- | Run an action on some records of a body. A few are decoded at a time, so that the garbage
-- collector need not copy them. Stops at the first one that cannot be decoded, or whose decoder
-- throws.
forRecords ::
  Decode a ->
  -- | How many records the body has.
  Word32 ->
  ByteString ->
  -- | How many records are passed over.
  Int ->
  -- | How many follow.
  Int ->
  (a -> IO ()) ->
  IO (Maybe Undecodable)
forRecords g count body from n act
  | total > S.length body = stop "more records than bytes" True
  | otherwise = go 0 (recordsOf g total body)
  where
    total = fromIntegral count
    end = from + n
    stop what = pure . Just . Undecodable what
    go !at found
      | at >= end, end < total = pure Nothing
      | otherwise =
        found >>= \records -> case records of
          Some k xs more -> do
            (next, to) <- if at + k < total then pure (more, end) else upTo <$> more
            mapM_ act $
              if at >= from && at + k <= to then xs else drop (from - at) (take (to - at) xs)
            go (at + k) next
          Refused e _ more -> bad at more ("cannot be decoded: " ++ summarizeError e)
          Threw (SomeException e) more -> bad at more ("throws: " ++ take 1000 (displayException e))
          NoMore rest
            | S.null rest -> pure Nothing
            | otherwise -> stop "bytes after the last record" True
    -- What is wrong at the end of the body belongs to its last record.
    upTo ended = (,) (pure ended) $ case ended of
      NoMore rest | S.null rest -> end
      _ -> min end (total - 1)
    bad at more what = case more of
      Just rest | at < from -> go (at + 1) rest
      _ -> stop ("record " ++ show at ++ " of the batch " ++ what) (null more)
{-# INLINE forRecords #-}

-- | Why a record cannot be decoded.
data Undecodable = Undecodable
  { undecodableText :: String,
    -- | Whether those after it cannot be decoded, either.
    undecodableAll :: !Bool
  }

-- | How to read records with this fingerprint, given where schemas are kept, or why they do not
-- fit.
getterOf ::
  Codec a =>
  Engine ->
  Run ->
  -- | What they are.
  String ->
  RecordType a ->
  Fingerprint ->
  IO (Either String (Decode a))
getterOf engine run what ty other
  | other == typeFingerprint ty = pure (Right (passingBy (typePass ty) (decodeBy get)))
  | otherwise = do
    schema <- engineSchema engine run other
    case schema of
      Nothing -> throwIO (lostSchema what)
      Just bytes -> pure (decoder <$> typeEvolved ty bytes other)
  where
    decoder e = passingBy (evolvedPass e) (decodeBy (evolvedGet e))
{-# INLINE getterOf #-}

-- | Why a type is not that with another schema.
difference ::
  RecordType a ->
  -- | The other schema.
  ByteString ->
  String
difference ty theirs = case (schemaOf theirs, schemaOf (typeSchema ty)) of
  (Just a, Just b)
    | ds@(_ : _) <- diffSchemas a b ->
      T.unpack (T.intercalate "; " (map describeDifference (take 5 ds)))
  _ -> show theirs ++ " where " ++ show (typeSchema ty)
  where
    schemaOf = either (const Nothing) Just . decode
