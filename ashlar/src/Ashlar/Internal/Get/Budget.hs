{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Budget
-- Description : Limits on costs that the size of the input does not bound
--
-- Most costs of decoding are proportional to the input, by a small factor. The others have limits.
-- Each level of nested values takes some hundred bytes of stack for one byte of input. Eight bytes
-- announce any number of empty elements, like those of a @[()]@. Some steps take longer, the more
-- bytes came before. And input that is not in memory may not end.
--
-- Note [Spent is spent]
-- ~~~~~~~~~~~~~~~~~~~~~
-- Going back restores the level of nesting, but not the steps: they have taken their time, whatever
-- becomes of the alternative. Otherwise @many ((skipCount 1000 (pure ()) *> empty) \<|> getWord8)@
-- would take a thousand steps for each byte, without a limit. So the counter is not part of a
-- choice point. It belongs to its budget: if a decoder fails within a budget of its own, the one
-- that catches the failure goes on with the counter of the budget around it. (Tests "budgets".)
module Ashlar.Internal.Get.Budget
  ( -- * Budgets
    Budget (..),
    defaultBudget,
    withBudget,
    startBudget,

    -- * Levels
    deeper,
    nested,
    nestedApart,

    -- * Steps
    spendEmpties,
    spendFraction,
    spendDigits,
    chargeRound,
    chargedIfEmpty,

    -- * Bytes
    announceElements,
    isolate,
    isolateAtMost,
    isolateOr,
    leftOver,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail (invalid)
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Input (announce, skipUpTo)
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Numbers (available, ifReadsNothing)
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (setLimit)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Scalar (magnitudeSize)
import Control.Monad (when)
import Data.Bits (complement)
import GHC.Exts (Addr#, RealWorld, State#)
import GHC.IO (unIO)

-- | Limits on costs that the size of the input does not bound.
--
-- A decoder that needs more than its budget fails as a whole: no alternative within it is tried
-- then. One outside is, as in @withBudget b p \<|> q@.
data Budget = Budget
  { -- | How many levels may be nested in one another: those of 'deeper', and what counts as a
    -- level in instances of @Codec@.
    budgetDepth :: !Int,
    -- | How many steps may be made in all that the number of bytes does not bound. Those that were
    -- made in an alternative that failed, or to look ahead, count too: they have taken their time.
    --
    -- These are steps:
    --
    -- * An element of no bytes.
    -- * Each byte of a fraction, if both its numbers have more than 4,096 bytes. To check that it
    --   is in lowest terms takes more time for each.
    -- * Each digit of an 'Integer' in text, if there are more than 4,096.
    -- * Levels in which a decoder is suspended to wait for pushed input ("Ashlar.Get.Feed"),
    --   because its stack is copied: sixteen beyond the 256th, or, before GHC 9.6, one beyond the
    --   32nd.
    budgetSteps :: !Int,
    -- | How many bytes the value may take. So that is all that can be held, whatever lengths the
    -- input announces. A length of more is refused when the input turns out to have more.
    --
    -- 'Nothing' leaves it at what is around the decoder. That is any number for a strict
    -- 'Data.ByteString.ByteString', and for the first chunk of lazy input. Input that is not in
    -- memory (a 'System.IO.Handle', a @Source@, lazy input and pushed input) may have 67,108,864
    -- bytes (64 MiB) for a value of a @Codec@, and for each value of a fold or a stream. Any other
    -- decoder may take any number, if it holds no more than 64 MiB at once: the bytes that it asks
    -- for, and those that it may go back to. (What it makes of the others is its own business: a
    -- list that it collects has no limit.) @'Just' 'maxBound'@ is any number.
    budgetBytes :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

-- | The budget of every run: 100,000 levels, which take some ten megabytes of stack, 1,048,576
-- steps, which take less than a second, and of input that is not in memory what 'budgetBytes' says.
defaultBudget :: Budget
defaultBudget =
  Budget
    { budgetDepth = defaultDepth,
      budgetSteps = defaultSteps,
      budgetBytes = Nothing
    }

-- | Run a decoder with a budget of its own. It neither uses the budget of the decoders around it
-- nor is limited by it, but for the bytes: those that it takes count for the value around it, too.
--
-- >>> let more w = if w == 0 then pure 0 else (+ 1) <$> nested; nested = deeper (getWord8 >>= more)
-- >>> let within n = withBudget defaultBudget {budgetDepth = n} (nested :: Get Int)
-- >>> runGet (within 4) "\1\1\1\0"
-- Right 3
-- >>> either (print . errorReason) print (runGet (within 3) "\1\1\1\0")
-- OverBudget "nested more than 3 levels deep; withBudget raises the limit"
--
-- >>> let most n = withBudget defaultBudget {budgetBytes = Just n}
-- >>> let name = getWord8 >>= getByteString . fromIntegral
-- >>> runGet (most 4 name) "\3abcd"
-- Right "abc"
-- >>> either (print . errorReason) print (runGet (most 4 name) "\200abcd")
-- OverBudget "more than 4 bytes (200 needed); withBudget raises the limit"
withBudget :: Budget -> Get a -> Get a
withBudget budget (Get p) = Get $ \p0 c env s0 -> case unGet (step enter) p0 c env s0 of
  (# s1, p1, (# Entered inner outside | #) #) -> case p p1 c inner s1 of
    (# s2, p2, result #) -> case unGet (step (\c' _ -> leave outside c')) p2 c env s2 of
      (# s3, _, _ #) -> (# s3, p2, result #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
  where
    depth = max 0 (budgetDepth budget)
    steps = max 0 (budgetSteps budget)
    enter c env = do
      levels <- getInt c levelsCell
      putInt c levelsCell (if levels < 0 then complement depth else depth)
      seen <- getInt c limitCell
      held <- getInt c heldCell
      outer <- limitsOf c env
      -- A counter of its own: Note [Spent is spent].
      withCells cellCount $ \own -> do
        let account = Account own
        putInt own stepsCell steps
        limits <- case budgetBytes budget of
          Nothing -> pure outer
          Just bytes -> do
            at <- position c
            when (bytes > streamBytes) $ putInt c heldCell maxBound
            let (inner, end) = within seen outer at (max 0 bytes) account
            inner <$ setLimit c end
        let scope = Own account limits {limitDepth = depth, limitSteps = steps}
            inner = Env (envInput env) scope (envContext env)
        pure (Entered inner (Outside account levels seen held))
    leave outside c = do
      putInt c levelsCell (outsideLevels outside)
      -- Not before what has been read: Note [What is held].
      at <- position c
      let held = outsideHeld outside
      putInt c heldCell (if held < 0 then min held (complement at) else max held at)
      setLimit c (outsideLimit outside)
      -- The choices outside may go on: Note [Used up for good].
      mine <- isUsedUp (outsideAccount outside)
      when mine $ notOver c

-- The environment with the new budget.
data Entered = Entered !Env !Outside

-- What is reset when a budget ends: its own account tells if it has been used up.
data Outside = Outside
  { outsideAccount :: !Account,
    outsideLevels :: !Int,
    outsideLimit :: !Int,
    outsideHeld :: !Int
  }

-- | Begin a run with the default budget.
startBudget ::
  Cells ->
  -- | Is it traced?
  Bool ->
  IO ()
startBudget c traced = do
  let depth = budgetDepth defaultBudget
  putInt c levelsCell (if traced then complement depth else depth)
  putInt c stepsCell (budgetSteps defaultBudget)
{-# INLINE startBudget #-}

-- | Count a decoder as one level deeper than what is around it. Put it around each level of a
-- recursive decoder, so that untrusted input cannot make it use more stack than the budget allows.
-- Costs a few nanoseconds.
deeper :: Get a -> Get a
deeper = nested Nameless
{-# INLINE deeper #-}

-- | Inside a value that may contain others: one level deeper.
nested :: forall a. Names -> Get a -> Get a
nested names (Get p) = Get $ \p0 c env s0 -> case unIO (getInt c levelsCell) s0 of
  (# s', left #) ->
    -- One copy for both ways in: see Note [One copy after the check].
    let inside# :: Env -> State# RealWorld -> Result a
        inside# inner s =
          let leave# :: a -> Addr# -> State# RealWorld -> Result a
              leave# a p1 s1 = case unIO (leaveLevel c inner) s1 of
                (# s2, _ #) -> (# s2, p1, (# a | #) #)
              {-# NOINLINE [0] leave# #-}
           in case p p0 c inner s of
                (# s1, p1, (# a | #) #) -> leave# a p1 s1
                (# s1, p1, (# | _ #) #) -> case unIO (leaveLevelApart c inner) s1 of
                  (# s2, _ #) -> (# s2, p1, (# | (##) #) #)
        {-# NOINLINE inside# #-}
     in if left > 0
          then case unIO (putInt c levelsCell (left - 1)) s' of (# s2, _ #) -> inside# env s2
          else case unGet (enterTraced names) p0 c env s' of
            (# s2, _, (# inner | #) #) -> inside# inner s2
            (# s2, _, (# | _ #) #) -> (# s2, p0, (# | (##) #) #)
{-# INLINE nested #-}

-- | 'nested' with calls in place of its code.
nestedApart :: Names -> Get a -> Get a
nestedApart names (Get p) = Get $ \p0 c env s0 -> case unGet (enterLevel names) p0 c env s0 of
  (# s1, p1, (# inner | #) #) -> case p p1 c inner s1 of
    (# s2, p2, result #) -> case unIO (leaveLevelApart c inner) s2 of
      (# s3, _ #) -> (# s3, p2, result #)
  (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE nestedApart #-}

enterLevel :: Names -> Get Env
enterLevel names = do
  left <- inspect (\c _ _ -> getInt c levelsCell)
  if left > 0
    then inspect (\c env _ -> env <$ putInt c levelsCell (left - 1))
    else enterTraced names
{-# NOINLINE enterLevel #-}

-- One more again, and not what it was: to keep a number until here takes longer.
leaveLevel :: Cells -> Env -> IO ()
leaveLevel c env = do
  left <- getInt c levelsCell
  if left >= 0 then putInt c levelsCell (left + 1) else leaveTraced c env left
{-# INLINE leaveLevel #-}

leaveLevelApart :: Cells -> Env -> IO ()
leaveLevelApart = leaveLevel
{-# NOINLINE leaveLevelApart #-}

-- Enter a level in a traced run, or fail in any run.
enterTraced :: Names -> Get Env
enterTraced names = do
  left <- inspect (\c _ _ -> getInt c levelsCell)
  if left < -1
    then inspect $ \c env _ -> do
      putInt c levelsCell (left + 1)
      part <- getInt c partCell
      putInt c partCell unknownPart
      pure $! inTraced (Inside names part) env
    else overOwn (\limits -> "nested more than " ++ show (limitDepth limits) ++ " levels deep")
{-# NOINLINE enterTraced #-}

-- The decoder around it is in the part that it was in.
leaveTraced :: Cells -> Env -> Int -> IO ()
leaveTraced c env left = do
  putInt c levelsCell (left - 1)
  putInt c partCell $ case envContext env of
    Inside _ part _ -> part
    _ -> unknownPart
{-# NOINLINE leaveTraced #-}

-- | Count empty elements, or fail if they are more than the budget allows.
spendEmpties ::
  -- | How many (not negative).
  Int ->
  Get ()
spendEmpties = spend " elements of no bytes"
{-# NOINLINE spendEmpties #-}

-- | Count the bytes of a fraction, if both its numbers are large.
spendFraction :: Integer -> Integer -> Get ()
spendFraction n d
  | isLarge n && isLarge d =
    spend " steps to check fractions" (magnitudeSize n + magnitudeSize d)
  | otherwise = pure ()
  where
    isLarge x = magnitudeSize x > 4096

-- | Count the digits of a number without bounds, if they are many. To find its value takes more
-- than linear time.
spendDigits :: Int -> Get ()
spendDigits n
  | n > 4096 = spend " steps to read digits" n
  | otherwise = pure ()

-- | Fail if n elements are more than the budget's bytes, unless they are there already.
announceElements ::
  -- | The least bytes of an element, more than none.
  Int ->
  -- | The elements (not negative).
  Int ->
  Get ()
announceElements width n = do
  bytes <- available
  if bytes `quot` width >= n
    then pure ()
    else announceAhead width n
{-# INLINE announceElements #-}

-- The error is that of the first of them, and has their number.
announceAhead :: Int -> Int -> Get ()
announceAhead width n = () <$ inEnv (inTraced (InsideSpan elements)) (announce bytes)
  where
    elements = OfElements 0 n VariablePart
    bytes = if n > maxBound `quot` width then maxBound else n * width
{-# NOINLINE announceAhead #-}

-- | Count a round that has read nothing: Note [Elements that read nothing] in
-- "Ashlar.Get.Combinators".
chargeRound :: Get ()
chargeRound = spendEmpties 1

-- | A decoder that counts as an empty element where it reads nothing.
chargedIfEmpty :: Get a -> Get a
chargedIfEmpty = ifReadsNothing (<$ chargeRound)
{-# INLINE chargedIfEmpty #-}

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone: to @p@ the input ends there. Fails if @p@
-- does, if @n@ is negative, or if @p@ leaves bytes over. Where the input ends before them, they are
-- missing ('Ashlar.Get.MissingInput'): to know that, it reads on until it has passed them or the
-- input ends.
--
-- >>> runGet (isolate 2 getWord16le) "abc"
-- Right 25185
-- >>> either (print . errorReason) print (runGet (isolate 2 getWord8) "abc")
-- Invalid "isolate: 1 of 2 bytes were not read"
-- >>> either (print . errorReason) print (runGet (isolate 9 getWord8) "abc")
-- MissingInput 8 2
isolate :: Int -> Get a -> Get a
isolate n = isolateOr (leftOver (,) n) n
{-# INLINE isolate #-}

-- | @isolateAtMost n p@ runs @p@ with at most the next @n@ bytes: to @p@ the input ends after them.
-- What @p@ leaves over comes next. Fails if @p@ does, or if @n@ is negative.
--
-- This bounds what @p@ may read, whatever lengths the input announces. The value that it makes of
-- the bytes may take more memory than they do.
--
-- >>> runGetRest (isolateAtMost 3 (getWord8 *> getWord8)) "abcd"
-- Right (98,"cd")
-- >>> either (print . errorReason) print (runGet (isolateAtMost 3 getWord32be) "abcd")
-- MissingInput 4 3
isolateAtMost :: Int -> Get a -> Get a
isolateAtMost n =
  limited "isolateAtMost: negative number of bytes" n (\_ -> pure ())

-- | 'isolate', given how to fail if bytes were not read.
isolateOr ::
  -- | Given how many.
  (Int -> Get ()) ->
  Int ->
  Get a ->
  Get a
isolateOr unread n = limited "isolate: negative number of bytes" n $ \left ->
  if left == 0 then pure () else unread left
{-# INLINE isolateOr #-}

-- | Fail, because bytes of a part were left over, or were missing.
leftOver ::
  -- | How many bytes were needed where the input ends, and how many of them were there, given these
  -- numbers for the bytes that were not read. The error is where the former begin.
  (Int -> Int -> (Int, Int)) ->
  -- | Bytes of the part.
  Int ->
  -- | Bytes that were not read.
  Int ->
  Get ()
leftOver cutOff n left = do
  now <- here
  -- Not through input without end.
  have <- asValue (skipUpTo left)
  if have == left
    then
      failWith now now nothingFound . Invalid $
        "isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"
    else do
      let (needed, found) = cutOff left have
      failWith now (now + left - needed) nothingFound (MissingInput needed found)
{-# NOINLINE leftOver #-}

-- A decoder to which the input ends after n bytes.
limited ::
  -- The message if n is negative.
  String ->
  Int ->
  -- What to do at the end, given how many of the n bytes were not read.
  (Int -> Get ()) ->
  Get a ->
  Get a
limited negative n atEnd p
  | n < 0 = invalid negative
  | otherwise = do
    at <- here
    limit <- inspect (\c _ _ -> getInt c limitCell)
    -- Compared so that nothing overflows.
    a <-
      if n < limit - at
        then step (\c _ -> setLimit c (at + n)) *> p
        else do
          -- The outer limit stays in force.
          inner <- inspect (\c env _ -> isolated c env limit (streamEnd at n))
          inEnv (const inner) p
    now <- here
    -- (After a failure, the choice that goes back does this.)
    step (\c _ -> setLimit c limit)
    atEnd (n - (now - at))
    pure a
{-# INLINE limited #-}
