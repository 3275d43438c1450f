{-# LANGUAGE BangPatterns #-}

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
-- [INV-G3] A failed alternative leaves no trace but in the state of a @GetST@, in the budget of
--   steps, and in the error of the run if nothing else got as far.
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
    biasCell,
    limitCell,
    keepCell,
    releaseCell,
    commitsCell,
    isOver,
    stepsCell,
    partCell,
    levelsCell,
    heldCell,
    cellCount,
    position,
    offsetOf,
    addressOf,
    segmentOffset,
    inSegment,
    isTraced,
    whenTraced,

    -- * The environment
    Env (..),
    envInput,
    envContext,
    Scope (..),
    Account (..),
    Limits (..),
    defaultLimits,
    defaultDepth,
    defaultSteps,
    budgetAccount,
    inContext,
    inTraced,
    Input (..),
    wholeInput,
    newInput,
    newSegments,
    Segments (..),
    Away (..),
    Seeker (..),
  )
where

import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (IORef, newIORef)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- | The address of the open segment's first byte.
segmentStartCell :: Cell (Ptr Word8)
segmentStartCell = Cell 2

-- | The address after the open segment's last byte. 'endCell' has that, or the limit if that comes
-- first.
segmentEndCell :: Cell (Ptr Word8)
segmentEndCell = Cell 3

-- | What makes an offset of an address in the open segment: the difference of the two. (Sums of
-- addresses and differences wrap around, which cancels out.)
biasCell :: Cell Int
biasCell = Cell 4

-- | The offset at which the innermost @isolate@ or 'Ashlar.Get.withBudget' ends. Outside of any it
-- is where strict input ends, or 'maxBound'.
limitCell :: Cell Int
limitCell = Cell 5

-- | The offset from which on bytes are kept for open choice points, or 'maxBound' if there is none.
keepCell :: Cell Int
keepCell = Cell 6

-- | The value that 'keepCell' gets when choices are given up: Note [Commit] in
-- "Ashlar.Internal.Get.Choice".
releaseCell :: Cell Int
releaseCell = Cell 7

-- | How many commits there have been, but for those inside of an @attempt@ that has ended. It is
-- the complement of that when a budget has been used up: Note [Used up for good] in
-- "Ashlar.Internal.Get.Limits".
commitsCell :: Cell Int
commitsCell = Cell 8

-- | How many more steps the budget allows, or -1 if it has been used up. It is in the cells of
-- 'budgetAccount'.
stepsCell :: Cell Int
stepsCell = Cell 9

-- | The part of the innermost value that the decoder is in: see Note [Parts].
partCell :: Cell Int
partCell = Cell 10

