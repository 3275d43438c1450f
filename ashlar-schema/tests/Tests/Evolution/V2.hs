{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.V2
-- Description : The same types today
module Tests.Evolution.V2
  ( Order (..),
    Item (..),
    Status (..),
    Tree (..),
    Expression (..),
    Binding (..),
    Chain (..),
    Colour (..),
    Keys (..),
    Simple (..),
    Empty (..),
    Money (..),
    Single (..),
    Irregular (..),
    Narrow (..),
    Wide (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema
import Data.Int (Int32, Int64)
import Data.Map (Map)
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)

-- | Everything at once: added, renamed, dropped, converted, reordered, widened, optional.
data Order = Order
  { price :: Double,
    channel :: Text,
    number :: Int64,
    items :: [Item],
    count :: Word16,
    status :: Maybe Status,
    tags :: Map Text Int32,
    extra :: Maybe [Maybe Text],
    flags :: (Bool, Double),
    lucky :: Maybe Word8
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Order where
  evolution =
    [ added @"channel" "web",
      added @"lucky" (Just 7),
      renamed @"qty" @"count",
      dropped @"note",
      converted @"price" (\c -> fromIntegral (c :: Int64) / 100)
    ]

data Item = Item {label :: Text, weight :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Item where
  evolution = [dropped @"unused"]

data Status = Refunded | Cancelled | Paid {at :: Int64, by :: [Text]} | New
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Status where
  evolution = [renamedConstructor @"Void" @"Cancelled", droppedConstructor @"Lost"]

data Tree = Leaf | Fork | Node Tree Int32 Tree
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Expression = Let [Binding] Expression | Variable Text | Literal Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Binding = Binding {value :: Expression, bound :: Text, strict :: Bool}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Binding where
  evolution = [added @"strict" True]

data Chain = End | Link {rest :: Chain, first :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Colour = Red | Green | Blue | Grey
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec, Described)

data Keys = Keys {numbers :: Map Int64 Text, colours :: Map Colour Bool, some :: [Set Integer]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | Nothing of this shows in the bytes.
data Simple = Simple {one :: Word8, second :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Simple where
  evolution = [renamed @"two" @"second"]

data Empty = Empty {large :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Empty where
  evolution = [added @"large" (T.replicate 1000 "x")]

-- | A conversion of a newtype's field.
newtype Money = Money {cents :: Integer}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Money where
  evolution = [converted @"cents" (\c -> 10 * toInteger (c :: Int64))]

-- | A record gets a second constructor.
data Single = Nothing' | Single {only :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Irregular a = Zero a | Succ (Irregular [a]) | Other
  deriving stock (Generic)

instance Codec a => Codec (Irregular a)

instance Described a => Described (Irregular a)

-- | Bounds, and more of them.
newtype Narrow = Narrow Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Narrow where
  describe = whole @Word8 0 10

newtype Wide = Wide Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Wide where
  describe = whole @Word8 0 20
