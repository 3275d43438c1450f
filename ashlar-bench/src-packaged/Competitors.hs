-- |
-- Module      : Competitors
-- Description : No libraries of Hackage
module Competitors (competitors) where

-- | For each library: the name of a workload, the library's name and its work. The flag hackage
-- replaces this.
competitors :: [(String, (String, IO ()))]
competitors = []
