{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Start
-- Description : What every run begins with; runs on a stream, and trials
--
-- Note [Trials]
-- ~~~~~~~~~~~~~
-- Most values of a stream are short and lie in the chunk at hand. For these, setting up a run that
-- can go on to other chunks takes longer than decoding. So the decoder is first tried on at most
-- 'tried' bytes of the chunk. If the trial succeeds, its result is the result, because results do
-- not depend on how the input is cut (INV-G2). Otherwise another run begins anew.
--
-- A trial cannot get another chunk ('AfterTrial'). A decoder that asks for one fails, and no choice
-- catches that, as where a budget is used up: Note [Used up for good] in
-- "Ashlar.Internal.Get.Limits". So there is no handler, and no decoder is given a false end.
--
-- The greatest waste is to decode 'tried' bytes twice. With 256 instead of 1,024, values of 320 bytes
-- took 1.4 times as long as binary's (GHC 9.10). With more, values that are a little longer than
-- that would take longer than binary's.
--
-- Tried and dropped: an exception where the decoder asks for more. Its handler would have to tell
-- foreign asynchronous exceptions from those of values. And a budget of bytes: a budget inside may
-- allow more, and then reads bytes that are not there.
--
-- (Benchmark "a decoder for each of 100000 Word32 in chunks of 4 KiB". Tests "the same result, rest
-- and offset, in any chunks", "one decoder for each value of a stream", "more than is tried".)
module Ashlar.Internal.Get.Start
  ( startCells,

    -- * A run on a stream
    startStream,
    runIn,
    errorOf,

    -- * A trial
    Trial (..),
    tryOn,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits (isUsedUp, streamEnd)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (enterFirstSegment, heldBetween)
import Ashlar.Internal.Mem.Cells
import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (readIORef)
import GHC.Exts (Ptr (Ptr), touch#)
import GHC.IO (IO (..), unIO)

-- | Set up the cells for a run.
startCells ::
  Cells ->
  -- | Is the run traced?
  Bool ->
  -- | The offset at which the current segment begins.
  Int ->
  -- | The offset at which the input seems to end, or 'maxBound'.
  Int ->
  -- | The value of 'heldCell'.
  Int ->
  -- | The current segment.
  ByteString ->
  IO ()
startCells c traced offset limit held current = do
  enterFirstSegment c offset limit held current
  putInt c partCell unknownPart
  startBudget c traced
{-# INLINE startCells #-}

-- | Set up the cells for a run whose input is not in memory.
startStream ::
  Cells ->
  Input ->
  -- | The offset at which the current segment begins.
  Int ->
  -- | How many bytes the run may hold at first, or 'maxBound': Note [What is held] in
  -- "Ashlar.Internal.Get.Limits".
  Int ->
  IO ()
startStream c input offset bytes = do
  current <- segmentCurrent <$> readIORef (inputSegments input)
  startCells c True offset maxBound (streamEnd offset bytes) current

-- | Run a decoder as a traced run, whose cells and input are set up. The cursor is in its cell
-- before and after.
runIn :: Cells -> Input -> Get a -> IO (Either DecodeError a)
runIn c input g = valueIn c input g >>= maybe (Left <$> errorOf c input) (pure . Right)
{-# NOINLINE runIn #-}

-- The value of a run, if it succeeds. The cells and the input are set up.
--
-- A run reads segments at addresses, so @touch#@ keeps them alive. GHC does not drop it, because it
-- cannot see that an unknown decoder never returns.
valueIn :: Cells -> Input -> Get a -> IO (Maybe a)
valueIn c input g = IO $ \s0 -> case unIO (getPtr c cursorCell) s0 of
  (# s1, Ptr p0 #) -> case unGet g p0 c (Env input OfRun Top) s1 of
    (# s2, p1, result #) -> case unIO (putPtr c cursorCell (Ptr p1)) s2 of
      (# s3, _ #) -> case touch# (inputSegments input) s3 of
        s4 -> case result of
          (# a | #) -> (# s4, Just a #)
          (# | _ #) -> (# s4, Nothing #)
{-# INLINE valueIn #-}

-- | The error of a traced run that has failed.
errorOf :: Cells -> Input -> IO DecodeError
errorOf c input = do
  e <- toError <$> readIORef (inputFailures input)
  let (from, to) = excerptRange (errorOffset e) (S.length (errorFound e))
  (start, bytes) <- heldBetween c input (fromIntegral from) (fromIntegral to)
  evaluate e {errorExcerpt = Excerpt (fromIntegral start) bytes}
{-# NOINLINE errorOf #-}

-- | How a trial ends: Note [Trials].
data Trial a
  = -- | The decoder succeeds: the offset where it ends, and the value.
    Succeeds !Int a
  | Fails
  | AsksForMore

-- | Try a decoder on the first bytes of a chunk.
tryOn :: Get a -> ByteString -> IO (Trial a)
tryOn g bs = do
  input <- newInput newSegments {segmentCurrent = start} (pure AfterTrial) (pure ()) (pure S.empty)
  withCells cellCount $ \c -> do
    startCells c False 0 maxBound maxBound start
    result <- valueIn c input g
    over <- isOver c
    -- A used-up budget is a failure.
    usedUp <- isUsedUp (Account c)
    case result of
      Just a -> (`Succeeds` a) <$> position c
      Nothing -> pure (if over && not usedUp then AsksForMore else Fails)
  where
    start = S.take tried bs

-- How many bytes are decoded twice at most.
tried :: Int
tried = 1024
