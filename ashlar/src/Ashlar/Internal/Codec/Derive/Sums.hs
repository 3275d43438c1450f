{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
{-# LANGUAGE UndecidableInstances #-}
-- Unfoldings must not be eta-expanded: see Note [Generic methods].
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Codec.Derive.Sums
-- Description : Types with several constructors in derived formats
--
-- See Note [Generic methods] in "Ashlar.Internal.Codec.Derive".
module Ashlar.Internal.Codec.Derive.Sums
  ( GTagged (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive.Fields
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Layout
import Ashlar.Internal.Codec.ReadFields
import Ashlar.Internal.Codec.Tag
import Ashlar.Internal.Codec.WriteFields
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Path
import Data.Kind (Type)
import Data.Proxy (Proxy (..))
import GHC.Exts (Int (I#))
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)

-- | The constructors of a sum, or some of them.
class GSum (f :: Type -> Type) where
  gSumSize ::
    -- | The size of the tag.
    Int ->
    f p ->
    Int
  gSumPut ::
    -- | The name of the type.
    String ->
    -- | The number of constructors of the type.
    Int ->
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

instance
  (KnownSymbol con, KnownSymbol (FieldNames ('MetaCons con fix rec) f), GFields f) =>
  GSum (C1 ('MetaCons con fix rec) f)
  where
  gSumSize n x = late (\y -> gFieldsSize (unM1 y) n) x
  {-# INLINE gSumSize #-}
  gSumPut name count i x =
    late
      ( case mostAtOnce of
          I# most -> \y ->
            written
              (constantBefore most (tagFormat name count) (\_ -> i) (gWrite mostAtOnce noFields))
              y
              (unM1 y)
      )
      x
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

-- Apply a function, in phase 0.
late :: (a -> b) -> a -> b
late f x = f x
{-# INLINE [0] late #-}

-- | A sum: an enumeration, whose constructors have no fields, or any other. Two instances, so that
-- the code for one is not compiled for the other.
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
  gTaggedGet _ name back =
    getNamed (fixedNamed (OfType name) (tagFormat name (gCount @f))) >>= gSumGet name back 0
  {-# INLINE gTaggedGet #-}

instance (GCount f, GEnum f) => GTagged 'True f where
  gTagged name there back =
    Fix
      ( fixedNamed
          (OfType name)
          ( fixedMap
              (\x -> gNumber 0 (there x))
              (\i -> back (gNumbered 0 i))
              (tagFormat name (gCount @f))
          )
      )
  {-# INLINE gTagged #-}
  gTaggedSize _ = \_ -> fixedSize (tagFormat "" (gCount @f))
  {-# INLINE gTaggedSize #-}
  gTaggedPut whole _ _ = putFixed whole
  {-# INLINE gTaggedPut #-}
  gTaggedGet whole _ _ = getNamed whole
  {-# INLINE gTaggedGet #-}
