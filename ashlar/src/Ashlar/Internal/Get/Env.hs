{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Get.Env
-- Description : The state of a running decoder, and failing
--
-- The parts of a decoder's state: the cells, which change all the time, and
-- the environment, which holds what is rarely read.
--
-- Invariants:
--
-- [INV-G1] A decoder reads only between the cursor and the end.
-- [INV-G2] The result, the error and its offset do not depend on how the input
--   is cut into chunks.
-- [INV-G3] A failed alternative leaves no trace, but in the state of a @GetST@, in the
--   budget for elements of no size, and in the error of the run if nothing else got as far.
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
    failedCell,
    emptiesCell,
    inPlaceCell,
    partCell,
    levelsCell,
    cellCount,
    position,
    offsetOf,

    -- * The environment
    Env (..),
    isTraced,
    whenTraced,
    emptiesLeft,
    setEmptiesLeft,
    Input (..),
    Segments (..),

    -- * Failing
    failureException,
    throwFailed,
    isFailure,
    Restart (..),
    isRestart,
    failAt,
    recordAt,
    failWith,
    failuresSoFar,
    setFailures,
  )
where

import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import Control.Exception (Exception, SomeException, fromException, toException)
import Data.ByteString (ByteString)
import Data.IORef (IORef, readIORef, writeIORef)
import Data.Maybe (isJust)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (isTrue#, lazy, raiseIO#, reallyUnsafePtrEquality#)
import GHC.IO (IO (..))

-- | The address of the next byte.
cursorCell :: Cell (Ptr Word8)
cursorCell = Cell 0

-- | The address behind the last byte that may be read without asking: the
-- segment's end, or the limit where that comes first.
endCell :: Cell (Ptr Word8)
endCell = Cell 1

-- | The address of the open segment's first byte.
segmentStartCell :: Cell (Ptr Word8)
segmentStartCell = Cell 2

-- | The address behind the open segment's last byte.
segmentEndCell :: Cell (Ptr Word8)
segmentEndCell = Cell 3

-- | The offset in the stream of the open segment's first byte.
segmentOffsetCell :: Cell Int
segmentOffsetCell = Cell 4

-- | The offset at which the innermost @isolate@ ends; outside of any, where strict input does, or
-- 'maxBound'.
limitCell :: Cell Int
limitCell = Cell 5

-- | The least offset that an open choice point could return to, or 'maxBound'.
keepCell :: Cell Int
keepCell = Cell 6

-- | What 'keepCell' is to be when choice points are given up: see Note [Commit].
releaseCell :: Cell Int
releaseCell = Cell 7

-- | Whether the innermost choice point has been given up (1, else 0).
committedCell :: Cell Int
committedCell = Cell 8

-- | How the last decoder that was caught ended, until whoever caught it has
-- looked: 1, by a failure; 2, by a foreign exception after which the evaluation
-- was taken up again; 3, by a foreign exception that is to be thrown on. Else 0.
failedCell :: Cell Int
failedCell = Cell 9

-- | How many more elements of no size may be decoded, in the cells of 'envEmpties'.
emptiesCell :: Cell Int
emptiesCell = Cell 10

-- | Whether alternatives are run as thunks, because the run cannot begin again
-- (1, else 0): see Note [Interrupted inside an alternative]. It does not change.
--
-- (A cell and not a field of 'Input', because decoders would be made to take 'Env'
-- and 'Input' apart as arguments, only to put them together again for others.)
inPlaceCell :: Cell Int
inPlaceCell = Cell 11

-- | Where in a value the decoder is, for its errors: see Note [Places].
partCell :: Cell Int
partCell = Cell 12

-- | How many more levels of nesting are allowed, and whether the run is traced: see
-- Note [Traced runs].
levelsCell :: Cell Int
levelsCell = Cell 13

-- | How many cells there are.
cellCount :: Int
cellCount = cellsUpTo levelsCell

-- | The offset of the next byte in the stream.
position :: Cells -> IO Int
position c = getPtr c cursorCell >>= offsetOf c

-- | The offset of an address in the open segment.
offsetOf :: Cells -> Ptr Word8 -> IO Int
offsetOf c p = do
  start <- getPtr c segmentStartCell
  offset <- getInt c segmentOffsetCell
  pure (offset + p `minusPtr` start)

-- | What is rarely read. A decoder inside a label, say, is run with a copy.
data Env = Env
  { envInput :: !Input,
    -- | Where the 'emptiesCell' of the budget is.
    envEmpties :: Cells,
    envContext :: !Context
  }

-- | Is this run traced? Note [Traced runs]. (It is told by the sign of 'levelsCell'.)
isTraced :: Cells -> IO Bool
isTraced c = (< 0) <$> getInt c levelsCell
{-# INLINE isTraced #-}

-- | Do this if the run is traced. (Others remember nothing of failures, nor of where they are.)
whenTraced :: Cells -> IO () -> IO ()
whenTraced c act = isTraced c >>= \traced -> if traced then act else pure ()
{-# INLINE whenTraced #-}

-- Note [Spent is spent]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Going back puts the level of nesting back to what it was, but not the budget for elements
-- of no size: they have taken their time, whatever becomes of the alternative. (Else
-- @many ((skipCount maxBound (pure ()) *> empty) \<|> getWord8)@ takes a million steps for
-- each byte.) So a budget's counter is not among the marks, but belongs to the budget: those
-- around it have theirs, and if a decoder fails with its own budget, the one that catches
-- the failure goes on with the counter it had. (Tests "budgets".)

-- | How many more elements of no size may be decoded.
emptiesLeft :: Env -> IO Int
emptiesLeft env = getInt (envEmpties env) emptiesCell
{-# INLINE emptiesLeft #-}

-- | Set that number.
setEmptiesLeft :: Env -> Int -> IO ()
setEmptiesLeft env = putInt (envEmpties env) emptiesCell
{-# INLINE setEmptiesLeft #-}

-- | Where input comes from, and the parts of it that are held.
data Input = Input
  { -- | Do what can take long before the next chunk is there, and can be done
    -- again if it is interrupted.
    inputPrepare :: !(IO ()),
    -- | The next chunk; an empty one at the end of the input. It is not called
    -- again after that, and with asynchronous exceptions masked.
    inputNext :: !(IO ByteString),
    inputSegments :: !(IORef Segments),
    -- | The failures that got farthest.
    inputFailures :: !(IORef Failures)
  }

-- | The stretch of the stream that is held. The segments follow one another
-- without gap: past, open, coming. None but the open one is empty.
data Segments = Segments
  { -- | Before the open one, the latest first. Kept only for choice points.
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

-- | Thrown to fail. It never leaves a run of a decoder: whoever runs one
-- catches it.
data DecoderFailed = DecoderFailed

instance Show DecoderFailed where
  show DecoderFailed = "Ashlar.Get: failure outside of a run"

instance Exception DecoderFailed

-- | The one exception that all failures throw. What there is to say about a
-- failure is in 'inputFailures', if the run is traced.
--
-- Note [One exception for all failures]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- To build an exception with its offset and labels for every failure doubles
-- the cost of backtracking: 10,000 alternatives of which half fail took
-- 136 µs this way (GHC 9.0.2, every run remembering its failures then). And handlers
-- recognise it by its address, which is several times faster than comparing types; the
-- types are compared only where the addresses differ, so nothing depends on them being equal.
failureException :: SomeException
failureException = toException DecoderFailed
{-# NOINLINE failureException #-}

-- | Is this exception a failure of a decoder?
isFailure :: SomeException -> Bool
isFailure e =
  isTrue# (reallyUnsafePtrEquality# e failureException)
    || isJust (fromException e :: Maybe DecoderFailed)

-- | Thrown when a decoder that was interrupted has to begin again. It never
-- leaves a run.
data Restart = Restart

instance Show Restart where
  show Restart = "Ashlar.Get: restart outside of a run"

instance Exception Restart

-- | Fail; what about has been remembered, if the run is traced. (Not by @throwIO@: from GHC 9.10 on
-- that adds a backtrace, which takes 120 bytes, and makes another exception of this one,
-- which 'isFailure' then does not know by its address.)
throwFailed :: IO a
throwFailed = IO (raiseIO# failureException)
{-# INLINE throwFailed #-}

-- | Is this exception a 'Restart'?
isRestart :: SomeException -> Bool
isRestart e = isJust (fromException e :: Maybe Restart)

-- | Fail at an address in the open segment, given how many bytes that lie there,
-- all before the end, the decoder has looked at.
--
-- The number must not depend on how the input was cut (INV-G2).
failAt :: Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO a
failAt c env p n reason = recordAt c env p n reason >> throwFailed
{-# NOINLINE failAt #-}

-- | Fail at an offset that the decoder may be far behind, given how far it had
-- come and what stands at the offset.
failWith :: Cells -> Env -> Int -> Int -> Found -> Reason -> IO a
failWith c env reach offset found reason = record c env reach offset found reason >> throwFailed
{-# NOINLINE failWith #-}

-- Note [Code that ends in a failure]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- GHC takes code that ends in an exception to be run rarely: it moves it out of the
-- way, and builds closures for what it needs. So all work is done in functions
-- that return, are strict, and are not inlined into what fails. (10,000 alternatives
-- of which half fail took 277 µs, and this way 165, GHC 9.0.2, every run remembering its failures
-- then.)

-- | Remember a failure at an address, if the run is traced: see 'failAt'.
recordAt :: Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO ()
recordAt c env !p !n !reason = whenTraced c $ do
  place <- getInt c partCell
  case reason of
    MissingInput _ left
      | Cut before width <- cutField (envContext env) place left ->
        -- As many bytes lie there as are left.
        recordThere c env (p `plusPtr` before) (n - before) place (MissingInput width (left - before))
    _ -> recordThere c env p n place reason
{-# NOINLINE recordAt #-}

recordThere :: Cells -> Env -> Ptr Word8 -> Int -> PartNumber -> Reason -> IO ()
recordThere c env !p !n !place !reason = do
  start <- getPtr c segmentStartCell
  segmentOffset <- getInt c segmentOffsetCell
  cursor <- getPtr c cursorCell
  let !ahead = p `minusPtr` cursor
      !offset = segmentOffset + p `minusPtr` start
      !reach = max offset (segmentOffset + cursor `minusPtr` start)
  farthest <- readIORef (inputFailures (envInput env))
  if addsNothing reach offset (min 16 n) (envContext env) place reason farthest
    then pure ()
    else do
      -- At once, because the bytes may be gone when the run ends.
      found <- if n <= 0 then pure nothingFound else peekFound p n
      setFailures env (addFailure reach offset found (envContext env) place ahead n reason farthest)
{-# NOINLINE recordThere #-}

record :: Cells -> Env -> Int -> Int -> Found -> Reason -> IO ()
record c env !reach !offset !found !reason = whenTraced c $ do
  place <- getInt c partCell
  farthest <- readIORef (inputFailures (envInput env))
  if addsNothing reach offset (foundLength found) (envContext env) place reason farthest
    then pure ()
    else setFailures env (addFailure reach offset found (envContext env) place 0 0 reason farthest)
{-# NOINLINE record #-}

-- | What has been remembered of failures.
failuresSoFar :: Env -> IO Failures
failuresSoFar env = readIORef (inputFailures (envInput (lazy env)))
{-# NOINLINE failuresSoFar #-}

-- | Remember these, and no other failures.
setFailures :: Env -> Failures -> IO ()
setFailures env !failures = writeIORef (inputFailures (envInput env)) failures
{-# INLINE setFailures #-}
