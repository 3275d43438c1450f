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
-- Unfoldings must not be eta-expanded: Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
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
-- enumeration. So the program makes the representation of each value, and the rules of
-- Note [Generic methods] would only copy code. A large sum has instances of its own ('GLarge'):
--
-- 1. The reader puts a constructor into the sum without the types of the other constructors
--    ('Chosen'). Otherwise its code would repeat the types of all sums around it, and these were
--    most of what GHC had to simplify.
-- 2. Checks of input, of free space and of the level are calls ('readFieldsApart', 'Apart').
--    Inlined, they were half of the code of a constructor. The calls cost a few nanoseconds for
--    each value that is decoded.
-- 3. 'to' is called in one function ('fromChosen') that is not inlined. Otherwise GHC takes the
--    call for small and copies it, with its types, to all constructors.
--
-- The type checker counts the constructors to decide whether a sum is large. The depth of the tree
-- of constructors would not do: an instance of 'Generic' by hand need not be balanced.
--
-- Tried and dropped: a loop along a constant path that puts constructors into the sum (decoding is
-- a fifth slower), and a join point for each sum in the tree (GHC makes functions of these). Not
-- tried: one call that enters the level and demands the first span.
module Ashlar.Internal.Codec.Derive.Sums
  ( GTagged (..),
    GFields (..),
    mostAtOnce,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Outline (Outline, oneOf)
import qualified Ashlar.Internal.Codec.Outline as O
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Variant
  ( FieldNames,
    GEnum (..),
    KnownWidth (..),
    SumKind (..),
    ofConstructor,
    tagFormat,
  )
import Ashlar.Internal.Codec.WriteFields
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import GHC.Exts (Addr#, Int (I#), Int#, RealWorld, State#, andI#)
import GHC.Generics
import GHC.TypeLits (KnownSymbol)
import Unsafe.Coerce (unsafeCoerce)

-- | The constructors of a sum, or some of them.
class GSum (f :: Type -> Type) where
  -- | The number of constructors.
  gSumCount :: Int

  -- | Their outlines, before others.
  gSumOutlines :: [Outline] -> [Outline]

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
  gSumOutlines rest = gSumOutlines @f (gSumOutlines @g rest)
  {-# INLINE gSumOutlines #-}
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
  gSumOutlines rest = gOutline @f (O.Bytes 0) : rest
  {-# INLINE gSumOutlines #-}
  gSumSize n x = late (\y -> gFieldsSize (unM1 y) n) x
  {-# INLINE gSumSize #-}
  gSumPut i x = late (\y -> writeFields (tagBefore 1 i (gWrite mostAtOnce noFields)) (unM1 y)) x
  {-# INLINE gSumPut #-}
  gSumGet name k _ = \_ ->
    readFields
      (ofConstructor @con @(FieldNames ('MetaCons con fix rec) f) name)
      (\r -> gRead r)
      (\x -> k (M1 x))
  {-# INLINE gSumGet #-}

-- | The constructors of a large sum, or some of them: Note [Large sums].
class GLarge (f :: Type -> Type) where
  -- | The number of constructors.
  gLargeCount :: Int

  -- | Their outlines, before others.
  gLargeOutlines :: [Outline] -> [Outline]

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
    -- | Puts one of these constructors into the sum.
    (forall x. x () -> Chosen) ->
    -- | The tag of the first of these constructors.
    Int ->
    -- | The tag that was read.
    Int ->
    Get Chosen

instance (GLarge f, GLarge g) => GLarge (f :+: g) where
  gLargeCount = gLargeCount @f + gLargeCount @g
  {-# INLINE gLargeCount #-}
  gLargeOutlines rest = gLargeOutlines @f (gLargeOutlines @g rest)
  {-# INLINE gLargeOutlines #-}
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
  gLargeOutlines rest = gOutline @f (O.Bytes 0) : rest
  {-# INLINE gLargeOutlines #-}
  gLargeSize n x = gFieldsSize (unM1 x) n
  {-# INLINE gLargeSize #-}
  gLargePut width i x = writeFields (tagBefore width i (gWrite mostAtOnce noFields)) (unM1 x)
  {-# INLINE gLargePut #-}
  gLargeGet name k _ = \_ ->
    readFieldsApart
      (ofConstructor @con @(FieldNames ('MetaCons con fix rec) f) name)
      (\r -> gRead r)
      (\x -> k (x :: f ()))
  {-# INLINE gLargeGet #-}

-- | The representation of a sum without the types of the constructors that the value does not have.
-- 'U1' takes their place. In memory it is the representation that 'Generic' makes.
data Chosen = forall x. Chosen (x ())

leftHalf :: x () -> (x :+: U1) ()
leftHalf = L1
{-# INLINE leftHalf #-}

rightHalf :: x () -> (U1 :+: x) ()
rightHalf = R1
{-# INLINE rightHalf #-}

-- Read the representation of a sum, and convert it to the value.
--
-- The coercion is from @x ()@ to @f p@. In memory both are the same: 'L1' and 'R1' do not depend on
-- the other constructors, for which @x@ has 'U1', and 'M1' takes no memory.
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

-- | The constructors of a sum, by the kind of the sum. GHC compiles only the code for that kind.
-- The arguments are those of @GBody@ in "Ashlar.Internal.Codec.Derive".
class GTagged (kind :: SumKind) (f :: Type -> Type) where
  gTaggedLayout :: String -> (a -> f p) -> (f p -> a) -> Layout a
  gTaggedSize :: (a -> f p) -> a -> Int
  gTaggedPut :: Fixed a -> String -> (a -> f p) -> a -> Builder
  gTaggedGet :: Fixed a -> String -> (f p -> a) -> Get a

-- The layout of a sum, from the size of the tag and the outlines of the constructors.
sumLayout :: Int -> [Outline] -> Layout a
sumLayout width outlines = variableLayout width (oneOf width outlines)
{-# INLINE sumLayout #-}

-- The layout does not ask those of the fields: a sum may contain itself.
instance GSum f => GTagged 'Small f where
  gTaggedLayout name _ _ =
    sumLayout (fixedSize (tagFormat name (gSumCount @f))) (gSumOutlines @f [])
  {-# INLINE gTaggedLayout #-}
  gTaggedSize there = \x -> gSumSize (fixedSize (tagFormat "" (gSumCount @f))) (there x)
  {-# INLINE gTaggedSize #-}
  gTaggedPut _ _ there = \x -> gSumPut 0 (there x)
  {-# INLINE gTaggedPut #-}
  gTaggedGet _ name back =
    getNamed (fixedNamed (OfType name) (tagFormat name (gSumCount @f))) >>= gSumGet name back 0
  {-# INLINE gTaggedGet #-}

instance (GLarge f, KnownWidth width) => GTagged ('Large width) f where
  gTaggedLayout name _ _ =
    sumLayout (fixedSize (tagFormat name (gLargeCount @f))) (gLargeOutlines @f [])
  {-# INLINE gTaggedLayout #-}
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
  gTaggedLayout name there back =
    enumerated
      ( fixedNamed
          (OfType name)
          ( fixedMap
              (\x -> gNumber 0 (there x))
              (\i -> back (gNumbered 0 i))
              (tagFormat name (gEnumCount @f))
          )
      )
  {-# INLINE gTaggedLayout #-}
  gTaggedSize _ = \_ -> fixedSize (tagFormat "" (gEnumCount @f))
  {-# INLINE gTaggedSize #-}
  gTaggedPut fixedFormat _ _ = putFixed fixedFormat
  {-# INLINE gTaggedPut #-}
  gTaggedGet fixedFormat _ _ = getNamed fixedFormat
  {-# INLINE gTaggedGet #-}

-- | The most bytes written with one check. The rules that merge reservations have the same limit.
mostAtOnce :: Int
mostAtOnce = 256
{-# INLINE mostAtOnce #-}

-- | The fields of a constructor.
class GFields (f :: Type -> Type) where
  -- | The 'Width' of the fields, given how many more types may be asked.
  gWidth :: Int# -> Width

  -- | The outline of the fields, before that of others.
  gOutline :: Outline -> Outline

  -- | Add the fields before the others. One check covers n bytes at most.
  gWrite :: Output out => Int -> Writing out r -> Writing out (f p -> r)

  -- | The size, added to another.
  gFieldsSize :: f p -> Int -> Int

  -- | Add the fields before the others.
  gRead :: Reading b a -> Reading (f p -> b) a

instance GFields U1 where
  gWidth asks = Width asks 1# 0#
  {-# INLINE gWidth #-}
  gOutline rest = rest
  {-# INLINE gOutline #-}
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
  gOutline rest = fieldThen @a rest
  {-# INLINE gOutline #-}
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
  gOutline rest = gOutline @f (gOutline @g rest)
  {-# INLINE gOutline #-}
  gWrite most rest =
    mapWriting (\r x -> case x of y :*: z -> r y z) (gWrite most (gWrite most rest))
  {-# INLINE gWrite #-}
  gFieldsSize x n = case x of y :*: z -> gFieldsSize y (gFieldsSize z n)
  {-# INLINE gFieldsSize #-}
  gRead rest = mapReading (\build x y -> build (x :*: y)) (gRead (gRead rest))
  {-# INLINE gRead #-}
