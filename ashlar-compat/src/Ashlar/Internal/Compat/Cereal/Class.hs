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
-- Module      : Ashlar.Internal.Compat.Cereal.Class
-- Description : The class of Data.Serialize, and its derivation
module Ashlar.Internal.Compat.Cereal.Class
  ( Serialize (..),
    GSerializePut (..),
    GSerializeGet (..),
  )
where

import Ashlar.Compat.Cereal.Put (Putter)
import Ashlar.Internal.Builder.Put
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Generic
import Ashlar.Internal.Get.Core
import GHC.Generics (Generic (..))

-- | Types that have the format of the package @cereal@: the class of "Data.Serialize", with
-- the same methods, the same derivation and the same bytes.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> import qualified Ashlar.Compat.Cereal as C
-- >>> import qualified Data.ByteString as S
-- >>> data Shape = Dot | Circle Float deriving (Generic, C.Serialize)
-- >>> S.unpack (C.encode [Dot, Circle 1])
-- [0,0,0,0,0,0,0,2,0,1,63,128,0,0]
class Serialize t where
  -- | Write a value.
  put :: Putter t

  -- | Read a value.
  get :: Get t

  -- | Write a list: the number of elements in 64 bits, and the elements. This method and the
  -- next two are hidden: instances of users have the defaults.
  putList :: [t] -> Put
  putList xs = putBuilder (putElements put xs)
  {-# INLINEABLE putList #-}

  -- | Read a list of n elements and force each.
  getList :: Int -> Get [t]
  getList n = getElements n get
  {-# INLINEABLE getList #-}

  -- | Is it known that the type does not contain itself? See Note [Levels of derived decoders] in
  -- "Ashlar.Internal.Compat.Generic".
  isFlat :: Bool
  isFlat = False
  {-# INLINE isFlat #-}

  default put :: (Generic t, GSerializePut (Rep t)) => Putter t
  put x = gPut (from x)
  {-# INLINE put #-}

  default get :: (Generic t, GSerializeGet (Rep t)) => Get t
  get = levelled (gisFlat @(Rep t)) (to <$> gGet)
  {-# INLINE get #-}

instance Serialize a => Part Serialize a where
  putPart = put
  {-# INLINE putPart #-}
  getPart = get
  {-# INLINE getPart #-}
  isFlatPart = isFlat @a
  {-# INLINE isFlatPart #-}

-- | Types of "GHC.Generics" that can be written.
class GSerializePut f where
  -- | Write a value.
  gPut :: Putter (f t)

instance GPut (PartsOf Serialize f) f => GSerializePut f where
  gPut = putGeneric @(PartsOf Serialize f)
  {-# INLINE gPut #-}

-- | Types of "GHC.Generics" that can be read.
class GSerializeGet f where
  -- | Read a value.
  gGet :: Get (f t)

  -- | See 'isFlat'.
  gisFlat :: Bool

instance GGet (PartsOf Serialize f) f => GSerializeGet f where
  gGet = getGeneric @(PartsOf Serialize f)
  {-# INLINE gGet #-}
  gisFlat = isFlatGeneric @(PartsOf Serialize f) @f
  {-# INLINE gisFlat #-}
