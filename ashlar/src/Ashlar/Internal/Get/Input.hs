{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MultiWayIf #-}

-- |
-- Module      : Ashlar.Internal.Get.Input
-- Description : Moving forward in the stream, and asking the source for more
--
-- The slow paths of decoding, by which a run gets and leaves segments ('Segments').
--
-- Note [Bridges]
-- ~~~~~~~~~~~~~~
-- A value whose bytes begin in one chunk and end in another is read from a bridge: a small segment,
-- just as long as the value, made of the end of one chunk and the beginning of the next. What
-- remains of the second chunk becomes a segment of its own. So no whole chunk is copied for a few
-- bytes at its edge. The segment before the bridge is cut off where the bridge begins, so no byte
-- is held twice.
--
-- A decoder may look far ahead and then move on by a few bytes, again and again. A bridge of
-- exactly the demanded length would be copied each time. So if the current segment has more than
-- 256 bytes from the cursor on, the bridge is made twice as long as these, if that many bytes are
-- held. If chunks are smaller than the window, they are not, and each chunk copies the window.
-- (Test "a window that is moved by little is not copied each time".)
--
-- Note [Interrupted while it fetches]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- If an asynchronous exception strikes, a lazy value is frozen, and its run continues later. A run
-- in an action has ended, and 'Ashlar.Get.attemptFrom' reads the held segments again. No chunk may
-- be lost in either case. So a chunk is taken from the source and added to the segments with
-- exceptions masked, and the segments change by a single write. (Test "an interrupted decode can be
-- forced again".)
module Ashlar.Internal.Get.Input
  ( demand,
    announce,
    atHand,
    gather,
    joinSince,
    moreInput,
    skipInput,
    skipUpTo,
    countAhead,
    require,
    heldAhead,
    lookAt,
    here,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Record (comingIn, enterSegment, heldEnd, replaceSegments, shownOf)
import Ashlar.Internal.Get.Type
import Ashlar.Internal.Mem (copyRange, newBuffer, sliceBuffer, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeDrop, unsafeTake)
import Control.Exception (evaluate, mask_)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef (readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | Make sure that n bytes (at least 1) lie between cursor and end, or fail. The cursor keeps its
-- offset, but may change its address.
demand :: Int -> Get ()
demand n = do
  there <- announce n
  found <- if there < n then pure (there - n) else bring n
  if found < 0 then missing n (n + found) else step (\c _ -> inSegment "demand" c n)
{-# NOINLINE demand #-}

-- | Make sure that the input has n bytes (not negative), or fail. They are held, but may be in more
-- than one segment.
require :: Int -> Get ()
require n = do
  there <- announce n
  have <- if there < n then pure there else ahead n
  when (have < n) $ missing n have
{-# NOINLINE require #-}

-- Fail, because n bytes were needed, and the input has fewer. Only those that the error shows are
-- joined. (Loops may fail again and again at the end of the input: tests "failing at the end".)
missing :: Int -> Int -> Get ()
missing n have = do
  shown <- inspect (\c env _ -> shownOf c env have)
  _ <- gather shown
  p <- cursor
  failAt p have (MissingInput n have)

-- | Fail if the decoder may not take n bytes although the input has them. So an announced length is
-- refused before memory is allocated for it. Returns n, or the number of bytes that are left in the
-- input if these are fewer.
announce :: Int -> Get Int
announce n = allowed n >>= \left -> if n <= left then pure n else announceBeyond n left
{-# INLINE announce #-}

-- 'announce' for n bytes of which the decoder may take only some, given how many.
announceBeyond :: Int -> Int -> Get Int
announceBeyond n left = do
  forGood <- inspect (\c env _ -> endsHere c env)
  if forGood
    then if left == 0 then pure 0 else min left <$> ahead left
    else do
      -- The bytes are counted, but not copied into one segment, because there may be many.
      have <- ahead (left + 1)
      when (have > left) $ do
        at <- here
        if at + left == maxBound then tooFar else overBytes n
      pure have
{-# NOINLINE announceBeyond #-}

-- | Bring n bytes from the cursor on into one segment, and return n. If the input or the limit ends
-- before, bring all bytes up to there, and return their number, which the error shows (INV-G2).
atHand :: Int -> Get Int
atHand n = do
  left <- allowed n
  let target = min n left
  min target <$> gather target

-- Let the run hold n bytes if possible ('moveHeld'), and return how many the decoder may take.
allowed :: Int -> Get Int
allowed n = inspect $ \c _ p -> do
  at <- offsetOf c p
  moveHeld c at n
  limit <- getInt c limitCell
  held <- heldEnd c
  pure $! min limit held - at
{-# INLINE allowed #-}

-- | Make sure that at least one byte lies between cursor and end. Returns 'False' if the input ends
-- here. Fails if the input goes on, but the budget allows no more bytes.
moreInput :: Get Bool
moreInput = do
  left <- allowed 1
  if left > 0 then (> 0) <$> gather 1 else False <$ announceBeyond 1 left
{-# NOINLINE moreInput #-}

-- Fail, because the stream goes on after the greatest 'Int', which happens with 32 bits.
tooFar :: Get a
tooFar = invalid ("a stream of more than " ++ show (maxBound :: Int) ++ " bytes")
{-# NOINLINE tooFar #-}

-- | Bring n bytes from the cursor on into the current segment, whatever the limits. Returns how
-- many bytes the segment then has from the cursor on. These are fewer than n only if the input
-- ends. Memory is allocated only for bytes that have arrived.
gather :: Int -> Get Int
gather target = do
  found <- bring target
  if found >= 0 then pure found else bring (target + found)

-- 'gather', but if the input ends before, this joins nothing, and returns how many bytes are
-- missing, negated.
bring :: Int -> Get Int
bring target = do
  found <- joined
  if found >= 0 then pure found else fetch (negate found) *> joined
  where
    joined = step (\c env -> joinAhead c (envInput env) target)

-- | Bring n bytes that have been read into one segment, from the cursor up to an offset.
--
-- Bytes that were joined before are copied again. So if each part of a value is joined with what is
-- around it ('Ashlar.Get.match' within 'Ashlar.Get.match'), that takes time in proportion to the
-- levels. Each 1,024 bytes of these are a step of the budget. (Test "a match within a match".)
joinSince :: Int -> Int -> Get ()
joinSince end n = do
  there <- inspect (\c _ p -> (\e -> e `minusPtr` p >= n) <$> getPtr c segmentEndCell)
  unless there $ do
    again <- step $ \_ env -> do
      let ref = inputSegments (envInput env)
      segments <- readIORef ref
      writeIORef ref $! segments {segmentsJoined = end}
      pure $! max 0 (segmentsJoined segments - (end - n))
    spend " bytes joined again" (again `quot` 1024)
    () <$ gather n

-- | How many of the next n bytes (not negative) the input has, or 'Nothing' if a budget may end
-- before them. The bytes are held, but may be in more than one segment. Bytes that are held already
-- are not counted one segment after another.
countAhead :: Int -> Get (Maybe Int)
countAhead n = do
  left <- allowed n
  forGood <- inspect (\c env _ -> endsHere c env)
  held <- heldAhead
  ended <- inspect (\_ env _ -> segmentsEnded <$> readIORef (inputSegments (envInput env)))
  let most = min n left
  if
      | n <= left || forGood -> Just . min most <$> ahead most
      | ended && held <= left -> pure (Just held)
      | otherwise -> pure Nothing

-- Fetch chunks until n bytes from the cursor on are held, and return how many are. These are fewer
-- than n only if the input ends. They may be in more than one segment.
ahead :: Int -> Get Int
ahead n = do
  have <- heldAhead
  if have >= n then pure have else fetch (n - have) *> heldAhead

-- | How many bytes from the cursor on are held, whatever the limit.
heldAhead :: Get Int
heldAhead = inspect $ \c env p -> do
  at <- offsetOf c p
  subtract at . segmentsEnd <$> readIORef (inputSegments (envInput env))

-- Take chunks from the source until they have n bytes in all, or the source ends.
fetch :: Int -> Get ()
fetch n
  | n <= 0 = pure ()
  | otherwise = do
    -- (Forced, so that it does not refer to the segments.)
    !more <- inspect (\_ env _ -> segmentsMore <$> readIORef (inputSegments (envInput env)))
    case more of
      NoMore -> pure ()
      Later -> giveUp
      More -> do
        step (\c env -> letGo c (envInput env))
        got <- inspect (\_ env _ -> takeChunk (envInput env))
        fetch (n - got)
{-# NOINLINE fetch #-}

-- Wait for the next chunk, and add it to the segments: Note [Interrupted while it fetches]. Returns
-- its length, which is 0 at the end of the input.
takeChunk :: Input -> IO Int
takeChunk input = do
  inputPrepare input
  mask_ $ do
    bs <- inputNext input
    now <- readIORef (inputSegments input)
    let end = segmentsEnd now + S.length bs
    writeIORef (inputSegments input)
      $! if S.null bs
        then now {segmentsMore = NoMore}
        else case now of
          Segments {segmentsComing = [], segmentsArrived = []} ->
            now {segmentsComing = [bs], segmentsEnd = end}
          _ -> now {segmentsArrived = bs : segmentsArrived now, segmentsEnd = end}
    pure (S.length bs)

-- Make a segment current that has n bytes from the cursor on, and return how many bytes it has
-- there. If that many are not held, change nothing, and return how many are missing, negated.
joinAhead :: Cells -> Input -> Int -> IO Int
joinAhead c input target = do
  p <- getPtr c cursorCell
  end <- getPtr c segmentEndCell
  let have = end `minusPtr` p
  if have >= target
    then pure have
    else do
      segments <- readIORef (inputSegments input)
      at <- offsetOf c p
      let held = segmentsEnd segments - at
          enter bs coming = do
            past <- passed c segments
            replaceSegments c input at $
              segments
                { segmentsPast = past,
                  segmentCurrent = bs,
                  segmentsComing = coming,
                  segmentsArrived = []
                }
            pure (S.length bs)
          -- A long bridge is made longer than demanded: Note [Bridges].
          wanted = if have > 256 then max target (2 * have) else target
      case comingIn segments of
        _ | held < target -> pure (held - target)
        -- Nothing is left of the current segment, and the next one is long enough as it is.
        bs : coming | have == 0, S.length bs >= target -> enter bs coming
        coming -> do
          start <- getPtr c segmentStartCell
          -- The cursor is in the current segment.
          let !left = unsafeDrop (p `minusPtr` start) (segmentCurrent segments)
          Bridge bs rest <- bridge (min held wanted) left coming
          enter bs rest
{-# NOINLINE joinAhead #-}

-- The segments before the cursor that a choice point may return to, the latest first.
passed :: Cells -> Segments -> IO [ByteString]
passed c segments = do
  keep <- getInt c keepCell
  offset <- segmentOffset c
  at <- position c
  let used = at - offset
      -- Forced, or it would keep all segments alive. The cursor is in the current one.
      !before = unsafeTake used (segmentCurrent segments)
  pure
    $! if keep >= at
      then []
      else
        if keep >= offset
          then [before]
          else if used == 0 then segmentsPast segments else before : segmentsPast segments

-- A bridge, and the segments after it.
data Bridge = Bridge !ByteString ![ByteString]

-- A bridge of n bytes. The first chunk has fewer than n bytes. All together have at least n.
bridge :: Int -> ByteString -> [ByteString] -> IO Bridge
bridge n first others = do
  buffer <- newBuffer n
  -- The buffer has n bytes, and the chunks have at least n. The slice keeps the buffer alive.
  let start = unsafeForeignPtrToPtr buffer
      end = start `plusPtr` n
      put q bs m = withBytesQuick bs (\b _ -> copyRange q b m)
      go :: Ptr Word8 -> [ByteString] -> IO [ByteString]
      go !q chunks = case chunks of
        bs : more
          | m < S.length bs -> do
            put q bs m
            let !rest = unsafeDrop m bs
            pure (rest : more)
          | m > 0 -> put q bs m >> go (q `plusPtr` m) more
          where
            m = min (S.length bs) (end `minusPtr` q)
        _ -> pure chunks
  put start first (S.length first)
  rest <- go (start `plusPtr` S.length first) others
  pure (Bridge (sliceBuffer buffer start end) rest)

-- Note [Waiting]
-- ~~~~~~~~~~~~~~
-- The source may take any time to answer, and many decoders may be waiting at once. So before it
-- asks, a run releases all segments that no choice can go back to: those kept for a choice that has
-- been closed, and the current segment if it has more than 512 bytes and the cursor is at its end.
-- Of the current segment it keeps a copy of the last 64 bytes, for the excerpt of an error. While
-- the run waits, nothing on the stack may refer to segments. Afterwards it reads the cells and
-- 'inputSegments' again. (Tests of the group "input that has been passed is not kept while a
-- decoder waits".)

-- Release the segments that are not needed: Note [Waiting].
letGo :: Cells -> Input -> IO ()
letGo c input = do
  keep <- getInt c keepCell
  offset <- segmentOffset c
  p <- getPtr c cursorCell
  start <- getPtr c segmentStartCell
  end <- getPtr c segmentEndCell
  segments <- readIORef (inputSegments input)
  let used = p `minusPtr` start
  if p == end && used > 512 && keep >= offset + used
    then do
      -- The segment has at least the used bytes, which are more than 512.
      tail' <- evaluate (S.copy (unsafeDrop (used - 64) (segmentCurrent segments)))
      writeIORef (inputSegments input) $! segments {segmentsPast = [], segmentCurrent = tail'}
      enterSegment c (offset + used - 64) tail'
      getPtr c segmentEndCell >>= putPtr c cursorCell
    else case segmentsPast segments of
      _ : _ | keep >= offset -> writeIORef (inputSegments input) $! segments {segmentsPast = []}
      _ -> pure ()

-- | Skip n bytes (not negative), or fail. The bytes are not brought into one segment.
skipInput :: Int -> Get ()
skipInput n = do
  at <- here
  left <- skipUpTo n
  when (left < n) $ failWith at at nothingFound (MissingInput n left)
{-# NOINLINE skipInput #-}

-- | Skip n bytes (not negative), or all bytes if the input has fewer. Returns how many were
-- skipped. Fails where a budget ends and the input goes on.
skipUpTo :: Int -> Get Int
skipUpTo n = go n
  where
    go left = do
      have <- step (\c _ -> toEnd c left)
      if have >= left
        then pure n
        else moreInput >>= \more -> if more then go (left - have) else pure (n - left + have)
    toEnd c left = do
      p <- getPtr c cursorCell
      e <- getPtr c endCell
      let have = e `minusPtr` p
      have <$ putPtr c cursorCell (p `plusPtr` min have left)

-- | The offset of the next byte.
here :: Get Int
here = inspect (\c _ p -> offsetOf c p)
{-# INLINE here #-}

-- | The next n bytes, but at most 16, and fewer if the input ends. They are not read.
lookAt :: Int -> Get Found
lookAt n = do
  have <- if n > 0 then gather n else pure 0
  p <- cursor
  effect (peekFound p (min n have))
