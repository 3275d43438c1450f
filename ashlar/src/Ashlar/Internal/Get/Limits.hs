{-# LANGUAGE BangPatterns #-}

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
-- A decoder that announces how many bytes it will take fails at once if these alone are more than
-- the budget has in all. So nothing is read ahead for a length that no value may have. Why not if
-- they are more than is left of the budget? If the input ends before the budget does, then what is
-- missing is input. Strict input knows where it ends, but a stream does not. Both must fail in the
-- same way (INV-G2), so the bytes up to the limit are asked for. The budget has room for these.
--
-- A budget inside another one has a limit of its own, which may be beyond that of the outer one.
-- The bytes count there, too: afterwards the outer value may be at its end.
--
-- The offset that 'limitCell' has does not say if an @isolate@ or a budget ends there. What the
-- scope says is right while no @isolate@ ends before the budget: then the limit is less than
-- 'limitEnd'. Where an @isolate@ reaches as far as the budget or farther, it has a scope of its
-- own. (Tests "budgets of bytes" and the model of random decoders.)
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
    chargeStop,

    -- * Bytes
    streamBytes,
    streamEnd,
    within,
    endsForGood,
    announce,
    overBytes,
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

-- | How many bytes a value may take where the budget does not say and the input is not in memory:
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
  Env _ OfRun _ -> do
    end <- getInt c bytesCell
    bytes <- bytesOf c env
    pure $! (defaultLimits c) {limitBytes = bytes, limitEnd = end}
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
  overBudget own (reached limits)
{-# NOINLINE overOwn #-}

-- | Count the levels in which a decoder is suspended to wait for input. To suspend it copies its
-- stack, and to resume it copies the stack back. So input that is pushed in small chunks, deep
-- inside of a value, could take time out of proportion.
--
-- Some levels cost about as much as the rest of it, and are free. Where the stack is frozen, those
-- in an alternative cost much more: so fewer are free, and each is a step.
chargeStop :: Get ()
chargeStop = do
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
{-# NOINLINE chargeStop #-}

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

-- | Given what 'limitCell' has: is that an end at which nothing is left, or may the decoder only
-- not go on? (Asked where a decoder has come to the limit.)
endsForGood :: Cells -> Env -> Int -> IO Bool
endsForGood c env !limit = case env of
  Whole _ -> pure True
  -- With 32 bits, a stream may go on where no offset can be counted. Asking the source fails then.
  _ | limit == maxBound -> pure False
  _ -> forGood <$> limitsOf c env
  where
    -- (A budget inside of another may have gone beyond it, up to where an @isolate@ ends.)
    forGood limits =
      limit < limitEnd limits || limitEnd limits == maxBound || limit >= limitIsolate limits
{-# NOINLINE endsForGood #-}

-- | Fail if a number of bytes is more than the budget allows in all.
announce :: Int -> Get ()
announce n = do
  most <- inspect $ \c env _ -> do
    bytes <- bytesOf c env
    -- Nothing limits it here. A stream would.
    when (n > streamBytes && bytes == maxBound) $ putInt c announcedCell n
    pure bytes
  when (n > most) $
    inspect (\c env _ -> limitsOf c env) >>= outOfBytes (" (" ++ show n ++ " needed)")
{-# NOINLINE announce #-}

-- How many bytes the budget allows: 'limitBytes' of the limits in force.
bytesOf :: Cells -> Env -> IO Int
bytesOf c env = case env of
  Env _ (Own _ limits) _ -> pure $! limitBytes limits
  Env _ OfRun _ -> do
    end <- getInt c bytesCell
    pure $! if end == maxBound then maxBound else streamBytes
  _ -> pure maxBound

-- | Fail, because the value has taken all the bytes that it may.
overBytes :: Get a
overBytes = inspect (\c env _ -> limitsOf c env) >>= outOfBytes ""
{-# NOINLINE overBytes #-}

outOfBytes :: String -> Limits -> Get a
outOfBytes needed limits =
  overBudget (limitAccount limits) $
    "more than " ++ show (limitBytes limits) ++ " bytes" ++ needed

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
  Whole _ -> pure env
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
  failAt p 0 (OverBudget (reached ++ "; withBudget raises the limit"))
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
