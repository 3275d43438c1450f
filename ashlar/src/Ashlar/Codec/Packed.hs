{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Codec.Packed
-- Description : A format of few bytes for a whole type
--
-- The plain format is made for speed: an 'Int' has eight bytes, a 'Bool' one. The packed format is
-- made for size. Small numbers take one byte, and constructors share bytes. A list of an
-- enumeration of five constructors takes a third of the bytes, a tree of them a fifth.
--
-- [As a wrapper] 'Packed' serves a whole type and all inside it.
-- [For one field] 'Ashlar.Codec.Wrappers.Varint' and 'Ashlar.Codec.Wrappers.Zigzag' make one number
--   short, 'Ashlar.Codec.Wrappers.Compact' one length. All else stays plain.
-- [As an exception] 'Unpacked' keeps a part of a packed value plain.
--
-- @make bench BENCH=Packed@ compares its times with those of the plain format. The page \"How small
-- can my data be?\" of the cookbook says when to use it.
module Ashlar.Codec.Packed
  ( Packed (..),
    Pack,
    Unpacked (..),
  )
where

import Ashlar.Codec.Wrappers
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Bits
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Containers (getIndexed)
import Ashlar.Internal.Codec.Instances.Numbers (getRatio)
import Ashlar.Internal.Codec.Instances.PackedLeaves ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Tuples ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Pack
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail (refine)
import Ashlar.Internal.Mem.Check (unsafeIndexM)
import Control.Applicative (ZipList)
import Data.Array.Base (IArray, UArray, elems, listArray)
import Data.Array.IArray (bounds)
import Data.Complex (Complex)
import qualified Data.Foldable as F
import Data.Functor.Compose (Compose)
import Data.Functor.Const (Const)
import Data.Functor.Identity (Identity)
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import Data.Ix (Ix)
import Data.List.NonEmpty (NonEmpty, nonEmpty)
import qualified Data.Map.Strict as M
import Data.Monoid (All, Alt, Any, Ap, Dual, Product, Sum)
import qualified Data.Monoid as Monoid
import Data.Ord (Down)
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray, primArrayFromListN, primArrayToList)
import Data.Primitive.SmallArray (SmallArray, smallArrayFromListN)
import Data.Primitive.Types (Prim)
import Data.Proxy (Proxy)
import Data.Ratio (Ratio, denominator, numerator)
import Data.Semigroup (Arg, Max, Min, WrappedMonoid)
import qualified Data.Semigroup as Semigroup
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.LocalTime (TimeZone (..), ZonedTime (..))
import Data.Tree (Tree)
import qualified Data.Vector as V
import qualified Data.Vector.Generic as G
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as Storable
import qualified Data.Vector.Unboxed as U
import Data.Version (Version)
import Data.Void (Void)
import qualified GHC.Arr as Boxed

-- Instances for types without parts are in "Ashlar.Internal.Codec.Instances.PackedLeaves", which
-- turns eta-expansion off: GHC 9.0.2 would panic on the derived readers here.

-- | The numerator and the denominator.
instance (Integral a, Pack a) => Pack (Ratio a) where
  packing pool r = append (packing pool (numerator r)) (packing pool (denominator r))
  unpacking = getRatio ((,) <$> unpacking <*> unpacking)
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- Times of several fields.

-- | The fields.
instance Pack TimeZone where
  packing pool (TimeZone minutes summer name) = packing pool (minutes, summer, name)
  unpacking = unpacking >>= \(minutes, summer, name) -> pure $! TimeZone minutes summer name
  mayBeEmpty _ = -1

-- | The fields.
instance Pack ZonedTime where
  packing pool (ZonedTime time zone) = packing pool (time, zone)
  unpacking = unpacking >>= \(time, zone) -> pure $! ZonedTime time zone
  mayBeEmpty _ = -1

