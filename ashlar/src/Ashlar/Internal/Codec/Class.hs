{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
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
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Class
-- Description : The class of types with a binary format, and its derivation
--
-- Invariants:
--
-- [INV-C1] @length (encode x) == size x@.
-- [INV-C2] @decode (encode x) == Right x@, within the budgets (@defaultBudget@: 100,000
--   levels, 1,048,576 elements of no size), if the type calls @x@ valid.
-- [INV-C3] Decoding any bytes ends in time and memory proportional to their number and to
--   the budgets; but fractions of 'Integer's take up to the square of that in time, because
--   they are checked to be in lowest terms.
--
-- Note [The shape of the class]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Tried and dropped (GHC 9.0.2): one method that returns a sum of records with
-- size, put and get inside is perfect on flat types, but makes the instance of
-- a recursive type a loop breaker, and a tree decodes 20 times slower at -O1.
-- Sizes on the type level reject @Codec a => Codec (Pair a)@. With the layout
-- apart from the three functions, each of them is a recursive function of its
-- own, and the layout a value that is known when the instance is compiled.
module Ashlar.Internal.Codec.Class
  ( Codec (..),
    Layout (Fix, Var),
    leastSize,
    mappedLayout,
    GCodec (..),
    genericLayout,
    genericSize,
    genericPut,
    genericGet,
  )
where

import Ashlar.Internal.Builder.Core
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

-- | Types whose values have a binary format.
--
-- Derive it:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Shape = Circle Double | Rectangle Double Double deriving (Show, Generic, Codec)
-- >>> decode (encode (Rectangle 1 2)) :: Either DecodeError Shape
-- Right (Rectangle 1.0 2.0)
--
-- The derived format of a type with one constructor is its fields one after
-- the other. With several constructors, first comes the number of the constructor,
-- counted from 0 (one byte for up to 256, else two, least significant first), and then
-- its fields.
--
-- An instance written by hand must keep these laws: 'get' reads what 'put'
-- wrote, 'size' is the number of bytes that 'put' writes; and if 'layout' is
-- @'Fix' f@, then @'put' = 'putFixed' f@, @'get' = 'getFixed' f@ and
-- @'size' _ = 'fixedSize' f@. If it is @'Var' n@, no value takes fewer than n bytes. The
-- reader of a recursive type must go through 'Ashlar.Get.deeper' at each level, so that
-- no input makes it nest without end. ("Ashlar.Codec.Combinators" sees to all of this.)
--
-- @since 0.1.0.0
class Codec a where
  -- | 'Fix' if all values take the same number of bytes, else 'Var'. It must not
  -- ask for the layout of a type that contains this one, or it loops. Derived: a
  -- type with several constructors is 'Fix' only if none of them has fields.
  layout :: Layout a
  default layout :: (Generic a, GCodec (Rep a)) => Layout a
  layout = genericLayout

  -- | The exact number of bytes that 'put' writes.
  --
  -- 'Ashlar.Codec.encode' does not use it, so a wrong size never gives wrong bytes or a
  -- write out of bounds. But 'Ashlar.Codec.encodedSize' returns it, and with it the sizes
  -- of values that contain the value are wrong. @exactSize@ of "Ashlar.Codec.Laws" (in the
  -- package ashlar-laws) finds that out.
  size :: a -> Int
  default size :: (Generic a, GCodec (Rep a)) => a -> Int
  size = gSize layout from

  -- | Write a value.
  put :: a -> Builder
  default put :: (Generic a, GCodec (Rep a)) => a -> Builder
  put = gPut layout derived from

  -- | Read a value.
  get :: Get a
  default get :: (Generic a, GCodec (Rep a)) => Get a
  get = gGet layout derived to

-- Note [Generic methods]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Everything generic is gone after optimisation (an inspection test looks). And it is gone
-- early: in the first phase of the simplifier, before GHC specialises. A call of a generic
-- method that is still there by then is copied for its types, all that it calls is copied
-- too, and the copies are optimised to the end, though all calls are unfolded meanwhile and
-- nobody needs them. (A sum of 50 constructors with 4 fields took 21 s to compile, of which
-- 17 were for such copies, now 4, GHC 9.0.2.) It takes:
--

-- * INLINE on every method of the generic classes, with no phase, and so few arguments on

--   the left of each that it is always saturated.

-- * No pragma on the defaults of 'Codec'. They are so small that they are unfolded all the

--   same; GHC would hand the pragma on to the methods of all derived instances, and
--   these would be unfolded wherever they are used.

-- * Numbers that the compiler can compute where they stand. This phase does not push a

--   case into the branches of another, so what is known must be seen at once: sizes are added without
--   a branch ('Ashlar.Internal.Codec.Fixed.plusSize'), the writer of fields knows their sizes
--   without their values ("Ashlar.Internal.Codec.WriteFields"), and where a function depends on a size, the
--   case is around the function, not in it.

-- * A type's own layout is not yet known in this phase, as it is a method of the same

--   instance. So whether all fields are of constant size is asked once more ('isConstant'):
--   a case on the layout alone would unfold the code for both answers.

-- * The constructors of a sum are read with a continuation, which puts together

--   the whole value. A result that is returned through the comparisons of the
--   tag would be boxed once for each.

-- * "Is it an enumeration?" is answered by the shape of the type alone. To ask

--   the fields for their layouts would loop for a recursive type.

-- * The number of constructors is in a class of its own: called at run time

--   from within the class of sums, it keeps all their dictionaries, and 200
--   constructors take 46 s to compile.

-- * What is done for one constructor of a sum is applied to it only in phase 0 ('late'), after

--   'from' (which is unfolded in phase 1 from GHC 9.2 on). As long as it is but a
--   call, the comparisons of the representation with itself, one within the
--   other, are cheap to copy, and cancel out. Otherwise the compiler makes join
--   points of them, and at -O1 keeps the representation to pass to them.

-- * At phase 0 it is too late for the rules that merge reservations. So the writer

--   merges them itself ("Ashlar.Internal.Codec.WriteFields").

-- * This module and those whose formats it uses are compiled with

--   @-fno-do-lambda-eta-expansion@. GHC would expand the unfoldings of INLINE
--   functions that make builders to functions of the builder's three arguments
--   (9.0.2, 9.6.6 and 9.10.3 do), and a reservation inside a lambda is not seen by
--   the rules. The inspection test "mixedFields" counts one check more without it.
--
-- @scripts/compile-times@ measures what it costs, against other libraries, and the continuous
-- integration runs it with @--check@.

-- | The derived layout, for instances that write only some methods by hand.
--
-- @since 0.1.0.0
genericLayout :: (Generic a, GCodec (Rep a)) => Layout a
genericLayout = gLayout from to
{-# INLINE genericLayout #-}

-- | The derived size.
--
-- @since 0.1.0.0
genericSize :: (Generic a, GCodec (Rep a)) => a -> Int
genericSize = gSize genericLayout from
{-# INLINE genericSize #-}

-- | The derived writer.
--
-- @since 0.1.0.0
genericPut :: (Generic a, GCodec (Rep a)) => a -> Builder
genericPut = gPut genericLayout genericLayout from
{-# INLINE genericPut #-}

-- | The derived reader.
--
-- @since 0.1.0.0
genericGet :: (Generic a, GCodec (Rep a)) => Get a
genericGet = gGet genericLayout genericLayout to
{-# INLINE genericGet #-}

-- The derived layout by a call, for the case that is not expected.
derived :: (Generic a, GCodec (Rep a)) => Layout a
derived = genericLayout
{-# NOINLINE derived #-}

-- | What the methods of 'Codec' are for the representation of a type, given the ways there
-- and back. They are also given two layouts, that of the type, and the derived one. If the
-- first is of constant size, its format is used. It is a part of the instance as it is, so
-- there is one copy of it. (The two may differ: an instance may have a layout that was written by
-- hand, and derived methods.) The reader forces its result.
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
      (\p x -> writeRun (gWrite n unM1 noFields) (there x) p)
      (\p -> readRun (\r -> gRead r) (\x -> back (M1 x)) p)
  {-# INLINE gBodyLayout #-}
  gBodySize there = gFieldsSize (\x -> unM1 (there x)) (\_ -> 0)
  {-# INLINE gBodySize #-}
  gBodyPut format _ there = case isConstant (\asks -> gWidth @f asks) of
    1# -> putShared format
    _ -> \x -> written (gWrite mostAtOnce unM1 noFields) (there x)
  {-# INLINE gBodyPut #-}
  gBodyGet format name back = case isConstant (\asks -> gWidth @f asks) of
    1# -> getNamed format
    _ -> readFields (\parts -> OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) parts) (\r -> gRead r) (\x -> back (M1 x))
  {-# INLINE gBodyGet #-}

instance GTagged (IsEnum (f :+: g)) (f :+: g) => GBody (f :+: g) where
  gBodyLayout name there back = gTagged @(IsEnum (f :+: g)) name there back
  {-# INLINE gBodyLayout #-}
  gBodySize there = gTaggedSize @(IsEnum (f :+: g)) there
  {-# INLINE gBodySize #-}
  gBodyPut format name there = gTaggedPut @(IsEnum (f :+: g)) format name there
  {-# INLINE gBodyPut #-}
  gBodyGet format name back = gTaggedGet @(IsEnum (f :+: g)) format name back
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
  gTaggedPut format _ _ = putFixed format
  {-# INLINE gTaggedPut #-}
  gTaggedGet format _ _ = getNamed format
  {-# INLINE gTaggedGet #-}
