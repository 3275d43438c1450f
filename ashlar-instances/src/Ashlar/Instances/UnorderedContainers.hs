{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.UnorderedContainers
-- Description : instances for HashMap and HashSet
--
-- The order of a HashMap depends on the version of @hashable@, and on the order in which keys with
-- the same hash were inserted. Keys are therefore written in ascending order, with the bytes of a
-- 'Map.Map' or 'Set.Set'. They need an instance of 'Ord', and encoding takes O(n log n). If keys
-- are equal by 'Ord' and not by 'Eq', such as two versions with different tags, encoding is an
-- 'error': one of them would be lost.
--
-- Note [Hashes that collide]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- An attacker who knows the hash function can choose keys that all have the same hash. Building a
-- HashMap of n such keys takes n^2 comparisons. Decoding therefore refuses more than 256 keys with
-- one hash before it builds the HashMap. A good hash function has no such values. With a bad one,
-- decode a 'Map.Map'.
module Ashlar.Instances.UnorderedContainers () where

import Ashlar.Codec
import Ashlar.Codec.Wrappers (Counted (..))
import Ashlar.Get.Combinators (refine)
import Ashlar.Schema (Described (..), as)
import qualified Data.HashMap.Strict as HashMap
import qualified Data.HashSet as HashSet
import Data.Hashable (Hashable, hash)
import qualified Data.IntMap.Strict as IntMap
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set

-- | As a 'Map.Map'. More than 256 keys with the same hash are refused.
instance (Hashable k, Ord k, Codec k, Codec v) => Codec (HashMap.HashMap k v)

instance (Hashable k, Ord k, Codec k, Codec v) => HasFormat (HashMap.HashMap k v) where
  format = refined toMap fromMap codec

instance (Hashable k, Ord k, Codec k, Codec v) => Counted (HashMap.HashMap k v) where
  counted = HashMap.size
  sizeCounted m = sizeCounted (toMap m)
  putCounted m = putCounted (toMap m)
  putCompact m = putCompact (toMap m)
  getCounted n = refine fromMap (getCounted n)

instance (Hashable a, Ord a, Described a) => Described (HashSet.HashSet a) where
  describe = as @(Set.Set a)

toMap :: Ord k => HashMap.HashMap k v -> Map.Map k v
toMap m = ordered (HashMap.size m) Map.size (Map.fromList (HashMap.toList m))

fromMap :: (Hashable k, Ord k) => Map.Map k v -> Either String (HashMap.HashMap k v)
fromMap m = HashMap.fromList (Map.toAscList m) <$ fewCollisions (Map.keys m)

instance (Hashable k, Ord k, Described k, Described v) => Described (HashMap.HashMap k v) where
  describe = as @(Map.Map k v)

-- | As a 'Set.Set'. More than 256 elements with the same hash are refused.
instance (Hashable a, Ord a, Codec a) => Codec (HashSet.HashSet a)

instance (Hashable a, Ord a, Codec a) => HasFormat (HashSet.HashSet a) where
  format = refined toSet fromSet codec

instance (Hashable a, Ord a, Codec a) => Counted (HashSet.HashSet a) where
  counted = HashSet.size
  sizeCounted s = sizeCounted (toSet s)
  putCounted s = putCounted (toSet s)
  putCompact s = putCompact (toSet s)
  getCounted n = refine fromSet (getCounted n)

toSet :: Ord a => HashSet.HashSet a -> Set.Set a
toSet s = ordered (HashSet.size s) Set.size (Set.fromList (HashSet.toList s))

-- A container in order, if it has as many elements as the one that it was made of.
ordered :: Int -> (c -> Int) -> c -> c
ordered n count c
  | count c == n = c
  | otherwise =
    errorWithoutStackTrace
      "Ashlar.Instances: a HashMap or HashSet with keys that Eq separates, and Ord does not"

fromSet :: (Hashable a, Ord a) => Set.Set a -> Either String (HashSet.HashSet a)
fromSet s = HashSet.fromList (Set.toAscList s) <$ fewCollisions (Set.toAscList s)

-- Note [Hashes that collide].
fewCollisions :: forall k. Hashable k => [k] -> Either String ()
fewCollisions = go IntMap.empty
  where
    go :: IntMap.IntMap Int -> [k] -> Either String ()
    go _ [] = Right ()
    go seen (k : ks)
      | before >= 256 = Left "more than 256 keys with the same hash"
      | otherwise = go (IntMap.insert h (before + 1) seen) ks
      where
        h = hash k
        before = IntMap.findWithDefault 0 h seen
