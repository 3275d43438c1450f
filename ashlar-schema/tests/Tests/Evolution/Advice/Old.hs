{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
-- Many instances, and nothing to optimise.
{-# OPTIONS_GHC -O0 -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.Advice.Old
-- Description : Types as they were, one for each kind of place
module Tests.Evolution.Advice.Old
  ( Named (..),
    Pair (..),
    Figure (..),
    Money (..),
    Basket (..),
    Stock (..),
    Ledger (..),
    Tags (..),
    Place (..),
    Atlas (..),
    Spot (..),
    Chart (..),
    Grade (..),
    Report (..),
    Both (..),
    Choice (..),
    Answer (..),
    Asked (..),
    Reading (..),
    Station (..),
    Note (..),
    Order (..),
    Point (..),
    Event (..),
    Parcel (..),
    Triple (..),
    Named2 (..),
    Move (..),
    Turn (..),
    Merged (..),
    Status (..),
    Single (..),
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Schema
import Data.Int (Int64)
import Data.Map (Map)
import Data.Set (Set)
import Data.Text (Text)
import Data.Word (Word8)
import GHC.Generics (Generic)

data Named = Named {price :: Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Pair = Pair Text Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Figure = Dot | Box Int64 Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Money = Money Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Basket = Basket {items :: [Int64]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Stock = Stock {stock :: Map Int64 Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Ledger = Ledger {amounts :: Map Text Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Tags = Tags (Set Int64)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Place = Place {row :: Int64, column :: Int64}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Atlas = Atlas {cities :: Map Place Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Spot = Spot {spot :: Int64}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Chart = Chart {spots :: Map Spot Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Grade = Good | Bad
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Report = Report {grades :: Map Grade Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Both = Both {both :: (Bool, Int64)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Choice = Choice {choice :: Either Text Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Answer = No Text | Yes Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Asked = Asked {answer :: Answer}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Reading = Reading Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Reading where
  describe = recordOf "Reading" [part @Int64 "celsius"]

data Station = Station {reading :: Reading}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Note = Note {body :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Order = Order {item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Point = Point Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Event = Start Word8 | Stop
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Parcel = Parcel {weight :: Word8, note :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Triple = Triple Word8 Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Named2 = Named2 Word8 Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Move = Walk {far :: Word8, fast :: Word8} | Run {far :: Word8, fast :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Turn = Left' Word8 Word8 | Right' Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Merged = Merged {one :: Word8, two :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Status = New | Void | Lost
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Single = Single {held :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)
