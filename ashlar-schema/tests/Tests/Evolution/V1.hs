{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.V1
-- Description : Types as they were
module Tests.Evolution.V1
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
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described)
import Data.Int (Int16, Int32, Int64)
import Data.List.NonEmpty (NonEmpty)
import Data.Map (Map)
import Data.Set (Set)
import Data.Text (Text)
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)

data Order = Order
  { number :: Int32,
    note :: Text,
    items :: [Item],
    qty :: Word8,
    price :: Int64,
    status :: Status,
    tags :: Map Text Word16,
    extra :: Maybe [Text],
    flags :: (Bool, Float)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Item = Item {label :: Text, weight :: Float, unused :: Tree}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Status = New | Paid {by :: Text, at :: Int32} | Void | Lost Int16
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Tree = Leaf | Node Tree Int16 Tree
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | Mutual recursion.
data Expression = Literal Int32 | Variable Text | Let [Binding] Expression
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Binding = Binding {bound :: Text, value :: Expression}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | A list by hand.
data Chain = End | Link {first :: Word8, rest :: Chain}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Colour = Red | Green | Blue
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec, Described)

data Keys = Keys
  { numbers :: Map Int16 Text,
    colours :: Map Colour Bool,
    some :: NonEmpty (Set Int32)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Simple = Simple {one :: Word8, two :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Empty = Empty
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Money = Money {cents :: Int32}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Single = Single {only :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Irregular a = Zero a | Succ (Irregular [a])
  deriving stock (Generic)

instance Codec a => Codec (Irregular a)

instance Described a => Described (Irregular a)
