{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Arrays
-- Description : Formats of arrays
--
-- Arrays of @primitive@ have the bytes of a vector: the number of elements, and the elements.
-- Arrays with an index have their bounds before these.
module Ashlar.Internal.Codec.Instances.Arrays () where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem.Slots
import Data.Array.Base (IArray, UArray, listArray, numElements)
import Data.Array.IArray (bounds)
import Data.ByteString.Short.Internal (ShortByteString (SBS))
import qualified Data.Foldable as F
import Data.Ix (Ix)
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
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified GHC.Arr as Base
import GHC.Exts (noinline)

-- | The lower bound, the upper bound, the number of elements, and the elements, in the order of
-- their indices. Decoding refuses a number that does not agree with the bounds.
instance (Ix i, Codec i, Codec e) => Codec (Base.Array i e) where
  layout = layoutIndexed @i
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
  layout = layoutIndexed @i
  size arr =
    sizeIndexed (bounds arr) (layout :: Layout e) (numElements arr) $
      sum [size (unsafeAt arr i) | i <- [0 .. numElements arr - 1]]

  -- 'putIndexed' passes indices below the length.
  put arr = putBounds (bounds arr) (putIndexed (numElements arr) (\i -> pure $! unsafeAt arr i))
  get = getIndexed (\b v -> listArray b (V.toList v))
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

layoutIndexed :: forall i a. Codec i => Layout a
layoutIndexed = case leastSize (layout :: Layout (i, i)) of
  -- Sizes are cut off far below 'maxBound', so the sum does not overflow.
  n -> Var (n + lengthSize)

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
  layout = Var lengthSize
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
  layout = Var lengthSize
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
  layout = Var lengthSize
  size arr = lengthSize + sizeCounted arr

  -- 'putIndexed' passes indices below the length.
  put arr = putIndexed (sizeofArray arr) (indexArrayM arr)
  get = V.toArray <$> (getLength >>= getVector)
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
  layout = Var lengthSize
  size arr = lengthSize + sizeCounted arr
  put arr = putIndexed (sizeofSmallArray arr) (indexSmallArrayM arr)
  get = smallFrom <$> (getLength >>= getVector)
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
