-- |
-- Module      : Tests.Instances.Type
-- Description : What the tests know of an instance
module Tests.Instances.Type
  ( Section (..),
    Golden (..),
    is,
    made,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Golden (Golden (..))
import Ashlar.Codec.Laws (Samples (..), samples)
import Test.QuickCheck (Arbitrary, Gen)

-- | Instances that belong together: a table in docs/format.md and a golden file.
data Section = Section
  { sectionName :: String,
    -- | The type as the documentation has it, values at random, and values whose bytes
    -- are written down.
    sectionInstances :: [Golden]
  }

-- | With the values that QuickCheck makes.
is :: (Arbitrary a, Show a, Eq a, Codec a) => String -> [a] -> Golden
is name = Golden name samples

-- | With values of our own making.
made :: (Show a, Eq a, Codec a) => String -> Gen a -> [a] -> Golden
made name gen = Golden name (Samples gen (const []) show (==))
