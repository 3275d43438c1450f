{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.File.Internal.After
-- Description : After damage
--
-- Note [After damage]
-- ~~~~~~~~~~~~~~~~~~~
-- After a damaged block, the next one is searched for by the marker of the file, which is at the
-- beginning of each block. A block is believed if the checksum of its header is right.
--
-- A right header tells where its body ends, even if the body is damaged. If the block there was
-- written next ('writtenNext': the two headers agree on their distance, and on the number of the
-- next record), the search is over. Otherwise bytes were lost or inserted, and the next block may
-- begin inside of what the header announced. So the search begins after the marker. It is not
-- enough that some block begins where the body should end, or that the file ends there: as many
-- bytes may have been lost as the blocks between took. Nor are the offsets enough: somebody may
-- have appended since.
--
-- A block that is found inside of another may be damaged, too. Its body is searched as well, but
-- for 64 MiB in all: after that such a block is passed over as a whole. So each byte is checked
-- three times at most, and 64 MiB more often, and no choice of headers makes the search quadratic.
--
-- Note [Another file after damage]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The end of a file may be damaged, and another one follow. So the header of a file is searched
-- for, too. But a record may contain a file, and its author need not be that of this file. So:
--
-- * No file is believed inside of a block that ends where its header says. (A block, a file, or the
--   end of the input is there.)
-- * A file inside of any other damaged block is read, and the blocks of this file are still
--   searched for ('scanOuter'). So none of them is lost.
-- * A file with the same marker is a copy of this one. Its blocks are read if they come next.
-- * The blocks of a file whose header is damaged are believed if they say that their file begins
--   where a block of this one ends.
module Ashlar.File.Internal.After
  ( Next (..),
    passOver,
    blockOrAfter,
    withoutHeader,
    searchBlock,
    wholeIn,
  )
where

import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Scan
import Data.Bits (unsafeShiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (isJust, isNothing)
import Data.Word (Word64)

-- | Where reading goes on after damage.
data Next
  = -- | Here, in this file or in another one.
    Next !Scan !Position
  | -- | Nowhere: no block follows. The offset at which the file ends.
    NextEnd !Int64

-- | Find the position at which reading goes on after damage, with the number of its next record.
passOver :: Scan -> Position -> Resume -> IO Next
passOver scan pos resume = case resume of
  Gap record -> pure (Next scan pos {posRecord = record, posGap = True})
  PassBlock h -> arrived h
  Body h -> do
    there <- headerAt scan (end h)
    case there of
      Just h'
        | writtenNext h h' -> arrived h
        | otherwise -> within h [] (end h)
      Nothing -> do
        ends <- fileOrEndAt (end h)
        within h [end h] (if ends then end h else posOffset pos)
  Tail h -> within h [] (posOffset pos)
  Search -> searching [posOffset pos]
  SearchIn -> searching []
  where
    end = endOf (posOffset pos)

    -- Search inside of this block, where the next one may begin. If this block is inside of another
    -- one, its bytes are searched again, for which there is an allowance. No file is believed
    -- before the last offset.
    within h headless filesFrom
      | again <= posAllowance pos =
        search scan headless filesFrom (max (posRecord pos) (nextRecordOf h)) $
          pos
            { posAllowance = posAllowance pos - again,
              posInside = max (end h) (posInside pos)
            }
      | otherwise = arrived h
      where
        again = if posOffset pos < posInside pos then endOf 0 h else 0

    -- After a block of a known size. The file may end there, or in it.
    arrived h = do
      to <- endOrUpTo (scanInput scan) (posOffset pos) (end h)
      there <- if to < end h then pure S.empty else inputFetch (scanInput scan) to 1
      pure $
        if S.null there
          then NextEnd to
          else Next scan (moved pos to (nextRecordOf h))

    -- There may be a block here whose header is damaged, but not the size in it. The size is
    -- believed if the marker or the offset beside it is right. (After a block that was cut off
    -- within its marker, bytes of the next file stand there.)
    searching headless = do
      bytes <- inputFetch (scanInput scan) (posOffset pos) blockHeaderBytes
      case damagedStart (scanMarker scan) (posOffset pos) bytes of
        Just n
          | size <= min (fromIntegral (scanLimit scan)) (posAllowance pos) -> do
            let to = posOffset pos + fromIntegral blockHeaderBytes + size
            block <- headerAt scan to
            ends <- maybe (fileOrEndAt to) (const (pure True)) block
            search
              scan
              (headless ++ [to | isNothing block])
              (if ends then to else posOffset pos)
              (posRecord pos)
              pos {posAllowance = posAllowance pos - size}
          where
            size = fromIntegral n
        _ -> search scan headless (posOffset pos) (posRecord pos) pos

    fileOrEndAt offset
      | offset <= posOffset pos = pure False
      | otherwise = do
        start <- inputFetch (scanInput scan) offset prefixBytes
        before <- inputFetch (scanInput scan) (offset - 1) 1
        pure $ case filePrefix start of
          Prefix _ -> True
          _ -> S.null start && not (S.null before)

-- The second offset, or that of the end of the input, if that comes first, but none before the
-- first. No byte before the result is fetched any more.
endOrUpTo :: Input -> Int64 -> Int64 -> IO Int64
endOrUpTo input from to = case inputLength input of
  Just measured -> do
    size <- measured
    pure (max from (min to (size - inputBase input)))
  Nothing -> go from
  where
    go at = do
      inputForget input at
      bytes <- inputFetch input at (fromIntegral (min (fromIntegral window) (to - at)))
      if S.null bytes then pure at else go (at + fromIntegral (S.length bytes))

-- | The position at which reading goes on after damage with this cause, or the block at the
-- position: if its end was missing, and a block follows, a writer has completed it meanwhile.
blockOrAfter :: Scan -> Position -> Cause -> Resume -> IO (Either (Block, Position) Next)
blockOrAfter scan pos cause resume = do
  next <- passOver scan pos resume
  case (cause, next) of
    (Truncated _ _, Next scan' _) | isSameFile scan scan' -> do
      step <- nextBlock scan pos {posAhead = S.empty}
      pure $ case step of
        StepBlock block pos' -> Left (block, pos')
        _ -> Right next
    _ -> pure (Right next)

-- | A later position in the same file, at a block with this first record.
moved :: Position -> Int64 -> Int64 -> Position
moved pos offset next =
  pos
    { posOffset = offset,
      posBlock = posBlock pos + 1,
      posRecord = max (posRecord pos) next,
      posGap = True,
      posAhead = S.empty,
      posIndex = Nothing
    }

-- | Search for the next block or file after a position.
search ::
  Scan ->
  -- | Where a file may begin whose header is damaged.
  [Int64] ->
  -- | Before this offset no file is believed.
  Int64 ->
  -- | The number of the record that comes next, if a file follows.
  Int64 ->
  Position ->
  IO Next
search scan headless filesFrom record pos = go (posOffset pos + 1) (posAllowance pos)
  where
    input = scanInput scan
    go from left = do
      inputForget input from
      bytes <- inputFetch input from window
      inWindow from bytes 0 left
    inWindow from bytes i left = case firstOf words' (headlessIn from) bytes i of
      Just j -> candidate from bytes j left
      Nothing
        | S.length bytes < window -> pure (NextEnd (from + fromIntegral (S.length bytes)))
        | otherwise -> go (from + fromIntegral (S.length bytes - blockHeaderBytes + 1)) left

    words' = scanMarker scan : map (scanMarker . fst) (scanOuter scan)

    -- Is it a block of a file that may have begun at one of the offsets?
    headlessIn from
      | from - posOffset pos > fromIntegral (scanLimit scan) + fromIntegral headerLimit =
        \_ _ -> False
      | otherwise = \j bytes ->
        maybe False (isJust . beganAt (from + fromIntegral j)) . anyBlockStart $
          S.take blockHeaderBytes bytes
    beganAt at b = List.find (\begin -> blockOffset b == at - begin) headless

    candidate from bytes j left = do
      let at = from + fromIntegral j
          on = inWindow from bytes (j + 1)
      start <- inputFetch input at blockHeaderBytes
      case filePrefix start of
        Prefix n
          | at >= filesFrom,
            fromIntegral n <= left -> do
            found <- readFileHeader (inFile at input)
            case found of
              Right h | fileMarker h `notElem` words' -> pure (toFile at h (left - fromIntegral n))
              _ -> on (left - fromIntegral n)
          | otherwise -> on left
        _ -> case anyBlockStart start of
          Nothing -> on left
          Just b
            | blockMarker b == scanMarker scan ->
              pure (Next scan (moved pos {posAllowance = left} at (blockFirst b)))
            | Just outer <- List.find ((== blockMarker b) . scanMarker . fst) (scanOuter scan) ->
              if blockFirst b < snd outer then on left else pure (toOuter at b outer left)
            | Just begin <- beganAt at b -> pure (toHeadless begin at b left)
            | otherwise -> on left

    -- Files that are found in damaged blocks may be what a record contains.
    suspended = List.take 4 ((scan {scanOuter = []}, posRecord pos) : scanOuter scan)

    toFile at h left =
      Next
        (fileAfter scan at record (fileMarker h) (Just h)) {scanOuter = suspended}
        (firstIn (moved pos {posAllowance = left} at 0) at h)

    toHeadless begin at b left =
      Next (fileAfter scan begin record (blockMarker b) Nothing) $
        (moved pos {posRecord = 0, posAllowance = left} (at - begin) (blockFirst b))
          { posInside = posInside pos - begin
          }

    toOuter at b (outer, _) left =
      Next
        outer
          { scanBefore = max (scanBefore outer) (recordIn scan record - blockFirst b),
            scanOuter =
              List.take 4 . List.filter ((/= scanMarker outer) . scanMarker . fst) $ suspended
          }
        (moved pos {posRecord = 0, posAllowance = left} (at + shift) (blockFirst b))
          { posInside = posInside pos + shift
          }
      where
        shift = scanBase scan - scanBase outer

-- How many bytes a search looks at in one step.
window :: Int
window = 65536

-- The first index, from one on, where there is one of these markers or the beginning of a file, or
-- where 72 bytes look like a block and satisfy a condition.
firstOf :: [Word64] -> (Int -> ByteString -> Bool) -> ByteString -> Int -> Maybe Int
firstOf markers other bytes i0
  | i0 + 8 > n = Nothing
  | otherwise = go (i0 + 7) (S.foldl' shifted 0 (S.take 7 (S.drop i0 bytes)))
  where
    n = S.length bytes
    shifted w byte = w `unsafeShiftL` 8 .|. fromIntegral byte
    big = S.foldl' shifted 0
    file = big magic
    first = case markers of
      m : _ -> big (markerBytes m)
      [] -> file
    rest = map (big . markerBytes) (drop 1 markers)
    -- The index of the last byte, and the seven before it.
    go :: Int -> Word64 -> Maybe Int
    go !k !w
      | k >= n = Nothing
      | w' == first || w' == file || w' `elem` rest || looksLike (k - 7) = Just (k - 7)
      | otherwise = go (k + 1) w'
      where
        w' = shifted w (S.unsafeIndex bytes k)
    -- The kind, the flags, and two bytes that are 0. Most offsets end here.
    looksLike i =
      i + blockHeaderBytes <= n
        && S.unsafeIndex bytes (i + 8) - 1 < 3
        && S.unsafeIndex bytes (i + 9) < 2
        && S.unsafeIndex bytes (i + 10) == 0
        && S.unsafeIndex bytes (i + 11) == 0
        && other i (S.unsafeDrop i bytes)

-- | The first block in the first 16 MiB of an input whose header is damaged, or the first file
-- after it: Note [Another file after damage].
withoutHeader :: Input -> Int -> IO (Maybe (Scan, Position))
withoutHeader input limit = go 0
  where
    go from
      | from > fromIntegral headerLimit = pure Nothing
      | otherwise = do
        bytes <- inputFetch input from window
        inWindow from bytes 0
    inWindow from bytes i = case firstOf [] (const isBlock) bytes i of
      Nothing
        | S.length bytes < window -> pure Nothing
        | otherwise -> go (from + fromIntegral (S.length bytes - blockHeaderBytes + 1))
      Just j -> do
        let at = from + fromIntegral j
        start <- inputFetch input at blockHeaderBytes
        case anyBlockStart start of
          Just b ->
            pure . Just . (,) (scanOf input limit (blockMarker b) Nothing) $
              moved (startAt 0 0) {posBlock = -1} at (blockFirst b)
          Nothing -> do
            header <- if at == 0 then pure Nothing else fileHeaderAt at
            case header of
              Just h ->
                pure . Just $
                  ( fileAfter (scanOf input limit 0 Nothing) at 0 (fileMarker h) (Just h),
                    firstIn (startAt 0 0) at h
                  )
              Nothing -> inWindow from bytes (j + 1)
    -- (Large headers are ignored: a search over 16 MiB could meet many of them.)
    fileHeaderAt at = do
      start <- inputFetch input at prefixBytes
      case filePrefix start of
        Prefix n | n <= 65536 -> either (const Nothing) Just <$> readFileHeader (inFile at input)
        _ -> pure Nothing

-- | The first block of the file at or after an offset, and before another, whose header is right.
-- 'Left' if there is none: the offset at which the search ended.
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

-- | The offset of the first file, or of the first whole block of any file, that begins between two
-- offsets; and the header, if it is a file.
wholeIn :: Scan -> Int64 -> Int64 -> IO (Maybe (Int64, Maybe FileHeader))
wholeIn scan first end = go first (268435456 :: Int64)
  where
    input = scanInput scan
    go from left
      | from >= end = pure Nothing
      | otherwise = do
        bytes <- inputFetch input from window
        inWindow from bytes 0 left
    inWindow from bytes i left = case firstOf [] (const isBlock) bytes i of
      Nothing
        | S.length bytes < window -> pure Nothing
        | otherwise -> go (from + fromIntegral (S.length bytes - blockHeaderBytes + 1)) left
      Just j -> do
        let at = from + fromIntegral j
            found = pure . Just . (,) at
            on n = inWindow from bytes (j + 1) (left - n)
        start <- inputFetch input at blockHeaderBytes
        case (filePrefix start, anyBlockStart start) of
          -- So many headers inside one another are no accident. Then nothing is cut off.
          (Prefix _, _) | left <= 0 -> found Nothing
          (_, Just _) | left <= 0 -> found Nothing
          (Prefix n, _) | fromIntegral n <= end - at -> do
            header <- readFileHeader (inFile at input)
            either (const (on (fromIntegral n))) (found . Just) header
          (_, Just b) | endOf at b <= end -> do
            body <- wholeBody at b
            if body then found Nothing else on (endOf 0 b)
          _ -> on 0
    wholeBody at b
      | blockStored b > scanLimit scan = pure True
      | otherwise = do
        body <- inputFetch input (at + fromIntegral blockHeaderBytes) (blockStored b)
        pure (crc32c body == blockChecksum b)

-- Are the first bytes the header of a block?
isBlock :: ByteString -> Bool
isBlock = isJust . anyBlockStart . S.take blockHeaderBytes
