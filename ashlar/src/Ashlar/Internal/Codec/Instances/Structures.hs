{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Structures
-- Description : Formats of tuples, sums, lists, and base's newtypes
--
-- Most of these are derived. They are not in "Ashlar.Internal.Codec.Instances.Base", which turns
-- eta-expansion off: GHC 9.0.2 would panic on the derived reader of a triple.
module Ashlar.Internal.Codec.Instances.Structures () where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Elements
import Ashlar.Internal.Codec.Fixed (fixedUnit)
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Layouts
import Ashlar.Internal.Codec.Length
import Ashlar.Internal.Codec.Outline (Outline (..), oneOf)
import Ashlar.Internal.Get.Fail
import Control.Applicative (ZipList (..))
import Data.Functor.Compose (Compose (..))
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import Data.List.NonEmpty (NonEmpty (..), toList)
import Data.Monoid (All (..), Alt (..), Any (..), Ap (..), Dual (..), Product (..), Sum (..))
import qualified Data.Monoid as Monoid
import Data.Ord (Down (..))
import Data.Proxy (Proxy (..))
import Data.Semigroup (Arg (..), Max (..), Min (..), WrappedMonoid (..))
import qualified Data.Semigroup as Semigroup
import Data.Version (Version)
import Data.Void (Void)
import GHC.Fingerprint (Fingerprint)

-- Tuples are their elements, one after the other. Sums have a tag. The methods are those that would
-- be derived, but INLINEABLE lets other modules specialise them to the types of their elements.
-- That makes writing a tree with triples in it many times faster.
--
-- A layout is INLINE, so that a type with such fields knows at once whether they have constant size
-- (Note [Generic methods] in "Ashlar.Internal.Codec.Derive", rule 3). Where it was INLINEABLE, the
-- generic code for both answers went through all phases, once for each field: 24 fields of @Maybe
-- Text@ took 46 seconds to compile. (Held by @scripts/compile-times --check@.) So it must be small,
-- and leaves the rest to functions: the layout of a tuple, which is specialised as the methods are,
-- or an outline.

instance Codec Ordering

instance Codec a => Codec (Maybe a) where
  layout = variableLayout 1 (maybeOutline @a)
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

maybeOutline :: forall a. Codec a => Outline
maybeOutline = oneOf 1 [Bytes 0, fieldThen @a (Bytes 0)]
{-# NOINLINE maybeOutline #-}

instance (Codec a, Codec b) => Codec (Either a b) where
  layout = variableLayout 1 (eitherOutline @a @b)
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

eitherOutline :: forall a b. (Codec a, Codec b) => Outline
eitherOutline = oneOf 1 [fieldThen @a (Bytes 0), fieldThen @b (Bytes 0)]
{-# NOINLINE eitherOutline #-}

instance (Codec a, Codec b) => Codec (a, b) where
  layout = productLayout pairLayout
  size = genericSize pairLayout
  put = genericPut pairLayout
  get = genericGet pairLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

pairLayout :: (Codec a, Codec b) => Layout (a, b)
pairLayout = genericLayout
{-# INLINEABLE pairLayout #-}

instance (Codec a, Codec b, Codec c) => Codec (a, b, c) where
  layout = productLayout tripleLayout
  size = genericSize tripleLayout
  put = genericPut tripleLayout
  get = genericGet tripleLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

tripleLayout :: (Codec a, Codec b, Codec c) => Layout (a, b, c)
tripleLayout = genericLayout
{-# INLINEABLE tripleLayout #-}

instance (Codec a, Codec b, Codec c, Codec d) => Codec (a, b, c, d) where
  layout = productLayout quadrupleLayout
  size = genericSize quadrupleLayout
  put = genericPut quadrupleLayout
  get = genericGet quadrupleLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

quadrupleLayout :: (Codec a, Codec b, Codec c, Codec d) => Layout (a, b, c, d)
quadrupleLayout = genericLayout
{-# INLINEABLE quadrupleLayout #-}

instance (Codec a, Codec b, Codec c, Codec d, Codec e) => Codec (a, b, c, d, e) where
  layout = productLayout quintupleLayout
  size = genericSize quintupleLayout
  put = genericPut quintupleLayout
  get = genericGet quintupleLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

quintupleLayout :: (Codec a, Codec b, Codec c, Codec d, Codec e) => Layout (a, b, c, d, e)
quintupleLayout = genericLayout
{-# INLINEABLE quintupleLayout #-}

instance (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f) => Codec (a, b, c, d, e, f) where
  layout = productLayout sextupleLayout
  size = genericSize sextupleLayout
  put = genericPut sextupleLayout
  get = genericGet sextupleLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

sextupleLayout ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f) =>
  Layout (a, b, c, d, e, f)
sextupleLayout = genericLayout
{-# INLINEABLE sextupleLayout #-}

instance
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g) =>
  Codec (a, b, c, d, e, f, g)
  where
  layout = productLayout septupleLayout
  size = genericSize septupleLayout
  put = genericPut septupleLayout
  get = genericGet septupleLayout
  {-# INLINE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

septupleLayout ::
  (Codec a, Codec b, Codec c, Codec d, Codec e, Codec f, Codec g) =>
  Layout (a, b, c, d, e, f, g)
septupleLayout = genericLayout
{-# INLINEABLE septupleLayout #-}

-- | The number of elements, and the elements.
instance Codec a => Codec [a] where
  layout = counting @a
  size = sizePrefixed
  put = putPrefixed
  get = getPrefixed
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance Codec a => Counted [a] where
  counted = length
  sizeCounted xs = sizeElements (layout :: Layout a) (length xs) (sum (map size xs))
  putCounted = putList
  getCounted = getList
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

-- | As a list. Decoding refuses an empty one.
instance Codec a => Codec (NonEmpty a) where
  layout = counting @a
  size = formatSize nonEmpty'
  put = formatPut nonEmpty'
  get = formatGet nonEmpty'
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

instance Codec a => Counted (NonEmpty a) where
  counted = length
  sizeCounted xs = sizeCounted (toList xs)
  putCounted xs = putCounted (toList xs)
  getCounted n = refine fromList' (getCounted n)
  {-# INLINEABLE sizeCounted #-}
  {-# INLINEABLE putCounted #-}
  {-# INLINEABLE getCounted #-}

nonEmpty' :: Codec a => Format (NonEmpty a)
nonEmpty' = refined toList fromList' codec
{-# INLINE nonEmpty' #-}

fromList' :: [a] -> Either String (NonEmpty a)
fromList' xs = case xs of
  x : rest -> Right (x :| rest)
  [] -> Left "NonEmpty: no elements"

-- | There are no values, so decoding always fails.
instance Codec Void

-- | No bytes.
instance Codec (Proxy a) where
  layout = Fix (fixedUnit Proxy)
  size _ = 0
  put _ = mempty
  get = pure Proxy

-- | The numbers as a list, and the tags as a list of strings.
instance Codec Version

-- | The two halves, the more significant one first.
instance Codec Fingerprint

-- Formats of base's newtypes.
--
-- Each newtype has the format of what it wraps.

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
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | The one, and the other.
instance (Codec (f a), Codec (g a)) => Codec (Functor.Product f g a) where
  layout = genericLayout
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

-- | As 'Either'.
instance (Codec (f a), Codec (g a)) => Codec (Functor.Sum f g a) where
  layout = genericLayout
  size = genericSize layout
  put = genericPut layout
  get = genericGet layout
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}
