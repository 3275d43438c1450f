{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}
-- Many instances, and nothing to optimise.
{-# OPTIONS_GHC -O0 -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.Advice.Followed
-- Description : The types of Bare, with the first of what their plans say to write
--
-- "Tests.Evolution.Advice" looks each advice up in the text of this module. So what a plan says to
-- write is what compiles here.
module Tests.Evolution.Advice.Followed
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
import Data.Map (Map, mapKeys)
import Data.Set (Set)
import qualified Data.Set as Set
import Data.Text (Text, pack)
import qualified Data.Text as Text
import Data.Word (Word8)
import GHC.Generics (Generic)
import qualified Tests.Evolution.Advice.Old as Old

data Named = Named {price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Named where
  evolution =
    [ converted @"price" (fromIntegral :: Int64 -> Double)
    ]

data Pair = Pair Text Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Pair where
  evolution =
    [ converted @"2" (fromIntegral :: Int64 -> Double)
    ]

data Figure = Dot | Box Int64 Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Figure where
  evolution =
    [ converted @"Box.2" (pack . show :: Int64 -> Text)
    ]

newtype Money = Money Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Money where
  evolution =
    [ converted @"1" (fromIntegral :: Int64 -> Double)
    ]

data Basket = Basket {items :: [Text]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Basket where
  evolution =
    [ converted @"items" (map (pack . show) :: [Int64] -> [Text])
    ]

data Stock = Stock {stock :: Map Text Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Stock where
  evolution =
    [ converted @"stock" (mapKeys (pack . show) :: Map Int64 Word8 -> Map Text Word8)
    ]

data Ledger = Ledger {amounts :: Map Text Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Ledger where
  evolution =
    [ converted @"amounts" (fmap fromIntegral :: Map Text Int64 -> Map Text Double)
    ]

data Tags = Tags (Set Text)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Tags where
  evolution =
    [ converted @"1" (Set.map (pack . show) :: Set Int64 -> Set Text)
    ]

data Place = Place {column :: Int64, row :: Int64}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Atlas = Atlas {cities :: Map Place Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Atlas where
  evolution =
    [ converted @"cities" (mapKeys place :: Map Old.Place Text -> Map Place Text)
    ]

data Spot = Spot {spot :: Text}
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Chart = Chart {spots :: Map Spot Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Chart where
  evolution =
    [ converted @"spots" (mapKeys renamedSpot :: Map Old.Spot Word8 -> Map Spot Word8)
    ]

data Grade = Good | Fair | Bad
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Report = Report {grades :: Map Grade Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Report where
  evolution =
    [ converted @"grades" (mapKeys grade :: Map Old.Grade Text -> Map Grade Text)
    ]

data Both = Both {both :: (Bool, Double)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Both where
  evolution =
    [ converted @"both" (fmap fromIntegral :: (Bool, Int64) -> (Bool, Double))
    ]

data Choice = Choice {choice :: Either Text Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Choice where
  evolution =
    [ converted @"choice" (fmap fromIntegral :: Either Text Int64 -> Either Text Double)
    ]

data Answer = No Text | Yes Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Asked = Asked {answer :: Either Text Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Asked where
  evolution =
    [ converted @"answer" (answered :: Old.Answer -> Either Text Int64)
    ]

data Reading = Reading Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Reading where
  describe = recordOf "Reading" [part @Double "celsius"]

data Station = Station {reading :: Reading}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Station where
  evolution =
    [ converted @"reading" (warm :: Old.Reading -> Reading)
    ]

data Note = Note {body :: Char}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Note where
  evolution =
    [ converted @"body" (Text.head :: Text -> Char)
    ]

data Order = Order {channel :: Text, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Order where
  evolution =
    [ added @"channel" "web"
    ]

data Point = Point Word8 Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Point where
  evolution =
    [ added @"3" 0
    ]

data Event = Start Word8 Word8 | Stop
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Event where
  evolution =
    [ added @"Start.2" 7
    ]

data Parcel = Parcel {weight :: Word8, remark :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Parcel where
  evolution =
    [ added @"remark" "",
      dropped @"note"
    ]

data Triple = Triple Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Triple where
  evolution =
    [ dropped @"3"
    ]

data Named2 = Named2 {size :: Word8, label :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Named2 where
  evolution =
    [ dropped @"1",
      dropped @"2",
      added @"size" 0,
      added @"label" ""
    ]

data Move = Walk {far :: Word8, slow :: Word8} | Run {far :: Word8, fast :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Move where
  evolution =
    [ dropped @"Walk.fast",
      added @"slow" 1
    ]

data Turn = Left' Word8 Word8 | Right' {by :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Turn where
  evolution =
    [ dropped @"Right'.1",
      dropped @"Right'.2",
      added @"by" 3
    ]

data Merged = Merged {only :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Merged where
  evolution =
    [ dropped @"one",
      renamed @"two" @"only"
    ]

data Status = New | Cancelled
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Status where
  evolution =
    [ droppedConstructor @"Void",
      droppedConstructor @"Lost"
    ]

data Single = Several {held :: Word8} | None
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Single where
  evolution =
    [ droppedConstructor @"Single"
    ]

place :: Old.Place -> Place
place (Old.Place r c) = Place c r

grade :: Old.Grade -> Grade
grade g = case g of
  Old.Good -> Good
  Old.Bad -> Bad

answered :: Old.Answer -> Either Text Int64
answered a = case a of
  Old.No t -> Left t
  Old.Yes n -> Right n

warm :: Old.Reading -> Reading
warm (Old.Reading n) = Reading (fromIntegral n)

renamedSpot :: Old.Spot -> Spot
renamedSpot (Old.Spot n) = Spot (pack (show n))
