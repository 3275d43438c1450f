-- |
-- Module      : Tests.Instances.All
-- Description : The one list of instances
module Tests.Instances.All (sections) where

import qualified Tests.Instances.Base as Base
import qualified Tests.Instances.Containers as Containers
import qualified Tests.Instances.Derived as Derived
import qualified Tests.Instances.Packed as Packed
import qualified Tests.Instances.Time as Time
import Tests.Instances.Type (Section)
import qualified Tests.Instances.Wrappers as Wrappers

sections :: [Section]
sections =
  [ Base.numbers,
    Base.characters,
    Base.data',
    Base.tuples,
    Base.newtypes,
    Containers.strings,
    Containers.containers,
    Containers.vectors,
    Containers.arrays,
    Time.times,
    Derived.derived,
    Wrappers.wrappers,
    Packed.packed
  ]
