{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans -Wno-deprecations #-}

-- |
-- Module      : Ashlar.Internal.Compat.Binary.Instances.Option
-- Description : Option in binary's format, for base before 4.16
module Ashlar.Internal.Compat.Binary.Instances.Option () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Binary.Class
import Ashlar.Internal.Compat.Binary.Instances.Base ()
import Ashlar.Internal.Get.Core ()
import Data.Semigroup (Option (..))

-- | As a 'Maybe'.
deriving newtype instance Binary a => Binary (Option a)
