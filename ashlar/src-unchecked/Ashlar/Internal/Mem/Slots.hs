-- |
-- Module      : Ashlar.Internal.Mem.Slots
-- Description : Elements by index, without a test
--
-- The functions of other packages, as they are. The module of the same name in @src-checked@ tests
-- each index.
module Ashlar.Internal.Mem.Slots
  ( unsafeIndexM,
    unsafeNew,
    unsafeGrow,
    unsafeWrite,
    unsafeAt,
    indexArrayM,
    indexSmallArrayM,
  )
where

import Data.Array.Base (unsafeAt)
import Data.Primitive.Array (indexArrayM)
import Data.Primitive.SmallArray (indexSmallArrayM)
import Data.Vector.Generic (unsafeIndexM)
import Data.Vector.Generic.Mutable (unsafeGrow, unsafeNew, unsafeWrite)
