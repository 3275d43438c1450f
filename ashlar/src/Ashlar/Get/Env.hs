{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Get.Env
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
-- [INV-G3] A failed alternative leaves no trace (but in the state of a @GetST@).
module Ashlar.Get.Env
  ( -- * Cells
    cursorCell,
    endCell,
    segmentStartCell,
    segmentEndCell,
    segmentOffsetCell,
    limitCell,
    keepCell,
    failedCell,
    emptiesCell,
    placeCell,
    depthCell,
    retraceCell,
    cellCount,
    position,

    -- * The environment
    Env (..),
    Input (..),
    Segments (..),

    -- * Failing
    Failed,
    failedException,
    isFailed,
    prepareFailure,
    failWith,
    failAt,
  )
where

import Ashlar.Get.Error
import Ashlar.Get.Place
import Ashlar.Mem.Cells
import Control.Monad (when)
import Control.Exception (Exception, SomeException, fromException, throwIO, toException)
import Data.ByteString (ByteString)
import Data.IORef (IORef, writeIORef)
import Data.Maybe (isJust)
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr)
import GHC.Exts (isTrue#, reallyUnsafePtrEquality#)

-- | The address of the next byte.
cursorCell :: Int
cursorCell = 0

-- | The address behind the last byte that may be read without asking: the
-- segment's end, or the limit where that comes first.
endCell :: Int
endCell = 1

-- | The address of the open segment's first byte.
segmentStartCell :: Int
segmentStartCell = 2

-- | The address behind the open segment's last byte.
segmentEndCell :: Int
segmentEndCell = 3

-- | The offset in the stream of the open segment's first byte.
segmentOffsetCell :: Int
segmentOffsetCell = 4

-- | The offset at which the innermost @isolate@ ends, or 'maxBound'.
limitCell :: Int
limitCell = 5

-- | The least offset that an open choice point could return to, or 'maxBound'.
keepCell :: Int
keepCell = 6

-- | How the last decoder that was caught ended, until whoever caught it has
-- looked: 1, by a failure; 2, by a foreign exception after which the evaluation
-- was taken up again. Else 0.
failedCell :: Int
failedCell = 7

-- | How many more elements of no size may be decoded.
emptiesCell :: Int
emptiesCell = 8

-- | Where in a value the decoder is, for its errors: see Note [Places].
placeCell :: Int
placeCell = 9

-- | How many more levels of nesting are allowed: see Note [Traced runs].
depthCell :: Int
depthCell = 10

-- | 1 if the run is to be traced, to know more of its failure; else 0.
retraceCell :: Int
retraceCell = 11

-- | How many cells there are.
cellCount :: Int
cellCount = 12

-- | The offset of the next byte in the stream.
position :: Cells -> IO Int
position c = getPtr c cursorCell >>= offsetOf c

-- The offset of an address in the open segment.
offsetOf :: Cells -> Ptr Word8 -> IO Int
offsetOf c p = do
  start <- getPtr c segmentStartCell
  offset <- getInt c segmentOffsetCell
  pure (offset + p `minusPtr` start)

-- | What is rarely read. A decoder inside a label or a value is run with a copy.
data Env = Env
  { envInput :: !Input,
    -- | How many levels of nesting are allowed.
    envDepth :: !Int,
    envContext :: !Context
  }

-- | Where input comes from, and the parts of it that are held.
data Input = Input
  { -- | Do what can take long before the next chunk is there, and can be done
    -- again if it is interrupted.
    inputPrepare :: !(IO ()),
    -- | The next chunk; an empty one at the end of the input. It is not called
    -- again after that, and with asynchronous exceptions masked.
    inputNext :: !(IO ByteString),
    inputSegments :: !(IORef Segments),
    -- | Why the last failure happened.
    inputFailure :: !(IORef DecodeError)
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
data Failed = Failed

instance Show Failed where
  show Failed = "Ashlar.Get: failure outside of a run"

instance Exception Failed

-- | The one exception that all failures throw. What there is to say about a
-- failure is in 'inputFailure'.
--
-- Note [One exception for all failures]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- To build an exception with its offset and labels for every failure doubles
-- the cost of backtracking: 10,000 alternatives of which half fail take
-- 136 µs this way (GHC 9.0.2). And handlers recognise it by its address, which
-- is several times faster than comparing types; the types are compared only
-- where the addresses differ, so nothing depends on them being equal.
failedException :: SomeException
failedException = toException Failed
{-# NOINLINE failedException #-}

-- | Is this exception a failure of a decoder?
isFailed :: SomeException -> Bool
isFailed e =
  isTrue# (reallyUnsafePtrEquality# e failedException)
    || isJust (fromException e :: Maybe Failed)

-- | Fail at an offset.
failWith :: Cells -> Env -> Int -> Reason -> IO a
failWith c env offset reason = prepareFailure c env offset reason >> throwIO failedException
{-# NOINLINE failWith #-}

-- | Say in advance what a failure at an offset will mean, before running code that
-- throws 'failedException'.
prepareFailure :: Cells -> Env -> Int -> Reason -> IO ()
prepareFailure c env offset reason = do
  left <- getInt c depthCell
  -- Inside of a value, and the path to it is not known.
  when (left >= 0 && left < envDepth env) $ putInt c retraceCell 1
  place <- getInt c placeCell
  cursor <- position c
  writeIORef (inputFailure (envInput env)) (errorAt (envContext env) place (offset - cursor) offset reason)

-- What it will mean is worked out only if it is asked for.
errorAt :: Context -> Place -> Int -> Int -> Reason -> DecodeError
errorAt context place ahead offset reason = case located context place ahead offset reason of
  (labels, at, why) -> DecodeError (fromIntegral at) labels why
{-# NOINLINE errorAt #-}

-- | Fail at an address in the open segment.
failAt :: Cells -> Env -> Ptr Word8 -> Reason -> IO a
failAt c env p reason = do
  offset <- offsetOf c p
  failWith c env offset reason
{-# NOINLINE failAt #-}
