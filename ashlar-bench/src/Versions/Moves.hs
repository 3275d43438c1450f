{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Versions.Moves
-- Description : Sums of a few bytes, which have got a constructor in between
module Versions.Moves (Move (..)) where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described)
import Data.Word (Word8)
import GHC.Generics (Generic)

-- | As the type is today.
data Move = Stay | Jump !Word8 | Up !Word8 | Down !Word8 | To !Word8 !Word8
  deriving stock (Generic)
  deriving anyclass (Codec, Described)
