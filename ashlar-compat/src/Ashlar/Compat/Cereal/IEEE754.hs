{-# LANGUAGE Trustworthy #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Compat.Cereal.IEEE754
-- Description : Data.Serialize.IEEE754, by import
--
-- Every name of "Data.Serialize.IEEE754" (as of @cereal@ 0.5.8) with its type and its meaning. Only
-- the line that imports it must change. A NaN keeps its payload.
--
-- >>> import Ashlar.Compat.Cereal.IEEE754
-- >>> import Ashlar.Compat.Cereal.Put (runPut)
-- >>> runPut (putFloat32be 1)
-- "?\128\NUL\NUL"
module Ashlar.Compat.Cereal.IEEE754
  ( -- * Decoders
    getFloat32le,
    getFloat32be,
    getFloat64le,
    getFloat64be,

    -- * Puts
    putFloat32le,
    putFloat32be,
    putFloat64le,
    putFloat64be,
  )
where

import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Numbers (getDoublebe, getDoublele, getFloatbe, getFloatle)
import Ashlar.Put (Put, putDoublebe, putDoublele, putFloatbe, putFloatle)

-- | A 'Float' of 4 bytes, least significant byte first.
getFloat32le :: Get Float
getFloat32le = getFloatle
{-# INLINE getFloat32le #-}

-- | A 'Float' of 4 bytes, most significant byte first.
getFloat32be :: Get Float
getFloat32be = getFloatbe
{-# INLINE getFloat32be #-}

-- | A 'Double' of 8 bytes, least significant byte first.
getFloat64le :: Get Double
getFloat64le = getDoublele
{-# INLINE getFloat64le #-}

-- | A 'Double' of 8 bytes, most significant byte first.
getFloat64be :: Get Double
getFloat64be = getDoublebe
{-# INLINE getFloat64be #-}

-- | A 'Float' of 4 bytes, least significant byte first.
putFloat32le :: Float -> Put
putFloat32le x = putFloatle x
{-# INLINE putFloat32le #-}

-- | A 'Float' of 4 bytes, most significant byte first.
putFloat32be :: Float -> Put
putFloat32be x = putFloatbe x
{-# INLINE putFloat32be #-}

-- | A 'Double' of 8 bytes, least significant byte first.
putFloat64le :: Double -> Put
putFloat64le x = putDoublele x
{-# INLINE putFloat64le #-}

-- | A 'Double' of 8 bytes, most significant byte first.
putFloat64be :: Double -> Put
putFloat64be x = putDoublebe x
{-# INLINE putFloat64be #-}
