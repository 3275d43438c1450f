{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Schema.Internal.Instances.Newtypes
-- Description : The newtypes of base
--
-- Each is what it wraps, and has no definition, except 'Down', which orders values in another way.
module Ashlar.Schema.Internal.Instances.Newtypes () where

import Ashlar.Schema.Internal.ByHand
import Ashlar.Schema.Internal.Describe
import Ashlar.Schema.Internal.Instances.Base ()
import Control.Applicative (ZipList)
import Data.Functor.Compose (Compose)
import Data.Functor.Const (Const)
import Data.Functor.Identity (Identity)
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import Data.Kind (Type)
import Data.Monoid (All, Alt, Any, Ap, Dual, Product, Sum)
import qualified Data.Monoid as Monoid
import Data.Ord (Down)
import Data.Semigroup (Arg, Max, Min, WrappedMonoid)
import qualified Data.Semigroup as Semigroup
import Data.Typeable (Typeable)

instance Described All where
  describe = as @Bool

instance Described Any where
  describe = as @Bool

instance Described a => Described (Identity a) where
  describe = as @a

instance Described a => Described (ZipList a) where
  describe = as @[a]

instance Described a => Described (Dual a) where
  describe = as @a

instance Described a => Described (Sum a) where
  describe = as @a

instance Described a => Described (Product a) where
  describe = as @a

instance Described a => Described (Monoid.First a) where
  describe = as @(Maybe a)

instance Described a => Described (Monoid.Last a) where
  describe = as @(Maybe a)

instance Described a => Described (Min a) where
  describe = as @a

instance Described a => Described (Max a) where
  describe = as @a

instance Described a => Described (Semigroup.First a) where
  describe = as @a

instance Described a => Described (Semigroup.Last a) where
  describe = as @a

instance Described a => Described (WrappedMonoid a) where
  describe = as @a

instance (Described a, Typeable k, Typeable b) => Described (Const a (b :: k)) where
  describe = as @a

instance
  (Typeable j, Typeable k, Typeable f, Typeable g, Typeable a, Described (f (g a))) =>
  Described (Compose (f :: k -> Type) (g :: j -> k) (a :: j))
  where
  describe = as @(f (g a))

instance (Typeable k, Typeable f, Typeable a, Described (f a)) => Described (Alt f (a :: k)) where
  describe = as @(f a)

instance (Typeable k, Typeable f, Typeable a, Described (f a)) => Described (Ap f (a :: k)) where
  describe = as @(f a)

-- | A definition, because the values stand in the opposite order.
instance Described a => Described (Down a) where
  describe = recordOf "Down" [part @a mempty]

-- | Ordered by the first part only.
instance (Described a, Described b) => Described (Arg a b) where
  describe = libraryDescription

instance
  (Typeable k, Typeable f, Typeable g, Typeable a, Described (f a), Described (g a)) =>
  Described (Functor.Product f g (a :: k))
  where
  describe = orderedByParts libraryDescription

instance
  (Typeable k, Typeable f, Typeable g, Typeable a, Described (f a), Described (g a)) =>
  Described (Functor.Sum f g (a :: k))
  where
  describe = orderedByParts libraryDescription
