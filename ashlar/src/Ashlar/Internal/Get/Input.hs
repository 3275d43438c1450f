{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Input
-- Description : Moving forward in the stream, and asking the source for more
--
-- The slow paths of decoding. A run holds its input as consecutive segments ('Segments'), and the
-- cursor moves in the open one. "Ashlar.Internal.Get.Segments" moves between them.
--
-- Note [Bridges]
-- ~~~~~~~~~~~~~~
-- A value whose bytes begin in one chunk and end in another is read from a bridge: a small segment
-- made of the end of the one and the beginning of the other, just as long as the value. The rest of
-- the second chunk becomes a segment of its own, so no chunk is copied whole for the few bytes at
-- its edge. The segment that was open is cut off where the bridge begins, so no byte is held twice.
--
-- A decoder may look far ahead and then move on by little. A bridge of exactly the demanded length
-- would be copied at each such step. So if more than 256 bytes from the cursor on are already held,
-- the bridge is made twice as long as these, if the bytes are there. (Test "a window that is moved
-- by little is not copied each time".)
--
-- Note [Interrupted between two steps]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- An asynchronous exception may strike anywhere, and a decoder inside an alternative then runs
-- again from the choice point, if the evaluation is resumed (Note [Exceptions that are not ours]).
-- So the state must be consistent at every moment. With exceptions masked, the segments change
-- together with the cells, and a chunk is taken from the source and put into the segments. Whatever
-- takes time is done before. Going back to the choice point repeats all else. (Test "an interrupted
-- decode can be forced again".)
module Ashlar.Internal.Get.Input
  ( demand,
    atHand,
    moreInput,
    skipInput,
    lookAt,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem (copyRange, newBuffer, sliceBuffer, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeDrop, unsafeTake)
import Control.Exception (evaluate, mask_)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (modifyIORef', readIORef, writeIORef)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)

-- | Make sure that n bytes (at least 1) are between cursor and end, or fail. The cursor keeps its
-- offset.
demand :: Cells -> Env -> Int -> IO ()
demand c env n = do
  announce c env n
  left <- atHand c env n
  when (left < n) $ do
    refuseToGoOn c env left
    p <- getPtr c cursorCell
    -- All bytes that are left are before the end now.
    failAt c env p left (MissingInput n left)
  inSegment "demand" c n
{-# NOINLINE demand #-}

-- | Bring n bytes from the cursor on into one segment, and return their number. It is less than n
-- if the input or the limit ends before. Even then all of them are counted, because the error shows
-- their number (INV-G2).
atHand :: Cells -> Env -> Int -> IO Int
atHand c env n = do
  at <- position c
  limit <- getInt c limitCell
  let target = min n (limit - at)
  min target <$> gather c env target

-- | Bring at least one byte between cursor and end. 'False' if the input ends here. It fails if the
-- input goes on, but the value has no more bytes.
moreInput :: Cells -> Env -> IO Bool
moreInput c env = do
  at <- position c
  limit <- getInt c limitCell
  if at >= limit then False <$ refuseToGoOn c env 0 else (> 0) <$> gather c env 1
{-# NOINLINE moreInput #-}

-- Given how many bytes are between the cursor and the limit or the end of the input: fail if it is
-- the limit of a budget, and the input goes on there. Note [Where a value ends].
refuseToGoOn :: Cells -> Env -> Int -> IO ()
refuseToGoOn c env left = do
  at <- position c
  limit <- getInt c limitCell
  when (at + left == maxBound) $ tooFar c env
  forGood <- if at + left < limit then pure True else endsForGood c env limit
  if forGood
    then pure ()
    else do
      more <- gather c env (left + 1)
      when (more > left) $ overBytes c env

-- The stream goes on after the last offset that an 'Int' can express, which happens on 32 bits,
-- after 2 GiB. It must not seem to end there.
tooFar :: Cells -> Env -> IO a
tooFar c env = do
  p <- getPtr c cursorCell
  failAt c env p 0 (Invalid ("a stream of more than " ++ show (maxBound :: Int) ++ " bytes"))
{-# NOINLINE tooFar #-}

-- Bring n bytes from the cursor on into one segment, and return how many that segment has there.
-- These are fewer than n only if the input ends. Memory is allocated only for bytes that have
-- arrived.
gather :: Cells -> Env -> Int -> IO Int
gather c env target = do
  p <- getPtr c cursorCell
  end <- getPtr c segmentEndCell
  let have = end `minusPtr` p
  if have >= target
    then pure have
    else do
      segments <- readIORef (inputSegments input)
      case segments of
        Segments {segmentsComing = bs : coming}
          | have == 0, S.length bs >= target -> open c input segments bs coming
        Segments {segmentsComing = [], segmentsArrived = [], segmentsEnded = False}
          | target <= 256 -> do
            found <- nextChunk c env target
            if found >= 0 then pure found else gatherAll c env target
        _ -> gatherAll c env target
  where
    input = envInput env

-- Open a segment at the cursor, with others after it, and return its length.
open :: Cells -> Input -> Segments -> ByteString -> [ByteString] -> IO Int
open c input segments bs coming = do
  at <- position c
  past <- passed c segments
  replaceOpen c input at segments {segmentsPast = past, segmentOpen = bs, segmentsComing = coming}
  pure (S.length bs)

-- 'gather' in general: it takes missing bytes from the source.
gatherAll :: Cells -> Env -> Int -> IO Int
gatherAll c env target = do
  already <- getPtr c cursorCell >>= \p -> (`minusPtr` p) <$> getPtr c segmentEndCell
  segments <- fetch c env (target - already)
  -- Read after the wait, not before: Note [Waiting].
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  let have = end `minusPtr` p
      -- The cursor is in the open segment.
      left = unsafeDrop (p `minusPtr` start) (segmentOpen segments)
      -- If much is held already, twice as much: Note [Bridges].
      wanted = if have > 256 then max target (2 * have) else target
  case segmentsComing segments of
    [] -> pure have
    -- Nothing is left of the open segment: the next can be used as it is.
    bs : coming | have == 0, S.length bs >= target -> open c input segments bs coming
    coming -> case bridge wanted (left : coming) of
      (bs, rest) -> open c input segments bs rest
  where
    input = envInput env
{-# NOINLINE gatherAll #-}

-- The bytes before the cursor that a choice point could return to.
passed :: Cells -> Segments -> IO [ByteString]
passed c segments = do
  keep <- getInt c keepCell
  offset <- getInt c segmentOffsetCell
  at <- position c
  let used = at - offset
      -- Forced, or it would keep all segments alive. The cursor is in the open one.
      !before = unsafeTake used (segmentOpen segments)
  pure
    $! if keep >= at
      then []
      else
        if keep >= offset
          then [before]
          else if used == 0 then segmentsPast segments else before : segmentsPast segments

-- Note [Waiting]
-- ~~~~~~~~~~~~~~
-- The source may take any time to answer, and many decoders may be waiting at once. So a run
-- releases all that nothing can go back to before it asks: segments kept for a choice that is now
-- closed, and the open segment if the cursor is at its end. Of that segment it copies the last 64
-- bytes, for the excerpt of an error. While it waits, nothing on the stack may refer to segments:
-- afterwards it reads the cells and 'inputSegments' again. (Tests of the group "input that has been
-- passed is not kept while a decoder waits".)

letGo :: Cells -> Input -> IO ()
letGo c input = do
  keep <- getInt c keepCell
  offset <- getInt c segmentOffsetCell
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  segments <- readIORef (inputSegments input)
  let used = p `minusPtr` start
  if p == end && used > 512 && keep >= offset + used
    then do
      -- The segment has the used bytes, which are more than 512.
      tail' <- evaluate (S.copy (unsafeDrop (used - 64) (segmentOpen segments)))
      mask_ $ do
        writeIORef (inputSegments input) $! segments {segmentsPast = [], segmentOpen = tail'}
        openAt c (offset + used - 64) tail'
        getPtr c segmentEndCell >>= putPtr c cursorCell
    else case segmentsPast segments of
      _ : _ | keep >= offset -> writeIORef (inputSegments input) $! segments {segmentsPast = []}
      _ -> pure ()

-- Note [The next chunk]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Most calls of 'gather' need a few bytes, and find them in the next chunk. 'nextChunk' handles
-- these in one step, without lists. For small chunks that is faster than 'fetch' and 'bridge',
-- which handle all other calls (benchmark "Word64le in chunks of 100 bytes"). It copies with
-- exceptions masked, so it makes short bridges only.

-- Take the next chunk when nothing comes after the open segment. Open the chunk, or a bridge into
-- it. Returns how many bytes there are, or -1 if the chunk does not suffice. Then the chunk is
-- among those that have arrived.
nextChunk :: Cells -> Env -> Int -> IO Int
nextChunk c env target = do
  letGo c input
  inputPrepare input (chargeStop c env)
  mask_ $ do
    bs <- inputNext input
    segments <- readIORef (inputSegments input)
    p <- getPtr c cursorCell
    end <- getPtr c segmentEndCell
    let have = end `minusPtr` p
        more = target - have
        opened new coming = do
          at <- position c
          past <- passed c segments
          writeIORef (inputSegments input)
            $! segments {segmentsPast = past, segmentOpen = new, segmentsComing = coming}
          openAt c at new
          pure (S.length new)
    if S.null bs
      then have <$ (writeIORef (inputSegments input) $! segments {segmentsEnded = True})
      else
        if S.length bs < more
          then -1 <$ (writeIORef (inputSegments input) $! segments {segmentsArrived = [bs]})
          else
            if have == 0
              then opened bs []
              else do
                buffer <- newBuffer target
                let q = unsafeForeignPtrToPtr buffer
                -- The first bytes are in the open segment, at the cursor, and the others in the
                -- chunk. The input keeps the segment alive until we are done, and the slice keeps
                -- the buffer alive.
                copyRange q p have
                withBytesQuick bs (\b _ -> copyRange (q `plusPtr` have) b more)
                let rest = [unsafeDrop more bs | S.length bs > more]
                opened (sliceBuffer buffer q (q `plusPtr` target)) rest
  where
    input = envInput env

-- Take chunks from the source until n bytes are coming, or it ends.
fetch :: Cells -> Env -> Int -> IO Segments
fetch c env target = do
  before <- readIORef (inputSegments input)
  go (sum (map S.length (segmentsArrived before)) + atLeast target (segmentsComing before))
  segments <- readIORef (inputSegments input)
  -- Only if there is something to append: otherwise each call would wrap the same list once more.
  pure $ case segmentsArrived segments of
    [] -> segments
    arrived ->
      segments
        { segmentsComing = segmentsComing segments ++ reverse arrived,
          segmentsArrived = []
        }
  where
    input = envInput env
    go n
      | n >= target = pure ()
      | otherwise = do
        ended <- segmentsEnded <$> readIORef (inputSegments input)
        if ended
          then pure ()
          else do
            letGo c input
            inputPrepare input (chargeStop c env)
            got <- mask_ $ do
              bs <- inputNext input
              modifyIORef' (inputSegments input) $ \now ->
                if S.null bs
                  then now {segmentsEnded = True}
                  else now {segmentsArrived = bs : segmentsArrived now}
              pure (S.length bs)
            go (n + got)
    -- The number of bytes, counted up to n.
    atLeast n (bs : more) | n > 0 = S.length bs + atLeast (n - S.length bs) more
    atLeast _ _ = 0

-- One segment of n bytes, or of all if there are fewer, and the rest.
bridge :: Int -> [ByteString] -> (ByteString, [ByteString])
bridge target = go target []
  where
    go n acc (bs : more)
      | S.length bs <= n = go (n - S.length bs) (bs : acc) more
      -- The chunk has more than n bytes.
      | n > 0 = (S.concat (reverse (unsafeTake n bs : acc)), unsafeDrop n bs : more)
      | otherwise = (S.concat (reverse acc), bs : more)
    go _ acc [] = (S.concat (reverse acc), [])

-- | Go forward by n bytes (not negative), or fail. It does not bring them into one segment.
skipInput :: Cells -> Env -> Int -> IO ()
skipInput c env n = do
  announce c env n
  at <- position c
  limit <- getInt c limitCell
  let target = min n (limit - at)
      go left = do
        p <- getPtr c cursorCell
        e <- getPtr c endCell
        let have = e `minusPtr` p
        if have >= left
          then putPtr c cursorCell (p `plusPtr` left) >> pure 0
          else do
            putPtr c cursorCell e
            more <- moreInput c env
            if more then go (left - have) else pure (left - have)
  missing <- go target
  let left = target - missing
  when (left < n) $ do
    refuseToGoOn c env 0
    failWith c env at at nothingFound (MissingInput n left)
{-# NOINLINE skipInput #-}

-- | The next bytes: at most n, and at most 16.
lookAt :: Cells -> Env -> Int -> IO Found
lookAt c env n = do
  have <- if n > 0 then gather c env n else pure 0
  p <- getPtr c cursorCell
  peekFound p (min n have)
