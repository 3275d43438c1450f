{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Conformance.Types
-- Description : Types with derived schemas
module Conformance.Types
  ( Order (..),
    Item (..),
    Channel (..),
    orders,
    Colour (..),
    Suit (..),
    Age (..),
    Pair (..),
    Empty (..),
    Nothing',
    Tree (..),
    Rose (..),
    Mutual (..),
    Other (..),
    Deep (..),
    Wide (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described (..), derivedDescription, orderedByParts)
import Data.Int (Int16, Int32)
import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Text (Text)
import Data.Time.Calendar (Day)
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)

data Order = Order
  { number :: Int,
    channel :: Channel,
    items :: [Item],
    note :: Maybe Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Item = Item {name :: Text, price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Channel = Web | Shop {town :: Text, till :: Word8} | Mail Word16 Bool
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

orders :: [Order]
orders =
  [ Order 1 (Shop "Graz" 7) [Item "brick" 0.75, Item "mortar" 4.5] Nothing,
    Order 2 Web [] (Just "urgent"),
    Order (-3) (Mail 65535 True) [Item "s\ESC[31md" 1e9] (Just "\"\128512\"")
  ]

data Colour = Red | Green | Blue
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

-- | Its order is known.
data Suit = Clubs | Diamonds Word8 | Hearts
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

instance Described Suit where
  describe = orderedByParts derivedDescription

newtype Age = Age {years :: Word8}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Pair a = Pair a a
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Empty = Empty
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

-- | A type without values.
data Nothing'
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Tree = Tip | Node Tree Int16 Tree
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Rose = Rose {root :: Text, subtrees :: [Rose]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Mutual = Mutual {first :: Age, others :: [Other]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Other = End | More {back :: Mutual, twice :: Maybe (Maybe Mutual)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | A value that ends nowhere.
newtype Deep = Deep {deeper :: Maybe Deep}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Wide = Wide
  { day :: Day,
    age :: Age,
    colours :: Set Word16,
    stock :: Map Text (Pair Int32),
    matrix :: [[Maybe Bool]],
    either' :: Either Colour (Int32, Text),
    unit :: (),
    empty :: Empty
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)
