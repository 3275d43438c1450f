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
-- A jump is a look-ahead that begins somewhere else. In memory, and in a stream, it keeps what it
-- comes back to, and 'origin' keeps what lies before that. It comes back after a failure, too: the
-- choices around it go back only, and it may have failed before their offsets.
--
-- If the source can seek, nothing is kept. What is held at the jump is put aside ('segmentsAway'),
-- and the source goes on at the offset. Afterwards that is held again, and the source goes on where
-- it was. So a jump holds what it looks at. While it lasts, the choices around it need no bytes but
-- those put aside, so 'keepCell' has none. Jumps within jumps put aside what choices may go back
-- to, which has the limit of a stream, and 1 MiB more. Beyond that, the rest is read again.
--
-- So the limit on what is held counts from the offset while the jump lasts.
--
-- Offsets come from the input, and may lead in circles. So a jump is a level, for decoders that
-- jump within a jump, and a step, for those that jump again afterwards. It passes the segments
-- between, of which there are many where the input comes in small chunks: 64 of them are a step.
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
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (heldBetween, nextChunkOffset, replaceSegments, returnTo, segmentsBetween)
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
import Data.Bits (complement)
import qualified Data.ByteString as S
import Data.IORef (readIORef)
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import Data.Word (Word8)
import GHC.Exts (Ptr (Ptr))
import GHC.IO (unIO)

-- | Let the offsets of a decoder count from here: those of 'atOffset' and 'viaOffset'.
--
-- They may lead anywhere from here on. For that, the bytes from here on are kept until the decoder
-- ends, unless the source can seek (a file, a 'System.IO.Handle' of a file). So on a stream this is
-- for values of at most 64 MiB ('Ashlar.Get.budgetBytes'). Without an @origin@ around it, an offset
-- counts from the start of the input, and leads forward.
--
-- >>> let item = getWord8 *> viaOffset (fromIntegral <$> getWord8) (getByteString 2)
-- >>> runGet (skip 3 *> origin item) "...\1\4__ab"
-- Right "ab"
origin :: Get a -> Get a
origin g = here >>= \at -> kept (inEnv (inContext (OriginAt at)) g)
  where
    kept p = seekerHere >>= maybe (aheadIf (const False) p) (const p)

-- | Run a decoder at an offset, and go back. The offset counts from where the innermost 'origin'
-- began, or from the start of the input. Commits, limits and labels around it hold in it, too: an
-- 'Ashlar.Get.isolate' ends where it ends.
--
-- An offset after the end is a 'BadOffset', and one that is negative is 'Invalid'. The error is
-- here, or, with 'viaOffset', where the offset was read.
--
-- A file is sought through, and read as far as it is looked at. A stream is read up to the offset,
-- and kept from here on.
--
-- Each jump is a step of the budget, and jumps in one another are levels, as by
-- 'Ashlar.Get.deeper'. So a decoder ends that follows offsets which lead in a circle.
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
  -- | What is there.
  Get a ->
  Get a
atOffset offset p = here >>= \at -> jump at offset p

-- | Read an offset, and run a decoder there, as @getOffset '>>=' \\n -> 'atOffset' n p@ does. An
-- error about the offset is at its first byte.
--
-- >>> let name = viaOffset (fromIntegral <$> getWord16be) getByteStringNul
-- >>> runGet ((,) <$> name <*> name) "\0\6\0\4ab\0"
-- Right ("","ab")
viaOffset ::
  -- | The offset, in bytes.
  Get Int64 ->
  -- | What is there.
  Get a ->
  Get a
viaOffset getOffset p = here >>= \at -> getOffset >>= \offset -> jump at offset p

-- Given the offset that errors have.
jump :: Int -> Int64 -> Get a -> Get a
jump at offset p = do
  from <- inspect (\_ env _ -> pure (fromMaybe noOrigin (innermost begins (envContext env))))
  now <- here
  let base = max 0 from
      -- (No input reaches as far as an Int.)
      to = if offset > fromIntegral (maxBound - base) then maxBound else base + fromIntegral offset
      outOf end = failWith at at nothingFound (BadOffset offset (fromIntegral (end - base)))
      -- Within it, the origin, or that there is none, is found at once.
      there = deeper (inEnv (inContext (OriginAt from)) p)
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
  where
    begins (OriginAt n _) = Just n
    begins _ = Nothing
    noOrigin = -1

-- Fail unless an offset lies in what the decoder may read of a source.
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
      -- Where a stream would find that: the input goes on, and the budget does not.
      -- (Some files are shorter than they say.)
      | otherwise -> away s leave limit (() <$ announce 1) *> outOf limit

