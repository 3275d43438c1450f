{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution.Nested
-- Description : Changes in keys, in types of types and in recursive types
module Conformance.Evolution.Nested (nestedChanges) where

import Ashlar.Schema (Leaf (..), Length (..), Number (..), Schema (..), Shape (..))
import Conformance.Case (Entry)
import Conformance.Evolution
import Conformance.Evolution.Types (added, dropped, firstBytes, rec', sum')
import qualified Data.Vector as V

nestedChanges :: [Entry]
nestedChanges = concat [keys, nested, recursive, refusals]

byte, word16, int64, text :: Shape
byte = Leaf (Number W8)
word16 = Leaf (Number W16)
int64 = Leaf (Number I64)
text = Leaf (Utf8 LengthVarint)

keys :: [Entry]
keys =
  [ evolved
      "an enumeration in a set gets a constructor at its end"
      (inSet ["A", "B"])
      (inSet ["A", "B", "C"])
      []
      ["02 00 01", "02 01 00", "01 02"],
    evolved
      "an enumeration in a set gets a constructor before others"
      (inSet ["A", "B"])
      (inSet ["C", "A", "B"])
      []
      [],
    evolved
      "a constructor in a set is dropped"
      (inSet ["A", "B"])
      (inSet ["A"])
      [Rule "E" (DroppedConstructor "B")]
      ["01 00", "01 01"],
    evolved
      "a constructor in a set is renamed"
      (inSet ["A", "B"])
      (inSet ["A", "C"])
      [Rule "E" (RenamedConstructor "B" "C")]
      ["02 00 01"],
    skipping
      "a constructor in a set is not known"
      (inSet ["A", "B"])
      (inSet ["A"])
      []
      ["01 00", "01 01"],
    evolved
      "a field in a key is renamed"
      (key [("a", byte), ("b", byte)])
      (key [("a", byte), ("c", byte)])
      [Rule "K" (Renamed "b" "c")]
      ["01 0102 07"],
    evolved
      "a record in a key becomes a sum"
      (key [("a", byte)])
      (Schema (Map LengthVarint (Reference 0) byte) (V.singleton keySum))
      []
      [],
    evolved "a field in a key is wider" (key [("a", byte)]) (key [("a", word16)]) [] ["01 01 07"],
    evolved
      "a field in a key is added"
      (key [("a", byte)])
      (key [("a", byte), ("b", byte)])
      [added "K" "b" "01"]
      [],
    evolved
      "a field in a key is dropped"
      (key [("a", byte), ("b", byte)])
      (key [("a", byte)])
      [dropped "K" "b"]
      [],
    evolved
      "fields in a key are reordered"
      (key [("a", byte), ("b", byte)])
      (key [("b", byte), ("a", byte)])
      []
      []
  ]
  where
    keySum = variant "K" [("K", [field "a" byte])]
    inSet cs = Schema (Set LengthVarint (Reference 0)) (V.singleton (enumeration "E" cs))
    key fs =
      Schema
        (Map LengthVarint (Reference 0) byte)
        (V.singleton (record "K" (map (uncurry field) fs)))

nested :: [Entry]
nested =
  [ evolved
      "records without fields, in elements that are dropped"
      (withEmpty [("a", emptyIn byte), ("b", byte)])
      (rec' [("b", byte)])
      [dropped "R" "a"]
      ["02 05 06 07", "00 07", "02 05"],
    evolved
      "records without fields, in elements that get wider"
      (withEmpty [("a", emptyIn byte), ("b", byte)])
      (withEmpty [("b", int64), ("a", emptyIn word16)])
      []
      ["02 05 06 07", "00 07", "02 05"],
    evolved
      "types in types"
      old
      new
      [ added "Item" "note" "00",
        Rule "Order" (Renamed "qty" "count"),
        Rule "Colour" (RenamedConstructor "Red" "Crimson")
      ]
      [good, firstBytes 15 good, good ++ "00"],
    evolved
      "a path through shapes"
      old
      ( of'
          [ record
              "Order"
              [ field "qty" byte,
                field "items" (List Length64 (Reference 1)),
                field "colours" (Map LengthVarint byte (Optional (Reference 2)))
              ],
            record "Item" [field "name" byte, field "price" (Leaf Float32)],
            variant "Colour" [("Red", []), ("Green", [])]
          ]
      )
      []
      [],
    evolved "a path through a tuple and an array" (inside byte) (inside text) [] [],
    evolved
      "a path through a constructor"
      (sum' [("A", [("x", Optional (Tuple [byte, byte]))])])
      (sum' [("A", [("x", Optional (Tuple [byte, text]))])])
      []
      [],
    evolved
      "a path through a key"
      (Schema (Map LengthVarint text byte) V.empty)
      (Schema (Map LengthVarint byte byte) V.empty)
      []
      []
  ]
  where
    withEmpty fs =
      of' [record "R" (map (uncurry field) fs), record "E" [], record "F" [field "e" (Reference 1)]]
    emptyIn x = List LengthVarint (Tuple [x, Reference 1, Reference 2])
    old =
      of'
        [ record
            "Order"
            [ field "qty" byte,
              field "items" (List Length64 (Reference 1)),
              field "colours" (Map LengthVarint byte (Optional (Reference 2)))
            ],
          record "Item" [field "name" text, field "price" (Leaf Float32)],
          variant "Colour" [("Red", []), ("Green", [])]
        ]
    new =
      of'
        [ record
            "Order"
            [ field "count" int64,
              field "colours" (Map LengthVarint word16 (Optional (Reference 1))),
              field "items" (List LengthVarint (Reference 2))
            ],
          variant "Colour" [("Green", []), ("Crimson", [])],
          record
            "Item"
            [ field "note" (Optional text),
              field "price" (Leaf Float64),
              field "name" text
            ]
        ]
    good = "07 0200000000000000 0161 0000c03f 00 00000000 02 01 00 05 01 00"
    inside shape = rec' [("a", Tuple [byte, Array byte (Optional (List LengthVarint shape))])]

recursive :: [Entry]
recursive =
  [ evolved
      "a tree with wider numbers"
      (tree byte [])
      (tree int64 [])
      []
      ["00", "01 00 07 00", "01 01 00 06 00 07 00", "01 00 07"],
    evolved
      "a tree with a field more"
      (tree byte [])
      (tree byte [field "note" text])
      [added "Tree" "Node.note" "0178"]
      ["01 01 00 06 00 07 00"],
    evolved
      "a tree with fields in another order"
      (tree byte [])
      reordered
      []
      ["01 01 00 06 00 07 00", "01 01 00 06 00 07"],
    evolved
      "a tree whose leaves are gone"
      (tree byte [])
      ( of'
          [ variant
              "Tree"
              [ ( "Node",
                  [field "left" (Reference 0), field "x" byte, field "right" (Reference 0)]
                )
              ]
          ]
      )
      [Rule "Tree" (DroppedConstructor "Leaf")]
      ["00", "01 00"],
    evolved
      "a deep list"
      (of' [variant "L" [("Nil", []), ("Cons", [field "x" byte, field "rest" (Reference 0)])]])
      (of' [variant "L" [("Nil", []), ("Cons", [field "rest" (Reference 0), field "x" word16])]])
      []
      [concat (replicate 200 "0107") ++ "00", concat (replicate 100 "0107")]
  ]
  where
    tree shape more =
      of'
        [ variant
            "Tree"
            [ ("Leaf", []),
              ( "Node",
                [field "left" (Reference 0), field "x" shape, field "right" (Reference 0)] ++ more
              )
            ]
        ]
    reordered =
      of'
        [ variant
            "Tree"
            [ ("Leaf", []),
              ("Node", [field "right" (Reference 0), field "x" byte, field "left" (Reference 0)])
            ]
        ]

-- Values that the old or the new type refuses.
refusals :: [Entry]
refusals =
  [ evolved
      "a tag that is wrong"
      (sum' [("A", []), ("B", [])])
      (sum' [("B", []), ("A", [])])
      []
      ["02", ""],
    evolved
      "keys that do not ascend"
      (Schema (Map LengthVarint byte byte) V.empty)
      (Schema (Map LengthVarint word16 byte) V.empty)
      []
      ["02 0107 0107"],
    evolved
      "a length that is too large"
      (Schema (List LengthVarint byte) V.empty)
      (Schema (List LengthVarint word16) V.empty)
      []
      ["ffffffffffffffffff01", "ffffffffffffffff7f 01", "8000"],
    evolved
      "elements of no bytes"
      (Schema (List LengthVarint (Leaf Unit)) V.empty)
      (Schema (List Length64 (Leaf Unit)) V.empty)
      []
      ["03", "818040"],
    evolved
      "defaults for many records of no bytes"
      (Schema (List LengthVarint (Reference 0)) (V.singleton (record "R" [])))
      (Schema (List LengthVarint (Reference 0)) (V.singleton (record "R" [field "a" text])))
      [added "R" "a" "0178"]
      ["02", "818040"]
  ]
