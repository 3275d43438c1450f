{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Record
-- Description : Recording why a decoder fails, and moving through the segments that it holds
--
-- Before a decoder fails, it records the reason, in traced runs only. All actions of this module
-- find the cursor in its cell.
module Ashlar.Internal.Get.Record
  ( recordAt,
    shownOf,
    record,
    remember,
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
    onlyThese,
    comingIn,
    unread,
    heldBetween,
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
        -- The cut field begins within the bytes that are left.
        recordIn part c env (p `plusPtr` before) (n - before) (MissingInput width (left - before))
    _ -> recordIn part c env p n reason
{-# NOINLINE recordAt #-}

-- | How many bytes an error about too few bytes passes over or shows, given how many are left. If
-- the run is traced, it is about the field that the input cuts off. It shows 16 bytes.
shownOf :: Cells -> Env -> Int -> IO Int
shownOf c env left = do
  part <- getInt c partCell
  pure $! min left $ case cutField (envContext env) part left of
    Cut before _ -> before + 16
    _ -> 16

recordIn :: PartNumber -> Cells -> Env -> Ptr Word8 -> Int -> Reason -> IO ()
recordIn !part c env !p !n !reason = do
  offset <- offsetOf c p
  cursor <- getPtr c cursorCell
  let !ahead = p `minusPtr` cursor
      !reach = max offset (offset - ahead)
      failure = (failureOf env part reach offset reason) {failureAhead = ahead, failureSize = n}
  -- The bytes are read at once, because they may be gone when the run ends.
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
  remember env (failureOf env part reach offset reason) (foundLength found) (pure found)
{-# NOINLINE record #-}

-- A failure at the cursor, about no bytes, before they are known.
failureOf :: Env -> PartNumber -> Int -> Int -> Reason -> Failure
failureOf env part reach offset reason =
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
{-# INLINE failureOf #-}

-- | Add a failure if it changes the error. The action returns the bytes found, of which there are
-- @n@.
remember :: Env -> Failure -> Int -> IO Found -> IO ()
remember env failure n find = do
  farthest <- failuresSoFar env
  if addsNothing failure n farthest
    then pure ()
    else find >>= \found -> setFailures env (addFailure failure {failureFound = found} farthest)
{-# INLINE remember #-}

-- | The names that errors give to a demanded byte, the innermost first.
newtype Expectation = Expectation [String]

-- | Record that the next byte is not accepted or not there, if the run is traced.
refuseByte :: Cells -> Env -> Expectation -> IO ()
refuseByte c env (Expectation names) = whenTraced c $ do
  at <- position c
  farthest <- failuresSoFar env
  -- Most refusals are before the farthest failure, and do not count.
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
              -- The cursor is before the end.
              byte <- peekHost p
              setFailures env $
                OneRefusal
                  Refusal
                    { refusalOffset = at,
                      refusalByte = byte,
                      refusalPart = part,
                      refusalContext = envContext env,
                      refusalExpected = names
                    }
  where
    expectingAt at context = foldr (`Expecting` at) context names
{-# NOINLINE refuseByte #-}

failuresSoFar :: Env -> IO Failures
failuresSoFar env = case lazy env of
  Env input _ _ _ -> readIORef (inputFailures input)
  -- Not traced.
  _ -> pure NoFailures
{-# NOINLINE failuresSoFar #-}

setFailures :: Env -> Failures -> IO ()
setFailures env !failures = case env of
  Env input _ _ _ -> writeIORef (inputFailures input) failures
  _ -> pure ()
{-# INLINE setFailures #-}

-- Moving the cursor through the held segments, without asking the source for input.

-- | Set up the cells at the start of a run, for reading from the first segment.
enterFirstSegment ::
  Cells ->
  -- | The offset at which the segment begins.
  Int ->
  -- | The offset at which the input seems to end, or 'maxBound'.
  Int ->
  -- | The value of 'heldCell'.
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

-- | Make this segment, which has this offset, the current one, and move the cursor to its
-- beginning.
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

-- Set 'endCell' to the end of the segment, the limit, or the offset up to which bytes may be held,
-- whichever comes first. The latter two are never before the cursor.
placeEnd :: Cells -> IO ()
placeEnd c = do
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  offset <- segmentOffset c
  limit <- getInt c limitCell
  held <- heldEnd c
  let allowed = min limit held - offset
  check "INV-G1" "limit before the current segment" (allowed >= 0) [("allowed", allowed)]
  putPtr c endCell (if allowed < end `minusPtr` start then start `plusPtr` allowed else end)

-- | Let the input seem to end at this offset, or at the cursor if that is later. 'maxBound' means
-- no limit. (The cursor may be after the limit of a budget, if a budget inside it allowed more.)
setLimit :: Cells -> Int -> IO ()
setLimit c limit = do
  at <- position c
  putInt c limitCell (max limit at)
  placeEnd c

-- | The offset up to which the run may hold bytes, or 'maxBound'.
heldEnd :: Cells -> IO Int
heldEnd c = (\end -> if end < 0 then complement end else end) <$> getInt c heldCell
{-# INLINE heldEnd #-}

-- | Set 'heldCell'. The cursor must not be after the offset.
setHeldEnd :: Cells -> Int -> IO ()
setHeldEnd c end = putInt c heldCell end >> placeEnd c

-- | Replace the segments, and move the cursor to the beginning of the current one, which has this
-- offset.
replaceSegments :: Cells -> Input -> Int -> Segments -> IO ()
replaceSegments c input at !segments = do
  check "INV-G1" "an empty segment is held" (noneEmpty segments) [("offset", at)]
  writeIORef (inputSegments input) segments
  enterSegment c at (segmentCurrent segments)

-- Are the first segments on either side of the current one not empty?
noneEmpty :: Segments -> Bool
noneEmpty segments =
  not (any S.null (take 4 (segmentsPast segments)))
    && not (any S.null (take 4 (segmentsComing segments)))

-- | Move the cursor to an offset whose byte is held, or to the offset after the last byte that is
-- held. Bytes from the offset in 'keepCell' on are held.
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
    -- The cells change only at the target: a segment on the way may be after the limit.
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

-- | How many segments the way to an offset passes.
segmentsBetween :: Cells -> Input -> Int -> IO Int
segmentsBetween c input to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let end = offset + S.length (segmentCurrent segments)
      -- The offsets at which the segments on the way begin.
      back = scanl (\at bs -> at - S.length bs) offset (segmentsPast segments)
      forth = scanl (\at bs -> at + S.length bs) end (comingIn segments)
  pure $! length (if to < offset then takeWhile (> to) back else takeWhile (< to) forth)

-- | The same segments, with the first one that is not empty as the current one.
rewind :: Segments -> Segments
rewind segments = onlyThese (filter (not . S.null) (allSegments segments)) segments

-- | These segments, the first of them current. They are the last of those before.
onlyThese :: [ByteString] -> Segments -> Segments
onlyThese chunks before =
  (oneSegment (segmentsEnd before) (mconcat (take 1 chunks)))
    { segmentsComing = drop 1 chunks,
      segmentsMore = segmentsMore before
    }

-- All segments, in the order of the stream.
allSegments :: Segments -> [ByteString]
allSegments segments =
  reverse (segmentsPast segments) ++ segmentCurrent segments : comingIn segments

-- | End all jumps: the segments that were held before the outermost one are held again, and the
-- source continues after them.
returnHome :: Input -> IO ()
returnHome input = go (pure ())
  where
    go back = do
      segments <- readIORef (inputSegments input)
      case segmentsAway segments of
        Just away -> writeIORef (inputSegments input) (awaySegments away) >> go (awayBack away)
        Nothing -> back

-- | The segments after the current one, in their order.
comingIn :: Segments -> [ByteString]
comingIn segments = case segmentsArrived segments of
  [] -> segmentsComing segments
  arrived -> segmentsComing segments ++ reverse arrived

-- | The bytes from the cursor on that are held, in chunks.
unread :: Cells -> Input -> IO [ByteString]
unread c input = do
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  segments <- readIORef (inputSegments input)
  let rest = S.drop (p `minusPtr` start) (segmentCurrent segments)
      coming = comingIn segments
  pure (if S.null rest then coming else rest : coming)

-- | A copy of the bytes between two offsets that are held, and the offset of the first of them.
heldBetween :: Cells -> Input -> Int -> Int -> IO (Int, ByteString)
heldBetween c input from to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let first = offset - sum (map S.length (segmentsPast segments))
      start = max from first
      held = L.fromChunks (allSegments segments)
      between = L.take (fromIntegral (to - start)) (L.drop (fromIntegral (start - first)) held)
  pure (start, S.copy (L.toStrict between))
