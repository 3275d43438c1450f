{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Containers
-- Description : Formats of maps, sets, sequences and trees
--
-- A set is the number of its elements, and the elements in ascending order. A map is the number of
-- its entries, and the key and value of each. Decoding refuses keys that do not ascend strictly,
-- because a map or set that is out of order gives wrong answers. So does one with NaN for a key,
-- which is refused too.
module Ashlar.Internal.Codec.Instances.Containers () where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Fixed (fixedSize)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.ReadFields (amongElements, atElement)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem.Cells (Cells)
import qualified Data.Foldable as F
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Internal as M (Map (Bin, Tip))
import qualified Data.Map.Strict as M
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Set.Internal as Set (Set (Bin, Tip))
import Data.Tree (Tree)
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U

-- | The number of entries, and the key and value of each, in ascending order of keys. Decoding
-- refuses keys that do not ascend strictly.
deriving via (LengthPrefixed (M.Map k v)) instance (Ord k, Codec k, Codec v) => Codec (M.Map k v)

instance (Ord k, Codec k, Codec v) => Counted (M.Map k v) where
  counted = M.size
  sizeCounted m =
    sizePairs (layout :: Layout k) (layout :: Layout v) (M.size m) (\f -> M.foldlWithKey' f 0 m)
  putCounted m = action (\c s -> putMap c s m)
  getCounted n =
    chargeEmpties (leastSize (layout :: Layout k) + leastSize (layout :: Layout v)) n >> getMap n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | As a 'M.Map' with 'Int' keys.
deriving via (LengthPrefixed (IM.IntMap v)) instance Codec v => Codec (IM.IntMap v)

instance Codec v => Counted (IM.IntMap v) where
  counted = IM.size
  sizeCounted m =
    sizePairs (layout :: Layout Int) (layout :: Layout v) (IM.size m) (\f -> IM.foldlWithKey' f 0 m)
  putCounted = IM.foldrWithKey (\k v rest -> append (put k) (append (put v) rest)) empty
  getCounted = getIntMap
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | The number of elements, and the elements in ascending order. Decoding refuses elements that do
-- not ascend strictly.
deriving via (LengthPrefixed (Set.Set a)) instance (Ord a, Codec a) => Codec (Set.Set a)

instance (Ord a, Codec a) => Counted (Set.Set a) where
  counted = Set.size
  sizeCounted s = sizeElements (layout :: Layout a) (Set.size s) (F.foldl' (\n x -> n + size x) 0 s)
  putCounted x = action (\c s -> putSet c s x)
  getCounted n = chargeEmpties (leastSize (layout :: Layout a)) n >> getSet n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | As a 'Set.Set' of 'Int'.
deriving via (LengthPrefixed IS.IntSet) instance Codec IS.IntSet

instance Counted IS.IntSet where
  counted = IS.size
  sizeCounted s = sizeElements (layout :: Layout Int) (IS.size s) 0
  putCounted = IS.foldr (\x rest -> append (put x) rest) empty
  getCounted = getIntSet

-- | The number of elements, and the elements.
deriving via (LengthPrefixed (Seq.Seq a)) instance Codec a => Codec (Seq.Seq a)

instance Codec a => Counted (Seq.Seq a) where
  counted = Seq.length
  sizeCounted s =
    sizeElements (layout :: Layout a) (Seq.length s) (F.foldl' (\n x -> n + size x) 0 s)
  putCounted = putElements
  getCounted n = Seq.fromList . V.toList <$> getVector n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | The root, and a list of the trees below it.
instance Codec a => Codec (Tree a) where
  layout = genericLayout
  size = genericSize
  put = genericPut
  get = genericGet
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- The size of n keys and values: by multiplication if both have constant size, else by the fold.
sizePairs ::
  (Codec k, Codec v) =>
  Layout k ->
  Layout v ->
  Int ->
  ((Int -> k -> v -> Int) -> Int) ->
  Int
sizePairs keys values n fold = case (keys, values) of
  (Fix k, Fix v) -> n * (fixedSize k + fixedSize v)
  _ -> fold (\acc k v -> acc + size k + size v)
{-# INLINE sizePairs #-}

-- Write the entries of a map. This walk along the tree allocates nothing. A fold that appends
-- builders allocates for each entry.
putMap :: (Codec k, Codec v) => Cells -> Sink -> M.Map k v -> IO ()
putMap c s = go
  where
    go m = case m of
      M.Tip -> pure ()
      M.Bin _ k v left right -> go left >> runOn (append (put k) (put v)) c s >> go right
{-# INLINE putMap #-}

putSet :: Codec a => Cells -> Sink -> Set.Set a -> IO ()
putSet c s = go
  where
    go set = case set of
      Set.Tip -> pure ()
      Set.Bin _ x left right -> go left >> runOn (put x) c s >> go right
{-# INLINE putSet #-}

-- Note [Trees built in order]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Entries arrive in the order of their keys, and their number is known. So the decoder builds a
-- balanced tree as they arrive: the left half, the root, the right half. Sizes of siblings differ
-- by at most one, which is balanced enough for @containers@. The tests check 'M.valid'. Collecting
-- the entries in a list for 'M.fromDistinctAscList' is several times slower. If the announced
-- number is too large, the recursion is still no deeper than the number has bits.

-- A tree, and its last key.
data Built k t = Built !t !(Below k)

data Below k = Nothing' | Below !k

-- Read n entries.
getMap :: forall k v. (Ord k, Codec k, Codec v) => Int -> Get (M.Map k v)
getMap count = (\(Built m _) -> m) <$> amongElements count (build count Nothing')
  where
    build :: Int -> Below k -> Get (Built k (M.Map k v))
    build !n before
      | n <= 0 = pure (Built M.Tip before)
      | otherwise = do
        Built left before' <- build (n `quot` 2) before
        k <- getAbove before'
        v <- get
        Built right before'' <- v `seq` build (n - n `quot` 2 - 1) (Below k)
        pure (Built (M.Bin n k v left right) before'')
{-# INLINE getMap #-}

-- Read n elements.
getSet :: forall a. (Ord a, Codec a) => Int -> Get (Set.Set a)
getSet count = (\(Built s _) -> s) <$> amongElements count (build count Nothing')
  where
    build :: Int -> Below a -> Get (Built a (Set.Set a))
    build !n before
      | n <= 0 = pure (Built Set.Tip before)
      | otherwise = do
        Built left before' <- build (n `quot` 2) before
        x <- getAbove before'
        Built right before'' <- build (n - n `quot` 2 - 1) (Below x)
        pure (Built (Set.Bin n x left right) before'')
{-# INLINE getSet #-}

-- Read a key. It must be above the one before.
getAbove :: (Ord k, Codec k) => Below k -> Get k
getAbove before = do
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

-- Read n entries. A few at a time make a map, and neighbouring maps are joined: the union of maps
-- whose keys do not overlap only looks at their edges. (One list of all entries, made from a
-- vector, would have every entry on the heap twice. Benchmark "decode IntMap Int of 100000".)
getIntMap :: forall v. Codec v => Int -> Get (IM.IntMap v)
getIntMap count = (\(Built m _) -> m) <$> amongElements count (build 0 count Nothing')
  where
    build :: Int -> Int -> Below Int -> Get (Built Int (IM.IntMap v))
    build !i !n before
      | n <= 16 = few i (i + n) before []
      | otherwise = do
        let half = n `quot` 2
        Built left before' <- build i half before
        Built right before'' <- build (i + half) (n - half) before'
        pure (Built (IM.union left right) before'')
    -- Read the entries with indices from i up to end. The list has those before, the last first.
    few :: Int -> Int -> Below Int -> [(Int, v)] -> Get (Built Int (IM.IntMap v))
    few !i !end before entries
      | i >= end = pure (Built (IM.fromDistinctAscList (reverse entries)) before)
      | otherwise = do
        k <- atElement i >> getAbove before
        v <- get
        v `seq` few (i + 1) end (Below k) ((k, v) : entries)
{-# INLINE getIntMap #-}

-- Read n elements. They pass through a vector, and then a lazy list that is never whole in memory.
getIntSet :: Int -> Get IS.IntSet
getIntSet n =
  (\v -> IS.fromDistinctAscList (U.toList v))
    <$> getSuccessive n (getAbove . maybe Nothing' Below)
