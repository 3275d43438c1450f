{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Instances.Containers
-- Description : Formats of maps, sets, sequences and trees
--
-- A map or set is a number of elements and the elements, in ascending order; of a map,
-- key and value in turn. Decoding refuses keys that do not ascend strictly: a
-- map or set that is out of order gives wrong answers. (So does one with NaN for a
-- key, and it is refused.)
module Ashlar.Codec.Instances.Containers () where

import Ashlar.Builder.Core
import Ashlar.Codec.Class
import Ashlar.Codec.Elements
import Ashlar.Codec.Format (fixedSize)
import Ashlar.Codec.Instances.Base ()
import Ashlar.Codec.Instances.Data ()
import Ashlar.Codec.Length
import Ashlar.Codec.Refine
import Ashlar.Get.Core
import Ashlar.Get.Env (position)
import qualified Data.Foldable as F
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Strict as M
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import Data.Tree (Tree)

-- | The number of entries; key and value of each, by ascending key. Keys that do not
-- ascend strictly are refused.
instance (Ord k, Codec k, Codec v) => Codec (M.Map k v) where
  layout = Var lengthSize
  size x = lengthSize + sizeCounted x
  put x = append (putLength (M.size x)) (putCounted x)
  get = getLength >>= getCounted
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

instance (Ord k, Codec k, Codec v) => Counted (M.Map k v) where
  counted = M.size
  sizeCounted m = sizePairs (layout :: Layout k) (layout :: Layout v) (M.size m) (\f -> M.foldlWithKey' f 0 m)
  putCounted = M.foldrWithKey (\k v rest -> append (put k) (append (put v) rest)) empty
  getCounted n = M.fromDistinctAscList <$> getAscending fst getEntry (leastSize (layout :: Layout k) + leastSize (layout :: Layout v)) n
  {-# INLINABLE sizeCounted #-}
  {-# INLINABLE putCounted #-}
  {-# INLINABLE getCounted #-}

-- | As a 'M.Map' with 'Int' keys.
instance Codec v => Codec (IM.IntMap v) where
  layout = Var lengthSize
  size x = lengthSize + sizeCounted x
  put x = append (putLength (IM.size x)) (putCounted x)
  get = getLength >>= getCounted
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

instance Codec v => Counted (IM.IntMap v) where
  counted = IM.size
  sizeCounted m = sizePairs (layout :: Layout Int) (layout :: Layout v) (IM.size m) (\f -> IM.foldlWithKey' f 0 m)
  putCounted = IM.foldrWithKey (\k v rest -> append (put k) (append (put v) rest)) empty
  getCounted n = IM.fromDistinctAscList <$> getAscending fst getEntry (leastSize (layout :: Layout Int)) n
  {-# INLINABLE sizeCounted #-}
  {-# INLINABLE putCounted #-}
  {-# INLINABLE getCounted #-}

-- | The number of elements, and the elements, ascending. Others are refused.
instance (Ord a, Codec a) => Codec (Set.Set a) where
  layout = Var lengthSize
  size x = lengthSize + sizeCounted x
  put x = append (putLength (Set.size x)) (putCounted x)
  get = getLength >>= getCounted
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

instance (Ord a, Codec a) => Counted (Set.Set a) where
  counted = Set.size
  sizeCounted s = sizeElements (layout :: Layout a) (Set.size s) (F.foldl' (\n x -> n + size x) 0 s)
  putCounted = putElements
  getCounted n = Set.fromDistinctAscList <$> getAscending id (forced get) (leastSize (layout :: Layout a)) n
  {-# INLINABLE sizeCounted #-}
  {-# INLINABLE putCounted #-}
  {-# INLINABLE getCounted #-}

-- | As a 'Set.Set' of 'Int'.
instance Codec IS.IntSet where
  layout = Var lengthSize
  size x = lengthSize + sizeCounted x
  put x = append (putLength (IS.size x)) (putCounted x)
  get = getLength >>= getCounted

instance Counted IS.IntSet where
  counted = IS.size
  sizeCounted s = sizeElements (layout :: Layout Int) (IS.size s) 0
  putCounted = IS.foldr (\x rest -> append (put x) rest) empty
  getCounted n = IS.fromDistinctAscList <$> getAscending id (forced get) (leastSize (layout :: Layout Int)) n

-- | The number of elements, and the elements.
instance Codec a => Codec (Seq.Seq a) where
  layout = Var lengthSize
  size x = lengthSize + sizeCounted x
  put x = append (putLength (Seq.length x)) (putCounted x)
  get = getLength >>= getCounted
  {-# INLINABLE size #-}
  {-# INLINABLE put #-}
  {-# INLINABLE get #-}

instance Codec a => Counted (Seq.Seq a) where
  counted = Seq.length
  sizeCounted s = sizeElements (layout :: Layout a) (Seq.length s) (F.foldl' (\n x -> n + size x) 0 s)
  putCounted = putElements
  getCounted n = Seq.fromList <$> getList n
  {-# INLINABLE sizeCounted #-}
  {-# INLINABLE putCounted #-}
  {-# INLINABLE getCounted #-}

-- | The root, and a list of the trees below it.
instance Codec a => Codec (Tree a)

-- The size of a number of keys and values: by multiplication if that will do,
-- else by the fold that is given.
sizePairs :: (Codec k, Codec v) => Layout k -> Layout v -> Int -> ((Int -> k -> v -> Int) -> Int) -> Int
sizePairs keys values n fold = case (keys, values) of
  (Fix k, Fix v) -> n * (fixedSize k + fixedSize v)
  _ -> fold (\acc k v -> acc + size k + size v)
{-# INLINE sizePairs #-}

forced :: Get a -> Get a
forced g = g >>= \x -> x `seq` pure x
{-# INLINE forced #-}

getEntry :: (Codec k, Codec v) => Get (k, v)
getEntry = (,) <$> forced get <*> forced get
{-# INLINE getEntry #-}

-- So many elements, which must ascend strictly by their key. The least size of an
-- element is given.
getAscending :: Ord k => (a -> k) -> Get a -> Int -> Int -> Get [a]
getAscending key element least n = do
  chargeEmpties least n
  if n == 0 then pure [] else element >>= \x -> rest (n - 1) x [x]
  where
    rest !left before acc
      | left <= 0 = pure (reverse acc)
      | otherwise = do
          at <- step (\c _ -> position c)
          x <- element
          if key before < key x
            then rest (left - 1) x (x : acc)
            else invalidAtOffset at "keys that do not ascend"
{-# INLINE getAscending #-}
