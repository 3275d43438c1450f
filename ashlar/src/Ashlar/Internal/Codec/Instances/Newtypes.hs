{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Newtypes
-- Description : Formats of base's newtypes
--
-- Each newtype has the format of what it wraps.
module Ashlar.Internal.Codec.Instances.Newtypes () where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Control.Applicative (ZipList (..))
import Data.Functor.Compose (Compose (..))
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import Data.Monoid (All (..), Alt (..), Any (..), Ap (..), Dual (..), Product (..), Sum (..))
import qualified Data.Monoid as Monoid
import Data.Ord (Down (..))
import Data.Semigroup (Arg (..), Max (..), Min (..), WrappedMonoid (..))
import qualified Data.Semigroup as Semigroup

deriving newtype instance Codec a => Codec (Identity a)

deriving newtype instance Codec a => Codec (Const a b)

deriving newtype instance Codec (f (g a)) => Codec (Compose f g a)

deriving newtype instance Codec a => Codec (Down a)

deriving newtype instance Codec a => Codec (ZipList a)

deriving newtype instance Codec All

deriving newtype instance Codec Any

deriving newtype instance Codec a => Codec (Dual a)

deriving newtype instance Codec a => Codec (Sum a)

deriving newtype instance Codec a => Codec (Product a)

deriving newtype instance Codec a => Codec (Monoid.First a)

deriving newtype instance Codec a => Codec (Monoid.Last a)

deriving newtype instance Codec (f a) => Codec (Alt f a)

deriving newtype instance Codec (f a) => Codec (Ap f a)

deriving newtype instance Codec a => Codec (Min a)

deriving newtype instance Codec a => Codec (Max a)

deriving newtype instance Codec a => Codec (Semigroup.First a)

deriving newtype instance Codec a => Codec (Semigroup.Last a)

deriving newtype instance Codec a => Codec (WrappedMonoid a)

-- | The one, and the other.
instance (Codec a, Codec b) => Codec (Arg a b) where
  layout = genericLayout
  size = genericSize
  put = genericPut
  get = genericGet
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The one, and the other.
instance (Codec (f a), Codec (g a)) => Codec (Functor.Product f g a) where
  layout = genericLayout
  size = genericSize
  put = genericPut
  get = genericGet
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As 'Either'.
instance (Codec (f a), Codec (g a)) => Codec (Functor.Sum f g a) where
  layout = genericLayout
  size = genericSize
  put = genericPut
  get = genericGet
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}
