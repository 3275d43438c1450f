{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Values.Shapes
-- Description : Values of all shapes
module Conformance.Values.Shapes (shapes) where

import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Types (Colour, Suit)
import Conformance.Value
import qualified Data.ByteString as B
import qualified Data.Vector as V

shapes :: [Entry]
shapes = concat [bounded, fractions, optionals, products, lists, ordered, maps, arrays, others]

number, varint, word16, text, compact :: Shape
number = Leaf (Number W8)
varint = Leaf (Varint W32)
word16 = Leaf (Number W16)
text = Leaf (Utf8 LengthVarint)
compact = Leaf (Bytes LengthVarint)

bounded :: [Entry]
bounded =
  concat
    [ hexed
        "Between 1 7 W8"
        (plain (Between 1 7 (Number W8)))
        [ ("1", "01"),
          ("7", "07"),
          ("0", "00"),
          ("8", "08"),
          ("none", "")
        ],
      hexed
        "Between -1 1 I16"
        (plain (Between (-1) 1 (Number I16)))
        [ ("-1", "ffff"),
          ("-2", "feff"),
          ("2", "0200"),
          ("half", "ff")
        ],
      hexed "Between 300 400 W8" (plain (Between 300 400 (Number W8))) [("255", "ff")],
      hexed
        "Between 0 2^70 Integer"
        (plain (Between 0 (2 ^ (70 :: Int)) BigInteger))
        [ ("0", "00"),
          ("-1", "0301"),
          ("2^70", "12000000000000000040"),
          ("2^70 + 1", "12010000000000000040")
        ],
      hexed
        "Between 5 5 Varint W32"
        (plain (Between 5 5 (Varint W32)))
        [ ("5", "05"),
          ("6", "06"),
          ("5 in two bytes", "8500")
        ],
      hexed
        "Between 0 86400999999999999 Duration"
        (plain (Between 0 86400999999999999 Duration))
        [ ("1", "0201"),
          ("-1", "0301")
        ],
      hexed
        "Between 0 2^300 Natural"
        (plain (Between (2 ^ (299 :: Int)) (2 ^ (300 :: Int)) BigNatural))
        [("0", "00")],
      hexed
        "Between 0 1 FixedPoint 100"
        (plain (Between 0 1 (FixedPoint 100)))
        [ ("0.01", "0201"),
          ("0.02", "0202")
        ]
    ]

fractions :: [Entry]
fractions =
  concat
    [ hexed
        "Ratio Integer"
        (plain (Ratio (Leaf BigInteger)))
        [ ("1/2", "0201 0202"),
          ("-3/1", "0303 0201"),
          ("0/1", "00 0201"),
          ("0/2", "00 0202"),
          ("2/4", "0202 0204"),
          ("1/0", "0201 00"),
          ("1/-2", "0201 0302"),
          ("0/0", "00 00"),
          ("half", "0201")
        ],
      hexed
        "Ratio I8"
        (plain (Ratio (Leaf (Number I8))))
        [ ("-128/127", "80 7f"),
          ("1/-1", "01 ff"),
          ("6/3", "06 03")
        ],
      hexed
        "Ratio Between"
        (plain (Ratio (Between 1 9 (Number W8))))
        [ ("1/9", "0109"),
          ("1/10", "010a"),
          ("0/1", "0001"),
          ("3/9", "0309")
        ],
      hexed
        "[Ratio I8]"
        (plain (List LengthVarint (Ratio (Leaf (Number I8)))))
        [("1/2, 2/4", "02 0102 0204")]
    ]

optionals :: [Entry]
optionals =
  concat
    [ hexed
        "Maybe W8"
        (plain (Optional number))
        [ ("Nothing", "00"),
          ("Just 7", "0107"),
          ("2", "02"),
          ("Just", "01"),
          ("no bytes", "")
        ],
      hexed
        "Maybe (Maybe W8)"
        (plain (Optional (Optional number)))
        [ ("Nothing", "00"),
          ("Just Nothing", "0100"),
          ("Just (Just 7)", "010107"),
          ("Just 2", "0102"),
          ("Just Just", "0101")
        ],
      hexed
        "Maybe (Maybe (Maybe ()))"
        (plain (Optional (Optional (Optional (Leaf Unit)))))
        [ ("Nothing", "00"),
          ("Just Nothing", "0100"),
          ("Just (Just Nothing)", "010100"),
          ("Just (Just (Just ()))", "010101")
        ],
      hexed
        "Maybe (newtype of Maybe)"
        (Schema (Optional (Reference 0)) (V.singleton (Definition "N" Newtype Unordered [Constructor "N" False [Field "n" (Optional number)]])))
        [ ("Nothing", "00"),
          ("Just Nothing", "0100"),
          ("Just (Just 1)", "010101")
        ],
      hexed
        "Maybe [W8]"
        (plain (Optional (List LengthVarint number)))
        [ ("Just []", "0100"),
          ("Just [1]", "010101"),
          ("cut off", "010201")
        ]
    ]

products :: [Entry]
products =
  concat
    [ hexed
        "(W8, Text)"
        (plain (Tuple [number, text]))
        [ ("(1, a)", "01 0161"),
          ("(1,", "01"),
          ("(1, a cut off)", "01 02 61")
        ],
      hexed
        "(W16, (W16, W16), Boolean)"
        (plain (Tuple [word16, Tuple [word16, word16], Leaf Boolean]))
        [ ("good", "0100 0200 0300 01"),
          ("2", "0100 0200 0300 02"),
          ("cut off in the second", "0100 0200 03")
        ],
      hexed "((), ())" (plain (Tuple [Leaf Unit, Leaf Unit])) [("good", ""), ("a byte", "00")]
    ]

lists :: [Entry]
lists =
  concat
    [ hexed
        "[W16]"
        (plain (List Length64 word16))
        [ ("none", zero),
          ("two", two ++ "0100 0200"),
          ("cut off", two ++ "0100 02"),
          ("half a length", "0000"),
          ("negative", "ffffffffffffffff"),
          ("the largest", "ffffffffffffff7f 0100"),
          ("2^31", "0000008000000000 0100")
        ],
      hexed
        "Compact [W16]"
        (plain (List LengthVarint word16))
        [ ("none", "00"),
          ("two", "02 0100 0200"),
          ("cut off", "02 0100 02"),
          ("too large", "80808080808080808001"),
          ("a length in two bytes", "8000")
        ],
      hexed
        "[Text]"
        (plain (List LengthVarint text))
        [ ("two", "02 00 0161"),
          ("the second cut off", "02 00 0261"),
          ("one missing", "02 00"),
          ("malformed", "02 0161 01ff")
        ],
      hexed
        "[[W8]]"
        (plain (List LengthVarint (List LengthVarint number)))
        [ ("good", "02 0101 00"),
          ("cut off", "02 0101 0201"),
          ("one missing", "03 00 00")
        ],
      hexed
        "[()]"
        (plain (List Length64 (Leaf Unit)))
        [ ("none", zero),
          ("three", "0300000000000000"),
          ("2^20 + 1", "0100100000000000"),
          ("the largest", "ffffffffffffff7f")
        ],
      hexed
        "[[()]]"
        (plain (List LengthVarint (List LengthVarint (Leaf Unit))))
        [ ("good", "02 03 00"),
          ("2^20 in two", "03 808020 808020 01"),
          ("2^20 + 1", "02 818040 00")
        ],
      hexed
        "[((), ())]"
        (plain (List LengthVarint (Tuple [Leaf Unit, Leaf Unit])))
        [ ("two", "02"),
          ("2^20 + 1", "818040")
        ],
      hexed
        "[Constant]"
        (plain (List LengthVarint (Constant "")))
        [ ("two", "02"),
          ("too many", "ffffffff0f")
        ],
      hexed
        "[(W8, (), ())]"
        (plain (List LengthVarint (Tuple [number, Leaf Unit, Leaf Unit])))
        [ ("two", "02 0102"),
          ("cut off", "03 0102")
        ],
      hexed
        "NonEmpty W8"
        (plain (NonEmpty Length64 number))
        [ ("one", one ++ "07"),
          ("none", zero),
          ("cut off", two ++ "07")
        ],
      hexed
        "Compact (NonEmpty W8)"
        (plain (NonEmpty LengthVarint number))
        [ ("one", "0107"),
          ("none", "00"),
          ("cut off", "0207")
        ],
      hexed
        "[NonEmpty W8]"
        (plain (List LengthVarint (NonEmpty LengthVarint number)))
        [("one of none", "02 0107 00")]
    ]
  where
    zero = "0000000000000000"
    one = "0100000000000000"
    two = "0200000000000000"

-- The order of all that can be a key.
ordered :: [Entry]
ordered =
  concat
    [ sets "W8" (plain number) "01" "02",
      sets "I16" (plain (Leaf (Number I16))) "ffff" "0100",
      sets "BigEndian W16" (plain (Leaf (BigEndian W16))) "00ff" "0100",
      sets "Varint W32" (plain varint) "7f" "8001",
      sets "Zigzag I32" (plain (Leaf (Zigzag I32))) "03" "02",
      sets "W64" (plain (Leaf (Number W64))) "ffffffffffffff7f" "0000000000000080",
      sets "Integer" (plain (Leaf BigInteger)) "0302" "0301",
      sets "Float64" (plain (Leaf Float64)) "000000000000f0bf" "000000000000f03f",
      sets "Float32BE" (plain (Leaf Float32BE)) "ff800000" "00000000",
      sets "Boolean" (plain (Leaf Boolean)) "00" "01",
      sets "Character" (plain (Leaf Character)) "ffff0000" "00000100",
      sets "Text" (plain text) "0161" "026161",
      sets "Text of other planes" (plain text) "03efbfbf" "04f0908080",
      sets "Utf16 of other planes" (plain (Leaf Utf16)) "0100000000000000 ffff" "0200000000000000 00d800dc",
      sets "Bytes" (plain compact) "020102" "0102",
      sets "ByteArray" (plain (Leaf (ByteArray LengthVarint))) "0102" "020102",
      sets "Maybe W8" (plain (Optional number)) "00" "0100",
      sets "(W8, W8)" (plain (Tuple [number, number])) "0102" "0200",
      sets "[W8]" (plain (List LengthVarint number)) "0101" "020100",
      sets "Set W8" (plain (Set LengthVarint number)) "00" "0101",
      sets "Map W8 W8" (plain (Map LengthVarint number number)) "010101" "010102",
      sets "Ratio I8" (plain (Ratio (Leaf (Number I8)))) "0103" "0102",
      sets "Between" (plain (Between 1 3 (Number W8))) "01" "03",
      sets "()" (plain (Tuple [Leaf Unit, number])) "01" "02",
      sets "Suit, whose order is known" (schema @Suit) "00" "0107",
      sets "Suit, by its fields" (schema @Suit) "0106" "0107",
      sets "Colour, whose order is not known" (schema @Colour) "01" "00",
      hexed
        "Set Float64"
        (plain (Set LengthVarint (Leaf Float64)))
        [ ("0 and -0", "02 0000000000000080 0000000000000000"),
          ("NaN", "01 000000000000f87f"),
          ("NaN and 1", "02 000000000000f87f 000000000000f03f"),
          ("1 and NaN", "02 000000000000f03f 000000000000f87f")
        ],
      hexed
        "Set W8"
        (plain (Set Length64 number))
        [ ("none", "0000000000000000"),
          ("cut off", "0300000000000000 0102")
        ],
      hexed
        "Set ()"
        (plain (Set LengthVarint (Leaf Unit)))
        [ ("none", "00"),
          ("one", "01"),
          ("two", "02")
        ],
      hexed
        "[Set W8]"
        (plain (List LengthVarint (Set LengthVarint number)))
        [("the second is wrong", "02 020102 020201")]
    ]
  where
    sets name s low high =
      hexed
        ("Set of " ++ name)
        s {schemaRoot = Set LengthVarint (schemaRoot s)}
        [ ("ascending", "02" ++ low ++ high),
          ("twice", "02" ++ low ++ low),
          ("descending", "02" ++ high ++ low)
        ]

maps :: [Entry]
maps =
  concat
    [ hexed
        "Map Text W8"
        (plain (Map LengthVarint text number))
        [ ("none", "00"),
          ("two", "02 0161 01 0162 02"),
          ("twice", "02 0161 01 0161 02"),
          ("descending", "02 0162 01 0161 02"),
          ("a value missing", "02 0161 01 0162"),
          ("a key malformed", "01 01ff 01"),
          ("cut off", "02 0161 01")
        ],
      hexed
        "Map Character W8"
        (plain (Map Length64 (Leaf Character) number))
        [ ("one", "0100000000000000 22000000 07"),
          ("a surrogate", "0100000000000000 00d80000 07")
        ],
      hexed
        "Map W8 Text"
        (plain (Map LengthVarint number text))
        [ ("two", "02 01 0161 02 00"),
          ("descending", "02 02 0161 01 00")
        ],
      hexed
        "Map (newtype of Text) ()"
        (Schema (Map LengthVarint (Reference 0) (Leaf Unit)) (V.singleton (Definition "Key" Newtype Unordered [Constructor "Key" False [Field "key" text]])))
        [("one", "01 0161")],
      hexed
        "Map (W8, W8) W8"
        (plain (Map LengthVarint (Tuple [number, number]) number))
        [ ("two", "02 010105 010206"),
          ("descending", "02 010205 010106")
        ],
      hexed
        "Map Float32 Boolean"
        (plain (Map LengthVarint (Leaf Float32) (Leaf Boolean)))
        [("NaN twice", "02 0000c07f 00 0000c07f 01")],
      hexed
        "Map () ()"
        (plain (Map LengthVarint (Leaf Unit) (Leaf Unit)))
        [ ("one", "01"),
          ("two", "02")
        ]
    ]

arrays :: [Entry]
arrays =
  concat
    [ hexed
        "Array W8 W8"
        (plain (Array number number))
        [ ("good", "01 02" ++ two ++ "0708"),
          ("none", "01 00" ++ zero),
          ("far below", "ff 00" ++ zero),
          ("one more", "01 02" ++ three ++ "070809"),
          ("one less", "01 02" ++ one ++ "07"),
          ("cut off", "01 02" ++ two ++ "07"),
          ("negative", "01 02 ffffffffffffffff"),
          ("huge", "00 ff ffffffffffffff7f")
        ],
      hexed
        "Array I64 W8"
        (plain (Array (Leaf (Number I64)) number))
        [("all", "0000000000000080 ffffffffffffff7f" ++ zero), ("good", "ffffffffffffffff 0000000000000000" ++ two ++ "0102")],
      hexed
        "Array Boolean W8"
        (plain (Array (Leaf Boolean) number))
        [ ("good", "00 01" ++ two ++ "0708"),
          ("none", "01 00" ++ zero),
          ("wrong", "00 00" ++ two ++ "0102")
        ],
      hexed
        "Array Character W8"
        (plain (Array (Leaf Character) number))
        [("good", "61000000 62000000" ++ two ++ "0708")],
      hexed
        "Array (W8, Boolean) W8"
        (plain (Array (Tuple [number, Leaf Boolean]) number))
        [ ("good", "0000 0101" ++ four ++ "01020304"),
          ("none", "0001 0100" ++ zero),
          ("wrong", "0000 0101" ++ three ++ "010203")
        ],
      hexed
        "Array Between W8"
        (plain (Array (Between 1 3 (Number W8)) number))
        [ ("good", "01 03" ++ three ++ "010203"),
          ("out of bounds", "00 03" ++ four ++ "01020304")
        ],
      hexed
        "Array () W8"
        (plain (Array (Leaf Unit) number))
        [ ("good", one ++ "05"),
          ("none", zero)
        ],
      hexed
        "Array Integer ()"
        (plain (Array (Leaf BigInteger) (Leaf Unit)))
        [("good", "0301 0201" ++ three), ("too many", "00 06ffffff 0000000100000000")],
      hexed
        "Array Maybe W8"
        (plain (Array (Optional number) number))
        [("any number", "00 0101" ++ three ++ "010203")],
      [ valueCase
          "Array Colour W8, an index with another instance of Ix"
          (schema @Colour) {schemaRoot = Array (schemaRoot (schema @Colour)) number}
          (B.pack [0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 9])
      ]
    ]
  where
    zero = "0000000000000000"
    one = "0100000000000000"
    two = "0200000000000000"
    three = "0300000000000000"
    four = "0400000000000000"

others :: [Entry]
others =
  concat
    [ hexed
        "Constant"
        (plain (Constant "ab"))
        [ ("good", "6162"),
          ("other", "6163"),
          ("cut off", "61"),
          ("more", "616263")
        ],
      hexed "Constant of no bytes" (plain (Constant "")) [("good", ""), ("more", "00")],
      hexed
        "Opaque of 3 bytes"
        (plain (Opaque "UUID" 1 (Just 3)))
        [ ("good", "010203"),
          ("cut off", "0102")
        ],
      hexed "Opaque" (plain (Opaque "Secret" 1 Nothing)) [("anything", "010203"), ("nothing", "")],
      hexed "Opaque with a long name" (plain (Opaque longName 1 Nothing)) [("anything", "01")],
      hexed "Irregular" (plain (Irregular "Nest")) [("anything", "010203")],
      hexed
        "[Irregular]"
        (plain (List LengthVarint (Irregular "Nest")))
        [ ("none", "00"),
          ("one", "01")
        ],
      hexed
        "Maybe Opaque"
        (plain (Optional (Opaque "Secret" 1 Nothing)))
        [ ("Nothing", "00"),
          ("Just", "0101")
        ]
    ]
  where
    longName = "a name of more than a hundred characters, of which an error shows only the first hundred: 0123456789012345678901234567890123456789"
