{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Get.Budget
-- Description : Limits to what input can make a decoder do
--
-- Most of what decoding takes is in proportion to the input. Two things are not,
-- or not in the same measure, and have a limit: nested values need stack, some
-- hundred bytes for a byte of input; and elements of no size, like those of a
-- @[()]@, are announced in any number by eight bytes.
module Ashlar.Internal.Get.Budget
  ( Budget (..),
    defaultBudget,
    withBudget,
    deeper,
    overBudget,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Nested
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Mem.Cells
import GHC.IO (unIO)

-- | How much a decoder may use of what is not in proportion to its input.
--
-- @since 0.1.0.0
data Budget = Budget
  { -- | How many levels may be nested in one another: of 'deeper', and of what counts
    -- as a level in instances of @Codec@.
    budgetDepth :: !Int,
    -- | How many elements that take no bytes may be decoded in all. Those that were decoded
    -- in an alternative that failed, or to look ahead, count too: they have taken their time.
    budgetEmpties :: !Int
  }
  deriving stock (Eq, Show)

-- | What every run begins with: 100,000 levels, which take some ten megabytes of
-- stack, and 1,048,576 elements of no size.
--
-- @since 0.1.0.0
defaultBudget :: Budget
defaultBudget = Budget {budgetDepth = 100000, budgetEmpties = 1048576}

-- | Run a decoder with a budget of its own. That of the decoders around it is
-- neither used nor a limit to it.
--
-- >>> let nested = deeper (getWord8 >>= \w -> if w == 0 then pure 0 else (+ 1) <$> nested) :: Get Int
-- >>> runGet (withBudget defaultBudget {budgetDepth = 4} nested) "\1\1\1\0"
-- Right 3
-- >>> either (print . errorReason) print (runGet (withBudget defaultBudget {budgetDepth = 3} nested) "\1\1\1\0")
-- OverBudget "nested more deeply than the budget allows"
--
-- @since 0.1.0.0
withBudget :: Budget -> Get a -> Get a
withBudget budget (Get p) = Get $ \c env s0 -> case unIO (enter c env) s0 of
  (# s1, Entered inner levels #) -> case p c inner s1 of
    (# s2, a #) -> case unIO (putInt c levelsCell levels) s2 of (# s3, _ #) -> (# s3, a #)
  where
    depth = max 0 (budgetDepth budget)
    enter c env = do
      levels <- getInt c levelsCell
      traced <- isTraced c
      startDepth c traced depth
      -- A counter of its own: Note [Spent is spent].
      withCells (cellsUpTo emptiesCell) $ \own -> do
        putInt own emptiesCell (max 0 (budgetEmpties budget))
        pure (Entered env {envEmpties = own} levels)

-- The environment with the new budget, and what is in 'levelsCell' outside.
data Entered = Entered !Env !Int

-- | A decoder that counts as one level deeper than what is around it. To put it
-- around each level of a recursive decoder keeps hostile input from making it use
-- more stack than the budget allows. Costs a few nanoseconds.
--
-- @since 0.1.0.0
deeper :: Get a -> Get a
deeper = nested Nameless
{-# INLINE deeper #-}
