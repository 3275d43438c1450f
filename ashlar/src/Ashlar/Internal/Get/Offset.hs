{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Offset
-- Description : Going to offsets that the input has
--
-- Note [Jumps]
-- ~~~~~~~~~~~~
-- A jump ('atOffset', 'viaOffset') runs a decoder at another offset, and comes back as a look-ahead
-- does. It comes back after a failure, too. Otherwise the cursor could stay before the offset of a
-- choice around the jump, and choices can only go back.
--
-- If the source cannot seek, all bytes from the jump on are kept until it ends, and 'origin' keeps
-- those from its own beginning on, so that a jump can lead back.
--
-- If the source can seek, these bytes are not kept. The jump puts the held segments aside
-- ('segmentsAway'), and the source continues at the target. Afterwards the segments are held again,
-- and the source continues where it was. So nothing is kept during the jump ('keepCell' is
-- 'maxBound'), and it may hold as many bytes of its own as a stream, from the target on. All jumps
-- within each other may put aside as many bytes again that choices may go back to, and 1 MiB that
-- nobody needs. A jump that would exceed the 1 MiB drops its part, and reads it again afterwards.
--
-- Offsets come from the input, and may lead in circles. So a jump counts as a level, which limits
-- jumps within jumps, and as a step, which limits jumps after one another. In input of small
-- chunks, a jump may pass many segments: every 64 of them count as another step. A jump that drops
-- bytes copies those that choices may go back to: every 4 KiB of these count as another step.
module Ashlar.Internal.Get.Offset
  ( origin,
    atOffset,
    viaOffset,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Choice (aheadIf)
import Ashlar.Internal.Get.ChoicePoint
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail (invalidFrom)
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Input (announce, skipUpTo)
import Ashlar.Internal.Get.Limits (endsForGood, overHeld, spend, streamBytes, streamEnd)
import Ashlar.Internal.Get.Record
  ( heldBetween,
    replaceSegments,
    returnTo,
    segmentsBetween,
  )
import Ashlar.Internal.Mem.Cells
import Control.Monad (unless, when)
import Data.Bits (complement)
import qualified Data.ByteString as S
import Data.IORef (readIORef)
import Data.Int (Int64)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | Let the offsets of a decoder ('atOffset', 'viaOffset') count from here.
--
-- Such offsets may lead to any byte from here on. For that, all bytes from here on are kept until
-- the decoder ends, unless the source can seek (a file, a 'System.IO.Handle' of a file). So on a
-- stream the decoder may read at most 64 MiB ('Ashlar.Get.budgetBytes'). Without an @origin@ around
-- it, an offset counts from the start of the input, and must lead forward.
--
-- >>> let item = getWord8 *> viaOffset (fromIntegral <$> getWord8) (getByteString 2)
-- >>> runGet (skip 3 *> origin item) "...\1\4__ab"
-- Right "ab"
origin :: Get a -> Get a
origin g = here >>= \at -> kept (inEnv (inMarks (\m -> m {markOrigin = at})) g)
  where
    kept p = seekerHere >>= maybe (aheadIf (const False) p) (const p)

-- | Run a decoder at an offset, and go back. The offset counts from where the innermost 'origin'
-- began, or from the start of the input. Labels and limits around this apply to the decoder: it
-- cannot read beyond an 'Ashlar.Get.isolate' around it. A commit in it gives up the choices around
-- this.
--
-- An offset after the end is a 'BadOffset' error, and a negative one is 'Invalid'. The error is
-- here, or, with 'viaOffset', where the offset was read.
--
-- In a file, this seeks, and reads only what the decoder needs. A stream is read up to the offset,
-- and kept from here on.
--
-- Each jump is a step of the budget, and so are each 1,024 bytes up to where its decoder ends, and
-- each 64 chunks that it passes in a stream. So only the number of jumps that are allowed depends
-- on the chunks. Nested jumps are levels, as by 'Ashlar.Get.deeper'. So offsets that lead in a
-- circle give an error, and many that lead to the same bytes cost no more than those steps. Bytes
-- that the decoder reads and goes back over, in a look-ahead or an alternative that fails, are not
-- counted: there the input chooses where to read, and your decoder how much.
--
-- > bytesRead >>= \n -> atOffset n p  =  lookAhead p  -- without an origin
--
-- >>> runGetRest (atOffset 3 getWord8) "abcd"
-- Right (100,"abcd")
-- >>> either (putStrLn . displayException) print (runGet (getWord8 *> atOffset 9 getWord8) "abcd")
-- at byte 1: offset 9 leads out of the 4 bytes that there are
--   00000000  61 62 63 64                                       |abcd|
--                ^^
atOffset ::
  -- | In bytes.
  Int64 ->
  -- | The decoder to run there.
  Get a ->
  Get a
atOffset offset p = here >>= \at -> jump at offset p

-- | Read an offset, and run a decoder there, as @getOffset '>>=' \\n -> 'atOffset' n p@ does. An
-- error about the offset is at the first byte of the number.
--
-- >>> let name = viaOffset (fromIntegral <$> getWord16be) getByteStringNul
-- >>> runGet ((,) <$> name <*> name) "\0\6\0\4ab\0"
-- Right ("","ab")
viaOffset ::
  -- | The offset, in bytes.
  Get Int64 ->
  -- | The decoder to run there.
  Get a ->
  Get a
viaOffset getOffset p = here >>= \at -> getOffset >>= \offset -> jump at offset p

-- 'atOffset', given the offset at which errors about the offset are.
jump :: Int -> Int64 -> Get a -> Get a
jump at offset p = do
  from <- inspect (\_ env _ -> pure $! markOrigin (envMarks env))
  now <- here
  let base = max 0 from
      -- (An offset that is not an Int is after the end of any input.)
      to = if offset > fromIntegral (maxBound - base) then maxBound else base + fromIntegral offset
      outOf end = failWith at at nothingFound (BadOffset offset (fromIntegral (end - base)))
      there = charged to (deeper p)
  passed <- inspect (\c env _ -> segmentsBetween c (envInput env) to)
  spend " jumps to offsets" (1 + passed `quot` 64)
  when (offset < 0) $ invalidFrom at ("a negative offset: " ++ show offset)
  when (to < now && from == noOrigin) $
    invalidFrom at ("offset " ++ show offset ++ " leads back, and no origin is around it")
  seeker <- seekerHere
  case seeker of
    Just s -> do
      leave <- inspect leaving
      when (leavingKept leave > streamBytes) $ overHeld (leavingKept leave)
      when (leavingTrims leave) $ spend " jumps to offsets" (leavingOwn leave `quot` 4096)
      seekable s leave to outOf
      away s leave to there
    Nothing -> andBack $ do
      if to < now
        then step (\c env -> returnTo c (envInput env) to)
        else do
          have <- skipUpTo (to - now)
          when (have < to - now) $
            outOf (now + have)
      there

-- Charge a step for each 1,024 bytes from an offset to where a decoder ends, or fails.
charged :: Int -> Get a -> Get a
charged from p = Get $ \p0 c env s0 -> case unGet p p0 c env s0 of
  (# s1, p1, result #) -> case unGet charge p1 c env s1 of
    (# s2, p2, (# _ | #) #) -> (# s2, p2, result #)
    (# s2, p2, (# | none #) #) -> (# s2, p2, (# | none #) #)
  where
    charge = do
      end <- here
      -- (The budget that is used up is the error.)
      over <- inspect (\c _ _ -> isOver c)
      unless over $ spend " jumps to offsets" (max 0 (end - from) `quot` 1024)

-- Fail if an offset is after the end of the source, or after the limit.
seekable :: Seeker -> Leaving -> Int -> (Int -> Get ()) -> Get ()
seekable s leave to outOf = do
  end <- effect (seekEnd s)
  (limit, forGood) <- inspect $ \c env _ -> do
    limit <- getInt c limitCell
    (,) limit <$> endsForGood c env limit
  if
      | to <= min end limit -> pure ()
      | end <= limit -> outOf end
      | forGood -> outOf limit
      -- A budget ends before the offset. Fail at the limit, as a stream would. (Some files are
      -- shorter than they say. If nothing is at the limit, the offset is after the end.)
      | otherwise -> away s leave limit (() <$ announce 1) *> outOf limit

-- How to seek in the source, if it can.
seekerHere :: Get (Maybe Seeker)
seekerHere = step $ \_ env -> case env of
  Env input _ _ _ -> readIORef (inputSegments input) >>= inputSeeker input . segmentsEnd
  _ -> pure Nothing

-- Run a decoder that moves to another offset, and come back whether it succeeds or fails. The bytes
-- from the cursor on are kept meanwhile.
andBack :: Get a -> Get a
andBack p = do
  (ahead, a) <-
    enclosed
      (inspect openLookAhead)
      (\ahead -> step (\c env -> comeBack c env ahead))
      (\ahead -> (,) ahead <$> p)
  a <$ inspect (\_ env _ -> forget env ahead)

-- Run a decoder at an offset of a source that can seek: Note [Jumps].
away :: Seeker -> Leaving -> Int -> Get a -> Get a
away seeker leave to p =
  andBack (enclosed (step (putAside seeker leave to)) (step . holdAgain) (const p))

-- How many bytes a jump puts aside in a source that can seek.
data Leaving = Leaving
  { -- The offset of the source's next chunk.
    leavingNext :: !Int,
    -- The number of bytes before the cursor that choices may go back to.
    leavingOwn :: !Int,
    -- The same with those of the jumps around, for comparison with the limit. 0 if this is the
    -- outermost jump, or the run may hold any number.
    leavingKept :: !Int,
    -- The number of other bytes that this jump and those around put aside.
    leavingUnneeded :: !Int,
    -- Does this jump drop the other bytes, to read them again later?
    leavingTrims :: !Bool
  }

leaving :: Cells -> Env -> Ptr Word8 -> IO Leaving
leaving c env p = do
  keep <- getInt c keepCell
  at <- offsetOf c p
  held <- getInt c heldCell
  segments <- readIORef (inputSegments (envInput env))
  start <- segmentOffset c
  let next = segmentsEnd segments
      around = segmentsAway segments
      own = at - min keep at
      kept = if held == maxBound then 0 else maybe 0 ((own +) . awayKept) around
      bytes = next - start + sum (map S.length (segmentsPast segments))
      unneededAround = maybe 0 awayUnneeded around
      -- (At least 32 KiB, because a slice keeps its chunk in memory.)
      unneeded = unneededAround + max 32768 bytes - min own bytes
      trims = unneeded > 1048576
  pure (Leaving next own kept (if trims then unneededAround else unneeded) trims)

-- What a jump puts aside, and holds again when it ends. ('andBack' resets the other cells.)
data Aside = Aside
  { asideAway :: !Away,
    -- The offset of the current segment.
    asideStart :: !Int,
    asideLimit :: !Int,
    asideHeld :: !Int
  }

putAside :: Seeker -> Leaving -> Int -> Cells -> Env -> IO Aside
putAside seeker leave to c env = do
  let input = envInput env
  segments <- readIORef (inputSegments input)
  (kept, start, next) <-
    if leavingTrims leave
      then do
        at <- position c
        (first, bs) <- heldBetween c input (at - leavingOwn leave) at
        pure ((oneSegment at bs) {segmentsAway = segmentsAway segments}, first, at)
      else (\start -> (segments, start, leavingNext leave)) <$> segmentOffset c
  limit <- getInt c limitCell
  held <- getInt c heldCell
  let end = streamEnd to streamBytes
  putInt c heldCell $ if held == maxBound then held else if held < 0 then complement end else end
  putInt c keepCell maxBound
  putInt c releaseCell maxBound
  -- Forced, so that it does not refer to the bytes that are dropped.
  let !left =
        Away
          { awaySegments = kept,
            awayBack = seekTo seeker next,
            awayKept = leavingOwn leave + maybe 0 awayKept (segmentsAway segments),
            awayUnneeded = leavingUnneeded leave
          }
  -- Before the seek, so that 'returnHome' works if the seek throws an exception.
  replaceSegments c input to (oneSegment to S.empty) {segmentsAway = Just left}
  Aside left start limit held <$ seekTo seeker to

holdAgain :: Aside -> Cells -> Env -> IO ()
holdAgain aside c env = do
  putInt c limitCell (asideLimit aside)
  putInt c heldCell (asideHeld aside)
  awayBack (asideAway aside)
  replaceSegments c (envInput env) (asideStart aside) (awaySegments (asideAway aside))
