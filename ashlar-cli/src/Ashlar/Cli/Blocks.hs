{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Cli.Blocks
-- Description : Blocks, and the schemas that they refer to
module Ashlar.Cli.Blocks
  ( Decoders,
    decodersOf,
    headerNow,
    withFile,
    withBlock,
    schemaAt,
    decoderAt,

    -- * Records
    wholeRecords,
  )
where

import Ashlar.Cli.Input
import Ashlar.Cli.Load
import Ashlar.Codec (DecodeError, Get)
import Ashlar.File.Blocks
import Ashlar.File.Internal.Records
import Ashlar.Schema
import Control.Exception (SomeException (..), throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Map.Strict as M
import GHC.Fingerprint (Fingerprint)

-- | The header of the file that is read, and the schemas so far, by the offsets of their blocks.
data Decoders = Decoders FileHeader (M.Map Int64 Entry)

-- A fingerprint, the bytes of a schema, and how to decode by it.
type Entry = (Fingerprint, ByteString, Either String (Get Value))

-- | None yet, given what stands in for a header that is damaged.
decodersOf :: FileHeader -> Decoders
decodersOf h = Decoders h (M.singleton (-1) (entry (fileFingerprint h) (fileSchema h)))

-- | The header of the file that is read. If it is damaged, it is that of the file before. If that
-- names no compression, it names the one that we know.
headerNow :: Decoders -> FileHeader
headerNow (Decoders h _) = h

-- | With that of a file that begins at an offset.
withFile :: Int64 -> Maybe FileHeader -> Decoders -> Decoders
withFile at header ds@(Decoders before m) = case header of
  Just h -> Decoders h (M.insert at (entry (fileFingerprint h) (fileSchema h)) (trimmed h m))
  Nothing
    | B.null (fileCompression before) -> Decoders before {fileCompression = ourCompression} m
    | otherwise -> ds

entry :: Fingerprint -> ByteString -> Entry
entry fingerprint' bytes = (fingerprint', bytes, getValue <$> schemaOf bytes)

-- At most 100 are kept, and of large ones only the last.
trimmed :: FileHeader -> M.Map Int64 a -> M.Map Int64 a
trimmed h m = if M.size m < 100 && B.length (fileSchema h) < 65536 then m else M.empty

-- | With that of a block, if it has one. At most 100 are kept, and of large ones only the last.
withBlock :: Block -> Decoders -> Decoders
withBlock b ds@(Decoders header m)
  -- By the offset that it was written at, which records refer to: bytes before it may be lost.
  -- (That of the header is 0.)
  | blockKind h == Ashlar.File.Blocks.Schema && blockOffset h > 0 =
    Decoders header (M.insert (blockFile b + blockOffset h) (entry (blockFingerprint h) body) few)
  | otherwise = ds
  where
    h = blockHeader b
    body = blockBody b
    -- That of the header stays.
    few
      | M.size m < 100 && B.length body < 65536 = m
      | otherwise = M.filterWithKey (\at _ -> at == blockFile b) m

-- | The schema of the records of a block: its bytes. 'Nothing' if it is lost.
schemaAt :: Decoders -> Block -> Maybe ByteString
schemaAt ds b = (\(_, bytes, _) -> bytes) <$> entryAt ds b

-- | How to decode the records of a block, or why that is not possible. 'Nothing' if their schema is
-- lost.
decoderAt :: Decoders -> Block -> Maybe (Either String (Get Value))
decoderAt ds b = (\(_, _, g) -> g) <$> entryAt ds b

-- Where the header of the file is damaged, one with the same fingerprint will do.
entryAt :: Decoders -> Block -> Maybe Entry
entryAt (Decoders _ m) b = case M.lookup (blockFile b + blockSchemaAt h) m of
  Just found | right found -> Just found
  _ | blockSchemaAt h == 0 -> List.find right (M.elems m)
  _ -> Nothing
  where
    h = blockHeader b
    right (f, _, _) = f == blockFingerprint h

-- | How many records of an expanded body can be decoded, in how many bytes, and why no more. A body
-- with bytes after its last record gives no reason.
wholeRecords :: Get Value -> Int -> ByteString -> IO (Int, Int, Maybe DecodeError)
wholeRecords g count body = go 0 (recordsOf (decodeBy g) count body)
  where
    go !done found =
      found >>= \records -> case records of
        Some n _ more -> go (done + n) more
        Refused e rest _ -> pure (result done rest (Just e))
        Threw (SomeException e) _ -> throwIO e
        NoMore rest -> pure (result done rest Nothing)
    result done rest = (,,) done (B.length body - B.length rest)
