-- |
-- Module      : Ashlar.File.Internal.Locate
-- Description : The last block, and the block of a record
--
-- Note [Copies of blocks]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A record may contain bytes of this very file, with its marker: for instance a backup of the
-- folder that the file is in. A search may find a block in there. So each header has its own
-- offset, and a block at another offset is a copy. But if bytes were lost or inserted, all blocks
-- after them are at other offsets. A search for the last block tells the two apart by the numbers
-- of the records: a copy is older than the block that contains it.
module Ashlar.File.Internal.Locate
  ( lastBlock,
    locate,
    readIndex,
  )
where

import Ashlar.File.Internal.After
import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Scan
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)

-- | The last whole block of a file, and its offset. (Of the file, not of a copy in a record:
-- Note [Copies of blocks].)
--
-- It is searched for from the end. That takes constant time unless the tail is damaged, and at most
-- linear time.
lastBlock ::
  Scan ->
  -- | The offset of the first block.
  Int64 ->
  -- | How many bytes the file has.
  Int64 ->
  IO (Maybe (Int64, BlockHeader))
lastBlock scan start size = back size allowance Nothing
  where
    input = scanInput scan
    marker = markerBytes (scanMarker scan)
    step = 65536 :: Int64
    -- How many bytes may be checked in vain. Right headers with wrong bodies are rare, unless an
    -- attacker made them to cost time.
    allowance = 268435456 :: Int64
    back hi left copy
      | hi <= start = pure copy
      | otherwise = do
        let lo = max start (hi - step)
        bytes <- inputFetch input lo (fromIntegral (hi - lo) + S.length marker - 1)
        candidates lo left copy (occurrences marker bytes)
    candidates lo left copy [] = back lo left copy
    candidates lo left copy (i : is)
      | left <= 0 = forwards
      | otherwise = do
        let at = lo + fromIntegral i
        header <- headerAt scan at
        case header of
          Just h | fits at h -> do
            body <- inputFetch input (at + fromIntegral blockHeaderBytes) (blockStored h)
            if crc32c body /= blockChecksum h
              then candidates lo (left - fromIntegral (blockStored h)) copy is
              else case copy of
                -- The one found before has later records, so it is no copy: bytes were lost or
                -- inserted.
                Just (_, c) | blockOffset h == at, nextRecordOf c > nextRecordOf h -> pure copy
                _
                  | blockOffset h == at -> pure (Just (at, h))
                  | otherwise ->
                    candidates lo (left - fromIntegral (blockStored h)) (later copy (at, h)) is
          _ -> candidates lo left copy is
    later copy new = case copy of
      Just old | nextRecordOf (snd old) >= nextRecordOf (snd new) -> Just old
      _ -> Just new
    fits at h =
      blockStored h <= scanLimit scan
        && at + fromIntegral (blockHeaderBytes + blockStored h) <= size
    -- From the first block on, in linear time.
    forwards = go Nothing (startAt start 0) {posGap = True}
    go found pos = do
      next <- nextBlock scan pos
      case next of
        StepBlock b pos' -> go (Just (posOffset pos, blockHeader b)) pos'
        StepDamaged _ resume -> do
          after <- passOver scan pos resume
          case after of
            Next scan' pos' | isSameFile scan scan' -> go found pos'
            _ -> pure found
        _ -> pure found

-- The indices at which a string occurs, the last one first.
occurrences :: ByteString -> ByteString -> [Int]
occurrences marker = go [] 0
  where
    go found from bytes = case S.breakSubstring marker bytes of
      (before, rest)
        | S.null rest -> found
        | otherwise ->
          let at = from + S.length before
           in go (at : found) (at + 1) (S.drop 1 rest)

-- | The body of the index at the end of a file, if there is one.
readIndex :: Scan -> Int64 -> IO (Maybe (ByteString, Footer))
readIndex scan size = do
  end <- inputFetch input (size - fromIntegral footerBytes) footerBytes
  case getFooter end of
    Just footer | footerIndexAt footer <= size -> do
      step <- nextBlock scan (startAt (footerIndexAt footer) (footerRecords footer))
      pure $ case step of
        StepBlock b next
          | blockKind (blockHeader b) == Index && posOffset next == size ->
            Just (blockBody b, footer)
        _ -> Nothing
    _ -> pure Nothing
  where
    input = scanInput scan

-- | Where to begin to look for a record: the offset of a block, and the number of its first record,
-- which is not greater. It takes logarithmic time.
locate ::
  Scan ->
  -- | The offset of the first block.
  Int64 ->
  -- | How many bytes the file has.
  Int64 ->
  -- | The body of the index.
  Maybe ByteString ->
  -- | The number of the record.
  Int64 ->
  IO (Int64, Int64)
locate scan start size index record = do
  first <- headerAt scan start
  hit <- maybe (pure Nothing) likely first
  case hit of
    Just found -> pure found
    Nothing -> bounded (maybe [] hints index)
  where
    -- The block that has the record if all blocks are like the first one.
    likely h
      | blockKind h /= Records || blockCount h == 0 = pure Nothing
      | otherwise = do
        let k = record `div` fromIntegral (blockCount h)
            at = start + k * fromIntegral (blockHeaderBytes + blockStored h)
        there <- if k < size && at < size && at >= start then own at else pure Nothing
        pure $ case there of
          Just b | blockFirst b <= record && record < nextRecordOf b -> Just (at, blockFirst b)
          _ -> Nothing
    own at = do
      header <- headerAt scan at
      pure $ case header of
        Just h | blockOffset h == at -> Just h
        _ -> Nothing
    -- The entries around the record.
    hints body = go 0 (entryCount body)
      where
        -- The entries before lo begin with a record that is not greater, and none from hi on does.
        go lo hi
          | lo >= hi =
            [entryAt body (lo - 1) | lo > 0] ++ [entryAt body lo | lo < entryCount body]
          | entryFirst (entryAt body mid) <= record = go (mid + 1) hi
          | otherwise = go lo mid
          where
            mid = (lo + hi) `div` 2
    -- The index is not trusted: the headers of its blocks are read.
    bounded entries = do
      blocks <- mapM (\e -> fmap ((,) e) (own (entryOffset e))) entries
      let right = [(entryOffset e, blockFirst h) | (e, Just h) <- blocks, entryOffset e >= start]
          lo = last ((start, 0) : filter ((<= record) . snd) right)
          hi = minimum (size : [at | (at, n) <- right, n > record, at > fst lo])
      bisect lo hi
    bisect lo@(at, _) hi
      | hi - at <= 131072 = pure lo
      | otherwise = do
        let mid = at + (hi - at) `div` 2
        found <- searchOwn mid hi
        case found of
          Just (at', h) | blockFirst h <= record -> bisect (at', blockFirst h) hi
          _ -> bisect lo mid
    searchOwn from hi = do
      found <- searchBlock scan from hi
      case found of
        Right (at, h)
          | blockOffset h == at -> pure (Just (at, h))
          | otherwise -> searchOwn (at + 1) hi
        Left _ -> pure Nothing
