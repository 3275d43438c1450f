-- |
-- Module      : Ashlar.Internal.Get.Progress
-- Description : Loops that must not go on for ever
--
-- See Note [Elements that read nothing] in "Ashlar.Get.Combinators".
module Ashlar.Internal.Get.Progress
  ( here,
    chargeRound,
  )
where

import Ashlar.Internal.Get.Budget (overBudget)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env

-- | The offset of the next byte.
here :: Get Int
here = step (\c _ -> position c)
{-# INLINE here #-}

-- | Count a round that has read nothing.
chargeRound :: Get ()
chargeRound = step $ \c env -> do
  left <- emptiesLeft env
  if left > 0
    then setEmptiesLeft env (left - 1)
    else overBudget c env "more elements of no size than the budget allows"
{-# NOINLINE chargeRound #-}
