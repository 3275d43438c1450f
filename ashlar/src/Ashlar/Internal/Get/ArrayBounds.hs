-- |
-- Module      : Ashlar.Internal.Get.ArrayBounds
-- Description : Bounds of arrays that come from strangers
module Ashlar.Internal.Get.ArrayBounds
  ( agree,
  )
where

import Data.Ix (Ix, inRange, range, rangeSize)

-- | Do the bounds enclose so many indices?
--
-- Note [Bounds from strangers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- 'rangeSize' is computed in an Int, and bounds can be chosen so that it overflows to
-- any number: ((0, 0), (2^32 - 1, 2^32 - 1)) has the size 0. So it is not believed, and
-- the indices are counted, up to one more than there are elements, which have all
-- been read. If the upper bound is in range, then no dimension is empty, and counting
-- never waits for the next index; if not, there is none.
agree :: Ix i => (i, i) -> Int -> Bool
agree b@(_, u) n
  | inRange b u = rangeSize b == n && length (take (n + 1) (range b)) == n
  | otherwise = n == 0
{-# INLINE agree #-}
