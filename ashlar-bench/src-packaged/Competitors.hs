-- |
-- Module      : Competitors
-- Description : No libraries of Hackage
module Competitors (competitors) where

-- | For each library: the name of a workload, the library's name and its work. See the flag hackage.
competitors :: [(String, (String, IO ()))]
competitors = []
