{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.File.Internal.Append
-- Description : The end of a file, where blocks are appended
module Ashlar.File.Internal.Append
  ( Tail (..),
    headerOf,
    appendBlock,
    orCut,
    newFile,
    oldFile,
  )
where

import Ashlar.File.Internal.After
import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Entries
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Joined
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Locate
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Scan hiding (Resume (..))
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type
import Control.Exception (IOException, catch, onException, throwIO)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.Maybe (isNothing)
import Data.Word (Word64)
import GHC.Fingerprint (Fingerprint)

-- | The end of a file, after the last whole block.
data Tail = Tail
  { tailMarker :: !Word64,
    -- | Where the next block begins.
    tailOffset :: !Int64,
    -- | How many records precede.
    tailRecords :: !Int64,
    -- | The fingerprint of the records that are written.
    tailFingerprint :: !Fingerprint,
    -- | The offset of their schema.
    tailSchemaAt :: !Int64,
    tailEntries :: !Entries
  }

-- | The header of a block with this body, at the end.
headerOf :: Tail -> Kind -> Int -> ByteString -> BlockHeader
headerOf end kind count body =
  BlockHeader
    { blockMarker = tailMarker end,
      blockKind = kind,
      blockCompressed = False,
      blockStored = S.length body,
      blockExpanded = S.length body,
      blockCount = count,
      blockFirst = tailRecords end,
      blockFingerprint = tailFingerprint end,
      blockSchemaAt = tailSchemaAt end,
      blockOffset = tailOffset end,
      blockChecksum = crc32c body
    }

-- | Write a block at the end, all of it or nothing.
appendBlock :: OpenFile -> Tail -> BlockHeader -> ByteString -> IO ()
appendBlock fd end header body =
  orCut fd end (writeBytes fd (tailOffset end) (encodeBlockHeader header <> body))

-- | Write something after the end. If that fails, cut off what was written of it.
orCut :: OpenFile -> Tail -> IO a -> IO a
orCut fd end act = act `onException` (truncateTo fd (tailOffset end) `catch` ignored)

ignored :: IOException -> IO ()
ignored _ = pure ()

-- | Begin a file.
newFile :: WriteOptions -> RecordType a -> FilePath -> OpenFile -> IO Tail
newFile options ty path fd = do
  unless (large <= headerLimit) . throwIO $
    Damage path 0 Nothing 0 (TooLarge large headerLimit)
  marker <- maybe randomWord pure (writeMarker options)
  let header = headerWith marker
  truncateTo fd 0
  writeBytes fd 0 (putFileHeader header)
    `onException` (truncateTo fd 0 `catch` ignored)
  pure
    Tail
      { tailMarker = marker,
        tailOffset = fromIntegral (fileHeaderBytes header),
        tailRecords = 0,
        tailFingerprint = typeFingerprint ty,
        tailSchemaAt = 0,
        tailEntries = noEntries
      }
  where
    large = fileHeaderBytes (headerWith 0)
    headerWith marker =
      FileHeader
        { fileMarker = marker,
          fileFingerprint = typeFingerprint ty,
          fileCompression = maybe S.empty compressionName (writeCompression options),
          fileSchema = typeSchema ty
        }

-- | Find the end of a file, and cut off what follows it. If the file is empty, or ends in its
-- header, begin it anew.
oldFile :: WriteOptions -> RecordType a -> FilePath -> OpenFile -> IO Tail
oldFile options ty path fd = do
  readable <- isSeekable fd
  if readable then oldRegular options ty path fd else newFile options ty path fd

oldRegular :: WriteOptions -> RecordType a -> FilePath -> OpenFile -> IO Tail
oldRegular options ty path fd = do
  size <- fileLength fd
  input <- fileInput path fd
  header <- readFileHeader input
  case header of
    Left cause -> do
      block <- withoutHeader input limit
      begun <- unfinished input size cause
      if begun && isNothing block then newFile options ty path fd else refuse 0 0 cause
    Right h -> do
      let start = fromIntegral (fileHeaderBytes h)
          scan = scanOf input limit (fileMarker h) (Just h)
      unless (fileCompression h == maybe S.empty compressionName (writeCompression options)) $
        refuse 0 0 (UnknownCompression (fileCompression h))
      accepted 0 0 (fileSchema h) (fileFingerprint h)
      found <- lastBlock scan start size
      let (end', next) = maybe (start, 0) (\(at, b) -> (endOf at b, nextRecordOf b)) found
      -- Do not cut off a whole block that is too large to be checked.
      large <- headerAt scan end'
      case large of
        Just b
          | blockStored b > limit && endOf end' b <= size ->
            refuse end' (blockFirst b) (TooLarge (blockStored b) limit)
        _ -> pure ()
      -- Cut off no other block, and write none after another file.
      other <- case found of
        -- Bytes were lost or inserted, or files were joined.
        Just (at, b) | blockOffset b /= at -> joined scan start
        _ -> pure Nothing
      maybe (wholeIn scan end' size) (pure . Just) other >>= mapM_ (refuseOther scan next)
      index <- if writeIndex options then readIndex scan size else pure Nothing
      entries <- case index of
        _ | not (writeIndex options) -> pure noEntries
        Just (body, _) -> pure (entriesOf [entryAt body i | i <- [0 .. entryCount body - 1]])
        Nothing -> walked scan start
      (end, described) <- case found of
        Nothing ->
          pure (Tail (fileMarker h) start 0 (fileFingerprint h) 0 entries, True)
        Just (at, b) -> do
          let schemaAt = if blockKind b == Schema then at else blockSchemaAt b
          described <- lastSchema scan schemaAt b
          pure
            ( Tail
                { tailMarker = fileMarker h,
                  tailOffset = if blockKind b == Index then at else endOf at b,
                  tailRecords = nextRecordOf b,
                  tailFingerprint = blockFingerprint b,
                  tailSchemaAt = schemaAt,
                  tailEntries = entries
                },
              described
            )
      truncateTo fd (tailOffset end)
      if described && tailFingerprint end == typeFingerprint ty then pure end else newSchema end
  where
    limit = max (readBlockLimit defaultReadOptions) (writeRecordLimit options)
    -- Did whoever began the file get no further? A writer writes the header first, and at once, but
    -- after a power failure its bytes may be zeros. If a block follows, it is damage. (The search
    -- for one covers a file of this size.)
    unfinished input size cause = case cause of
      TruncatedHeader _ _ -> pure True
      WrongHeader -> pure small
      NotAFile | small -> S.all (== 0) <$> inputFetch input 0 (fromIntegral size)
      _ -> pure False
      where
        small = size <= fromIntegral headerLimit
    refuse at record cause = throwIO (Damage path at Nothing record cause)
    -- A file that was joined to this one.
    joined scan start = do
      (_, next) <- restOf scan (startAt start 0) {posGap = True}
      pure $ case next of
        Next scan' _ -> Just (scanBase scan', scanHeader scan')
        NextEnd _ -> Nothing
    refuseOther scan record (at, header) = do
      start <- inputFetch (scanInput scan) at blockHeaderBytes
      let marker = maybe (maybe 0 blockMarker (anyBlockStart start)) fileMarker header
          first = startAt (maybe 0 (fromIntegral . fileHeaderBytes) header) 0
      (n, _) <- restOf (fileAfter scan at record marker header) first {posGap = True}
      refuse at record . AnotherFile $
        OtherFile header n "appending would cut it off; ashlar repair makes one file of both"
    accepted at record schema fingerprint =
      unless (fingerprint == typeFingerprint ty) $
        either (refuse at record . WrongType) (const (pure ())) (typeEvolved ty schema fingerprint)
    -- Is the schema of the last records there? Then it must be accepted. If it is lost, it must be
    -- that of the new records, which is written again: later types cannot read these without it.
    lastSchema scan at b
      | at == 0 = pure True
      | otherwise = do
        step <- nextBlock scan ((startAt at 0) {posGap = True})
        case step of
          StepBlock s _
            | blockKind h == Schema ->
              True <$ accepted at (blockFirst h) (blockBody s) (blockFingerprint h)
            where
              h = blockHeader s
          _
            | blockFingerprint b == typeFingerprint ty -> pure False
            | otherwise -> refuse at (blockFirst b) UnknownSchema
    -- Write the schema of the new records, which are of another type than the last ones.
    newSchema end = do
      let end' = end {tailFingerprint = typeFingerprint ty, tailSchemaAt = tailOffset end}
          header = headerOf end' Schema 0 (typeSchema ty)
      appendBlock fd end' header (typeSchema ty)
      pure
        end'
          { tailOffset =
              tailOffset end + fromIntegral (blockHeaderBytes + S.length (typeSchema ty))
          }
    -- The entries for a file without an index, from the headers of its blocks.
    walked scan = go noEntries
      where
        go !entries at = do
          found <- headerAt scan at
          case found of
            Just b -> go (entered b at entries) (endOf at b)
            Nothing -> do
              next <- searchBlock scan (at + 1) maxBound
              either (const (pure entries)) (go entries . fst) next
        entered b at entries
          | blockKind b == Records = addEntry (Entry at (blockFirst b)) entries
          | otherwise = entries
