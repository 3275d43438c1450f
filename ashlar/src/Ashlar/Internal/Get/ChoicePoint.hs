{-# LANGUAGE BangPatterns #-}
-- A look-ahead is passed to what closes it as its eight fields, not as an object: GHC takes ten
-- arguments apart at most. The allocation test "lookAhead: nothing" holds this.
{-# OPTIONS_GHC -fmax-worker-args=16 #-}

-- |
-- Module      : Ashlar.Internal.Get.ChoicePoint
-- Description : Offsets that a decoder may go back to
--
-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- A failure goes back to the innermost choice, a look-ahead goes back when it has succeeded. Where
-- to is on the stack: an address, what makes an offset of it, the limit, and the part
-- ('ChoicePoint'). All else that a decoder changes, it puts back itself, whether it succeeds or
-- fails.
--
-- 'keepCell' tells @gather@ which bytes may still be needed: all from there on. Choice points are
-- nested, so the outermost one decides. It sets the cell, and resets it when it is closed. Bytes
-- are kept only while there is one.
--
-- Note [Commit]
-- ~~~~~~~~~~~~~
-- @commit@ gives up all choices up to the innermost @attempt@: a failure goes through them, and
-- their bytes are no longer kept. It counts ('commitsCell'). A choice has been given up if there
-- have been commits since it was opened. An @attempt@ is a barrier: when it ends, it resets the
-- counter.
--
-- 'releaseCell' has what is kept without the choices that a commit gives up: what is kept outside
-- of the barrier, and for look-aheads.
--
-- Also thought of: to give up the innermost choice alone. Then @p \<|> q \<|> r@ would try @r@
-- after a commit in @p@, or not, depending on where the parentheses are.
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

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Input (gather, lookAt)
import Ashlar.Internal.Get.Numbers (slice)
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
import Data.Bits (complement, finiteBitSize, unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | Where a decoder may go back to.
data ChoicePoint = ChoicePoint
  { pointCursor :: !(Ptr Word8),
    -- | What makes an offset of the cursor: 'biasCell'.
    pointBias :: !Int,
    pointLimit :: !Int,
    -- | 'partCell': a value of constant size may say more of the value around than of itself.
    pointPart :: !Int,
    -- | 'keepCell', outside of this.
    pointKeep :: !Int,
    pointCommits :: !Int
  }

-- | The offset of a choice point.
pointOffset :: ChoicePoint -> Int
pointOffset point = addressOf (pointCursor point) + pointBias point
{-# INLINE pointOffset #-}

-- | Open a choice at the cursor. (If another one is open, bytes are kept from there on already. The
-- numbers are not negative, and no branch is taken: the code around is not copied.)
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

-- | Close it. After a commit, the cell has what is kept without it, which may be less.
closeChoice :: Cells -> ChoicePoint -> IO ()
closeChoice c point = getInt c keepCell >>= putInt c keepCell . greater (pointKeep point)
{-# INLINE closeChoice #-}

-- The lesser and the greater of two numbers that are not negative.
lesser, greater :: Int -> Int -> Int
lesser a b = b + minusOr0 (a - b)
greater a b = a - minusOr0 (a - b)
{-# INLINE lesser #-}
{-# INLINE greater #-}

-- A number if it is negative, else 0.
minusOr0 :: Int -> Int
minusOr0 d = d .&. (d `unsafeShiftR` (finiteBitSize d - 1))
{-# INLINE minusOr0 #-}

-- | Has a decoder read anything since?
hasMoved :: Cells -> ChoicePoint -> Ptr Word8 -> IO Bool
hasMoved c point p = (\at -> at /= pointOffset point) <$> offsetOf c p
{-# INLINE hasMoved #-}

-- | After a failure: close a choice and go back to it, or fail if it has been given up.
retreat :: ChoicePoint -> Get ()
retreat !point = do
  open <- step $ \c env -> do
    closeChoice c point
    commits <- getInt c commitsCell
    if commits == pointCommits point then True <$ goBack c env point else pure False
  if open then pure () else failed
{-# NOINLINE retreat #-}

-- | Go back to a choice point.
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
      -- The bytes have been kept: see keepCell.
      returnTo c (envInput env) (pointOffset point)
{-# INLINE goBack #-}

-- | Give up all choices up to the innermost barrier.
commitHere :: Cells -> IO ()
commitHere c = do
  getInt c releaseCell >>= putInt c keepCell
  getInt c commitsCell >>= putInt c commitsCell . (+ 1)

-- | The barrier around an @attempt@: what the cells were outside.
data Barrier = Barrier
  { barrierKeep :: !Int,
    barrierRelease :: !Int,
    barrierCommits :: !Int
  }

-- | Commits inside of a barrier do not concern the choices outside.
openBarrier :: Cells -> IO Barrier
openBarrier c = do
  barrier <- Barrier <$> getInt c keepCell <*> getInt c releaseCell <*> getInt c commitsCell
  barrier <$ putInt c releaseCell (barrierKeep barrier)
{-# INLINE openBarrier #-}

-- | Close it, whether the decoder inside has succeeded or failed. If a budget has been used up,
-- that remains so.
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
    -- | 'releaseCell', outside of this.
    aheadRelease :: !Int,
    -- | The failures before.
    aheadFailures :: !Failures
  }

-- | Keep the bytes from the cursor on, to go back there on success.
openLookAhead :: Cells -> Env -> Ptr Word8 -> IO LookAhead
openLookAhead c env p = do
  release <- getInt c releaseCell
  point <- openChoice c p
  putInt c releaseCell (lesser release (pointOffset point))
  before <- failuresSoFar env
  pure (LookAhead point release before)
{-# INLINE openLookAhead #-}

-- | Need the bytes no longer, and stay at the cursor.
closeLookAhead :: Cells -> LookAhead -> IO ()
closeLookAhead c ahead = do
  commits <- getInt c commitsCell
  let committed = (if commits < 0 then complement commits else commits) /= pointCommits point
  putInt c keepCell (if committed then aheadRelease ahead else pointKeep point)
  putInt c releaseCell (aheadRelease ahead)
  where
    point = aheadPoint ahead
{-# NOINLINE closeLookAhead #-}

-- | Go back and close it. What failed since, but not for good, says nothing of what comes now.
undo :: Cells -> Env -> LookAhead -> IO ()
undo c env ahead = do
  goBack c env (aheadPoint ahead)
  closeLookAhead c ahead
  forget env ahead
{-# NOINLINE undo #-}

-- | Forget what has failed since.
forget :: Env -> LookAhead -> IO ()
forget env ahead = setFailures env (aheadFailures ahead)
{-# INLINE forget #-}

-- | Return to where a jump began and close it, whether what was there has succeeded or failed. (It
-- may have been before that, which 'goBack' does not expect: no choice is open here that is
-- after the cursor.)
comeBack :: Cells -> Env -> LookAhead -> IO ()
comeBack c env ahead = do
  let point = aheadPoint ahead
  putInt c partCell (pointPart point)
  putInt c limitCell (pointLimit point)
  returnTo c (envInput env) (pointOffset point)
  closeLookAhead c ahead
{-# NOINLINE comeBack #-}

-- | The bytes from a look-ahead to the cursor. It is closed.
readSince :: LookAhead -> Get ByteString
readSince ahead = do
  now <- here
  limit <- step $ \c env -> do
    limit <- getInt c limitCell
    goBack c env (aheadPoint ahead)
    closeLookAhead c ahead
    -- They were read, whatever the limit is here: see 'setLimit'.
    limit <$ setLimit c now
  -- Not negative: nothing goes back to before where it began.
  let n = now - pointOffset (aheadPoint ahead)
  bytes <- if n == 0 then pure S.empty else gather n *> slice n
  bytes <$ step (\c _ -> setLimit c limit)
{-# NOINLINE readSince #-}

-- | The decoder in a 'Ashlar.Get.notFollowedBy' has succeeded.
followed :: LookAhead -> Barrier -> Get ()
followed ahead barrier = do
  now <- here
  step $ \c env -> closeBarrier c barrier >> undo c env ahead
  at <- here
  -- The bytes are there: they have been read.
  found <- lookAt (min 16 (now - at))
  failWith at at found Unexpected
{-# NOINLINE followed #-}

-- | It has failed. For lack of budget, that is no answer.
notFollowed :: LookAhead -> Barrier -> Get ()
notFollowed ahead barrier = do
  over <- step $ \c env -> do
    closeBarrier c barrier
    over <- isOver c
    over <$ if over then closeLookAhead c ahead else undo c env ahead
  when over failed
{-# NOINLINE notFollowed #-}