-- | How many more levels of nesting are allowed, or the complement of this number in a traced run.
-- So one comparison says that there is a level and that the run is not traced (benchmark "decode
-- Tree").
levelsCell :: Cell Int
levelsCell = Cell 11

-- | The offset up to which the run may hold bytes, or its complement if that does not move:
-- Note [What is held] in "Ashlar.Internal.Get.Limits". 'maxBound' if there is no limit.
heldCell :: Cell Int
heldCell = Cell 12

-- | How many cells a run has, and a budget.
cellCount :: Int
cellCount = cellsUpTo heldCell

-- | The offset of the next byte, in an action that has the cursor in its cell.
position :: Cells -> IO Int
position c = getPtr c cursorCell >>= offsetOf c
{-# INLINE position #-}

-- | The offset of an address in the open segment.
offsetOf :: Cells -> Ptr Word8 -> IO Int
offsetOf c p = do
  bias <- getInt c biasCell
  when checkedBuild $ do
    start <- getPtr c segmentStartCell
    end <- getPtr c segmentEndCell
    check
      "INV-G1"
      "an address outside of the open segment"
      (p >= start && p <= end)
      [("after its first byte", p `minusPtr` start), ("its bytes", end `minusPtr` start)]
  pure (addressOf p + bias)
{-# INLINE offsetOf #-}

-- | An address as a number.
addressOf :: Ptr Word8 -> Int
addressOf p = p `minusPtr` nullPtr
{-# INLINE addressOf #-}

-- | The offset of the open segment's first byte.
segmentOffset :: Cells -> IO Int
segmentOffset c = (+) . addressOf <$> getPtr c segmentStartCell <*> getInt c biasCell
{-# INLINE segmentOffset #-}

-- | In a checked build: n bytes, not fewer than none, lie between cursor and end, and these lie in
-- the open segment.
inSegment :: String -> Cells -> Int -> IO ()
inSegment whose c n = when checkedBuild $ do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  check "INV-G1" whose (n >= 0 && e `minusPtr` p >= n) [("bytes", n), ("left", e `minusPtr` p)]
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  check
    "INV-G1"
    (whose ++ ": cursor or end outside of the open segment")
    (p >= start && e <= end)
    [("cursor - start", p `minusPtr` start), ("end - end", end `minusPtr` e)]
{-# INLINE inSegment #-}

-- | Is this run traced? Note [Traced runs].
isTraced :: Cells -> IO Bool
isTraced c = (< 0) <$> getInt c levelsCell
{-# INLINE isTraced #-}

-- | Has a budget been used up?
isOver :: Cells -> IO Bool
isOver c = (< 0) <$> getInt c commitsCell
{-# INLINE isOver #-}

-- | Only in traced runs, which record failures and paths.
whenTraced :: Cells -> IO () -> IO ()
whenTraced c act = isTraced c >>= \traced -> if traced then act else pure ()
{-# INLINE whenTraced #-}

-- | What is rarely read. A decoder inside a label, for example, runs with a copy.
--
-- Note [A small run]
-- ~~~~~~~~~~~~~~~~~~
-- A decoder of a few bytes takes less time than it takes to allocate what a large one may need. So
-- a run on a strict 'ByteString' that is not traced has 'Whole' for an environment, which refers to
-- the input and nothing else. Its input does not change, and it records no failures. Where it needs
-- more ('envInput', 'inContext'), that is made on the spot. What is written to it there is lost,
-- and nobody misses it.
--
-- So such a run allocates its cells, two closures and this. (Allocation test "a strict run: 208
-- bytes". Benchmarks "one run on 16 bytes", "decode one record".)
data Env
  = Env !Input !Scope !Context
  | -- | All of the input, which is in memory, in a run that is not traced, with no context. (Not
    -- unpacked: the box is there already.)
    Whole {-# NOUNPACK #-} !ByteString

-- | Where the steps of a budget are counted: cells that have the 'stepsCell', of the run or others.
data Account = Account !Cells

-- | Where the innermost budget is kept.
data Scope
  = -- | In the cells of the run.
    OfRun
  | -- | Here. These cells have the 'stepsCell'.
    Own !Account !Limits

-- | What a budget allows, and where its bytes end: see Note [Where a value ends]
-- in "Ashlar.Internal.Get.Limits".
data Limits = Limits
  { -- | How many levels.
    limitDepth :: !Int,
    -- | How many steps.
    limitSteps :: !Int,
    -- | How many bytes 'Ashlar.Get.withBudget' allows, or 'maxBound'.
    limitBytes :: !Int,
    -- | The offset at which these end. 'maxBound' if there is no limit, or if an @isolate@ ends
    -- there or before.
    limitEnd :: !Int,
    -- | The offset at which the innermost @isolate@ ends, or 'maxBound'. It is right where the
    -- bytes end before that.
    limitIsolate :: !Int,
    -- | Of the budget that the bytes are those of.
    limitAccount :: !Account
  }

-- | What every run allows, given its cells.
defaultLimits :: Cells -> Limits
defaultLimits c = Limits defaultDepth defaultSteps maxBound maxBound maxBound (Account c)

defaultDepth, defaultSteps :: Int
defaultDepth = 100000
defaultSteps = 1048576

-- | Where input comes from.
envInput :: Env -> Input
envInput env = case env of
  Env input _ _ -> input
  Whole bs -> inputOf bs
{-# INLINE envInput #-}

-- | What encloses the decoder.
envContext :: Env -> Context
envContext env = case env of
  Env _ _ context -> context
  Whole _ -> Top
{-# INLINE envContext #-}

-- | That of the innermost budget.
budgetAccount :: Cells -> Env -> Account
budgetAccount c env = case env of
  Env _ (Own own _) _ -> own
  _ -> Account c

-- | The environment of what is inside a context.
inContext :: (Context -> Context) -> Env -> Env
inContext inside env = case env of
  Env input scope context -> Env input scope (inside context)
  Whole bs -> Env (inputOf bs) OfRun (inside Top)
{-# INLINE inContext #-}

-- | The environment inside a context that only errors show.
inTraced :: (Context -> Context) -> Env -> Env
inTraced inside env = case env of
  Env input scope context -> Env input scope (inside context)
  Whole _ -> env
{-# INLINE inTraced #-}

-- The input of a run that has all of it: Note [A small run].
inputOf :: ByteString -> Input
inputOf bs = unsafeDupablePerformIO (wholeInput bs)
{-# NOINLINE inputOf #-}

-- | Input that is one string.
wholeInput :: ByteString -> IO Input
wholeInput bs = newInput whole (pure False) (pure ()) (pure S.empty)
  where
    whole = newSegments {segmentOpen = bs, segmentsEnded = True}

-- | Input from its first segments, and from where the others come.
newInput :: Segments -> IO Bool -> IO () -> IO ByteString -> IO Input
newInput !segments suspends prepare next =
  Input suspends prepare next (\_ -> pure Nothing) <$> newIORef segments <*> newIORef NoFailures

-- | Segments before anything has been read from the source.
newSegments :: Segments
newSegments = Segments [] S.empty [] [] False Nothing

-- | Where input comes from, and the part of it that is held.
data Input = Input
  { -- | Will 'inputPrepare' suspend the decoder?
    inputSuspends :: !(IO Bool),
    -- | Wait until the next chunk is there. This may take any time, and is done again if it is
    -- interrupted.
    inputPrepare :: !(IO ()),
    -- | The next chunk, or an empty one at the end of the input. It is called with asynchronous
    -- exceptions masked, and not again after the end.
    inputNext :: !(IO ByteString),
    -- | How to seek, if the source can, given the offset of its next chunk.
    inputSeeker :: !(Int -> IO (Maybe Seeker)),
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
    segmentsEnded :: !Bool,
    -- | What was there before the source was told to seek, if it was.
    segmentsAway :: !(Maybe Away)
  }

-- | What a jump in a source that can seek has left.
data Away = Away
  { -- | What was held.
    awaySegments :: !Segments,
    -- | Let the source go on after that.
    awayBack :: !(IO ()),
    -- | How many bytes choices may go back to, in this jump and those around it.
    awayKept :: !Int,
    -- | How many others are put aside.
    awayRest :: !Int
  }

-- | A source that can seek. Offsets are those of the run.
data Seeker = Seeker
  { -- | Let the next chunk begin at an offset.
    seekTo :: !(Int -> IO ()),
    -- | The offset at which the source ends.
    seekEnd :: !(IO Int)
  }
