{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ConstraintKinds #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Generic
-- Description : The derivation that binary and cereal share
--
-- Both libraries derive the same bytes: the number of the constructor if there are several, then
-- the fields. Only the class of the fields differs, and is a parameter here.
--
-- Note [Levels of derived decoders]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- With a recursive type, each byte of input may cost a frame of the stack. So a derived decoder
-- counts as a level ('deeper'). So does the decoder of a container, because a newtype may have the
-- instance of a container (@newtype Rose = Rose [Rose] deriving newtype Binary@).
--
-- Numbers, and types made only of numbers, need no level ('isFlatPart'). There the check would cost
-- more than the reading, and would stand between fields that share one check of the bytes left.
-- 'Maybe' and other types with parameters are never flat, even if their parameters are: for
-- @newtype N = N (Maybe N)@ the check would not terminate.
--
-- (Tests "nested values", and those whose names begin with "nested newtypes".)
module Ashlar.Internal.Compat.Generic
  ( -- * Fields
    Part (..),
    PartsOf,

    -- * Derivation
    GPut (..),
    GGet (..),
    levelled,
  )
where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Sum
import Ashlar.Internal.Get.Budget (deeper)
import Ashlar.Internal.Get.Core
import Data.Kind (Constraint, Type)
import GHC.Generics
import GHC.TypeLits (Nat, type (+), type (<=?))

-- | Types of fields, as the class @c@ writes and reads them.
class Part (c :: Type -> Constraint) a where
  -- | Write a field.
  putPart :: a -> Put

  -- | Read a field.
  getPart :: Get a

  -- | Is it known that the type does not contain itself?
  isFlatPart :: Bool

-- | The class @c@, with calls of the methods of fields: only code for numbers is unfolded where it
-- is used.
--
-- Note [Fields that are called]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Derived methods are unfolded wherever they are used, which is fastest. But in nested types with
-- many fields or constructors, the unfolded code grows without bound, and with it the time of the
-- compiler. So types of more than eight fields call the methods of those fields that are not
-- numbers. GHC unfolds every other call, even of an argument of 'GHC.Exts.noinline', but not a call
-- of a dictionary's method in a function that is out of line. (@scripts/compile-times --check@,
-- shape "nested".)
class Part c a => Called c a

instance Part c a => Called c a

