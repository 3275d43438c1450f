-- |
-- Module      : Ashlar.Internal.Get.ByteLimit
-- Description : Limits on the bytes of a value
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
-- 'limitEnd'. Where an @isolate@ reaches as far as the budget or farther, it has a scope of its own.
-- (Tests "budgets of bytes" and the model of random decoders.)
module Ashlar.Internal.Get.ByteLimit
  ( streamBytes,
    streamEnd,
    byteLimit,
    within,
    endsForGood,
    announce,
    overBytes,
    isolated,
    overBudget,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem.Cells

-- | How many bytes a value may take where the budget does not say and the input is not in memory:
-- 64 MiB.
streamBytes :: Int
streamBytes = 67108864

-- | The offset at which so many bytes end, counted from an offset. 'maxBound' if there is no limit.
streamEnd :: Int -> Int -> Int
streamEnd at n = if n > maxBound - at then maxBound else at + n

-- | The limit in force.
byteLimit :: Cells -> Env -> IO ByteLimit
byteLimit c env = case env of
  Env _ (Own _ limit) _ -> pure limit
  Env _ OfRun _ -> do
    end <- getInt c bytesCell
    pure $! if end == maxBound then noByteLimit else ByteLimit streamBytes end maxBound
  _ -> pure noByteLimit

-- | The limit of a budget that begins at this offset, given what is around it and how many bytes it
-- allows; and the offset at which the input seems to end.
within ::
  -- | What 'limitCell' has.
  Int ->
  -- | The limit around it.
  ByteLimit ->
  -- | The offset.
  Int ->
  -- | How many bytes.
  Int ->
  (ByteLimit, Int)
within seen outer at bytes
  | isolate <= end = (ByteLimit bytes maxBound isolate, isolate)
  | otherwise = (ByteLimit bytes end isolate, end)
  where
    end = streamEnd at bytes
    -- Where the input ends if no budget does.
    isolate = if seen >= limitEnd outer then limitIsolate outer else seen

-- | Given what 'limitCell' has: is that an end at which nothing is left, or may the decoder only not
-- go on? (Asked where a decoder has come to the limit.)
endsForGood :: Cells -> Env -> Int -> IO Bool
endsForGood c env limit = case env of
  Whole _ -> pure True
  _ -> (\l -> limit < limitEnd l || limitEnd l == maxBound) <$> byteLimit c env
{-# NOINLINE endsForGood #-}

-- | Fail if a number of bytes is more than the budget allows in all.
announce :: Cells -> Env -> Int -> IO ()
announce c env n = do
  limit <- byteLimit c env
  if n > limitBytes limit
    then refuse c env (show (limitBytes limit) ++ " bytes (" ++ show n ++ " needed)")
    else pure ()
{-# NOINLINE announce #-}

-- | Fail, because the value has taken all the bytes that it may.
overBytes :: Cells -> Env -> IO a
overBytes c env = do
  limit <- byteLimit c env
  refuse c env (show (limitBytes limit) ++ " bytes")
{-# NOINLINE overBytes #-}

refuse :: Cells -> Env -> String -> IO a
refuse c env much = overBudget c env ("more than " ++ much)

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
    limit <- byteLimit c env
    pure $! case limitEnd limit of
      byBudget
        | byBudget == maxBound -> env
        | end <= max byBudget seen -> scoped limit {limitEnd = maxBound, limitIsolate = end}
        | otherwise -> scoped limit {limitIsolate = min end (limitIsolate limit)}
      where
        scoped limit = Env input (Own (budgetCells c env) limit) context
{-# NOINLINE isolated #-}

-- | Fail at the cursor, because the budget does not allow more.
overBudget ::
  Cells ->
  Env ->
  -- | What there is too much of.
  String ->
  IO a
overBudget c env reached = do
  p <- getPtr c cursorCell
  failAt c env p 0 (OverBudget (reached ++ "; withBudget raises the limit"))
{-# NOINLINE overBudget #-}
