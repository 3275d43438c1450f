{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Newtypes
-- Description : The newtypes of Data.Monoid and Data.Semigroup in binary's format
--
-- Each has the format of the type that it wraps.
module Ashlar.Internal.Compat.Binary.Instances.Newtypes () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Compat.Binary.Instances.Base ()
import Ashlar.Internal.Get.Core ()
import Data.Functor.Identity (Identity (..))
import qualified Data.Monoid as M
import qualified Data.Semigroup as S

deriving newtype instance Binary a => Binary (Identity a)

deriving newtype instance Binary a => Binary (M.Dual a)

deriving newtype instance Binary M.All

deriving newtype instance Binary M.Any

deriving newtype instance Binary a => Binary (M.Sum a)

deriving newtype instance Binary a => Binary (M.Product a)

deriving newtype instance Binary a => Binary (M.First a)

deriving newtype instance Binary a => Binary (M.Last a)

deriving newtype instance Binary (f a) => Binary (M.Alt f a)

deriving newtype instance Binary a => Binary (S.Min a)

deriving newtype instance Binary a => Binary (S.Max a)

deriving newtype instance Binary a => Binary (S.First a)

deriving newtype instance Binary a => Binary (S.Last a)

deriving newtype instance Binary a => Binary (S.WrappedMonoid a)

-- | Both parts.
instance (Binary a, Binary b) => Binary (S.Arg a b) where
  put (S.Arg x y) = put x *> put y
  get = S.Arg <$> get <*> get
  {-# INLINE put #-}
  {-# INLINE get #-}
