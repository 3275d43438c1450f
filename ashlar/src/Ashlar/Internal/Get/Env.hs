-- |
-- Module      : Ashlar.Internal.Get.Env
-- Description : The state of a running decoder
--
-- A decoder's state is in two places: the cells, which change all the time, and the environment,
-- which holds what is rarely read.
--
-- Invariants:
--
-- [INV-G1] A decoder reads only between the cursor and the end.
-- [INV-G2] The result, the error and its offset do not depend on how the input is cut into chunks.
-- [INV-G3] A failed alternative leaves no trace but in the state of a @GetST@, in the budget for
--   empty elements, and in the error of the run if nothing else got as far.
--
-- Note [Traced runs]
-- ~~~~~~~~~~~~~~~~~~
-- To say what was wrong and where, a run must know the path that it is on, which costs memory for
-- each level, and what failed where of all that it tried in vain. With that, trees and failing
-- alternatives take twice as long. So a run on a strict 'Data.ByteString.ByteString' keeps
-- neither. If it fails, its error is a thunk that runs it once more, as a traced run, which fails
-- in the same way and knows why. If the input is gone by then (lazy input, a
-- 'Ashlar.Get.Source', push mode), all runs are traced from the start. So all of them give the
-- same errors. (Tests "errors", which compare the errors of every way to run a decoder.)
--
-- The second run waits until the error is forced, because a decoder may run another one on a
-- slice of its input, and fail if that fails. Two runs at once would double the time at each level
-- of such slices. (Test "a decoder that runs itself on what is left". The time still doubles if the
-- decoder inspects the error to decide how to go on.)
module Ashlar.Internal.Get.Env
  ( -- * Cells
    cursorCell,
    endCell,
    segmentStartCell,
    segmentEndCell,
    segmentOffsetCell,
    limitCell,
    keepCell,
    releaseCell,
    committedCell,
    caughtCell,
    emptiesCell,
    inPlaceCell,
    beginsAgain,
    goesOnInPlace,
    partCell,
    levelsCell,
    tracedCell,
    cellCount,
    position,
    offsetOf,
    isTraced,
    whenTraced,

    -- * The environment
    Env (..),
    inContext,
    Input (..),
    Segments (..),
  )
where

import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import Data.IORef (IORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)

-- | The address of the next byte.
cursorCell :: Cell (Ptr Word8)
cursorCell = Cell 0

-- | The address after the last byte that may be read without asking: the segment's end, or the
-- limit if that comes first.
endCell :: Cell (Ptr Word8)
endCell = Cell 1

-- | The address of the open segment's first byte.
segmentStartCell :: Cell (Ptr Word8)
segmentStartCell = Cell 2

-- | The address after the open segment's last byte.
segmentEndCell :: Cell (Ptr Word8)
segmentEndCell = Cell 3

-- | The offset of the open segment's first byte.
segmentOffsetCell :: Cell Int
segmentOffsetCell = Cell 4

-- | The offset at which the innermost @isolate@ ends. Outside of any it is where strict input
-- ends, or 'maxBound'.
limitCell :: Cell Int
limitCell = Cell 5

-- | The least offset that an open choice point could return to, or 'maxBound'.
keepCell :: Cell Int
keepCell = Cell 6

-- | The value that 'keepCell' gets when choice points are given up: see Note [Commit].
releaseCell :: Cell Int
releaseCell = Cell 7

-- | Has the innermost choice point been given up? (1, else 0)
committedCell :: Cell Int
committedCell = Cell 8

-- | Was a handler called whose installer has not seen that yet (1) or not (0)? See
-- Note [Caught by a cell].
caughtCell :: Cell Int
caughtCell = Cell 9

-- | How many more empty elements may be decoded. This is read in the cells of 'envEmpties'.
emptiesCell :: Cell Int
emptiesCell = Cell 10

-- | What becomes of the run if it is interrupted: 'beginsAgain' or 'goesOnInPlace'. It does not
-- change during a run. See Note [Interrupted inside an alternative].
--
-- (A cell and not a field of 'Input'. For a field, GHC made decoders take 'Env' and 'Input' apart
-- as arguments, only to put them together again for others.)
inPlaceCell :: Cell Int
inPlaceCell = Cell 11

-- | An interrupted run begins again, and alternatives are not run as thunks.
beginsAgain :: Int
beginsAgain = 0

-- | An interrupted run goes on where it was, because alternatives are run as thunks.
goesOnInPlace :: Int
goesOnInPlace = 1

-- | The part of the innermost value that the decoder is in: see Note [Parts].
partCell :: Cell Int
partCell = Cell 12

-- | How many more levels of nesting are allowed.
levelsCell :: Cell Int
levelsCell = Cell 13

-- | Is this a traced run? (1, else 0) It does not change during a run.
--
-- A bias in 'levelsCell', with the sign as the flag, would overflow on 32-bit machines. Reading a
-- second cell at each level costs next to nothing (benchmark "decode a tree of 10,000 nodes").
tracedCell :: Cell Int
tracedCell = Cell 14

-- | How many cells there are.
cellCount :: Int
cellCount = cellsUpTo tracedCell

-- | The offset of the next byte.
position :: Cells -> IO Int
position c = getPtr c cursorCell >>= offsetOf c

-- | The offset of an address in the open segment.
offsetOf :: Cells -> Ptr Word8 -> IO Int
offsetOf c p = do
  start <- getPtr c segmentStartCell
  offset <- getInt c segmentOffsetCell
  pure (offset + p `minusPtr` start)

-- | Is this run traced? Note [Traced runs].
isTraced :: Cells -> IO Bool
isTraced c = (/= 0) <$> getInt c tracedCell
{-# INLINE isTraced #-}

-- | Only in traced runs, which record failures and paths.
whenTraced :: Cells -> IO () -> IO ()
whenTraced c act = isTraced c >>= \traced -> if traced then act else pure ()
{-# INLINE whenTraced #-}

-- | What is rarely read. A decoder inside a label, for example, runs with a copy.
data Env = Env
  { envInput :: !Input,
    -- | The cells that have the 'emptiesCell' of the innermost budget.
    envEmpties :: Cells,
    envContext :: !Context
  }

-- | The environment of what is inside a context.
inContext :: (Context -> Context) -> Env -> Env
inContext inside env = env {envContext = inside (envContext env)}
{-# INLINE inContext #-}

-- | Where input comes from, and the part of it that is held.
data Input = Input
  { -- | Do what may take long before the next chunk is there, and may be done again after an
    -- interruption.
    inputPrepare :: !(IO ()),
    -- | The next chunk, or an empty one at the end of the input. It is called with asynchronous
    -- exceptions masked, and not again after the end.
    inputNext :: !(IO ByteString),
    inputSegments :: !(IORef Segments),
    -- | The failures that got farthest.
    inputFailures :: !(IORef Failures)
  }

-- | The part of the stream that is held. The segments follow one another without gaps: past,
-- open, coming, arrived. None but the open one is empty.
data Segments = Segments
  { -- | Before the open one, the latest first. They are kept only for choice points.
    segmentsPast :: ![ByteString],
    -- | The one that the cursor is in.
    segmentOpen :: !ByteString,
    -- | After the open one, the next first: read ahead, or gone back over.
    segmentsComing :: ![ByteString],
    -- | After those, the last first: just arrived.
    segmentsArrived :: ![ByteString],
    -- | The source has nothing more.
    segmentsEnded :: !Bool
  }
