{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution.Types
-- Description : What types with fields and constructors can become
module Conformance.Evolution.Types (typeChanges) where

import Ashlar.Schema (Constructor (..), Definition (..), Form (..), Leaf (..), Length (..), Number (..), Schema (..), Shape (..), ValueOrder (..))
import Conformance.Case (Entry, hex)
import Conformance.Evolution
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

typeChanges :: [Entry]
typeChanges = concat [fields, positions, constructors, unknowns, keys, nested, recursive, refusals]

byte, word16, int64, text :: Shape
byte = Leaf (Number W8)
word16 = Leaf (Number W16)
int64 = Leaf (Number I64)
text = Leaf (Utf8 LengthVarint)

rec' :: [(Text, Shape)] -> Schema
rec' fs = of' [record "R" (map (uncurry field) fs)]

sum' :: [(Text, [(Text, Shape)])] -> Schema
sum' cs = of' [variant "S" [(c, map (uncurry field) fs) | (c, fs) <- cs]]

added, dropped :: Text -> Text -> String -> Rule
added t f digits = Rule t (Added f (hex digits))
dropped t f _ = Rule t (Dropped f)

firstBytes :: Int -> String -> String
firstBytes n digits = take (2 * n) (filter (/= ' ') digits)

fields :: [Entry]
fields =
  [ evolved "a field is added" (rec' [("a", byte)]) (rec' [("a", byte), ("b", text)]) [added "R" "b" "0178"] ["07", "", "0700"],
    evolved "a field is added before others" (rec' [("a", byte)]) (rec' [("b", text), ("a", byte)]) [added "R" "b" "0178"] ["07", ""],
    evolved "a field is added, without a default" (rec' [("a", byte)]) (rec' [("a", byte), ("b", text)]) [] [],
    evolved "a default that is not needed" (rec' [("a", byte), ("b", text)]) (rec' [("b", text), ("a", byte)]) [added "R" "b" "0178"] ["07 0161"],
    evolved "two defaults" (rec' [("a", byte)]) (rec' [("b", text), ("a", byte), ("c", Optional byte)]) [added "R" "b" "00", added "R" "c" "0107"] ["07"],
    evolved "a field is dropped" (rec' [("a", byte), ("b", text)]) (rec' [("a", byte)]) [dropped "R" "b" ""] ["07 0161", "07 0261", "07 01ff", "07"],
    evolved "a field is dropped, without a word" (rec' [("a", byte), ("b", text)]) (rec' [("a", byte)]) [] [],
    skipping "a field is skipped" (rec' [("a", byte), ("b", text)]) (rec' [("a", byte)]) [] ["07 0161"],
    skipping "a field is new and nothing is skipped" (rec' [("a", byte)]) (rec' [("a", byte), ("b", text)]) [] [],
    evolved "fields of all shapes are dropped" everything (rec' [("last", byte)]) [dropped "R" (T.pack (show i)) "" | i <- [1 .. length shapes]] [allBytes, firstBytes 20 allBytes, concat (replicate 60 "00")],
    evolved "a field that is not described is dropped" (rec' [("a", byte), ("b", Opaque "Secret" 1 Nothing)]) (rec' [("a", byte)]) [dropped "R" "b" ""] [],
    evolved "a field is renamed" (rec' [("a", byte), ("b", text)]) (rec' [("b", text), ("c", byte)]) [Rule "R" (Renamed "a" "c")] ["07 0161"],
    evolved "a field is renamed and wider" (rec' [("a", byte)]) (rec' [("c", int64)]) [Rule "R" (Renamed "a" "c")] ["ff"],
    evolved "a field is renamed, and the new name is there" (rec' [("a", byte), ("c", byte)]) (rec' [("c", byte)]) [Rule "R" (Renamed "a" "c")] [],
    evolved "two old names" (rec' [("b", byte)]) (rec' [("c", byte)]) [Rule "R" (Renamed "a" "c"), Rule "R" (Renamed "b" "c")] ["07"],
    evolved "a name is not known" (rec' [("b", byte)]) (rec' [("c", byte)]) [] [],
    evolved "other names, of which one is known" (rec' [("b", byte), ("a", byte)]) (rec' [("a", byte)]) [] [],
    evolved "fields are reordered" (rec' [("a", byte), ("b", text), ("c", word16)]) (rec' [("c", word16), ("a", byte), ("b", text)]) [] ["07 0161 0100", "07 01", "07 01ff 0100", "07 0161 01"],
    evolved "fields are reordered, added, dropped and wider" (rec' [("a", byte), ("b", text), ("c", word16)]) (rec' [("c", int64), ("d", byte), ("a", word16)]) [added "R" "d" "09", dropped "R" "b" ""] ["07 0161 0100", "07 0161 01"],
    evolved "a field becomes something else" (rec' [("a", text)]) (rec' [("a", byte)]) [] []
  ]
  where
    everything = rec' ([(T.pack (show i), shape) | (i, (shape, _)) <- zip [1 :: Int ..] shapes] ++ [("last", byte)])
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
  [ evolved "a field without a name is added" (rec' [("1", byte)]) (rec' [("1", byte), ("2", text)]) [added "R" "2" "0178"] ["07"],
    evolved "a field gets a name" (rec' [("1", byte)]) (rec' [("a", byte)]) [Rule "R" (Renamed "1" "a")] ["07"],
    evolved "fields get names, without a word" (rec' [("1", byte)]) (rec' [("a", byte)]) [] [],
    evolved "a field without a name is added to a constructor" (sum' [("A", []), ("B", [("1", byte)])]) (sum' [("A", [("1", text)]), ("B", [("1", byte), ("2", text)])]) [added "S" "A.1" "00", added "S" "B.2" "0178"] ["00", "01 07"],
    evolved "what has to be said of a constructor" (sum' [("A", []), ("B", [("1", byte)])]) (sum' [("A", []), ("B", [("1", byte), ("2", text)])]) [] []
  ]

constructors :: [Entry]
constructors =
  [ evolved "a constructor is added" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", []), ("C", []), ("B", [("x", byte)])]) [] ["00", "01 07", "02"],
    evolved "constructors are reordered" (sum' [("A", []), ("B", []), ("C", [])]) (sum' [("C", []), ("A", []), ("B", [])]) [] ["00", "01", "02", "03"],
    evolved "a constructor is renamed" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", []), ("D", [("x", byte)])]) [Rule "S" (RenamedConstructor "B" "D")] ["00", "01 07"],
    evolved "a constructor is dropped" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", [])]) [Rule "S" (DroppedConstructor "B")] ["00", "01 07"],
    evolved "a constructor is gone, without a word" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", [])]) [] [],
    evolved "a constructor has another name, without a word" (sum' [("A", []), ("B", [])]) (sum' [("A", []), ("C", [])]) [] [],
    evolved "a constructor is retired" (sum' [("A", []), ("B", [])]) retired [] ["00", "01"],
    evolved "a retired constructor is gone" retired (sum' [("A", [])]) [] ["00", "01", "02"],
    evolved "a retired constructor is back" retired (sum' [("A", []), ("B", [])]) [] ["00", "01"],
    evolved "more than 256 constructors" (many 256) (many 257) [] ["00", "ff"],
    evolved "fewer than 257 constructors" (many 257) (many 256) [Rule "Many" (DroppedConstructor "C257")] ["0000", "ff00", "0001", "00"],
    evolved "a record becomes a constructor" (rec' [("x", byte)]) (of' [variant "S" [("A", []), ("R", [field "x" word16])]]) [] ["07"],
    evolved "a record becomes a constructor with another name" (rec' [("x", byte)]) (of' [variant "S" [("A", []), ("B", [field "x" word16])]]) [Rule "S" (RenamedConstructor "R" "B")] ["07"],
    evolved "a record becomes a constructor, without a word" (rec' [("x", byte)]) (of' [variant "S" [("A", []), ("B", [field "x" word16])]]) [] [],
    evolved "a sum becomes a record" (sum' [("A", [("x", byte)])]) (rec' [("x", byte)]) [] ["00 07"],
    evolved "a sum of two becomes a record" (sum' [("A", [("x", byte)]), ("B", [])]) (rec' [("x", byte)]) [] [],
    evolved "fields of a constructor change" (sum' [("A", [("x", byte), ("y", text)]), ("B", [("x", byte)])]) (sum' [("A", [("y", text), ("x", int64), ("z", byte)]), ("B", [("w", byte)])]) [added "S" "A.z" "09", Rule "S" (Renamed "B.x" "B.w")] ["00 07 0161", "01 07", "00 07"]
  ]
  where
    retired = of' [Definition "S" Sum Unordered [Constructor "A" False [], Constructor "B" True []]]
    many n = of' [enumeration "Many" [T.pack ('C' : show i) | i <- [1 .. n :: Int]]]

unknowns :: [Entry]
unknowns =
  [ skipping "a constructor is not known" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", [])]) [] ["00", "01 07"],
    skipping "a constructor that is not known becomes another" (sum' [("A", []), ("B", [("x", byte), ("y", text)])]) (sum' [("A", []), ("Other", [("x", byte), ("n", byte)])]) [Rule "S" (UnknownConstructors "Other"), added "S" "Other.n" "05"] ["00", "01 07 0161"],
    evolved "a constructor that is gone becomes another" (sum' [("A", []), ("B", [("x", byte)])]) (sum' [("A", []), ("Other", [])]) [Rule "S" (UnknownConstructors "Other")] ["00", "01 07"],
    skipping "fields in fields are skipped" (of' [record "R" [field "a" (Reference 1)], record "Q" [field "b" byte, field "c" text]]) (of' [record "R" [field "a" (Reference 1)], record "Q" [field "b" byte]]) [] ["07 0161"]
  ]

keys :: [Entry]
keys =
  [ evolved "an enumeration in a set gets a constructor at its end" (inSet ["A", "B"]) (inSet ["A", "B", "C"]) [] ["02 00 01", "02 01 00", "01 02"],
    evolved "an enumeration in a set gets a constructor before others" (inSet ["A", "B"]) (inSet ["C", "A", "B"]) [] [],
    evolved "a constructor in a set is dropped" (inSet ["A", "B"]) (inSet ["A"]) [Rule "E" (DroppedConstructor "B")] ["01 00", "01 01"],
    evolved "a constructor in a set is renamed" (inSet ["A", "B"]) (inSet ["A", "C"]) [Rule "E" (RenamedConstructor "B" "C")] ["02 00 01"],
    skipping "a constructor in a set is not known" (inSet ["A", "B"]) (inSet ["A"]) [] ["01 00", "01 01"],
    evolved "a field in a key is renamed" (key [("a", byte), ("b", byte)]) (key [("a", byte), ("c", byte)]) [Rule "K" (Renamed "b" "c")] ["01 0102 07"],
    evolved "a field in a key is wider" (key [("a", byte)]) (key [("a", word16)]) [] ["01 01 07"],
    evolved "a field in a key is added" (key [("a", byte)]) (key [("a", byte), ("b", byte)]) [added "K" "b" "01"] [],
    evolved "a field in a key is dropped" (key [("a", byte), ("b", byte)]) (key [("a", byte)]) [dropped "K" "b" ""] [],
    evolved "fields in a key are reordered" (key [("a", byte), ("b", byte)]) (key [("b", byte), ("a", byte)]) [] []
  ]
  where
    inSet cs = Schema (Set LengthVarint (Reference 0)) (V.singleton (enumeration "E" cs))
    key fs = Schema (Map LengthVarint (Reference 0) byte) (V.singleton (record "K" (map (uncurry field) fs)))

nested :: [Entry]
nested =
  [ evolved "types in types" old new [added "Item" "note" "00", Rule "Order" (Renamed "qty" "count"), Rule "Colour" (RenamedConstructor "Red" "Crimson")] [good, firstBytes 15 good, good ++ "00"],
    evolved "a path through shapes" old (of' [record "Order" [field "qty" byte, field "items" (List Length64 (Reference 1)), field "colours" (Map LengthVarint byte (Optional (Reference 2)))], record "Item" [field "name" byte, field "price" (Leaf Float32)], variant "Colour" [("Red", []), ("Green", [])]]) [] [],
    evolved "a path through a tuple and an array" (inside byte) (inside text) [] [],
    evolved "a path through a constructor" (sum' [("A", [("x", Optional (Tuple [byte, byte]))])]) (sum' [("A", [("x", Optional (Tuple [byte, text]))])]) [] [],
    evolved "a path through a key" (Schema (Map LengthVarint text byte) V.empty) (Schema (Map LengthVarint byte byte) V.empty) [] []
  ]
  where
    old = of' [record "Order" [field "qty" byte, field "items" (List Length64 (Reference 1)), field "colours" (Map LengthVarint byte (Optional (Reference 2)))], record "Item" [field "name" text, field "price" (Leaf Float32)], variant "Colour" [("Red", []), ("Green", [])]]
    new = of' [record "Order" [field "count" int64, field "colours" (Map LengthVarint word16 (Optional (Reference 1))), field "items" (List LengthVarint (Reference 2))], variant "Colour" [("Green", []), ("Crimson", [])], record "Item" [field "note" (Optional text), field "price" (Leaf Float64), field "name" text]]
    good = "07 0200000000000000 0161 0000c03f 00 00000000 02 01 00 05 01 00"
    inside shape = rec' [("a", Tuple [byte, Array byte (Optional (List LengthVarint shape))])]

recursive :: [Entry]
recursive =
  [ evolved "a tree with wider numbers" (tree byte []) (tree int64 []) [] ["00", "01 00 07 00", "01 01 00 06 00 07 00", "01 00 07"],
    evolved "a tree with a field more" (tree byte []) (tree byte [field "note" text]) [added "Tree" "Node.note" "0178"] ["01 01 00 06 00 07 00"],
    evolved "a tree with fields in another order" (tree byte []) reordered [] ["01 01 00 06 00 07 00", "01 01 00 06 00 07"],
    evolved "a tree whose leaves are gone" (tree byte []) (of' [variant "Tree" [("Node", [field "left" (Reference 0), field "x" byte, field "right" (Reference 0)])]]) [Rule "Tree" (DroppedConstructor "Leaf")] ["00", "01 00"],
    evolved "a deep list" (of' [variant "L" [("Nil", []), ("Cons", [field "x" byte, field "rest" (Reference 0)])]]) (of' [variant "L" [("Nil", []), ("Cons", [field "rest" (Reference 0), field "x" word16])]]) [] [concat (replicate 200 "0107") ++ "00", concat (replicate 100 "0107")]
  ]
  where
    tree shape more = of' [variant "Tree" [("Leaf", []), ("Node", [field "left" (Reference 0), field "x" shape, field "right" (Reference 0)] ++ more)]]
    reordered = of' [variant "Tree" [("Leaf", []), ("Node", [field "right" (Reference 0), field "x" byte, field "left" (Reference 0)])]]

-- Values that the old or the new type refuses.
refusals :: [Entry]
refusals =
  [ evolved "a tag that is wrong" (sum' [("A", []), ("B", [])]) (sum' [("B", []), ("A", [])]) [] ["02", ""],
    evolved "keys that do not ascend" (Schema (Map LengthVarint byte byte) V.empty) (Schema (Map LengthVarint word16 byte) V.empty) [] ["02 0107 0107"],
    evolved "a length that is too large" (Schema (List LengthVarint byte) V.empty) (Schema (List LengthVarint word16) V.empty) [] ["ffffffffffffffffff01", "ffffffffffffffff7f 01", "8000"],
    evolved "elements of no bytes" (Schema (List LengthVarint (Leaf Unit)) V.empty) (Schema (List Length64 (Leaf Unit)) V.empty) [] ["03", "818040"],
    evolved "defaults for many records of no bytes" (Schema (List LengthVarint (Reference 0)) (V.singleton (record "R" []))) (Schema (List LengthVarint (Reference 0)) (V.singleton (record "R" [field "a" text]))) [added "R" "a" "0178"] ["02", "818040"]
  ]
