{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.UUID
-- Description : Decoders for UUIDs as text
--
-- "Ashlar.Builder.UUID" writes them. The package @ashlar-instances@ has the same for the type of
-- @uuid-types@.
module Ashlar.Get.UUID (uuid) where

import Ashlar.Internal.Get.UUID
import Prelude ()
