{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Advice
-- Description : What a plan says to write compiles, and makes a plan
--
-- For each kind of place there is a type as it was, as it is, and as it is once the advice has been
-- followed. What a plan says is looked up in the source of the last one, which compiles.
module Tests.Evolution.Advice (tests) where

import Ashlar.Codec (Codec, encode)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Evolution
import Data.Int (Int64)
import qualified Data.Map as M
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import qualified Tests.Evolution.Advice.Bare as Bare
import qualified Tests.Evolution.Advice.Followed as Followed
import qualified Tests.Evolution.Advice.Old as Old
import qualified Tests.Evolution.Advice.Other as Other

tests :: TestTree
tests =
  testGroup
    "each advice compiles, and makes a plan"
    (map test places ++ [everywhere, testGroup "at the root" roots])

-- | What a plan says, what was said before that, and the types that say it.
data Place = Place
  { placeName :: String,
    placeMismatch :: Either Mismatch (),
    placeMessage :: Text,
    placeFollowed :: [(FilePath, Assertion)]
  }

-- | A value as it was, what the plan of today's type says of it, and the value as the first and as
-- the last advice have it.
at ::
  forall bare old a b.
  (Described bare, Described old, Described a, Eq a, Show a, Described b, Eq b, Show b) =>
  String ->
  old ->
  Text ->
  a ->
  b ->
  Place
at name old message first' last' =
  Place
    name
    (() <$ plan @bare (schema @old))
    message
    [("Followed", becomes old first'), ("Other", becomes old last')]

becomes :: forall old a. (Described old, Described a, Eq a, Show a) => old -> a -> Assertion
becomes old new =
  fmap (\g -> runGetWhole g (encode old)) (plan @a (schema @old)) @?= Right (Right new)

places :: [Place]
places =
  [ at @Bare.Named
      "a field with a name"
      (Old.Named 3)
      "Named.price: Int64 cannot become Double; say how with converted @\"price\" in the evolution \
      \of Named"
      (Followed.Named 3)
      (Other.Named 3),
    at @Bare.Pair
      "a field without a name"
      (Old.Pair "a" 3)
      "Pair.2: Int64 cannot become Double; say how with converted @\"2\" in the evolution of Pair"
      (Followed.Pair "a" 3)
      (Other.Pair "a" 3),
    at @Bare.Figure
      "a field without a name, in one of several constructors"
      (Old.Box 1 2)
      "Figure.Box.2: Int64 cannot become Text; say how with converted @\"Box.2\" in the evolution \
      \of Figure"
      (Followed.Box 1 "2")
      (Other.Box 1 "2"),
    at @Bare.Money
      "the field of a newtype"
      (Old.Money 3)
      "value: Int64 cannot become Double; say how with converted @\"1\" in the evolution of Money"
      (Followed.Money 3)
      (Other.Money 3),
    at @Bare.Basket
      "elements of a list"
      (Old.Basket [1, 2])
      "Basket.items[]: Int64 cannot become Text; say how with converted @\"items\" in the \
      \evolution of Basket"
      (Followed.Basket ["1", "2"])
      (Other.Basket ["1", "2"]),
    at @Bare.Stock
      "keys of a map"
      (Old.Stock (M.fromList [(2, 1), (10, 2)]))
      "Stock.stock{key}: Int64 cannot become Text; say how with converted @\"stock\" in the \
      \evolution of Stock"
      (Followed.Stock (M.fromList [("10", 2), ("2", 1)]))
      (Other.Stock (M.fromList [("10", 2), ("2", 1)])),
    at @Bare.Ledger
      "values of a map"
      (Old.Ledger (M.fromList [("a", 1)]))
      "Ledger.amounts{}: Int64 cannot become Double; say how with converted @\"amounts\" in the \
      \evolution of Ledger"
      (Followed.Ledger (M.fromList [("a", 1)]))
      (Other.Ledger (M.fromList [("a", 1)])),
    at @Bare.Tags
      "elements of a set"
      (Old.Tags (S.fromList [2, 10]))
      "Tags.1[]: Int64 cannot become Text; say how with converted @\"1\" in the evolution of Tags"
      (Followed.Tags (S.fromList ["10", "2"]))
      (Other.Tags (S.fromList ["10", "2"])),
    at @Bare.Atlas
      "fields of a key, which is converted with its map"
      (Old.Atlas (M.fromList [(Old.Place 1 2, "x")]))
      "Atlas.cities{key}: a key may only become a wider number, because keys must stay in order; \
      \say how with converted @\"cities\" in the evolution of Atlas"
      (Followed.Atlas (M.fromList [(Followed.Place 2 1, "x")]))
      (Other.Atlas (M.fromList [(Other.Place 2 1, "x")])),
    at @Bare.Chart
      "the type of a field of a key"
      (Old.Chart (M.fromList [(Old.Spot 3, 1)]))
      "Chart.spots{key}.spot: Int64 cannot become Text; say how with converted @\"spots\" in the \
      \evolution of Chart"
      (Followed.Chart (M.fromList [(Followed.Spot "3", 1)]))
      (Other.Chart (M.fromList [(Other.Spot "3", 1)])),
    at @Bare.Report
      "constructors of a key"
      (Old.Report (M.fromList [(Old.Good, "x"), (Old.Bad, "y")]))
      "Report.grades{key}: a key may only become a wider number, because keys must stay in order; \
      \say how with converted @\"grades\" in the evolution of Report"
      (Followed.Report (M.fromList [(Followed.Good, "x"), (Followed.Bad, "y")]))
      (Other.Report (M.fromList [(Other.Good, "x"), (Other.Bad, "y")])),
    at @Bare.Both
      "a part of a tuple"
      (Old.Both (True, 3))
      "Both.both.2: Int64 cannot become Double; say how with converted @\"both\" in the evolution \
      \of Both"
      (Followed.Both (True, 3))
      (Other.Both (True, 3)),
    at @Bare.Choice
      "a field of a type that is not the user's"
      (Old.Choice (Right 3))
      "Choice.choice.Right.1: Int64 cannot become Double; say how with converted @\"choice\" in \
      \the evolution of Choice"
      (Followed.Choice (Right 3))
      (Other.Choice (Right 3)),
    at @Bare.Asked
      "a constructor of a type that is not the user's"
      (Old.Asked (Old.Yes 3))
      "Asked.answer: the data may have a constructor No that the type does not have; say how with \
      \converted @\"answer\" in the evolution of Asked"
      (Followed.Asked (Right 3))
      (Other.Asked (Right 3)),
    at @Bare.Station
      "a field of a type that is described by hand"
      (Old.Station (Old.Reading 3))
      "Station.reading.celsius: Int64 cannot become Double; say how with converted @\"reading\" in \
      \the evolution of Station"
      (Followed.Station (Followed.Reading 3))
      (Other.Station (Other.Reading 3)),
    at @Bare.Note
      "a text that becomes a character"
      (Old.Note "abc")
      "Note.body: Text cannot become Char; say how with converted @\"body\" in the evolution of \
      \Note"
      (Followed.Note 'a')
      (Other.Note 'a'),
    at @Bare.Order
      "a new field"
      (Old.Order "brick")
      "Order.channel: the field is new; give it a default with added @\"channel\" in the evolution \
      \of Order"
      (Followed.Order "web" "brick")
      (Other.Order "web" "brick"),
    at @Bare.Point
      "a new field without a name"
      (Old.Point 1 2)
      "Point.3: the field is new; give it a default with added @\"3\" in the evolution of Point"
      (Followed.Point 1 2 0)
      (Other.Point 1 2 0),
    at @Bare.Event
      "a new field without a name, in one of several constructors"
      (Old.Start 1)
      "Event.Start.2: the field is new; give it a default with added @\"Start.2\" in the evolution \
      \of Event"
      (Followed.Start 1 7)
      (Other.Start 1 7),
    at @Bare.Parcel
      "a field that is gone, or has another name"
      (Old.Parcel 1 "fragile")
      "Parcel: the data have a field note that the type does not have; say dropped @\"note\", or \
      \renamed @\"note\" and its name today in the evolution of Parcel"
      (Followed.Parcel 1 "")
      (Other.Parcel 1 "fragile"),
    at @Bare.Triple
      "a field without a name that is gone"
      (Old.Triple 1 2 3)
      "Triple: the data have a field 3 that the type does not have; say dropped @\"3\" in the \
      \evolution of Triple"
      (Followed.Triple 1 2)
      (Other.Triple 1 2),
    at @Bare.Named2
      "fields that get names"
      (Old.Named2 1 "a")
      "Named2: the data have a field 1 that the type does not have; say dropped @\"1\", or renamed \
      \@\"1\" and its name today in the evolution of Named2"
      (Followed.Named2 0 "")
      (Other.Named2 1 "a"),
    at @Bare.Move
      "a field that is gone from one constructor, and not from others"
      (Old.Walk 1 2)
      "Move.Walk: the data have a field fast that the type does not have; say dropped \
      \@\"Walk.fast\", or renamed @\"Walk.fast\" and its name today in the evolution of Move"
      (Followed.Walk 1 1)
      (Other.Walk 1 2),
    at @Bare.Turn
      "a field without a name that is gone from one constructor, and not from others"
      (Old.Right' 1 2)
      "Turn.Right': the data have a field 1 that the type does not have; say dropped \
      \@\"Right'.1\", or renamed @\"Right'.1\" and its name today in the evolution of Turn"
      (Followed.Right' 3)
      (Other.Right' 1),
    at @Bare.Merged
      "two fields that would become one"
      (Old.Merged 1 2)
      "Merged.only: two fields of the data would become only; say dropped @\"one\" in place of \
      \renamed, or say dropped @\"two\" in place of renamed in the evolution of Merged"
      (Followed.Merged 2)
      (Other.Merged 1),
    at @Bare.Status
      "a constructor that is gone, or has another name"
      Old.New
      "Status: the data may have a constructor Void that the type does not have; say \
      \droppedConstructor @\"Void\", or renamedConstructor @\"Void\" and its name today in the \
      \evolution of Status"
      Followed.New
      Other.New,
    at @Bare.Single
      "the only constructor, which is gone or has another name"
      (Old.Single 1)
      "Single: the data may have a constructor Single that the type does not have; say \
      \droppedConstructor @\"Single\", or renamedConstructor @\"Single\" and its name today in the \
      \evolution of Single"
      (Other.Several 1)
      (Other.Several 1)
  ]

test :: Place -> TestTree
test place = testCase (placeName place) $ case placeMismatch place of
  Right () -> assertFailure "a plan"
  Left m -> do
    describeMismatch m @?= placeMessage place
    case mismatchAdvice m of
      Just (InEvolutionOf t suggestions) -> do
        sources <- mapM (T.readFile . source . fst) (placeFollowed place)
        let isThere s = any (T.isInfixOf (written s) . said t) sources
        mapM_ (\s -> assertBool (show s) (isThere s)) suggestions
      other -> assertFailure (show other)
    mapM_ snd (placeFollowed place)
  where
    source file = "tests/Tests/Evolution/Advice/" ++ file ++ ".hs"
    -- What is said in the instance of a type.
    said t text =
      fst (T.breakOn "\n\n" (snd (T.breakOn (T.concat ["instance Described ", t, " where"]) text)))

-- | A suggestion as it is written.
written :: Suggestion -> Text
written s = case s of
  SayAdded n -> named "added" n
  SayConverted n -> named "converted" n
  SayDropped n -> named "dropped" n
  SayDroppedInstead n -> named "dropped" n
  SayRenamed n -> named "renamed" n
  SayDroppedConstructor n -> named "droppedConstructor" n
  SayRenamedConstructor n -> named "renamedConstructor" n
  where
    named f n = T.concat [f, " @\"", n, "\""]

everywhere :: TestTree
everywhere =
  testCase "each kind of advice is among them" $
    S.fromList
      [ T.takeWhile (/= ' ') (T.pack (show s))
        | place <- places,
          Left m <- [placeMismatch place],
          Just (InEvolutionOf _ suggestions) <- [mismatchAdvice m],
          s <- suggestions
      ]
      @?= S.fromList
        [ "SayAdded",
          "SayConverted",
          "SayDropped",
          "SayDroppedInstead",
          "SayRenamed",
          "SayDroppedConstructor",
          "SayRenamedConstructor"
        ]

newtype Celsius = Celsius Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Celsius where
  evolution = [converted @"1" (fromIntegral :: Int64 -> Double)]

newtype Celsiuses = Celsiuses [Double]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Celsiuses where
  evolution = [converted @"1" (map fromIntegral :: [Int64] -> [Double])]

newtype Named = Named (M.Map Text Int64)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Named where
  evolution =
    [ converted @"1"
        (M.mapKeys (T.pack . show) :: M.Map Int64 Int64 -> M.Map Text Int64)
    ]

roots :: [TestTree]
roots =
  [ root @Double "a number" (3 :: Int64) "value: Int64 cannot become Double" (Celsius 3),
    root @[Double] "elements" [3 :: Int64] "value[]: Int64 cannot become Double" (Celsiuses [3]),
    root @(M.Map Text Int64)
      "keys"
      (M.fromList [(2, 3)] :: M.Map Int64 Int64)
      "value{key}: Int64 cannot become Text"
      (Named (M.fromList [("2", 3)]))
  ]

root ::
  forall bare old new.
  (Described bare, Described old, Described new, Eq new, Show new) =>
  String ->
  old ->
  Text ->
  new ->
  TestTree
root name old message new = testCase name $ do
  either describeMismatch (const "a plan") (plan @bare (schema @old))
    @?= T.append
      message
      "; read it as a newtype, and say how with converted @\"1\" in the newtype's evolution"
  becomes old new
