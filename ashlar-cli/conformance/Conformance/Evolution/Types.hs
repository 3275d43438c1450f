{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution.Types
-- Description : What types with fields and constructors can become
module Conformance.Evolution.Types
  ( typeChanges,
    rec',
    sum',
    added,
    dropped,
    firstBytes,
  )
where

import Ashlar.Schema
  ( Constructor (..),
    Definition (..),
    Form (..),
    Leaf (..),
    Length (..),
    Number (..),
    Schema (..),
    Shape (..),
    ValueOrder (..),
  )
import Conformance.Case (Entry, hex)
import Conformance.Evolution
import Data.Text (Text)
import qualified Data.Text as T

typeChanges :: [Entry]
typeChanges = concat [fields, positions, constructors, unknowns]

byte, word16, int64, text, between, fraction :: Shape
byte = Leaf (Number W8)
word16 = Leaf (Number W16)
int64 = Leaf (Number I64)
text = Leaf (Utf8 LengthVarint)
between = Between 1 3 (Number W8)
fraction = Ratio (Leaf (Number I8))

-- | A record R.
rec' :: [(Text, Shape)] -> Schema
rec' fs = of' [record "R" (map (uncurry field) fs)]

-- | A sum S.
sum' :: [(Text, [(Text, Shape)])] -> Schema
sum' cs = of' [variant "S" [(c, map (uncurry field) fs) | (c, fs) <- cs]]

-- | The type, the field, and its default.
added :: Text -> Text -> String -> Rule
added t f digits = Rule t (Added f (hex digits))

-- | The type and the field.
dropped :: Text -> Text -> Rule
dropped t f = Rule t (Dropped f)

-- | The first bytes of some.
firstBytes :: Int -> String -> String
firstBytes n digits = take (2 * n) (filter (/= ' ') digits)

fields :: [Entry]
fields =
  [ evolved
      "a field is added"
      (rec' [("a", byte)])
      (rec' [("a", byte), ("b", text)])
      [added "R" "b" "0178"]
      ["07", "", "0700"],
    evolved
      "a field is added before others"
      (rec' [("a", byte)])
      (rec' [("b", text), ("a", byte)])
      [added "R" "b" "0178"]
      ["07", ""],
    evolved
      "a field is added, without a default"
      (rec' [("a", byte)])
      (rec' [("a", byte), ("b", text)])
      []
      [],
    evolved
      "a default that is not needed"
      (rec' [("a", byte), ("b", text)])
      (rec' [("b", text), ("a", byte)])
      [added "R" "b" "0178"]
      ["07 0161"],
    evolved
      "two defaults"
      (rec' [("a", byte)])
      (rec' [("b", text), ("a", byte), ("c", Optional byte)])
      [added "R" "b" "00", added "R" "c" "0107"]
      ["07"],
    evolved
      "a field is dropped"
      (rec' [("a", byte), ("b", text)])
      (rec' [("a", byte)])
      [dropped "R" "b"]
      ["07 0161", "07 0261", "07 01ff", "07"],
    evolved
      "a field is dropped, without a word"
      (rec' [("a", byte), ("b", text)])
      (rec' [("a", byte)])
      []
      [],
    skipping
      "a field is skipped"
      (rec' [("a", byte), ("b", text)])
      (rec' [("a", byte)])
      []
      ["07 0161"],
    skipping
      "a field is new and nothing is skipped"
      (rec' [("a", byte)])
      (rec' [("a", byte), ("b", text)])
      []
      [],
    evolved
      "fields of all shapes are dropped"
      everything
      (rec' [("last", byte)])
      [dropped "R" (T.pack (show i)) | i <- [1 .. length shapes]]
      [allBytes, firstBytes 20 allBytes, concat (replicate 60 "00")],
    evolved
      "a field that is not described is dropped"
      (rec' [("a", byte), ("b", Opaque "Secret" 1 Nothing)])
      (rec' [("a", byte)])
      [dropped "R" "b"]
      [],
    evolved
      "a field is renamed"
      (rec' [("a", byte), ("b", text)])
      (rec' [("b", text), ("c", byte)])
      [Rule "R" (Renamed "a" "c")]
      ["07 0161"],
    evolved
      "a field is renamed beside bounds, a fraction and an opaque format"
      (rec' [("a", byte), ("b", between), ("c", fraction), ("d", Opaque "Secret" 1 Nothing)])
      (rec' [("e", byte), ("b", between), ("c", fraction), ("d", Opaque "Secret" 1 Nothing)])
      [Rule "R" (Renamed "a" "e")]
      [],
    evolved
      "a field is renamed beside bounds and a fraction"
      (rec' [("a", byte), ("b", between), ("c", fraction)])
      (rec' [("e", byte), ("b", between), ("c", fraction)])
      [Rule "R" (Renamed "a" "e")]
      ["07 03 0102", "07 04 0102", "07 03 0204"],
    evolved
      "a field is added beside bounds and a fraction"
      (rec' [("b", between), ("c", fraction)])
      (rec' [("a", byte), ("b", between), ("c", fraction)])
      [added "R" "a" "07"]
      ["03 0102", "04 0102", "03 0204", "04"],
    evolved
      "a field is renamed and wider"
      (rec' [("a", byte)])
      (rec' [("c", int64)])
      [Rule "R" (Renamed "a" "c")]
      ["ff"],
    evolved
      "a field is renamed, and the new name is there"
      (rec' [("a", byte), ("c", byte)])
      (rec' [("c", byte)])
      [Rule "R" (Renamed "a" "c")]
      [],
    evolved
      "two old names"
      (rec' [("b", byte)])
      (rec' [("c", byte)])
      [Rule "R" (Renamed "a" "c"), Rule "R" (Renamed "b" "c")]
      ["07"],
    evolved
      "two fields become one"
      (rec' [("a", byte), ("b", byte)])
      (rec' [("c", byte)])
      [Rule "R" (Renamed "a" "c"), Rule "R" (Renamed "b" "c")]
      [],
    evolved
      "two rules for one field"
      (rec' [("a", byte)])
      (rec' [("a", byte), ("b", text)])
      [added "R" "b" "0161", added "R" "b" "0162"]
      ["07"],
    evolved
      "a rule for a constructor comes first"
      (sum' [("A", [("x", byte)]), ("B", [("x", byte)])])
      (sum' [("A", [("x", byte), ("y", byte)]), ("B", [("x", byte), ("y", byte)])])
      [added "S" "y" "01", added "S" "B.y" "02"]
      ["00 07", "01 07"],
    evolved "a name is not known" (rec' [("b", byte)]) (rec' [("c", byte)]) [] [],
    evolved
      "other names, of which one is known"
      (rec' [("b", byte), ("a", byte)])
      (rec' [("a", byte)])
      []
      [],
    evolved
      "fields are reordered"
      (rec' [("a", byte), ("b", text), ("c", word16)])
      (rec' [("c", word16), ("a", byte), ("b", text)])
      []
      ["07 0161 0100", "07 01", "07 01ff 0100", "07 0161 01"],
    evolved
      "fields are reordered, added, dropped and wider"
      (rec' [("a", byte), ("b", text), ("c", word16)])
      (rec' [("c", int64), ("d", byte), ("a", word16)])
      [added "R" "d" "09", dropped "R" "b"]
      ["07 0161 0100", "07 0161 01"],
    evolved "a field becomes something else" (rec' [("a", text)]) (rec' [("a", byte)]) [] []
  ]
  where
    everything =
      rec'
        ( [ ( T.pack (show i),
              shape
            )
            | ( i,
                (shape, _)
                ) <-
                zip [1 :: Int ..] shapes
          ]
            ++ [ ( "last",
                   byte
                 )
               ]
        )
    allBytes = concatMap snd shapes ++ "63"
    shapes =
      [ (text, "0161"),
        (Leaf Utf16, "0100000000000000 6100"),
        (Leaf (Varint W32), "ac02"),
        (Leaf BigInteger, "0401ff"),
        (Leaf Float64, "0000000000000000"),
        (Leaf Boolean, "01"),
        (Optional text, "010161"),
        (Optional (Leaf (Number I32)), "00"),
        (List Length64 word16, "0200000000000000 01000200"),
        (Set LengthVarint byte, "020102"),
        (Map LengthVarint text byte, "01 0161 07"),
        (Tuple [byte, text], "07 0161"),
        (Array byte text, "01 01 0100000000000000 0161"),
        (Ratio (Leaf BigInteger), "0201 0202"),
        (Between 0 9 (Number W8), "05"),
        (Constant "ab", "6162"),
        (Opaque "UUID" 1 (Just 3), "010203"),
        (Leaf Unit, "")
      ]

positions :: [Entry]
positions =
  [ evolved
      "a field without a name is added"
      (rec' [("1", byte)])
      (rec' [("1", byte), ("2", text)])
      [added "R" "2" "0178"]
      ["07"],
    evolved
      "a field gets a name"
      (rec' [("1", byte)])
      (rec' [("a", byte)])
      [Rule "R" (Renamed "1" "a")]
      ["07"],
    evolved "fields get names, without a word" (rec' [("1", byte)]) (rec' [("a", byte)]) [] [],
    evolved
      "a field without a name is added to a constructor"
      (sum' [("A", []), ("B", [("1", byte)])])
      (sum' [("A", [("1", text)]), ("B", [("1", byte), ("2", text)])])
      [added "S" "A.1" "00", added "S" "B.2" "0178"]
      ["00", "01 07"],
    evolved
      "what has to be said of a constructor"
      (sum' [("A", []), ("B", [("1", byte)])])
      (sum' [("A", []), ("B", [("1", byte), ("2", text)])])
      []
      []
  ]

constructors :: [Entry]
constructors =
  [ evolved
      "a constructor is added"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", []), ("C", []), ("B", [("x", byte)])])
      []
      ["00", "01 07", "02"],
    evolved
      "constructors are reordered"
      (sum' [("A", []), ("B", []), ("C", [])])
      (sum' [("C", []), ("A", []), ("B", [])])
      []
      ["00", "01", "02", "03"],
    evolved
      "a constructor is renamed"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", []), ("D", [("x", byte)])])
      [Rule "S" (RenamedConstructor "B" "D")]
      ["00", "01 07"],
    evolved
      "a constructor is dropped"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", [])])
      [Rule "S" (DroppedConstructor "B")]
      ["00", "01 07"],
    evolved
      "a constructor is gone, without a word"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", [])])
      []
      [],
    evolved
      "a constructor has another name, without a word"
      (sum' [("A", []), ("B", [])])
      (sum' [("A", []), ("C", [])])
      []
      [],
    evolved "a constructor is retired" (sum' [("A", []), ("B", [])]) retired [] ["00", "01"],
    evolved "a retired constructor is gone" retired (sum' [("A", [])]) [] ["00", "01", "02"],
    evolved "a retired constructor is back" retired (sum' [("A", []), ("B", [])]) [] ["00", "01"],
    evolved "more than 256 constructors" (many 256) (many 257) [] ["00", "ff"],
    evolved
      "fewer than 257 constructors"
      (many 257)
      (many 256)
      [Rule "Many" (DroppedConstructor "C257")]
      ["0000", "ff00", "0001", "00"],
    evolved
      "a record becomes a constructor"
      (rec' [("x", byte)])
      (of' [variant "S" [("A", []), ("R", [field "x" word16])]])
      []
      ["07"],
    evolved
      "a record becomes a constructor with another name"
      (rec' [("x", byte)])
      (of' [variant "S" [("A", []), ("B", [field "x" word16])]])
      [Rule "S" (RenamedConstructor "R" "B")]
      ["07"],
    evolved
      "a record becomes a constructor, without a word"
      (rec' [("x", byte)])
      (of' [variant "S" [("A", []), ("B", [field "x" word16])]])
      []
      [],
    evolved
      "a sum becomes a record"
      (sum' [("A", [("x", byte)])])
      (rec' [("x", byte)])
      []
      ["00 07"],
    evolved
      "a sum becomes a record with the name of a constructor"
      (sum' [("R", [("x", byte)]), ("A", [])])
      (rec' [("x", byte)])
      [Rule "R" (DroppedConstructor "A")]
      ["00 07", "01"],
    evolved
      "a sum of two becomes a record"
      (sum' [("A", [("x", byte)]), ("B", [])])
      (rec' [("x", byte)])
      []
      [],
    evolved
      "fields of a constructor change"
      (sum' [("A", [("x", byte), ("y", text)]), ("B", [("x", byte)])])
      (sum' [("A", [("y", text), ("x", int64), ("z", byte)]), ("B", [("w", byte)])])
      [added "S" "A.z" "09", Rule "S" (Renamed "B.x" "B.w")]
      ["00 07 0161", "01 07", "00 07"]
  ]
  where
    retired = of' [Definition "S" Sum Unordered [Constructor "A" False [], Constructor "B" True []]]
    many n = of' [enumeration "Many" [T.pack ('C' : show i) | i <- [1 .. n :: Int]]]

unknowns :: [Entry]
unknowns =
  [ skipping
      "a constructor is not known"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", [])])
      []
      ["00", "01 07"],
    skipping
      "a constructor that is not known becomes another"
      (sum' [("A", []), ("B", [("x", byte), ("y", text)])])
      (sum' [("A", []), ("Other", [("x", byte), ("n", byte)])])
      [Rule "S" (UnknownConstructors "Other"), added "S" "Other.n" "05"]
      ["00", "01 07 0161"],
    evolved
      "a constructor that is gone becomes another"
      (sum' [("A", []), ("B", [("x", byte)])])
      (sum' [("A", []), ("Other", [])])
      [Rule "S" (UnknownConstructors "Other")]
      ["00", "01 07"],
    skipping
      "fields in fields are skipped"
      (of' [record "R" [field "a" (Reference 1)], record "Q" [field "b" byte, field "c" text]])
      (of' [record "R" [field "a" (Reference 1)], record "Q" [field "b" byte]])
      []
      ["07 0161"]
  ]
