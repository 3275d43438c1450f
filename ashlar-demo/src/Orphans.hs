{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Orphans
-- Description : Instances that the other libraries lack
--
-- cereal has none for 'Text'. This one does what the packages that provide it do: UTF-8 after its
-- length.
module Orphans () where

import Data.Serialize (Serialize (..))
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8', encodeUtf8)

instance Serialize Text where
  put t = put (encodeUtf8 t)
  get = get >>= either (const (fail "invalid UTF-8")) pure . decodeUtf8'
