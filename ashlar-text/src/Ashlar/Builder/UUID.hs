{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.UUID
-- Description : UUIDs as text
--
-- "Ashlar.Get.UUID" reads them. The package @ashlar-instances@ has the same for the type of
-- @uuid-types@.
module Ashlar.Builder.UUID (uuid) where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Prim.UUID
import Data.Word (Word64)
import Foreign.Ptr (plusPtr)

-- | A UUID as text (RFC 9562): 32 hexadecimal digits, @a@ to @f@ above 9, and four hyphens.
--
-- >>> import Ashlar.Builder.UUID
-- >>> toStrictByteString (uuid 0x0001020304050607 0x08090a0b0c0d0e0f)
-- "00010203-0405-0607-0809-0a0b0c0d0e0f"
uuid ::
  -- | The first 16 digits.
  Word64 ->
  -- | The last 16.
  Word64 ->
  Builder
uuid high low = ensure uuidBytes (\p -> (p `plusPtr` uuidBytes) <$ writeUUID high low p)
{-# INLINE uuid #-}
