{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution.Packed
-- Description : From the packed format to the plain one, and back
module Conformance.Evolution.Packed (packedChanges) where

import Ashlar.Schema hiding (added, dropped, packed)
import Conformance.Case (Entry)
import Conformance.Evolution
import Conformance.Evolution.Types (added, dropped, rec')
import Conformance.Value (plain)
import qualified Data.Vector as V

packedChanges :: [Entry]
packedChanges =
  [ evolved
      "plain to packed"
      order
      (packed order)
      []
      ["01 ac02000000000000 0161 00", "00 0500000000000000 00 0107", "02 ac02"],
    evolved "packed to plain" (packed order) order [] ["80 d804 0161", "c0 0a 00 07", "80 d8"],
    evolved
      "packed, and a field is added"
      (packed order)
      (packed (rec' (fields ++ [("e", text)])))
      [added "R" "e" "0178"]
      ["80 d804 0161", "40 0a 00 07"],
    evolved
      "packed, and a field is dropped"
      (packed order)
      (packed (rec' (take 3 fields)))
      [dropped "R" "d"]
      ["80 d804 0161", "40 0a 00 07"],
    evolved
      "packed, and a number gets wider"
      (packed (rec' [("a", bool), ("b", word16)]))
      (packed (rec' [("b", int64), ("a", bool)]))
      []
      ["80 ac02", "00 7f", "40 7f"],
    evolved
      "packed as before, and a change around it"
      (Schema (Tuple [Packed (Tuple [bool, word16]), byte]) V.empty)
      (Schema (Tuple [Packed (Tuple [bool, word16]), word16]) V.empty)
      []
      ["80ac02 07", "807f ff"],
    evolved
      "packed as before, with an opaque format, and a change around it"
      (Schema (Tuple [Packed (Tuple [bool, Opaque "Secret" 1 Nothing]), byte]) V.empty)
      (Schema (Tuple [Packed (Tuple [bool, Opaque "Secret" 1 Nothing]), word16]) V.empty)
      []
      [],
    evolved
      "packed as before, with a part that is not and an opaque format, and a name changes"
      (rec' [("a", partlyPacked), ("b", byte)])
      (rec' [("a", partlyPacked), ("c", byte)])
      [Rule "R" (Renamed "b" "c")]
      [],
    evolved
      "packed, with an opaque format, and dropped"
      (rec' [("a", Packed (Tuple [bool, Unpacked (Opaque "Secret" 1 Nothing)])), ("b", byte)])
      (rec' [("b", byte)])
      [dropped "R" "a"]
      [],
    evolved
      "packed in a list becomes plain"
      (plain (List LengthVarint (Packed (Tuple [bool, bool]))))
      (plain (List LengthVarint (Tuple [bool, bool])))
      []
      ["02 80 c0", "00"],
    evolved
      "a list is packed, and not its elements"
      (plain (List LengthVarint (Packed (Tuple [bool, bool]))))
      (plain (Packed (List LengthVarint (Tuple [bool, bool]))))
      []
      ["02 80 c0", "03 00 40 80"],
    evolved
      "another part is not packed"
      (plain (Packed (Tuple [word16, Unpacked word16])))
      (plain (Packed (Tuple [Unpacked word16, word16])))
      []
      ["01 2c01"],
    evolved
      "a packed field is dropped"
      (rec' [("a", byte), ("b", Packed (Tuple [bool, word16])), ("c", byte)])
      (rec' [("a", byte), ("c", byte)])
      [dropped "R" "b"]
      ["07 80ac02 08", "07 a0ac02 08"],
    evolved
      "a packed value becomes a Maybe"
      (plain (Packed bool))
      (plain (Optional (Packed bool)))
      []
      ["80", "00"],
    evolved
      "a packed Maybe becomes a list of such"
      (plain (Packed (Optional (Optional word16))))
      (plain (List LengthVarint (Packed (Optional (Optional word16)))))
      []
      ["00", "80", "c0 05"],
    evolved
      "a packed text is no number"
      (plain (Packed text))
      (plain (Packed byte))
      []
      [],
    evolved
      "keys are packed"
      (plain (Map LengthVarint (Tuple [byte, word16]) byte))
      (plain (Map LengthVarint (Packed (Tuple [byte, word16])) byte))
      []
      ["02 010100 07 010200 08"],
    evolved
      "a type contains itself, packed"
      (chain [("n", byte)])
      (chain [("n", word16)])
      []
      ["01 00", "01 80 02 00"]
  ]
  where
    order = rec' fields
    fields = [("a", bool), ("b", int64), ("c", text), ("d", Optional byte)]
    partlyPacked = Packed (Tuple [bool, Unpacked (Opaque "Secret" 1 Nothing)])
    chain own =
      Schema (Reference 0) . V.singleton $
        Definition
          "T"
          Record
          Unordered
          [ Constructor
              "T"
              False
              ([Field n s | (n, s) <- own] ++ [Field "next" (Packed (Optional (Reference 0)))])
          ]

byte, bool, word16, int64, text :: Shape
byte = Leaf (Number W8)
bool = Leaf Boolean
word16 = Leaf (Number W16)
int64 = Leaf (Number I64)
text = Leaf (Utf8 LengthVarint)

packed :: Schema -> Schema
packed s = s {schemaRoot = Packed (schemaRoot s)}
