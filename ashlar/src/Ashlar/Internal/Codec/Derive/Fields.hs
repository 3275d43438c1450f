{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Derive.Fields
-- Description : The fields of a constructor in derived formats
--
-- See Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
module Ashlar.Internal.Codec.Derive.Fields
  ( GFields (..),
    mostAtOnce,
  )
where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layout
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.WriteFields
import Data.Kind (Type)
import GHC.Exts (Int (I#), Int#, andI#)
import GHC.Generics

-- | The most bytes written with one check: as many as the rules merge.
mostAtOnce :: Int
mostAtOnce = 256
{-# INLINE mostAtOnce #-}

-- | The fields of a constructor.
class GFields (f :: Type -> Type) where
  -- | What the layout asks ("Ashlar.Internal.Codec.Layout").
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
