-- |
-- Module      : Ashlar.Internal.Prim.ArrayBounds
-- Description : Bounds of arrays in untrusted input
module Ashlar.Internal.Prim.ArrayBounds
  ( agree,
  )
where

import Data.Ix (Ix, inRange, range, rangeSize)

-- | Do the bounds enclose as many indices as there are elements?
--
-- Note [Untrusted bounds]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- 'rangeSize' is computed in an Int, and bounds can be chosen so that it overflows to any number:
-- ((0, 0), (2^32 - 1, 2^32 - 1)) has the size 0. So it is not trusted, and the indices are counted,
-- up to one more than there are elements, which have all been read. If the upper bound is in range,
-- no dimension is empty, and counting never waits for the next index. If not, there is no index.
agree ::
  Ix i =>
  (i, i) ->
  -- | How many elements there are.
  Int ->
  Bool
agree b@(_, u) n
  | inRange b u = rangeSize b == n && length (take (n + 1) (range b)) == n
  | otherwise = n == 0
{-# INLINE agree #-}
