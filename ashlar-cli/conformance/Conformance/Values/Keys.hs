{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Values.Keys
-- Description : Sets, maps and arrays
module Conformance.Values.Keys (keyed) where

import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Types (Colour, Suit)
import Conformance.Value
import qualified Data.ByteString as B
import qualified Data.Vector as V

keyed :: [Entry]
keyed = concat [ordered, maps, arrays]

number, varint, text, compact :: Shape
number = Leaf (Number W8)
varint = Leaf (Varint W32)
text = Leaf (Utf8 LengthVarint)
compact = Leaf (Bytes LengthVarint)

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
      sets
        "Utf16 of other planes"
        (plain (Leaf Utf16))
        "0100000000000000 ffff"
        "0200000000000000 00d800dc",
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
        ( Schema
            (Map LengthVarint (Reference 0) (Leaf Unit))
            ( V.singleton
                (Definition "Key" Newtype Unordered [Constructor "Key" False [Field "key" text]])
            )
        )
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
        [ ("all", "0000000000000080 ffffffffffffff7f" ++ zero),
          ("good", "ffffffffffffffff 0000000000000000" ++ two ++ "0102")
        ],
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
