{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}

-- |
-- Module      : Ashlar.Internal.Codec.View
-- Description : Views of encoded values, their fields and constructors
--
-- The first part of "Ashlar.View", which says what views are.
module Ashlar.Internal.Codec.View
  ( View,
    view,
    viewRest,
    checked,
    viewOf,
    decodeView,
    viewBytes,

    -- * Fields and constructors
    field,
    position,
    constructor,
    constructorName,

    -- * For containers
    onward,
    later,
    next,
    count,
    changed,
  )
where

import Ashlar.Internal.Builder.Bytes (byteString)
import Ashlar.Internal.Builder.Strict (toStrictByteString)
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed (Fixed, fixedInt64LE, fixedPlain, fixedRead, fixedSize, getFixed)
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length (lengthSize)
import Ashlar.Internal.Codec.Outline
import Ashlar.Internal.Codec.Places
import Ashlar.Internal.Get.Budget (Budget (..), defaultBudget, withBudget)
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error (DecodeError)
import Ashlar.Internal.Get.Run
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as S
import Data.Either (fromLeft)
import Data.Maybe (listToMaybe)
import Data.Proxy (Proxy (..))
import GHC.Exts (Addr#, Int (I#), minusAddr#, plusAddr#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents)
import GHC.Generics (Generic (..))
import GHC.Records (HasField (..))
import GHC.TypeLits (KnownNat, Symbol, natVal)

-- A view has the address of its first byte, the address after the last byte that is known, and
-- their owner, which it keeps alive. The bytes begin with a value of the type, as far as lengths
-- and tags tell, and may be more. The addresses are unboxed, so a loop over elements allocates no
-- views.

-- | The bytes of a value of type @a@, not decoded.
--
-- With @OverloadedRecordDot@ (GHC 9.2 and later), @v.items@ is @'field' \@"items" v@.
--
-- A view keeps the string alive of which it is a part.
data View a = View Addr# Addr# ForeignPtrContents

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

-- | What follows a value of type @a@, given where it begins. A count and units, such as a text, are
-- passed in place: the walk over an outline takes three times as long.
next :: forall a x y. Codec a => View x -> View y
next v = case layout @a of
  Fix f -> later (fixedSize f) v
  l | not (isDerived l), Just (Units 0 Length unit (Bytes 0)) <- layoutOutline l -> counted unit
  _ -> walkOver
  where
    walkOver = later (passing (outlineOf @a) v) v
    counted unit = case (count v, later lengthSize v) of
      (n, units@(View p e _))
        | unit > 0 && 0 <= n && n <= I# (minusAddr# e p) `quot` unit -> later (n * unit) units
        | otherwise -> walkOver
    {-# INLINE counted #-}
{-# INLINE next #-}

-- | The number of elements.
count :: View c -> Int
count v = either (const changed) fromIntegral (inPlace fixedInt64LE (getFixed fixedInt64LE) v)
{-# INLINE count #-}

-- How many bytes an outline describes at the beginning of a view.
passing :: Outline -> View a -> Int
passing o v@(View p e c) = case extent o p e c of
  -1 -> passingByDecoders o (onward v)
  n -> n
{-# INLINE passing #-}

-- 'passing' for values that the walk refuses. There are no limits, as the value was passed over
-- within the budget of one run, or has constant size, or was encoded here.
passingByDecoders :: Outline -> ByteString -> Int
passingByDecoders o bs = case runGetRest (withBudget boundless (skipOutline o)) bs of
  Right (_, rest) -> S.length bs - S.length rest
  Left _ -> changed
  where
    boundless = defaultBudget {budgetDepth = maxBound, budgetSteps = maxBound}
{-# NOINLINE passingByDecoders #-}

-- | View all of a string. Fails if the string is no value of the type, as far as lengths and tags
-- tell, or longer than the value.
--
-- >>> either (print . errorReason) print (view "\0\0" :: Either DecodeError (View Word8))
-- TrailingInput
view :: forall a. Codec a => ByteString -> Either DecodeError (View a)
view bs = case sizeAt @a bs of
  Right n
    | n == S.length bs -> Right (fromBytes bs)
    | otherwise -> Left (tooLong (() <$ get @a) (skipValue @a) bs)
  Left e -> Left e
{-# INLINE view #-}

-- | View the value at the beginning of a string. Returns the bytes after it, too. Fails if the
-- string does not begin with a value of the type, as far as lengths and tags tell.
viewRest :: forall a. Codec a => ByteString -> Either DecodeError (View a, ByteString)
viewRest bs = case sizeAt @a bs of
  Right n | (value, rest) <- S.splitAt n bs -> Right (fromBytes value, rest)
  Left e -> Left e
{-# INLINE viewRest #-}

-- | 'view' of a value that is decoded once, and thereby checked. So 'decodeView' succeeds on each
-- part of it. Takes as long as 'Ashlar.Codec.decode'.
checked :: forall a. Codec a => ByteString -> Either DecodeError (View a)
checked bs = runGetWhole (() <$ get @a) bs >> view bs
{-# INLINE checked #-}

-- | A view of the encoding of a value.
viewOf :: Codec a => a -> View a
viewOf x = fromBytes (toStrictByteString (put x))
{-# INLINE viewOf #-}

-- | A view has the bytes of its value. So a part of a type that is a view is read without being
-- decoded: @'Ashlar.Codec.decode' \@(Header, View Body)@ decodes the header alone.
instance Codec a => Codec (View a) where
  layout = varying (leastSize (layout @a)) (outlineOf @a)
  size v = S.length (viewBytes v)
  put v = byteString (viewBytes v)
  get = fromBytes <$> bytesOfOutline (outlineOf @a)

-- The size of the value at the beginning of a string.
sizeAt :: forall a. Codec a => ByteString -> Either DecodeError Int
sizeAt bs = case layout @a of
  Fix f | fixedSize f <= S.length bs -> Right (fixedSize f)
  Var _ | View p e c <- fromBytes bs, n <- extent (outlineOf @a) p e c, n >= 0 -> Right n
  _ -> sizeByDecoders (() <$ get @a) (skipValue @a) bs
{-# INLINE sizeAt #-}

-- 'sizeAt' by decoders: that of the value, and the one that passes over it. If both fail, the path
-- of the first error is the better one.
sizeByDecoders :: Get () -> Get () -> ByteString -> Either DecodeError Int
sizeByDecoders decoder passer bs = case runGetRest passer bs of
  Right (_, rest) -> Right (S.length bs - S.length rest)
  Left e -> Left (fromLeft e (runGet decoder bs))
{-# NOINLINE sizeByDecoders #-}

-- The error of a string that is longer than its value.
tooLong :: Get () -> Get () -> ByteString -> DecodeError
tooLong decoder passer bs =
  fromLeft (fromLeft changed (runGetWhole passer bs)) (runGetWhole decoder bs)
{-# NOINLINE tooLong #-}

changed :: a
changed = errorWithoutStackTrace "Ashlar.View: the bytes have changed: was their memory written?"

-- | Decode what is viewed. Offsets in errors count from its beginning.
decodeView :: forall a. Codec a => View a -> Either DecodeError a
decodeView v = case layout @a of
  Fix f -> inPlace f get v
  Var _ -> runGet get (onward v)
{-# INLINE decodeView #-}

inPlace :: Fixed a -> Get a -> View x -> Either DecodeError a
inPlace f g v = runInPlace (fixedPlain f) (fixedSize f) (fixedRead f) g (onward v)
{-# INLINE inPlace #-}

-- | The bytes of the value. Passes over it.
--
-- >>> fmap viewBytes (fst <$> viewRest "\1\2\3" :: Either DecodeError (View Word16))
-- Right "\SOH\STX"
viewBytes :: forall a. Codec a => View a -> ByteString
viewBytes v = S.take n (onward v)
  where
    n = case layout @a of
      Fix f -> fixedSize f
      Var _ -> passing (outlineOf @a) v
{-# INLINE viewBytes #-}

-- | A field, by its name. Constant time if all fields before it have constant size. Otherwise those
-- are passed over.
--
-- Paths are composed: @'field' \@"price" . 'field' \@"item"@. GHC counts a step for each field
-- before this one. For more than some 200 it needs the option @-freduction-depth=0@.
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
  | otherwise = case constantSize (\asks -> beforeWidth @found asks) of
    Just n -> later (tagBytes @t + n) v
    Nothing -> foldBefore @found (\(_ :: Proxy a) -> next @a) (later (tagBytes @t) v)
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

-- | The name of the value's constructor. 'Nothing' if no constructor has its tag: 'view' checks the
-- tags of enumerations no more than other contents.
constructorName ::
  forall a.
  (Generic a, Codec a, Constructors (Rep a), OwnFields (Rep a)) =>
  View a ->
  Maybe String
constructorName v
  | not (areOwn (from :: a -> Rep a ())) = ownFormat
  | otherwise = listToMaybe (drop (tagOf (constructorTag @(Rep a)) v) (constructorNames @(Rep a)))

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
