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
-- Module      : Ashlar.Codec.Class
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
module Ashlar.Codec.Class
  ( Codec (..),
    Layout (Fix, Var),
    leastSize,
    GCodec (..),
    genericLayout,
    genericSize,
    genericPut,
    genericGet,
  )
where

import Ashlar.Builder.Core
import Ashlar.Codec.Format
import Ashlar.Codec.Layout
import Ashlar.Codec.Reading
import Ashlar.Codec.Tag
import Ashlar.Codec.Writing
import Ashlar.Get.Core
import Ashlar.Get.Nested
import Ashlar.Get.Place
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
  size = sizeBy layout

  -- | Write a value.
  put :: a -> Builder
  default put :: (Generic a, GCodec (Rep a)) => a -> Builder
  put = putBy layout

  -- | Read a value.
  get :: Get a
  default get :: (Generic a, GCodec (Rep a)) => Get a
  get = getBy layout

-- Note [Generic methods]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Everything generic is gone after optimisation (an inspection test looks).
-- It takes:
--
-- * INLINE on every method of the generic classes, and none on the defaults of
--   'Codec': there it costs up to twice the compile time.
-- * The layout of a node as a value. Each product asks for its own: if it is
--   fixed, it is read with one check; if not, its halves ask for theirs.
-- * The constructors of a sum are read with a continuation, which puts together
--   the whole value. A result that is returned through the comparisons of the
--   tag would be boxed once for each.
-- * "Is it an enumeration?" is answered by the shape of the type alone. To ask
--   the fields for their layouts would loop for a recursive type.
-- * The number of constructors is in a class of its own: called at run time
--   from within the class of sums, it keeps all their dictionaries, and 200
--   constructors take 46 s to compile.
-- * What is done for one constructor of a sum is unfolded only in phase 0, after
--   'from' (which is unfolded in phase 1 from GHC 9.2 on). As long as it is but a
--   call, the comparisons of the representation with itself, one within the
--   other, are cheap to copy, and cancel out. Otherwise the compiler makes join
--   points of them, and at -O1 keeps the representation to pass to them.
-- * At phase 0 it is too late for the rules that merge reservations. So the writer
--   merges them itself: it carries the fixed writes that stand at its end until
--   something variable follows ('Pending').
-- * This module and those whose formats it uses are compiled with
--   @-fno-do-lambda-eta-expansion@. GHC would expand the unfoldings of INLINE
--   functions that make builders to functions of the builder's three arguments
--   (9.0.2, 9.6.6 and 9.10.3 do), and a reservation inside a lambda is not seen by
--   the rules. The inspection test "mixedFields" counts one check more without it.

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
genericSize = sizeBy genericLayout
{-# INLINE genericSize #-}

-- | The derived writer.
--
-- @since 0.1.0.0
genericPut :: (Generic a, GCodec (Rep a)) => a -> Builder
genericPut = putBy genericLayout
{-# INLINE genericPut #-}

-- | The derived reader.
--
-- @since 0.1.0.0
genericGet :: (Generic a, GCodec (Rep a)) => Get a
genericGet = getBy genericLayout
{-# INLINE genericGet #-}

-- The three functions of an instance with this layout. A type of constant size uses the
-- format that is in its layout, so there is one copy of that.

sizeBy :: (Generic a, GCodec (Rep a)) => Layout a -> a -> Int
sizeBy l x = case l of
  Fix f -> fixedSize f
  Var _ -> gSize (from x)
{-# INLINE sizeBy #-}

putBy :: (Generic a, GCodec (Rep a)) => Layout a -> a -> Builder
putBy l x = case l of
  Fix f -> putFixed f x
  Var _ -> gPut (from x)
{-# INLINE putBy #-}

getBy :: (Generic a, GCodec (Rep a)) => Layout a -> Get a
getBy l = case l of
  Fix f -> getNamed f
  Var _ -> gGet (\x -> to x)
{-# INLINE getBy #-}

-- | What the methods of 'Codec' are for the representation of a type. The layout is for the
-- type itself, given the ways there and back. The reader applies a function to what it has
-- read, and forces the result.
class GCodec (f :: Type -> Type) where
  gLayout :: (a -> f p) -> (f p -> a) -> Layout a
  gSize :: f p -> Int
  gPut :: f p -> Builder
  gGet :: (f p -> a) -> Get a

instance (KnownSymbol name, GBody f) => GCodec (D1 ('MetaData name m pkg 'False) f) where
  gLayout there back = gBodyLayout (symbolVal (Proxy :: Proxy name)) (\x -> unM1 (there x)) (\x -> back (M1 x))
  {-# INLINE gLayout #-}
  gSize (M1 x) = gBodySize x
  {-# INLINE gSize #-}
  gPut (M1 x) = gBodyPut (symbolVal (Proxy :: Proxy name)) x
  {-# INLINE gPut #-}
  gGet k = gBodyGet (symbolVal (Proxy :: Proxy name)) (\x -> k (M1 x))
  {-# INLINE gGet #-}

-- A newtype is what it wraps. That must be one level deeper, or
-- @newtype N = N N@ would be read without end; unless it is surely of another kind.
instance (KnownSymbol name, Codec a) => GCodec (D1 ('MetaData name m pkg 'True) (C1 c (S1 s (K1 i a)))) where
  gLayout there back = derivedLayout (widthOf (layout :: Layout a)) $ \n -> case layout of
    Fix f -> fixedMap (\y -> case there y of M1 (M1 (M1 (K1 x))) -> x) (\x -> back (M1 (M1 (M1 (K1 x))))) f
    -- Not asked for in this case.
    Var _ -> fixedRaw n Nameless (\_ _ -> pure ()) (\_ -> invalid "no format")
  {-# INLINE gLayout #-}
  gSize (M1 (M1 (M1 (K1 x)))) = size x
  {-# INLINE gSize #-}
  gPut (M1 (M1 (M1 (K1 x)))) = put x
  {-# INLINE gPut #-}
  gGet k
    | isDerived (layout :: Layout a) = nested (OfType (symbolVal (Proxy :: Proxy name))) wrapped
    | otherwise = wrapped
    where
      wrapped = get >>= \x -> pure $! k (M1 (M1 (M1 (K1 x))))
      {-# INLINE wrapped #-}
  {-# INLINE gGet #-}

-- | The constructors of a type of this name: none, one, or several.
class GBody (f :: Type -> Type) where
  gBodyLayout :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gBodySize :: f p -> Int
  gBodyPut :: String -> f p -> Builder
  gBodyGet :: String -> (f p -> a) -> Get a

-- A type without constructors has no bytes, and no bytes are a value of it.
instance GBody V1 where
  gBodyLayout _ _ _ = Var 0
  {-# INLINE gBodyLayout #-}
  gBodySize x = case x of {}
  {-# INLINE gBodySize #-}
  gBodyPut _ x = case x of {}
  {-# INLINE gBodyPut #-}
  gBodyGet name _ = invalid (name ++ " has no values")
  {-# INLINE gBodyGet #-}

instance (KnownSymbol (FieldNames c f), GFields f) => GBody (C1 c f) where
  gBodyLayout name there back = derivedLayout (\asks -> gWidth @f asks) $ \n ->
    fixedRaw
      n
      (OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) (partsOf @_ @(f () -> ()) (\r -> gRead r)))
      (\p x -> writeRun (gWrite n (unM1 (there x)) noFields) p)
      (\p -> readRun (\r -> gRead r) (\x -> back (M1 x)) p)
  {-# INLINE gBodyLayout #-}
  gBodySize (M1 x) = gFieldsSize 0 x
  {-# INLINE gBodySize #-}
  gBodyPut _ (M1 x) = written (gWrite mostAtOnce x noFields)
  {-# INLINE gBodyPut #-}
  gBodyGet name k = readFields (\parts -> OfConstructor name "" (symbolVal (Proxy :: Proxy (FieldNames c f))) parts) (\r -> gRead r) (\x -> k (M1 x))
  {-# INLINE gBodyGet #-}

instance GTagged (IsEnum (f :+: g)) (f :+: g) => GBody (f :+: g) where
  gBodyLayout name there back = gTagged @(IsEnum (f :+: g)) name there back
  {-# INLINE gBodyLayout #-}
  gBodySize x = gTaggedSize @(IsEnum (f :+: g)) x
  {-# INLINE gBodySize #-}
  gBodyPut name x = gTaggedPut @(IsEnum (f :+: g)) name x
  {-# INLINE gBodyPut #-}
  gBodyGet name k = gTaggedGet @(IsEnum (f :+: g)) name k
  {-# INLINE gBodyGet #-}

-- How many bytes are written with one check, at most: as many as the rules merge.
mostAtOnce :: Int
mostAtOnce = 256
{-# INLINE mostAtOnce #-}

-- | The fields of a constructor.
class GFields (f :: Type -> Type) where
  -- | What its layout asks ("Ashlar.Codec.Layout").
  gWidth :: Int# -> Width

  -- | Write the fields before others, with one check for no more than so many bytes.
  gWrite :: Rest rest => Int -> f p -> Writing rest -> Writing rest

  -- | The size, added to another.
  gFieldsSize :: Int -> f p -> Int

  -- | Read the fields before others.
  gRead :: Reading b a -> Reading (f p -> b) a

instance GFields U1 where
  gWidth asks = Width asks 1# 0#
  {-# INLINE gWidth #-}
  gWrite _ _ rest = rest
  {-# INLINE gWrite #-}
  gFieldsSize n _ = n
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build -> build U1) rest
  {-# INLINE gRead #-}

-- A field. What is read is forced.
instance Codec a => GFields (S1 c (K1 i a)) where
  gWidth asks = widthOf (layout :: Layout a) asks
  {-# INLINE gWidth #-}
  gWrite (I# most) (M1 (K1 x)) rest = case layoutPlain layout of
    Constant f -> constantBefore most f x rest
    Variable _ -> variableBefore (put x) rest
  {-# INLINE gWrite #-}
  gFieldsSize n (M1 (K1 x)) = case layoutPlain (layout :: Layout a) of
    Constant f -> n + fixedSize f
    Variable _ -> n + size x
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
  gWrite most (x :*: y) rest = gWrite most x (gWrite most y rest)
  {-# INLINE gWrite #-}
  gFieldsSize n (x :*: y) = gFieldsSize (gFieldsSize n x) y
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
  gSumGet name k i tag
    | tag < i + gCount @f = gSumGet name (\x -> k (L1 x)) i tag
    | otherwise = gSumGet name (\x -> k (R1 x)) (i + gCount @f) tag
  {-# INLINE gSumGet #-}

instance (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) => GSum (C1 ('MetaCons con fix rec) f) where
  gSumSize n (M1 x) = gFieldsSize n x
  {-# INLINE [0] gSumSize #-}
  gSumPut name count i (M1 x) = case mostAtOnce of
    I# most -> written (constantBefore most (tagFormat name count) i (gWrite mostAtOnce x noFields))
  {-# INLINE [0] gSumPut #-}
  gSumGet name k _ _ =
    readFields
      (\parts -> OfConstructor name (symbolVal (Proxy :: Proxy con)) (symbolVal (Proxy :: Proxy (FieldNames ('MetaCons con fix rec) f))) parts)
      (\r -> gRead r)
      (\x -> k (M1 x))
  {-# INLINE gSumGet #-}

-- | A sum: an enumeration, whose constructors have no fields, or another one. (The
-- functions for the one must not be compiled for the other.)
class GTagged (enum :: Bool) (f :: Type -> Type) where
  gTagged :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gTaggedSize :: f p -> Int
  gTaggedPut :: String -> f p -> Builder
  gTaggedGet :: String -> (f p -> a) -> Get a

-- Nothing is asked of the fields: a sum may contain itself.
instance (GCount f, GSum f) => GTagged 'False f where
  gTagged name _ _ = variableLayout (fixedSize (tagFormat name (gCount @f)))
  {-# INLINE gTagged #-}
  gTaggedSize x = gSumSize (fixedSize (tagFormat "" (gCount @f))) x
  {-# INLINE gTaggedSize #-}
  gTaggedPut name x = gSumPut name (gCount @f) 0 x
  {-# INLINE gTaggedPut #-}
  gTaggedGet name k = getNamed (fixedNamed (OfType name) (tagFormat name (gCount @f))) >>= gSumGet name k 0
  {-# INLINE gTaggedGet #-}

instance (GCount f, GEnum f) => GTagged 'True f where
  gTagged name there back = Fix (enumeration name there back)
  {-# INLINE gTagged #-}
  gTaggedSize _ = fixedSize (tagFormat "" (gCount @f))
  {-# INLINE gTaggedSize #-}
  gTaggedPut name x = putFixed (enumeration name id id) x
  {-# INLINE gTaggedPut #-}
  gTaggedGet name k = getNamed (enumeration name id id) >>= \x -> pure $! k x
  {-# INLINE gTaggedGet #-}

enumeration :: forall f p a. (GCount f, GEnum f) => String -> (a -> f p) -> (f p -> a) -> Fixed a
enumeration name there back =
  fixedNamed (OfType name) (fixedMap (\x -> gNumber 0 (there x)) (\i -> back (gNumbered 0 i)) (tagFormat name (gCount @f)))
{-# INLINE enumeration #-}
