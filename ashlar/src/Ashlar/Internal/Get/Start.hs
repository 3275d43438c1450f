{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Start
-- Description : What every run begins with; runs on a stream; trials
--
-- Note [Trials]
-- ~~~~~~~~~~~~~
-- Most values of a stream are short and lie in the chunk at hand. For these, setting up a run that
-- goes through lazy input takes longer than decoding. So the decoder is first tried on the first
-- 'tried' bytes. If it ends there, its result is the result, because results do not depend on how
-- the input is cut (INV-G2). If it asks for more, another run begins anew.
--
-- A decoder that asks for more than 'tried' bytes fails, and no choice catches that, as where a
-- budget is used up: Note [Used up for good] in "Ashlar.Internal.Get.Limits". So there is no
-- handler, and no decoder is given a false end. A chunk is forced where the other run would force
-- it, too.
--
-- If decoders run others on parts of their input, each within a trial of the one around, the time
-- must not double at each level. So a trial ends without a result only if more than 'tried' bytes
-- are asked for. Parts of what a trial has read are shorter, so trials on them end with a result.
-- (The time does double where each level makes more than 'tried' bytes of fewer, by decompression,
-- and asks for more than that after it has decoded them.)
--
-- With 256 bytes instead of 1,024, values of 320 bytes took 1.4 times as long as binary's
-- (GHC 9.10). With more, values that are a little longer than that would take longer than binary's.
--
-- Tried and dropped: an exception where the decoder asks for more. Its handler would have to tell
-- foreign asynchronous exceptions from those of values. A budget of bytes: a budget inside may
-- allow more. Trials of pushed input: all that look for the end of the input end where the chunk
-- ends, so nested runs take time exponential in their depth. Untraced trials, whose error is found
-- by a second run: a program that looks at the errors of nested runs takes such time, and a failure
-- keeps its input. They saved little.
--
-- (Tests "a decoder in a nested run is run once", "lazy input of more than is tried".
-- 'Tests.Splits' runs each decoder on lazy input.)
module Ashlar.Internal.Get.Start
  ( startCells,

    -- * A run on a stream
    startStream,
    runIn,
    errorOf,

    -- * A trial
    tryOn,
    nonEmpty,
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
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef (newIORef, readIORef, writeIORef)
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

-- The value of a run, if it succeeds.
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

-- | Try a decoder on the beginning of lazy input: Note [Trials]. Returns the result and the offset
-- where it ends, or 'Nothing' if it asks for more.
tryOn ::
  Get a ->
  -- | The first chunk.
  ByteString ->
  -- | The others.
  L.ByteString ->
  IO (Maybe (Either DecodeError a, Int))
tryOn g first others = do
  untaken <- newIORef (Untaken (tried - S.length first) others)
  let comes = do
        Untaken free lbs <- readIORef untaken
        if free < 0
          then pure AfterTrial
          else do
            next <- evaluate (nonEmpty lbs)
            writeIORef untaken (Untaken free next)
            pure $ case next of
              L.Chunk bs _ | S.length bs > free -> AfterTrial
              _ -> AtHand
      takeNext = do
        Untaken free lbs <- readIORef untaken
        case lbs of
          L.Chunk bs rest -> bs <$ writeIORef untaken (Untaken (free - S.length bs) rest)
          L.Empty -> pure S.empty
      segments = newSegments {segmentCurrent = S.take tried first}
  whole <- newInput segments comes (pure ()) takeNext
  let input = whole {inputIsCut = S.length first > tried}
  withCells cellCount $ \c -> do
    startStream c input 0 maxBound
    result <- valueIn c input g
    over <- isOver c
    -- A used-up budget is a failure.
    usedUp <- isUsedUp (Account c)
    case result of
      Nothing | over && not usedUp -> pure Nothing
      _ -> do
        at <- position c
        a <- maybe (Left <$> errorOf c input) (pure . Right) result
        pure (Just (a, at))

-- What a trial has not taken: how many bytes it may still take, and the chunks. The number is
-- negative if the first chunk is longer than a trial may be.
data Untaken = Untaken !Int L.ByteString

-- | Without the empty chunks at the beginning. (There should be none, but some libraries make
-- them.)
nonEmpty :: L.ByteString -> L.ByteString
nonEmpty lbs = case lbs of
  L.Chunk bs rest | S.null bs -> nonEmpty rest
  _ -> lbs

-- How many bytes a trial takes at most.
tried :: Int
tried = 1024
