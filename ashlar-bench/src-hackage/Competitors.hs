-- |
-- Module      : Competitors
-- Description : Libraries that only Hackage has
module Competitors (competitors) where

import qualified Competitors.Builders as Builders
import qualified Competitors.Flatparse as Flatparse
import qualified Competitors.Jsonifier as Jsonifier
import qualified Competitors.Records as Records

-- | For each library: the name of a workload, the library's name and its work.
competitors :: [(String, (String, IO ()))]
competitors =
  Builders.competitors ++ Flatparse.competitors ++ Jsonifier.competitors ++ Records.competitors
