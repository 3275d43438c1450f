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
-- (The 'Alternative' instance is here, and not next to the type, because it needs choice points.)
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

    -- * For other modules
    aheadIf,
  )
where

import Ashlar.Internal.Get.ChoicePoint
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Record
import Control.Applicative (Alternative (..))
import Control.Monad (MonadPlus)
import Data.ByteString (ByteString)
import Data.Either (isLeft)
import Data.Maybe (isNothing)
import Data.Word (Word8)
import GHC.Exts (Ptr (Ptr))
import GHC.IO (unIO)

-- | 'empty' fails. If @p@ fails, @p '<|>' q@ is @q@ from the same offset, however much @p@ has read
-- (unless it has passed a 'commit').
--
-- 'many' and 'some' decode as many values as they can, in constant memory apart from the result.
-- They end where their decoder fails, or succeeds without reading anything. 'some' keeps its first
-- value even if that read nothing. 'many' and all later rounds drop such a value.
--
-- If all alternatives fail, the error is that of the one that got farthest
-- ('Ashlar.Get.DecodeError').
instance Alternative Get where
  empty = failingBy (\p c env -> recordAt c env p 0 NoAlternative)
  {-# INLINE empty #-}
  (<|>) = orGet
  {-# INLINE (<|>) #-}
  some p = (:) <$> p <*> many p
  {-# INLINE some #-}
  many p = manyFold (\as a -> a : as) [] p >>= \as -> pure $! reverse as
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

-- Run the first decoder. If it fails, run the second from the same offset.
eitherOr :: Get a -> Get a -> Get a
eitherOr (Get p) (Get q) = Get $ \p0 c env s0 -> case unIO (openChoice c (Ptr p0)) s0 of
  (# s1, point #) ->
    let other# p1 s = case unGet (retreat point) p1 c env s of
          (# s3, p3, (# _ | #) #) -> q p3 c env s3
          (# s3, p3, (# | _ #) #) -> (# s3, p3, (# | (##) #) #)
        {-# NOINLINE [0] other# #-}
     in case p p0 c env s1 of
          (# s2, p2, (# a | #) #) -> case unIO (closeChoice c point) s2 of
            (# s3, _ #) -> (# s3, p2, (# a | #) #)
          (# s2, p2, (# | _ #) #) -> other# p2 s2
{-# INLINE eitherOr #-}

-- | Fold values from the left until the decoder fails, in constant memory. The accumulator is
-- forced at each step.
--
-- >>> import Ashlar.Get.Combinators (manyFold)
-- >>> runGet (manyFold (\n w -> n + fromIntegral w) (0 :: Int) getWord16be) "\0\1\0\2\0"
-- Right 3
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

-- See Note [Rules for decoders] in "Ashlar.Internal.Get.Core". Nested choices are associated to the
-- right, so that the rules find the guard of each alternative.
{-# RULES
"or/guarded" forall t w p q. orGet (guardedGet t w p) q = orGuarded t w p q
"or/or" forall p q r. orGet (orGet p q) r = orGet p (orGet q r)
"or/or/guarded" forall t w p q r. orGet (orGuarded t w p q) r = orGuarded t w p (orGet q r)
"manyFold/guarded" forall f z t w p. manyFold f z (guardedGet t w p) = manyFoldGuarded t w f z p
  #-}

-- Fold values until the decoder fails or reads nothing. Each round is a choice.
rounds ::
  (b -> a -> b) ->
  b ->
  -- | Run the first decoder, or the second if the next byte rules the first out.
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

-- | Give up the choices around this. If the decoder fails after it, these choices fail, too, and do
-- not try their other alternatives. The bytes that were kept for them are released, so the input
-- after the commit may be of any length. In short,
--
-- > (commit *> p) <|> q  =  commit *> p
--
-- This concerns all open choices up to the innermost 'attempt': each 'Control.Applicative.<|>' that
-- has the commit in its left alternative, and each round of a 'Control.Applicative.many'. Choices
-- after the commit go back as always.
--
-- A typical use is @many (tag *> commit *> body)@, which fails if a body fails. Without the commit
-- it would end before the tag of that body.
--
-- >>> let item = getWord8 >>= \w -> if w == 1 then commit *> getWord16be else empty
-- >>> runGet (many item) "\1ab\1cd."
-- Right [24930,25444]
-- >>> either (print . errorReason) print (runGet (many item) "\1ab\1c")
-- MissingInput 2 1
commit :: Get ()
commit = inspect (\c _ _ -> commitHere c)

-- | Run a decoder whose 'commit's do not concern the choices around it. If it fails, these try
-- their next alternative in any case.
--
-- > attempt (commit *> p)  =  attempt p
--
-- This is not parsec's @try@, which is not needed here: a choice always goes back.
--
-- >>> runGet (attempt (getWord8 *> commit *> empty) <|> getWord8) "a"
-- Right 97
attempt :: Get a -> Get a
attempt p =
  enclosed
    (inspect (\c _ _ -> openBarrier c))
    (\barrier -> inspect (\c _ _ -> closeBarrier c barrier))
    (const p)
{-# INLINE attempt #-}

-- | Run a decoder, and go back to where it began. If it fails, this fails, too, and the next byte
-- is the one where it failed.
--
-- Until the decoder ends, the bytes that it reads are kept. A look-ahead by n bytes keeps n bytes,
-- rounded up to chunks, and may have to wait for them ('Ashlar.Get.Decoder', "Ashlar.Get.Feed",
-- 'Ashlar.Get.Source'). So a @lookAhead@ that reads to the end of a stream waits for that end, and
-- keeps all bytes up to there. Afterwards, the bytes are decoded again without waiting, and are
-- released as they are passed. If the stream ends first, the decoder fails, as anywhere else. No
-- chunk needs to be fed twice.
--
-- >>> let size = lookAhead (getWord8 *> getWord16be)
-- >>> let message = size >>= \n -> getByteString (3 + fromIntegral n)
-- >>> let fed = runGetIncremental message `pushChunk` "m\0" `pushChunk` "\2hi"
-- >>> case fed of Done _ _ m -> print m; _ -> putStrLn "not done"
-- "m\NUL\STXhi"
--
-- >>> runGet ((,) <$> lookAhead getWord16be <*> getWord8) "\1\2"
-- Right (258,1)
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
lookAheadM :: Get (Maybe a) -> Get (Maybe a)
lookAheadM = aheadIf isNothing
{-# INLINE lookAheadM #-}

-- | Run a decoder, and go back to where it began if it returns 'Left'.
lookAheadE :: Get (Either a b) -> Get (Either a b)
lookAheadE = aheadIf isLeft
{-# INLINE lookAheadE #-}

-- | Run a decoder in a look-ahead, and go back if the predicate holds of its result.
aheadIf :: (a -> Bool) -> Get a -> Get a
aheadIf goesBack = inLookAhead stayAndFail $ \ahead a ->
  if goesBack a
    then a <$ step (\c env -> undo c env ahead)
    else a <$ inspect (\c _ _ -> closeLookAhead c ahead)
{-# INLINE aheadIf #-}

-- Run a decoder in a look-ahead, given what closes that after a failure and after a success.
inLookAhead :: (LookAhead -> Get b) -> (LookAhead -> a -> Get b) -> Get a -> Get b
inLookAhead failing succeeding (Get p) = Get $ \p0 c env s0 ->
  case unIO (openLookAhead c env (Ptr p0)) s0 of
    (# s1, ahead #) -> case p p0 c env s1 of
      (# s2, p1, (# a | #) #) -> unGet (succeeding ahead a) p1 c env s2
      (# s2, p1, (# | _ #) #) -> unGet (failing ahead) p1 c env s2
{-# INLINE inLookAhead #-}

stayAndFail :: LookAhead -> Get a
stayAndFail ahead = inspect (\c _ _ -> closeLookAhead c ahead) >> failed
{-# INLINE stayAndFail #-}

-- | Run a decoder, and return its result with the bytes that it read. If these lie in one chunk,
-- they are a slice of the input, as with 'Ashlar.Get.getByteString'. Else they are copied, and
-- those of a @match@ in it are copied again: 'Ashlar.Get.budgetSteps' limits that.
--
-- >>> runGet (match (many (getWord8 >>= guard . (> 32)))) "word "
-- Right ("word",[(),(),(),()])
match :: Get a -> Get (ByteString, a)
match = inLookAhead stayAndFail (\ahead a -> (\bytes -> (bytes, a)) <$> readSince ahead)
{-# INLINE match #-}

-- | Succeed without reading anything if a decoder fails, and fail if it succeeds. Commits in the
-- decoder do not concern the choices around this, as with 'attempt'.
--
-- >>> runGet (many (notFollowedBy (getWord16be >>= guard . (== 3338)) *> getWord8)) "ab\r\n"
-- Right [97,98]
notFollowedBy :: Get a -> Get ()
notFollowedBy p = inLookAhead notFollowed (\ahead _ -> followed ahead) (attempt p)
{-# INLINE notFollowedBy #-}
