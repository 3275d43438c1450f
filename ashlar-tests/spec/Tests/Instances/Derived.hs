-- |
-- Module      : Tests.Instances.Derived
-- Description : Derived instances
module Tests.Instances.Derived (derived) where

import Data.Int (Int32)
import qualified Data.Map as Map
import qualified Data.Text as T
import Data.Word (Word8)
import Tests.Arbitrary ()
import Tests.Derived
import Tests.Instances.Type

derived :: Section
derived =
  Section
    "Derived instances"
    [ is "Record" [Record 1 2 (T.pack "a") True [3] (Map.fromList [(4, T.pack "")]) 5],
      is "AllFixed" [AllFixed 1 2 3 (True, Blue)],
      is "Shape" [Point, Circle 1, Named (T.pack "a") Point, Both Point (Polygon [(0, 1)])],
      is "Colour" [Red, Green, Blue],
      is "Tree Word8" [Leaf, Node Leaf (7 :: Word8) Leaf],
      is "Rose Text" [Rose (T.pack "a") [Rose (T.pack "") []]],
      is "Pair Int32" [Pair 1 (2 :: Int32)],
      is "Pair Text" [Pair (T.pack "a") (T.pack "b")],
      is "Wrapper" [Wrapper (T.pack "a")],
      is "Unit" [Unit]
    ]
