{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}

-- |
-- Module      : Ashlar.View
-- Description : Reading parts of encoded values in place
--
-- A 'View' is the bytes of a value that has not been decoded. Its fields, elements and constructors
-- are views, too, and 'decodeView' decodes one of them. So a program that needs one field of a
-- large value reads that field.
--
-- >>> :set -XDataKinds -XDeriveAnyClass -XDeriveGeneric -XTypeApplications
-- >>> import Ashlar.View
-- >>> data Item = Item { name :: Text, price :: Double } deriving (Show, Generic, Codec)
-- >>> data Order = Order { number :: Int, items :: [Item] } deriving (Show, Generic, Codec)
-- >>> let bytes = encode (Order 7 [Item "brick" 0.75, Item "mortar" 4.5])
-- >>> let Right order = view bytes :: Either DecodeError (View Order)
-- >>> decodeView (field @"number" order)
-- Right 7
-- >>> traverse (decodeView . field @"price") (elements (field @"items" order))
-- Right [0.75,4.5]
--
-- Nothing is added to the bytes. A field that comes after others of constant size is found by an
-- addition. Other fields before it are passed over by their lengths.
--
-- = What is checked
--
-- 'view' passes over the whole value once. It checks lengths, tags before fields, and that all
-- bytes are there. So no access leaves the value, and a place in it is found without errors. For a
-- type of constant size this is one comparison.
--
-- 'view' has one budget for all of the value. 'decodeView' has one for each part. Parts whose
-- format is written by hand are passed over by their decoders, again for each access. So untrusted
-- bytes of such parts may cost much time: decode these values.
--
-- The contents of a place are checked when it is decoded, as 'Ashlar.Codec.get' checks them. So
-- nobody notices that a text is not UTF-8, that the keys of a map do not ascend, or that
-- 'Ashlar.Codec.satisfying' refuses a value, as long as that place is not decoded. 'checked' checks
-- all of it once.
--
-- Fields and constructors are those of a derived format. For a type that has a format of its own
-- ('Ashlar.Codec.HasFormat'), 'field', 'position', 'constructor' and 'constructorName' call
-- 'error'. So they do for a newtype whose instance, for example one that is derived via another
-- type, writes other bytes than that of its field. (Some bytes are tried.) A format that only
-- restricts the derived one, by 'Ashlar.Codec.satisfying', will do.
--
-- The tag of an enumeration is checked when it is decoded. For a tag that no constructor has,
-- 'constructorName' and 'constructor' are 'Nothing'.
module Ashlar.View
  ( View,

    -- * Making views
    view,
    viewRest,
    checked,
    viewOf,

    -- * Using views
    decodeView,
    viewBytes,

    -- * Fields
    field,
    position,
    FieldType,

    -- * Constructors
    Of,
    constructor,
    constructorName,

    -- * Containers
    Container (..),
    count,
    index,
    elements,
    foldElements,

    -- * Maps and sets
    Ascending (..),
    keys,
    lookup,
    member,
  )
where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (fixedSize)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Length (lengthSize)
import Ashlar.Internal.Codec.Places (FieldType, Of)
import Ashlar.Internal.Codec.View
import Ashlar.Internal.Get.Error (DecodeError)
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import Data.List.NonEmpty (NonEmpty)
import qualified Data.Map as M
import Data.Maybe (isJust)
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as VS
import qualified Data.Vector.Unboxed as U
import GHC.Exts (build)
import Prelude hiding (lookup)

-- | Types whose bytes are a length, and elements. (The length of a
-- 'Ashlar.Codec.Wrappers.Compact' has another format, so it is decoded as a whole.)
class Codec (Element c) => Container c where
  -- | What is in it. Those of a map are pairs.
  type Element c

instance Codec a => Container [a] where
  type Element [a] = a

instance Codec a => Container (NonEmpty a) where
  type Element (NonEmpty a) = a

instance Codec a => Container (V.Vector a) where
  type Element (V.Vector a) = a

instance Codec a => Container (U.Vector a) where
  type Element (U.Vector a) = a

instance Codec a => Container (VS.Vector a) where
  type Element (VS.Vector a) = a

instance Codec a => Container (P.Vector a) where
  type Element (P.Vector a) = a

instance Codec a => Container (Array a) where
  type Element (Array a) = a

instance Codec a => Container (SmallArray a) where
  type Element (SmallArray a) = a

instance Codec a => Container (PrimArray a) where
  type Element (PrimArray a) = a

instance Codec a => Container (Seq.Seq a) where
  type Element (Seq.Seq a) = a

instance Codec a => Container (Set.Set a) where
  type Element (Set.Set a) = a

instance Container IS.IntSet where
  type Element IS.IntSet = Int

instance (Codec k, Codec v) => Container (M.Map k v) where
  type Element (M.Map k v) = (k, v)

instance Codec v => Container (IM.IntMap v) where
  type Element (IM.IntMap v) = (Int, v)

