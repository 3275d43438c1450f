{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
-- Many instances, and nothing to optimise.
{-# OPTIONS_GHC -O0 -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.Advice.Bare
-- Description : The same types today, before anything is said of what has changed
module Tests.Evolution.Advice.Bare
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

data Named = Named {price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Pair = Pair Text Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Figure = Dot | Box Int64 Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Money = Money Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Basket = Basket {items :: [Text]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Stock = Stock {stock :: Map Text Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Ledger = Ledger {amounts :: Map Text Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Tags = Tags (Set Text)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Place = Place {column :: Int64, row :: Int64}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Atlas = Atlas {cities :: Map Place Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Spot = Spot {spot :: Text}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Chart = Chart {spots :: Map Spot Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Grade = Good | Fair | Bad
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Report = Report {grades :: Map Grade Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Both = Both {both :: (Bool, Double)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Choice = Choice {choice :: Either Text Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Answer = No Text | Yes Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Asked = Asked {answer :: Either Text Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Reading = Reading Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Reading where
  describe = recordOf "Reading" [part @Double "celsius"]

data Station = Station {reading :: Reading}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Note = Note {body :: Char}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Order = Order {channel :: Text, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Point = Point Word8 Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Event = Start Word8 Word8 | Stop
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Parcel = Parcel {weight :: Word8, remark :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Parcel where
  evolution =
    [ added @"remark" ""
    ]

data Triple = Triple Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Named2 = Named2 {size :: Word8, label :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Move = Walk {far :: Word8, slow :: Word8} | Run {far :: Word8, fast :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Turn = Left' Word8 Word8 | Right' {by :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Merged = Merged {only :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Merged where
  evolution =
    [ renamed @"one" @"only",
      renamed @"two" @"only"
    ]

data Status = New | Cancelled
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Single = Several {held :: Word8} | None
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)
