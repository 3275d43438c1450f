{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Containers
-- Description : Maps, sets, sequences, trees, vectors and arrays
module Ashlar.Schema.Internal.Instances.Containers () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Instances.Base ()
import Ashlar.Schema.Internal.Types
import Data.Array.Base (IArray, UArray)
import qualified Data.Array.IArray as Base
import Data.IntMap (IntMap)
import Data.IntSet (IntSet)
import qualified Data.Map as M
import qualified Data.Primitive.Array as Primitive
import qualified Data.Primitive.ByteArray as Primitive
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import Data.Primitive.Types (Prim)
import Data.Sequence (Seq)
import qualified Data.Set as S
import Data.Tree (Tree)
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as VS
import qualified Data.Vector.Unboxed as U

mapOf :: forall k v a. (Described k, Described v) => Describe a
mapOf = describing entries [part @k mempty, part @v mempty]
  where
    entries shapes = case shapes of
      [k, v] -> Map Length64 k v
      _ -> Tuple shapes

setOf :: forall b a. Described b => Describe a
setOf = shaped (Set Length64) (describe @b)

arrayOf :: forall i e a. (Described i, Described e) => Describe a
arrayOf = describing indexed [part @i mempty, part @e mempty]
  where
    indexed shapes = case shapes of
      [i, e] -> Array i e
      _ -> Tuple shapes

instance (Ord k, Described k, Described v) => Described (M.Map k v) where
  describe = mapOf @k @v

instance Described v => Described (IntMap v) where
  describe = mapOf @Int @v

instance (Ord a, Described a) => Described (S.Set a) where
  describe = setOf @a

instance Described IntSet where
  describe = setOf @Int

instance Described a => Described (Tree a) where
  describe = orderedByParts libraryDescription

instance (Base.Ix i, Described i, Described e) => Described (Base.Array i e) where
  describe = arrayOf @i @e

instance (Base.Ix i, Described i, IArray UArray e, Described e) => Described (UArray i e) where
  describe = arrayOf @i @e

instance Described Primitive.ByteArray where
  describe = plainly (Leaf (ByteArray Length64))

instance (Described a, Prim a) => Described (PrimArray a) where
  describe = as @[a]

instance (Described a, U.Unbox a) => Described (U.Vector a) where
  describe = as @[a]

instance (Described a, VS.Storable a) => Described (VS.Vector a) where
  describe = as @[a]

instance (Described a, Prim a) => Described (P.Vector a) where
  describe = as @[a]

instance Described a => Described (V.Vector a) where
  describe = as @[a]

instance Described a => Described (Seq a) where
  describe = as @[a]

instance Described a => Described (Primitive.Array a) where
  describe = as @[a]

instance Described a => Described (SmallArray a) where
  describe = as @[a]
