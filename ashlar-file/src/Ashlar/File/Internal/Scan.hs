{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Scan
-- Description : One block after another
--
-- Note [After damage]
-- ~~~~~~~~~~~~~~~~~~~
-- Where a block is damaged, the next one is searched for by the marker of the file, which stands
-- before each block, and is believed if the checksum of its header is right.
--
-- A header that is right tells where its body ends, even if the body is damaged. If the block there
-- was written next, the search is over: their own offsets are as far apart as they are, and so are
-- the numbers of their records. Otherwise bytes were lost or inserted, and the next block may begin
-- inside of what the header announced. So the search begins after the marker. That some block
-- begins where the body should end, or that the file ends there, is not enough: as many bytes may
-- be lost as the blocks between have. Nor are the offsets enough: somebody may have appended since.
--
-- A block that is found inside of another may be damaged, too. Its body is searched as well, but
-- for 64 MiB in all: after that such a block is passed over as a whole. So each byte is checked
-- three times at most, and 64 MiB more often, and no choice of headers makes the search quadratic.
module Ashlar.File.Internal.Scan
  ( -- * The header
    readFileHeader,
    headerLimit,
    anyMarker,

    -- * Blocks
    Scan (..),
    Block (..),
    blockEnd,
    endOf,
    nextRecordOf,
    writtenNext,
    Position (..),
    startAt,
    Step (..),
    nextBlock,

    -- * After damage
    Resume,
    passOver,
    headerAt,
    searchBlock,
  )
where

import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.Int (Int64)
import Data.Word (Word64)

-- | The header of a file.
readFileHeader :: Input -> IO (Either Cause FileHeader)
readFileHeader input = do
  start <- inputFetch input 0 prefixBytes
  case filePrefix start of
    NoPrefix -> pure (Left NotAFile)
    ShortPrefix -> pure (Left (TruncatedHeader prefixBytes (S.length start)))
    OtherVersion v -> pure (Left (LaterVersion v))
    Prefix n
      | n > headerLimit -> pure (Left (TooLarge n headerLimit))
      | otherwise -> do
        bytes <- inputFetch input 0 n
        pure $
          if S.length bytes < n
            then Left (TruncatedHeader n (S.length bytes))
            else maybe (Left WrongHeader) Right (getFileHeader bytes)

-- | The most bytes that a header may have: 16 MiB.
headerLimit :: Int
headerLimit = 16777216

-- | The marker of a file whose header is damaged, from the first block that follows.
anyMarker :: Input -> IO (Maybe Word64)
anyMarker input = go 0
  where
    go from
      | from > fromIntegral headerLimit = pure Nothing
      | otherwise = do
        bytes <- inputFetch input from window
        case firstIn bytes 0 of
          Just b -> pure (Just (blockMarker b))
          Nothing
            | S.length bytes < window -> pure Nothing
            | otherwise -> go (from + fromIntegral (window - blockHeaderBytes + 1))
    firstIn bytes i
      | i + blockHeaderBytes > S.length bytes = Nothing
      -- The kind, the flags, and two bytes that are 0. Most offsets end here.
      | S.unsafeIndex bytes (i + 8) - 1 < 3,
        S.unsafeIndex bytes (i + 9) < 2,
        S.unsafeIndex bytes (i + 10) == 0,
        S.unsafeIndex bytes (i + 11) == 0,
        Just b <- anyBlockStart (S.take blockHeaderBytes (S.unsafeDrop i bytes)) =
        Just b
      | otherwise = firstIn bytes (i + 1)

-- How many bytes a search looks at in one step.
window :: Int
window = 65536

-- | A file whose blocks are read.
data Scan = Scan
  { scanInput :: !Input,
    scanMarker :: !Word64,
    -- | The most bytes that a body may have, stored and expanded.
    scanLimit :: !Int
  }

-- | A block whose checksums are right.
data Block = Block
  { -- | The offset of its header.
    blockAt :: !Int64,
    -- | Its number, counted from where reading began.
    blockNumber :: !Int64,
    blockHeader :: !BlockHeader,
    -- | As it is stored.
    blockBody :: !ByteString
  }
  deriving stock (Eq, Show)

-- | The offset after a block.
blockEnd :: Block -> Int64
blockEnd b = endOf (blockAt b) (blockHeader b)

-- | The offset after a block, given that of its header.
endOf :: Int64 -> BlockHeader -> Int64
endOf at h = at + fromIntegral (blockHeaderBytes + blockStored h)

-- | The number of the record that comes after a block.
nextRecordOf :: BlockHeader -> Int64
nextRecordOf h = blockFirst h + fromIntegral (blockCount h)

-- | Was the second block written after the first one?
writtenNext :: BlockHeader -> BlockHeader -> Bool
writtenNext h next =
  blockOffset next == endOf (blockOffset h) h && blockFirst next == nextRecordOf h

-- | Where reading goes on.
data Position = Position
  { -- | The offset of the next block.
    posOffset :: !Int64,
    -- | Its number.
    posBlock :: !Int64,
    -- | The number of the next record.
    posRecord :: !Int64,
    -- | May the next block begin with a later record? After damage that was reported.
    posGap :: !Bool,
    -- | Before this offset everything belongs to a block that is damaged.
    posInside :: !Int64,
    -- | How many bytes in there may be searched again.
    posAllowance :: !Int64,
    -- | The bytes at the offset, or none if they have not been fetched.
    posAhead :: !ByteString
  }
  deriving stock (Show)

-- | The position of a block with this offset and this first record.
startAt :: Int64 -> Int64 -> Position
startAt offset record = Position offset 0 record False 0 67108864 S.empty

-- | What stands at a position.
data Step
  = StepBlock !Block !Position
  | StepEnd
  | StepDamaged !Cause !Resume

-- | How to go on after damage.
data Resume
  = -- | Search for the next block.
    Search
  | -- | The body is damaged, but not the header.
    Body !BlockHeader
  | -- | The body is cut off, or only seems to be.
    Tail !BlockHeader
  | -- | Pass over this block.
    PassBlock !BlockHeader
  | -- | Records are missing before this block.
    Gap !Int64

-- | Read the block at a position.
nextBlock :: Scan -> Position -> IO Step
nextBlock scan pos0 = attempt pos0 (\_ -> attempt pos0 {posAhead = S.empty} pure)
  where
    input = scanInput scan
    -- The second argument is what to do about a body that is wrong, or too short for a header that
    -- was fetched before: to read the block again, because a writer may have replaced the tail
    -- between two reads.
    attempt pos wrong = do
      inputForget input (posOffset pos)
      start <-
        if S.length (posAhead pos) == blockHeaderBytes
          then pure (posAhead pos)
          else inputFetch input (posOffset pos) blockHeaderBytes
      if S.null start
        then pure StepEnd
        else case blockStart (scanMarker scan) start of
          BlockStart h -> maybe (body pos h wrong) pure (refused pos h)
          NoMarker -> pure (StepDamaged (noBlock start) Search)
          BadBlockHeader -> pure (StepDamaged (cutOr WrongBlockHeader start) Search)

    noBlock start
      | S.take 8 start `S.isPrefixOf` markerBytes (scanMarker scan) = cutOr NotABlock start
      | magic `S.isPrefixOf` start = AnotherFile
      | otherwise = NotABlock
    cutOr cause start
      | S.length start < blockHeaderBytes = Truncated blockHeaderBytes (S.length start)
      | otherwise = cause

    -- What a header says that is right by itself, and cannot be.
    refused pos h
      | large > scanLimit scan = Just (StepDamaged (TooLarge large (scanLimit scan)) (PassBlock h))
      | not (consistent h) = Just (StepDamaged WrongCount (PassBlock h))
      | first > posRecord pos, not (posGap pos) = Just (StepDamaged (WrongNumber first) (Gap first))
      | first < posRecord pos = Just (StepDamaged (WrongNumber first) (PassBlock h))
      | otherwise = Nothing
      where
        large = max (blockStored h) (blockExpanded h)
        first = blockFirst h

    body pos h wrong = do
      let n = blockStored h
          from = posOffset pos + fromIntegral blockHeaderBytes
      rest <- inputFetch input from (n + inputAhead input)
      let (stored, ahead) = S.splitAt n rest
          found = Block (posOffset pos) (posBlock pos) h stored
          needed = Truncated (blockHeaderBytes + n) (blockHeaderBytes + S.length stored)
      if S.length stored < n
        then (if S.null (posAhead pos) then pure else wrong) (StepDamaged needed (Tail h))
        else
          if crc32c stored == blockChecksum h
            then pure (StepBlock found (after pos h ahead))
            else wrong (StepDamaged WrongChecksum (Body h))

-- Can it have as many records?
consistent :: BlockHeader -> Bool
consistent h =
  (blockCompressed h || blockStored h == blockExpanded h) && case blockKind h of
    Records -> blockCount h >= 1 && blockCount h <= blockExpanded h
    _ -> blockCount h == 0

-- After a whole block.
after :: Position -> BlockHeader -> ByteString -> Position
after pos h ahead =
  pos
    { posOffset = endOf (posOffset pos) h,
      posBlock = posBlock pos + 1,
      posRecord = nextRecordOf h,
      posGap = False,
      posAhead = if S.length ahead == blockHeaderBytes then ahead else S.empty
    }

-- | Find the position from which reading goes on after damage, and the number of its next record.
-- 'Left' if no block follows: the offset at which the file ends.
passOver :: Scan -> Position -> Resume -> IO (Either Int64 (Position, Int64))
passOver scan pos resume = case resume of
  Gap record -> pure (Right (pos {posRecord = record, posGap = True}, record))
  PassBlock h -> arrived h
  Body h -> do
    there <- inputFetch (scanInput scan) (end h) blockHeaderBytes
    case blockStart (scanMarker scan) there of
      BlockStart h' | writtenNext h h' -> arrived h
      _ -> within h
  Tail h -> within h
  Search -> search pos
  where
    end = endOf (posOffset pos)
    -- The next block may begin inside of this one. What is inside of another is searched again.
    within h
      | again <= posAllowance pos =
        search
          pos
            { posAllowance = posAllowance pos - again,
              posInside = max (end h) (posInside pos)
            }
      | otherwise = arrived h
      where
        again = if posOffset pos < posInside pos then endOf 0 h else 0
    -- After a block of a known size. The file may end there.
    arrived h = do
      inputForget (scanInput scan) (end h)
      there <- inputFetch (scanInput scan) (end h) 1
      pure $
        if S.null there
          then Left (end h)
          else Right (moved pos (end h) (nextRecordOf h))
    search from = do
      found <- searchBlock scan (posOffset from + 1) maxBound
      pure $ (\(offset, h) -> moved from offset (blockFirst h)) <$> found
    moved from offset next =
      ( from
          { posOffset = offset,
            posBlock = posBlock from + 1,
            posRecord = record,
            posGap = True,
            posAhead = S.empty
          },
        record
      )
      where
        record = max (posRecord from) next

-- | The header of the block at an offset.
headerAt :: Scan -> Int64 -> IO (Maybe BlockHeader)
headerAt scan offset = do
  bytes <- inputFetch (scanInput scan) offset blockHeaderBytes
  pure $ case blockStart (scanMarker scan) bytes of
    BlockStart h -> Just h
    _ -> Nothing

-- | The first block at or after an offset, and before another, whose header is right. 'Left' if
-- there is none: the offset at which the search ended.
searchBlock :: Scan -> Int64 -> Int64 -> IO (Either Int64 (Int64, BlockHeader))
searchBlock scan first limit = go first
  where
    input = scanInput scan
    marker = markerBytes (scanMarker scan)
    go from
      | from >= limit = pure (Left limit)
      | otherwise = do
        inputForget input from
        bytes <- inputFetch input from window
        inWindow from bytes 0
    inWindow from bytes i = case S.breakSubstring marker (S.drop i bytes) of
      (before, found)
        | not (S.null found) -> do
          let j = i + S.length before
              at = from + fromIntegral j
          if at >= limit
            then pure (Left limit)
            else
              headerAt scan at >>= \header -> case header of
                Just h -> pure (Right (at, h))
                Nothing -> inWindow from bytes (j + 1)
        | S.length bytes < window -> pure (Left (from + fromIntegral (S.length bytes)))
        | otherwise -> go (from + fromIntegral (S.length bytes - S.length marker + 1))
