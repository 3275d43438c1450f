-- |
-- Module      : Ashlar.Internal.Mem.Slots
-- Description : Elements by index, each of which is tested
--
-- The same as the module of this name in @src-unchecked@, with tests.
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

import Ashlar.Internal.Mem.Check (slot)
import Control.Monad.Primitive (PrimMonad, PrimState)
import Data.Array.Base (IArray, numElements)
import qualified Data.Array.Base as Base
import Data.Ix (Ix)
import Data.Primitive.Array (Array, sizeofArray)
import qualified Data.Primitive.Array as Primitive
import Data.Primitive.SmallArray (SmallArray, sizeofSmallArray)
import qualified Data.Primitive.SmallArray as Primitive
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Generic.Mutable as GM

-- | An element of a vector.
unsafeIndexM :: (G.Vector v a, Monad m) => v a -> Int -> m a
unsafeIndexM v i = G.unsafeIndexM v (slot "in slots" "unsafeIndexM" (G.length v) i)
{-# INLINE unsafeIndexM #-}

-- | A new vector. Its length is not negative.
unsafeNew :: (PrimMonad m, GM.MVector v a) => Int -> m (v (PrimState m) a)
unsafeNew n = GM.unsafeNew (slot "own memory" "unsafeNew" maxBound n)
{-# INLINE unsafeNew #-}

-- | A vector that is larger by a number of elements, which is positive.
unsafeGrow ::
  (PrimMonad m, GM.MVector v a) => v (PrimState m) a -> Int -> m (v (PrimState m) a)
unsafeGrow v n = GM.unsafeGrow v (1 + slot "own memory" "unsafeGrow" maxBound (n - 1))
{-# INLINE unsafeGrow #-}

-- | Write an element of a vector.
unsafeWrite :: (PrimMonad m, GM.MVector v a) => v (PrimState m) a -> Int -> a -> m ()
unsafeWrite v i = GM.unsafeWrite v (slot "in slots" "unsafeWrite" (GM.length v) i)
{-# INLINE unsafeWrite #-}

-- | An element of an array, by its number.
unsafeAt :: (IArray a e, Ix i) => a i e -> Int -> e
unsafeAt a i = Base.unsafeAt a (slot "in slots" "unsafeAt" (numElements a) i)
{-# INLINE unsafeAt #-}

-- | An element of an array.
indexArrayM :: Monad m => Array a -> Int -> m a
indexArrayM a i = Primitive.indexArrayM a (slot "in slots" "indexArrayM" (sizeofArray a) i)
{-# INLINE indexArrayM #-}

-- | An element of a small array.
indexSmallArrayM :: Monad m => SmallArray a -> Int -> m a
indexSmallArrayM a i =
  Primitive.indexSmallArrayM a (slot "in slots" "indexSmallArrayM" (sizeofSmallArray a) i)
{-# INLINE indexSmallArrayM #-}
