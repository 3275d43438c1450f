{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Instances
-- Description : Codec instances for the types of widely used packages
--
-- Import this module for all of them, or one of its submodules.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Instances ()
-- >>> import qualified Data.HashMap.Strict as HashMap
-- >>> let prices = HashMap.fromList [("mortar" :: Text, 4.5 :: Double), ("brick", 0.75)]
-- >>> decode (encode prices) == Right prices
-- True
module Ashlar.Instances () where

import Ashlar.Instances.Aeson ()
import Ashlar.Instances.Scientific ()
import Ashlar.Instances.UUID ()
import Ashlar.Instances.UnorderedContainers ()
