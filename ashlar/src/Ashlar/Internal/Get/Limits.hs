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
-- on ('usedUp'), and those outside of 'Ashlar.Get.withBudget' catch it. Otherwise @many@ would
-- return the first part of a long input as if it were all. Worse, each choice on the way out would
-- try the same input again, with one level or step less to go, and fail again. Then
-- @nested = deeper (many (char '(' *> nested))@ takes time exponential in the number of open
-- brackets. (Tests "a budget that is used up".)
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
    overBudget,
    usedUp,
  )
where

import Ashlar.Internal.Coroutine (suspendsByFreezing)
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure (Failures (..))
import Ashlar.Internal.Mem.Cells
import Control.Monad (when)
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
    pure
      $! if end == maxBound
        then defaultLimits c
        else (defaultLimits c) {limitBytes = streamBytes, limitEnd = end}
  _ -> pure (defaultLimits c)

-- | Use steps, or fail if the budget has no more.
spend ::
  -- | What takes them.
  String ->
  Cells ->
  Env ->
  -- | How many (not negative).
  Int ->
  IO ()
spend what c env n = do
  enough <- spent c env n
  if enough then pure () else outOfSteps what c env
{-# NOINLINE spend #-}

-- Use steps, if the budget has as many.
spent :: Cells -> Env -> Int -> IO Bool
spent c env n = do
  left <- getInt (budgetCells c env) stepsCell
  if n <= left
    then True <$ putInt (budgetCells c env) stepsCell (left - n)
    else pure False

outOfSteps :: String -> Cells -> Env -> IO a
outOfSteps what c env = do
  limits <- limitsOf c env
  overBudget (budgetCells c env) c env ("more than " ++ show (limitSteps limits) ++ what)

-- | Count the levels in which a decoder is suspended to wait for input. To suspend it copies its
-- stack, and to resume it copies the stack back. So input that is pushed in small chunks, deep
-- inside of a value, could take time out of proportion.
--
-- Some levels cost about as much as the rest of it, and are free. Where the stack is frozen, those
-- in an alternative cost much more: so fewer are free, and each is a step.
chargeStop :: Cells -> Env -> IO ()
chargeStop c env = do
  left <- getInt c levelsCell
  limits <- limitsOf c env
  let levels = limitDepth limits - (if left < 0 then complement left else left)
      steps = (levels - freeLevels) `unsafeShiftR` levelsOfStep
  enough <- if levels > freeLevels then spent c env steps else pure True
  if enough then pure () else outOfSteps " steps to suspend nested decoders" c env
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
  -- | The cells of the budget.
  Cells ->
  (Limits, Int)
within seen outer at bytes cells
  | isolate <= end = (own maxBound, isolate)
  | otherwise = (own end, end)
  where
    end = streamEnd at bytes
    -- Where the input ends if no budget does.
    isolate = if seen >= limitEnd outer then limitIsolate outer else seen
    own to = outer {limitBytes = bytes, limitEnd = to, limitIsolate = isolate, limitCells = cells}

-- | Given what 'limitCell' has: is that an end at which nothing is left, or may the decoder only
-- not go on? (Asked where a decoder has come to the limit.)
endsForGood :: Cells -> Env -> Int -> IO Bool
endsForGood c env !limit = case env of
  Whole _ -> pure True
  -- With 32 bits, a stream may go on where no offset can be counted. Asking the source fails then.
  _ | limit == maxBound -> pure False
  _ -> (\limits -> limit < limitEnd limits || limitEnd limits == maxBound) <$> limitsOf c env
{-# NOINLINE endsForGood #-}

-- | Fail if a number of bytes is more than the budget allows in all.
announce :: Cells -> Env -> Int -> IO ()
announce c env n = do
  limits <- limitsOf c env
  when (n > limitBytes limits) $ outOfBytes (" (" ++ show n ++ " needed)") limits c env
  when (n > streamBytes && inMemory) $ putInt c overCell n
  where
    inMemory = case env of
      Whole _ -> True
      Env _ OfWhole _ -> True
      _ -> False
{-# NOINLINE announce #-}

-- | Fail, because the value has taken all the bytes that it may.
overBytes :: Cells -> Env -> IO a
overBytes c env = limitsOf c env >>= \limits -> outOfBytes "" limits c env
{-# NOINLINE overBytes #-}

outOfBytes :: String -> Limits -> Cells -> Env -> IO a
outOfBytes needed limits c env =
  overBudget (limitCells limits) c env $
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
        scoped own = Env input (Own (budgetCells c env) own) context
    pure
      $! if byBudget == maxBound
        then env
        else
          scoped $
            if end <= max byBudget seen
              then limits {limitEnd = maxBound, limitIsolate = end}
              else limits {limitIsolate = min end (limitIsolate limits)}
{-# NOINLINE isolated #-}

-- | Fail at the cursor, because the budget does not allow more: Note [Used up for good].
overBudget ::
  -- | The cells of the budget.
  Cells ->
  Cells ->
  Env ->
  -- | What there is too much of.
  String ->
  IO a
overBudget own c env reached = do
  putInt own overCell budgetOver
  -- What failed before does not matter.
  setFailures env NoFailures
  p <- getPtr c cursorCell
  failAt c env p 0 (OverBudget (reached ++ "; withBudget raises the limit"))
{-# NOINLINE overBudget #-}

-- | Has a budget been used up that the decoder with this environment is within?
usedUp :: Cells -> Env -> IO Bool
usedUp c env = case env of
  Env _ (Own own limits) _ -> over own >>= \it -> if it then pure True else over (limitCells limits)
  _ -> over c
  where
    -- Compared at once: a thunk would be allocated for each alternative that fails.
    over cells = getInt cells overCell >>= \n -> pure $! n == budgetOver
{-# NOINLINE usedUp #-}
