{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Limits
-- Description : What a budget allows, and failing where it is used up
--
-- Note [Where a value ends]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~
-- A budget may limit how many bytes a value takes. To the decoder the input seems to end after
-- them, as it does in an @isolate@: 'limitCell' has the offset of whichever comes first. So the
-- limit costs nothing until a decoder gets there. The slow paths then find out which of the two it
-- is. An @isolate@ ends for good. At the end of a budget, the value fails if the input goes on, and
-- ends if the input does.
--
-- A decoder may need more bytes than are left of the budget. If the input ends before the budget
-- does, then what is missing is input. Strict input knows where it ends, but a stream does not.
-- Both must fail in the same way (INV-G2), so the bytes up to the limit are asked for, and one
-- more. The budget has room for these.
--
-- A budget inside another one has a limit of its own, which may be beyond that of the outer one.
-- The bytes count there, too: afterwards the outer value may be at its end.
--
-- The offset that 'limitCell' has does not say if an @isolate@ or a budget ends there. What the
-- scope says is right while no @isolate@ ends before the budget: then the limit is less than
-- 'limitEnd'. Where an @isolate@ reaches as far as the budget or farther, it has a scope of its
-- own. (Tests "budgets of bytes" and the model of random decoders.)
--
-- Note [What is held]
-- ~~~~~~~~~~~~~~~~~~~
-- Where the input is not in memory, a run has a limit of its own, on what it holds: the bytes from
-- the cursor on that it asks for, and those before it that a choice may go back to. What it has
-- passed is let go of, and does not count. So a decoder may skip or count any number of bytes.
--
-- 'heldCell' has the offset up to which it may go without asking. There it finds out what it holds,
-- and the offset moves on ('moveHeld'). It moves only when a decoder needs bytes that lie after it,
-- never because of how the input is cut into chunks, and nothing moves it back. So all runs fail
-- alike (INV-G2). The first chunk of lazy input is in memory, and is not limited.
--
-- A value of a @Codec@, and each value of a stream of them, is held as a whole, so the offset does
-- not move there ('asValue'). Otherwise input without end would be a value without end. Within an
-- 'Ashlar.Get.withBudget' that allows more than 64 MiB there is no such limit. (Test group "budgets
-- of bytes".)
--
-- Note [Used up for good]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder that has used up its budget fails as a whole: the choices inside of it pass the failure
-- on, and those outside of 'Ashlar.Get.withBudget' catch it. Otherwise @many@ would return the
-- first part of a long input as if it were all. Worse, each choice on the way out would try the
-- same input again, with one level or step less to go, and fail again. Then
-- @nested = deeper (many (char '(' *> nested))@ takes time exponential in the number of open
-- brackets. (Tests "a budget that is used up".)
--
-- So 'commitsCell' is complemented, and then differs from what any choice has seen when it was
-- opened: all of them have been given up, as after a commit. The budget itself has -1 steps left.
-- So @withBudget@ knows if it is its own budget, and undoes that.
module Ashlar.Internal.Get.Limits
  ( limitsOf,

    -- * Steps
    spend,
    chargeSuspension,

    -- * Bytes
    streamBytes,
    streamEnd,
    moveHeld,
    asValue,
    within,
    endsHere,
    endsForGood,
    overBytes,
    overHeld,
    isolated,

    -- * Failing
    overOwn,
    isUsedUp,
    markOver,
    notOver,
  )
where

import Ashlar.Internal.Coroutine (suspendsByFreezing)
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures (..))
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Type
import Ashlar.Internal.Mem.Cells
import Control.Monad (unless, when)
import Data.Bits (complement, unsafeShiftR)
import GHC.Exts (Ptr (Ptr))
import GHC.IO (unIO)

-- | How many bytes a run may hold where the budget does not say and the input is not in memory:
-- 64 MiB.
streamBytes :: Int
streamBytes = 67108864

-- | The offset at which n bytes end, counted from an offset. 'maxBound' if there is no limit.
streamEnd :: Int -> Int -> Int
streamEnd at n = if n > maxBound - at then maxBound else at + n

-- | The limits in force.
limitsOf :: Cells -> Env -> IO Limits
limitsOf c env = case env of
  Env _ (Own _ limits) _ -> pure limits
  _ -> pure (defaultLimits c)

-- | Use steps, or fail if the budget has no more.
spend ::
  -- | What takes them.
  String ->
  -- | How many (not negative).
  Int ->
  Get ()
spend what n = do
  enough <- inspect $ \c env _ -> do
    let !(Account own) = budgetAccount c env
    left <- getInt own stepsCell
    if n <= left then True <$ putInt own stepsCell (left - n) else pure False
  unless enough $ overOwn (\limits -> "more than " ++ show (limitSteps limits) ++ what)
{-# NOINLINE spend #-}

-- | Fail at the cursor, because the innermost budget does not allow more.
overOwn ::
  -- | What there is too much of, given the limits in force.
  (Limits -> String) ->
  Get a
overOwn reached = do
  own <- inspect (\c env _ -> pure $! budgetAccount c env)
  limits <- inspect (\c env _ -> limitsOf c env)
  overBudget own (reached limits ++ raisable)
{-# NOINLINE overOwn #-}

-- | Count the levels in which a decoder is suspended to wait for input. To suspend it copies its
-- stack, and to resume it copies the stack back. So input that is pushed in small chunks, deep
-- inside of a value, could take time out of proportion.
--
-- Some levels cost about as much as the rest of it, and are free. Where the stack is frozen, those
-- in an alternative cost much more: so fewer are free, and each is a step.
chargeSuspension :: Get ()
chargeSuspension = do
  levels <- inspect $ \c env _ -> do
    left <- getInt c levelsCell
    limits <- limitsOf c env
    pure (limitDepth limits - (if left < 0 then complement left else left))
  when (levels > freeLevels) $
    spend " steps to suspend nested decoders" ((levels - freeLevels) `unsafeShiftR` levelsOfStep)
  where
    (freeLevels, levelsOfStep)
      | suspendsByFreezing = (32, 0)
      | otherwise = (256, 4)
{-# NOINLINE chargeSuspension #-}

-- | Before n bytes from an offset on are asked for: let the run hold them, if it does not hold too
-- much already. Note [What is held].
moveHeld :: Cells -> Int -> Int -> IO ()
moveHeld c at n = do
  held <- getInt c heldCell
  when (held >= 0 && held - at < n) $ do
    end <- heldEndAt c at
    when (end > held) $ setHeldEnd c end
{-# INLINE moveHeld #-}

-- How far bytes may be held if the cursor is at this offset.
heldEndAt :: Cells -> Int -> IO Int
heldEndAt c at = (\keep -> streamEnd (min keep at) streamBytes) <$> getInt c keepCell
{-# INLINE heldEndAt #-}

-- | A decoder whose value is held as a whole.
asValue :: Get a -> Get a
asValue (Get p) = Get $ \p0 c env s0 -> case unIO (enter c p0) s0 of
  (# s1, before #) -> case p p0 c env s1 of
    (# s2, p1, result #) -> case unIO (leave c p1 before) s2 of
      (# s3, _ #) -> (# s3, p1, result #)
  where
    enter c p0 = do
      held <- getInt c heldCell
      at <- offsetOf c (Ptr p0)
      when (moves held) $ heldEndAt c at >>= setHeldEnd c . complement . max held
      pure held
    leave c p1 before = do
      at <- offsetOf c (Ptr p1)
      when (moves before) $ setHeldEnd c (max before at)
    moves held = held >= 0 && held /= maxBound
{-# INLINE asValue #-}

-- | Limits inside of others, with a number of bytes of their own; and the offset at which the input
-- seems to end.
within ::
  -- | What 'limitCell' has.
  Int ->
  -- | The limits around.
  Limits ->
  -- | The offset at which the bytes begin.
  Int ->
  -- | How many bytes.
  Int ->
  -- | Of the budget.
  Account ->
  (Limits, Int)
within seen outer at bytes account
  | isolate <= end = (own maxBound, isolate)
  | otherwise = (own end, end)
  where
    end = streamEnd at bytes
    -- Where the input ends if no budget does.
    isolate = if seen >= limitEnd outer then limitIsolate outer else seen
    own to =
      outer
        { limitBytes = bytes,
          limitEnd = to,
          limitIsolate = isolate,
          limitAccount = account
        }

-- | Does the input end for good where the decoder may not go on? (Asked where it needs bytes after
-- that.)
endsHere :: Cells -> Env -> IO Bool
endsHere c env = do
  limit <- getInt c limitCell
  held <- heldEnd c
  if limit <= held then endsForGood c env limit else pure False

-- | Given what 'limitCell' has: is that an end at which nothing is left, or may the decoder only
-- not go on? (Asked where a decoder has come to the limit.)
endsForGood :: Cells -> Env -> Int -> IO Bool
endsForGood c env !limit = case env of
  InputOnly _ -> pure True
  -- With 32 bits, a stream may go on where no offset can be counted: to ask for more fails then.
  _ | limit == maxBound -> pure False
  _ -> forGood <$> limitsOf c env
  where
    -- (A budget inside of another may have gone beyond it, up to where an @isolate@ ends.)
    forGood limits =
      limit < limitEnd limits || limitEnd limits == maxBound || limit >= limitIsolate limits
{-# NOINLINE endsForGood #-}

-- | Fail at the cursor, because the value has taken all the bytes that it may, or the run holds all
-- that it may.
overBytes ::
  -- | How many bytes were needed.
  Int ->
  Get a
overBytes n = do
  limits <- inspect (\c env _ -> limitsOf c env)
  byRun <- inspect (\c _ _ -> (>) <$> getInt c limitCell <*> heldEnd c)
  if byRun
    then overHeld n
    else
      overBudget (limitAccount limits) $
        moreBytes (limitBytes limits) "" n ++ raisable
{-# NOINLINE overBytes #-}

-- | Fail at the cursor, because the run holds all that it may.
overHeld ::
  -- | How many bytes were needed.
  Int ->
  Get a
overHeld n = do
  own <- inspect (\c _ _ -> pure $! Account c)
  overBudget own $
    moreBytes streamBytes " held" n
      ++ ": hFoldGet decodes value by value, withBudget raises the limit, "
      ++ "and a file that is read as a strict ByteString has none"
{-# NOINLINE overHeld #-}

moreBytes :: Int -> String -> Int -> String
moreBytes most held n =
  "more than " ++ show most ++ " bytes" ++ held
    ++ (if n > most then " (" ++ show n ++ " needed)" else "")

-- | The environment inside an @isolate@ that ends at this offset, where the limit of a budget comes
-- first or at the same offset.
isolated ::
  Cells ->
  Env ->
  -- | What 'limitCell' has.
  Int ->
  -- | The offset.
  Int ->
  IO Env
isolated c env seen end = case env of
  InputOnly _ -> pure env
  Env input _ context -> do
    limits <- limitsOf c env
    let byBudget = limitEnd limits
        scoped own = Env input (Own (budgetAccount c env) own) context
    pure
      $! if byBudget == maxBound
        then env
        else
          scoped $
            if end <= max byBudget seen
              then limits {limitEnd = maxBound, limitIsolate = end}
              else limits {limitIsolate = min end (limitIsolate limits)}
{-# NOINLINE isolated #-}

raisable :: String
raisable = "; withBudget raises the limit"

-- Fail at the cursor, because the budget does not allow more: Note [Used up for good].
overBudget ::
  -- Of the budget.
  Account ->
  -- What there is too much of.
  String ->
  Get a
overBudget (Account own) reached = do
  step $ \c env -> do
    putInt own stepsCell (-1)
    markOver c
    -- What failed before does not matter.
    setFailures env NoFailures
  p <- cursor
  failAt p 0 (OverBudget reached)
{-# NOINLINE overBudget #-}

-- | All choices are given up, because a budget has been used up.
markOver :: Cells -> IO ()
markOver c = do
  over <- isOver c
  unless over $ complementCommits c

-- | The choices that were given up for lack of a budget may go on.
notOver :: Cells -> IO ()
notOver c = do
  over <- isOver c
  when over $ complementCommits c

complementCommits :: Cells -> IO ()
complementCommits c = getInt c commitsCell >>= putInt c commitsCell . complement

-- | Has this budget been used up?
isUsedUp :: Account -> IO Bool
isUsedUp (Account own) = (< 0) <$> getInt own stepsCell
