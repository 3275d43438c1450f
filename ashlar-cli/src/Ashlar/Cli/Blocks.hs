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

    -- * Without the header of the file
    findBlocks,
    foldBlocksFrom,

    -- * Records
    wholeRecords,
  )
where

import Ashlar.Cli.Input
import Ashlar.Codec (DecodeError, Get)
import Ashlar.File (Damage (..), Lost (..), ReadOptions (..))
import Ashlar.File.Blocks
import Ashlar.File.Internal.Input (fileInput)
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan hiding (Block (..), blockEnd)
import Ashlar.File.Internal.System (closeFile, openToRead)
import Ashlar.Schema
import Control.Exception (bracket)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int64)
import qualified Data.Map.Strict as M
import Data.Word (Word64)
import GHC.Fingerprint (Fingerprint)
import System.Posix.Types (Fd)

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

-- | With that of a block, if it has one. At most 100 are kept, and of large ones only the last.
--
-- @since 0.1.0.0
withBlock :: Block -> Decoders -> Decoders
withBlock b ds@(Decoders m)
  -- By the offset that it was written at, which records refer to: bytes before it may be lost.
  -- (That of the header is 0.)
  | blockKind h == Ashlar.File.Blocks.Schema && blockOffset h > 0 =
    Decoders (M.insert (blockOffset h) (entry (blockFingerprint h) (blockBody b)) trimmed)
  | otherwise = ds
  where
    h = blockHeader b
    -- That of the header stays.
    trimmed
      | M.size m < 100 && B.length (blockBody b) < 65536 = m
      | otherwise = M.take 1 m

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

-- | The marker of a file whose header is lost, the offset of its first block, and the number of the
-- first record. 'Nothing' if it has no blocks.
--
-- @since 0.1.0.0
findBlocks :: ReadOptions -> FilePath -> IO (Maybe (Word64, Int64, Int64))
findBlocks options path = bracket (openToRead path) closeFile $ \fd -> do
  found <- anyMarker (fileInput path fd)
  case found of
    Nothing -> pure Nothing
    Just marker -> do
      block <- searchBlock (scanOf options path fd marker) 0 maxBound
      pure (either (const Nothing) (\(at, h) -> Just (marker, at, blockFirst h)) block)

scanOf :: ReadOptions -> FilePath -> Fd -> Word64 -> Scan
scanOf options path fd marker = Scan (fileInput path fd) marker (readBlockLimit options)

-- | 'foldBlocks' from the first block on, given the marker of the file.
--
-- @since 0.1.0.0
foldBlocksFrom :: ReadOptions -> FilePath -> Word64 -> Int64 -> (b -> Event -> IO b) -> b -> IO b
foldBlocksFrom options path marker start f b0 = bracket (openToRead path) closeFile $ \fd -> do
  let scan = scanOf options path fd marker
      go pos acc = do
        step <- nextBlock scan pos
        case step of
          StepEnd -> pure acc
          StepBlock b next -> f acc (WholeBlock b) >>= go next
          StepDamaged cause resume -> do
            let damage = Damage path (posOffset pos) (Just (posBlock pos)) (posRecord pos) cause
            next <- passOver scan pos resume
            case next of
              Left end -> f acc (LostBlocks (Lost damage end Nothing))
              Right (pos', n) ->
                f acc (LostBlocks (Lost damage (posOffset pos') (Just n))) >>= go pos'
  go (startAt start 0) {posGap = True} b0

-- | How many records of an expanded body can be decoded, in how many bytes, and why no more. A body
-- with bytes after its last record gives no reason.
--
-- @since 0.1.0.0
wholeRecords :: Get Value -> Int -> ByteString -> (Int, Int, Maybe DecodeError)
wholeRecords g count body = go 0 (recordsOf (decodeBy g) count body)
  where
    go !done records = case records of
      Some n _ more -> go (done + n) more
      Refused e rest _ -> result done rest (Just e)
      NoMore rest -> result done rest Nothing
    result done rest = (,,) done (B.length body - B.length rest)
