-- |
-- Module      : Ashlar.File.Internal.Joined
-- Description : Which files were joined to one
--
-- See Note [Files that were joined].
module Ashlar.File.Internal.Joined
  ( Part (..),
    partsOf,
    partWith,
    lastRecord,
    restOf,
  )
where

import Ashlar.File.Internal.After
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Locate
import Ashlar.File.Internal.Scan
import Data.Int (Int64)
import qualified Data.List as List
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.List.NonEmpty as NonEmpty

-- | A file that was joined to others, or the part of it between two others. Offsets and numbers are
-- those of the file itself.
data Part = Part
  { partScan :: !Scan,
    -- | The offset of its first block.
    partStart :: !Int64,
    -- | The number of its first record.
    partFirst :: !Int64,
    -- | The offset at which it ends.
    partEnd :: !Int64,
    -- | The number of the record after its last one.
    partNext :: !Int64
  }

-- | The files that an input of this size consists of, given the first one, and the offset of the
-- first block.
--
-- If there is one file, this takes constant time, unless its tail is damaged. If there are several,
-- the headers of all blocks are read.
partsOf :: Scan -> Int64 -> Int64 -> IO (NonEmpty Part)
partsOf scan start size = do
  -- Only files that were joined have more than this after their last block.
  found <- lastBlock scan (max start (size - 2 * (fromIntegral (scanLimit scan) + 65536))) size
  first :| others <- case found of
    -- Nothing was lost or inserted before it.
    Just (at, h) | blockOffset h == at -> walk scan (startAt at (blockFirst h))
    _ -> walk scan (startAt start 0) {posGap = True}
  pure (first {partStart = start, partFirst = 0} :| others)
  where
    walk s pos = go (Part s (posOffset pos) (posRecord pos)) s pos
    go part s pos = do
      step <- skimBlock s pos
      case step of
        StepBlock _ pos' -> go part s pos'
        StepFile s' pos' -> NonEmpty.cons ended <$> walk s' pos'
        StepEnd -> pure (ended :| [])
        StepDamaged _ resume -> do
          next <- passOver s pos resume
          case next of
            NextEnd _ -> pure (ended :| [])
            Next s' pos'
              | isSameFile s s' -> go part s pos'
              | otherwise -> NonEmpty.cons ended <$> walk s' pos'
      where
        ended = part (posOffset pos) (posRecord pos)

-- | The part that has the record with a number among those of all.
partWith :: NonEmpty Part -> Int64 -> Part
partWith parts record =
  case List.takeWhile ((<= record) . firstOf) (NonEmpty.tail parts) of
    [] -> NonEmpty.head parts
    later -> last later
  where
    firstOf part = recordIn (partScan part) (partFirst part)

-- | How many records there are, with those that are lost.
lastRecord :: NonEmpty Part -> Int64
lastRecord parts = recordIn (partScan end) (partNext end)
  where
    end = NonEmpty.last parts

-- | How many records a file has from a position on, and what follows it.
restOf :: Scan -> Position -> IO (Int64, Next)
restOf scan = go
  where
    go pos = do
      step <- skimBlock scan pos
      case step of
        StepBlock _ pos' -> go pos'
        StepFile scan' pos' -> pure (posRecord pos, Next scan' pos')
        StepEnd -> pure (posRecord pos, NextEnd (posOffset pos))
        StepDamaged _ resume -> do
          next <- passOver scan pos resume
          case next of
            Next scan' pos' | isSameFile scan scan' -> go pos'
            _ -> pure (posRecord pos, next)
