{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Job
-- Description : Named jobs, and batches of their records
module Ashlar.Jobs.Internal.Job
  ( Job (..),
    job,
    JobException (..),

    -- * Envelopes of a job
    seal,
    unseal,

    -- * Records
    OpenBlock,
    newBody,
    writeRecord,
    flushOpen,
    openRecords,
    decodeRecords,
    forRecords,
    getterOf,
    difference,
  )
where

import Ashlar.Codec (Codec, decode, get, summarizeError)
import Ashlar.File (Compression (..), Evolved (..), RecordType (..))
import Ashlar.File.Described (described)
import Ashlar.File.Internal.Block
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Ashlar.File.Internal.Records (Records (..), decodeBy, recordsOf)
import Ashlar.Get (Get)
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Envelope
import Ashlar.Schema (Described, describeDifference, diffSchemas)
import Control.Exception (Exception (..))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S (unsafePackCStringLen)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word32)
import Foreign.Ptr (castPtr, plusPtr)
import GHC.Fingerprint (Fingerprint)

-- | A job: a function from @a@ to @IO b@ with a name, but without the function, which only workers
-- have.
--
-- @since 0.1.0.0
data Job a b = Job
  { -- | Its name. Submitter, workers and collector must agree on it, and no other job on the server
    -- may have it. To run a job again, choose another name, or 'Ashlar.Jobs.forget' the first run.
    jobName :: !Text,
    -- | The type of the arguments.
    jobArguments :: !(RecordType a),
    -- | The type of the results.
    jobResults :: !(RecordType b),
    -- | How to compress batches and results. What others have compressed in this way is expanded.
    jobCompression :: !(Maybe Compression),
    -- | The most bytes that a compressed batch or result may have when it is expanded. 'job' sets
    -- 256 MiB.
    jobExpansionLimit :: !Int
  }

-- | A job whose types describe themselves, without compression.
--
-- @since 0.1.0.0
job :: (Described a, Described b) => Text -> Job a b
job name = Job name described described Nothing 268435456
{-# INLINE job #-}

-- | Why a job cannot go on.
--
-- @since 0.1.0.0
data JobException
  = -- | This program has other types than the others: why they do not fit, with the path to the
    -- first difference.
    OtherTypes String
  | -- | Another submitter or collector has taken over.
    TakenOver
  | -- | The engine has lost batches that it had confirmed, as Redis may if it does not write each
    -- to the disk. Submit again: it continues after the last batch that is left.
    BatchesLost
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
      TakenOver -> "another process has taken over"
      BatchesLost -> "the engine has lost batches"
      BadResult n why -> "the result of batch " ++ show n ++ ": " ++ why
      Unreachable why -> "the engine cannot be reached: " ++ why
      EngineFailed why -> "the engine failed: " ++ why

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
  Either String (Envelope, ByteString)
unseal j number bytes = case decodeEnvelope bytes of
  Left bad -> Left (describeBadEnvelope bad)
  Right e
    | envelopeJob e /= jobName j -> Left ("it belongs to the job " ++ show (envelopeJob e))
    | envelopeNumber e /= number ->
      Left ("it has the number " ++ show (envelopeNumber e) ++ ", and not " ++ show number)
    | S.null name -> Right (e, envelopeBody e)
    | size > limit -> Left (show size ++ " bytes, where " ++ show limit ++ " are allowed")
    | Just c <- jobCompression j,
      compressionName c == name -> do
      body <- expandBody c size (envelopeBody e)
      if S.length body == size then Right (e, body) else Left "it expands to another length"
    | otherwise -> Left ("compressed by " ++ show name ++ ", for which no function was given")
    where
      size = fromIntegral (envelopeExpanded e)
      limit = jobExpansionLimit j
      name = envelopeCompression e

-- | Where records become a body, as in the blocks of a file.
newBody ::
  -- | How many bytes a body has that is complete.
  Int ->
  -- | Given a complete body, and the number of its records. The bytes are written again afterwards,
  -- so it must not keep them.
  (ByteString -> Word32 -> IO ()) ->
  IO OpenBlock
newBody size act = newOpenBlock (BlockLimits size 0x40000000) $ \(OpenBytes at n count) -> do
  body <- S.unsafePackCStringLen (castPtr (at `plusPtr` blockHeaderBytes), n)
  act body (fromIntegral count)

-- | Write a record. One of no bytes is a byte that is 0, so that no body has more records than
-- bytes.
writeRecord :: Codec a => OpenBlock -> a -> IO ()
writeRecord open x = addRecords open [x]
{-# INLINE writeRecord #-}

-- | The records of a body.
decodeRecords :: Get a -> Word32 -> ByteString -> Either String [a]
decodeRecords g count body = concat <$> sequence (bodyRecords g count body)

-- | Run an action on each record of a body. A few are decoded at a time, so that the garbage
-- collector need not copy them. Returns why the next record cannot be decoded.
forRecords :: Get a -> Word32 -> ByteString -> (a -> IO ()) -> IO (Either String ())
forRecords g count body act = foldr step (pure (Right ())) (bodyRecords g count body)
  where
    step (Right xs) next = mapM_ act xs >> next
    step (Left why) _ = pure (Left why)
{-# INLINE forRecords #-}

-- Records that are decoded as they are asked for, some at a time. At the end, what is wrong.
bodyRecords :: Get a -> Word32 -> ByteString -> [Either String [a]]
bodyRecords g count body
  | fromIntegral count > S.length body = [Left "more records than bytes"]
  | otherwise = go (0 :: Int) (recordsOf (decodeBy g) (fromIntegral count) body)
  where
    go !n records = case records of
      Some k xs more -> Right xs : go (n + k) more
      Refused e _ _ -> [Left ("record " ++ show n ++ summary e)]
      NoMore rest -> [Left "bytes after the last record" | not (S.null rest)]
    summary e = " of the batch cannot be decoded: " ++ summarizeError e

-- | How to read records with this fingerprint, given where schemas are kept, or why they do not
-- fit.
getterOf :: Codec a => Engine -> RecordType a -> Fingerprint -> IO (Either String (Get a))
getterOf engine ty other
  | other == typeFingerprint ty = pure (Right get)
  | otherwise = maybe unknown evolved <$> engineSchema engine other
  where
    unknown = Left "their schema is not known"
    evolved bytes = evolvedGet <$> typeEvolved ty bytes other
{-# INLINE getterOf #-}

-- | Why a type is not that with another schema.
difference ::
  RecordType a ->
  -- | The other schema.
  Maybe ByteString ->
  String
difference ty theirs = case (theirs >>= schemaOf, schemaOf (typeSchema ty)) of
  (Just a, Just b)
    | ds@(_ : _) <- diffSchemas a b ->
      T.unpack (T.intercalate "; " (map describeDifference (take 5 ds)))
  _ -> maybe "their schema is not known" show theirs ++ " where " ++ show (typeSchema ty)
  where
    schemaOf = either (const Nothing) Just . decode
