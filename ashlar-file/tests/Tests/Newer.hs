{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Newer
-- Description : Types of a newer program than that of "Tests.Described"
module Tests.Newer (Entry (..), Item (..), Event (..)) where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described (..), added)
import Data.Int (Int64)
import GHC.Generics (Generic)
import Test.QuickCheck (Arbitrary (..), frequency, scale)

data Entry = Entry {note :: String, items :: [Item], event :: Event, number :: Integer}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Entry where
  evolution = [added @"note" "none"]

data Item = Item {price :: Double, weight :: Integer, name :: String}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Item where
  evolution = [added @"weight" 0]

data Event = Login Int64 | Failure [Int64] | Logout String | Debug String
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance Arbitrary Entry where
  arbitrary = Entry <$> arbitrary <*> scale (`div` 4) arbitrary <*> arbitrary <*> arbitrary
  shrink (Entry note' is e n) =
    [Entry note'' is' e' n' | (note'', is', e', n') <- shrink (note', is, e, n)]

instance Arbitrary Item where
  arbitrary = Item <$> arbitrary <*> arbitrary <*> arbitrary
  shrink (Item p w s) = [Item p' w' s' | (p', w', s') <- shrink (p, w, s)]

instance Arbitrary Event where
  arbitrary =
    frequency
      [ (3, Login <$> arbitrary),
        (1, Failure <$> arbitrary),
        (3, Logout <$> arbitrary),
        (3, Debug <$> arbitrary)
      ]
  shrink e = [Login 0 | e /= Login 0]
