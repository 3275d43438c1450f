{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Derive.Sums
-- Description : Constructors and their fields in derived formats
--
-- See Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
--
-- Note [Large sums]
-- ~~~~~~~~~~~~~~~~~
-- GHC does not unfold 'from' and 'to' of a type with more than 16 constructors, unless it is an
-- enumeration. So the representation of each value is made, and the rules of Note [Generic methods]
-- only copy code. A large sum has instances of its own ('GLarge'):
--
-- 1. A constructor is put into the sum without the types of the other constructors ('Chosen'). Else
--    its code would repeat the types of all sums around it, and these were most of what GHC had to
--    simplify.
-- 2. Checks of input, of free space and of the level are calls ('readFieldsApart', 'Apart'). Their
--    code was half of that of a constructor. Decoding takes a few nanoseconds more for each value.
-- 3. 'to' is called in one function ('fromChosen'). It is not a join point: GHC takes the call for
--    small and copies it, with its types, to all constructors.
--
-- Whether a sum is large depends on its number of constructors alone, computed by the type checker.
-- A tree of constructors need not be balanced: 'Generic' may be written by hand.
--
-- Tried and dropped: to put constructors into the sum by a loop along a constant path, which makes
-- decoding a fifth slower; and by a join point for each sum in the tree, of which GHC makes
-- functions. Also thought of: one call that enters the level and demands the first span.
module Ashlar.Internal.Codec.Derive.Sums
  ( GTagged (..),
    GFields (..),
    mostAtOnce,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Variant
  ( FieldNames,
    GEnum (..),
    KnownWidth (..),
    SumKind (..),
    tagFormat,
  )
import Ashlar.Internal.Codec.WriteFields
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import GHC.Exts (Addr#, Int (I#), Int#, RealWorld, State#, andI#)
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)
import Unsafe.Coerce (unsafeCoerce)

-- | The constructors of a sum, or some of them.
class GSum (f :: Type -> Type) where
  -- | The number of constructors.
  gSumCount :: Int

  gSumSize ::
    -- | The size of the tag.
    Int ->
    f p ->
    Int
  gSumPut ::
    -- | The tag of the first of these constructors.
    Int ->
    f p ->
    Builder
  gSumGet ::
    -- | The name of the type.
    String ->
    (f p -> a) ->
    -- | The tag of the first of these constructors.
    Int ->
    -- | The tag that was read.
    Int ->
    Get a

instance (GSum f, GSum g) => GSum (f :+: g) where
  gSumCount = gSumCount @f + gSumCount @g
  {-# INLINE gSumCount #-}
  gSumSize n x = case x of
    L1 y -> gSumSize n y
    R1 y -> gSumSize n y
  {-# INLINE gSumSize #-}
  gSumPut i x = case x of
    L1 y -> gSumPut i y
    R1 y -> gSumPut (i + gSumCount @f) y
  {-# INLINE gSumPut #-}
  gSumGet name k i = \tag ->
    if tag < i + gSumCount @f
      then gSumGet name (\x -> k (L1 x)) i tag
      else gSumGet name (\x -> k (R1 x)) (i + gSumCount @f) tag
  {-# INLINE gSumGet #-}

instance
  (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) =>
  GSum (C1 ('MetaCons con fix rec) f)
  where
  gSumCount = 1
  {-# INLINE gSumCount #-}
  gSumSize n x = late (\y -> gFieldsSize (unM1 y) n) x
  {-# INLINE gSumSize #-}
  gSumPut i x = late (\y -> written (tagBefore 1 i (gWrite mostAtOnce noFields)) (unM1 y)) x
  {-# INLINE gSumPut #-}
  gSumGet name k _ = \_ ->
    readFields
      ( \parts ->
          OfConstructor
            name
            (symbolVal (Proxy :: Proxy con))
            (symbolVal (Proxy :: Proxy (FieldNames ('MetaCons con fix rec) f)))
            parts
      )
      (\r -> gRead r)
      (\x -> k (M1 x))
  {-# INLINE gSumGet #-}

-- | The constructors of a large sum, or some of them: Note [Large sums].
class GLarge (f :: Type -> Type) where
  -- | The number of constructors.
  gLargeCount :: Int

  gLargeSize ::
    -- | The size of the tag.
    Int ->
    f p ->
    Int
  gLargePut ::
    -- | The size of the tag.
    Int ->
    -- | The tag of the first of these constructors.
    Int ->
    f p ->
    Apart
  gLargeGet ::
    -- | The name of the type.
    String ->
    -- | Puts one of them into the sum.
    (forall x. x () -> Chosen) ->
    -- | The tag of the first of these constructors.
    Int ->
    -- | The tag that was read.
    Int ->
    Get Chosen

instance (GLarge f, GLarge g) => GLarge (f :+: g) where
  gLargeCount = gLargeCount @f + gLargeCount @g
  {-# INLINE gLargeCount #-}
  gLargeSize n x = case x of
    L1 y -> gLargeSize n y
    R1 y -> gLargeSize n y
  {-# INLINE gLargeSize #-}
  gLargePut width i x = case x of
    L1 y -> gLargePut width i y
    R1 y -> gLargePut width (i + gLargeCount @f) y
  {-# INLINE gLargePut #-}
  gLargeGet name k i = \tag ->
    if tag < i + gLargeCount @f
      then gLargeGet @f name (\x -> k (leftHalf x)) i tag
      else gLargeGet @g name (\x -> k (rightHalf x)) (i + gLargeCount @f) tag
  {-# INLINE gLargeGet #-}

instance
  (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) =>
  GLarge (C1 ('MetaCons con fix rec) f)
  where
  gLargeCount = 1
  {-# INLINE gLargeCount #-}
  gLargeSize n x = gFieldsSize (unM1 x) n
  {-# INLINE gLargeSize #-}
  gLargePut width i x = written (tagBefore width i (gWrite mostAtOnce noFields)) (unM1 x)
  {-# INLINE gLargePut #-}
  gLargeGet name k _ = \_ ->
    readFieldsApart
      ( \parts ->
          OfConstructor
            name
            (symbolVal (Proxy :: Proxy con))
            (symbolVal (Proxy :: Proxy (FieldNames ('MetaCons con fix rec) f)))
            parts
      )
      (\r -> gRead r)
      (\x -> k (x :: f ()))
  {-# INLINE gLargeGet #-}

-- | A representation of the sum in which the halves that are not there have another type. At run
-- time there is no difference.
data Chosen = forall x. Chosen (x ())

leftHalf :: x () -> (x :+: U1) ()
leftHalf = L1
{-# INLINE leftHalf #-}

rightHalf :: x () -> (U1 :+: x) ()
rightHalf = R1
{-# INLINE rightHalf #-}

-- Read a constructor, and make the value of it.
fromChosen :: forall f p a. (f p -> a) -> Get Chosen -> Get a
fromChosen back (Get p) = Get $ \p0 c env s0 ->
  let made# :: Addr# -> State# RealWorld -> x () -> Result a
      made# p1 s x = case back (unsafeCoerce x) of !y -> (# s, p1, (# y | #) #)
      {-# NOINLINE made# #-}
   in case p p0 c env s0 of
        (# s1, p1, (# Chosen x | #) #) -> made# p1 s1 x
        (# s1, p1, (# | _ #) #) -> (# s1, p1, (# | (##) #) #)
{-# INLINE fromChosen #-}

-- Apply a function, in phase 0.
late :: (a -> b) -> a -> b
late f x = f x
{-# INLINE [0] late #-}

-- | A sum: an enumeration, whose constructors have no fields, or another, small or large. Instances
-- for each, so that the code for one is not compiled for the others.
class GTagged (kind :: SumKind) (f :: Type -> Type) where
  gTagged :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gTaggedSize :: (a -> f p) -> a -> Int
  gTaggedPut :: Fixed a -> String -> (a -> f p) -> a -> Builder
  gTaggedGet :: Fixed a -> String -> (f p -> a) -> Get a

-- Nothing is asked of the fields: a sum may contain itself.
instance GSum f => GTagged 'Small f where
  gTagged name _ _ = variableLayout (fixedSize (tagFormat name (gSumCount @f)))
  {-# INLINE gTagged #-}
  gTaggedSize there = \x -> gSumSize (fixedSize (tagFormat "" (gSumCount @f))) (there x)
  {-# INLINE gTaggedSize #-}
  gTaggedPut _ _ there = \x -> gSumPut 0 (there x)
  {-# INLINE gTaggedPut #-}
  gTaggedGet _ name back =
    getNamed (fixedNamed (OfType name) (tagFormat name (gSumCount @f))) >>= gSumGet name back 0
  {-# INLINE gTaggedGet #-}

instance (GLarge f, KnownWidth width) => GTagged ('Large width) f where
  gTagged name _ _ = variableLayout (fixedSize (tagFormat name (gLargeCount @f)))
  {-# INLINE gTagged #-}
  gTaggedSize there = \x -> gLargeSize (fixedSize (tagFormat "" (gLargeCount @f))) (there x)
  {-# INLINE gTaggedSize #-}
  gTaggedPut _ _ there = \x -> apart (gLargePut (tagWidth @width) 0 (there x))
  {-# INLINE gTaggedPut #-}
  gTaggedGet _ name back =
    fromChosen
      (\x -> back x)
      ( getNamed (fixedNamed (OfType name) (tagFormat name (gLargeCount @f)))
          >>= \tag -> gLargeGet @f name (\x -> Chosen x) 0 tag
      )
  {-# INLINE gTaggedGet #-}

instance GEnum f => GTagged 'Enumeration f where
  gTagged name there back =
    Fix
      ( fixedNamed
          (OfType name)
          ( fixedMap
              (\x -> gNumber 0 (there x))
              (\i -> back (gNumbered 0 i))
              (tagFormat name (gEnumCount @f))
          )
      )
  {-# INLINE gTagged #-}
  gTaggedSize _ = \_ -> fixedSize (tagFormat "" (gEnumCount @f))
  {-# INLINE gTaggedSize #-}
  gTaggedPut whole _ _ = putFixed whole
  {-# INLINE gTaggedPut #-}
  gTaggedGet whole _ _ = getNamed whole
  {-# INLINE gTaggedGet #-}

-- The fields of a constructor in derived formats.
--
-- See Note [Generic methods] in "Ashlar.Internal.Codec.Derive".

-- | The most bytes written with one check: as many as the rules merge.
mostAtOnce :: Int
mostAtOnce = 256
{-# INLINE mostAtOnce #-}

-- | The fields of a constructor.
class GFields (f :: Type -> Type) where
  -- | What the layout asks ("Ashlar.Internal.Codec.Class").
  gWidth :: Int# -> Width

  -- | Write the fields before others. One check covers n bytes at most.
  gWrite :: Rest rest => Int -> Writing rest r -> Writing rest (f p -> r)

  -- | The size, added to another.
  gFieldsSize :: f p -> Int -> Int

  -- | Read the fields before others.
  gRead :: Reading b a -> Reading (f p -> b) a

instance GFields U1 where
  gWidth asks = Width asks 1# 0#
  {-# INLINE gWidth #-}
  gWrite _ rest = mapWriting (\r _ -> r) rest
  {-# INLINE gWrite #-}
  gFieldsSize _ n = n
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build -> build U1) rest
  {-# INLINE gRead #-}

-- A field. Reading forces it.
instance Codec a => GFields (S1 c (K1 i a)) where
  gWidth asks = widthOf (layout :: Layout a) asks
  {-# INLINE gWidth #-}
  gWrite (I# most) rest = case layoutPlain layout of
    Constant f -> constantBefore most f (\x -> unK1 (unM1 x)) rest
    Variable _ -> variableBefore (\x -> put (unK1 (unM1 x))) rest
  {-# INLINE gWrite #-}
  gFieldsSize x n = case layoutPlain (layout :: Layout a) of
    Constant f -> fixedSize f + n
    Variable _ -> size (unK1 (unM1 x)) + n
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
  gWrite most rest =
    mapWriting (\r x -> case x of y :*: z -> r y z) (gWrite most (gWrite most rest))
  {-# INLINE gWrite #-}
  gFieldsSize x n = case x of y :*: z -> gFieldsSize y (gFieldsSize z n)
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build x y -> build (x :*: y)) (gRead (gRead rest))
  {-# INLINE gRead #-}
