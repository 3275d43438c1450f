{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

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
-- The contents of a place are checked when it is decoded, as 'Ashlar.Codec.get' checks them. So
-- nobody notices that a text is not UTF-8, that the keys of a map do not ascend, or that
-- 'Ashlar.Codec.satisfying' refuses a value, as long as that place is not decoded. 'checked' checks
-- all of it once.
--
-- Fields and constructors are those of a derived format. For a type that has a format of its own
-- ('Ashlar.Codec.HasFormat'), 'field', 'position', 'constructor' and 'constructorName' call
-- 'error'. A format that only restricts the derived one, by 'Ashlar.Codec.satisfying', will do. Do
-- not view the fields of a type whose instance is derived via another type: they may be wrong.
--
-- The tag of an enumeration is checked when it is decoded. Of a tag that no constructor has,
-- 'constructorName' is an 'error', and 'constructor' is 'Nothing'.
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

    -- * Constructors
    Of,
    constructor,
    constructorName,

    -- * Containers
    Container (..),
    index,
    elements,
    foldElements,

    -- * Maps
    keys,
    lookup,
  )
where

import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Builder.Strict (toStrictByteString)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (fixedPlain, fixedRead, fixedSize)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Outline
import Ashlar.Internal.Codec.Places
import Ashlar.Internal.Get.Bytes (bytesRead, getByteString)
import Ashlar.Internal.Get.Choice (lookAhead)
import Ashlar.Internal.Get.Error (DecodeError)
import Ashlar.Internal.Get.Numbers (getInt64le)
import Ashlar.Internal.Get.Run
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as S
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import Data.List.NonEmpty (NonEmpty)
import qualified Data.Map as M
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import Data.Proxy (Proxy (..))
import qualified Data.Sequence as Seq
import qualified Data.Set as Set
import qualified Data.Vector as V
import qualified Data.Vector.Primitive as P
import qualified Data.Vector.Storable as VS
import qualified Data.Vector.Unboxed as U
import GHC.Exts (Addr#, Int (I#), build, minusAddr#, plusAddr#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents)
import GHC.Generics (Generic (Rep))
import GHC.Records (HasField (..))
import GHC.TypeLits (KnownNat, Symbol, natVal)
import Prelude hiding (lookup)

-- | The bytes of a value of type @a@, not decoded.
--
-- With @OverloadedRecordDot@ (GHC 9.2 and later), @v.items@ is @'field' \@"items" v@.
--
-- A view keeps the string alive of which it is a part.
--
-- @since 0.1.0.0
data View a = View Addr# Addr# ForeignPtrContents

-- The first byte, the address after the last byte that is known, and what keeps them alive. The
-- bytes begin with a value of the type, as far as lengths and tags tell, and may be more. The
-- addresses are unboxed, so a loop over elements allocates no views.

-- A view of one type is none of another, even if one can be coerced to the other: their instances
-- may differ.
type role View nominal

-- | The same bytes.
instance Codec a => Eq (View a) where
  v == w = viewBytes v == viewBytes w

-- | The number of its bytes.
instance Codec a => Show (View a) where
  showsPrec _ v = showString "<" . shows (S.length (viewBytes v)) . showString " bytes>"

-- | All bytes that are known from the beginning of the view on.
onward :: View a -> ByteString
onward (View p e c) = B.fromForeignPtr (ForeignPtr p c) 0 (I# (minusAddr# e p))
{-# INLINE onward #-}

fromBytes :: ByteString -> View a
fromBytes bs = case B.toForeignPtr bs of
  (ForeignPtr a c, I# off, I# n) -> let !p = plusAddr# a off in View p (plusAddr# p n) c
{-# INLINE fromBytes #-}

-- The bytes after the first n, as the beginning of another value. All views are made here or from a
-- string, so none leaves its string, whatever number was computed. (Test "out of bounds".)
later :: Int -> View a -> View b
later n@(I# n#) (View p e c)
  | 0 <= n && n <= I# (minusAddr# e p) = View (plusAddr# p n#) e c
  | otherwise = changed
{-# INLINE later #-}

-- The bytes after what an outline describes.
passOver :: Outline -> View a -> View b
passOver o v = later (passing o v) v
{-# INLINE passOver #-}

passing :: Outline -> View a -> Int
passing o v = case endOfOutline o (onward v) of
  -1 -> changed
  n -> n
{-# NOINLINE passing #-}

-- | View all of a string. Fails if the string is no value of the type, as far as lengths and tags
-- tell, or longer than the value.
--
-- >>> either (print . errorReason) print (view "\0\0" :: Either DecodeError (View Word8))
-- TrailingInput
--
-- @since 0.1.0.0
view :: forall a. Codec a => ByteString -> Either DecodeError (View a)
view bs = case extent @a bs of
  n | n == S.length bs -> Right (fromBytes bs)
  _ -> Left (whyNot (runGetWhole (() <$ get @a) bs) (runGetWhole (skipValue @a) bs))
{-# INLINE view #-}

-- | View the value at the beginning of a string. Returns the bytes after it, too.
--
-- @since 0.1.0.0
viewRest :: forall a. Codec a => ByteString -> Either DecodeError (View a, ByteString)
viewRest bs = case extent @a bs of
  -1 -> Left (whyNot (runGet (() <$ get @a) bs) (runGet (skipValue @a) bs))
  n -> case S.splitAt n bs of (value, rest) -> Right (fromBytes value, rest)
{-# INLINE viewRest #-}

-- | 'view' of a value that is decoded once, and thereby checked. So 'decodeView' succeeds on each
-- part of it. Takes as long as 'Ashlar.Codec.decode'.
--
-- @since 0.1.0.0
checked :: forall a. Codec a => ByteString -> Either DecodeError (View a)
checked bs = runGetWhole (() <$ get @a) bs >> view bs
{-# INLINE checked #-}

-- | A view of the encoding of a value.
--
-- @since 0.1.0.0
viewOf :: Codec a => a -> View a
viewOf x = fromBytes (toStrictByteString (put x))
{-# INLINE viewOf #-}

-- | A view has the bytes of its value. So a part of a type that is a view is read without being
-- decoded: @'Ashlar.Codec.decode' \@(Header, View Body)@ decodes the header alone.
instance Codec a => Codec (View a) where
  layout = varying (leastSize (layout @a)) (outlineOf @a)
  size v = S.length (viewBytes v)
  put v = byteString (viewBytes v)
  get = fromBytes <$> (lookAhead extending >>= getByteString)
    where
      extending = do
        start <- bytesRead
        skipValue @a
        end <- bytesRead
        pure (fromIntegral (end - start))

-- Where a value ends, or -1.
extent :: forall a. Codec a => ByteString -> Int
extent bs = case layout @a of
  Fix f -> if S.length bs >= fixedSize f then fixedSize f else -1
  Var _ -> endOfOutline (outlineOf @a) bs
{-# INLINE extent #-}

-- The error of a decoder, whose path is the best, or of passing over the value.
whyNot :: Either DecodeError () -> Either DecodeError () -> DecodeError
whyNot decoded passed = case decoded of
  Left e -> e
  Right () -> case passed of
    Left e -> e
    Right () -> changed
{-# NOINLINE whyNot #-}

changed :: a
changed = errorWithoutStackTrace "Ashlar.View: the bytes have changed: was their memory written?"

-- | Decode what is viewed. Offsets in errors count from its beginning.
--
-- @since 0.1.0.0
decodeView :: forall a. Codec a => View a -> Either DecodeError a
decodeView v = case layout @a of
  Fix f -> runInPlace (fixedPlain f) (fixedSize f) (fixedRead f) get (onward v)
  Var _ -> runGet get (onward v)
{-# INLINE decodeView #-}

-- | The bytes of the value. Passes over it.
--
-- >>> fmap viewBytes (fst <$> viewRest "\1\2\3" :: Either DecodeError (View Word16))
-- Right "\SOH\STX"
--
-- @since 0.1.0.0
viewBytes :: forall a. Codec a => View a -> ByteString
viewBytes v = case extent @a bs of
  -1 -> changed
  n -> S.take n bs
  where
    bs = onward v
{-# INLINE viewBytes #-}

-- | A field, by its name. Constant time if all fields before it have constant size. Otherwise those
-- are passed over.
--
-- Paths are composed: @'field' \@"price" . 'field' \@"item"@.
--
-- @since 0.1.0.0
field :: forall (name :: Symbol) t b. HasField name (View t) (View b) => View t -> View b
field = getField @name
{-# INLINE field #-}

-- | A field, by its number, counted from 1: for tuples and constructors without names.
--
-- >>> :set -XDataKinds -XTypeApplications
-- >>> import Ashlar.View
-- >>> let Right pair = view (encode ('a', True)) :: Either DecodeError (View (Char, Bool))
-- >>> decodeView (position @2 pair)
-- Right True
--
-- @since 0.1.0.0
position ::
  forall n t.
  (Tagged t, Before (Numbered n t)) =>
  View t ->
  View (PartType (Numbered n t))
position = place @t @(Numbered n t)
{-# INLINE position #-}

place :: forall t found. (Tagged t, Before found) => View t -> View (PartType found)
place v
  | not (ownFields @t) = ownFormat
  | otherwise = case isConstant (\asks -> beforeWidth @found asks) of
    1# -> case beforeWidth @found 10000# of
      Width _ _ n -> later (tagBytes @t + I# n) v
    _ -> passOver (beforeOutline @found (Bytes 0)) (later (tagBytes @t) v)
{-# INLINE place #-}

ownFormat :: a
ownFormat =
  errorWithoutStackTrace "Ashlar.View: the type has a format of its own, so its fields are unknown"
{-# NOINLINE ownFormat #-}

instance
  (Tagged t, Before (Named name t), v ~ View (PartType (Named name t))) =>
  HasField name (View t) v
  where
  getField = place @t @(Named name t)
  {-# INLINE getField #-}

-- | The fields of a value, if it has the constructor of this name.
--
-- >>> :set -XDataKinds -XTypeApplications
-- >>> import Ashlar.View
-- >>> let Right v = view (encode (Just 'x')) :: Either DecodeError (View (Maybe Char))
-- >>> fmap (decodeView . position @1) (constructor @"Just" v)
-- Just (Right 'x')
--
-- @since 0.1.0.0
constructor ::
  forall con a.
  (Tagged (Of con a), KnownNat (Position con a)) =>
  View a ->
  Maybe (View (Of con a))
constructor v
  | not (ownFields @(Of con a)) = ownFormat
  | tagOf (tagBytes @(Of con a)) v == number = Just (later 0 v)
  | otherwise = Nothing
  where
    number = fromInteger (natVal (Proxy @(Position con a)))
{-# INLINE constructor #-}

-- | The name of the value's constructor.
--
-- @since 0.1.0.0
constructorName :: forall a. (Codec a, Constructors (Rep a)) => View a -> String
constructorName v
  | not (hasOwnFields (layout @a)) = ownFormat
  | otherwise = case drop (tagOf width v) (constructorNames @(Rep a)) of
    name : _ -> name
    [] -> changed
  where
    width = case constructorCount @(Rep a) of
      1 -> 0
      n -> if n <= 256 then 1 else 2

-- A tag of that many bytes.
tagOf :: Int -> View a -> Int
tagOf width v = case width of
  0 -> 0
  1 -> byte 0
  _ -> byte 0 + 256 * byte 1
  where
    bytes = onward v
    byte i = if i < S.length bytes then fromIntegral (S.unsafeIndex bytes i) else changed
{-# INLINE tagOf #-}

-- | Types whose bytes are a length, and elements.
--
-- @since 0.1.0.0
class Codec (Element c) => Container c where
  -- | What is in it. Those of a map are pairs.
  type Element c

  -- | The number of elements.
  --
  -- @since 0.1.0.0
  count :: View c -> Int
  count = lengthOf

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

lengthOf :: View c -> Int
lengthOf v = either (const changed) fromIntegral (runGet getInt64le (onward v))
{-# INLINE lengthOf #-}

-- | The element with this number, counted from 0. Constant time if elements have constant size.
-- Otherwise those before it are passed over.
--
-- @since 0.1.0.0
index :: forall c. Container c => Int -> View c -> Maybe (View (Element c))
index i v
  | i < 0 || i >= lengthOf v = Nothing
  | otherwise = Just $ case layout @(Element c) of
    -- The bytes of all elements are there, so the product does not overflow.
    Fix f -> later (8 + i * fixedSize f) v
    Var _ -> passed i (later 8 v)
  where
    passed :: Int -> View (Element c) -> View (Element c)
    passed 0 rest = rest
    passed n rest = passed (n - 1) (next rest)
{-# INLINE index #-}

-- | The elements, as a lazy list. A good producer.
--
-- @since 0.1.0.0
elements :: forall c. Container c => View c -> [View (Element c)]
elements v = build (\cons nil -> foldrElements @c cons nil v)
{-# INLINE elements #-}

foldrElements :: forall c b. Container c => (View (Element c) -> b -> b) -> b -> View c -> b
foldrElements cons nil v = go (lengthOf v) (later 8 v)
  where
    go :: Int -> View (Element c) -> b
    go n x
      | n <= 0 = nil
      | otherwise = x `cons` (if n == 1 then nil else go (n - 1) (next x))
{-# INLINE foldrElements #-}

-- | A strict left fold over the elements.
--
-- @since 0.1.0.0
foldElements :: forall c b. Container c => (b -> View (Element c) -> b) -> b -> View c -> b
foldElements f b0 v = go b0 (lengthOf v) (later 8 v)
  where
    go :: b -> Int -> View (Element c) -> b
    go !b !n !x
      | n <= 0 = b
      | otherwise = go (f b x) (n - 1) (next x)
{-# INLINE foldElements #-}

-- What follows a value.
next :: forall a. Codec a => View a -> View a
next v = case layout @a of
  Fix f -> later (fixedSize f) v
  Var _ -> passOver (outlineOf @a) v
{-# INLINE next #-}

-- | The keys of a map, in ascending order.
--
-- @since 0.1.0.0
keys :: (Codec k, Codec v) => View (M.Map k v) -> [View k]
keys = map (position @1) . elements
{-# INLINE keys #-}

-- | The value of a key in a map. A binary search if keys and values have constant size. Otherwise
-- the entries before it are passed over. Fails if a key on the way cannot be decoded.
--
-- >>> import qualified Ashlar.View as View
-- >>> import qualified Data.Map as M
-- >>> let m = View.viewOf (M.fromList [(1 :: Int, 'a'), (2, 'b')])
-- >>> fmap (fmap View.decodeView) (View.lookup 2 m)
-- Right (Just (Right 'b'))
--
-- @since 0.1.0.0
lookup ::
  forall k v.
  (Ord k, Codec k, Codec v) =>
  k ->
  View (M.Map k v) ->
  Either DecodeError (Maybe (View v))
lookup k v = case (layout @k, layout @v) of
  (Fix f, Fix g) -> bisect (fixedSize f + fixedSize g) 0 (count v)
  _ -> search (elements v)
  where
    bisect width low high
      | low >= high = Right Nothing
      | otherwise = do
        let middle = (low + high) `quot` 2
            entry = later (8 + middle * width) v
        found <- compareKey entry
        case found of
          LT -> bisect width low middle
          EQ -> Right (Just (position @2 entry))
          GT -> bisect width (middle + 1) high
    search [] = Right Nothing
    search (entry : rest) = do
      found <- compareKey entry
      case found of
        LT -> Right Nothing
        EQ -> Right (Just (position @2 entry))
        GT -> search rest
    compareKey :: View (k, v) -> Either DecodeError Ordering
    compareKey entry = compare k <$> decodeView (position @1 entry)
{-# INLINEABLE lookup #-}
