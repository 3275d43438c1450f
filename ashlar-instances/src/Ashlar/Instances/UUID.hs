{-# LANGUAGE Trustworthy #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.UUID
-- Description : Codec instance for the identifiers of uuid-types
module Ashlar.Instances.UUID () where

import Ashlar.Codec
import Ashlar.Codec.Combinators (fixed)
import Ashlar.Codec.Fixed (fixedPair)
import Ashlar.Codec.Wrappers (ByteOrdered (..))
import Data.UUID.Types (UUID, fromWords64, toWords64)

-- | The 16 bytes of RFC 4122, in the order of the textual form.
instance Codec UUID

instance HasFormat UUID where
  format = fixed (fixedPair (fst . toWords64) (snd . toWords64) fromWords64 fixedBE fixedBE)
  {-# INLINE format #-}
