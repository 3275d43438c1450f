{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution.Leaves
-- Description : What leaves and shapes can become
module Conformance.Evolution.Leaves (leafChanges, shapeChanges) where

import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Evolution
import Conformance.Value (plain)
import qualified Data.Vector as V

-- | Each leaf as each other one, with a value or two.
leafChanges :: [Entry]
leafChanges =
  [ evolved (show a ++ " as " ++ show b) (plain (Leaf a)) (plain (Leaf b)) [] values
    | (a, values) <- leaves,
      (b, _) <- leaves,
      a /= b
  ]
  where
    leaves =
      [ (Number W8, ["ff"]),
        (Number W32, ["ffffffff", "ffff"]),
        (Number W64, ["ffffffffffffffff"]),
        (Number I16, ["0080", "ff7f"]),
        (Number I32, ["00000080"]),
        (Number I64, ["0000000000000080"]),
        (BigEndian I16, ["8000", "7fff"]),
        (Varint W16, ["ffff03", "ffff04", "8000"]),
        (Zigzag I32, ["ffffffff0f", "03"]),
        (BigInteger, ["0301", "12000000000000000040"]),
        (BigNatural, ["01ff"]),
        (FixedPoint 100, ["0305"]),
        (Date, ["0301"]),
        (Float32, ["0000c03f", "0000c07f"]),
        (Float64, ["000000000000f83f"]),
        (Boolean, ["01", "02"]),
        (Character, ["00d80000"]),
        (ScalarCharacter, ["e4000000"]),
        (Bytes LengthVarint, ["02ff00"]),
        (ByteArray Length64, ["0200000000000000ff00"]),
        (Utf8 LengthVarint, ["02c3a4", "01ff"]),
        (Utf16, ["02000000000000003dd800de"])
      ]

-- | Shapes that become others.
shapeChanges :: [Entry]
shapeChanges = concat [bounds, wrapped, containers, strings, newtypes, others]

byte, word16, int64, text :: Shape
byte = Leaf (Number W8)
word16 = Leaf (Number W16)
int64 = Leaf (Number I64)
text = Leaf (Utf8 LengthVarint)

change :: String -> Shape -> Shape -> [String] -> Entry
change title a b = evolved title (plain a) (plain b) []

bounds :: [Entry]
bounds =
  [ change "wider bounds" (Between 1 3 (Number W8)) (Between 0 9 (Number W8)) ["01", "03", "00"],
    change "narrower bounds" (Between 0 9 (Number W8)) (Between 1 3 (Number W8)) ["01"],
    change "no bounds" (Between 1 3 (Number W8)) byte ["01", "04"],
    change "bounds that hold all" byte (Between 0 255 (Number W8)) ["ff"],
    change "bounds that do not hold all" byte (Between 0 254 (Number W8)) ["ff"],
    change
      "bounds of another number"
      (Between 1 3 (Number W8))
      (Between 1 3 BigInteger)
      ["02", "00"],
    change "bounds that fit a float" (Between 0 16777216 (Number W32)) (Leaf Float32) ["00000001"],
    change
      "bounds that do not fit a float"
      (Between 0 16777217 (Number W32))
      (Leaf Float32)
      ["00000001"],
    change "a large number with bounds" (Between 0 255 BigInteger) byte ["04ff", "00", "0600ff"],
    change
      "a fraction of wider numbers"
      (Ratio (Leaf (Number I8)))
      (Ratio (Leaf BigInteger))
      ["0102", "0204"],
    change "a fraction of narrower numbers" (Ratio (Leaf BigInteger)) (Ratio (Leaf (Number I8))) []
  ]

wrapped :: [Entry]
wrapped =
  [ change "a Maybe" byte (Optional byte) ["07", ""],
    change "a Maybe of a wider number" byte (Optional word16) ["07"],
    change "a Maybe of a Maybe" (Optional byte) (Optional (Optional byte)) ["00", "0107"],
    change "two Maybes at once" byte (Optional (Optional byte)) ["07"],
    change "a list" byte (List LengthVarint byte) ["07"],
    change "a list of lists" byte (List LengthVarint (List LengthVarint byte)) ["07"],
    change "a list that is not empty" byte (NonEmpty Length64 byte) ["07"],
    change "a Maybe of a list" byte (Optional (List LengthVarint byte)) ["07"],
    change "a list of Maybes" byte (List LengthVarint (Optional byte)) ["07"],
    change "a list of a Maybe" (Optional byte) (List LengthVarint byte) ["00", "0107", "02"],
    change
      "a list of a Maybe, as it is"
      (Optional byte)
      (List LengthVarint (Optional byte))
      ["00", "0107"],
    change "no Maybe" (Optional byte) byte ["0107"],
    change "no list" (List LengthVarint byte) byte ["0107"],
    change "a wider number in a Maybe" (Optional byte) (Optional int64) ["00", "0107", "03"],
    change "a text in a Maybe" (Optional byte) (Optional text) []
  ]

containers :: [Entry]
containers =
  [ change
      "a list of wider numbers"
      (List Length64 byte)
      (List LengthVarint word16)
      ["0200000000000000 0107", "0300000000000000 0107"],
    change
      "a list that was not empty"
      (NonEmpty LengthVarint byte)
      (List Length64 byte)
      ["0107", "00"],
    change
      "a list that must not be empty"
      (List LengthVarint byte)
      (NonEmpty LengthVarint byte)
      ["0107"],
    change "a list of a set" (Set LengthVarint byte) (List LengthVarint byte) ["020107", "020701"],
    change "a set of a list" (List LengthVarint byte) (Set LengthVarint byte) ["020107"],
    change
      "a list of a map"
      (Map LengthVarint byte text)
      (List Length64 (Tuple [byte, text]))
      ["02 01 00 02 0161", "02 02 00 01 00"],
    change "a list of the keys of a map" (Map LengthVarint byte text) (List LengthVarint byte) [],
    change
      "a set of wider numbers"
      (Set LengthVarint byte)
      (Set Length64 int64)
      ["020107", "020701"],
    change "a set of texts" (Set LengthVarint text) (Set LengthVarint (Leaf Utf16)) [],
    change "a set of Maybes" (Set LengthVarint byte) (Set LengthVarint (Optional byte)) [],
    change
      "a set of byte arrays"
      (Set LengthVarint (Leaf (Bytes LengthVarint)))
      (Set LengthVarint (Leaf (ByteArray LengthVarint)))
      [],
    change
      "a map of wider keys and values"
      (Map LengthVarint byte byte)
      (Map Length64 word16 (Optional word16))
      ["02 0102 0304", "02 0302 0104", "02 0102 03"],
    change
      "a map of floats"
      (Map LengthVarint byte byte)
      (Map LengthVarint (Leaf Float64) byte)
      ["01 07 08"],
    change "a tuple" (Tuple [byte, text]) (Tuple [int64, Optional text]) ["07 0161", "07 02"],
    change "a longer tuple" (Tuple [byte, text]) (Tuple [byte, text, byte]) [],
    change "a tuple in another order" (Tuple [byte, text]) (Tuple [text, byte]) [],
    change
      "an array"
      (Array byte byte)
      (Array int64 word16)
      ["01 02 0200000000000000 0708", "01 02 0300000000000000 070809", "01 02 0100000000000000"],
    change "an array of other indices" (Array byte byte) (Array (Leaf Boolean) byte) [],
    change "a list of an array" (Array byte byte) (List LengthVarint byte) []
  ]

strings :: [Entry]
strings =
  [ change
      "a text as a list of characters"
      text
      (List Length64 (Leaf Character))
      ["00", "03c3a461", "01ff", "0261"],
    change
      "a text as a list of scalar characters"
      text
      (List LengthVarint (Leaf ScalarCharacter))
      ["04f09f9880"],
    change
      "a UTF-16 text as a list of characters"
      (Leaf Utf16)
      (List LengthVarint (Leaf Character))
      ["0200000000000000 3dd800de", "0100000000000000 3dd8"],
    change
      "a UTF-16 text as UTF-8"
      (Leaf Utf16)
      text
      ["0300000000000000 e400 3dd800de", "0100000000000000 00de"],
    change "a list of characters as a text" (List Length64 (Leaf Character)) text [],
    change "a list of scalar characters as a text" (List Length64 (Leaf ScalarCharacter)) text [],
    change
      "a compact text"
      (Leaf (Utf8 Length64))
      text
      ["0200000000000000 c3a4", "ffffffffffffffff", "0300000000000000 6161"],
    change "a text that is not compact" text (Leaf (Utf8 Length64)) ["02c3a4", "01c3", "8100"],
    change
      "a text in a Maybe of a list"
      text
      (Optional (List LengthVarint (Leaf Character)))
      ["0161"],
    change "bytes as a text" (Leaf (Bytes LengthVarint)) text []
  ]

newtypes :: [Entry]
newtypes =
  [ evolved "a newtype more" (plain byte) (of' [wraps "Age" byte]) [] ["07", ""],
    evolved "a newtype less" (of' [wraps "Age" byte]) (plain byte) [] ["07"],
    evolved
      "another newtype around a wider number"
      (of' [wraps "Age" byte])
      (of' [wraps "Years" (Leaf BigInteger)])
      []
      ["07"],
    evolved "a newtype of a Maybe" (plain byte) (of' [wraps "Age" (Optional byte)]) [] ["07"],
    evolved "a newtype of itself" (of' [wraps "A" (Reference 0)]) (plain byte) [] ["07", ""],
    evolved "as a newtype of itself" (plain byte) (of' [wraps "A" (Reference 0)]) [] ["07"],
    evolved
      "newtypes of themselves"
      (of' [wraps "A" (Reference 0)])
      (of' [wraps "B" (Reference 1), wraps "C" (Reference 0)])
      []
      [""],
    evolved
      "a recursive newtype"
      (of' [wraps "A" (List LengthVarint (Reference 0))])
      (of' [wraps "A" (List Length64 (Reference 0))])
      []
      ["02 00 01 00", "01 02 00"],
    evolved
      "a recursive newtype of a Maybe"
      (plain (Optional byte))
      (of' [wraps "A" (Optional (Reference 0))])
      []
      []
  ]

others :: [Entry]
others =
  [ change
      "a constant"
      (Tuple [Constant "ab", byte])
      (Tuple [Constant "ab", word16])
      ["6162 07", "6163 07"],
    change "another constant" (Constant "ab") (Constant "ac") [],
    change
      "an opaque format, with a change around it"
      (Tuple [Opaque "UUID" 1 (Just 2), byte])
      (Tuple [Opaque "UUID" 1 (Just 2), word16])
      ["0102 07"],
    change
      "another version of an opaque format"
      (Opaque "UUID" 1 (Just 2))
      (Opaque "UUID" 2 (Just 2))
      [],
    change
      "an opaque format of any size, with a change around it"
      (Tuple [Opaque "Secret" 1 Nothing, byte])
      (Tuple [Opaque "Secret" 1 Nothing, word16])
      [],
    change
      "an irregular type"
      (Tuple [Irregular "Nest", byte])
      (Tuple [Irregular "Nest", word16])
      [],
    change "a text as a number" text int64 [],
    evolved
      "a long name"
      (plain (Opaque longName 1 (Just 1)))
      (plain byte)
      []
      [],
    evolved
      "odd names"
      (of' [record "R\n" [field "a\"\228" byte]])
      (of' [record "S\t" [field "b\"\128512" byte]])
      []
      [],
    evolved
      "another name of the type"
      (of' [record "R" [field "a" byte]])
      (Schema (Reference 0) (V.singleton (record "S" [field "a" byte])))
      []
      ["07"]
  ]
  where
    longName =
      "a name of more than a hundred characters, of which an error shows only \
      \the first hundred: 0123456789012345678901234567890123456789"
