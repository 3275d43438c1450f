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
    genericSize,
    genericPut,
    genericGet,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layout
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Tag
import Ashlar.Internal.Codec.WriteFields
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Ashlar.Internal.Get.Refuse
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import GHC.Exts (Int (I#), Int#, andI#)
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)

-- Note [Generic methods]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Everything generic is gone after optimisation; an inspection test checks that. And it is gone
-- early: in the first phase of the simplifier, before GHC specialises. A call of a generic method
-- that is still there by then is copied for its types, and so is all that it calls. The copies
-- are optimised to the end, though all calls are unfolded meanwhile and nobody needs them. For a
-- sum of 50 constructors, four fifths of the time of compilation went there. It takes:
--
-- 1. INLINE on every method of the generic classes, with no phase, and so few arguments on the
--    left of each that it is always saturated.
-- 2. No pragma on the defaults of 'Codec'. They are so small that they are unfolded all the same.
--    GHC would hand the pragma on to the methods of all derived instances, and these would be
--    unfolded wherever they are used.
-- 3. Numbers that the compiler can compute where they stand. This phase does not push a case into
--    the branches of another, so what is known must be seen at once: sizes are added without a
--    branch ('Ashlar.Internal.Codec.Fixed.plusSize'), and the writer of fields knows their sizes
--    without their values ("Ashlar.Internal.Codec.WriteFields"). Where a function depends on a
--    size, the case is around the function, not in it.
-- 4. A type's own layout is not yet known in this phase, as it is a method of the same instance.
--    So whether all fields are of constant size is asked once more ('isConstant'): a case on the
--    layout alone would unfold the code for both answers.
-- 5. The constructors of a sum are read with a continuation, which puts together the whole value.
--    A result that is returned through the comparisons of the tag would be boxed once for each.
-- 6. The shape of the type alone answers whether it is an enumeration. To ask the fields for
--    their layouts would loop for a recursive type.
-- 7. The number of constructors is in a class of its own. Called at run time from within the
--    class of sums, it would keep all their dictionaries: 200 constructors compile ten times
--    slower.
-- 8. What is done for one constructor of a sum is applied to it only in phase 0 ('late'), after
--    'from', which is unfolded in phase 1 from GHC 9.2 on. As long as it is but a call, the
--    comparisons of the representation with itself, one within the other, are cheap to copy, and
--    cancel out. Otherwise the compiler makes join points of them, and at -O1 keeps the
--    representation to pass to them.
-- 9. At phase 0 it is too late for the rules that merge reservations. So the writer merges them
--    itself ("Ashlar.Internal.Codec.WriteFields").
-- 10. This module and those whose formats it uses are compiled with
--    @-fno-do-lambda-eta-expansion@. GHC (9.0.2, 9.6.6 and 9.10.3) would expand the unfoldings of
--    INLINE functions that make builders to functions of the builder's three arguments, and the
--    rules do not see a reservation inside a lambda. The inspection test "mixedFields" counts one
--    check more without it.
--
-- @scripts/compile-times@ measures what it costs, against other libraries, and the continuous
-- integration runs it with @--check@.

-- Its 'format' is that of the instance of 'Codec', which may be one of the library's.
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

-- | The format that the type would have without an instance of 'HasFormat', for such an
-- instance to refine.
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> :{
-- data Range = Range { low :: Int, high :: Int } deriving (Show, Generic, Codec)
-- instance HasFormat Range where
--   format = satisfying "an empty range" (\r -> low r <= high r) derivedFormat
--   {-# INLINE format #-}
-- :}
--
-- >>> either (print . errorReason) print (decode (encode (2 :: Int, 1 :: Int)) :: Either DecodeError Range)
-- Invalid "an empty range"
--
-- @since 0.1.0.0
derivedFormat :: (Generic a, GCodec (Rep a)) => Format a
derivedFormat = Format genericLayout genericSize genericPut genericGet
{-# INLINE derivedFormat #-}

-- | The derived layout.
genericLayout :: (Generic a, GCodec (Rep a)) => Layout a
genericLayout = gLayout from to
{-# INLINE genericLayout #-}

-- | The derived size.
genericSize :: (Generic a, GCodec (Rep a)) => a -> Int
genericSize = gSize genericLayout from
{-# INLINE genericSize #-}

-- | The derived writer.
genericPut :: (Generic a, GCodec (Rep a)) => a -> Builder
genericPut = gPut genericLayout genericLayout from
{-# INLINE genericPut #-}

-- | The derived reader.
genericGet :: (Generic a, GCodec (Rep a)) => Get a
genericGet = gGet genericLayout genericLayout to
{-# INLINE genericGet #-}

-- The derived layout by a call, for the case that is not expected.
derived :: (Generic a, GCodec (Rep a)) => Layout a
derived = genericLayout
{-# NOINLINE derived #-}

-- | What the methods of 'Codec' are for the representation of a type, given the ways there
-- and back. They are also given two layouts, that of the instance, and the derived one. If the
-- first is of constant size, its format is used: it is a part of the instance already, so there is
-- one copy of it. The reader forces its result.
class GCodec (f :: Type -> Type) where
  gLayout :: (a -> f p) -> (f p -> a) -> Layout a
  gSize :: Layout a -> (a -> f p) -> a -> Int
  gPut :: Layout a -> Layout a -> (a -> f p) -> a -> Builder
  gGet :: Layout a -> Layout a -> (f p -> a) -> Get a

instance (KnownSymbol name, GBody f) => GCodec (D1 ('MetaData name m pkg 'False) f) where
  gLayout there back = gBodyLayout (symbolVal (Proxy :: Proxy name)) (\x -> unM1 (there x)) (\x -> back (M1 x))
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

-- A newtype is what it wraps. That must be one level deeper, or
-- @newtype N = N N@ would be read without end; unless it is surely of another kind.
instance (KnownSymbol name, Codec a) => GCodec (D1 ('MetaData name m pkg 'True) (C1 c (S1 s (K1 i a)))) where
  gLayout there back = mappedLayout (\y -> case there y of M1 (M1 (M1 (K1 x))) -> x) (\x -> back (M1 (M1 (M1 (K1 x))))) layout
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

-- | The layout of a type that is another one, given the ways there and back. It may contain
-- itself: Note [Types that contain themselves].
mappedLayout :: (b -> a) -> (a -> b) -> Layout a -> Layout b
mappedLayout there back l = derivedLayout (widthOf l) (\_ -> fixedMap there back (formatIn l))
{-# INLINE mappedLayout #-}

-- The format in a layout, where it has one: who asks for it knows that.
formatIn :: Layout a -> Fixed a
formatIn l = case l of
  Fix f -> f
  Var n -> noFormat n
{-# INLINE formatIn #-}

noFormat :: Int -> Fixed a
noFormat n = fixedRaw n Nameless (\_ _ -> pure ()) (\_ -> invalid "no format")
{-# NOINLINE noFormat #-}

-- | The constructors of a type of this name: none, one, or several.
class GBody (f :: Type -> Type) where
  gBodyLayout :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gBodySize :: (a -> f p) -> a -> Int
  gBodyPut :: Fixed a -> String -> (a -> f p) -> a -> Builder
  gBodyGet :: Fixed a -> String -> (f p -> a) -> Get a

-- A type without constructors has no bytes, and no bytes are a value of it.
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
  gBodyLayout name there back = derivedLayout (\asks -> gWidth @f asks) $ \n ->
    fixedRaw
      n
      (OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) (partsOf @_ @(f () -> ()) (\r -> gRead r)))
      (\p x -> writeSpan (gWrite n unM1 noFields) (there x) p)
      (\p -> readSpan (\r -> gRead r) (\x -> back (M1 x)) p)
  {-# INLINE gBodyLayout #-}
  gBodySize there = gFieldsSize (\x -> unM1 (there x)) (\_ -> 0)
  {-# INLINE gBodySize #-}
  gBodyPut whole _ there = case isConstant (\asks -> gWidth @f asks) of
    1# -> putShared whole
    _ -> \x -> written (gWrite mostAtOnce unM1 noFields) (there x)
  {-# INLINE gBodyPut #-}
  gBodyGet whole name back = case isConstant (\asks -> gWidth @f asks) of
    1# -> getNamed whole
    _ -> readFields (\parts -> OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) parts) (\r -> gRead r) (\x -> back (M1 x))
  {-# INLINE gBodyGet #-}

instance GTagged (IsEnum (f :+: g)) (f :+: g) => GBody (f :+: g) where
  gBodyLayout name there back = gTagged @(IsEnum (f :+: g)) name there back
  {-# INLINE gBodyLayout #-}
  gBodySize there = gTaggedSize @(IsEnum (f :+: g)) there
  {-# INLINE gBodySize #-}
  gBodyPut whole name there = gTaggedPut @(IsEnum (f :+: g)) whole name there
  {-# INLINE gBodyPut #-}
  gBodyGet whole name back = gTaggedGet @(IsEnum (f :+: g)) whole name back
  {-# INLINE gBodyGet #-}

-- How many bytes are written with one check, at most: as many as the rules merge.
mostAtOnce :: Int
mostAtOnce = 256
{-# INLINE mostAtOnce #-}

-- | The fields of a constructor.
class GFields (f :: Type -> Type) where
  -- | What its layout asks ("Ashlar.Internal.Codec.Layout").
  gWidth :: Int# -> Width

  -- | Write the fields before others, with one check for no more than so many bytes.
  gWrite :: Rest rest => Int -> (s -> f p) -> Writing s rest -> Writing s rest

  -- | The size, added to another.
  gFieldsSize :: (s -> f p) -> (s -> Int) -> s -> Int

  -- | Read the fields before others.
  gRead :: Reading b a -> Reading (f p -> b) a

instance GFields U1 where
  gWidth asks = Width asks 1# 0#
  {-# INLINE gWidth #-}
  gWrite _ _ rest = rest
  {-# INLINE gWrite #-}
  gFieldsSize _ rest = rest
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build -> build U1) rest
  {-# INLINE gRead #-}

-- A field. What is read is forced.
instance Codec a => GFields (S1 c (K1 i a)) where
  gWidth asks = widthOf (layout :: Layout a) asks
  {-# INLINE gWidth #-}
  gWrite (I# most) part rest = case layoutPlain layout of
    Constant f -> constantBefore most f (\x -> unK1 (unM1 (part x))) rest
    Variable _ -> variableBefore (\x -> put (unK1 (unM1 (part x)))) rest
  {-# INLINE gWrite #-}
  gFieldsSize part rest = case layoutPlain (layout :: Layout a) of
    Constant f -> \x -> fixedSize f + rest x
    Variable _ -> \x -> size (unK1 (unM1 (part x))) + rest x
  {-# INLINE gFieldsSize #-}
  gRead rest = case layoutPlain layout of
    Constant f -> constantFirst f (\x -> M1 (K1 x)) rest
    Variable _ -> variableFirst get (\x -> M1 (K1 x)) rest
  {-# INLINE gRead #-}

instance (GFields f, GFields g) => GFields (f :*: g) where
  gWidth asks = case gWidth @f asks of
    Width asks' constant m -> case gWidth @g asks' of
      Width asks'' constant' n -> case plusSize (I# m) (I# n) of
        I# mn -> Width asks'' (constant `andI#` constant') mn
  {-# INLINE gWidth #-}
  gWrite most part rest =
    gWrite most (\x -> case part x of y :*: _ -> y) (gWrite most (\x -> case part x of _ :*: y -> y) rest)
  {-# INLINE gWrite #-}
  gFieldsSize part rest = gFieldsSize (\x -> case part x of y :*: _ -> y) (gFieldsSize (\x -> case part x of _ :*: y -> y) rest)
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build x y -> build (x :*: y)) (gRead (gRead rest))
  {-# INLINE gRead #-}

-- | The constructors of a sum, given the name of the type; the first of them has the
-- number that is given.
class GSum (f :: Type -> Type) where
  gSumSize :: Int -> f p -> Int
  gSumPut :: String -> Int -> Int -> f p -> Builder
  gSumGet :: String -> (f p -> a) -> Int -> Int -> Get a

instance (GSum f, GSum g, GCount f) => GSum (f :+: g) where
  gSumSize n x = case x of
    L1 y -> gSumSize n y
    R1 y -> gSumSize n y
  {-# INLINE gSumSize #-}
  gSumPut name count i x = case x of
    L1 y -> gSumPut name count i y
    R1 y -> gSumPut name count (i + gCount @f) y
  {-# INLINE gSumPut #-}
  gSumGet name k i = \tag ->
    if tag < i + gCount @f
      then gSumGet name (\x -> k (L1 x)) i tag
      else gSumGet name (\x -> k (R1 x)) (i + gCount @f) tag
  {-# INLINE gSumGet #-}

instance (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) => GSum (C1 ('MetaCons con fix rec) f) where
  gSumSize n x = late (gFieldsSize unM1 (\_ -> n)) x
  {-# INLINE gSumSize #-}
  gSumPut name count i x =
    late
      ( case mostAtOnce of
          I# most -> written (constantBefore most (tagFormat name count) (\_ -> i) (gWrite mostAtOnce unM1 noFields))
      )
      x
  {-# INLINE gSumPut #-}
  gSumGet name k _ = \_ ->
    readFields
      (\parts -> OfConstructor name (symbolVal (Proxy :: Proxy con)) (symbolVal (Proxy :: Proxy (FieldNames ('MetaCons con fix rec) f))) parts)
      (\r -> gRead r)
      (\x -> k (M1 x))
  {-# INLINE gSumGet #-}

-- Apply a function, in phase 0.
late :: (a -> b) -> a -> b
late f x = f x
{-# INLINE [0] late #-}

-- | A sum: an enumeration, whose constructors have no fields, or another one. (The
-- functions for the one must not be compiled for the other.)
class GTagged (enum :: Bool) (f :: Type -> Type) where
  gTagged :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gTaggedSize :: (a -> f p) -> a -> Int
  gTaggedPut :: Fixed a -> String -> (a -> f p) -> a -> Builder
  gTaggedGet :: Fixed a -> String -> (f p -> a) -> Get a

-- Nothing is asked of the fields: a sum may contain itself.
instance (GCount f, GSum f) => GTagged 'False f where
  gTagged name _ _ = variableLayout (fixedSize (tagFormat name (gCount @f)))
  {-# INLINE gTagged #-}
  gTaggedSize there = \x -> gSumSize (fixedSize (tagFormat "" (gCount @f))) (there x)
  {-# INLINE gTaggedSize #-}
  gTaggedPut _ name there = \x -> gSumPut name (gCount @f) 0 (there x)
  {-# INLINE gTaggedPut #-}
  gTaggedGet _ name back = getNamed (fixedNamed (OfType name) (tagFormat name (gCount @f))) >>= gSumGet name back 0
  {-# INLINE gTaggedGet #-}

instance (GCount f, GEnum f) => GTagged 'True f where
  gTagged name there back =
    Fix (fixedNamed (OfType name) (fixedMap (\x -> gNumber 0 (there x)) (\i -> back (gNumbered 0 i)) (tagFormat name (gCount @f))))
  {-# INLINE gTagged #-}
  gTaggedSize _ = \_ -> fixedSize (tagFormat "" (gCount @f))
  {-# INLINE gTaggedSize #-}
  gTaggedPut whole _ _ = putFixed whole
  {-# INLINE gTaggedPut #-}
  gTaggedGet whole _ _ = getNamed whole
  {-# INLINE gTaggedGet #-}
