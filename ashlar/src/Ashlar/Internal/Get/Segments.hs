{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Segments
-- Description : Moving the cursor through the segments that a decoder holds
--
-- All offsets count from the start of the stream, so going back needs only an offset. Nothing here
-- asks the source for input: see "Ashlar.Internal.Get.Input".
module Ashlar.Internal.Get.Segments
  ( openFirst,
    openAt,
    setLimit,
    replaceOpen,
    returnTo,
    unread,
    heldBetween,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Control.Exception (evaluate, mask_)
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
  -- | The segment.
  ByteString ->
  IO ()
openFirst c offset limit bs = do
  putInt c limitCell limit
  putInt c keepCell maxBound
  putInt c releaseCell maxBound
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
  putInt c segmentOffsetCell offset
  placeEnd c

-- The end is that of the segment, or the limit if that comes first. The limit is never before the
-- cursor.
placeEnd :: Cells -> IO ()
placeEnd c = do
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  offset <- getInt c segmentOffsetCell
  limit <- getInt c limitCell
  let allowed = limit - offset
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

-- | Replace the segments. The open one begins at this offset.
replaceOpen :: Cells -> Input -> Int -> Segments -> IO ()
replaceOpen c input at segments = do
  new <- evaluate segments
  check "INV-G1" "an empty segment is held" (noneEmpty new) [("offset", at)]
  mask_ $ do
    writeIORef (inputSegments input) new
    openAt c at (segmentOpen new)

-- The first segments on either side of the open one are not empty.
noneEmpty :: Segments -> Bool
noneEmpty segments =
  not (any S.null (take 4 (segmentsPast segments)))
    && not (any S.null (take 4 (segmentsComing segments)))

-- | Go back to an offset, at or after that in 'keepCell'.
returnTo :: Cells -> Input -> Int -> IO ()
returnTo c input to = do
  offset <- getInt c segmentOffsetCell
  if to >= offset
    then do
      start <- getPtr c segmentStartCell
      putPtr c cursorCell (start `plusPtr` (to - offset))
      placeEnd c
      inSegment "returnTo" c 0
    else returnFar c input to
{-# INLINE returnTo #-}

returnFar :: Cells -> Input -> Int -> IO ()
returnFar c input to = do
  offset <- getInt c segmentOffsetCell
  segments <- readIORef (inputSegments input)
  back offset segments
  where
    -- No segment is opened on the way: the limit may be before it.
    back offset segments = case segmentsPast segments of
      bs : past
        | to >= at -> replaceOpen c input at before >> returnTo c input to
        | otherwise -> back at before
        where
          at = offset - S.length bs
          before =
            segments
              { segmentsPast = past,
                segmentOpen = bs,
                segmentsComing = segmentOpen segments : segmentsComing segments
              }
      -- Unreachable: gather keeps everything from keepCell on.
      [] -> ioError (userError "Ashlar.Get: going back to bytes that were not kept")
{-# NOINLINE returnFar #-}

-- | The input that has been taken from the source and not been read.
unread :: Cells -> Input -> IO [ByteString]
unread c input = do
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  segments <- readIORef (inputSegments input)
  let rest = S.drop (p `minusPtr` start) (segmentOpen segments)
      coming = case segmentsArrived segments of
        [] -> segmentsComing segments
        arrived -> segmentsComing segments ++ reverse arrived
  pure (if S.null rest then coming else rest : coming)

-- | A copy of the held bytes between two offsets, and the offset of the first of them.
heldBetween :: Cells -> Input -> Int -> Int -> IO (Int, ByteString)
heldBetween c input from to = do
  offset <- getInt c segmentOffsetCell
  segments <- readIORef (inputSegments input)
  let past = segmentsPast segments
      first = offset - sum (map S.length past)
      start = max from first
      held = L.fromChunks (reverse past ++ segmentOpen segments : segmentsComing segments)
      between = L.take (fromIntegral (to - start)) (L.drop (fromIntegral (start - first)) held)
  pure (start, S.copy (L.toStrict between))
