{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Scan
-- Description : One block after another
--
-- Note [Files that were joined]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A file may be followed by others, as @cat@ makes them of several. Reading goes on in them, so
-- there is a 'Scan' for each. Within it, offsets and numbers of records are those that the file has
-- by itself: what its blocks say stays true. Users see offsets from the beginning of the first
-- file, and records numbered through. 'offsetIn' and 'recordIn' add what comes before.
--
-- Note [Where an index was]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~
-- A writer that appends cuts off the index at the end, and writes blocks in its place. A reader may
-- have passed over that index before. So if no block follows an index, it is looked up again. If it
-- is gone, reading goes on at its place, where the new blocks are. (Test: "a writer takes the place
-- of an index that was read".)
module Ashlar.File.Internal.Scan
  ( -- * The header
    readFileHeader,
    headerLimit,

    -- * Files
    Scan (..),
    scanOf,
    scanBase,
    offsetIn,
    recordIn,
    damageIn,
    fileAfter,
    isSameFile,

    -- * Blocks
    Block (..),
    blockEnd,
    endOf,
    nextRecordOf,
    writtenNext,
    headerAt,
    Position (..),
    startAt,
    posSettled,
    firstIn,
    Step (..),
    Resume (..),
    nextBlock,
    skimBlock,
  )
where

import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
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

-- | A file whose blocks are read.
data Scan = Scan
  { -- | Its offsets are those of the file itself.
    scanInput :: !Input,
    scanMarker :: !Word64,
    -- | The most bytes that a body may have, stored and expanded.
    scanLimit :: !Int,
    -- | How many records come before the file, if it was joined to others.
    scanBefore :: !Int64,
    -- | Its header, unless that is damaged.
    scanHeader :: !(Maybe FileHeader),
    -- | Files in whose damaged blocks this one was found, and the number of the next record of
    -- each. This file may be a part of a record, so the blocks of those are searched for, too.
    scanOuter :: [(Scan, Int64)]
  }

-- | The first file of an input, given its marker and its header.
scanOf :: Input -> Int -> Word64 -> Maybe FileHeader -> Scan
scanOf input limit marker header = Scan input marker limit 0 header []

-- | The offset at which a file begins.
scanBase :: Scan -> Int64
scanBase = inputBase . scanInput

-- | An offset in the file, counted from the beginning of the first one.
offsetIn :: Scan -> Int64 -> Int64
offsetIn scan offset = scanBase scan + offset

-- | The number of a record of the file among those of all.
recordIn :: Scan -> Int64 -> Int64
recordIn scan record = scanBefore scan + record

-- | Damage at a position, from this record of the file on.
damageIn :: Scan -> Position -> Int64 -> Cause -> Damage
damageIn scan pos record =
  Damage
    (inputName (scanInput scan))
    (offsetIn scan (posOffset pos))
    (Just (posBlock pos))
    (recordIn scan record)

isSameFile :: Scan -> Scan -> Bool
isSameFile a b = scanBase a == scanBase b

-- | The file that begins at an offset, given the number of the record of this file that would come
-- there, and the file's marker and header.
fileAfter :: Scan -> Int64 -> Int64 -> Word64 -> Maybe FileHeader -> Scan
fileAfter scan offset record marker header =
  scan
    { scanInput = inFile offset (scanInput scan),
      scanMarker = marker,
      scanBefore = recordIn scan record,
      scanHeader = header
    }

-- | A block whose checksums are right.
data Block = Block
  { -- | The offset of its header.
    blockAt :: !Int64,
    -- | Its number, counted from where reading began.
    blockNumber :: !Int64,
    -- | The number of its first record. Its header has another one if the file was joined to
    -- others.
    blockRecord :: !Int64,
    -- | The offset at which its file begins: 0 if that is the first.
    blockFile :: !Int64,
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

-- | Was the second block written directly after the first one?
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
    -- | All bytes before this offset belong to a damaged block.
    posInside :: !Int64,
    -- | How many bytes of such blocks may be searched again.
    posAllowance :: !Int64,
    -- | The bytes at the offset, or none if they have not been fetched.
    posAhead :: !ByteString,
    -- | The offset of the block before, if that is an index. See Note [Where an index was].
    posIndex :: !(Maybe Int64)
  }
  deriving stock (Show)

-- | The position of a block with this offset and this first record.
startAt :: Int64 -> Int64 -> Position
startAt offset record = Position offset 0 record False 0 67108864 S.empty Nothing

-- | The offset before which all bytes stay, unless the file is replaced.
posSettled :: Position -> Int64
posSettled pos = fromMaybe (posOffset pos) (posIndex pos)

-- | What is at a position.
data Step
  = StepBlock !Block !Position
  | -- | Another file begins here. The position of its first block.
    StepFile !Scan !Position
  | StepEnd
  | StepDamaged !Cause !Resume

-- | How to go on after damage.
data Resume
  = -- | Search for the next block. No block of this file begins here. Blocks of another file may
    -- follow, whose header is damaged.
    Search
  | -- | Search for the next block. The header of a block of this file is damaged.
    SearchIn
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
nextBlock = blockOr False

-- | 'nextBlock', but it neither reads nor checks the body if the header of the block after it shows
-- that both were written.
skimBlock :: Scan -> Position -> IO Step
skimBlock = blockOr True

blockOr :: Bool -> Scan -> Position -> IO Step
blockOr skimming scan pos0 = do
  step <- attempt pos0 (\_ -> attempt pos0 {posAhead = S.empty} pure)
  case (step, posIndex pos0) of
    (StepBlock _ _, _) -> pure step
    (_, Just at) -> do
      there <- headerAt scan at
      case there of
        Just h | blockKind h == Index && endOf at h == posOffset pos0 -> pure step
        _ ->
          blockOr skimming scan $
            pos0
              { posOffset = at,
                posBlock = posBlock pos0 - 1,
                posAhead = S.empty,
                posIndex = Nothing
              }
    _ -> pure step
  where
    input = scanInput scan
    -- The second argument is what to do about anything wrong, if the header was fetched with the
    -- block before: to read the block again, because a writer may have replaced the tail between
    -- two reads.
    attempt pos again = do
      inputForget input (posSettled pos)
      start <-
        if S.length (posAhead pos) == blockHeaderBytes
          then pure (posAhead pos)
          else inputFetch input (posOffset pos) blockHeaderBytes
      let wrong = if S.null (posAhead pos) then pure else again
      if S.null start
        then pure StepEnd
        else case blockStart (scanMarker scan) start of
          BlockStart h -> maybe (skimmed pos h again) wrong (refused pos h)
          NoMarker
            | S.take 8 start `S.isPrefixOf` markerBytes (scanMarker scan) ->
              wrong (StepDamaged (cutOr NotABlock start) Search)
            | filePrefix start /= NoPrefix -> anotherFile pos >>= either wrong pure
            | otherwise -> wrong (StepDamaged NotABlock Search)
          BadBlockHeader -> wrong (StepDamaged (cutOr WrongBlockHeader start) SearchIn)

    cutOr cause start
      | S.length start < blockHeaderBytes = Truncated blockHeaderBytes (S.length start)
      | otherwise = cause

    anotherFile pos = do
      header <- readFileHeader (inFile (posOffset pos) input)
      pure $ case header of
        Right h ->
          Right $
            StepFile
              (fileAfter scan (posOffset pos) (posRecord pos) (fileMarker h) (Just h))
              (firstIn pos (posOffset pos) h)
        -- (Nothing is known of its blocks.)
        Left cause@(LaterVersion _) -> Left (StepDamaged cause SearchIn)
        -- (No limit of the reader would help.)
        Left (TooLarge _ _) -> Left (StepDamaged WrongHeader Search)
        Left cause -> Left (StepDamaged cause Search)

    -- What is wrong with a header whose checksum is right.
    refused pos h
      | first > mostRecords - scanBefore scan = Just (StepDamaged WrongBlockHeader SearchIn)
      | large > scanLimit scan = Just (StepDamaged (TooLarge large (scanLimit scan)) (PassBlock h))
      | not (consistent h) = Just (StepDamaged WrongCount (PassBlock h))
      | first > posRecord pos,
        not (posGap pos) =
        Just (StepDamaged (WrongNumber (recordIn scan first)) (Gap first))
      | first < posRecord pos =
        Just (StepDamaged (WrongNumber (recordIn scan first)) (PassBlock h))
      | otherwise = Nothing
      where
        large = max (blockStored h) (blockExpanded h)
        first = blockFirst h

    found pos h = Block at (posBlock pos) (recordIn scan (blockFirst h)) (scanBase scan) h
      where
        at = offsetIn scan (posOffset pos)

    skimmed pos h again
      | skimming = do
        there <- headerAt scan (endOf (posOffset pos) h)
        case there of
          Just h' | writtenNext h h' -> pure (StepBlock (found pos h S.empty) (after pos h S.empty))
          _ -> body pos h again
      | otherwise = body pos h again

    body pos h again = do
      let n = blockStored h
          from = posOffset pos + fromIntegral blockHeaderBytes
      rest <- inputFetch input from (n + inputAhead input)
      let (stored, ahead) = S.splitAt n rest
          needed = Truncated (blockHeaderBytes + n) (blockHeaderBytes + S.length stored)
      if S.length stored < n
        then (if S.null (posAhead pos) then pure else again) (StepDamaged needed (Tail h))
        else
          if crc32c stored == blockChecksum h
            then pure (StepBlock (found pos h stored) (after pos h ahead))
            else again (StepDamaged WrongChecksum (Body h))

-- | The greatest number of a record, or of the one after its block.
mostRecords :: Int64
mostRecords = maxBound - 4294967296

-- | The position of the first block of a file, given one before it, and the file's offset and
-- header.
firstIn :: Position -> Int64 -> FileHeader -> Position
firstIn pos offset h =
  (startAt (fromIntegral (fileHeaderBytes h)) 0)
    { posBlock = posBlock pos,
      posInside = posInside pos - offset,
      posAllowance = posAllowance pos
    }

-- Can a block have as many records as its header says?
consistent :: BlockHeader -> Bool
consistent h =
  (blockCompressed h || blockStored h == blockExpanded h) && case blockKind h of
    Records -> blockCount h >= 1 && blockCount h <= blockExpanded h
    _ -> blockCount h == 0

-- The position after a whole block.
after :: Position -> BlockHeader -> ByteString -> Position
after pos h ahead =
  pos
    { posOffset = endOf (posOffset pos) h,
      posBlock = posBlock pos + 1,
      posRecord = nextRecordOf h,
      posGap = False,
      posAhead = if S.length ahead == blockHeaderBytes then ahead else S.empty,
      posIndex = if blockKind h == Index then Just (posOffset pos) else Nothing
    }

-- | The header of the block at an offset.
headerAt :: Scan -> Int64 -> IO (Maybe BlockHeader)
headerAt scan offset = do
  bytes <- inputFetch (scanInput scan) offset blockHeaderBytes
  pure $ case blockStart (scanMarker scan) bytes of
    BlockStart h -> Just h
    _ -> Nothing
