{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Cli.Blocks
-- Description : Blocks, and the schemas that they refer to
module Ashlar.Cli.Blocks
  ( Decoders,
    decodersOf,
    withBlock,
    schemaAt,
    decoderAt,

    -- * Records
    wholeRecords,
  )
where

import Ashlar.Cli.Input
import Ashlar.Codec (DecodeError, Get)
import Ashlar.File.Blocks
import Ashlar.File.Internal.Records
import Ashlar.Schema
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int64)
import qualified Data.Map.Strict as M
import GHC.Fingerprint (Fingerprint)

-- | The schemas of a file so far, by the offsets of their blocks.
--
-- @since 0.1.0.0
newtype Decoders = Decoders (M.Map Int64 (Fingerprint, ByteString, Either String (Get Value)))

-- | That of the header.
--
-- @since 0.1.0.0
decodersOf :: FileHeader -> Decoders
decodersOf h = Decoders (M.singleton 0 (entry (fileFingerprint h) (fileSchema h)))

entry :: Fingerprint -> ByteString -> (Fingerprint, ByteString, Either String (Get Value))
entry fingerprint' bytes = (fingerprint', bytes, getValue <$> schemaOf bytes)

-- | With that of a block, if it has one. At most 1,000 are kept.
--
-- @since 0.1.0.0
withBlock :: Block -> Decoders -> Decoders
withBlock b ds@(Decoders m)
  | blockKind h == Ashlar.File.Blocks.Schema =
    Decoders (M.insert (blockAt b) (entry (blockFingerprint h) (blockBody b)) trimmed)
  | otherwise = ds
  where
    h = blockHeader b
    -- The oldest go, but for that of the header.
    trimmed = if M.size m < 1000 then m else M.union (M.take 1 m) (M.drop 500 m)

-- | The schema of the records of a block: its bytes. 'Nothing' if it is lost.
--
-- @since 0.1.0.0
schemaAt :: Decoders -> BlockHeader -> Maybe ByteString
schemaAt (Decoders m) h = case M.lookup (blockSchemaAt h) m of
  Just (f, bytes, _) | f == blockFingerprint h -> Just bytes
  _ -> Nothing

-- | How to decode the records of a block, or why that is not possible. 'Nothing' if their schema is
-- lost.
--
-- @since 0.1.0.0
decoderAt :: Decoders -> BlockHeader -> Maybe (Either String (Get Value))
decoderAt (Decoders m) h = case M.lookup (blockSchemaAt h) m of
  Just (f, _, g) | f == blockFingerprint h -> Just g
  _ -> Nothing

-- | How many records of an expanded body can be decoded, in how many bytes, and why no more. A body
-- with bytes after its last record gives no reason.
--
-- @since 0.1.0.0
wholeRecords :: Get Value -> Int -> ByteString -> (Int, Int, Maybe DecodeError)
wholeRecords g count body = batches 0 body
  where
    Decode some = decodeBy g
    result done rest = (,,) done (B.length body - B.length rest)
    batches !done rest
      | left <= 0 = result done rest Nothing
      | otherwise = case some n rest of
        Right (_, rest') -> batches (done + n) rest'
        Left _ -> single done rest
      where
        left = count - done
        n = max 1 (min 64 (min left (4096 * left `div` max 1 (B.length rest))))
    single !done rest
      | done >= count = result done rest Nothing
      | otherwise = case some 1 rest of
        Right (_, rest') -> single (done + 1) rest'
        Left e -> result done rest (Just e)
