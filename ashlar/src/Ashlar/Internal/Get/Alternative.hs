{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -Wno-orphans -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Alternative
-- Description : Choices, and giving them up
--
-- (The 'Alternative' instance is here, and not beside the type, because it needs the handlers.)
module Ashlar.Internal.Get.Alternative
  ( commit,
    attempt,
    notFollowedBy,
  )
where

import Ashlar.Internal.Get.Catch
import Ashlar.Internal.Get.ChoicePoint
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (Failures)
import Ashlar.Internal.Get.Input (lookAt)
import Ashlar.Internal.Get.Limits (usedUp)
import Ashlar.Internal.Get.Refuse
import Ashlar.Internal.Mem.Cells
import Control.Applicative (Alternative (..))
import Control.Monad (MonadPlus)
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import GHC.Exts (RealWorld, State#)
import GHC.IO (IO (..), unIO)

-- | 'empty' fails. If @p@ fails, @p '<|>' q@ is @q@ from the same offset, however much @p@ has read
-- (unless it has passed a 'commit').
--
-- 'many' and 'some' take as many as they can, in constant memory apart from the result. They end
-- where their decoder fails, or succeeds without reading anything.
--
-- If all fails, the error is that of the alternative that got farthest ('Ashlar.Get.DecodeError').
instance Alternative Get where
  empty = failHere NoAlternative
  (<|>) = orGet
  {-# INLINE (<|>) #-}
  some p = (:) <$> p <*> many p
  {-# INLINE some #-}
  many = manyGet
  {-# INLINE many #-}

instance MonadPlus Get

orGet :: Get a -> Get a -> Get a
orGet p (Get q) = Get (eitherOr p q)
{-# INLINE [1] orGet #-}

-- A choice in which the next byte may rule out the first alternative.
orGuarded :: (Word8 -> Bool) -> Expectation -> Get a -> Get a -> Get a
orGuarded accepts wanted p (Get q) = Get $ \c env s0 ->
  let other s = q c env s
   in case unIO (nextIs accepts c env) s0 of
        (# s1, True #) -> eitherOr p (\_ _ -> other) c env s1
        (# s1, False #) -> case unIO (refuseByte c env wanted) s1 of (# s2, _ #) -> other s2
{-# INLINE [1] orGuarded #-}

manyGet :: Get a -> Get [a]
manyGet p = step (manyFrom (\_ _ -> pure True) p)
{-# INLINE [1] manyGet #-}

manyGuarded :: (Word8 -> Bool) -> Expectation -> Get a -> Get [a]
manyGuarded accepts wanted p = step (manyFrom begins p)
  where
    begins c env = do
      ok <- nextIs accepts c env
      if ok then pure True else False <$ refuseByte c env wanted
{-# INLINE [1] manyGuarded #-}

-- See Note [Rules for decoders] in "Ashlar.Internal.Get.Core". Choices are associative, so that
-- each one in a row of them has its guard at the front.
{-# RULES
"or/guarded" forall t w p q. orGet (guardedGet t w p) q = orGuarded t w p q
"many/guarded" forall t w p. manyGet (guardedGet t w p) = manyGuarded t w p
"or/or" forall p q r. orGet (orGet p q) r = orGet p (orGet q r)
"or/or/guarded" forall t w p q r. orGet (orGuarded t w p q) r = orGuarded t w p (orGet q r)
  #-}

-- The first, or else the second from the same offset.
eitherOr ::
  Get a ->
  (Cells -> Env -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Cells ->
  Env ->
  State# RealWorld ->
  (# State# RealWorld, a #)
eitherOr p q = \c env s0 -> case unIO (openChoice c) s0 of
  (# s1, point #) -> case catching c env p s1 of
    (# s2, (# a | #) #) -> case unIO (closeChoice c point) s2 of (# s3, _ #) -> (# s3, a #)
    -- The alternative runs after the handler has returned: inside of it asynchronous exceptions
    -- are masked, and alternatives would nest.
    (# s2, (# | stop #) #) -> case unIO (retreat c env stop point) s2 of (# s3, _ #) -> q c env s3
{-# INLINE eitherOr #-}

-- How far 'many' has come: the offset at which the round under way began, 'releaseCell' as it is
-- outside, where a round before it may have committed, and the elements, the last first.
data Rounds a = Rounds !Int !Int [a]

-- One handler around all rounds, and not one for each. How far they have come is written at once,
-- for the rounds do not return to say it. Each round is a choice: to close one and open the next
-- ('closeChoice', 'openChoice') amounts to what 'rounds' does.
--
-- Before each round it is asked whether there can be one. If not, that has been recorded as a
-- failure is.
manyFrom :: (Cells -> Env -> IO Bool) -> Get a -> Cells -> Env -> IO [a]
manyFrom begins (Get p) = \c env ->
  begins c env >>= \one ->
    if not one
      then pure []
      else do
        first <- openChoice c
        progress <- newIORef (Rounds (pointOffset first) (pointRelease first) [])
        let keepOutside before = if givenUp before then released before else pointKeep first
            rounds !at !before as = do
              a <- IO (p c env)
              at' <- position c
              if at' == at
                then pure ()
                else do
                  release <- getInt c releaseCell
                  -- The number is always the same, and the flag stays once it is set.
                  let !before' = if givenUp release then release else before
                      !as' = a : as
                  putInt c keepCell (min (keepOutside before') at')
                  putInt c releaseCell (released before')
                  writeIORef progress (Rounds at' before' as')
                  again <- begins c env
                  if again then rounds at' before' as' else pure ()
            all' = step (\_ _ -> rounds (pointOffset first) (pointRelease first) [])
            session s0 = case catching c env all' s0 of
              (# s1, (# _ | #) #) -> unIO (latest >>= closeChoice c) s1
              (# s1, (# | stop #) #) -> unIO (latest >>= retreat c env stop) s1
            -- The choice of the last round.
            latest = do
              Rounds at before _ <- readIORef progress
              pure
                first
                  { pointOffset = at,
                    pointKeep = keepOutside before,
                    pointRelease = before
                  }
        IO session
        (\(Rounds _ _ as) -> reverse as) <$> readIORef progress
{-# INLINE manyFrom #-}

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
commit = step (\c _ -> commitHere c)

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
attempt p = Get $ \c env s0 -> case unIO (openBarrier c) s0 of
  (# s1, barrier #) -> case catching c env p s1 of
    (# s2, (# a | #) #) -> case unIO (closeBarrier c barrier) s2 of (# s3, _ #) -> (# s3, a #)
    (# s2, (# | stop #) #) -> unIO (closeBarrier c barrier >> failAgain stop) s2
{-# INLINE attempt #-}

-- | Succeed without reading anything where a decoder fails, and fail where it succeeds. Commits in
-- it do not concern others, as with 'attempt'.
--
-- >>> runGet (many (notFollowedBy (getWord16be >>= guard . (== 3338)) *> getWord8)) "ab\r\n"
-- Right [97,98]
--
-- @since 0.1.0.0
notFollowedBy :: Get a -> Get ()
notFollowedBy p = Get $ \c env s0 -> case unIO (openLookAhead c) s0 of
  (# s1, start #) -> case unIO ((,) <$> openBarrier c <*> failuresSoFar env) s1 of
    (# s2, (barrier, before) #) -> case catching c env p s2 of
      (# s3, outcome #) -> unIO (ended c env start barrier before (stopIn outcome)) s3
  where
    stopIn outcome = case outcome of
      (# _ | #) -> Nothing
      (# | stop #) -> Just stop
{-# INLINE notFollowedBy #-}

-- The decoder has ended, and succeeded if there is no stop.
ended :: Cells -> Env -> ChoicePoint -> ChoicePoint -> Failures -> Maybe Stop -> IO ()
ended c env !start !barrier before stop = do
  end <- position c
  closeBarrier c barrier
  over <- usedUp c env
  -- What failed for lack of budget is no answer.
  if over then mapM_ failAgain stop else undo c env start before
  case stop of
    Nothing -> do
      let at = pointOffset start
      -- The bytes are there: they have been read.
      found <- lookAt c env (min 16 (end - at))
      failWith c env at at found Unexpected
    Just HasFailed -> pure ()
    Just other -> failAgain other
{-# NOINLINE ended #-}
