{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Segments
-- Description : Moving the cursor through the segments that a decoder holds
--
-- All offsets count from the start of the stream, so going back needs only an offset. Nothing here
-- asks the source for input: see "Ashlar.Internal.Get.Input". These are actions on the cells, with
-- the cursor in its cell.
module Ashlar.Internal.Get.Segments
  ( openFirst,
    openAt,
    setLimit,
    heldEnd,
    setHeldEnd,
    replaceOpen,
    returnTo,
    segmentsBetween,
    rewind,
    comingIn,
    unread,
    heldBetween,
    heldUpTo,
    returnHome,
  )
where

import Ashlar.Internal.Get.Env
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

-- | Set up the cells for reading from the open segment.
openFirst ::
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
openFirst c offset limit held bs = do
  putInt c limitCell limit
  putInt c heldCell held
  putInt c keepCell maxBound
  putInt c releaseCell maxBound
  putInt c commitsCell 0
  openAt c offset bs

-- | Open a segment that begins at this offset, and put the cursor at its beginning.
openAt :: Cells -> Int -> ByteString -> IO ()
openAt c offset bs = do
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
  check "INV-G1" "the limit is before the open segment" (allowed >= 0) [("allowed", allowed)]
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
replaceOpen :: Cells -> Input -> Int -> Segments -> IO ()
replaceOpen c input at !segments = do
  check "INV-G1" "an empty segment is held" (noneEmpty segments) [("offset", at)]
  writeIORef (inputSegments input) segments
  openAt c at (segmentOpen segments)

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
              segmentOpen = bs,
              segmentsComing = segmentOpen segments : segmentsComing segments
            }
      | to > end,
        bs : coming <- comingIn segments =
        shift
          end
          segments
            { segmentsPast = segmentOpen segments : segmentsPast segments,
              segmentOpen = bs,
              segmentsComing = coming,
              segmentsArrived = []
            }
      -- Unreachable: gather keeps everything from keepCell on.
      | to < offset || to > end =
        ioError (userError "Ashlar.Get: going to bytes that were not kept")
      | otherwise = replaceOpen c input offset segments >> returnTo c input to
      where
        end = offset + S.length (segmentOpen segments)
{-# NOINLINE returnTo #-}

-- | How many segments are opened on the way to an offset.
segmentsBetween :: Cells -> Input -> Int -> IO Int
segmentsBetween c input to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let end = offset + S.length (segmentOpen segments)
      -- Where each begins, from the open one on.
      back = scanl (\at bs -> at - S.length bs) offset (segmentsPast segments)
      forth = scanl (\at bs -> at + S.length bs) end (comingIn segments)
  pure $! length (if to < offset then takeWhile (> to) back else takeWhile (< to) forth)

-- | All that is held, to be read again from its beginning, whatever the cells say.
rewind :: Segments -> Segments
rewind segments = case filter (not . S.null) (heldFrom segments) of
  open : coming -> held {segmentOpen = open, segmentsComing = coming}
  [] -> held
  where
    held = newSegments {segmentsEnded = segmentsEnded segments}

heldFrom :: Segments -> [ByteString]
heldFrom segments = reverse (segmentsPast segments) ++ segmentOpen segments : comingIn segments

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
heldUpTo :: Cells -> Segments -> IO Int
heldUpTo c segments = do
  offset <- segmentOffset c
  pure $! offset + sum (map S.length (segmentOpen segments : comingIn segments))

-- | What comes after the open segment.
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
  let rest = S.drop (p `minusPtr` start) (segmentOpen segments)
      coming = comingIn segments
  pure (if S.null rest then coming else rest : coming)

-- | A copy of the held bytes between two offsets, and the offset of the first of them.
heldBetween :: Cells -> Input -> Int -> Int -> IO (Int, ByteString)
heldBetween c input from to = do
  offset <- segmentOffset c
  segments <- readIORef (inputSegments input)
  let first = offset - sum (map S.length (segmentsPast segments))
      start = max from first
      held = L.fromChunks (heldFrom segments)
      between = L.take (fromIntegral (to - start)) (L.drop (fromIntegral (start - first)) held)
  pure (start, S.copy (L.toStrict between))
