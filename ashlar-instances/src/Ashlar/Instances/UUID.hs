{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.UUID
-- Description : Codec instance for the identifiers of uuid-types
module Ashlar.Instances.UUID () where

import Ashlar.Codec
import Ashlar.Codec.Fixed
import Ashlar.Codec.Wrappers (ByteOrdered (..))
import Data.UUID.Types (UUID, fromWords64, toWords64)

-- | The 16 bytes of RFC 4122, in the order in which they are shown.
instance Codec UUID where
  layout = Fix fixedUUID
  {-# INLINE layout #-}
  size _ = fixedSize fixedUUID
  {-# INLINE size #-}
  put = putFixed fixedUUID
  {-# INLINE put #-}
  get = getFixed fixedUUID
  {-# INLINE get #-}

fixedUUID :: Fixed UUID
fixedUUID = fixedPair (fst . toWords64) (snd . toWords64) fromWords64 fixedBE fixedBE
{-# INLINE fixedUUID #-}