-- | The element with this number, counted from 0. 'Nothing' if the number is negative or too large.
-- Constant time if elements have constant size. Otherwise those before it are passed over.
index :: forall c. Container c => Int -> View c -> Maybe (View (Element c))
index i v
  | i < 0 || i >= count v = Nothing
  | otherwise = Just $ case layout @(Element c) of
    -- The bytes of all elements are there, so the product does not overflow.
    Fix f -> later (lengthSize + i * fixedSize f) v
    Var _ -> passed i (later lengthSize v)
  where
    passed :: Int -> View (Element c) -> View (Element c)
    passed 0 rest = rest
    passed n rest = passed (n - 1) (next @(Element c) rest)
{-# INLINE index #-}

-- | The elements, as a lazy list. A good producer.
elements :: forall c. Container c => View c -> [View (Element c)]
elements v = build (\cons nil -> foldrElements @c cons nil v)
{-# INLINE elements #-}

foldrElements :: forall c b. Container c => (View (Element c) -> b -> b) -> b -> View c -> b
foldrElements cons nil v = go (count v) (later lengthSize v)
  where
    go :: Int -> View (Element c) -> b
    go n x
      | n <= 0 = nil
      | otherwise = x `cons` (if n == 1 then nil else go (n - 1) (next @(Element c) x))
{-# INLINE foldrElements #-}

-- | A strict left fold over the elements.
foldElements :: forall c b. Container c => (b -> View (Element c) -> b) -> b -> View c -> b
foldElements f b0 v = go b0 (count v) (later lengthSize v)
  where
    go :: b -> Int -> View (Element c) -> b
    go !b !n !x
      | n <= 0 = b
      | otherwise = go (f b x) (n - 1) (next @(Element c) x)
{-# INLINE foldElements #-}

-- | Containers whose elements ascend by a key, each of which is there once.
class Container c => Ascending c where
  -- | The key of a map, or the element of a set.
  type Key c

  -- | The key of an element.
  elementKey :: View (Element c) -> View (Key c)

instance (Codec k, Codec v) => Ascending (M.Map k v) where
  type Key (M.Map k v) = k
  elementKey = position @1

instance Codec v => Ascending (IM.IntMap v) where
  type Key (IM.IntMap v) = Int
  elementKey = position @1

instance Codec a => Ascending (Set.Set a) where
  type Key (Set.Set a) = a
  elementKey = id

instance Ascending IS.IntSet where
  type Key IS.IntSet = Int
  elementKey = id

-- | The keys of a map, in ascending order.
keys :: forall c. Ascending c => View c -> [View (Key c)]
keys = map (elementKey @c) . elements
{-# INLINE keys #-}

-- | The value of a key in a map. A binary search if keys and values have constant size. Otherwise
-- the entries before it are passed over. Fails if a key on the way cannot be decoded. If keys do
-- not ascend, which 'view' does not check, a key may not be found although it is there.
--
-- >>> import qualified Ashlar.View as View
-- >>> import qualified Data.Map as M
-- >>> let m = View.viewOf (M.fromList [(1 :: Int, 'a'), (2, 'b')])
-- >>> fmap (fmap View.decodeView) (View.lookup 2 m)
-- Right (Just (Right 'b'))
lookup ::
  forall k v c.
  (Ascending c, Element c ~ (k, v), Key c ~ k, Ord k, Codec k) =>
  k ->
  View c ->
  Either DecodeError (Maybe (View v))
lookup k v = fmap (position @2) <$> find k v
{-# INLINEABLE lookup #-}

-- | Is a key in a map, or an element in a set? It searches as 'lookup' does, and fails or misses a
-- key in the same cases.
--
-- >>> import qualified Ashlar.View as View
-- >>> import qualified Data.Set as Set
-- >>> View.member 3 (View.viewOf (Set.fromList [1, 3 :: Int]))
-- Right True
member ::
  (Ascending c, Ord (Key c), Codec (Key c)) =>
  Key c ->
  View c ->
  Either DecodeError Bool
member k v = isJust <$> find k v
{-# INLINEABLE member #-}

-- The element of a key.
find ::
  forall c.
  (Ascending c, Ord (Key c), Codec (Key c)) =>
  Key c ->
  View c ->
  Either DecodeError (Maybe (View (Element c)))
find k v = case layout @(Element c) of
  Fix f -> bisect (fixedSize f) 0 (count v)
  Var _ -> search (elements v)
  where
    bisect width low high
      | low >= high = Right Nothing
      | otherwise = do
        let middle = (low + high) `quot` 2
            element = later (lengthSize + middle * width) v
        found <- compareKey element
        case found of
          LT -> bisect width low middle
          EQ -> Right (Just element)
          GT -> bisect width (middle + 1) high
    search [] = Right Nothing
    search (element : rest) = do
      found <- compareKey element
      case found of
        LT -> Right Nothing
        EQ -> Right (Just element)
        GT -> search rest
    compareKey :: View (Element c) -> Either DecodeError Ordering
    compareKey element = compare k <$> decodeView (elementKey @c element)
{-# INLINEABLE find #-}
