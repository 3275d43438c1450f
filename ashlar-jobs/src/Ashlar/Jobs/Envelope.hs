{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Jobs.Envelope
-- Description : The bytes around a batch
--
-- Everything that an engine keeps is an envelope: a header that says what the body is, the body,
-- and a checksum of both. @format.md@ describes the bytes. Programs that use "Ashlar.Jobs" do not
-- need this module. It is for tools that look into an engine.
module Ashlar.Jobs.Envelope
  ( Envelope (..),
    Kind (..),
    encodeEnvelope,
    decodeEnvelope,
    BadEnvelope (..),
    describeBadEnvelope,
  )
where

import Ashlar.Builder
import Ashlar.File.Crc32c (crc32c, crc32cAfter)
import Ashlar.Get
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word32)
import GHC.Fingerprint (Fingerprint (..))

-- | What a body is.
data Kind
  = -- | Records to apply the function to.
    Task
  | -- | What the function returned, in the same order.
    Results
  | -- | Why there are no results: a text in UTF-8.
    Failure
  | -- | Parts of a batch, each with what has become of its records.
    Parts
  deriving stock (Eq, Show, Enum, Bounded)

-- | A batch, or its results, and what they belong to.
data Envelope = Envelope
  { envelopeKind :: !Kind,
    -- | The name of the job.
    envelopeJob :: !Text,
    -- | The fingerprint of the type of the arguments.
    envelopeArgument :: !Fingerprint,
    -- | The fingerprint of the type of the results.
    envelopeResult :: !Fingerprint,
    -- | The number of the batch: not negative.
    envelopeNumber :: !Int64,
    -- | How many attempts there were, failed ones and this one: 0 for a 'Task'.
    envelopeAttempt :: !Word32,
    -- | The number of the first record: not negative.
    envelopeFirst :: !Int64,
    -- | How many records there are.
    envelopeCount :: !Word32,
    -- | The name of the compression. It is empty if there is none.
    envelopeCompression :: !ByteString,
    -- | The length of the body when it is expanded, in bytes. Without compression it is that of
    -- 'envelopeBody'.
    envelopeExpanded :: !Word32,
    -- | The body, as it is stored.
    envelopeBody :: !ByteString
  }
  deriving stock (Eq, Show)

-- | Why bytes are no envelope.
data BadEnvelope
  = -- | It does not begin as one.
    NotAnEnvelope
  | -- | A later version of this package wrote it: the version of the format.
    LaterEnvelope !Word16
  | -- | Bytes are damaged or missing, or there are too many.
    DamagedEnvelope
  | -- | The checksum is right, and the header is not.
    BadHeader DecodeError
  deriving stock (Eq, Show)

-- | The same in one line.
describeBadEnvelope :: BadEnvelope -> String
describeBadEnvelope bad = case bad of
  NotAnEnvelope -> "not an envelope"
  LaterEnvelope v -> "version " ++ show v ++ " of the envelope, which is not known"
  DamagedEnvelope -> "the envelope is damaged"
  BadHeader e -> "the header of the envelope is wrong: " ++ summarizeError e

-- | The bytes of an envelope. Its body is copied once.
--
-- What the fields say of their values is not checked, and neither is that names and body are
-- shorter than 4 GiB. If all of this holds:
--
-- prop> decodeEnvelope (encodeEnvelope e) == Right e
encodeEnvelope :: Envelope -> ByteString
encodeEnvelope e = S.concat [header, body, toStrictByteString (word32LE checksum)]
  where
    body = envelopeBody e
    checksum = crc32cAfter (crc32c header) body
    header = toStrictByteString (putHeader e)

-- | The envelope of these bytes. The body is a slice of them. Anything but the bytes of
-- 'encodeEnvelope' is an error.
decodeEnvelope :: ByteString -> Either BadEnvelope Envelope
decodeEnvelope bytes
  | not (magic `S.isPrefixOf` bytes) = Left NotAnEnvelope
  | otherwise = case runGetRest getWord16le (S.drop (S.length magic) bytes) of
    Right (v, _) | v /= version -> Left (LaterEnvelope v)
    _
      | S.length bytes < S.length magic + 6 || runGet getWord32le end /= Right (crc32c whole) ->
        Left DamagedEnvelope
      | otherwise -> either (Left . BadHeader) Right (runGetWhole getHeader whole)
  where
    (whole, end) = S.splitAt (S.length bytes - 4) bytes

magic :: ByteString
magic = "\x89\&ASHJOB\n"

version :: Word16
version = 1

putHeader :: Envelope -> Builder
putHeader e =
  byteString magic <> word16LE version
    <> word8 (fromIntegral (fromEnum (envelopeKind e)) + 1)
    <> word8 0
    <> word32LE (envelopeAttempt e)
    <> int64LE (envelopeNumber e)
    <> int64LE (envelopeFirst e)
    <> word32LE (envelopeCount e)
    <> word32LE (envelopeExpanded e)
    <> putFingerprint (envelopeArgument e)
    <> putFingerprint (envelopeResult e)
    <> sized (T.encodeUtf8 (envelopeJob e))
    <> sized (envelopeCompression e)
    <> word32LE (fromIntegral (S.length (envelopeBody e)))
  where
    sized s = word32LE (fromIntegral (S.length s)) <> byteString s
    putFingerprint (Fingerprint a b) = word64LE a <> word64LE b

-- What follows the magic and the version has been checked against accidents. It may still be
-- forged.
getHeader :: Get Envelope
getHeader = do
  skip (S.length magic + 2)
  kind <- label "kind" (getWord8 >>= kindOf)
  zero <- getWord8
  unless (zero == 0) (fail "a byte that is not 0")
  delivered <- getWord32le
  number <- label "number" (getInt64le >>= natural)
  first <- label "first record" (getInt64le >>= natural)
  count <- getWord32le
  expanded <- getWord32le
  argument <- getFingerprint
  result <- getFingerprint
  job <- label "name" (sized >>= either (const (fail "not UTF-8")) pure . T.decodeUtf8')
  compression <- sized
  body <- label "body" sized
  unless (not (S.null compression) || fromIntegral expanded == S.length body) $
    fail "two lengths for one body"
  pure $
    Envelope kind job argument result number delivered first count compression expanded body
  where
    sized = getWord32le >>= getByteString . fromIntegral
    getFingerprint = Fingerprint <$> getWord64le <*> getWord64le
    natural n = if n < 0 then fail "a negative number" else pure n
    kindOf w
      | w >= 1 && w <= 4 = pure (toEnum (fromIntegral w - 1))
      | otherwise = fail "an unknown kind"
