-- |
-- Module      : Tests.Instances.Type
-- Description : An instance as the tests see it
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
    -- | The type as the documentation names it, random values, and values whose bytes are
    -- recorded.
    sectionInstances :: [Golden]
  }

-- | With QuickCheck's random values.
is :: (Arbitrary a, Show a, Eq a, Codec a) => String -> [a] -> Golden
is name = Golden name samples

-- | With random values of a generator.
made :: (Show a, Eq a, Codec a) => String -> Gen a -> [a] -> Golden
made name gen = Golden name (Samples gen (const []) show (==))