-- | The fields. Decoding refuses 2,000,000,000 nanoseconds and more.
instance Pack SystemTime where
  packing pool (MkSystemTime seconds nanoseconds) = packing pool (seconds, nanoseconds)
  unpacking = refine systemTime unpacking
    where
      systemTime (seconds, nanoseconds)
        | nanoseconds < 2000000000 = Right $! MkSystemTime seconds nanoseconds
        | otherwise = Left "SystemTime: more than two seconds"
  mayBeEmpty _ = -1

-- Sums, tuples and newtypes.

instance Pack ()

instance Pack Ordering

instance Pack Void

instance Pack Version

instance Pack a => Pack (Maybe a) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b) => Pack (Either a b) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b) => Pack (a, b) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b, Pack c) => Pack (a, b, c) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b, Pack c, Pack d) => Pack (a, b, c, d) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b, Pack c, Pack d, Pack e) => Pack (a, b, c, d, e) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b, Pack c, Pack d, Pack e, Pack f) => Pack (a, b, c, d, e, f) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance
  (Pack a, Pack b, Pack c, Pack d, Pack e, Pack f, Pack g) =>
  Pack (a, b, c, d, e, f, g)
  where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack a => Pack (Complex a) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack a => Pack (Tree a) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Pack b) => Pack (Arg a b) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack (f a), Pack (g a)) => Pack (Functor.Product f g a) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack (f a), Pack (g a)) => Pack (Functor.Sum f g a) where
  packing = genericPacking
  unpacking = genericUnpacking
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack (Proxy a)

instance Pack a => Pack (Identity a)

instance Pack a => Pack (Const a b)

instance Pack (f (g a)) => Pack (Compose f g a)

instance Pack a => Pack (Down a)

instance Pack a => Pack (ZipList a)

instance Pack All

instance Pack Any

instance Pack a => Pack (Dual a)

instance Pack a => Pack (Sum a)

instance Pack a => Pack (Product a)

instance Pack a => Pack (Monoid.First a)

instance Pack a => Pack (Monoid.Last a)

instance Pack (f a) => Pack (Alt f a)

instance Pack (f a) => Pack (Ap f a)

instance Pack a => Pack (Min a)

instance Pack a => Pack (Max a)

instance Pack a => Pack (Semigroup.First a)

instance Pack a => Pack (Semigroup.Last a)

instance Pack a => Pack (WrappedMonoid a)

-- | As what it wraps: lengths are short in any case.
instance Pack a => Pack (Compact a) where
  packing pool (Compact x) = packing pool x
  unpacking = Compact <$> unpacking
  mayBeEmpty = askingNext (mayBeEmpty @a)

-- | As what it wraps: all is one packed value.
instance Pack a => Pack (Packed a) where
  packing pool (Packed x) = packing pool x
  unpacking = Packed <$> unpacking
  mayBeEmpty = askingNext (mayBeEmpty @a)

-- Containers: the number of elements in LEB128, and the elements.

