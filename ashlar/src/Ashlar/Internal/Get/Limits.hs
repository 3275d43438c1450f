{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Get.Limits
-- Description : What a budget allows, and failing where it is used up
--
-- Note [Where a value ends]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~
-- A budget may limit how many bytes a value takes. To the decoder the input seems to end after
-- these bytes, as at the end of an @isolate@. 'limitCell' has the offset of the one that ends
-- first. So the limit costs nothing until a decoder gets there. The slow paths then find out which
-- of the two ends. An @isolate@ is an end of the input. At the end of a budget, the decoder fails
-- if the input goes on.
--
-- A decoder may need more bytes than the budget has left. If the input ends before the budget does,
-- the error is missing input. Strict input knows where it ends, but a stream does not, and both
-- must fail in the same way (INV-G2). So a run on a stream asks for all bytes up to the limit and
-- for one more.
--
-- A budget inside another one may allow more than the outer one has left. Its bytes count for both,
-- so afterwards the outer value may be at its end.
--
-- 'limitCell' does not say if an @isolate@ or a budget ends there. A budget ends at 'limitEnd'. If
-- the cell has an earlier offset, or there is no such end, an @isolate@ ends there. So an @isolate@
-- that would end at or after the budget leaves the cell alone, and its end is in 'limitIsolate'
-- ('isolated'). (Tests "budgets of bytes" and the model of random decoders.)
--
-- Note [What is held]
-- ~~~~~~~~~~~~~~~~~~~
-- Where the input is not in memory, the bytes that a run may hold at once are limited: those from
-- the cursor on that it asks for, and those before the cursor that a choice may go back to. Other
-- bytes before the cursor are released, and do not count. So a decoder may skip or count any number
-- of bytes.
--
-- 'heldCell' has the offset up to which the run may read without another check. When a decoder
-- needs bytes after it, 'moveHeld' finds out what the run holds, and moves the offset on. The
-- offset does not depend on how the input is cut into chunks. It moves forward only, but
-- 'Ashlar.Get.withBudget' restores it at its end. So all runs fail alike (INV-G2). The first chunk
-- of lazy input is in memory, and is not limited.
--
-- All bytes of a @Codec@'s value, and of each value of a stream of them, count as held: 'asValue'
-- stops the offset from moving. Otherwise endless input could make an endless value. An
-- 'Ashlar.Get.withBudget' that allows more than 64 MiB removes this limit. (Test group "budgets of
-- bytes".)
--
-- Note [Used up for good]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder that has used up its budget fails as a whole: the choices inside of
-- 'Ashlar.Get.withBudget' pass the failure on, and those outside catch it. Otherwise @many@ would
-- return the first part of a long input as if it were all. Worse, each choice on the way out would
-- try the same input again, with one level or step less left, and fail again. Then
-- @nested = deeper (many (char '(' *> nested))@ takes time exponential in the number of brackets.
-- (Tests "a budget that is used up".)
--
-- So 'setOver' complements 'commitsCell', which then differs from the value that any choice has
-- seen when it was opened. All choices are given up, as after a commit. The budget itself gets -1
-- steps. By that, @withBudget@ knows if its own budget was used up, and undoes the complement.
module Ashlar.Internal.Get.Limits
  ( limitsOf,

    -- * Steps
    spend,

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
    setOver,
    giveUp,
  )
where

import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (Failures (..))
import Ashlar.Internal.Get.Record
import Ashlar.Internal.Get.Type
import Ashlar.Internal.Mem.Cells
import Control.Monad (unless, when)
import Data.Bits (complement)

-- | How many bytes a run may hold where the budget does not say and the input is not in memory:
-- 64 MiB.
streamBytes :: Int
streamBytes = 67108864

-- | The offset at which n bytes end, counted from an offset. 'maxBound' if there is no limit.
streamEnd :: Int -> Int -> Int
streamEnd at n = if n > maxBound - at then maxBound else at + n

-- | The limits of the innermost budget.
limitsOf :: Cells -> Env -> IO Limits
limitsOf c env = case env of
  Env _ (Own _ limits) _ _ -> pure limits
  _ -> pure (defaultLimits c)

-- | Use steps, or fail if the budget has too few left.
spend ::
  -- | What takes the steps, for the error.
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

-- | Fail at the cursor, because the innermost budget is used up.
overOwn ::
  -- | The message, given the limits of the budget.
  (Limits -> String) ->
  Get a
overOwn reached = do
  own <- inspect (\c env _ -> pure $! budgetAccount c env)
  limits <- inspect (\c env _ -> limitsOf c env)
  overBudget own (reached limits ++ raisable)
{-# NOINLINE overOwn #-}

-- | Before the decoder asks for n bytes from an offset on: move the offset of 'heldCell' on if it
-- is too small and may move. Note [What is held].
moveHeld :: Cells -> Int -> Int -> IO ()
moveHeld c at n = do
  held <- getInt c heldCell
  when (held >= 0 && held - at < n) $ do
    end <- heldEndAt c at
    when (end > held) $ setHeldEnd c end
{-# INLINE moveHeld #-}

-- The offset up to which bytes may be held if the cursor is at this offset.
heldEndAt :: Cells -> Int -> IO Int
heldEndAt c at = (\keep -> streamEnd (min keep at) streamBytes) <$> getInt c keepCell
{-# INLINE heldEndAt #-}

-- | Count all bytes of a decoder as held: Note [What is held].
asValue :: Get a -> Get a
asValue p = enclosed (inspect enter) (inspect . leave) (const p)
  where
    enter c _ p0 = do
      held <- getInt c heldCell
      at <- offsetOf c p0
      when (moves held) $ heldEndAt c at >>= setHeldEnd c . complement . max held
      pure held
    leave before c _ p1 = do
      at <- offsetOf c p1
      when (moves before) $ setHeldEnd c (max before at)
    moves held = held >= 0 && held /= maxBound
{-# INLINE asValue #-}

-- | The limits inside of a budget of bytes, and the offset at which the input seems to end there.
within ::
  -- | The value of 'limitCell' outside.
  Int ->
  -- | The limits outside.
  Limits ->
  -- | The offset at which the bytes begin.
  Int ->
  -- | How many bytes the budget allows.
  Int ->
  -- | The account of the budget.
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

-- | Does the input end at the limit, and not a budget? Asked by a decoder that needs more bytes
-- than it may take.
endsHere :: Cells -> Env -> IO Bool
endsHere c env = do
  limit <- getInt c limitCell
  held <- heldEnd c
  if limit <= held then endsForGood c env limit else pure False

-- | 'endsHere', given the limit, of a decoder that has come to it. An @isolate@ counts as an end of
-- the input.
endsForGood :: Cells -> Env -> Int -> IO Bool
endsForGood c env !limit = case env of
  InputOnly _ -> pure True
  -- With 32 bits, a stream may go on after the greatest offset. Then asking for more fails.
  _ | limit == maxBound -> pure False
  _ -> forGood <$> limitsOf c env
  where
    -- (The last case: a budget inside of this one allowed more, and its decoder has come to the end
    -- of the @isolate@ around both. There the input ends.)
    forGood limits =
      limit < limitEnd limits || limitEnd limits == maxBound || limit >= limitIsolate limits
{-# NOINLINE endsForGood #-}

-- | Fail at the cursor, because the value may take no more bytes, or the run may hold no more.
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

-- | Fail at the cursor, because the run may hold no more bytes.
overHeld ::
  -- | How many bytes were needed.
  Int ->
  Get a
overHeld n = do
  own <- inspect (\c _ _ -> pure $! Account c)
  overBudget own $
    moreBytes streamBytes " held" n
      ++ ": hFoldGet decodes value by value, withBudget and functions like decodeFileWith raise "
      ++ "the limit, and a file that is read as a strict ByteString has none"
{-# NOINLINE overHeld #-}

moreBytes :: Int -> String -> Int -> String
moreBytes most held n =
  "more than " ++ show most ++ " bytes" ++ held
    ++ (if n > most then " (" ++ show n ++ " needed)" else "")

-- | The environment inside an @isolate@ that does not end before the limit:
-- Note [Where a value ends].
isolated ::
  Cells ->
  Env ->
  -- | The value of 'limitCell'.
  Int ->
  -- | The offset at which the @isolate@ ends.
  Int ->
  IO Env
isolated c env seen end = case env of
  Env input _ marks context -> do
    limits <- limitsOf c env
    let byBudget = limitEnd limits
        scoped own = Env input (Own (budgetAccount c env) own) marks context
    pure
      $! if byBudget == maxBound
        then env
        else
          scoped $
            if end <= max byBudget seen
              then limits {limitEnd = maxBound, limitIsolate = end}
              else limits {limitIsolate = min end (limitIsolate limits)}
  _ -> pure env
{-# NOINLINE isolated #-}

raisable :: String
raisable = "; withBudget raises the limit"

-- Fail at the cursor, because a budget is used up: Note [Used up for good].
overBudget ::
  -- The account of the budget.
  Account ->
  -- The message.
  String ->
  Get a
overBudget (Account own) reached = do
  step $ \c env -> do
    putInt own stepsCell (-1)
    setOver True c
    -- The error must be about the budget, not about an earlier failure.
    setFailures env NoFailures
  p <- cursor
  failAt p 0 (OverBudget reached)
{-# NOINLINE overBudget #-}

-- | Give up all choices, because a budget has been used up, or undo that.
setOver :: Bool -> Cells -> IO ()
setOver over c = do
  before <- isOver c
  unless (before == over) $ getInt c commitsCell >>= putInt c commitsCell . complement

-- | Fail, and let no choice go on, as if a budget had been used up. The run must not be traced.
giveUp :: Get a
giveUp = step (\c _ -> setOver True c) *> failed
{-# NOINLINE giveUp #-}
