{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Nested
-- Description : Values within values: how deep, and on which path
--
-- Note [Traced runs]
-- ~~~~~~~~~~~~~~~~~~
-- Each level of a nested value is counted, because it takes stack, and hostile input
-- could have any number of them. For its error a run must also know the path that it
-- is on, which costs memory for each level, and of all that it tried in vain, what failed
-- where. With that a tree of 10,000 nodes takes twice as long, and so do 50,000 pairs of brackets, in
-- each of which an alternative fails (2.2 ms, without 1.1). So a run on a strict
-- 'Data.ByteString.ByteString' keeps neither. If it fails, its error is a thunk, which runs it once
-- more, as a traced one, that fails in the same way and knows why. Where the input is gone by then
-- (lazy input, a 'Ashlar.Get.Source', push mode), all runs are traced from the start. So all of
-- them give the same errors. (Tests "errors", where each error is that of every way to run the
-- decoder.)
--
-- The second run is left to whoever wants the error, because a decoder may run another one on a part
-- of its input, and fail if that fails: to run both at once would double the time with each level of
-- such parts. (Test "a decoder that runs itself on what is left". It still doubles where the
-- decoder looks at the error, to go on by what it says.)
--
-- The level, and whether the run is traced, are told by one test: 'levelsCell' has how many more levels are allowed, and in a
-- traced run that number less 'traceBias', which is negative.
module Ashlar.Internal.Get.Nested
  ( nested,
    insideSpan,
    inSpanOf,
    startDepth,
    overBudget,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import GHC.IO (unIO)

-- More than any budget.
traceBias :: Int
traceBias = 1000000000000

-- | Set the number of levels that are allowed, in a traced run or not.
startDepth :: Cells -> Bool -> Int -> IO ()
startDepth c traced n = putInt c levelsCell (if traced then within - traceBias else within)
  where
    within = max 0 (min (traceBias - 1) n)

-- | Inside a value that may contain others: one level deeper.
nested :: Names -> Get a -> Get a
nested names (Get p) = Get $ \c env s0 -> case unIO (getInt c levelsCell) s0 of
  (# s1, left #) ->
    -- One copy for both ways in: see Note [One copy behind the check].
    let inside# e s = case p c e s of
          (# s', a #) -> case unIO (leave c e) s' of (# s'', _ #) -> (# s'', a #)
        {-# NOINLINE inside# #-}
     in if left > 0
          then case unIO (putInt c levelsCell (left - 1)) s1 of (# s2, _ #) -> inside# env s2
          else case unIO (enterTraced names c env left) s1 of (# s2, env' #) -> inside# env' s2
  where
    -- One more again, and not what it was: to keep a number until here takes longer.
    leave c env = do
      left <- getInt c levelsCell
      putInt c levelsCell (left + 1)
      if left < 0 then leaveTraced c env else pure ()
    {-# INLINE leave #-}
{-# INLINE nested #-}

-- | Inside a value, or elements, whose bytes are read as one run; the cursor stands before
-- them. Costs nothing unless something is wrong.
insideSpan :: Names -> Get a -> Get a
insideSpan names (Get p) = Get (\c env -> p c (inSpanOf names env))
{-# INLINE insideSpan #-}

inSpanOf :: Names -> Env -> Env
inSpanOf names env = env {envContext = InsideSpan names (envContext env)}
{-# INLINE inSpanOf #-}

enterTraced :: Names -> Cells -> Env -> Int -> IO Env
enterTraced names c env left
  | left + traceBias > 0 && left < 0 = do
    putInt c levelsCell (left - 1)
    place <- getInt c partCell
    putInt c partCell unknownPart
    pure env {envContext = Inside names place (envContext env)}
  | otherwise = overBudget c env "nested more deeply than the budget allows"
{-# NOINLINE enterTraced #-}

-- The decoder around is where it was.
leaveTraced :: Cells -> Env -> IO ()
leaveTraced c env = putInt c partCell $ case envContext env of
  Inside _ place _ -> place
  _ -> unknownPart
{-# NOINLINE leaveTraced #-}

-- | Fail at the cursor, because a limit was reached.
overBudget :: Cells -> Env -> String -> IO a
overBudget c env message = do
  p <- getPtr c cursorCell
  failAt c env p 0 (OverBudget message)
{-# NOINLINE overBudget #-}