putCount :: Int -> Builder
putCount n = putVarint (fromIntegral n)
{-# INLINE putCount #-}

instance Pack a => Pack [a] where
  packing pool xs = append (putCount (length xs)) (packEach pool xs)
  unpacking = compactLength >>= \n -> getListOf n (chargedIfIdle unpacking)
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- Write the elements.
packEach :: Pack a => Pool -> [a] -> Builder
packEach pool xs0 = action $ \c k ->
  let go xs = case xs of
        [] -> pure ()
        x : rest -> runOn (packing pool x) c k >> go rest
   in go xs0
{-# INLINE packEach #-}

instance Pack a => Pack (NonEmpty a) where
  packing pool xs = packing pool (F.toList xs)
  unpacking = refine (maybe (Left "NonEmpty: no elements") Right . nonEmpty) unpacking
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

packVector :: (G.Vector v a, Pack a) => Pool -> v a -> Builder
packVector pool v = append (putCount n) $
  action $ \c k ->
    let go i
          | i >= n = pure ()
          -- The index is less than the length.
          | otherwise = unsafeIndexM v i >>= \x -> runOn (packing pool x) c k >> go (i + 1)
     in go 0
  where
    n = G.length v
{-# INLINE packVector #-}

unpackVector :: (G.Vector v a, Pack a) => Get (v a)
unpackVector = compactLength >>= \n -> getSuccessive n (\_ -> chargedIfIdle unpacking)
{-# INLINE unpackVector #-}

instance Pack a => Pack (V.Vector a) where
  packing = packVector
  unpacking = unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, U.Unbox a) => Pack (U.Vector a) where
  packing = packVector
  unpacking = unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Storable.Storable a) => Pack (Storable.Vector a) where
  packing = packVector
  unpacking = unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Prim a) => Pack (P.Vector a) where
  packing = packVector
  unpacking = unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack a => Pack (Array a) where
  packing pool x = packVector pool (V.fromArray x)
  unpacking = V.toArray <$> unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack a => Pack (SmallArray a) where
  packing pool xs = append (putCount (length xs)) (packEach pool (F.toList xs))
  unpacking = (\v -> smallArrayFromListN (V.length v) (V.toList v)) <$> unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance (Pack a, Prim a) => Pack (PrimArray a) where
  packing pool xs = packing pool (primArrayToList xs)
  unpacking = (\v -> primArrayFromListN (P.length v) (P.toList v)) <$> unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

instance Pack a => Pack (Seq.Seq a) where
  packing pool xs = append (putCount (length xs)) (packEach pool (F.toList xs))
  unpacking = Seq.fromList . V.toList <$> unpackVector
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- | In ascending order of keys. Decoding refuses keys that do not ascend strictly.
instance (Ord k, Pack k, Pack v) => Pack (M.Map k v) where
  packing pool m = append (putCount (M.size m)) (putMap (packing pool) (packing pool) m)
  unpacking = compactLength >>= getMap unpacking unpacking
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- | As a 'M.Map' with 'Int' keys.
instance Pack v => Pack (IM.IntMap v) where
  packing pool m = append (putCount (IM.size m)) (putIntMap (packing pool) (packing pool) m)
  unpacking = compactLength >>= getIntMap unpacking unpacking
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- | In ascending order. Decoding refuses elements that do not ascend strictly.
instance (Ord a, Pack a) => Pack (Set.Set a) where
  packing pool s = append (putCount (Set.size s)) (putSet (packing pool) s)
  unpacking = compactLength >>= getSet unpacking
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- | As a 'Set.Set' of 'Int'.
instance Pack IS.IntSet where
  packing pool s = append (putCount (IS.size s)) (putIntSet (packing pool) s)
  unpacking = compactLength >>= getIntSet unpacking
  mayBeEmpty _ = -1

-- | The bounds, the number of elements, and the elements.
instance (Ix i, Pack i, Pack e) => Pack (Boxed.Array i e) where
  packing pool arr = packIndexed pool (bounds arr) (elems arr)
  unpacking = unpackIndexed (\b v -> listArray b (V.toList v))
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

-- | As a boxed array.
instance (Ix i, Pack i, IArray UArray e, Pack e) => Pack (UArray i e) where
  packing pool arr = packIndexed pool (bounds arr) (elems arr)
  unpacking = unpackIndexed (\b v -> listArray b (V.toList v))
  mayBeEmpty _ = -1
  {-# INLINEABLE packing #-}
  {-# INLINEABLE unpacking #-}

packIndexed :: (Pack i, Pack e) => Pool -> (i, i) -> [e] -> Builder
packIndexed pool b xs = append (packing pool b) (packing pool xs)
{-# INLINE packIndexed #-}

unpackIndexed :: (Ix i, Pack i, Pack e) => ((i, i) -> V.Vector e -> a) -> Get a
unpackIndexed = getIndexed unpacking unpackVector
{-# INLINE unpackIndexed #-}
