{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Instances
-- Description : Codec instances for the types of widely used packages
--
-- Import this module for all of them, or one of its submodules.
module Ashlar.Instances () where

import Ashlar.Instances.Aeson ()
import Ashlar.Instances.Scientific ()
import Ashlar.Instances.UUID ()
import Ashlar.Instances.UnorderedContainers ()
