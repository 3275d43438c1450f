-- A point is passed in its parts, which are many.
{-# OPTIONS_GHC -fmax-worker-args=16 #-}

-- |
-- Module      : Ashlar.Internal.Get.ChoicePoint
-- Description : Places in the input that a decoder may go back to
--
-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- What a decoder needs to go back is the offset, and what was in force there: the
-- limit, the level of nesting, and the place in a value. 'keepCell' tells @gather@ which bytes may still be needed:
-- all from there on. Marks are nested, so the outermost one decides; a point
-- sets the cell if there is none outside, and puts it back when it is closed, and
-- bytes are kept only while there is one.
--
-- There are three kinds of marks. A failure goes back to the innermost /choice/.
-- 'Ashlar.Get.lookAhead' and its like go back to their /place/ when all is well.
-- 'Ashlar.Get.attempt' makes a /barrier/, to which nothing goes back.
--
-- Note [Commit]
-- ~~~~~~~~~~~~~
-- @commit@ gives up all choices up to the innermost barrier: a failure goes
-- through them ('committedCell'), and their bytes are no longer kept.
-- 'releaseCell' has what is kept without them: what is for the barrier and what is
-- outside of it, and for places. A choice that opens later has not been given
-- up, so each choice begins with no commit, and when it closes those outside of
-- it have been given up if they had been before, or if it has been.
--
-- Also thought of: to give up the innermost choice alone. Then @p \<|> q \<|> r@
-- would try @r@ after a commit in @p@, or not, depending on where the parentheses
-- are.
module Ashlar.Internal.Get.ChoicePoint
  ( ChoicePoint (..),
    openChoice,
    closeChoice,
    retreat,
    openLookAhead,
    closeLookAhead,
    openBarrier,
    closeBarrier,
    goBack,
    undo,
    commitHere,
  )
where

import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Mem.Cells
import Control.Exception (throwIO)
import GHC.Exts (lazy)

-- | What is remembered of a place: offset, limit; keepCell, releaseCell and committedCell
-- outside; levelsCell and partCell.
data ChoicePoint = ChoicePoint !Int !Int !Int !Int !Int !Int !Int

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
  point@(ChoicePoint at _ keep _ _ _ _) <- pointHere c
  putInt c keepCell (min keep at)
  putInt c committedCell 0
  pure point
{-# INLINE openChoice #-}

-- | Close it after success.
closeChoice :: Cells -> ChoicePoint -> IO ()
closeChoice c (ChoicePoint _ _ keep _ before _ _) = do
  committed <- getInt c committedCell
  if committed == 0
    then putInt c keepCell keep >> putInt c committedCell before
    else getInt c releaseCell >>= putInt c keepCell
{-# INLINE closeChoice #-}

-- | Close a choice in which a decoder did not succeed: go back to it if it failed,
-- and fail again if it has been given up.
retreat :: Cells -> Env -> Outcome -> ChoicePoint -> IO ()
retreat c env outcome point@(ChoicePoint _ _ keep release before _ _) = do
  committed <- getInt c committedCell
  case outcome of
    TakenUp -> throwIO Restart
    _
      | committed /= 0 -> throwFailed
      | otherwise -> do
        goBack c env point
        putInt c keepCell keep
        putInt c releaseCell release
        putInt c committedCell before
{-# NOINLINE retreat #-}

-- | Go back to a point, without closing it.
goBack :: Cells -> Env -> ChoicePoint -> IO ()
goBack c env (ChoicePoint at limit _ _ _ depth place) = do
  putInt c limitCell limit
  putInt c levelsCell depth
  putInt c partCell place
  -- The bytes have been kept: see keepCell.
  returnTo c (envInput env) at
{-# INLINE goBack #-}

-- | Keep the bytes from the cursor on, to go back there when all is well.
openLookAhead :: Cells -> IO ChoicePoint
openLookAhead c = do
  point@(ChoicePoint at _ keep release _ _ _) <- pointHere c
  putInt c keepCell (min keep at)
  putInt c releaseCell (min release at)
  pure point
{-# INLINE openLookAhead #-}

-- | Need them no longer, and stay where we are.
closeLookAhead :: Cells -> ChoicePoint -> IO ()
closeLookAhead c (ChoicePoint _ _ keep release _ _ _) = do
  committed <- getInt c committedCell
  putInt c keepCell (if committed == 0 then keep else release)
  putInt c releaseCell release
{-# INLINE closeLookAhead #-}

-- | Go back to a place, and close it, as if nothing had happened since: failures since are
-- forgotten.
undo :: Cells -> Env -> ChoicePoint -> Failures -> IO ()
undo c env point before = do
  goBack c (lazy env) point
  closeLookAhead c point
  setFailures (lazy env) before
{-# NOINLINE undo #-}

-- | Open a barrier: commits inside of it are of no concern to choices outside.
openBarrier :: Cells -> IO ChoicePoint
openBarrier c = do
  point@(ChoicePoint _ _ keep _ _ _ _) <- pointHere c
  putInt c releaseCell keep
  putInt c committedCell 0
  pure point
{-# INLINE openBarrier #-}

-- | Close it, whether the decoder inside of it has succeeded or failed.
closeBarrier :: Cells -> ChoicePoint -> IO ()
closeBarrier c (ChoicePoint _ _ keep release before _ _) = do
  putInt c keepCell keep
  putInt c releaseCell release
  putInt c committedCell before
{-# INLINE closeBarrier #-}

-- | Give up all choices up to the innermost barrier.
commitHere :: Cells -> IO ()
commitHere c = do
  getInt c releaseCell >>= putInt c keepCell
  putInt c committedCell 1