-- How the source can seek.
seekerHere :: Get (Maybe Seeker)
seekerHere = step $ \c env -> case env of
  InputOnly _ -> pure Nothing
  Env input _ _ -> readIORef (inputSegments input) >>= nextChunkOffset c >>= inputSeeker input

-- Run a decoder that goes somewhere else, and come back in any case. What it reads, and what is
-- before that up to here, is kept.
andBack :: Get a -> Get a
andBack (Get p) = Get $ \p0 c env s0 -> case unIO (openLookAhead c env (Ptr p0)) s0 of
  (# s1, ahead #) -> case p p0 c env s1 of
    (# s2, p1, result #) -> case unGet (step (\c' env' -> comeBack c' env' ahead)) p1 c env s2 of
      (# s3, p2, _ #) -> case result of
        (# a | #) -> unGet (a <$ effect (forget env ahead)) p2 c env s3
        (# | _ #) -> (# s3, p2, (# | (##) #) #)

-- Run a decoder at an offset that the source has: Note [Jumps].
away :: Seeker -> Leaving -> Int -> Get a -> Get a
away seeker leave to p = andBack (Get (\p0 c env s0 -> elsewhere p0 c env s0))
  where
    elsewhere p0 c env s0 = case unGet (step (putAside seeker leave to)) p0 c env s0 of
      (# s1, p1, (# aside | #) #) -> case unGet p p1 c env s1 of
        (# s2, p2, result #) -> case unGet (step (holdAgain seeker aside)) p2 c env s2 of
          (# s3, p3, _ #) -> (# s3, p3, result #)
      (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)

-- What a jump leaves in a source that can seek.
data Leaving = Leaving
  { -- The offset after all that is held.
    leavingNext :: !Int,
    -- Bytes before the cursor that choices may go back to.
    leavingOwn :: !Int,
    -- The same with those of the jumps around, if there are any, and a limit.
    leavingKept :: !Int,
    -- All other bytes that are put aside, here and around.
    leavingUnneeded :: !Int,
    -- Is what is not needed for choices let go of here?
    leavingTrims :: !Bool
  }

leaving :: Cells -> Env -> Ptr Word8 -> IO Leaving
leaving c env p = do
  keep <- getInt c keepCell
  at <- offsetOf c p
  held <- getInt c heldCell
  segments <- readIORef (inputSegments (envInput env))
  start <- segmentOffset c
  next <- nextChunkOffset c segments
  let around = segmentsAway segments
      own = at - min keep at
      kept = if held == maxBound then 0 else maybe 0 ((own +) . awayKept) around
      bytes = next - start + sum (map S.length (segmentsPast segments))
      restAround = maybe 0 awayUnneeded around
      -- (A slice keeps its chunk in memory.)
      rest = restAround + max 32768 bytes - min own bytes
      trims = rest > 1048576
  pure (Leaving next own kept (if trims then restAround else rest) trims)

-- What a jump puts aside.
data Aside = Aside
  { asideSegments :: !Segments,
    -- The offset of the open one.
    asideStart :: !Int,
    -- That of the source's next chunk.
    asideNext :: !Int,
    asideLimit :: !Int,
    asideHeld :: !Int,
    asideKeep :: !Int,
    asideRelease :: !Int
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
        pure (newSegments {segmentCurrent = bs, segmentsAway = segmentsAway segments}, first, at)
      else (\start -> (segments, start, leavingNext leave)) <$> segmentOffset c
  aside <-
    Aside kept start next
      <$> getInt c limitCell
      <*> getInt c heldCell
      <*> getInt c keepCell
      <*> getInt c releaseCell
  putInt c heldCell $ case asideHeld aside of
    held
      | held == maxBound -> maxBound
      | held < 0 -> complement (streamEnd to streamBytes)
      | otherwise -> streamEnd to streamBytes
  putInt c keepCell maxBound
  putInt c releaseCell maxBound
  -- Forced: it must not refer to what is trimmed.
  let !left =
        Away
          { awaySegments = kept,
            awayBack = seekTo seeker next,
            awayKept = leavingOwn leave + maybe 0 awayKept (segmentsAway segments),
            awayUnneeded = leavingUnneeded leave
          }
  -- Before it seeks: an exception then finds what to return to.
  replaceSegments c input to newSegments {segmentsAway = Just left}
  seekTo seeker to
  pure aside

holdAgain :: Seeker -> Aside -> Cells -> Env -> IO ()
holdAgain seeker aside c env = do
  putInt c limitCell (asideLimit aside)
  putInt c heldCell (asideHeld aside)
  putInt c keepCell (asideKeep aside)
  putInt c releaseCell (asideRelease aside)
  seekTo seeker (asideNext aside)
  replaceSegments c (envInput env) (asideStart aside) (asideSegments aside)
