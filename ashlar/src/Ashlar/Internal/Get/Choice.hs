{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -Wno-orphans -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Choice
-- Description : Going back: choices, giving them up, and looking ahead
--
-- (The 'Alternative' instance is here, and not beside the type, because it needs choice points.)
--
-- Note [Backtracking]
-- ~~~~~~~~~~~~~~~~~~~
-- A failure goes back to the innermost choice, a look-ahead goes back when it has succeeded. Where
-- to is on the stack: an address, what makes an offset of it, and the limit ('ChoicePoint'). All
-- else that a decoder changes, it puts back itself, whether it succeeds or fails.
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
module Ashlar.Internal.Get.Choice
  ( -- * Choices
    manyFold,
    commit,
    attempt,

    -- * Looking ahead
    lookAhead,
    lookAheadM,
    lookAheadE,
    match,
    notFollowedBy,
  )
where

import Ashlar.Internal.Get.Bytes (slice)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Input (atHand, lookAt)
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Segments
import Ashlar.Internal.Mem.Cells
import Control.Applicative (Alternative (..))
import Control.Monad (MonadPlus, when)
import Data.Bits (complement, finiteBitSize, unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Either (isLeft)
import Data.Maybe (isNothing)
import Data.Word (Word8)
import GHC.Exts (Addr#, Int (I#), Int#, Ptr (Ptr), RealWorld, State#)
import GHC.IO (unIO)

-- | 'empty' fails. If @p@ fails, @p '<|>' q@ is @q@ from the same offset, however much @p@ has read
-- (unless it has passed a 'commit').
--
-- 'many' and 'some' take as many as they can, in constant memory apart from the result. They end
-- where their decoder fails, or succeeds without reading anything.
--
-- If all fails, the error is that of the alternative that got farthest ('Ashlar.Get.DecodeError').
instance Alternative Get where
  empty = failingBy (\p c env -> recordAt c env p 0 NoAlternative)
  {-# INLINE empty #-}
  (<|>) = orGet
  {-# INLINE (<|>) #-}
  some p = (:) <$> p <*> many p
  {-# INLINE some #-}
  many = manyGet
  {-# INLINE many #-}

instance MonadPlus Get

orGet :: Get a -> Get a -> Get a
orGet p q = eitherOr p q
{-# INLINE [1] orGet #-}

-- A choice in which the next byte may rule out the first alternative.
orGuarded :: (Word8 -> Bool) -> Expectation -> Get a -> Get a -> Get a
orGuarded accepts wanted p (Get q) = Get $ \p0 c env s0 ->
  let other# p1 s1 = q p1 c env s1
      {-# NOINLINE other# #-}
      other = Get (\p1 _ _ s1 -> other# p1 s1)
   in unGet (tested accepts wanted (eitherOr p other) other) p0 c env s0
{-# INLINE [1] orGuarded #-}

-- The first, or else the second from the same offset.
eitherOr :: Get a -> Get a -> Get a
eitherOr (Get p) (Get q) = Get $ \p0 c env s0 -> case unIO (openChoice c (Ptr p0)) s0 of
  (# s1, point #) ->
    let other# p1 s = case unGet (retreat point) p1 c env s of
          (# s3, p3, (# _ | #) #) -> q p3 c env s3
          (# s3, p3, (# | _ #) #) -> (# s3, p3, (# | (# #) #) #)
        {-# NOINLINE [0] other# #-}
     in case p p0 c env s1 of
          (# s2, p2, (# a | #) #) -> case unIO (closeChoice c point) s2 of
            (# s3, _ #) -> (# s3, p2, (# a | #) #)
          (# s2, p2, (# | _ #) #) -> other# p2 s2
{-# INLINE eitherOr #-}

manyGet :: Get a -> Get [a]
manyGet p = reverse <$> rounds (\as a -> a : as) [] (\p' _ -> p') p
{-# INLINE [1] manyGet #-}

manyGuarded :: (Word8 -> Bool) -> Expectation -> Get a -> Get [a]
manyGuarded accepts wanted p = reverse <$> rounds (\as a -> a : as) [] (tested accepts wanted) p
{-# INLINE [1] manyGuarded #-}

-- | Fold values from the left until the decoder fails, in constant memory. The accumulator is
-- forced at each step.
--
-- >>> runGet (manyFold (\n w -> n + fromIntegral w) (0 :: Int) getWord16be) "\0\1\0\2\0"
-- Right 3
--
-- @since 0.1.0.0
manyFold ::
  -- | Given the accumulator and a value: the next accumulator.
  (b -> a -> b) ->
  -- | The first accumulator.
  b ->
  -- | A decoder of one value.
  Get a ->
  Get b
manyFold f z p = rounds f z (\p' _ -> p') p
{-# INLINE [1] manyFold #-}

manyFoldGuarded :: (Word8 -> Bool) -> Expectation -> (b -> a -> b) -> b -> Get a -> Get b
manyFoldGuarded accepts wanted f z p = rounds f z (tested accepts wanted) p
{-# INLINE [1] manyFoldGuarded #-}

-- See Note [Rules for decoders] in "Ashlar.Internal.Get.Core". Choices are associative, so that
-- each one in a row of them has its guard at the front.
{-# RULES
"or/guarded" forall t w p q. orGet (guardedGet t w p) q = orGuarded t w p q
"many/guarded" forall t w p. manyGet (guardedGet t w p) = manyGuarded t w p
"or/or" forall p q r. orGet (orGet p q) r = orGet p (orGet q r)
"or/or/guarded" forall t w p q r. orGet (orGuarded t w p q) r = orGuarded t w p (orGet q r)
"manyFold/guarded" forall f z t w p. manyFold f z (guardedGet t w p) = manyFoldGuarded t w f z p
  #-}

-- Fold values until the decoder fails or reads nothing. Each round is a choice.
rounds ::
  (b -> a -> b) ->
  b ->
  -- | The first decoder, or the second if the next byte rules it out.
  (Get b -> Get b -> Get b) ->
  Get a ->
  Get b
rounds f z guarded (Get p) = Get $ \start c env s ->
  let go !acc p0 s0 = unGet (guarded (Get (\p1 _ _ -> one acc p1)) (pureGet acc)) p0 c env s0
      one acc p0 s0 = case unIO (openChoice c (Ptr p0)) s0 of
        (# s1, point #) ->
          let next# a p1 s2 = case unIO (closeChoice c point >> hasMoved c point (Ptr p1)) s2 of
                (# s3, True #) -> go (f acc a) p1 s3
                (# s3, False #) -> (# s3, p1, (# acc | #) #)
              {-# NOINLINE [0] next# #-}
           in case p p0 c env s1 of
                (# s2, p2, (# a | #) #) -> next# a p2 s2
                (# s2, p2, (# | _ #) #) -> unGet (acc <$ retreat point) p2 c env s2
   in go z start s
{-# INLINE rounds #-}

-- | Where a decoder may go back to.
data ChoicePoint = ChoicePoint
  { pointCursor :: !(Ptr Word8),
    -- | What makes an offset of the cursor: 'biasCell'.
    pointBias :: !Int,
    pointLimit :: !Int,
    -- | 'keepCell', outside of this.
    pointKeep :: !Int,
    pointCommits :: !Int
  }

-- | The offset of a choice point.
pointOffset :: ChoicePoint -> Int
pointOffset point = addressOf (pointCursor point) + pointBias point
{-# INLINE pointOffset #-}

-- Open a choice at the cursor. (If another one is open, bytes are kept from there on already. The
-- numbers are not negative, and no branch is taken: the code around is not copied.)
openChoice :: Cells -> Ptr Word8 -> IO ChoicePoint
openChoice c p = do
  point <-
    ChoicePoint p
      <$> getInt c biasCell
      <*> getInt c limitCell
      <*> getInt c keepCell
      <*> getInt c commitsCell
  point <$ putInt c keepCell (lesser (pointKeep point) (pointOffset point))
{-# INLINE openChoice #-}

-- Close it. After a commit, the cell has what is kept without it, which may be less.
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

-- Has a decoder read anything since?
hasMoved :: Cells -> ChoicePoint -> Ptr Word8 -> IO Bool
hasMoved c point p = (\at -> at /= pointOffset point) <$> offsetOf c p
{-# INLINE hasMoved #-}

-- After a failure: close a choice and go back to it, or fail if it has been given up.
retreat :: ChoicePoint -> Get ()
retreat (ChoicePoint (Ptr p) (I# bias) (I# limit) (I# keep) (I# commits)) =
  Get (retreat# p bias limit keep commits)
{-# INLINE retreat #-}

-- (With all its arguments on the left, because nothing is eta-expanded here.)
retreat# ::
  Addr# -> Int# -> Int# -> Int# -> Int# -> Addr# -> Cells -> Env -> State# RealWorld -> Result ()
retreat# p bias limit keep commits p0 c env s0 =
  case unIO (closeChoice c point >> getInt c commitsCell) s0 of
    (# s1, now #)
      | now == I# commits -> unGet (step (\c' env' -> goBack c' env' point)) p0 c env s1
      | otherwise -> (# s1, p0, (# | (# #) #) #)
  where
    point = ChoicePoint (Ptr p) (I# bias) (I# limit) (I# keep) (I# commits)
{-# NOINLINE retreat# #-}

-- Go back to a choice point.
goBack :: Cells -> Env -> ChoicePoint -> IO ()
goBack c env point = do
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

-- | Give up going back. If the decoder fails from now on, the choices that it is in fail too, and
-- their other alternatives are not tried. The bytes that were kept for them are released, so what
-- comes after the commit may be of any length. In short,
--
-- > (commit *> p) <|> q  =  commit *> p
--
-- This concerns all choices that are open: each 'Control.Applicative.<|>' that this stands to the
-- left of, and each round of a 'Control.Applicative.many', up to the innermost 'attempt', which is
-- how a decoder keeps its commits to itself. Choices that are made after this one are as free as
-- ever.
--
-- A typical use is @many (tag *> commit *> body)@, which fails if a body does, where
-- @many (tag *> body)@ would end before its tag.
--
-- >>> let item = getWord8 >>= \w -> if w == 1 then commit *> getWord16be else empty
-- >>> runGet (many item) "\1ab\1cd."
-- Right [24930,25444]
-- >>> either (print . errorReason) print (runGet (many item) "\1ab\1c")
-- MissingInput 2 1
--
-- @since 0.1.0.0
commit :: Get ()
commit = effectOn $ \c -> do
  getInt c releaseCell >>= putInt c keepCell
  getInt c commitsCell >>= putInt c commitsCell . (+ 1)

-- An action on the cells that does not concern the cursor.
effectOn :: (Cells -> IO a) -> Get a
effectOn f = inspect (\c _ _ -> f c)
{-# INLINE effectOn #-}

-- The barrier around an @attempt@: what the cells were outside.
data Barrier = Barrier
  { barrierKeep :: !Int,
    barrierRelease :: !Int,
    barrierCommits :: !Int
  }

openBarrier :: Cells -> IO Barrier
openBarrier c = do
  barrier <- Barrier <$> getInt c keepCell <*> getInt c releaseCell <*> getInt c commitsCell
  barrier <$ putInt c releaseCell (barrierKeep barrier)
{-# INLINE openBarrier #-}

-- If a budget has been used up, that remains so.
closeBarrier :: Cells -> Barrier -> IO ()
closeBarrier c barrier = do
  putInt c keepCell (barrierKeep barrier)
  putInt c releaseCell (barrierRelease barrier)
  over <- isOver c
  putInt c commitsCell (if over then complement (barrierCommits barrier) else barrierCommits barrier)
{-# INLINE closeBarrier #-}

-- | Run a decoder whose 'commit's do not concern the choices around it. If it fails, they go on to
-- their next alternative in any case.
--
-- > attempt (commit *> p)  =  attempt p
--
-- This is not parsec's @try@, which is not needed here: a choice always goes back.
--
-- >>> runGet (attempt (getWord8 *> commit *> empty) <|> getWord8) "a"
-- Right 97
--
-- @since 0.1.0.0
attempt :: Get a -> Get a
attempt (Get p) = Get $ \p0 c env s0 -> case unIO (openBarrier c) s0 of
  (# s1, barrier #) -> case p p0 c env s1 of
    (# s2, p1, result #) -> case unIO (closeBarrier c barrier) s2 of (# s3, _ #) -> (# s3, p1, result #)
{-# INLINE attempt #-}

-- | Run a decoder, and go back to where it began. If it fails, so does this, and the input is where
-- it failed.
--
-- Until the decoder ends, the bytes that it reads are kept. Where input comes in chunks
-- ('Ashlar.Get.Decoder', "Ashlar.Get.Feed", 'Ashlar.Get.Source'), it may have to wait for the next
-- chunk, and keeps those from where it began: a look ahead by n bytes holds n bytes, rounded up to
-- whole chunks. So @lookAhead@ around the rest of a stream waits for the end of the stream, and
-- keeps all of it. When the decoder ends, the bytes that were read ahead stay at hand and are
-- decoded without waiting again. They are released as the decoders after it pass them. If the
-- stream ends first, the decoder fails, as anywhere else. Nothing needs to be fed twice.
--
-- >>> let size = lookAhead (getWord8 *> getWord16be)
-- >>> let message = size >>= \n -> getByteString (3 + fromIntegral n)
-- >>> let fed = runGetIncremental message `pushChunk` "m\0" `pushChunk` "\2hi"
-- >>> case fed of Done _ _ m -> print m; _ -> putStrLn "not done"
-- "m\NUL\STXhi"
--
-- >>> runGet ((,) <$> lookAhead getWord16be <*> getWord8) "\1\2"
-- Right (258,1)
--
-- @since 0.1.0.0
lookAhead :: Get a -> Get a
lookAhead = aheadIf (const True)
{-# INLINE lookAhead #-}

-- | Run a decoder, and go back to where it began if it returns 'Nothing'.
--
-- >>> let low = lookAheadM ((\w -> if w < 128 then Just w else Nothing) <$> getWord8)
-- >>> runGetRest low "\1\2"
-- Right (Just 1,"\STX")
-- >>> runGetRest low "\200"
-- Right (Nothing,"\200")
--
-- @since 0.1.0.0
lookAheadM :: Get (Maybe a) -> Get (Maybe a)
lookAheadM = aheadIf isNothing
{-# INLINE lookAheadM #-}

-- | Run a decoder, and go back to where it began if it returns 'Left'.
--
-- @since 0.1.0.0
lookAheadE :: Get (Either a b) -> Get (Either a b)
lookAheadE = aheadIf isLeft
{-# INLINE lookAheadE #-}

-- A look-ahead: a choice point that commits do not give up.
data LookAhead = LookAhead
  { aheadPoint :: !ChoicePoint,
    -- | 'releaseCell', outside of this.
    aheadRelease :: !Int,
    -- | The failures before.
    aheadFailures :: !Failures
  }

openLookAhead :: Cells -> Env -> Ptr Word8 -> IO LookAhead
openLookAhead c env p = do
  release <- getInt c releaseCell
  point <- openChoice c p
  when (release == maxBound) $ putInt c releaseCell (pointOffset point)
  LookAhead point release <$> failuresSoFar env
{-# NOINLINE openLookAhead #-}

-- Need the bytes no longer, and stay at the cursor.
closeLookAhead :: Cells -> LookAhead -> IO ()
closeLookAhead c ahead = do
  commits <- getInt c commitsCell
  let committed = (if commits < 0 then complement commits else commits) /= pointCommits point
  putInt c keepCell (if committed then aheadRelease ahead else pointKeep point)
  putInt c releaseCell (aheadRelease ahead)
  where
    point = aheadPoint ahead
{-# NOINLINE closeLookAhead #-}

-- Go back and close it. What failed since, but not for good, says nothing of what comes now.
undo :: Cells -> Env -> LookAhead -> IO ()
undo c env ahead = do
  goBack c env (aheadPoint ahead)
  closeLookAhead c ahead
  setFailures env (aheadFailures ahead)
{-# NOINLINE undo #-}

-- Go back if the result says so.
aheadIf :: (a -> Bool) -> Get a -> Get a
aheadIf goesBack (Get p) = Get $ \p0 c env s0 -> case unIO (openLookAhead c env (Ptr p0)) s0 of
  (# s1, ahead #) -> case p p0 c env s1 of
    (# s2, p1, (# a | #) #)
      | goesBack a -> unGet (a <$ step (\c' env' -> undo c' env' ahead)) p1 c env s2
      | otherwise -> case unIO (closeLookAhead c ahead) s2 of (# s3, _ #) -> (# s3, p1, (# a | #) #)
    (# s2, p1, (# | _ #) #) -> case unIO (closeLookAhead c ahead) s2 of
      (# s3, _ #) -> (# s3, p1, (# | (# #) #) #)
{-# INLINE aheadIf #-}

-- | Run a decoder, and return its result with the bytes that it read. These are a slice of the
-- input if they lie in one chunk, as with 'Ashlar.Get.getByteString'.
--
-- >>> runGet (match (many (getWord8 >>= guard . (> 32)))) "word "
-- Right ("word",[(),(),(),()])
--
-- @since 0.1.0.0
match :: Get a -> Get (ByteString, a)
match (Get p) = Get $ \p0 c env s0 -> case unIO (openLookAhead c env (Ptr p0)) s0 of
  (# s1, ahead #) -> case p p0 c env s1 of
    (# s2, p1, (# a | #) #) -> unGet ((\bytes -> (bytes, a)) <$> readSince ahead) p1 c env s2
    (# s2, p1, (# | _ #) #) -> case unIO (closeLookAhead c ahead) s2 of
      (# s3, _ #) -> (# s3, p1, (# | (# #) #) #)
{-# INLINE match #-}

-- The bytes from a look-ahead to the cursor. It is closed.
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
  bytes <- if n == 0 then pure S.empty else atHand n *> slice n
  bytes <$ step (\c _ -> setLimit c limit)
{-# NOINLINE readSince #-}

-- | Succeed without reading anything where a decoder fails, and fail where it succeeds. Commits in
-- it do not concern others, as with 'attempt'.
--
-- >>> runGet (many (notFollowedBy (getWord16be >>= guard . (== 3338)) *> getWord8)) "ab\r\n"
-- Right [97,98]
--
-- @since 0.1.0.0
notFollowedBy :: Get a -> Get ()
notFollowedBy (Get p) = Get $ \p0 c env s0 -> case unIO (openLookAhead c env (Ptr p0)) s0 of
  (# s1, ahead #) -> case unIO (openBarrier c) s1 of
    (# s2, barrier #) -> case p p0 c env s2 of
      (# s3, p1, (# _ | #) #) -> unGet (followed ahead barrier) p1 c env s3
      (# s3, p1, (# | _ #) #) -> unGet (notFollowed ahead barrier) p1 c env s3
{-# INLINE notFollowedBy #-}

-- The decoder has succeeded.
followed :: LookAhead -> Barrier -> Get ()
followed ahead barrier = do
  now <- here
  step $ \c env -> closeBarrier c barrier >> undo c env ahead
  at <- here
  -- The bytes are there: they have been read.
  found <- lookAt (min 16 (now - at))
  failWith at at found Unexpected
{-# NOINLINE followed #-}

-- It has failed. For lack of budget, that is no answer.
notFollowed :: LookAhead -> Barrier -> Get ()
notFollowed ahead barrier = do
  over <- step $ \c env -> do
    closeBarrier c barrier
    over <- isOver c
    over <$ if over then closeLookAhead c ahead else undo c env ahead
  when over failed
{-# NOINLINE notFollowed #-}
