{-# LANGUAGE BangPatterns #-}
-- The functions that close a look-ahead take its eight fields unboxed. By default, GHC unboxes
-- arguments only up to ten in all. (Allocation test "lookAhead: nothing".)
{-# OPTIONS_GHC -fmax-worker-args=16 #-}

-- |
-- Module      : Ashlar.Internal.Get.ChoicePoint
-- Description : Offsets that a decoder may go back to
--
-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- A failure goes back to the innermost choice. A look-ahead goes back after a success. The stack
-- has the state to go back to ('ChoicePoint'): the offset of the cursor, the limit, and the part.
-- A decoder resets all other state that it changes itself, whether it succeeds or fails.
--
-- 'keepCell' tells @gather@ which bytes may still be needed: all from that offset on. Choice points
-- are nested, so the outermost one sets the cell when it opens, and resets it when it closes.
-- Without an open choice point, no bytes are kept.
--
-- Note [Commit]
-- ~~~~~~~~~~~~~
-- @commit@ gives up all choices up to the innermost @attempt@: a failure passes them without going
-- back, and their bytes are no longer kept. 'commitsCell' counts the commits. A choice has been
-- given up if the counter has changed since it was opened. An @attempt@ is a barrier: when it ends,
-- it resets the counter.
--
-- After a commit, bytes are kept from the offset in 'releaseCell' on, for choices outside of the
-- barrier and for look-aheads.
--
-- Also thought of: giving up only the innermost choice. Then the parentheses of
-- @p \<|> q \<|> r@ would decide whether a commit in @p@ excludes @r@.
module Ashlar.Internal.Get.ChoicePoint
  ( -- * Choices
    ChoicePoint,
    openChoice,
    closeChoice,
    hasMoved,
    retreat,
    commitHere,

    -- * Barriers
    Barrier,
    openBarrier,
    closeBarrier,

    -- * Look-aheads
    LookAhead,
    openLookAhead,
    closeLookAhead,
    undo,
    comeBack,
    forget,
    readSince,
    followed,
    notFollowed,
  )
where

import Ashlar.Internal.Get.Bytes (slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Input (joinSince, lookAt)
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
import Data.Bits (complement, finiteBitSize, unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | The cursor and the cells of the same names, as they were before a choice or a look-ahead:
-- Note [Backtracking].
data ChoicePoint = ChoicePoint
  { pointCursor :: !(Ptr Word8),
    pointBias :: !Int,
    pointLimit :: !Int,
    pointPart :: !Int,
    pointKeep :: !Int,
    pointCommits :: !Int
  }

pointOffset :: ChoicePoint -> Int
pointOffset point = addressOf (pointCursor point) + pointBias point
{-# INLINE pointOffset #-}

-- | Open a choice at the cursor. If an outer choice keeps bytes from an earlier offset on, that
-- remains so. ('lesser' has no branch, so the code around is not copied.)
openChoice :: Cells -> Ptr Word8 -> IO ChoicePoint
openChoice c p = do
  point <-
    ChoicePoint p
      <$> getInt c biasCell
      <*> getInt c limitCell
      <*> getInt c partCell
      <*> getInt c keepCell
      <*> getInt c commitsCell
  point <$ putInt c keepCell (lesser (pointKeep point) (pointOffset point))
{-# INLINE openChoice #-}

-- | Close a choice. 'keepCell' gets its value outside of the choice, unless a commit has raised the
-- cell beyond that.
closeChoice :: Cells -> ChoicePoint -> IO ()
closeChoice c point = getInt c keepCell >>= putInt c keepCell . greater (pointKeep point)
{-# INLINE closeChoice #-}

-- The lesser and the greater of two numbers that are not negative, without a branch.
lesser, greater :: Int -> Int -> Int
lesser a b = b + minusOr0 (a - b)
greater a b = a - minusOr0 (a - b)
{-# INLINE lesser #-}
{-# INLINE greater #-}

-- A number if it is negative, else 0.
minusOr0 :: Int -> Int
minusOr0 d = d .&. (d `unsafeShiftR` (finiteBitSize d - 1))
{-# INLINE minusOr0 #-}

-- | Is the cursor, which is given, at another offset than the choice point?
hasMoved :: Cells -> ChoicePoint -> Ptr Word8 -> IO Bool
hasMoved c point p = (\at -> at /= pointOffset point) <$> offsetOf c p
{-# INLINE hasMoved #-}

-- | After a failure: close a choice and go back to it, or fail if it has been given up.
retreat :: ChoicePoint -> Get ()
retreat !point = do
  hasGoneBack <- step $ \c env -> do
    closeChoice c point
    commits <- getInt c commitsCell
    if commits == pointCommits point then True <$ goBack c env point else pure False
  if hasGoneBack then pure () else failed
{-# NOINLINE retreat #-}

goBack :: Cells -> Env -> ChoicePoint -> IO ()
goBack c env point = do
  putInt c partCell (pointPart point)
  bias <- getInt c biasCell
  limit <- getInt c limitCell
  start <- getPtr c segmentStartCell
  if bias == pointBias point && limit == pointLimit point && pointCursor point >= start
    then putPtr c cursorCell (pointCursor point)
    else do
      putInt c limitCell (pointLimit point)
      -- The bytes have been kept, because of 'keepCell'.
      returnTo c (envInput env) (pointOffset point)
{-# INLINE goBack #-}

-- | Give up all choices up to the innermost barrier.
commitHere :: Cells -> IO ()
commitHere c = do
  getInt c releaseCell >>= putInt c keepCell
  getInt c commitsCell >>= putInt c commitsCell . (+ 1)

-- | The barrier of an @attempt@: the cells of the same names, as they were before.
data Barrier = Barrier
  { barrierKeep :: !Int,
    barrierRelease :: !Int,
    barrierCommits :: !Int
  }

-- | Open a barrier: commits inside of it do not concern the choices outside.
openBarrier :: Cells -> IO Barrier
openBarrier c = do
  barrier <- Barrier <$> getInt c keepCell <*> getInt c releaseCell <*> getInt c commitsCell
  barrier <$ putInt c releaseCell (barrierKeep barrier)
{-# INLINE openBarrier #-}

-- | Close a barrier, whether the decoder inside has succeeded or failed. If a budget has been used
-- up, the flag for that stays set.
closeBarrier :: Cells -> Barrier -> IO ()
closeBarrier c barrier = do
  putInt c keepCell (barrierKeep barrier)
  putInt c releaseCell (barrierRelease barrier)
  over <- isOver c
  let commits = barrierCommits barrier
  putInt c commitsCell (if over then complement commits else commits)
{-# INLINE closeBarrier #-}

-- | A look-ahead: a choice point that commits do not give up.
data LookAhead = LookAhead
  { aheadPoint :: !ChoicePoint,
    -- | 'releaseCell' before.
    aheadRelease :: !Int,
    aheadFailures :: !Failures
  }

-- | Open a look-ahead at the cursor: the bytes from there on are kept.
openLookAhead :: Cells -> Env -> Ptr Word8 -> IO LookAhead
openLookAhead c env p = do
  release <- getInt c releaseCell
  point <- openChoice c p
  putInt c releaseCell (lesser release (pointOffset point))
  before <- failuresSoFar env
  pure (LookAhead point release before)
{-# INLINE openLookAhead #-}

-- | Close a look-ahead, and stay at the cursor.
closeLookAhead :: Cells -> LookAhead -> IO ()
closeLookAhead c ahead = do
  commits <- getInt c commitsCell
  -- A commit inside has given up the choices around this, up to the barrier. Then bytes are needed
  -- only by look-aheads, and by choices outside of the barrier: those from 'releaseCell' on.
  let committed = (if commits < 0 then complement commits else commits) /= pointCommits point
  putInt c keepCell (if committed then aheadRelease ahead else pointKeep point)
  putInt c releaseCell (aheadRelease ahead)
  where
    point = aheadPoint ahead
{-# NOINLINE closeLookAhead #-}

-- | Go back to a look-ahead and close it. Failures inside must not appear in errors after it.
undo :: Cells -> Env -> LookAhead -> IO ()
undo c env ahead = do
  goBack c env (aheadPoint ahead)
  closeLookAhead c ahead
  forget env ahead
{-# NOINLINE undo #-}

-- | Forget the failures since the look-ahead was opened.
forget :: Env -> LookAhead -> IO ()
forget env ahead = setFailures env (aheadFailures ahead)
{-# INLINE forget #-}

-- | Return to where a jump began and close its look-ahead, whether the decoder there has succeeded
-- or failed. (The cursor may be before the look-ahead, which 'goBack' does not allow.)
comeBack :: Cells -> Env -> LookAhead -> IO ()
comeBack c env ahead = do
  let point = aheadPoint ahead
  putInt c partCell (pointPart point)
  putInt c limitCell (pointLimit point)
  returnTo c (envInput env) (pointOffset point)
  closeLookAhead c ahead
{-# NOINLINE comeBack #-}

-- | The bytes from a look-ahead to the cursor. This closes the look-ahead.
readSince :: LookAhead -> Get ByteString
readSince ahead = do
  now <- here
  limit <- step $ \c env -> do
    limit <- getInt c limitCell
    goBack c env (aheadPoint ahead)
    closeLookAhead c ahead
    -- The bytes were read, so the limit must not hide them: see 'setLimit'.
    limit <$ setLimit c now
  -- Not negative, because no decoder ends before the offset where it began.
  let n = now - pointOffset (aheadPoint ahead)
  bytes <- if n == 0 then pure S.empty else joinSince now n *> slice n
  bytes <$ step (\c _ -> setLimit c limit)
{-# NOINLINE readSince #-}

-- | Fail, because the decoder in a 'Ashlar.Get.notFollowedBy' has succeeded.
followed :: LookAhead -> Get ()
followed ahead = do
  now <- here
  step $ \c env -> undo c env ahead
  at <- here
  found <- lookAt (min 16 (now - at))
  failWith at at found Unexpected
{-# NOINLINE followed #-}

-- | Go back, because the decoder in a 'Ashlar.Get.notFollowedBy' has failed. If a budget was used
-- up, fail instead: then it is unknown what follows.
notFollowed :: LookAhead -> Get ()
notFollowed ahead = do
  over <- step $ \c env -> do
    over <- isOver c
    over <$ if over then closeLookAhead c ahead else undo c env ahead
  when over failed
{-# NOINLINE notFollowed #-}
