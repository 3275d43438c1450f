{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE EmptyCase #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Derive
-- Description : The derived format of a type
module Ashlar.Internal.Codec.Derive
  ( GCodec (..),
    derivedFormat,
    mappedLayout,
    genericLayout,
    productLayout,
    genericSize,
    genericPut,
    genericGet,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive.Sums
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layouts
import qualified Ashlar.Internal.Codec.Outline as O
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Variant (FieldNames, KindOf)
import Ashlar.Internal.Codec.WriteFields
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)

-- Note [Generic methods]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Optimisation removes everything generic. An inspection test checks that. It must happen early: in
-- the first phase of the simplifier, before GHC specialises. The specialiser copies each generic
-- call that is left by then, and all that it calls, and optimises the copies to the end, though
-- nothing will use them. They would take most of the time of compiling a large sum. The rules:
--
-- 1. Every method of the generic classes is INLINE, without a phase, and has so few arguments on
--    the left that every call is saturated.
-- 2. The defaults of 'Codec' have no pragma. They are small enough to be unfolded without one. GHC
--    would pass a pragma on to the methods of all derived instances, and unfold these wherever
--    they are used.
-- 3. The compiler can compute all sizes on the spot. This phase does not push a case into the
--    branches of another, so each case must see a known value at once. Sizes are added without a
--    branch ('Ashlar.Internal.Codec.Fixed.plusSize'). The writer of fields knows their sizes
--    without their values ("Ashlar.Internal.Codec.WriteFields"). Where a function depends on a
--    size, the case is around the function, not in it.
-- 4. A type's own layout is not yet known in this phase, because it is a method of the same
--    instance. A case on it alone would unfold the code for both answers. So 'isConstant' computes
--    once more whether all fields have constant size.
-- 5. The constructors of a sum are read with a continuation that builds the whole value. A result
--    returned through the comparisons of the tag would be boxed at each of them.
-- 6. The shape of the type alone says whether it is an enumeration. Asking the fields for their
--    layouts would loop on a recursive type.
-- 7. The number of constructors is a method of the class of sums. In a class of its own, the type
--    checker would go through the sum once more for each method of 'Codec', which takes longer than
--    anything else it does. No call of it may be left when the program runs: that would keep all
--    dictionaries of the class, and a large sum would compile many times slower.
-- 8. The function for a constructor of a sum is applied to it only in phase 0 ('late'), after
--    'from', which GHC 9.2 and later unfold in phase 1. While the application is only a call, the
--    nested comparisons of the representation with itself are cheap to copy, and cancel out.
--    Otherwise the compiler makes join points of them, and at -O1 keeps the representation to pass
--    it to them.
-- 9. Phase 0 is too late for the rules that merge reservations. So the writer merges them itself
--    ("Ashlar.Internal.Codec.WriteFields").
-- 10. This module, and those whose formats it uses, are compiled with
--    @-fno-do-lambda-eta-expansion@. Otherwise GHC (9.0.2, 9.6.6 and 9.10.3) expands the unfoldings
--    of INLINE functions that make builders to functions of the builder's three arguments, and
--    rules do not see a reservation inside a lambda. Without the flag, the inspection test
--    "mixedFields" counts one check more.
-- 11. The writer and the size match each product once, and pass its parts on as arguments. A
--    projection for each field would repeat the matches, and their types, for each.
--
-- An instance of 'HasFormat' can be ignored in silence ("Ashlar.Internal.Codec.Class"). Two ways
-- against that were tried and dropped (GHC 9.0.2). The first: no overlappable instance, so users
-- derive 'HasFormat' beside 'Codec'. Both classes then have a copy of each generic method. Records
-- of 4 fields take 2.6 times as long to compile, a sum of 50 constructors twice. The second: the
-- same, where the derived 'format' holds the evidence for 'Rep', and 'HasFormat' has no other
-- method. Each type then keeps the dictionaries of the generic classes, and GHC specialises them
-- all: it allocates 6.3 times as much for these records, 4.4 times for the sum.
--
-- Not built: an empty class that users derive beside 'Codec', and that the overlappable instance
-- demands. It would have to stand beside each type, and @deriving newtype@ would still ignore
-- instances.
--
-- @scripts/compile-times@ compares compile times with other libraries. Continuous integration runs
-- it with @--check@.

-- 'format' consists of the methods of 'Codec', because the library's instances define their own.
instance {-# OVERLAPPABLE #-} (Generic a, GCodec (Rep a), Codec a) => HasFormat a where
  format = codec
  {-# INLINE format #-}
  ownLayout = genericLayout
  {-# INLINE ownLayout #-}
  ownSize own = gSize own from
  {-# INLINE ownSize #-}
  ownPut own = gPut own derived from
  {-# INLINE ownPut #-}
  ownGet own = gGet own derived to
  {-# INLINE ownGet #-}

-- | The format that the type would have without an instance of 'HasFormat'. Such an instance can
-- refine it.
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> :{
-- data Range = Range { low :: Int, high :: Int } deriving (Show, Generic, Codec)
-- instance HasFormat Range where
--   format = satisfying "an empty range" (\r -> low r <= high r) derivedFormat
--   {-# INLINE format #-}
-- :}
--
-- >>> let range = decode (encode (2 :: Int, 1 :: Int)) :: Either DecodeError Range
-- >>> either (print . errorReason) print range
-- Invalid "an empty range"
derivedFormat :: (Generic a, GCodec (Rep a)) => Format a
derivedFormat =
  Format
    genericLayout
    (gSize genericLayout from)
    (gPut genericLayout genericLayout from)
    (gGet genericLayout genericLayout to)
{-# INLINE derivedFormat #-}

-- | The derived layout.
genericLayout :: (Generic a, GCodec (Rep a)) => Layout a
genericLayout = gLayout from to
{-# INLINE genericLayout #-}

-- | The derived layout of a type with one constructor. The argument is the same layout by a call,
-- so that GHC unfolds it once: whether the size is constant is known, and the format is shared.
productLayout :: forall a. GFields (FieldsOf (Rep a)) => Layout a -> Layout a
productLayout later =
  derivedLayout
    (\asks -> gWidth @(FieldsOf (Rep a)) asks)
    (\_ -> formatIn later)
    (fromMaybe (O.Bytes 0) (layoutOutline later))
{-# INLINE productLayout #-}

type family FieldsOf (f :: Type -> Type) :: Type -> Type where
  FieldsOf (D1 m (C1 c f)) = f

-- Derived methods for the instances of the library that define each method, to make it INLINEABLE,
-- given the layout of the instance.

-- | The derived size.
genericSize :: (Generic a, GCodec (Rep a)) => Layout a -> a -> Int
genericSize own = gSize own from
{-# INLINE genericSize #-}

-- | The derived writer.
genericPut :: (Generic a, GCodec (Rep a)) => Layout a -> a -> Builder
genericPut own = gPut own derived from
{-# INLINE genericPut #-}

-- | The derived reader.
genericGet :: (Generic a, GCodec (Rep a)) => Layout a -> Get a
genericGet own = gGet own derived to
{-# INLINE genericGet #-}

-- Never evaluated. Stands for the layout in branches that cannot run, where the instance has
-- variable size though all fields are constant. NOINLINE keeps them small.
derived :: (Generic a, GCodec (Rep a)) => Layout a
derived = genericLayout
{-# NOINLINE derived #-}

-- | The methods of 'Codec' for the representation of a type. The functions convert a value to its
-- representation and back. The first layout is that of the instance, the second is @derived@. If
-- the first has constant size, its format is used: the instance contains it already, so there is
-- only one copy.
class GCodec (f :: Type -> Type) where
  gLayout :: (a -> f p) -> (f p -> a) -> Layout a
  gSize :: Layout a -> (a -> f p) -> a -> Int
  gPut :: Layout a -> Layout a -> (a -> f p) -> a -> Builder

  -- | Forces its result.
  gGet :: Layout a -> Layout a -> (f p -> a) -> Get a

instance (KnownSymbol name, GBody f) => GCodec (D1 ('MetaData name m pkg 'False) f) where
  gLayout there back =
    gBodyLayout (symbolVal (Proxy :: Proxy name)) (\x -> unM1 (there x)) (\x -> back (M1 x))
  {-# INLINE gLayout #-}
  gSize own there = case own of
    Fix f -> \_ -> fixedSize f
    Var _ -> gBodySize (\x -> unM1 (there x))
  {-# INLINE gSize #-}
  gPut own other there = case own of
    Fix f -> putShared f
    Var _ -> gBodyPut (formatIn other) (symbolVal (Proxy :: Proxy name)) (\x -> unM1 (there x))
  {-# INLINE gPut #-}
  gGet own other back = case own of
    Fix f -> getNamed f
    Var _ -> gBodyGet (formatIn other) (symbolVal (Proxy :: Proxy name)) (\x -> back (M1 x))
  {-# INLINE gGet #-}

-- A newtype has the format of what it wraps. It counts as a level if that format is derived.
-- Otherwise reading @newtype N = N N@ would not end.
instance
  (KnownSymbol name, Codec a) =>
  GCodec (D1 ('MetaData name m pkg 'True) (C1 c (S1 s (K1 i a))))
  where
  gLayout there back =
    mappedLayout
      (\y -> case there y of M1 (M1 (M1 (K1 x))) -> x)
      (\x -> back (M1 (M1 (M1 (K1 x)))))
  {-# INLINE gLayout #-}
  gSize own there = case own of
    Fix f -> \_ -> fixedSize f
    Var _ -> \y -> case there y of M1 (M1 (M1 (K1 x))) -> size x
  {-# INLINE gSize #-}
  gPut own _ there = case own of
    Fix f -> putFixed f
    Var _ -> \y -> case there y of M1 (M1 (M1 (K1 x))) -> put x
  {-# INLINE gPut #-}
  gGet own _ back = case own of
    Fix f -> getNamed f
    Var _
      | isDerived (layout :: Layout a) -> nested (OfType (symbolVal (Proxy :: Proxy name))) wrapped
      | otherwise -> wrapped
    where
      wrapped = get >>= \x -> pure $! back (M1 (M1 (M1 (K1 x))))
      {-# INLINE wrapped #-}
  {-# INLINE gGet #-}

-- | The layout of a type that has the format of another one. The type may contain itself:
-- Note [Types that contain themselves].
mappedLayout :: forall a b. Codec a => (b -> a) -> (a -> b) -> Layout b
mappedLayout there back =
  derivedLayout
    (widthOf (layout @a))
    (\_ -> fixedMap there back (formatIn layout))
    (fieldThen @a (O.Bytes 0))
{-# INLINE mappedLayout #-}

-- The format of a layout that the caller knows to be 'Fix'.
formatIn :: Layout a -> Fixed a
formatIn l = case l of
  Fix f -> f
  Var n -> noFormat n
{-# INLINE formatIn #-}

noFormat :: Int -> Fixed a
noFormat n = fixedRaw n Nameless (\_ _ -> pure ()) (\_ -> invalid "no format")
{-# NOINLINE noFormat #-}

-- | The constructors of a type: none, one, or more. The 'String' is the name of the type, the
-- 'Fixed' its derived format if that has constant size.
class GBody (f :: Type -> Type) where
  gBodyLayout :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gBodySize :: (a -> f p) -> a -> Int
  gBodyPut :: Fixed a -> String -> (a -> f p) -> a -> Builder
  gBodyGet :: Fixed a -> String -> (f p -> a) -> Get a

-- A type without constructors has no values, so no bytes decode to one.
instance GBody V1 where
  gBodyLayout _ _ _ = Var 0
  {-# INLINE gBodyLayout #-}
  gBodySize there = \x -> case there x of {}
  {-# INLINE gBodySize #-}
  gBodyPut _ _ there = \x -> case there x of {}
  {-# INLINE gBodyPut #-}
  gBodyGet _ name _ = invalid (name ++ " has no values")
  {-# INLINE gBodyGet #-}

instance (KnownSymbol (FieldNames c f), GFields f) => GBody (C1 c f) where
  gBodyLayout name there back = derivedLayout (\asks -> gWidth @f asks) formatOf outline
    where
      formatOf n =
        fixedRaw
          n
          ( OfConstructor
              name
              ""
              (symbolVal (Proxy :: Proxy (FieldNames c f)))
              (partsOf @_ @(f () -> ()) (\r -> gRead r))
          )
          (\p x -> writeSpan (gWrite n noFields) (unM1 (there x)) p)
          (\p -> readSpan (\r -> gRead r) (\x -> back (M1 x)) p)
      {-# INLINE formatOf #-}
      outline = gOutline @f (O.Bytes 0)
      {-# INLINE outline #-}
  {-# INLINE gBodyLayout #-}
  gBodySize there = \x -> gFieldsSize (unM1 (there x)) 0
  {-# INLINE gBodySize #-}
  gBodyPut fixedFormat _ there = case isConstant (\asks -> gWidth @f asks) of
    1# -> putShared fixedFormat
    _ -> \x -> writeFields (gWrite mostAtOnce noFields) (unM1 (there x)) :: Builder
  {-# INLINE gBodyPut #-}
  gBodyGet fixedFormat name back = case isConstant (\asks -> gWidth @f asks) of
    1# -> getNamed fixedFormat
    _ ->
      readFields
        (\parts -> OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) parts)
        (\r -> gRead r)
        (\x -> back (M1 x))
  {-# INLINE gBodyGet #-}

instance GTagged (KindOf (f :+: g)) (f :+: g) => GBody (f :+: g) where
  gBodyLayout name there back = gTaggedLayout @(KindOf (f :+: g)) name there back
  {-# INLINE gBodyLayout #-}
  gBodySize there = gTaggedSize @(KindOf (f :+: g)) there
  {-# INLINE gBodySize #-}
  gBodyPut fixedFormat name there = gTaggedPut @(KindOf (f :+: g)) fixedFormat name there
  {-# INLINE gBodyPut #-}
  gBodyGet fixedFormat name back = gTaggedGet @(KindOf (f :+: g)) fixedFormat name back
  {-# INLINE gBodyGet #-}