instance Part c a => Part (Called c) a where
  putPart x = if isFlatPart @c @a then putPart @c x else calledPut @c x
  {-# INLINE putPart #-}
  getPart = if isFlatPart @c @a then getPart @c else calledGet @c
  {-# INLINE getPart #-}
  isFlatPart = isFlatPart @c @a
  {-# INLINE isFlatPart #-}

calledPut :: forall c a. Part c a => a -> Put
calledPut = putPart @c
{-# NOINLINE calledPut #-}

calledGet :: forall c a. Part c a => Get a
calledGet = getPart @c
{-# NOINLINE calledGet #-}

-- | The class @c@ for the fields of a type, or 'Called' if there are many.
type family PartsOf (c :: Type -> Constraint) (f :: Type -> Type) :: Type -> Constraint where
  PartsOf c f = Unfolded (FieldCount f <=? 8) c

type family Unfolded (few :: Bool) (c :: Type -> Constraint) :: Type -> Constraint where
  Unfolded 'True c = c
  Unfolded 'False c = Called c

-- The number of fields of all constructors.
type family FieldCount (f :: Type -> Type) :: Nat where
  FieldCount V1 = 0
  FieldCount U1 = 0
  FieldCount (K1 i a) = 1
  FieldCount (M1 i m f) = FieldCount f
  FieldCount (f :*: g) = FieldCount f + FieldCount g
  FieldCount (f :+: g) = FieldCount f + FieldCount g

-- | Types of "GHC.Generics" that can be written, given the class of their fields.
class GPut (c :: Type -> Constraint) f where
  -- | Write a value.
  putGeneric :: f t -> Put

-- | Types of "GHC.Generics" that can be read, given the class of their fields.
class GGet (c :: Type -> Constraint) f where
  -- | Read a value.
  getGeneric :: Get (f t)

  -- | See Note [Levels of derived decoders].
  isFlatGeneric :: Bool

-- | Run a decoder one level deeper, unless the type is flat. (A function, so that GHC does not copy
-- the decoder before it knows whether the type is flat.)
levelled ::
  -- | Is the type flat?
  Bool ->
  Get a ->
  Get a
levelled flat g = if flat then g else deeper g
{-# INLINE levelled #-}

instance GPut c V1 where
  putGeneric _ = pure ()
  {-# INLINE putGeneric #-}

-- | Reading fails.
instance GGet c V1 where
  getGeneric = invalid "a type without values"
  {-# INLINE getGeneric #-}
  isFlatGeneric = False
  {-# INLINE isFlatGeneric #-}

instance GPut c U1 where
  putGeneric _ = pure ()
  {-# INLINE putGeneric #-}

instance GGet c U1 where
  getGeneric = pure U1
  {-# INLINE getGeneric #-}
  isFlatGeneric = True
  {-# INLINE isFlatGeneric #-}

instance (GPut c f, GPut c g) => GPut c (f :*: g) where
  putGeneric (x :*: y) = putGeneric @c x *> putGeneric @c y
  {-# INLINE putGeneric #-}

instance (GGet c f, GGet c g) => GGet c (f :*: g) where
  getGeneric = (:*:) <$> getGeneric @c <*> getGeneric @c
  {-# INLINE getGeneric #-}
  isFlatGeneric = isFlatGeneric @c @f && isFlatGeneric @c @g
  {-# INLINE isFlatGeneric #-}

instance GPut c f => GPut c (M1 i m f) where
  putGeneric (M1 x) = putGeneric @c x
  {-# INLINE putGeneric #-}

instance GGet c f => GGet c (M1 i m f) where
  getGeneric = M1 <$> getGeneric @c
  {-# INLINE getGeneric #-}
  isFlatGeneric = isFlatGeneric @c @f
  {-# INLINE isFlatGeneric #-}

instance Part c a => GPut c (K1 i a) where
  putGeneric (K1 x) = putPart @c x
  {-# INLINE putGeneric #-}

instance Part c a => GGet c (K1 i a) where
  getGeneric = K1 <$> getPart @c
  {-# INLINE getGeneric #-}
  isFlatGeneric = isFlatPart @c @a
  {-# INLINE isFlatGeneric #-}

instance GSumPut (WayOf (f :+: g)) c (f :+: g) => GPut c (f :+: g) where
  putGeneric = putSum @(WayOf (f :+: g)) @c
  {-# INLINE putGeneric #-}

instance GSumGet (WayOf (f :+: g)) c (f :+: g) => GGet c (f :+: g) where
  getGeneric = getSum @(WayOf (f :+: g)) @c
  {-# INLINE getGeneric #-}
  isFlatGeneric = isFlatSum @(WayOf (f :+: g)) @c @(f :+: g)
  {-# INLINE isFlatGeneric #-}

-- | How the code of a sum is made.
--
-- Note [Sums of many constructors]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Code of its own for each constructor runs fastest, but takes time to compile for each. So only
-- sums of few constructors have such code. For the others there is a tree of functions, which are
-- out of line, and a run walks along the tree, as in @binary@. (Methods without a pragma would be
-- specialised for each constructor.)
data Way = Few | Many

type family WayOf (f :: Type -> Type) :: Way where
  WayOf f = Choose (SumArity f <=? 16)

type family Choose (few :: Bool) :: Way where
  Choose 'True = 'Few
  Choose 'False = 'Many

-- | Sums that can be written.
class GSumPut (w :: Way) (c :: Type -> Constraint) (f :: Type -> Type) where
  putSum :: f t -> Put

-- | Sums that can be read.
class GSumGet (w :: Way) (c :: Type -> Constraint) (f :: Type -> Type) where
  getSum :: Get (f t)
  isFlatSum :: Bool

instance (GCount f, GFewPut c f) => GSumPut 'Few c f where
  putSum x = putFew @c (gCount @f) 0 x
  {-# INLINE putSum #-}

instance (GCount f, GFewGet c f) => GSumGet 'Few c f where
  getSum = getTag (gCount @f) >>= \i -> getFew @c i id
  {-# INLINE getSum #-}
  isFlatSum = isFlatFew @c @f
  {-# INLINE isFlatSum #-}

class GFewPut (c :: Type -> Constraint) (f :: Type -> Type) where
  putFew ::
    -- The number of all constructors.
    Int ->
    -- The number of the first one here.
    Int ->
    f t ->
    Put

instance (GFewPut c f, GFewPut c g, GCount f) => GFewPut c (f :+: g) where
  putFew count i x = case x of
    L1 y -> putFew @c count i y
    R1 y -> putFew @c count (i + gCount @f) y
  {-# INLINE putFew #-}

instance GPut c f => GFewPut c (C1 m f) where
  putFew count i (M1 x) = putBuilder (tag count i) *> putGeneric @c x
  {-# INLINE putFew #-}

class GFewGet (c :: Type -> Constraint) (f :: Type -> Type) where
  getFew ::
    -- The number of the constructor. The first one here has 0.
    Int ->
    -- Applied to the value. One such function takes less time to compile than a constructor at each
    -- level.
    (f t -> a) ->
    Get a
  isFlatFew :: Bool

instance (GFewGet c f, GFewGet c g, GCount f) => GFewGet c (f :+: g) where
  getFew i inside
    | i < gCount @f = getFew @c i (\x -> inside (L1 x))
    | otherwise = getFew @c (i - gCount @f) (\x -> inside (R1 x))
  {-# INLINE getFew #-}
  isFlatFew = isFlatFew @c @f && isFlatFew @c @g
  {-# INLINE isFlatFew #-}

instance GGet c f => GFewGet c (C1 m f) where
  getFew _ inside = (\x -> inside (M1 x)) <$> getGeneric @c
  {-# INLINE getFew #-}
  isFlatFew = isFlatGeneric @c @f
  {-# INLINE isFlatFew #-}

instance GManyPut c f => GSumPut 'Many c f where
  putSum = putByTree (putTree @c)
  {-# INLINE putSum #-}

instance GManyGet c f => GSumGet 'Many c f where
  getSum = getByTree (getTree @c)
  {-# INLINE getSum #-}
  isFlatSum = False
  {-# INLINE isFlatSum #-}

-- How to write some constructors of a sum: their number, and a function of the number of all
-- constructors, the index of the first one here, and the value.
data PutTree f t = PutTree !Int (Int -> Int -> f t -> Put)

class GManyPut (c :: Type -> Constraint) (f :: Type -> Type) where
  putTree :: PutTree f t

instance (GManyPut c f, GManyPut c g) => GManyPut c (f :+: g) where
  putTree = putEither (putTree @c) (putTree @c)

instance GPut c f => GManyPut c (C1 m f) where
  putTree = putConstructor (putGeneric @c)

putEither :: PutTree f t -> PutTree g t -> PutTree (f :+: g) t
putEither (PutTree m left) (PutTree n right) = PutTree (m + n) $ \count i x -> case x of
  L1 y -> left count i y
  R1 y -> right count (i + m) y
{-# NOINLINE putEither #-}

putConstructor :: (f t -> Put) -> PutTree (C1 m f) t
putConstructor fields = PutTree 1 $ \count i (M1 x) -> putBuilder (tag count i) *> fields x
{-# NOINLINE putConstructor #-}

putByTree :: PutTree f t -> f t -> Put
putByTree (PutTree n p) = p n 0
{-# NOINLINE putByTree #-}

-- How to read some constructors of a sum: their number, and a function of the index of one, counted
-- from the first one here.
data GetTree f t = GetTree !Int (Int -> Get (f t))

class GManyGet (c :: Type -> Constraint) (f :: Type -> Type) where
  getTree :: GetTree f t

instance (GManyGet c f, GManyGet c g) => GManyGet c (f :+: g) where
  getTree = getEither (getTree @c) (getTree @c)

instance GGet c f => GManyGet c (C1 m f) where
  getTree = getConstructor (getGeneric @c)

getEither :: GetTree f t -> GetTree g t -> GetTree (f :+: g) t
getEither (GetTree m left) (GetTree n right) = GetTree (m + n) $ \i ->
  if i < m then L1 <$> left i else R1 <$> right (i - m)
{-# NOINLINE getEither #-}

getConstructor :: Get (f t) -> GetTree (C1 m f) t
getConstructor fields = GetTree 1 (\_ -> M1 <$> fields)
{-# NOINLINE getConstructor #-}

getByTree :: GetTree f t -> Get (f t)
getByTree (GetTree n g) = getTag n >>= g
{-# NOINLINE getByTree #-}
