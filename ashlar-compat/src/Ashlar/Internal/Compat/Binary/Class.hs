{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE UndecidableInstances #-}
-- See Note [Fusing puts] in "Ashlar.Internal.Builder.Put".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Class
-- Description : The class of Data.Binary, and its derivation
module Ashlar.Internal.Compat.Binary.Class
  ( Binary (..),
    GBinaryPut (..),
    GBinaryGet (..),
  )
where

import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Generic
import Ashlar.Internal.Get.Core
import GHC.Generics (Generic (..))

-- | Types that have the format of the package @binary@: the class of "Data.Binary", with
-- the same methods, the same derivation and the same bytes.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Binary as B
-- >>> import qualified Data.ByteString.Lazy as L
-- >>> data Shape = Dot | Circle Word16 deriving (Generic, B.Binary)
-- >>> L.unpack (B.encode [Dot, Circle 5])
-- [0,0,0,0,0,0,0,2,0,1,0,5]
class Binary t where
  -- | Write a value.
  put :: t -> Put

  -- | Read a value.
  get :: Get t

  -- | Write a list: the number of elements as an 'Int', and the elements. An instance may have
  -- faster code for the same bytes.
  putList :: [t] -> Put
  putList xs = putBuilder (putElements put xs)
  {-# INLINEABLE putList #-}

  -- | Read a list of n elements and force each. This method is hidden: instances of users have the
  -- default.
  getList :: Int -> Get [t]
  getList n = getElements n get
  {-# INLINEABLE getList #-}

  -- | Is it known that the type does not contain itself? This method is hidden: instances of users
  -- have the default. See Note [Levels of derived decoders] in "Ashlar.Internal.Compat.Generic".
  isFlat :: Bool
  isFlat = False
  {-# INLINE isFlat #-}

  default put :: (Generic t, GBinaryPut (Rep t)) => t -> Put
  put x = gput (from x)
  {-# INLINE put #-}

  default get :: (Generic t, GBinaryGet (Rep t)) => Get t
  get = levelled (gisFlat @(Rep t)) (to <$> gget)
  {-# INLINE get #-}

instance Binary a => Part Binary a where
  putPart = put
  {-# INLINE putPart #-}
  getPart = get
  {-# INLINE getPart #-}
  isFlatPart = isFlat @a
  {-# INLINE isFlatPart #-}

-- | Types of "GHC.Generics" that can be written.
class GBinaryPut f where
  -- | Write a value.
  gput :: f t -> Put

instance GPut (PartsOf Binary f) f => GBinaryPut f where
  gput = putGeneric @(PartsOf Binary f)
  {-# INLINE gput #-}

-- | Types of "GHC.Generics" that can be read.
class GBinaryGet f where
  -- | Read a value.
  gget :: Get (f t)

  -- | See 'isFlat'.
  gisFlat :: Bool

instance GGet (PartsOf Binary f) f => GBinaryGet f where
  gget = getGeneric @(PartsOf Binary f)
  {-# INLINE gget #-}
  gisFlat = isFlatGeneric @(PartsOf Binary f) @f
  {-# INLINE gisFlat #-}
