{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.UUID
-- Description : UUIDs as text
--
-- "Ashlar.Get.UUID" reads them. The package @ashlar-instances@ has the same for the type of
-- @uuid-types@.
module Ashlar.Builder.UUID (uuid) where

import Ashlar.Internal.Builder.UUID
import Prelude ()
