{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Mem.Invariant
-- Description : What a checked build throws
module Ashlar.Internal.Mem.Invariant
  ( InvariantViolated (..),
  )
where

import Control.Exception (Exception (..))
import Data.List (intercalate)

-- | A checked build has found that an invariant does not hold. An ordinary build never throws it.
data InvariantViolated = InvariantViolated
  { -- | The name of the invariant: one of "Ashlar.Internal.Builder.Core", of
    -- "Ashlar.Internal.Get.Env" or of "Ashlar.Internal.Mem.Cells", or one of the words that
    -- @docs/safety.md@ explains.
    violatedName :: String,
    -- | Who found it, and what is wrong.
    violatedBy :: String,
    -- | The numbers that do not agree.
    violatedNumbers :: [(String, Int)]
  }
  deriving stock (Eq, Show)

instance Exception InvariantViolated where
  displayException (InvariantViolated name by numbers) =
    "Ashlar: invariant violated: " ++ name ++ ": " ++ by ++ " ("
      ++ intercalate ", " [what ++ " " ++ show n | (what, n) <- numbers]
      ++ ")"
