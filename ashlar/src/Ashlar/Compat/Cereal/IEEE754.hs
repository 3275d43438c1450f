-- |
-- Module      : Ashlar.Compat.Cereal.IEEE754
-- Description : Data.Serialize.IEEE754, by import
--
-- Every name of "Data.Serialize.IEEE754" (as of @cereal@ 0.5.8) with its type and its
-- meaning. Only the line that imports it must change.
module Ashlar.Compat.Cereal.IEEE754
  ( -- * Reading
    getFloat32le,
    getFloat32be,
    getFloat64le,
    getFloat64be,

    -- * Writing
    putFloat32le,
    putFloat32be,
    putFloat64le,
    putFloat64be,
  )
where

import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Numbers
import Ashlar.Put

-- | 4 bytes, least significant first.
--
-- @since 0.1.0.0
getFloat32le :: Get Float
getFloat32le = getFloatle
{-# INLINE getFloat32le #-}

-- | 4 bytes, most significant first.
--
-- @since 0.1.0.0
getFloat32be :: Get Float
getFloat32be = getFloatbe
{-# INLINE getFloat32be #-}

-- | 8 bytes, least significant first.
--
-- @since 0.1.0.0
getFloat64le :: Get Double
getFloat64le = getDoublele
{-# INLINE getFloat64le #-}

-- | 8 bytes, most significant first.
--
-- @since 0.1.0.0
getFloat64be :: Get Double
getFloat64be = getDoublebe
{-# INLINE getFloat64be #-}

-- | 4 bytes, least significant first.
--
-- @since 0.1.0.0
putFloat32le :: Float -> Put
putFloat32le = putFloatle
{-# INLINE putFloat32le #-}

-- | 4 bytes, most significant first.
--
-- @since 0.1.0.0
putFloat32be :: Float -> Put
putFloat32be = putFloatbe
{-# INLINE putFloat32be #-}

-- | 8 bytes, least significant first.
--
-- @since 0.1.0.0
putFloat64le :: Double -> Put
putFloat64le = putDoublele
{-# INLINE putFloat64le #-}

-- | 8 bytes, most significant first.
--
-- @since 0.1.0.0
putFloat64be :: Double -> Put
putFloat64be = putDoublebe
{-# INLINE putFloat64be #-}
