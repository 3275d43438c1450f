{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Cookbook.Old
-- Description : The type whose values binary has written, in the cookbook
module Tests.Cookbook.Old (Order (..)) where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described)
import Data.Binary (Binary)
import Data.Text (Text)
import GHC.Generics (Generic)

-- | As on the page.
data Order = Order {item :: Text, count :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec, Described, Binary)
