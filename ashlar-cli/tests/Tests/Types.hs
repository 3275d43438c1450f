{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Tests.Types
-- Description : Types of records
module Tests.Types
  ( Order (..),
    Item (..),
    Channel (..),
    orders,
    Older (..),
    olderOrders,
    Tree (..),
    All (..),
    Mixed (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Codec.Packed (Pack)
import Ashlar.Schema (Described)
import Data.ByteString (ByteString)
import Data.Fixed (Centi)
import Data.Int (Int16, Int64)
import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Text (Text)
import Data.Time.Calendar (Day)
import Data.Word (Word64, Word8)
import GHC.Generics (Generic)

data Order = Order
  { number :: Int,
    channel :: Channel,
    items :: [Item],
    note :: Maybe Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Pack)

data Item = Item {name :: Text, price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Pack)

data Channel = Web | Shop {town :: Text, till :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Pack)

orders :: [Order]
orders =
  [ Order 1 (Shop "Graz" 7) [Item "brick" 0.75, Item "mortar" 4.5] Nothing,
    Order 2 Web [] (Just "urgent"),
    Order (-3) Web [Item "s\ESC[31md" 1e9] Nothing
  ]

-- | What an order was.
data Older = Order' {number' :: Int, note' :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

olderOrders :: [Older]
olderOrders = [Order' 1 "one", Order' 2 "two"]

data Tree = Leaf | Node Tree Int64 Tree
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | Everything that has a form of its own in JSON.
data All = All
  { whole :: Integer,
    word :: Word64,
    float :: Float,
    double :: Double,
    truth :: Bool,
    letter :: Char,
    text :: Text,
    bytes :: ByteString,
    fixed :: Centi,
    day :: Day,
    perhaps :: Maybe Int16,
    twice :: Maybe (Maybe Bool),
    pair :: (Int16, Text),
    unit :: (),
    set :: Set Int16,
    byText :: Map Text Int16,
    byNumber :: Map Int16 Text,
    mixed :: [Mixed]
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Mixed = None | One Int16 | Two Int16 Bool | Named {first :: Int16, second :: Mixed}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)
