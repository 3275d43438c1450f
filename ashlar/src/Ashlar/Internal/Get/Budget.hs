{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Budget
-- Description : Limits on costs that the size of the input does not bound
--
-- Most costs of decoding are a small multiple of the size of the input. Limits bound the others:
--
-- * Nested values. Each level takes some hundred bytes of stack for one byte of input.
-- * Empty elements, like those of a @[()]@. Eight bytes announce any number of them.
-- * Work that takes the longer, the more bytes came before.
-- * Input that is not in memory. It may be endless.
--
-- Note [Steps are not refunded]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Going back restores the level of nesting, but not the steps, because they have taken their time
-- even if the alternative fails. Otherwise @many ((skipCount 1000 (pure ()) *> empty) \<|>
-- getWord8)@ would take a thousand steps for each byte, without a limit. So the counter is not part
-- of a choice point, but of its budget: after a failure inside a 'withBudget', a choice outside
-- continues with the counter of the outer budget. (Tests "budgets".)
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
    countUpTo,
  )
where

import Ashlar.Internal.Get.Bytes (available, ifReadsNothing)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Failure (nothingFound)
import Ashlar.Internal.Get.Input (announce, countAhead, skipUpTo)
import Ashlar.Internal.Get.Limits
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Record (setLimit)
import Ashlar.Internal.Mem (timesCount)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Scalar (magnitudeSize)
import Control.Monad (when)
import Data.Bits (complement)
import GHC.Exts (Addr#, RealWorld, State#)
import GHC.IO (unIO)

-- | Limits on costs that the size of the input does not bound.
--
-- A decoder that needs more than its budget fails as a whole: alternatives inside of it are not
-- tried then. Alternatives outside are, as in @withBudget b p \<|> q@.
data Budget = Budget
  { -- | How many levels may be nested in one another: those of 'deeper', and those of values in
    -- instances of @Codec@.
    budgetDepth :: !Int,
    -- | How many steps may be made whose number the input's size does not bound. Steps in an
    -- alternative that failed, or in a look-ahead, count too, because they have taken their time.
    --
    -- These are steps:
    --
    -- * An element of no bytes.
    -- * Each byte of a fraction, if both its numbers have more than 4,096 bytes: checking that it
    --   is in lowest terms takes more than linear time.
    -- * Each digit of an 'Integer' in text, if there are more than 4,096.
    -- * A jump to an offset ('Ashlar.Get.atOffset'), each 1,024 bytes up to where its decoder ends,
    --   and a span within a span ('Ashlar.Get.inSpan'). What the decoder of a jump reads and goes
    --   back over, in a look-ahead or an alternative that fails, is not counted.
    -- * Each 1,024 bytes of chunks that one 'Ashlar.Get.match' joins after another in it.
    budgetSteps :: !Int,
    -- | How many bytes the value may take, whatever lengths the input announces. A greater length
    -- is refused when it turns out that the input has more bytes.
    --
    -- 'Nothing' keeps the limit around the decoder. By default, a strict
    -- 'Data.ByteString.ByteString' and the first chunk of lazy input have no limit. Of input that
    -- is not in memory (a 'System.IO.Handle', a @Source@, lazy input and pushed input), a value of
    -- a @Codec@, and each value of a fold or a stream, may take 67,108,864 bytes (64 MiB). Any
    -- other decoder may take any number of bytes, but hold at most 64 MiB of input at once: the
    -- bytes that it asks for, and those that it may go back to. (Its results are not limited: it
    -- may collect a longer list.) @'Just' 'maxBound'@ is no limit.
    budgetBytes :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

-- | The budget of every run: 100,000 levels, which take some ten megabytes of stack; 1,048,576
-- steps, which take less than a second (jumps in a file, each of which reads anew, half a minute;
-- those to the same bytes, as long as it takes to decode 1 GiB); and the bytes that 'budgetBytes'
-- describes for 'Nothing'.
defaultBudget :: Budget
defaultBudget =
  Budget
    { budgetDepth = defaultDepth,
      budgetSteps = defaultSteps,
      budgetBytes = Nothing
    }

-- | Run a decoder with a budget of its own, instead of the budget around it. But the bytes that it
-- takes count for the value around it, too.
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
withBudget budget p =
  enclosed (step enter) (step . leave) (\entered -> inEnv (const (enteredInner entered)) p)
  where
    depth = max 0 (budgetDepth budget)
    steps = max 0 (budgetSteps budget)
    enter c env = do
      levels <- getInt c levelsCell
      putInt c levelsCell (if levels < 0 then complement depth else depth)
      seen <- getInt c limitCell
      held <- getInt c heldCell
      outer <- limitsOf c env
      -- A counter of its own: Note [Steps are not refunded].
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
            inner = Env (envInput env) scope (envMarks env) (envContext env)
        pure (Entered inner own levels seen held)
    leave entered c _ = do
      putInt c levelsCell (outsideLevels entered)
      -- The outer offset counts again. It must not be before the cursor. (Note [What is held].)
      at <- position c
      let held = outsideHeld entered
      putInt c heldCell (if held < 0 then min held (complement at) else max held at)
      setLimit c (outsideLimit entered)
      -- If this budget was used up, that ends here: the choices outside may try their next
      -- alternatives. (Note [Used up for good].)
      left <- getInt (enteredOwn entered) stepsCell
      when (left < 0) $ setOver False c

-- A budget that has begun, and the values of the cells outside of it, for its end.
data Entered = Entered
  { enteredInner :: !Env,
    -- The cells of the budget itself, to see if it has been used up.
    enteredOwn :: !Cells,
    outsideLevels :: !Int,
    outsideLimit :: !Int,
    outsideHeld :: !Int
  }

-- | Begin a run with the default budget, and without open bits.
startBudget ::
  Cells ->
  -- | Is it traced?
  Bool ->
  IO ()
startBudget c traced = do
  let depth = budgetDepth defaultBudget
  putInt c levelsCell (if traced then complement depth else depth)
  putInt c stepsCell (budgetSteps defaultBudget)
  putInt c bitsCell 0
{-# INLINE startBudget #-}

-- | Count a decoder as one level. Put this around each level of a recursive decoder, so that
-- untrusted input cannot make it use more stack than the budget allows. Costs a few nanoseconds.
deeper :: Get a -> Get a
deeper = nested Nameless
{-# INLINE deeper #-}

-- | 'deeper' for a value, given its names for errors.
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

-- | 'nested' as two calls instead of inlined code.
nestedApart :: Names -> Get a -> Get a
nestedApart names p =
  enclosed
    (enterLevel names)
    (\inner -> inspect (\c _ _ -> leaveLevelApart c inner))
    (\inner -> inEnv (const inner) p)
{-# INLINE nestedApart #-}

enterLevel :: Names -> Get Env
enterLevel names = do
  left <- inspect (\c _ _ -> getInt c levelsCell)
  if left > 0
    then inspect (\c env _ -> env <$ putInt c levelsCell (left - 1))
    else enterTraced names
{-# NOINLINE enterLevel #-}

-- (It adds 1 to the levels. Keeping the number from before until here takes longer.)
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

-- Leave a level in a traced run: the value around is in the same part as before.
leaveTraced :: Cells -> Env -> Int -> IO ()
leaveTraced c env left = do
  putInt c levelsCell (left - 1)
  putInt c partCell $ case envContext env of
    Inside _ part _ -> part
    _ -> unknownPart
{-# NOINLINE leaveTraced #-}

-- | Use a step for each of some elements that take no bytes.
spendEmpties ::
  -- | How many (not negative).
  Int ->
  Get ()
spendEmpties = spend " elements of no bytes"
{-# NOINLINE spendEmpties #-}

-- | Use steps for the bytes of a fraction, if both its numbers are large.
spendFraction :: Integer -> Integer -> Get ()
spendFraction n d
  | isLarge n && isLarge d =
    spend " steps to check fractions" (magnitudeSize n + magnitudeSize d)
  | otherwise = pure ()
  where
    isLarge x = magnitudeSize x > 4096

-- | Use steps for many digits of an unbounded number, whose value takes more than linear time.
spendDigits :: Int -> Get ()
spendDigits n
  | n > 4096 = spend " steps to read digits" n
  | otherwise = pure ()

-- | Fail if the budget does not allow the bytes of n elements. If the bytes are at hand, this only
-- compares.
announceElements ::
  -- | The least number of bytes of an element, at least 1.
  Int ->
  -- | The number of elements (not negative).
  Int ->
  Get ()
announceElements width n = do
  bytes <- available
  if bytes `quot` width >= n
    then pure ()
    else announceAhead width n
{-# INLINE announceElements #-}

-- The error is at the first element, and has the number of elements.
announceAhead :: Int -> Int -> Get ()
announceAhead width n = () <$ inEnv (inTraced (InsideSpan elements)) (announce bytes)
  where
    elements = OfElements 0 n VariablePart
    bytes = n `timesCount` width
{-# NOINLINE announceAhead #-}

-- | Use a step for a round that has read nothing: Note [Elements that read nothing] in
-- "Ashlar.Get.Combinators".
chargeRound :: Get ()
chargeRound = spendEmpties 1

-- | Run a decoder, and use a step if it has read nothing.
chargedIfEmpty :: Get a -> Get a
chargedIfEmpty = ifReadsNothing (<$ chargeRound)
{-# INLINE chargedIfEmpty #-}

-- | @isolate n p@ runs @p@ on the next @n@ bytes alone: to @p@ the input ends there. Fails if @p@
-- fails, if @n@ is negative, or if @p@ does not read all @n@ bytes. If the input has fewer than @n@
-- bytes, the error is 'Ashlar.Get.MissingInput'. To find that out, @isolate@ reads on after @p@.
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

-- | @isolateAtMost n p@ runs @p@ on at most the next @n@ bytes: to @p@ the input ends after them.
-- The next decoder begins where @p@ ends. Fails if @p@ fails, or if @n@ is negative.
--
-- This bounds the bytes that @p@ may read, whatever lengths the input announces. The value that @p@
-- makes of them may take more memory than they do.
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
  -- | Given the number of bytes that were not read: fail.
  (Int -> Get ()) ->
  Int ->
  Get a ->
  Get a
isolateOr unread n = limited "isolate: negative number of bytes" n $ \left ->
  if left == 0 then pure () else unread left
{-# INLINE isolateOr #-}

-- | Fail after an @isolate@, because bytes of it were not read: with 'Invalid' if the input has
-- them all, else with 'MissingInput'. They are left in the input.
leftOver ::
  -- | Given how many bytes were not read, and how many of these the input has: the two numbers of
  -- the 'MissingInput'. The error is at the first of the bytes needed.
  (Int -> Int -> (Int, Int)) ->
  -- | The bytes of the @isolate@.
  Int ->
  -- | The bytes that were not read.
  Int ->
  Get ()
leftOver cutOff n left = do
  now <- here
  -- Held, so that endless input gives an error.
  have <- asValue (countUpTo left)
  if have == left
    then
      failWith now now nothingFound . Invalid $
        "isolate: " ++ show left ++ " of " ++ show n ++ " bytes were not read"
    else do
      let (needed, found) = cutOff left have
      failWith now (now + left - needed) nothingFound (MissingInput needed found)
{-# NOINLINE leftOver #-}

-- | How many of the next n bytes (not negative) the input has. They are held. Fails where a budget
-- ends and the input goes on.
countUpTo :: Int -> Get Int
countUpTo n = countAhead n >>= maybe (lookAhead (skipUpTo n)) pure

-- Run a decoder to which the input ends after n bytes.
limited ::
  -- The message if n is negative.
  String ->
  Int ->
  -- What to do after it, given how many of the n bytes were not read.
  (Int -> Get ()) ->
  Get a ->
  Get a
limited negative n atEnd p
  | n < 0 = invalid negative
  | otherwise = do
    at <- here
    limit <- inspect (\c _ _ -> getInt c limitCell)
    -- (This comparison cannot overflow.)
    a <-
      if n < limit - at
        then step (\c _ -> setLimit c (at + n)) *> p
        else do
          -- The input seems to end before, at the outer limit, which stays.
          inner <- inspect (\c env _ -> isolated c env limit (streamEnd at n))
          inEnv (const inner) p
    now <- here
    -- (After a failure, the choice that goes back resets the limit.)
    step (\c _ -> setLimit c limit)
    atEnd (n - (now - at))
    pure a
{-# INLINE limited #-}
