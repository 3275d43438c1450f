{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Values.Derived
-- Description : Values of derived types, and of definitions that are not derived
module Conformance.Values.Derived (derived) where

import Ashlar.Codec (encode)
import Ashlar.Codec.Wrappers (Compact (..))
import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Types
import Conformance.Value
import qualified Data.ByteString as B
import Data.Fixed (Centi, Pico)
import Data.Int (Int16, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Map.Strict as M
import Data.Ratio ((%))
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Calendar (Day (..), DayOfWeek (..))
import Data.Time.Clock (DiffTime, UTCTime (..))
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.LocalTime (LocalTime (..), TimeOfDay (..), TimeZone (..), ZonedTime (..))
import qualified Data.Tree as Data
import qualified Data.Vector as V
import Data.Version (Version, makeVersion)
import Data.Word (Word8)

derived :: [Entry]
derived = concat [records, recursive, sums, dates, paths, budgets]

records :: [Entry]
records =
  concat
    [ typed "Order" orders,
      cutOff "Order" (schema @Order) (encode (head orders)),
      [ valueCase
          ("Order, byte " ++ show i ++ " is FF")
          (schema @Order)
          (replaced i 255 (encode (orders !! 2)))
        | i <- [0, 3 .. B.length (encode (orders !! 2)) - 1]
      ],
      [valueCase "Order, a byte more" (schema @Order) (B.snoc (encode (head orders)) 0)],
      typed "Channel" [Web, Shop "Wien" 1, Mail 2 False],
      hexed
        "Channel"
        (schema @Channel)
        [ ("tag 3", "03"),
          ("tag 255", "ff"),
          ("Mail cut off", "02 01"),
          ("Mail with 2", "02 0100 02"),
          ("Shop without a till", "01 0000000000000000")
        ],
      typed
        "Wide"
        [ wide,
          wide {colours = Set.empty, stock = M.empty, matrix = [], either' = Left Blue}
        ],
      typed "Pair" [Pair (1 :: Int16) 2],
      typed "Pair (Pair Text)" [Pair (Pair "a" "b") (Pair "" ("c" :: Text))],
      typed "Empty" [Empty],
      typed "[Empty]" [[Empty, Empty]],
      typed "Age" [Age 7],
      typed "[Age]" [[Age 7, Age 8]],
      hexed "Age" (schema @Age) [("cut off", "")],
      hexed "Nothing'" (schema @Nothing') [("a byte", "00"), ("no byte", "")],
      typed "[Nothing']" [[] :: [Nothing']]
    ]
  where
    wide =
      Wide
        { day = ModifiedJulianDay 60000,
          age = Age 9,
          colours = Set.fromList [1, 7, 300],
          stock = M.fromList [("brick", Pair 1 2), ("\228", Pair (-1) 0)],
          matrix = [[Just True, Nothing], [], [Just False]],
          either' = Right (5, "five"),
          unit = (),
          empty = Empty
        }

replaced :: Int -> Word8 -> B.ByteString -> B.ByteString
replaced i w bs = B.concat [B.take i bs, B.singleton w, B.drop (i + 1) bs]

recursive :: [Entry]
recursive =
  concat
    [ typed "Tree" [Tip, Node Tip 1 Tip, Node (Node Tip (-1) Tip) 0 (Node Tip 1 (Node Tip 2 Tip))],
      cutOff "Tree" (schema @Tree) (encode (Node (Node Tip (-1) Tip) 0 (Node Tip 1 Tip))),
      typed "a deep Tree" [foldr (\_ t -> Node t 1 Tip) Tip [1 .. 300 :: Int]],
      [valueCase "a deep Tree, cut off" (schema @Tree) (B.replicate 200 1)],
      typed "Rose" [Rose "a" [], Rose "a" [Rose "b" [Rose "" []], Rose "c" []]],
      cutOff "Rose" (schema @Rose) (encode (Rose "a" [Rose "b" []])),
      typed
        "Mutual"
        [ Mutual
            (Age 1)
            [ End,
              More (Mutual (Age 2) []) (Just Nothing),
              More (Mutual (Age 3) [End]) Nothing
            ]
        ],
      cutOff
        "Mutual"
        (schema @Mutual)
        ( encode
            ( Mutual
                (Age 1)
                [ End,
                  More (Mutual (Age 2) []) (Just (Just (Mutual (Age 3) [End])))
                ]
            )
        ),
      typed "Deep" [Deep Nothing, Deep (Just (Deep (Just (Deep Nothing))))],
      hexed "Deep" (schema @Deep) [("cut off", "0101"), ("a wrong tag", "010102")],
      typed "Data.Tree" [Data.Node (1 :: Word8) [Data.Node 2 [], Data.Node 3 []]]
    ]

sums :: [Entry]
sums =
  concat
    [ typed "Colour" [Red, Green, Blue],
      hexed "Colour" (schema @Colour) [("tag 3", "03"), ("no tag", "")],
      typed "Suit" [Clubs, Diamonds 7, Hearts],
      typed "Either" [Left 1, Right True :: Either Word8 Bool],
      hexed
        "Either"
        (schema @(Either Word8 Bool))
        [ ("tag 2", "02"),
          ("Right 2", "0102"),
          ("Left", "00")
        ],
      typed "Ordering" [LT, EQ, GT],
      hexed
        "retired constructors"
        retired
        [ ("the first", "00"),
          ("the retired one", "01"),
          ("the third", "02 07"),
          ("tag 3", "03")
        ],
      hexed "many constructors" (many 257) [("the last", "0001"), ("one more", "0101")],
      hexed "256 constructors" (many 256) [("the last", "ff")],
      hexed
        "names"
        named
        [ ("positions", "00 0102"),
          ("one name", "01 07"),
          ("an odd name", "02 07"),
          ("no name", "03 07"),
          ("named and cut off", "01"),
          ("positions and cut off", "00 01"),
          ("the first is named 1", "04 0102"),
          ("positions in another order", "05 0102")
        ],
      hexed "a record of positions" positions [("good", "0102"), ("cut off", "01")]
    ]
  where
    one d = Schema (Reference 0) (V.singleton d)
    byte = Leaf (Number W8)
    retired =
      one . Definition "State" Sum Unordered $
        [ Constructor "New" False [],
          Constructor "Old" True [],
          Constructor "Third" False [Field "n" byte]
        ]
    many n =
      one . Definition "Many" Sum Unordered $
        [Constructor (T.pack ('C' : show i)) False [] | i <- [1 .. n :: Int]]
    named =
      one . Definition "Names" Sum Unordered $
        [ Constructor "Positions" False [Field "1" byte, Field "2" byte],
          Constructor "Named" False [Field "a" byte],
          Constructor "\"odd\"\n" False [Field "a b\\" byte],
          Constructor "" False [Field "" byte],
          Constructor "Half" False [Field "1" byte, Field "b" byte],
          Constructor "Other" False [Field "2" byte, Field "1" byte]
        ]
    positions =
      one
        ( Definition
            "Point"
            Record
            Unordered
            [ Constructor
                "Point"
                False
                [ Field "1" byte,
                  Field "2" byte
                ]
            ]
        )

dates :: [Entry]
dates =
  concat
    [ typed "Day" (map ModifiedJulianDay [0, 60369, -1]),
      typed "DayOfWeek" [Monday, Sunday],
      hexed "DayOfWeek" (schema @DayOfWeek) [("0", "00"), ("8", "08")],
      typed "DiffTime" [0, 1.5, -1 :: DiffTime],
      typed
        "UTCTime"
        [ UTCTime (ModifiedJulianDay 60369) 3600,
          UTCTime (ModifiedJulianDay 57753) 86400.5
        ],
      hexed
        "UTCTime"
        (schema @UTCTime)
        [ ("86401 seconds", "00 10004042c78ef53201"),
          ("-1 picosecond", "00 0301"),
          ("half", "04d1eb")
        ],
      typed "TimeOfDay" [TimeOfDay 0 0 0, TimeOfDay 23 59 60.5],
      hexed
        "TimeOfDay"
        (schema @TimeOfDay)
        [ ("hour 24", "18 00 00"),
          ("minute 60", "17 3c 00"),
          ("61 seconds", "17 3b 0c 00d0f1bf7a37"),
          ("cut off", "17")
        ],
      typed "LocalTime" [local],
      typed "TimeZone" [TimeZone 60 False "CET", TimeZone (-480) True ""],
      typed "ZonedTime" [ZonedTime local (TimeZone 60 False "CET")],
      typed "SystemTime" [MkSystemTime 1 2, MkSystemTime (-1) 1999999999],
      hexed
        "SystemTime"
        (schema @SystemTime)
        [("2,000,000,000 nanoseconds", "0000000000000000 00943577")],
      typed "Centi" [1.25, -0.01 :: Centi],
      typed "Pico" [0.000000000001 :: Pico],
      typed "Rational" [1 % 2, -7 :: Rational],
      typed "Version" [makeVersion [1, 2] :: Version],
      typed "NonEmpty" [1 :| [2 :: Int8]],
      typed "Compact Map" [Compact (M.fromList [("a" :: Text, True)])],
      typed "String" ["a\xD800\228" :: String],
      typed
        "a tuple of eight"
        [ ( 1,
            "a",
            (),
            True,
            [2],
            3,
            'c',
            4
          ) ::
            ( Int8,
              Text,
              (),
              Bool,
              [Int8],
              Int8,
              Char,
              Word8
            )
        ]
    ]
  where
    local = LocalTime (ModifiedJulianDay 60369) (TimeOfDay 12 0 0)

-- Where errors are.
paths :: [Entry]
paths =
  concat
    [ hexed
        "[[[Boolean]]]"
        (plain (list (list (list (Leaf Boolean)))))
        [ ("a wrong one", "02 00 02 00 03 000102"),
          ("cut off", "02 00 02 00 03 0001")
        ],
      hexed
        "[(Boolean, Boolean)]"
        (plain (list (Tuple [Leaf Boolean, Leaf Boolean])))
        [("a wrong one", "02 0001 0002")],
      hexed
        "Map W8 (Maybe Boolean)"
        (plain (Map LengthVarint byte (Optional (Leaf Boolean))))
        [ ("a wrong one", "02 01 00 02 0102"),
          ("a wrong tag", "02 01 00 02 02")
        ],
      hexed
        "Map Boolean W8"
        (plain (Map LengthVarint (Leaf Boolean) byte))
        [ ("a wrong key", "02 00 01 02 02"),
          ("descending", "02 01 01 00 02")
        ],
      hexed
        "Array W8 Boolean"
        (plain (Array byte (Leaf Boolean)))
        [("a wrong one", "00 01 0200000000000000 0002")],
      hexed
        "[Order]"
        (schema @[Order])
        [ ("cut off", "0200000000000000 0100000000000000 00 0000000000000000 00 02000000"),
          ("a wrong tag", "0100000000000000 0100000000000000 07"),
          ("a wrong note", "0100000000000000 0100000000000000 00 0000000000000000 02")
        ],
      hexed "a newtype in a record" (schema @[Mutual]) [("cut off", "0100000000000000")],
      hexed
        "a record with tuples"
        (inForm Record)
        [ ("good", "01 01 00 01 01 00 01"),
          ("a wrong first part", "01 02 01 01 01 01 01"),
          ("a wrong last part", "01 01 01 02 01 01 01"),
          ("a wrong part of a part", "01 01 01 01 01 02 01"),
          ("a wrong field after it", "01 01 01 01 01 01 02")
        ],
      hexed
        "a constructor with tuples"
        (inForm Sum)
        [("a wrong part", "00 01 01 01 02 01 01 01")],
      hexed
        "an array of tuples"
        (plain (Array byte (Tuple [Leaf Boolean, Leaf Boolean])))
        [("a wrong part of element 1", "00 01 0200000000000000 0101 0102")],
      hexed
        "a map with tuples"
        (plain (Map LengthVarint (Tuple [byte, Leaf Boolean]) (Tuple [Leaf Boolean, byte])))
        [ ("a wrong key of entry 1", "02 0000 0000 0102 0000"),
          ("a wrong value of entry 1", "02 0000 0000 0100 0200")
        ],
      [valueCase "long names in a path" (named long) (B.pack [2])],
      [ valueCase ("a record " ++ T.unpack title) (named title) (B.pack [2])
        | title <- ["Tuple", "Tuple2", "Tuple99", "Tuple100", "Tuple99999999999"]
      ]
    ]
  where
    list = List LengthVarint
    byte = Leaf (Number W8)
    long = T.replicate 12 "long name "
    bools = Tuple . map Leaf
    inForm form =
      Schema (Reference 0) . V.singleton $
        Definition "R" form Unordered . pure . Constructor "R" False $
          [ Field "a" (Leaf Boolean),
            Field "b" (bools [Boolean, Boolean, Boolean]),
            Field "c" (Tuple [Tuple [Leaf Boolean, Leaf Boolean], Leaf Unit]),
            Field "d" (Leaf Boolean)
          ]
    named title =
      Schema (Reference 0) . V.singleton $
        Definition title Record Unordered [Constructor title False [Field title (Leaf Boolean)]]

-- What the size of the input does not bound.
budgets :: [Entry]
budgets =
  concat
    [ hexed "data T = T T" endless [("no bytes", "")],
      hexed "data T = T T T" endless2 [("no bytes", "")],
      hexed "newtype T = T T" endlessNewtype [("no bytes", "")],
      hexed
        "a list of data T = T T"
        endless {schemaRoot = List LengthVarint (Reference 0)}
        [ ("none", "00"),
          ("one", "01")
        ],
      hexed "records of no bytes" nothings [("two", "02"), ("2^8", "8002"), ("2^20 + 1", "818040")],
      hexed
        "a Maybe of records of no bytes"
        (Schema (List LengthVarint (Optional (Reference 0))) (schemaDefinitions nothings))
        [("good", "03 00 01 01")],
      hexed
        "tuples in tuples of no bytes"
        (plain (List LengthVarint (doubled 5 (Leaf Unit))))
        [ ("none", "00"),
          ("two", "02"),
          ("2^16", "808004"),
          ("2^20 + 1", "818040")
        ],
      hexed "a list of records that double, 5 levels" (doublingRecords 5) [("one", "01")],
      hexed
        "a list of records that double, 20 levels"
        (doublingRecords 20)
        [("none", "00"), ("one", "01")],
      hexed "a list of records that double, 40 levels" (doublingRecords 40) [("one", "01")],
      hexed
        "a Maybe of records that double, 22 levels"
        (doublingRecords 22) {schemaRoot = Optional (Reference 0)}
        [("one", "01")]
    ]
  where
    doublingRecords n =
      Schema (List LengthVarint (Reference 0)) . V.fromList $
        [ named i [Field "a" (Reference (i + 1)), Field "b" (Reference (i + 1))]
          | i <- [0 .. n - 1 :: Int]
        ]
          ++ [named n []]
    named i fields =
      let title = T.pack ("D" ++ show i)
       in Definition title Record Unordered [Constructor title False fields]
    definition fields = Definition "T" Record Unordered [Constructor "T" False fields]
    endless = Schema (Reference 0) (V.singleton (definition [Field "1" (Reference 0)]))
    endless2 =
      Schema
        (Reference 0)
        ( V.singleton
            ( definition
                [ Field "1" (Reference 0),
                  Field "2" (Reference 0)
                ]
            )
        )
    endlessNewtype =
      Schema (Reference 0) . V.singleton $
        Definition "T" Newtype Unordered [Constructor "T" False [Field "t" (Reference 0)]]
    nothings =
      Schema (List LengthVarint (Reference 0)) . V.singleton $
        definition [Field "a" (Leaf Unit), Field "b" (Leaf Unit)]
    doubled n shape = if n <= (0 :: Int) then shape else doubled (n - 1) (Tuple [shape, shape])
