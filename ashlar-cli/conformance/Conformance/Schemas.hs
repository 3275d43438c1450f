{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Schemas
-- Description : Schemas, and bytes that are none
module Conformance.Schemas (schemas) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (decode, encode)
import Ashlar.Codec.Wrappers (Compact, ScalarValue, UTF16, Varint, Zigzag)
import Ashlar.Schema
import Conformance.Case (Entry, asIs, bytes, entry, fingerprintOf, hex, refusal)
import Conformance.Types
  ( Age,
    Channel,
    Colour,
    Deep,
    Empty,
    Mutual,
    Nothing',
    Order,
    Pair,
    Rose,
    Suit,
    Tree,
    Wide,
  )
import Conformance.Value (plain)
import qualified Data.ByteString as B
import Data.Fixed (Centi)
import Data.Int (Int32)
import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Calendar (Day)
import Data.Time.Clock (UTCTime)
import Data.Time.LocalTime (ZonedTime)
import qualified Data.Vector as V
import Data.Word (Word16, Word64)

schemas :: [Entry]
schemas = concat [types, leaves, shapes, definitions, nested, refused, damaged]

schemaCase :: String -> B.ByteString -> Entry
schemaCase title bs = case decode bs of
  Right s
    | encode s == bs ->
      entry
        title
        [ ("bytes", bytes bs),
          ("json", asIs (toStrictByteString (schemaToJson s))),
          ("fingerprint", fingerprintOf (schemaFingerprint s))
        ]
    | otherwise -> error (title ++ " is written as other bytes")
  Left e -> entry title [("bytes", bytes bs), ("refused", refusal e)]

given :: String -> Schema -> Entry
given title = schemaCase title . encode

types :: [Entry]
types =
  [ given "Order" (schema @Order),
    given "Channel" (schema @Channel),
    given "Wide" (schema @Wide),
    given "Tree" (schema @Tree),
    given "Rose" (schema @Rose),
    given "Mutual" (schema @Mutual),
    given "Deep" (schema @Deep),
    given "Suit" (schema @Suit),
    given "Colour" (schema @Colour),
    given "Age" (schema @Age),
    given "Pair of pairs" (schema @(Pair (Pair Age))),
    given "Empty" (schema @Empty),
    given "Nothing'" (schema @Nothing'),
    given "Map of sets" (schema @(Map Text (Set (Maybe Int32)))),
    given "Compact" (schema @(Compact [(Varint Word64, Zigzag Int32, UTF16, ScalarValue)])),
    given "dates" (schema @(Day, UTCTime, ZonedTime)),
    given "Rational" (schema @(Rational, Centi)),
    given "Either" (schema @(Either Word16 [Either () Bool]))
  ]

leaves :: [Entry]
leaves =
  [ given ("Leaf " ++ show l) (plain (Leaf l))
    | l <-
        [Unit, Float32, Float64, Float32BE, Float64BE, Boolean, Character, ScalarCharacter]
          ++ [ BigInteger,
               BigNatural,
               FixedPoint 0,
               FixedPoint (10 ^ (20 :: Int)),
               Date,
               Duration,
               Utf16
             ]
          ++ [f n | f <- [Number, BigEndian, Varint, Zigzag], n <- [minBound ..]]
          ++ [f len | f <- [Bytes, ByteArray, Utf8], len <- [minBound ..]]
  ]

shapes :: [Entry]
shapes =
  [ given ("shape " ++ show i) (plain shape)
    | (i, shape) <- zip [1 :: Int ..] (concatMap withLength [Length64, LengthVarint] ++ more)
  ]
  where
    byte = Leaf (Number W8)
    string = Leaf (Utf8 Length64)
    withLength len =
      [List len byte, NonEmpty len byte, Set len byte, Map len string byte]
    more =
      [ Between (-1) (2 ^ (70 :: Int)) BigInteger,
        Between 0 0 (BigEndian I16),
        Between 3 4 (Varint W8),
        Between 1 2 (FixedPoint 100),
        Ratio (Leaf (Zigzag I64)),
        Ratio (Between 1 2 BigNatural),
        Optional (Optional byte),
        Tuple [byte, string],
        Tuple [byte, Tuple [string, byte], Leaf Unit],
        Array byte string,
        Array (Tuple [byte, Leaf Boolean]) string,
        Constant "",
        Constant "\0\255ab",
        Opaque "UUID" 1 (Just 16),
        Opaque "" (-3) Nothing,
        Opaque "\"\n\228" (2 ^ (62 :: Int)) (Just 0),
        Irregular "Nest",
        Packed byte,
        Packed (Optional (Unpacked (Tuple [byte, Packed string])))
      ]

one :: Shape -> Definition -> Schema
one shape d = Schema shape (V.singleton d)

definitions :: [Entry]
definitions =
  [ given "names that are odd" $
      one
        (Reference 0)
        ( Definition
            "\"\n"
            Sum
            ByParts
            [ Constructor "" False [Field "" unit, Field " " unit],
              Constructor "\128512\DEL" True []
            ]
        ),
    given "names of types do not count" $
      one
        (Reference 0)
        ( Definition
            "another name"
            Sum
            Unordered
            [ Constructor "" False [Field "" unit, Field " " unit],
              Constructor "\128512\DEL" True []
            ]
        ),
    given "two definitions with one name" $
      Schema
        ( Tuple
            [ Reference 0,
              Reference 1
            ]
        )
        ( V.fromList
            [ record "T" [Field "a" unit],
              record "T" [Field "b" unit]
            ]
        ),
    given "a chain of newtypes" $
      Schema
        (Reference 0)
        ( V.fromList
            [ newtype' "A" (Reference 1),
              newtype' "B" (List Length64 (Reference 2)),
              newtype' "C" unit
            ]
        ),
    given "what a chain of newtypes wraps" (plain (List Length64 unit)),
    given "a newtype of itself" (one (Reference 0) (newtype' "A" (Reference 0))),
    given
      "a newtype of a list of itself"
      (one (Reference 0) (newtype' "A" (List Length64 (Reference 0)))),
    given "newtypes of each other" $
      Schema
        (Reference 0)
        ( V.fromList
            [ newtype' "A" (Optional (Reference 1)),
              newtype' "B" (Tuple [unit, Reference 0])
            ]
        ),
    given "a newtype of a record of itself" $
      Schema
        (Reference 0)
        ( V.fromList
            [ newtype' "A" (Reference 1),
              record "R" [Field "a" (Optional (Reference 0))]
            ]
        ),
    given "a newtype of a record, used twice" $
      Schema
        ( Tuple
            [ Reference 0,
              Reference 1
            ]
        )
        ( V.fromList
            [ newtype' "A" (Reference 1),
              record "R" [Field "a" unit]
            ]
        ),
    given "a large newtype" (doubling 7),
    given "a newtype of 100 shapes" (one (Reference 0) (newtype' "A" (Tuple (replicate 99 unit)))),
    given "a newtype of 101 shapes" (one (Reference 0) (newtype' "A" (Tuple (replicate 100 unit)))),
    given "a record of itself" (one (Reference 0) (record "R" [Field "1" (Reference 0)])),
    given "a sum without constructors" (one (Reference 0) (Definition "Void" Sum Unordered []))
  ]
  where
    -- Each newtype has twice as many shapes as the next one.
    doubling n =
      Schema (Reference 0) . V.fromList $
        [ newtype'
            ( T.pack
                ('N' : show i)
            )
            ( Tuple
                [ Reference (i + 1),
                  Reference (i + 1)
                ]
            )
          | i <- [0 .. n - 1]
        ]
          ++ [newtype' "last" unit]

unit :: Shape
unit = Leaf Unit

newtype' :: Text -> Shape -> Definition
newtype' title inner =
  Definition title Newtype Unordered [Constructor title False [Field "1" inner]]

record :: Text -> [Field] -> Definition
record title fields = Definition title Record Unordered [Constructor title False fields]

nested :: [Entry]
nested = [given (show n ++ " shapes in each other") (plain (wrapped n)) | n <- [99, 100, 101, 300]]
  where
    wrapped n = iterate Optional unit !! (n - 1)

-- What no type has.
refused :: [Entry]
refused =
  [ given "a reference to nothing" (plain (Reference 0)),
    given "a negative reference" (plain (Reference (-1))),
    given
      "a reference in a field to nothing"
      (one (Reference 0) (record "R" [Field "a" (Reference 1)])),
    given "a definition that nothing refers to" (one unit (record "R" [])),
    given "definitions in another order" $
      Schema (Tuple [Reference 1, Reference 0]) (V.fromList [record "R" [], record "S" []]),
    given "definitions not in the order of depth" $
      Schema
        ( Tuple
            [ Reference 0,
              Reference 1
            ]
        )
        ( V.fromList
            [ record "R" [Field "a" (Reference 2)],
              record "S" [],
              record "T" []
            ]
        ),
    given "a newtype of two fields" $
      one
        (Reference 0)
        ( Definition
            "N"
            Newtype
            Unordered
            [ Constructor
                "N"
                False
                [ Field "a" unit,
                  Field "b" unit
                ]
            ]
        ),
    given
      "a newtype without a field"
      (one (Reference 0) (Definition "N" Newtype Unordered [Constructor "N" False []])),
    given
      "a newtype without a constructor"
      (one (Reference 0) (Definition "N" Newtype Unordered [])),
    given
      "a retired newtype"
      (one (Reference 0) (Definition "N" Newtype Unordered [Constructor "N" True [one']])),
    given "a record without a constructor" (one (Reference 0) (Definition "R" Record Unordered [])),
    given "a record of two constructors" $
      one
        (Reference 0)
        ( Definition
            "R"
            Record
            Unordered
            [ Constructor "A" False [],
              Constructor "B" False []
            ]
        ),
    given
      "a retired record"
      (one (Reference 0) (Definition "R" Record Unordered [Constructor "R" True []])),
    given "two constructors with one name" $
      one
        (Reference 0)
        ( Definition
            "S"
            Sum
            Unordered
            [ Constructor "A" False [],
              Constructor "B" False [],
              Constructor "A" True []
            ]
        ),
    given
      "two fields with one name"
      (one (Reference 0) (record "R" [Field "a" unit, Field "a" unit])),
    given "a retired constructor with fields" $
      one (Reference 0) (Definition "S" Sum Unordered [Constructor "A" True [Field "a" unit]]),
    given "a tuple of one" (plain (Tuple [unit])),
    given "a tuple of none" (plain (Tuple [])),
    given
      "a tuple of none in a field"
      (one (Reference 0) (record "R" [Field "a" (List Length64 (Tuple []))])),
    given "bounds of a text" (plain (Between 0 1 (Utf8 Length64))),
    given "bounds in the wrong order" (plain (Between 1 0 (Number W8))),
    given "a fraction of floats" (plain (Ratio (Leaf Float64))),
    given "a fraction of lists" (plain (Ratio (List Length64 (Leaf BigInteger)))),
    given "an array in an index" (plain (Array (Tuple [unit, Array unit unit]) unit)),
    given "an array in an index, by a definition" $
      one (List Length64 (Array (Reference 0) unit)) (record "R" [Field "a" (Array unit unit)]),
    given "a negative size" (plain (Opaque "O" 1 (Just (-1)))),
    given "a bad tuple before a missing definition" (plain (Tuple [Reference 7])),
    given
      "a bad root and a bad definition"
      (one (Tuple []) (record "R" [Field "a" unit, Field "a" unit])),
    given
      "a long name"
      (one (Reference 0) (record (many "long ") [Field (many "name ") (Tuple [])]))
  ]
  where
    many = T.replicate 60
    one' = Field "a" unit

-- Bytes that are no schema.
damaged :: [Entry]
damaged =
  [ schemaCase ("Age, the first " ++ show n ++ " bytes") (B.take n wrapper)
    | n <- [0 .. B.length wrapper - 1]
  ]
    ++ [ schemaCase
           ("(Word8, Text), byte " ++ show i ++ " is " ++ show w)
           ( B.concat
               [ B.take i pair,
                 B.singleton w,
                 B.drop (i + 1) pair
               ]
           )
         | i <- [0 .. B.length pair - 1],
           w <- [14, 255]
       ]
    ++ [ schemaCase "a byte more" (B.snoc wrapper 0),
         schemaCase
           "a name that is not UTF-8"
           (hex "0b0000000000000000 0100000000000000 0100000000000000 ff"),
         schemaCase "a bound with a zero byte" (hex "01 020000 00 0100"),
         schemaCase "many definitions" (hex "0000 ffffffffffffff7f"),
         schemaCase "a tuple of many shapes" (hex "04 ffffffffffffff7f 0000"),
         schemaCase "a negative length" (hex "04 ffffffffffffffff"),
         schemaCase
           "a retired of 2"
           ( hex
               "0b0000000000000000 0100000000000000 0000000000000000 02 00 0100000000000000 \
               \0000000000000000 02 0000000000000000"
           ),
         schemaCase
           "4000 lists in each other"
           (B.append (B.pack (concat (replicate 4000 [5, 0]))) (hex "0000 0000000000000000"))
       ]
  where
    wrapper = encode (schema @Age)
    pair = encode (plain (Tuple [Leaf (Number W8), Leaf (Utf8 LengthVarint)]))
