{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE DeriveTraversable #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE EmptyCase #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Pack
-- Description : The packed format, for a whole type and all inside it
--
-- See Note [Bits among bytes] in "Ashlar.Internal.Codec.Bits".
module Ashlar.Internal.Codec.Pack
  ( Packed (..),
    Unpacked (..),
    Pack (..),
    ByItself,
    GPack,
    genericPacking,
    genericUnpacking,
    askingNext,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Bits
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Format (builderSize)
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Variant
  ( FieldNames,
    GCount (..),
    GEnum (..),
    KindOf,
    SumKind (..),
    ofConstructor,
  )
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)

-- | A value in the packed format, which takes as few bytes as possible without compression.
--
-- * Integers of 16 bits and more are in LEB128, those with a sign as by
--   'Ashlar.Codec.Wrappers.Zigzag'. So are lengths, and code points of characters.
-- * The constructors of a sum, and all 'Bool's and enumerations, take bits: one for two
--   constructors, two for three or four. They share bytes, whatever lies between them.
-- * All else is as in the plain format.
--
-- Use it as the type of a whole record or message, or derive an instance by it:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass -XDerivingVia
-- >>> import Ashlar.Codec.Packed
-- >>> data Wind = North | East | South | West deriving (Show, Generic, Pack)
-- >>> :{
-- data Report = Report { gusts :: Bool, from :: Wind, speeds :: [Int] }
--   deriving stock (Show, Generic)
--   deriving anyclass Pack
--   deriving Codec via Packed Report
-- :}
--
-- >>> encode (Report True South [7, -3])
-- "\192\STX\SO\ENQ"
-- >>> decode "\192\STX\SO\ENQ" :: Either DecodeError Report
-- Right (Report {gusts = True, from = South, speeds = [7,-3]})
--
-- Each value has one encoding. Decoding refuses any other: longer numbers than necessary, and
-- bits after the last one that are not zero.
--
-- Writing holds what lies between a byte of bits and its eighth bit, or the end of the value: up to
-- four times its bytes. So a long string after a 'Bool' is not written in constant memory.
--
-- A packed value begins and ends at a byte. A container of packed values, @[Packed a]@, begins
-- each at a byte of its own; a packed container, @Packed [a]@, packs them closely.
newtype Packed a = Packed {getPacked :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)

instance Pack a => Codec (Packed a) where
  layout = Var (if mayBeEmpty @a mostAsked < 0 then 1 else 0)
  size (Packed x) = builderSize (put (Packed x))
  put (Packed x) = withBits (`packing` x)
  get = getWithBits (Packed <$> unpacking)
  {-# INLINE size #-}
  {-# INLINE put #-}
  {-# INLINE get #-}

-- | A value in the plain format, that of its 'Codec', as a part of a packed one.
--
-- Use it for the fields whose types have no 'Pack', such as those with a format by hand.
--
-- >>> import Ashlar.Codec.Packed
-- >>> encode (Packed (True, Unpacked (1 :: Word16)))
-- "\128\SOH\NUL"
newtype Unpacked a = Unpacked {getUnpacked :: a}
  deriving stock (Eq, Ord, Show, Functor, Foldable, Traversable)
  deriving newtype (Codec)

instance Codec a => Pack (Unpacked a) where
  packing _ (Unpacked x) = put x
  unpacking = Unpacked <$> get
  mayBeEmpty asks = if leastSize (layout @a) == 0 then asks else -1
  {-# INLINE packing #-}
  {-# INLINE unpacking #-}

-- | Types that have a packed format. Derive it, for a type and for those inside of it:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> import Ashlar.Codec.Packed
-- >>> data Size = Small | Large Word16 deriving (Generic, Pack)
-- >>> encode (Packed [Small, Large 300, Small])
-- "\ETX@\172\STX"
--
-- The methods are not exported, so every instance is derived with @anyclass@. It has the fields of
-- the type, whatever its 'Ashlar.Codec.HasFormat' says: a type whose values are checked there stays
-- 'Unpacked'. Each field needs an instance, but not one of 'Codec'.
class Pack a where
  -- | Write a value as a part of a packed one.
  packing :: Pool -> a -> Builder
  default packing :: (Generic a, GPack (Rep a)) => Pool -> a -> Builder
  packing = genericPacking

  -- | Read it. Forces its result.
  unpacking :: Get a
  default unpacking :: (Generic a, GPack (Rep a)) => Get a
  unpacking = genericUnpacking

  -- | Can a value take neither bits nor bytes? Given how many more types may be asked.
  --
  -- The answer -1: every value takes bits or bytes. The answer n >= 0: a value may take none, and n
  -- more types may be asked. At 0 the answer is "may", because a type that contains itself without
  -- a sum in between would ask for ever.
  mayBeEmpty :: Int -> Int
  default mayBeEmpty :: GPack (Rep a) => Int -> Int
  mayBeEmpty = gMayBeEmpty @(Rep a)

  -- | Refuses @deriving newtype@ and @via@, which would give a type the format of another one. A
  -- schema could not tell.
  packedByItself :: ByItself a
  packedByItself = ByItself

-- | The derived methods, for instances of the library that add INLINEABLE.
genericPacking :: (Generic a, GPack (Rep a)) => Pool -> a -> Builder
genericPacking pool x = gPack pool (from x)
{-# INLINE genericPacking #-}

genericUnpacking :: (Generic a, GPack (Rep a)) => Get a
genericUnpacking = gUnpack to
{-# INLINE genericUnpacking #-}

mostAsked :: Int
mostAsked = 1000

-- | Ask one more type, if more may be asked.
askingNext :: (Int -> Int) -> Int -> Int
askingNext next asks = if asks <= 0 then asks else next (asks - 1)
{-# NOINLINE askingNext #-}

-- | See 'packedByItself'.
data ByItself a = ByItself

type role ByItself nominal

-- | The methods of 'Pack' for the representation of a type. (No argument stands to the left of
-- @gMayBeEmpty@ and what it calls: calls there have none, and Note [Generic methods] wants them to
-- be saturated.)
class GPack (f :: Type -> Type) where
  gPack :: Pool -> f p -> Builder
  gUnpack :: (f p -> a) -> Get a
  gMayBeEmpty :: Int -> Int

instance (KnownSymbol name, GBody f) => GPack (D1 ('MetaData name m pkg 'False) f) where
  gPack pool x = gBodyPack pool (unM1 x)
  {-# INLINE gPack #-}
  gUnpack back = gBodyUnpack (symbolVal (Proxy :: Proxy name)) (\x -> back (M1 x))
  {-# INLINE gUnpack #-}
  gMayBeEmpty = gBodyEmpty @f
  {-# INLINE gMayBeEmpty #-}

-- A newtype counts as a level. Otherwise reading @newtype N = N N@ would not end.
instance
  (KnownSymbol name, Pack a) =>
  GPack (D1 ('MetaData name m pkg 'True) (C1 c (S1 s (K1 i a))))
  where
  gPack pool (M1 (M1 (M1 (K1 x)))) = packing pool x
  {-# INLINE gPack #-}
  gUnpack back =
    nested (OfType (symbolVal (Proxy :: Proxy name))) $
      unpacking >>= \x -> pure $! back (M1 (M1 (M1 (K1 x))))
  {-# INLINE gUnpack #-}
  gMayBeEmpty = askingNext (mayBeEmpty @a)
  {-# INLINE gMayBeEmpty #-}

-- The constructors of a type: none, one, or more. The 'String' is the name of the type.
class GBody (f :: Type -> Type) where
  gBodyPack :: Pool -> f p -> Builder
  gBodyUnpack :: String -> (f p -> a) -> Get a
  gBodyEmpty :: Int -> Int

instance GBody V1 where
  gBodyPack _ x = case x of {}
  {-# INLINE gBodyPack #-}
  gBodyUnpack name _ = invalid (name ++ " has no values")
  {-# INLINE gBodyUnpack #-}
  gBodyEmpty = \asks -> asks
  {-# INLINE gBodyEmpty #-}

instance (KnownSymbol (FieldNames c f), GFields f) => GBody (C1 c f) where
  gBodyPack pool x = gFieldsPack pool (unM1 x)
  {-# INLINE gBodyPack #-}
  gBodyUnpack name back =
    readFields
      (\parts -> OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) parts)
      (\r -> gFieldsUnpack r)
      (\x -> back (M1 x))
  {-# INLINE gBodyUnpack #-}
  gBodyEmpty = gFieldsEmpty @f
  {-# INLINE gBodyEmpty #-}

instance GTagged (KindOf (f :+: g)) (f :+: g) => GBody (f :+: g) where
  gBodyPack pool x = gTaggedPack @(KindOf (f :+: g)) pool x
  {-# INLINE gBodyPack #-}
  gBodyUnpack name back = gTaggedUnpack @(KindOf (f :+: g)) name back
  {-# INLINE gBodyUnpack #-}
  gBodyEmpty = \_ -> -1
  {-# INLINE gBodyEmpty #-}

-- The constructors of a sum, by the kind of the sum.
class GTagged (kind :: SumKind) (f :: Type -> Type) where
  gTaggedPack :: Pool -> f p -> Builder
  gTaggedUnpack :: String -> (f p -> a) -> Get a

instance GEnum f => GTagged 'Enumeration f where
  gTaggedPack pool x = putSymbol pool (gEnumCount @f) (gNumber 0 x)
  {-# INLINE gTaggedPack #-}
  gTaggedUnpack _ back =
    getSymbol (gEnumCount @f) >>= \i -> pure $! back (gNumbered 0 i)
  {-# INLINE gTaggedUnpack #-}

instance {-# OVERLAPPABLE #-} (GCount f, GSum f) => GTagged kind f where
  gTaggedPack pool x = gSumPack pool (gCount @f) 0 x
  {-# INLINE gTaggedPack #-}
  gTaggedUnpack name back = getSymbol (gCount @f) >>= gSumUnpack name back 0
  {-# INLINE gTaggedUnpack #-}

-- The constructors of a sum, or some of them.
class GSum (f :: Type -> Type) where
  gSumPack ::
    Pool ->
    -- How many constructors the whole sum has.
    Int ->
    -- The number of the first of these.
    Int ->
    f p ->
    Builder
  gSumUnpack ::
    -- The name of the type.
    String ->
    (f p -> a) ->
    -- The number of the first of these.
    Int ->
    -- The number that was read.
    Int ->
    Get a

instance (GCount f, GSum f, GSum g) => GSum (f :+: g) where
  gSumPack pool count i x = case x of
    L1 y -> gSumPack pool count i y
    R1 y -> gSumPack pool count (i + gCount @f) y
  {-# INLINE gSumPack #-}
  gSumUnpack name back i = \tag ->
    if tag < i + gCount @f
      then gSumUnpack name (\x -> back (L1 x)) i tag
      else gSumUnpack name (\x -> back (R1 x)) (i + gCount @f) tag
  {-# INLINE gSumUnpack #-}

instance
  (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) =>
  GSum (C1 ('MetaCons con fix rec) f)
  where
  gSumPack pool count i x = append (putSymbol pool count i) (gFieldsPack pool (unM1 x))
  {-# INLINE gSumPack #-}
  gSumUnpack name back _ = \_ ->
    readFields
      (ofConstructor @con @(FieldNames ('MetaCons con fix rec) f) name)
      (\r -> gFieldsUnpack r)
      (\x -> back (M1 x))
  {-# INLINE gSumUnpack #-}

-- The fields of a constructor.
class GFields (f :: Type -> Type) where
  gFieldsPack :: Pool -> f p -> Builder

  -- Add the fields before the others.
  gFieldsUnpack :: Reading b a -> Reading (f p -> b) a

  gFieldsEmpty :: Int -> Int

instance GFields U1 where
  gFieldsPack _ _ = empty
  {-# INLINE gFieldsPack #-}
  gFieldsUnpack rest = mapReading (\build -> build U1) rest
  {-# INLINE gFieldsUnpack #-}
  gFieldsEmpty = \asks -> asks
  {-# INLINE gFieldsEmpty #-}

instance Pack a => GFields (S1 c (K1 i a)) where
  gFieldsPack pool (M1 (K1 x)) = packing pool x
  {-# INLINE gFieldsPack #-}
  gFieldsUnpack rest = variableFirst unpacking (\x -> M1 (K1 x)) rest
  {-# INLINE gFieldsUnpack #-}
  gFieldsEmpty = askingNext (mayBeEmpty @a)
  {-# INLINE gFieldsEmpty #-}

instance (GFields f, GFields g) => GFields (f :*: g) where
  gFieldsPack pool (x :*: y) = append (gFieldsPack pool x) (gFieldsPack pool y)
  {-# INLINE gFieldsPack #-}
  gFieldsUnpack rest =
    mapReading (\build x y -> build (x :*: y)) (gFieldsUnpack (gFieldsUnpack rest))
  {-# INLINE gFieldsUnpack #-}
  gFieldsEmpty = \asks -> case gFieldsEmpty @f asks of
    -1 -> -1
    left -> gFieldsEmpty @g left
  {-# INLINE gFieldsEmpty #-}
