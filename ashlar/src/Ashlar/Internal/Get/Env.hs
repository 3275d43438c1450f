{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Env
-- Description : The state of a running decoder
--
-- A decoder's state is in two places: the cells, which change all the time, and the environment
-- ('Env'), which is rarely read.
--
-- Invariants:
--
-- [INV-G1] A decoder reads only between the cursor and the end.
-- [INV-G2] The result, the error and its offset do not depend on how the input is cut into chunks.
-- [INV-G3] A failed alternative changes only the state of a @GetST@, the steps left in the budget,
--   and the error of the run if no other alternative got farther.
--
-- Note [Traced runs]
-- ~~~~~~~~~~~~~~~~~~
-- An error says where in the value the decoder failed, and what each alternative expected there.
-- For that, a run must keep the path, which costs memory for each level, and its failures. With
-- both, trees and failing alternatives take twice as long. So a run on a strict
-- 'Data.ByteString.ByteString', or on a lazy one of a single chunk, keeps neither. If it fails, its
-- error is a thunk that runs the decoder again, as a traced run, which fails in the same way. Where
-- the input would be gone by then (other lazy input, a 'Ashlar.Get.Source', push mode), every run
-- is traced from the start. So all runs give the same errors. (The tests "errors" compare every way
-- to run a decoder.)
--
-- The second run waits until the error is forced. If it came at once, a decoder that runs another
-- one on a slice of its input, and fails if that fails, would double the time at each level of such
-- slices. (Test "a decoder that runs itself on what is left". A decoder that looks at the error:
-- Note [Second runs] in "Ashlar.Internal.Get.Run".)
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
    bitsCell,
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
    Marks (..),
    envMarks,
    noMarks,
    noOrigin,
    notFed,
    Scope (..),
    Account (..),
    Limits (..),
    defaultLimits,
    defaultDepth,
    defaultSteps,
    budgetAccount,
    inMarks,
    inTraced,
    Input (..),
    strictInput,
    newInput,
    oneSegment,
    Segments (..),
    segmentsEnded,
    More (..),
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

-- | The address of the current segment's first byte.
segmentStartCell :: Cell (Ptr Word8)
segmentStartCell = Cell 2

-- | The address after the current segment's last byte. 'endCell' has the same address, or an
-- earlier one if the limit or the offset of 'heldCell' comes first.
segmentEndCell :: Cell (Ptr Word8)
segmentEndCell = Cell 3

-- | The offset of a byte of the current segment minus its address. Adding it to an address gives
-- the offset. (Both the difference and the sum may wrap around, which cancels out.)
biasCell :: Cell Int
biasCell = Cell 4

-- | The limit, the offset at which the decoder must stop: the least end of the @isolate@s around it
-- and of the innermost budget of bytes ('Ashlar.Get.withBudget'), else the end of strict input,
-- else 'maxBound'.
limitCell :: Cell Int
limitCell = Cell 5

-- | Bytes from this offset on are kept for open choice points. 'maxBound' if none is open.
keepCell :: Cell Int
keepCell = Cell 6

-- | The value that 'keepCell' gets when choices are given up: Note [Commit] in
-- "Ashlar.Internal.Get.ChoicePoint".
releaseCell :: Cell Int
releaseCell = Cell 7

-- | The number of commits, without those in an @attempt@ that has ended. The sign bit is a flag:
-- when a budget has been used up, the cell has the complement of the number.
-- Note [Used up for good] in "Ashlar.Internal.Get.Limits" says why.
commitsCell :: Cell Int
commitsCell = Cell 8

-- | The steps that are left, or -1 after the budget has been used up. The run and each budget have
-- such a cell; 'budgetAccount' says which one is in use.
stepsCell :: Cell Int
stepsCell = Cell 9

-- | The part of the innermost value that the decoder is in: Note [Parts] in
-- "Ashlar.Internal.Get.Path".
partCell :: Cell Int
partCell = Cell 10

-- | How many more levels of nesting are allowed. The sign bit is a flag: in a traced run, the cell
-- has the complement of the number. So one comparison with 0 tests that a level is left and that
-- the run is not traced (benchmark "decode Tree").
levelsCell :: Cell Int
levelsCell = Cell 11

-- | The offset up to which the run may hold bytes, or 'maxBound' if it may hold any number. The
-- sign bit is a flag: the cell has the complement of the offset while that must not move.
-- Note [What is held] in "Ashlar.Internal.Get.Limits" says why.
heldCell :: Cell Int
heldCell = Cell 12

-- | Of a packed value: the bits that are left of its open byte, as Note [Bits and a mark] in
-- "Ashlar.Internal.Codec.Bits" says. 0 if no byte is open. Only its reader uses the cell.
bitsCell :: Cell Int
bitsCell = Cell 13

-- | The number of cells of a run, and of a budget.
cellCount :: Int
cellCount = cellsUpTo bitsCell

-- | The offset of the next byte. The cursor must be in its cell.
position :: Cells -> IO Int
position c = getPtr c cursorCell >>= offsetOf c
{-# INLINE position #-}

-- | The offset of an address in the current segment.
offsetOf :: Cells -> Ptr Word8 -> IO Int
offsetOf c p = do
  bias <- getInt c biasCell
  when checkedBuild $ do
    start <- getPtr c segmentStartCell
    end <- getPtr c segmentEndCell
    check
      "INV-G1"
      "an address outside of the current segment"
      (p >= start && p <= end)
      [("after its first byte", p `minusPtr` start), ("its bytes", end `minusPtr` start)]
  pure (addressOf p + bias)
{-# INLINE offsetOf #-}

addressOf :: Ptr Word8 -> Int
addressOf p = p `minusPtr` nullPtr
{-# INLINE addressOf #-}

-- | The offset of the current segment's first byte.
segmentOffset :: Cells -> IO Int
segmentOffset c = (+) . addressOf <$> getPtr c segmentStartCell <*> getInt c biasCell
{-# INLINE segmentOffset #-}

-- | In a checked build: check that n is not negative, that n bytes lie between cursor and end, and
-- that both are in the current segment.
inSegment :: String -> Cells -> Int -> IO ()
inSegment whose c n = when checkedBuild $ do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  check "INV-G1" whose (n >= 0 && e `minusPtr` p >= n) [("bytes", n), ("left", e `minusPtr` p)]
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  check
    "INV-G1"
    (whose ++ ": cursor or end outside of the current segment")
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

whenTraced :: Cells -> IO () -> IO ()
whenTraced c act = isTraced c >>= \traced -> if traced then act else pure ()
{-# INLINE whenTraced #-}

-- | The part of a run's state that is rarely read.
--
-- Note [A small run]
-- ~~~~~~~~~~~~~~~~~~
-- Allocating a full environment takes longer than decoding a few bytes. So an untraced run on a
-- strict 'ByteString' has the environment 'InputOnly', which is just the input. Where such a run
-- needs an 'Input', 'envInput' and 'inMarks' make a new one each time. Writes to its variables are
-- lost. That is harmless, because the segments do not change and no failures are recorded.
--
-- Such a run allocates its cells, two closures and an 'InputOnly'. (Allocation test "a strict run:
-- 216 bytes". Benchmarks "one run on 16 bytes", "decode one record".)
data Env
  = Env !Input !Scope !Marks !Context
  | -- | The whole input of an untraced run, with the default budget and no context. (Not unpacked,
    -- because the box exists already.)
    InputOnly {-# NOUNPACK #-} !ByteString
  | -- | The same, of a run before there is any input: Note [Before there is input] in
    -- "Ashlar.Internal.Get.Chunks".
    NoInput

-- | Offsets to which decoders refer. They are not part of the 'Context', in which finding one would
-- take time proportional to the number of labels and values around. (A list that calls itself
-- within a label has as many as elements.)
data Marks = Marks
  { -- | Inside 'Ashlar.Get.origin': the offset at which it began. Outside of it, and in a jump
    -- without an origin around it: 'noOrigin'.
    markOrigin :: !Int,
    -- | Where offsets count from: 0, or the beginning of an @isolate@ of @binary@.
    markCounted :: !Int,
    -- | Inside a run of @cereal@: the length of its input, or -1 if it was not announced. Outside
    -- of it: 'notFed'.
    markAnnounced :: !Int
  }

noMarks :: Marks
noMarks = Marks noOrigin 0 notFed

noOrigin, notFed :: Int
noOrigin = -1
notFed = -2

-- | The account of a budget: the cells whose 'stepsCell' counts its steps.
data Account = Account !Cells

-- | The innermost budget.
data Scope
  = -- | The default budget, whose account is the cells of the run.
    OfRun
  | -- | A budget with an account and limits of its own.
    Own !Account !Limits

-- | What a budget allows, and where its bytes end: Note [Where a value ends] in
-- "Ashlar.Internal.Get.Limits".
data Limits = Limits
  { limitDepth :: !Int,
    limitSteps :: !Int,
    -- | How many bytes 'Ashlar.Get.withBudget' allows, or 'maxBound'.
    limitBytes :: !Int,
    -- | The offset at which these bytes end. 'maxBound' if there is no limit, or if an @isolate@
    -- ends at or before that offset.
    limitEnd :: !Int,
    -- | The offset at which the innermost @isolate@ ends, or 'maxBound'. Only valid if 'limitEnd'
    -- is before it.
    limitIsolate :: !Int,
    -- | The account of the budget that limits the bytes.
    limitAccount :: !Account,
    -- | Does the decoder run on bytes that have been read ("Ashlar.Internal.Get.Strings")?
    limitInner :: !Bool
  }

-- | The limits of the default budget, given the cells of the run.
defaultLimits :: Cells -> Limits
defaultLimits c = Limits defaultDepth defaultSteps maxBound maxBound maxBound (Account c) False

defaultDepth, defaultSteps :: Int
defaultDepth = 100000
defaultSteps = 1048576

envInput :: Env -> Input
envInput env = case env of
  Env input _ _ _ -> input
  InputOnly bs -> inputOf NoMore bs
  NoInput -> inputOf Later S.empty
{-# INLINE envInput #-}

envContext :: Env -> Context
envContext env = case env of
  Env _ _ _ context -> context
  _ -> Top
{-# INLINE envContext #-}

envMarks :: Env -> Marks
envMarks env = case env of
  Env _ _ marks _ -> marks
  _ -> noMarks
{-# INLINE envMarks #-}

budgetAccount :: Cells -> Env -> Account
budgetAccount c env = case env of
  Env _ (Own own _) _ _ -> own
  _ -> Account c

-- | Change the marks of an environment.
inMarks :: (Marks -> Marks) -> Env -> Env
inMarks change env = case env of
  Env input scope marks context -> Env input scope (change marks) context
  _ -> Env (envInput env) OfRun (change noMarks) Top
{-# INLINE inMarks #-}

-- | Add a context that only errors show. (Other runs are not traced.)
inTraced :: (Context -> Context) -> Env -> Env
inTraced inside env = case env of
  Env input scope marks context -> Env input scope marks (inside context)
  _ -> env
{-# INLINE inTraced #-}

-- A new 'Input' for a run without one: Note [A small run].
inputOf :: More -> ByteString -> Input
inputOf more bs = unsafeDupablePerformIO (inputOfOne more 0 bs)
{-# NOINLINE inputOf #-}

-- | Input that is one 'ByteString', which begins at this offset.
strictInput :: Int -> ByteString -> IO Input
strictInput = inputOfOne NoMore

inputOfOne :: More -> Int -> ByteString -> IO Input
inputOfOne more at bs =
  newInput (oneSegment (at + S.length bs) bs) {segmentsMore = more} (pure ()) (pure S.empty)

-- | Input that cannot seek.
newInput :: Segments -> IO () -> IO ByteString -> IO Input
newInput !segments prepare next =
  Input prepare next (\_ -> pure Nothing) <$> newIORef segments <*> newIORef NoFailures

-- | One segment of a source that may go on.
oneSegment ::
  -- | The offset after the segment.
  Int ->
  -- | The segment, or an empty one.
  ByteString ->
  Segments
oneSegment end bs = Segments [] bs [] [] More end 0 Nothing

-- | The source of the input, the segments that are held, and the failures of the run.
data Input = Input
  { -- | Wait until the next chunk is there. This may take any time, and runs again if it is
    -- interrupted.
    inputPrepare :: !(IO ()),
    -- | Return the next chunk, or an empty one at the end of the input. It runs with asynchronous
    -- exceptions masked, and not again after the end.
    inputNext :: !(IO ByteString),
    -- | Given the offset of the next chunk: how to seek, or 'Nothing' if the source cannot.
    inputSeeker :: !(Int -> IO (Maybe Seeker)),
    inputSegments :: !(IORef Segments),
    -- | The failures that got farthest.
    inputFailures :: !(IORef Failures)
  }

-- | The part of the stream that is held. The segments follow one another without gaps, in the order
-- past, current, coming, arrived. Only the current segment may be empty.
data Segments = Segments
  { -- | Before the current one, the latest first. They are kept only for choice points.
    segmentsPast :: ![ByteString],
    -- | The segment that the cursor is in.
    segmentCurrent :: !ByteString,
    -- | After the current one, the next first.
    segmentsComing :: ![ByteString],
    -- | After those, the last first: chunks that have just arrived.
    segmentsArrived :: ![ByteString],
    -- | What comes after these segments.
    segmentsMore :: !More,
    -- | The offset after the last segment, where the source's next chunk begins.
    segmentsEnd :: !Int,
    -- | The offset up to which bytes that had been read were joined
    -- ('Ashlar.Internal.Get.Input.joinSince').
    segmentsJoined :: !Int,
    -- | During a jump in a source that can seek: what the jump has put aside.
    segmentsAway :: !(Maybe Away)
  }

-- | Has the source ended?
segmentsEnded :: Segments -> Bool
segmentsEnded segments = case segmentsMore segments of
  NoMore -> True
  _ -> False
{-# INLINE segmentsEnded #-}

-- | What comes after the segments that are held.
data More
  = -- | What the source returns.
    More
  | -- | Nothing: the source has ended.
    NoMore
  | -- | That is not known yet. A decoder that asks for it is given up:
    -- Note [Before there is input] in "Ashlar.Internal.Get.Chunks".
    Later

-- | What a jump in a source that can seek has put aside: Note [Jumps] in
-- "Ashlar.Internal.Get.Offset".
data Away = Away
  { awaySegments :: !Segments,
    -- | Make the source continue after these segments.
    awayBack :: !(IO ()),
    -- | Bytes that this jump and the jumps around it have put aside for choices.
    awayKept :: !Int,
    -- | Bytes that they have put aside for nobody.
    awayUnneeded :: !Int
  }

-- | How to seek in a source. Offsets are those of the run.
data Seeker = Seeker
  { -- | Make the next chunk begin at an offset.
    seekTo :: !(Int -> IO ()),
    -- | The offset at which the source ends.
    seekEnd :: !(IO Int)
  }
