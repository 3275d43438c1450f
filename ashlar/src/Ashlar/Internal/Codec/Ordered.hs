{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Codec.Ordered
-- Description : The entries of maps and sets, in ascending order
--
-- Each function is given the writers or readers of keys and values. Readers refuse keys that do not
-- ascend strictly.
module Ashlar.Internal.Codec.Ordered
  ( putMap,
    putIntMap,
    putSet,
    putIntSet,
    getMap,
    getIntMap,
    getSet,
    getIntSet,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Elements (getSuccessive)
import Ashlar.Internal.Codec.ReadFields (amongElements, atElement)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Internal as M (Map (Bin, Tip))
import qualified Data.Map.Strict as M
import qualified Data.Set as Set
import qualified Data.Set.Internal as Set (Set (Bin, Tip))
import qualified Data.Vector.Unboxed as U

-- | Write the entries of a map. This walk along the tree allocates nothing. A fold that appends
-- builders allocates for each entry.
putMap :: (k -> Builder) -> (v -> Builder) -> M.Map k v -> Builder
putMap putKey put m0 = action $ \c s ->
  let go m = case m of
        M.Tip -> pure ()
        M.Bin _ k v left right -> go left >> runOn (append (putKey k) (put v)) c s >> go right
   in go m0
{-# INLINE putMap #-}

-- | Write the elements of a set.
putSet :: (a -> Builder) -> Set.Set a -> Builder
putSet put set0 = action $ \c s ->
  let go set = case set of
        Set.Tip -> pure ()
        Set.Bin _ x left right -> go left >> runOn (put x) c s >> go right
   in go set0
{-# INLINE putSet #-}

-- | Write the entries of a map.
putIntMap :: (Int -> Builder) -> (v -> Builder) -> IM.IntMap v -> Builder
putIntMap putKey put =
  IM.foldrWithKey (\k v rest -> append (putKey k) (append (put v) rest)) empty
{-# INLINE putIntMap #-}

-- | Write the elements of a set.
putIntSet :: (Int -> Builder) -> IS.IntSet -> Builder
putIntSet put = IS.foldr (\x rest -> append (put x) rest) empty
{-# INLINE putIntSet #-}

-- Note [Trees built in order]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Entries arrive in the order of their keys, and their number is known. So the decoder builds a
-- balanced tree as they arrive: the left half, the root, the right half. Sizes of siblings differ
-- by at most one, which is balanced enough for @containers@. The tests check 'M.valid'. Collecting
-- the entries in a list for 'M.fromDistinctAscList' is several times slower. If the announced
-- number is too large, the recursion is still no deeper than the number has bits.
--
-- The key before the root is the last of the left half. The decoder finds it by walking down the
-- right edge of that half: one step on average. Also tried: returning the last key with each tree,
-- which allocates for each. (Allocation test "sets and maps".)

-- The last key before a subtree, if there is one.
data Below k = Nothing' | Below !k

-- | Read n entries.
getMap :: forall k v. Ord k => Get k -> Get v -> Int -> Get (M.Map k v)
getMap getKey get count = amongElements count (build count Nothing')
  where
    build :: Int -> Below k -> Get (M.Map k v)
    build !n before
      | n <= 0 = pure M.Tip
      | otherwise = do
        left <- build (n `quot` 2) before
        k <- getAbove getKey (maybe before (Below . fst) (M.lookupMax left))
        v <- get
        right <- v `seq` build (n - n `quot` 2 - 1) (Below k)
        pure $! M.Bin n k v left right
{-# INLINE getMap #-}

-- | Read n elements.
getSet :: forall a. Ord a => Get a -> Int -> Get (Set.Set a)
getSet get count = amongElements count (build count Nothing')
  where
    build :: Int -> Below a -> Get (Set.Set a)
    build !n before
      | n <= 0 = pure Set.Tip
      | otherwise = do
        left <- build (n `quot` 2) before
        x <- getAbove get (maybe before Below (Set.lookupMax left))
        right <- build (n - n `quot` 2 - 1) (Below x)
        pure $! Set.Bin n x left right
{-# INLINE getSet #-}

-- Read a key. It must be above the one before.
getAbove :: Ord k => Get k -> Below k -> Get k
getAbove get before = do
  at <- here
  k <- get
  if k `seq` isAbove k before then pure k else invalidFrom at "keys that do not ascend"
{-# INLINE getAbove #-}

isAbove :: Ord k => k -> Below k -> Bool
isAbove k before = case before of
  Nothing' -> True
  Below b -> b < k
{-# INLINE isAbove #-}

-- The shape of IntMap and IntSet depends on the bits of the keys.

-- | Read n entries. A few at a time make a map, and neighbouring maps are joined: the union of maps
-- whose keys do not overlap only looks at their edges. (One list of all entries, made from a
-- vector, would have every entry on the heap twice. Benchmark "decode IntMap Int of 100000".)
getIntMap :: forall v. Get Int -> Get v -> Int -> Get (IM.IntMap v)
getIntMap getKey get count = amongElements count (build 0 count Nothing')
  where
    build :: Int -> Int -> Below Int -> Get (IM.IntMap v)
    build !i !n before
      | n <= 16 = few i (i + n) before []
      | otherwise = do
        let half = n `quot` 2
        left <- build i half before
        right <- build (i + half) (n - half) (maybe before (Below . fst) (IM.lookupMax left))
        pure $! IM.union left right
    -- Read the entries with indices from i up to end. The list has those before, the last first.
    few :: Int -> Int -> Below Int -> [(Int, v)] -> Get (IM.IntMap v)
    few !i !end before entries
      | i >= end = pure $! IM.fromDistinctAscList (reverse entries)
      | otherwise = do
        k <- atElement i >> getAbove getKey before
        v <- get
        v `seq` few (i + 1) end (Below k) ((k, v) : entries)
{-# INLINE getIntMap #-}

-- | Read n elements. They pass through a vector, and then a lazy list that is never whole in
-- memory.
getIntSet :: Get Int -> Int -> Get IS.IntSet
getIntSet get n =
  (\v -> IS.fromDistinctAscList (U.toList v))
    <$> getSuccessive n (\before -> getAbove get (maybe Nothing' Below before))
{-# INLINE getIntSet #-}
