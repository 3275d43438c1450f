{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Cereal.Instances.Containers
-- Description : Strings, maps, sets, sequences, trees and arrays in cereal's format
module Ashlar.Internal.Compat.Cereal.Instances.Containers () where

import Ashlar.Internal.Builder.Bytes (announced, chunk, lazyByteString, shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Codec.Instances.Strings (copyLazy)
import Ashlar.Internal.Compat.Cereal.Class
import Ashlar.Internal.Compat.Cereal.Instances.Base ()
import Ashlar.Internal.Compat.Cereal.Instances.Tuples ()
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Generic (levelled)
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Bytes (getLazyByteString)
import Ashlar.Internal.Get.Core ()
import Ashlar.Internal.Get.Strings (getByteStringCopy, getShortByteString)
import Data.Array (Array)
import Data.Array.IArray (IArray, Ix)
import Data.Array.Unboxed (UArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import qualified Data.Map as M
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import Data.Tree (Tree (..))

-- | The number of bytes, and the bytes. The result of reading is a copy.
instance Serialize S.ByteString where
  put bs = putBuilder (append (putCount (S.length bs)) (chunk bs))
  get = getCount >>= getByteStringCopy

-- | As a strict one, so the result of reading is one chunk.
instance Serialize L.ByteString where
  put bs = putBuilder (append (putCount (announced (L.length bs))) (lazyByteString bs))
  get = getCount >>= \n -> getLazyByteString (fromIntegral n) >>= \bs -> pure $! copyLazy bs

-- | As a strict 'S.ByteString'.
instance Serialize SBS.ShortByteString where
  put bs = putBuilder (append (putCount (SBS.length bs)) (shortByteString bs))
  get = getCount >>= getShortByteString

-- | As the list of its pairs, by ascending key. They are read in any order. Of equal keys,
-- the last one counts.
instance (Ord k, Serialize k, Serialize v) => Serialize (M.Map k v) where
  put m = putBuilder (append (putCount (M.size m)) (putMapEntries put put m))
  get =
    levelled (isFlat @k && isFlat @v) $
      getCount >>= getMapEntries get get >>= \m -> pure $! inOrder m
    where
      -- The tree has its entries in the order of the input.
      inOrder m = if ascending id (M.keys m) then m else M.fromList (M.toList m)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As the list of its elements, ascending. They are read in any order.
instance (Ord a, Serialize a) => Serialize (Set.Set a) where
  put s = putBuilder (append (putCount (Set.size s)) (putSetElements put s))
  get =
    levelled (isFlat @a) $
      getCount >>= getSetElements get >>= \s -> pure $! inOrder s
    where
      inOrder s = if ascending id (Set.toList s) then s else Set.fromList (Set.toList s)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a 'M.Map' with keys of type 'Int'.
instance Serialize v => Serialize (IM.IntMap v) where
  put m = putBuilder (append (putCount (IM.size m)) (putIntMapEntries put m))
  get = do
    list <- get
    pure $! if ascending fst list then IM.fromDistinctAscList list else IM.fromList list
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As a 'Set.Set' of 'Int'.
instance Serialize IS.IntSet where
  put s = put (IS.toAscList s)
  get = do
    list <- get
    pure $! if ascending id list then IS.fromDistinctAscList list else IS.fromList list

-- | As the list of its elements, which are not forced when they are read.
instance Serialize a => Serialize (Seq.Seq a) where
  put s = putBuilder (putElements put s)
  get =
    levelled (isFlat @a) $
      getCount >>= \n -> getElementsLazily n get >>= \xs -> pure $! Seq.fromList xs
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The root, and the list of the trees below it. Trees that are nested more deeply than
-- the budget of the run allows are refused.
instance Serialize a => Serialize (Tree a) where
  put (Node x ts) = put x *> put ts
  get = deeper (Node <$> get <*> get)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The bounds, and the list of the elements. There must be as many as the bounds enclose.
instance (Serialize i, Ix i, Serialize e) => Serialize (Array i e) where
  put = putArray put put
  get = levelled (isFlat @e) (getArray get getList)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As an 'Array'.
instance (Serialize i, Ix i, Serialize e, IArray UArray e) => Serialize (UArray i e) where
  put = putArray put put
  get = levelled (isFlat @e) (getArray get getList)
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}
