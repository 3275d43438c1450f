{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Values.Packed
-- Description : Values in the packed format
module Conformance.Values.Packed (packed) where

import Ashlar.Schema hiding (packed)
import Conformance.Case (Entry)
import Conformance.Value
import qualified Data.Text as T
import qualified Data.Vector as V

packed :: [Entry]
packed = concat [leaves, shapes, definitions, nested]

leaves :: [Entry]
leaves =
  concat
    [ hexed "Packed Bool" (one (Leaf Boolean)) $
        ("nothing", "") : [(hex, hex) | hex <- ["00", "80", "40", "81", "8000"]],
      hexed "Packed Word8" (one (Leaf (Number W8))) [("255", "ff"), ("more", "ff00")],
      hexed
        "Packed Word16"
        (one (Leaf (Number W16)))
        [(hex, hex) | hex <- ["00", "7f", "8001", "ffff03", "ffff04", "8000", "ff"]],
      hexed
        "Packed Int64"
        (one (Leaf (Number I64)))
        [(hex, hex) | hex <- ["01", "7f", "8001", "ffffffffffffffffff01", "ffffffffffffffffff02"]],
      hexed
        "Packed Word64"
        (one (Leaf (Number W64)))
        [(hex, hex) | hex <- ["ffffffffffffffffff01", "80808080808080808002", "8080"]],
      hexed
        "Packed Char"
        (one (Leaf Character))
        [(hex, hex) | hex <- ["61", "e401", "80b003", "ffffc300", "ffff43", "808044", "8000"]],
      hexed "Packed ScalarValue" (one (Leaf ScalarCharacter)) [("a", "61"), ("D800", "80b003")],
      hexed "Packed Double" (one (Leaf Float64)) [("1", "000000000000f03f"), ("cut off", "00")],
      hexed
        "Packed Text"
        (one (Leaf (Utf8 Length64)))
        [("good", "02c3a4"), ("not UTF-8", "02c3c3"), ("cut off", "02c3"), ("empty", "00")],
      hexed "Packed UTF16" (one (Leaf Utf16)) [("good", "01000000000000006100")],
      hexed
        "Packed (1 to 300)"
        (one (Between 1 300 (Number W16)))
        [("good", "ac02"), ("0", "00"), ("301", "ad02")],
      hexed
        "Packed (Ratio Int16)"
        (one (Ratio (Leaf (Number I16))))
        [("good", "0206"), ("not in lowest terms", "0404"), ("negative", "0201")]
    ]

shapes :: [Entry]
shapes =
  concat
    [ hexed "Packed ()" (one (Leaf Unit)) [("nothing", ""), ("more", "00")],
      hexed
        "Packed (Maybe Bool)"
        (one (Optional (Leaf Boolean)))
        [(hex, hex) | hex <- ["00", "80", "c0", "40"]],
      hexed
        "Packed (Bool, Word16, Bool)"
        (one (Tuple [bool, word16, bool]))
        [ ("good", "c0ac02"),
          ("a bit more", "e0ac02"),
          ("cut off", "c0ac"),
          ("two bytes", "80ac0280")
        ],
      hexed
        "Packed [Bool]"
        (one (List Length64 bool))
        [ ("nine", "09b280"),
          ("a bit more", "09b2c0"),
          ("none", "00"),
          ("cut off", "09b2"),
          ("a length that lies", "ffffffff0fff")
        ],
      hexed "Packed [()]" (one (List LengthVarint (Leaf Unit))) [("two", "02")],
      hexed
        "Packed (NonEmpty Bool)"
        (one (NonEmpty Length64 bool))
        [("one", "0180"), ("none", "00")],
      hexed "Packed (Set Bool)" (one (Set Length64 bool)) [("both", "0240"), ("twice", "0200")],
      hexed
        "Packed (Map Word16 Bool)"
        (one (Map Length64 word16 bool))
        [("good", "02018002"), ("in another order", "02028001")],
      hexed
        "Packed (Array Word8 Bool)"
        (one (Array (Leaf (Number W8)) bool))
        [("good", "01020280"), ("too few", "01020180")],
      hexed
        "Packed constant"
        (one (Tuple [bool, Constant "ab", bool]))
        [("good", "c06162"), ("other", "c06163")],
      hexed
        "Packed opaque"
        (one (Tuple [bool, Opaque "UUID" 1 (Just 2), bool]))
        [("good", "c00102")]
    ]
  where
    bool = Leaf Boolean
    word16 = Leaf (Number W16)

-- Symbols of 1 to 20, and of more than 256.
definitions :: [Entry]
definitions =
  concat
    [ concat
        [ hexed
            ("Packed [one of " ++ show n ++ "]")
            (sums n (List LengthVarint (Reference 0)))
            [(hex, hex) | hex <- ["0100", "01ff", "01c0", "02d9", "038fa1", "05ffffff", "05123456"]]
          | n <- [1 .. 20]
        ],
      hexed
        "Packed (one of 300)"
        (sums 300 (Reference 0))
        [(hex, hex) | hex <- ["0000", "ffff", "ff80"]],
      hexed "Packed retired" retired [(hex, hex) | hex <- ["00", "40", "80"]],
      hexed
        "Packed tree"
        tree
        [ ("a leaf", "0007"),
          ("a fork", "800708"),
          ("forks", "c8010203"),
          ("cut off", "c801"),
          ("a bit more", "900708")
        ],
      hexed "Packed newtype" newtypes [("good", "c0"), ("cut off", "")]
    ]
  where
    sums n root =
      Schema (Packed root) . V.singleton . Definition "E" Sum ByParts $
        [Constructor (T.pack ('C' : show i)) False [] | i <- [1 .. n :: Int]]
    retired =
      Schema (Packed (Reference 0)) . V.singleton $
        Definition
          "E"
          Sum
          Unordered
          [Constructor "A" True [], Constructor "B" False [], Constructor "C" False []]
    tree =
      Schema (Packed (Reference 0)) . V.singleton $
        Definition
          "Tree"
          Sum
          Unordered
          [ Constructor "Leaf" False [Field "1" (Leaf (Number W8))],
            Constructor "Fork" False [Field "left" (Reference 0), Field "right" (Reference 0)]
          ]
    newtypes =
      Schema (Packed (Reference 0)) . V.fromList $
        [ Definition "N" Newtype Unordered [Constructor "N" False [Field "n" (Reference 1)]],
          Definition
            "R"
            Record
            Unordered
            [Constructor "R" False [Field "a" (Leaf Boolean), Field "b" (Leaf Boolean)]]
        ]

nested :: [Entry]
nested =
  concat
    [ hexed
        "Packed (Bool, Unpacked (Bool, Word16), Bool)"
        (one (Tuple [bool, Unpacked (Tuple [bool, word16]), bool]))
        [("good", "c0012c01"), ("cut off", "c001")],
      hexed
        "Packed (Bool, Packed Bool)"
        (one (Tuple [bool, Packed bool]))
        [("good", "c0"), ("apart", "8080")],
      hexed
        "Packed (Bool, Unpacked (Packed Bool), Bool)"
        (one (Tuple [bool, Unpacked (Packed bool), bool]))
        [("good", "c080"), ("a bit more within", "c0c0"), ("a bit more", "e080")],
      hexed
        "[Packed (Bool, Bool)]"
        (plain (List LengthVarint (Packed (Tuple [bool, bool]))))
        [("two", "0280c0"), ("a bit more", "02a0c0"), ("cut off", "0280")],
      hexed "[Packed ()]" (plain (List LengthVarint (Packed (Leaf Unit)))) [("three", "03")],
      hexed "Unpacked Word16" (plain (Unpacked word16)) [("good", "0100")],
      hexed
        "(Word8, Packed (Maybe Word16), Word8)"
        (plain (Tuple [Leaf (Number W8), Packed (Optional word16), Leaf (Number W8)]))
        [("Just", "0180ac0202"), ("Nothing", "010002")]
    ]
  where
    bool = Leaf Boolean
    word16 = Leaf (Number W16)

one :: Shape -> Schema
one = plain . Packed
