{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Instances.UUID
-- Description : The identifiers of uuid-types: instances, and text both ways
module Ashlar.Instances.UUID
  ( uuidText,
    getUUIDText,
  )
where

import qualified Ashlar.Builder.UUID as B
import Ashlar.Codec
import Ashlar.Codec.Combinators (fixed, fixedPair)
import Ashlar.Codec.Wrappers (BigEndian, ByteOrdered (..))
import qualified Ashlar.Get.UUID as G
import Ashlar.Schema (Described (..), orderedByParts, part, recordOf)
import Data.UUID.Types (UUID, fromWords64, toWords64)
import Data.Word (Word64)

-- | The 16 bytes of RFC 4122, in the order of the textual form.
instance Codec UUID

instance HasFormat UUID where
  format = fixed (fixedPair (fst . toWords64) (snd . toWords64) fromWords64 fixedBE fixedBE)
  {-# INLINE format #-}

-- | Two numbers of 64 bits.
instance Described UUID where
  describe = orderedByParts (recordOf "UUID" [half "high", half "low"])
    where
      half = part @(BigEndian Word64)

-- | A UUID as text: 32 hexadecimal digits, @a@ to @f@ above 9, and four hyphens.
uuidText :: UUID -> Builder
uuidText = uncurry B.uuid . toWords64

-- | A UUID from its text. The digits may be in either case.
getUUIDText :: Get UUID
getUUIDText = uncurry fromWords64 <$> G.uuid
