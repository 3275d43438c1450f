{-# LANGUAGE Trustworthy #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.UUID
-- Description : The identifiers of uuid-types: Codec instance, and text both ways
module Ashlar.Instances.UUID
  ( uuidText,
    getUUIDText,
  )
where

import qualified Ashlar.Builder.UUID as B
import Ashlar.Codec
import Ashlar.Codec.Combinators (fixed)
import Ashlar.Codec.Fixed (fixedPair)
import Ashlar.Codec.Wrappers (ByteOrdered (..))
import qualified Ashlar.Get.UUID as G
import Data.UUID.Types (UUID, fromWords64, toWords64)

-- | The 16 bytes of RFC 4122, in the order of the textual form.
instance Codec UUID

instance HasFormat UUID where
  format = fixed (fixedPair (fst . toWords64) (snd . toWords64) fromWords64 fixedBE fixedBE)
  {-# INLINE format #-}

-- | A UUID as text: 32 hexadecimal digits, @a@ to @f@ above 9, and four hyphens.
--
-- @since 0.1.0.0
uuidText :: UUID -> Builder
uuidText = uncurry B.uuid . toWords64

-- | A UUID from its text. The digits may be in either case.
--
-- @since 0.1.0.0
getUUIDText :: Get UUID
getUUIDText = uncurry fromWords64 <$> G.uuid
