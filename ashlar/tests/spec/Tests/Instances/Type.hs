{-# LANGUAGE ExistentialQuantification #-}

-- |
-- Module      : Tests.Instances.Type
-- Description : What the tests know of an instance
module Tests.Instances.Type
  ( Section (..),
    Instance (..),
    is,
    made,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Laws (Samples (..), samples)
import Test.QuickCheck (Arbitrary, Gen)

-- | Instances that belong together: a table in docs/format.md and a golden file.
data Section = Section
  { sectionName :: String,
    sectionInstances :: [Instance]
  }

-- | The type as the documentation has it, values at random, and values whose bytes
-- are written down.
data Instance = forall a. Codec a => Instance String (Samples a) [a]

-- | With the values that QuickCheck makes.
is :: (Arbitrary a, Show a, Eq a, Codec a) => String -> [a] -> Instance
is name = Instance name samples

-- | With values of our own making.
made :: (Show a, Eq a, Codec a) => String -> Gen a -> [a] -> Instance
made name gen = Instance name (Samples gen (const []) show (==))
