{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Containers
-- Description : Formats of maps, sets, sequences, trees and arrays
--
-- A set is the number of its elements, and the elements in ascending order. A map is the number of
-- its entries, and the key and value of each. Decoding refuses keys that do not ascend strictly,
-- because a map or set that is out of order gives wrong answers. So does one with NaN for a key,
-- which is refused too.
--
-- Arrays of @primitive@ have the bytes of a vector: the number of elements, and the elements.
-- Arrays with an index have their bounds before these.
module Ashlar.Internal.Codec.Instances.Containers () where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Arranged
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Fixed (fixedSize, plusSize)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Outline (Count (..))
import Ashlar.Internal.Codec.ReadFields (amongElements, atElement)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem.Cells (Cells)
import Ashlar.Internal.Mem.Slots
import Data.Array.Base (IArray, UArray, listArray, numElements)
import Data.Array.IArray (bounds)
import Data.ByteString.Short.Internal (ShortByteString (SBS))
import qualified Data.Foldable as F
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import Data.Ix (Ix)
import qualified Data.Map.Internal as M (Map (Bin, Tip))
import qualified Data.Map.Strict as M
import Data.Primitive.Array (Array, sizeofArray)
import qualified Data.Primitive.Array as Primitive
import Data.Primitive.ByteArray (ByteArray (ByteArray), sizeofByteArray)
import Data.Primitive.PrimArray (PrimArray (PrimArray), clonePrimArray, sizeofPrimArray)
import Data.Primitive.SmallArray
  ( SmallArray,
    sizeofSmallArray,
    smallArrayFromListN,
  )
import Data.Primitive.Types (Prim)
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Set.Internal as Set (Set (Bin, Tip))
import Data.Tree (Tree)
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Unboxed as U
import qualified GHC.Arr as Base
import GHC.Exts (noinline)

-- | The number of entries, and the key and value of each, in ascending order of keys. Decoding
-- refuses keys that do not ascend strictly.
instance (Ord k, Codec k, Codec v) => Codec (M.Map k v) where
  layout = countingPairs @k @v
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

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
instance Codec v => Codec (IM.IntMap v) where
  layout = countingPairs @Int @v
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

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
instance (Ord a, Codec a) => Codec (Set.Set a) where
  layout = counting @a
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance (Ord a, Codec a) => Counted (Set.Set a) where
  counted = Set.size
  sizeCounted s = sizeElements (layout :: Layout a) (Set.size s) (F.foldl' (\n x -> n + size x) 0 s)
  putCounted x = action (\c s -> putSet c s x)
  getCounted n = chargeEmpties (leastSize (layout :: Layout a)) n >> getSet n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | As a 'Set.Set' of 'Int'.
instance Codec IS.IntSet where
  layout = counting @Int
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance Counted IS.IntSet where
  counted = IS.size
  sizeCounted s = sizeElements (layout :: Layout Int) (IS.size s) 0
  putCounted = IS.foldr (\x rest -> append (put x) rest) empty
  getCounted = getIntSet

-- | The number of elements, and the elements.
instance Codec a => Codec (Seq.Seq a) where
  layout = counting @a
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINE layout #-}
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

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
--
-- The key before the root is the last of the left half. The decoder finds it by walking down the
-- right edge of that half: one step on average. Also tried: returning the last key with each tree,
-- which allocates for each. (Allocation test "sets and maps".)

-- The last key before a subtree, if there is one.
data Below k = Nothing' | Below !k

-- Read n entries.
getMap :: forall k v. (Ord k, Codec k, Codec v) => Int -> Get (M.Map k v)
getMap count = amongElements count (build count Nothing')
  where
    build :: Int -> Below k -> Get (M.Map k v)
    build !n before
      | n <= 0 = pure M.Tip
      | otherwise = do
        left <- build (n `quot` 2) before
        k <- getAbove (maybe before (Below . fst) (M.lookupMax left))
        v <- get
        right <- v `seq` build (n - n `quot` 2 - 1) (Below k)
        pure $! M.Bin n k v left right
{-# INLINE getMap #-}

-- Read n elements.
getSet :: forall a. (Ord a, Codec a) => Int -> Get (Set.Set a)
getSet count = amongElements count (build count Nothing')
  where
    build :: Int -> Below a -> Get (Set.Set a)
    build !n before
      | n <= 0 = pure Set.Tip
      | otherwise = do
        left <- build (n `quot` 2) before
        x <- getAbove (maybe before Below (Set.lookupMax left))
        right <- build (n - n `quot` 2 - 1) (Below x)
        pure $! Set.Bin n x left right
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
getIntMap count = amongElements count (build 0 count Nothing')
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
        k <- atElement i >> getAbove before
        v <- get
        v `seq` few (i + 1) end (Below k) ((k, v) : entries)
{-# INLINE getIntMap #-}

-- Read n elements. They pass through a vector, and then a lazy list that is never whole in memory.
getIntSet :: Int -> Get IS.IntSet
getIntSet n =
  (\v -> IS.fromDistinctAscList (U.toList v))
    <$> getSuccessive n (getAbove . maybe Nothing' Below)

-- | The lower bound, the upper bound, the number of elements, and the elements, in the order of
-- their indices. Decoding refuses a number that does not agree with the bounds.
instance (Ix i, Codec i, Codec e) => Codec (Base.Array i e) where
  layout = layoutIndexed @i @e
  size arr =
    sizeIndexed (Base.bounds arr) (layout :: Layout e) (Base.numElements arr) $
      F.foldl' (\n x -> n + size x) 0 arr

  -- 'putIndexed' passes indices below n, which is the length of the array.
  put arr@(Base.Array _ _ n elements#) =
    putBounds (Base.bounds arr) (putIndexed n (indexArrayM (Primitive.Array elements#)))
  get = getIndexed $ \(l, u) v -> case V.toArray v of
    -- The vector has as many elements as the bounds say.
    Primitive.Array elements# -> Base.Array l u (V.length v) elements#
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a boxed array.
instance (Ix i, Codec i, IArray UArray e, Codec e) => Codec (UArray i e) where
  layout = layoutIndexed @i @e
  size arr =
    sizeIndexed (bounds arr) (layout :: Layout e) (numElements arr) $
      sum [size (unsafeAt arr i) | i <- [0 .. numElements arr - 1]]

  -- 'putIndexed' passes indices below the length.
  put arr = putBounds (bounds arr) (putIndexed (numElements arr) (\i -> pure $! unsafeAt arr i))
  get = getIndexed (\b v -> listArray b (V.toList v))
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- Two bounds, and what a vector of the elements has.
layoutIndexed :: forall i e a. (Codec i, Codec e) => Layout a
layoutIndexed = varying (plusSize (plusSize least least) lengthSize) outline
  where
    least = leastSize (layout @i)
    outline = fieldThen @i (fieldThen @i (elementsAfter @e Length))

sizeIndexed :: Codec i => (i, i) -> Layout e -> Int -> Int -> Int
sizeIndexed b elements n sizes = size b + lengthSize + sizeElements elements n sizes
{-# INLINE sizeIndexed #-}

putBounds :: Codec i => (i, i) -> Builder -> Builder
putBounds b = append (put b)
{-# INLINE putBounds #-}

-- Read bounds and elements that agree.
getIndexed :: (Ix i, Codec i, Codec e) => ((i, i) -> V.Vector e -> a) -> Get a
getIndexed make = do
  b <- get
  at <- here
  v <- getLength >>= getVector
  if agree b (V.length v)
    then pure $! make b v
    else invalidFrom at "an array with another number of elements than its bounds"
{-# INLINE getIndexed #-}

-- | The number of bytes, and the bytes.
instance Codec ByteArray where
  layout = bytesAfter lengthSize Length 1
  size arr = lengthSize + sizeofByteArray arr
  put arr@(ByteArray bytes#) =
    append (putLength (sizeofByteArray arr)) (shortByteString (SBS bytes#))
  get = (\(SBS bytes#) -> ByteArray bytes#) <$> get

instance Counted ByteArray where
  counted = sizeofByteArray
  sizeCounted = sizeofByteArray
  putCounted (ByteArray bytes#) = putCounted (SBS bytes#)
  getCounted n = (\(SBS bytes#) -> ByteArray bytes#) <$> getCounted n

-- | As a primitive vector.
instance (Codec a, Prim a) => Codec (PrimArray a) where
  layout = counting @a
  size arr = size (primVector arr)
  put arr = put (primVector arr)
  get = get >>= \v -> pure $! primArray v
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

instance (Codec a, Prim a) => Counted (PrimArray a) where
  counted = sizeofPrimArray
  sizeCounted arr = sizeCounted (primVector arr)
  putCounted arr = putCounted (primVector arr)

  -- Not unfolded: if the element type is not known, GHC 9.0.2 panics on the unfolding
  -- ("Unknown call method").
  getCounted n = noinline getCounted n >>= \v -> pure $! primArray v
  {-# INLINE sizeCounted #-}
  {-# INLINE putCounted #-}
  {-# INLINE getCounted #-}

primVector :: Prim a => PrimArray a -> P.Vector a
primVector arr@(PrimArray bytes#) = P.Vector 0 (sizeofPrimArray arr) (ByteArray bytes#)
{-# INLINE primVector #-}

primArray :: forall a. Prim a => P.Vector a -> PrimArray a
primArray (P.Vector start n (ByteArray bytes#))
  | start == 0 && n == sizeofPrimArray whole = whole
  | otherwise = clonePrimArray whole start n
  where
    whole = PrimArray bytes# :: PrimArray a
{-# INLINE primArray #-}

-- | As a boxed vector.
instance Codec a => Codec (Array a) where
  layout = counting @a
  size = sizePrefixed

  -- 'putIndexed' passes indices below the length.
  put arr = putIndexed (sizeofArray arr) (indexArrayM arr)
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance Codec a => Counted (Array a) where
  counted = sizeofArray
  sizeCounted arr =
    sizeElements (layout :: Layout a) (sizeofArray arr) (F.foldl' (\n x -> n + size x) 0 arr)
  putCounted arr = putIndexedBare (sizeofArray arr) (indexArrayM arr)
  getCounted n = V.toArray <$> getVector n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | As a boxed vector.
instance Codec a => Codec (SmallArray a) where
  layout = counting @a
  size = sizePrefixed
  put arr = putIndexed (sizeofSmallArray arr) (indexSmallArrayM arr)
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance Codec a => Counted (SmallArray a) where
  counted = sizeofSmallArray
  sizeCounted arr =
    sizeElements (layout :: Layout a) (sizeofSmallArray arr) (F.foldl' (\n x -> n + size x) 0 arr)
  putCounted arr = putIndexedBare (sizeofSmallArray arr) (indexSmallArrayM arr)
  getCounted n = smallFrom <$> getVector n
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

smallFrom :: V.Vector a -> SmallArray a
smallFrom v = smallArrayFromListN (V.length v) (V.toList v)
