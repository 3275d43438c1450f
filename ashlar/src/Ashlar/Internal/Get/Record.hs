{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Record
-- Description : Recording why a decoder fails, and moving through the segments that it holds
--
-- A failure of a decoder says nothing. What there is to say is recorded before, and only in traced
-- runs. These are the actions for that, which find the cursor in its cell.
module Ashlar.Internal.Get.Record
  ( recordAt,
    record,
    Expectation (..),
    refuseByte,
    failuresSoFar,
    setFailures,
    enterFirstSegment,
    enterSegment,
    setLimit,
    heldEnd,
    setHeldEnd,
    replaceSegments,
    returnTo,
    segmentsBetween,
    rewind,
    comingIn,
    unread,
    heldBetween,
    nextChunkOffset,
    returnHome,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem (peekHost)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Data.Bits (complement)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import Data.IORef (readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (lazy)

-- | Record a failure at an address in the current segment, if the run is traced.
recordAt ::
  Cells ->
  Env ->
  Ptr Word8 ->
  -- | How many bytes there the decoder has examined.
  Int ->
  Reason ->
  IO ()
recordAt c env !p !n !reason = whenTraced c $ do
  part <- getInt c partCell
  case reason of
    MissingInput _ left
      | Cut before width <- cutField (envContext env) part left ->
        -- As many bytes lie there as are left.
        recordIn part c env (p `plusPtr` before) (n - before) (MissingInput width (left - before))
    _ -> recordIn part c env p n reason
{-# NOINLINE recordAt #-}

recordIn :: PartNumber -> Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO ()
recordIn !part c env !p !n !reason = do
  offset <- offsetOf c p
  cursor <- getPtr c cursorCell
  let !ahead = p `minusPtr` cursor
      !reach = max offset (offset - ahead)
      failure =
        Failure
          { failureReach = reach,
            failureOffset = offset,
            failureFound = nothingFound,
            failureContext = envContext env,
            failurePart = part,
            failureAhead = ahead,
            failureSize = n,
            failureReason = reason
          }
  -- At once, because the bytes may be gone when the run ends.
  remember env failure (min 16 n) (peekFound p n)
{-# NOINLINE recordIn #-}

-- | Record a failure at an offset, if the run is traced.
record ::
  Cells ->
  Env ->
  -- | The reach.
  Int ->
  -- | The offset.
  Int ->
  -- | The bytes there.
  Found ->
  Reason ->
  IO ()
record c env !reach !offset !found !reason = whenTraced c $ do
  part <- getInt c partCell
  let failure =
        Failure
          { failureReach = reach,
            failureOffset = offset,
            failureFound = nothingFound,
            failureContext = envContext env,
            failurePart = part,
            failureAhead = 0,
            failureSize = 0,
            failureReason = reason
          }
  remember env failure (foundLength found) (pure found)
{-# NOINLINE record #-}

-- Add a failure, with the bytes that it found, unless that changes nothing.
remember :: Env -> Failure -> Int -> IO Found -> IO ()
remember env failure n find = do
  farthest <- failuresSoFar env
  if addsNothing failure n farthest
    then pure ()
    else find >>= \found -> setFailures env (addFailure failure {failureFound = found} farthest)
{-# INLINE remember #-}

-- | The names of a byte that is demanded, the innermost first.
newtype Expectation = Expectation [String]

-- | Record that the next byte is not accepted or not there, if the run is traced.
refuseByte :: Cells -> Env -> Expectation -> IO ()
refuseByte c env (Expectation names) = whenTraced c $ do
  at <- position c
  farthest <- failuresSoFar env
  -- Most are not worth the trouble.
  if at < reachSoFar farthest
    then pure ()
    else do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      if p == e
        then recordAt c env p 0 (MissingInput 1 0)
        else
          if at == reachSoFar farthest
            then recordAt c (inTraced (expectingAt at) env) p 1 Unexpected
            else do
              part <- getInt c partCell
              -- A byte lies there.
              byte <- peekHost p
              setFailures env (Refusal at byte part (envContext env) names)
  where
    expectingAt at context = foldr (`Expecting` at) context names
{-# NOINLINE refuseByte #-}

-- | What has been recorded of failures.
failuresSoFar :: Env -> IO Failures
failuresSoFar env = case lazy env of
  Env input _ _ -> readIORef (inputFailures input)
  -- Not traced.
  InputOnly _ -> pure NoFailures
{-# NOINLINE failuresSoFar #-}

-- | Forget all recorded failures but these.
setFailures :: Env -> Failures -> IO ()
setFailures env !failures = case env of
  Env input _ _ -> writeIORef (inputFailures input) failures
  InputOnly _ -> pure ()
{-# INLINE setFailures #-}

-- Moving the cursor through the segments that a decoder holds.
--
-- All offsets count from the start of the stream, so going back needs only an offset. Nothing here
-- asks the source for input: see "Ashlar.Internal.Get.Input". These are actions on the cells, with
-- the cursor in its cell.

-- | Set up the cells for reading from the current segment.
enterFirstSegment ::
  Cells ->
  -- | The offset at which the segment begins.
  Int ->
  -- | The offset at which the input seems to end, or 'maxBound'.
  Int ->
  -- | What 'heldCell' has.
  Int ->
  -- | The segment.
  ByteString ->
  IO ()
enterFirstSegment c offset limit held bs = do
  putInt c limitCell limit
  putInt c heldCell held
  putInt c keepCell maxBound
  putInt c releaseCell maxBound
  putInt c commitsCell 0
  enterSegment c offset bs

-- | Open a segment that begins at this offset, and put the cursor at its beginning.
enterSegment :: Cells -> Int -> ByteString -> IO ()
enterSegment c offset bs = do
  let (fp, off, n) = B.toForeignPtr bs
      -- The input keeps the segment alive.
      !start = unsafeForeignPtrToPtr fp `plusPtr` off :: Ptr Word8
  putPtr c cursorCell start
  putPtr c segmentStartCell start
  putPtr c segmentEndCell (start `plusPtr` n)
  putInt c biasCell (offset - addressOf start)
  placeEnd c

-- The end is that of the segment, or the limit, or how far bytes may be held, whichever comes
-- first. These two are not before the cursor.
placeEnd :: Cells -> IO ()
placeEnd c = do
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  offset <- segmentOffset c
  limit <- getInt c limitCell
  held <- heldEnd c
  let allowed = min limit held - offset
  check "INV-G1" "the limit is before the current segment" (allowed >= 0) [("allowed", allowed)]
  putPtr c endCell (if allowed < end `minusPtr` start then start `plusPtr` allowed else end)

-- | Let the input seem to end at this offset, or at the cursor if that is after it. 'maxBound'
-- means no limit. (The cursor may be after the limit of a budget, if another one inside allowed
-- more.)
setLimit :: Cells -> Int -> IO ()
setLimit c limit = do
  at <- position c
  putInt c limitCell (max limit at)
  placeEnd c

-- | The offset up to which the run may hold bytes, or 'maxBound'.
heldEnd :: Cells -> IO Int
heldEnd c = (\end -> if end < 0 then complement end else end) <$> getInt c heldCell
{-# INLINE heldEnd #-}

-- | Change what 'heldCell' has. The cursor is not after it.
setHeldEnd :: Cells -> Int -> IO ()
setHeldEnd c end = putInt c heldCell end >> placeEnd c

-- | Replace the segments. The open one begins at this offset.
replaceSegments :: Cells -> Input -> Int -> Segments -> IO ()
replaceSegments c input at !segments = do
  check "INV-G1" "an empty segment is held" (noneEmpty segments) [("offset", at)]
  writeIORef (inputSegments input) segments
  enterSegment c at (segmentCurrent segments)

-- The first segments on either side of the open one are not empty.
noneEmpty :: Segments -> Bool
noneEmpty segments =
  not (any S.null (take 4 (segmentsPast segments)))
    && not (any S.null (take 4 (segmentsComing segments)))

-- | Go to an offset whose byte is held, or that is after the last one: from that in 'keepCell' on.
returnTo :: Cells -> Input -> Int -> IO ()
returnTo c input to = do
  offset <- segmentOffset c
  end <- getPtr c segmentEndCell >>= offsetOf c
  if to >= offset && to <= end
    then do
      start <- getPtr c segmentStartCell
      putPtr c cursorCell (start `plusPtr` (to - offset))
      placeEnd c
      inSegment "returnTo" c 0
    else readIORef (inputSegments input) >>= shift offset
  where
    -- No segment is opened on the way: the limit may be before it.
    shift offset segments
      | to < offset,
        bs : past <- segmentsPast segments =
        shift
          (offset - S.length bs)
          segments
            { segmentsPast = past,
              segmentCurrent = bs,
              segmentsComing = segmentCurrent segments : segmentsComing segments
            }
      | to > end,
        bs : coming <- comingIn segments =
        shift
          end
          segments
            { segmentsPast = segmentCurrent segments : segmentsPast segments,
              segmentCurrent = bs,
              segmentsComing = coming,
              segmentsArrived = []
            }
      -- Unreachable: gather keeps everything from keepCell on.
      | to < offset || to > end =
        ioError (userError "Ashlar.Get: going to bytes that were not kept")
      | otherwise = replaceSegments c input offset segments >> returnTo c input to
      where
        end = offset + S.length (segmentCurrent segments)
{-# NOINLINE returnTo #-}

-- | How many segments are opened on the way to an offset.
segmentsBetween :: Cells -> Input -> Int -> IO Int
segmentsBetween c input to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let end = offset + S.length (segmentCurrent segments)
      -- Where each begins, from the open one on.
      back = scanl (\at bs -> at - S.length bs) offset (segmentsPast segments)
      forth = scanl (\at bs -> at + S.length bs) end (comingIn segments)
  pure $! length (if to < offset then takeWhile (> to) back else takeWhile (< to) forth)

-- | All that is held, to be read again from its beginning, whatever the cells say.
rewind :: Segments -> Segments
rewind segments = case filter (not . S.null) (allSegments segments) of
  open : coming -> held {segmentCurrent = open, segmentsComing = coming}
  [] -> held
  where
    held = newSegments {segmentsEnded = segmentsEnded segments}

allSegments :: Segments -> [ByteString]
allSegments segments = reverse (segmentsPast segments) ++ segmentCurrent segments : comingIn segments

-- | The source stands where it did before it was told to seek, and what was held then is held.
returnHome :: Input -> IO ()
returnHome input = go (pure ())
  where
    go back = do
      segments <- readIORef (inputSegments input)
      case segmentsAway segments of
        Just away -> writeIORef (inputSegments input) (awaySegments away) >> go (awayBack away)
        Nothing -> back

-- | The offset after all that is held: of the next chunk of the source.
nextChunkOffset :: Cells -> Segments -> IO Int
nextChunkOffset c segments = do
  offset <- segmentOffset c
  pure $! offset + sum (map S.length (segmentCurrent segments : comingIn segments))

-- | What comes after the current segment.
comingIn :: Segments -> [ByteString]
comingIn segments = case segmentsArrived segments of
  [] -> segmentsComing segments
  arrived -> segmentsComing segments ++ reverse arrived

-- | The input that has been taken from the source and not been read.
unread :: Cells -> Input -> IO [ByteString]
unread c input = do
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  segments <- readIORef (inputSegments input)
  let rest = S.drop (p `minusPtr` start) (segmentCurrent segments)
      coming = comingIn segments
  pure (if S.null rest then coming else rest : coming)

-- | A copy of the held bytes between two offsets, and the offset of the first of them.
heldBetween :: Cells -> Input -> Int -> Int -> IO (Int, ByteString)
heldBetween c input from to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let first = offset - sum (map S.length (segmentsPast segments))
      start = max from first
      held = L.fromChunks (allSegments segments)
      between = L.take (fromIntegral (to - start)) (L.drop (fromIntegral (start - first)) held)
  pure (start, S.copy (L.toStrict between))
