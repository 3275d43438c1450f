{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Sources
-- Description : Source in other languages for the types of a schema
module Conformance.Sources (sources) where

import Ashlar.Cli.Python (pythonSource)
import Ashlar.Cli.TypeScript (typescriptSource)
import Ashlar.Codec (encode)
import Ashlar.Codec.Wrappers (Compact, UTF16)
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Schema hiding (Set)
import qualified Ashlar.Schema as Schema
import Conformance.Case
import Conformance.Types
import Conformance.Value (plain)
import Data.Fixed (Centi)
import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Clock (UTCTime)
import qualified Data.Vector as V
import Data.Version (Version)
import Data.Word (Word64)

sources :: [Entry]
sources =
  [ sourceCase "Order" (schema @Order),
    sourceCase "Wide" (schema @Wide),
    sourceCase "Tree" (schema @Tree),
    sourceCase "Mutual" (schema @Mutual),
    sourceCase "Deep" (schema @Deep),
    sourceCase "Suit" (schema @Suit),
    sourceCase "Nothing'" (schema @Nothing'),
    sourceCase "pairs of pairs" (schema @(Pair (Pair Age), Pair Age)),
    sourceCase
      "without definitions"
      ( schema
          @( Compact [Wrappers.Varint Word64],
             UTF16,
             Rational,
             Centi,
             UTCTime,
             Version
           )
      ),
    sourceCase
      "maps"
      ( schema
          @( Map Text (Set Bool),
             Map Suit (),
             Map Colour (),
             Map (Maybe Age) ()
           )
      ),
    sourceCase "Maybe of Maybe" (schema @(Maybe (Maybe Deep), Maybe ())),
    sourceCase "leaves" (plain (Tuple (map Leaf leaves))),
    sourceCase "shapes" (plain (Tuple shapes)),
    sourceCase "names" names
  ]
  where
    leaves =
      [Unit, Float32, Float64BE, Boolean, Character, ScalarCharacter, BigInteger, BigNatural]
        ++ [ FixedPoint 100,
             Date,
             Duration,
             Utf16,
             Utf8 Length64,
             Bytes LengthVarint,
             ByteArray Length64
           ]
        ++ map Number [minBound ..]
        ++ [BigEndian W64, Varint W64, Zigzag W64, Varint I64, Zigzag I32]
    shapes =
      [ Between 0 9 (Number W8),
        Between 0 (2 ^ (60 :: Int)) (Number W64),
        Ratio (Leaf (Number I8)),
        NonEmpty Length64 (Leaf Boolean),
        Schema.Set Length64 (Leaf Boolean),
        Array (Leaf Boolean) (Leaf Unit),
        Constant "ab",
        Opaque "UUID" 1 (Just 16),
        Opaque "Secret" 1 Nothing,
        Irregular "Nest",
        Packed (Optional (Leaf Boolean)),
        Optional (Packed (Optional (Unpacked (Leaf Boolean))))
      ]
    names =
      Schema (Tuple (map Reference [0 .. 6])) . V.fromList $
        [ Definition
            "class"
            Record
            Unordered
            [ Constructor
                "class"
                False
                [ one "from",
                  one "class",
                  one "x'",
                  one "x_",
                  one "constructor"
                ]
            ],
          Definition
            "T"
            Record
            Unordered
            [ Constructor
                "T"
                False
                [ one "",
                  one "3d",
                  one "__proto__",
                  one "gr\246\223e",
                  one "int"
                ]
            ],
          Definition
            "T"
            Sum
            Unordered
            [ Constructor "None" False [one "a"],
              Constructor "Old" True [],
              Constructor "None'" False [],
              Constructor "None_" False [one "1", one "2"]
            ],
          Definition "List" Record Unordered [Constructor "List" False []],
          Definition
            "\"\n*/"
            Sum
            Unordered
            [ Constructor "\"" False [],
              Constructor "\\" False [one "*/\n"],
              Constructor "" False [one "kind", one "type", one "tag"]
            ],
          Definition "T_1" Sum Unordered [],
          Definition "N" Newtype Unordered . pure $
            Constructor "N" False [Field "1" (List Length64 (Reference 6))]
        ]
    one title = Field title (Leaf Unit)

sourceCase :: String -> Schema -> Entry
sourceCase title s =
  entry
    title
    [ ("schema", bytes (encode s)),
      ("python", text (T.unpack (pythonSource s))),
      ("typescript", text (T.unpack (typescriptSource s)))
    ]
