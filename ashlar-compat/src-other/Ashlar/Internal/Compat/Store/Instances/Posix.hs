{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Instances.Posix
-- Description : Types of System.Posix.Types in store's format
--
-- Each is what it is in memory. Which there are depends on the system. This one they all have.
module Ashlar.Internal.Compat.Store.Instances.Posix () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Compat.Store.Instances.Foreign ()
import Ashlar.Internal.Get.Core ()
import System.Posix.Types

deriving newtype instance Store Fd
