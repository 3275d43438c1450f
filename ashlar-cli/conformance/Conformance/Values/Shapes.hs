{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Values.Shapes
-- Description : Values of all shapes
module Conformance.Values.Shapes (shapes) where

import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Value
import qualified Data.Vector as V

shapes :: [Entry]
shapes = concat [bounded, fractions, optionals, products, lists, others]

number, word16, text :: Shape
number = Leaf (Number W8)
word16 = Leaf (Number W16)
text = Leaf (Utf8 LengthVarint)

-- A newtype.
wraps :: Shape -> Definition
wraps inner = Definition "N" Newtype Unordered [Constructor "N" False [Field "n" inner]]

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
        (Schema (Optional (Reference 0)) (V.singleton (wraps (Optional number))))
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
    longName =
      "a name of more than a hundred characters, of which an error shows only \
      \the first hundred: 0123456789012345678901234567890123456789"
