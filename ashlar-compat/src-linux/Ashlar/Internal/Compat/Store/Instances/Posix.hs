{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Compat.Store.Instances.Posix
-- Description : Types of System.Posix.Types in store's format, on Linux
--
-- Each is what it is in memory.
module Ashlar.Internal.Compat.Store.Instances.Posix () where

import Ashlar.Internal.Builder.Put ()
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Compat.Store.Instances.Foreign ()
import Ashlar.Internal.Get.Core ()
import System.Posix.Types

deriving newtype instance Store CBlkCnt

deriving newtype instance Store CBlkSize

deriving newtype instance Store CCc

deriving newtype instance Store CClockId

deriving newtype instance Store CDev

deriving newtype instance Store CFsBlkCnt

deriving newtype instance Store CFsFilCnt

deriving newtype instance Store CGid

deriving newtype instance Store CId

deriving newtype instance Store CIno

deriving newtype instance Store CKey

deriving newtype instance Store CMode

deriving newtype instance Store CNfds

deriving newtype instance Store CNlink

deriving newtype instance Store COff

deriving newtype instance Store CPid

deriving newtype instance Store CRLim

deriving newtype instance Store CSocklen

deriving newtype instance Store CSpeed

deriving newtype instance Store CSsize

deriving newtype instance Store CTcflag

deriving newtype instance Store CTimer

deriving newtype instance Store CUid

deriving newtype instance Store Fd
