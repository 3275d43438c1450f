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
-- @commit@ gives up all choices up to the innermost barrier: a failure goes through them, and their
-- bytes are no longer kept. 'releaseCell' has what is kept without them: what is kept for the
-- barrier, for what is outside of it, and for look-aheads. After a commit it has the complement of
-- that. A choice that opens later has not been given up, so each choice begins with no commit. When
-- it closes, those outside of it have been given up if they had been before, or if it has been. All
-- that was opened within a choice is closed by then, so the number is that of its opening again.
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
    released,
    givenUp,

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
import Ashlar.Internal.Get.Limits (usedUp)
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import Data.Bits (complement, finiteBitSize, unsafeShiftR, xor)
import GHC.Exts (lazy)

-- | What the cells were where a decoder may go back to.
data ChoicePoint = ChoicePoint
  { pointOffset :: !Int,
    pointLimit :: !Int,
    -- | 'keepCell', outside of this.
    pointKeep :: !Int,
    -- | 'releaseCell', outside of this.
    pointRelease :: !Int,
    pointLevels :: !Int,
    pointPart :: !Int
  }

pointHere :: Cells -> IO ChoicePoint
pointHere c =
  ChoicePoint <$> position c
    <*> getInt c limitCell
    <*> getInt c keepCell
    <*> getInt c releaseCell
    <*> getInt c levelsCell
    <*> getInt c partCell
{-# INLINE pointHere #-}

-- | The number in 'releaseCell', without the flag.
released :: Int -> Int
released r = r `xor` signOf r
{-# INLINE released #-}

-- -1 if it is negative, else 0.
signOf :: Int -> Int
signOf r = r `unsafeShiftR` (finiteBitSize r - 1)
{-# INLINE signOf #-}

-- | Does 'releaseCell' say that the innermost choice has been given up?
givenUp :: Int -> Bool
givenUp r = r < 0
{-# INLINE givenUp #-}

-- | Has the innermost choice been given up?
hasCommitted :: Cells -> IO Bool
hasCommitted c = givenUp <$> getInt c releaseCell
{-# INLINE hasCommitted #-}

-- | Open a choice at the cursor.
openChoice :: Cells -> IO ChoicePoint
openChoice c = do
  point <- pointHere c
  putInt c keepCell (min (pointKeep point) (pointOffset point))
  putInt c releaseCell (released (pointRelease point))
  pure point
{-# INLINE openChoice #-}

-- | Close it after success.
closeChoice :: Cells -> ChoicePoint -> IO ()
closeChoice c point = do
  release <- getInt c releaseCell
  if givenUp release
    then putInt c keepCell (released release)
    else putInt c keepCell (pointKeep point) >> putInt c releaseCell (pointRelease point)
{-# INLINE closeChoice #-}

-- | Close a choice in which a decoder did not succeed. If it failed, go back to the choice, or fail
-- again if the choice has been given up, or if it has no budget left.
retreat :: Cells -> Env -> Stop -> ChoicePoint -> IO ()
retreat c env stop !point = do
  committed <- hasCommitted c
  case stop of
    HasFailed
      | committed -> throwFailed
      | otherwise -> do
        over <- usedUp c env
        if over then closed >> throwFailed else goBack c env point >> closed
    _ -> failAgain stop
  where
    closed = putInt c keepCell (pointKeep point) >> putInt c releaseCell (pointRelease point)
    {-# INLINE closed #-}
{-# NOINLINE retreat #-}

-- | Go back to a choice point, without closing it.
goBack :: Cells -> Env -> ChoicePoint -> IO ()
goBack c env point = do
  -- (The offset may be after the limit: 'setLimit'.)
  putInt c limitCell (max (pointLimit point) (pointOffset point))
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
  -- With the flag as it is.
  let before = pointRelease point
  putInt c releaseCell (min (released before) (pointOffset point) `xor` signOf before)
  pure point
{-# INLINE openLookAhead #-}

-- | Need these bytes no longer, and stay at the cursor.
closeLookAhead :: Cells -> ChoicePoint -> IO ()
closeLookAhead c point = do
  now <- getInt c releaseCell
  let outside = released (pointRelease point)
  putInt c keepCell (if givenUp now then outside else pointKeep point)
  putInt c releaseCell (outside `xor` signOf now)
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
  pure point
{-# INLINE openBarrier #-}

-- | Close it, whether the decoder inside has succeeded or failed.
closeBarrier :: Cells -> ChoicePoint -> IO ()
closeBarrier c point = do
  putInt c keepCell (pointKeep point)
  putInt c releaseCell (pointRelease point)
{-# INLINE closeBarrier #-}

-- | Give up all choices up to the innermost barrier.
commitHere :: Cells -> IO ()
commitHere c = do
  release <- released <$> getInt c releaseCell
  putInt c keepCell release
  putInt c releaseCell (complement release)
