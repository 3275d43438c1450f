{-# LANGUAGE AllowAmbiguousTypes #-}
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
-- because a map or set that is out of order gives wrong answers. So does one with NaN and
-- another key, which is refused too.
--
-- Arrays of @primitive@ have the bytes of a vector: the number of elements, and the elements.
-- Arrays with an index have their bounds before these.
module Ashlar.Internal.Codec.Instances.Containers (getIndexed) where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Fixed (fixedSize, plusSize)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Outline (Count (..))
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem (timesCount)
import Ashlar.Internal.Mem.Check
import Data.Array.Base (IArray, UArray, listArray, numElements)
import Data.Array.IArray (bounds)
import Data.ByteString.Short.Internal (ShortByteString (SBS))
import qualified Data.Foldable as F
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import Data.Ix (Ix)
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
import Data.Tree (Tree)
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
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
  putCounted = putMap put put
  getCounted n =
    chargeEmpties (plusSize (leastSize (layout :: Layout k)) (leastSize (layout :: Layout v))) n
      >> getMap get get n
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
  putCounted = putIntMap put put
  getCounted n =
    chargeEmpties (plusSize (leastSize (layout :: Layout Int)) (leastSize (layout :: Layout v))) n
      >> getIntMap get get n
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
  putCounted = putSet put
  getCounted n = chargeEmpties (leastSize (layout :: Layout a)) n >> getSet get n
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
  putCounted = putIntSet put
  getCounted n = chargeEmpties (leastSize (layout :: Layout Int)) n >> getIntSet get n

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
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
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
  (Fix k, Fix v) -> n `timesCount` plusSize (fixedSize k) (fixedSize v)
  _ -> fold (\acc k v -> acc + size k + size v)
{-# INLINE sizePairs #-}

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
  get = getIndexed get get $ \(l, u) v -> case V.toArray v of
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
  get = getIndexed get get (\b v -> listArray b (V.toList v))
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

-- | Read bounds and elements that agree.
getIndexed ::
  Ix i =>
  -- | The bounds.
  Get (i, i) ->
  -- | The elements, with their number.
  Get (V.Vector e) ->
  ((i, i) -> V.Vector e -> a) ->
  Get a
getIndexed getBounds getElements make = do
  b <- getBounds
  at <- here
  v <- getElements
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
