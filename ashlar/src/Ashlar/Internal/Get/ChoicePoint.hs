{-# LANGUAGE BangPatterns #-}
-- A choice point is passed in its fields, which are many. (The functions that are not inlined are
-- strict in it, or GHC would build it for each alternative that fails.)
{-# OPTIONS_GHC -fmax-worker-args=16 #-}

-- |
-- Module      : Ashlar.Internal.Get.ChoicePoint
-- Description : Offsets that a decoder may go back to
--
-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- What a decoder needs to go back is the offset, and what was in force there: the limit, the level
-- of nesting, and the part of the value. 'keepCell' tells @gather@ which bytes may still be needed:
-- all from there on. Choice points are nested, so the outermost one decides. It sets the cell if
-- there is none outside, and restores it when it is closed. Bytes are kept only while there is one.
--
-- The same record serves three purposes. A failure goes back to the innermost /choice/.
-- 'Ashlar.Get.lookAhead' and its like go back to theirs on success. 'Ashlar.Get.attempt' makes a
-- /barrier/, to which nothing goes back.
--
-- Note [Commit]
-- ~~~~~~~~~~~~~
-- @commit@ gives up all choices up to the innermost barrier: a failure goes through them
-- ('committedCell'), and their bytes are no longer kept. 'releaseCell' has what is kept without
-- them: what is kept for the barrier, for what is outside of it, and for look-aheads. A choice that
-- opens later has not been given up, so each choice begins with no commit. When it closes, those
-- outside of it have been given up if they had been before, or if it has been.
--
-- Also thought of: to give up the innermost choice alone. Then @p \<|> q \<|> r@ would try @r@
-- after a commit in @p@, or not, depending on where the parentheses are.
module Ashlar.Internal.Get.ChoicePoint
  ( ChoicePoint (..),

    -- * Choices
    openChoice,
    closeChoice,
    retreat,
    commitHere,

    -- * Look-aheads
    openLookAhead,
    closeLookAhead,
    goBack,
    undo,

    -- * Barriers
    openBarrier,
    closeBarrier,
  )
where

import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import GHC.Exts (lazy)

-- | What the cells were where a decoder may go back to.
data ChoicePoint = ChoicePoint
  { pointOffset :: !Int,
    pointLimit :: !Int,
    -- | 'keepCell', outside of this.
    pointKeep :: !Int,
    -- | 'releaseCell', outside of this.
    pointRelease :: !Int,
    -- | 'committedCell', outside of this.
    pointCommitted :: !Int,
    pointLevels :: !Int,
    pointPart :: !Int
  }

pointHere :: Cells -> IO ChoicePoint
pointHere c =
  ChoicePoint <$> position c
    <*> getInt c limitCell
    <*> getInt c keepCell
    <*> getInt c releaseCell
    <*> getInt c committedCell
    <*> getInt c levelsCell
    <*> getInt c partCell
{-# INLINE pointHere #-}

-- | Open a choice at the cursor.
openChoice :: Cells -> IO ChoicePoint
openChoice c = do
  point <- pointHere c
  putInt c keepCell (min (pointKeep point) (pointOffset point))
  putInt c committedCell 0
  pure point
{-# INLINE openChoice #-}

-- | Close it after success.
closeChoice :: Cells -> ChoicePoint -> IO ()
closeChoice c point = do
  committed <- getInt c committedCell
  if committed == 0
    then putInt c keepCell (pointKeep point) >> putInt c committedCell (pointCommitted point)
    else getInt c releaseCell >>= putInt c keepCell
{-# INLINE closeChoice #-}

-- | Close a choice in which a decoder did not succeed. If it failed, go back to the choice, or fail
-- again if the choice has been given up.
retreat :: Cells -> Env -> Stop -> ChoicePoint -> IO ()
retreat c env stop !point = do
  committed <- getInt c committedCell
  case stop of
    HasFailed
      | committed /= 0 -> throwFailed
      | otherwise -> do
        goBack c env point
        putInt c keepCell (pointKeep point)
        putInt c releaseCell (pointRelease point)
        putInt c committedCell (pointCommitted point)
    _ -> failAgain stop
{-# NOINLINE retreat #-}

-- | Go back to a choice point, without closing it.
goBack :: Cells -> Env -> ChoicePoint -> IO ()
goBack c env point = do
  putInt c limitCell (pointLimit point)
  putInt c levelsCell (pointLevels point)
  putInt c partCell (pointPart point)
  -- The bytes have been kept: see keepCell.
  returnTo c (envInput env) (pointOffset point)
{-# INLINE goBack #-}

-- | Keep the bytes from the cursor on, to go back there on success.
openLookAhead :: Cells -> IO ChoicePoint
openLookAhead c = do
  point <- pointHere c
  putInt c keepCell (min (pointKeep point) (pointOffset point))
  putInt c releaseCell (min (pointRelease point) (pointOffset point))
  pure point
{-# INLINE openLookAhead #-}

-- | Need these bytes no longer, and stay at the cursor.
closeLookAhead :: Cells -> ChoicePoint -> IO ()
closeLookAhead c point = do
  committed <- getInt c committedCell
  putInt c keepCell (if committed == 0 then pointKeep point else pointRelease point)
  putInt c releaseCell (pointRelease point)
{-# INLINE closeLookAhead #-}

-- | Go back to a look-ahead and close it, as if nothing had happened since: failures since are
-- forgotten.
undo :: Cells -> Env -> ChoicePoint -> Failures -> IO ()
undo c env !point before = do
  goBack c (lazy env) point
  closeLookAhead c point
  setFailures (lazy env) before
{-# NOINLINE undo #-}

-- | Open a barrier: commits inside of it do not concern the choices outside.
openBarrier :: Cells -> IO ChoicePoint
openBarrier c = do
  point <- pointHere c
  putInt c releaseCell (pointKeep point)
  putInt c committedCell 0
  pure point
{-# INLINE openBarrier #-}

-- | Close it, whether the decoder inside has succeeded or failed.
closeBarrier :: Cells -> ChoicePoint -> IO ()
closeBarrier c point = do
  putInt c keepCell (pointKeep point)
  putInt c releaseCell (pointRelease point)
  putInt c committedCell (pointCommitted point)
{-# INLINE closeBarrier #-}

-- | Give up all choices up to the innermost barrier.
commitHere :: Cells -> IO ()
commitHere c = do
  getInt c releaseCell >>= putInt c keepCell
  putInt c committedCell 1
