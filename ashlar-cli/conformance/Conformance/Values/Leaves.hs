{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Values.Leaves
-- Description : Values without parts
module Conformance.Values.Leaves (leaves) where

import Ashlar.Schema
import Conformance.Case (Entry)
import Conformance.Value
import qualified Data.ByteString as B
import Data.Char (chr)
import qualified Data.Text as T
import Numeric (showHex)

leaves :: [Entry]
leaves = concat [numbers, varints, floats, characters, integers, strings]

-- | Whole numbers of constant size, and in LEB128.
numbers :: [Entry]
numbers =
  concat
    [ shaped (title ++ show n) (leaf (l n)) [(show x, Whole (l n) x) | x <- edges n]
        ++ hexed (title ++ show n) (leaf (l n)) [("no bytes", "")]
      | (title, l) <-
          [ ("Number ", Number),
            ("BigEndian ", BigEndian),
            ("Varint ", Varint),
            ("Zigzag ", Zigzag)
          ],
        n <- [minBound .. maxBound]
    ]
    ++ concat
      [ cutOff ("Number " ++ show n) (leaf (Number n)) (B.replicate (size `quot` 2) 7)
          ++ [ valueCase
                 ("BigEndian " ++ show n ++ ", a byte more")
                 (leaf (BigEndian n))
                 (B.replicate (size + 1) 7)
             ]
        | (n, size) <- [(W16, 2), (I32, 4), (W64, 8)]
      ]
    ++ hexed
      "Number W8"
      (leaf (Number W8))
      [ ("a byte more", "0102"),
        ("three bytes more", "01020304")
      ]
  where
    edges n = case n of
      W8 -> [0, 1, 127, 128, 255]
      W16 -> [0, 256, 16383, 16384, 65535]
      W32 -> [0, 65536, 2097152, 2 ^ (32 :: Int) - 1]
      W64 -> [0, 9007199254740993, 2 ^ (63 :: Int), 2 ^ (64 :: Int) - 1]
      I8 -> [-128, -64, -1, 0, 63, 64, 127]
      I16 -> [-32768, -1, 0, 258, 32767]
      I32 -> [-2147483648, -1, 0, 2147483647]
      I64 -> [-9223372036854775808, -9007199254740993, -1, 0, 9223372036854775807]

varints :: [Entry]
varints =
  concat
    [ hexed "Varint W8" (leaf (Varint W8)) $
        [("256", "8002"), ("2^64 - 1", "ffffffffffffffffff01"), ("2^63", "80808080808080808001")]
          ++ odd',
      hexed "Varint W16" (leaf (Varint W16)) [("65536", "808004")],
      hexed "Varint W32" (leaf (Varint W32)) [("2^32", "8080808010")],
      hexed "Varint W64" (leaf (Varint W64)) (("2^64", "80808080808080808002") : odd'),
      hexed
        "Varint I8"
        (leaf (Varint I8))
        [ ("128", "8001"),
          ("-129", "fffeffffffffffffff01"),
          ("255", "ff01")
        ],
      hexed "Varint I32" (leaf (Varint I32)) [("2^31", "8080808008"), ("2^32 - 1", "ffffffff0f")],
      hexed "Varint I64" (leaf (Varint I64)) [("2^64", "80808080808080808002")],
      hexed
        "Zigzag W8"
        (leaf (Zigzag W8))
        ( [ ("-1", "01"),
            ("256", "8004"),
            ("-128", "ff01")
          ]
            ++ odd'
        ),
      hexed "Zigzag W32" (leaf (Zigzag W32)) [("-1", "01"), ("2^32", "8080808020")],
      hexed "Zigzag W64" (leaf (Zigzag W64)) (("2^64 - 1", "01") : odd'),
      hexed "Zigzag I8" (leaf (Zigzag I8)) [("128", "8002"), ("-129", "8102")],
      hexed "Zigzag I16" (leaf (Zigzag I16)) [("32768", "808004")],
      hexed "Zigzag I32" (leaf (Zigzag I32)) [("2^31", "8080808010")],
      hexed "Zigzag I64" (leaf (Zigzag I64)) odd'
    ]
  where
    odd' =
      [ ("0 in two bytes", "8000"),
        ("1 in three bytes", "818000"),
        ("eleven bytes", "8080808080808080808001"),
        ("more than 64 bits", "ffffffffffffffffff7f"),
        ("no end", "ffff"),
        ("ten bytes without an end", "ffffffffffffffffffff")
      ]

floats :: [Entry]
floats =
  concat
    [ shaped "Float32" (leaf Float32) [(show x, Binary32 Float32 x) | x <- singles],
      shaped "Float64" (leaf Float64) [(show x, Binary64 Float64 x) | x <- doubles],
      shaped "Float32BE" (leaf Float32BE) [(show x, Binary32 Float32BE x) | x <- take 4 singles],
      shaped "Float64BE" (leaf Float64BE) [(show x, Binary64 Float64BE x) | x <- take 4 doubles],
      hexed "Float32" (leaf Float32) [("NaN", "0000c07f"), ("three bytes", "000000")],
      hexed
        "Float64"
        (leaf Float64)
        [ ("NaN", "000000000000f87f"),
          ("seven bytes", "00000000000000")
        ],
      hexed "Float32BE" (leaf Float32BE) [("NaN", "7fc00000")],
      hexed "Float64BE" (leaf Float64BE) [("NaN", "7ff8000000000000")]
    ]
  where
    singles =
      [1.5, -0.1, 3.4028235e38, 1.0e-45, 0, -0.0, 1 / 0, -1 / 0, 1.1754944e-38]
        ++ [16777216, 0.1, 0.09, 1234567.9, 12345678, 9999999, 1.0e7, 0.3, 5.0e-2]
    doubles =
      [1.5, -0.1, 1.7976931348623157e308, 5.0e-324, 0, -0.0, 1 / 0, -1 / 0, 2.2250738585072014e-308]
        ++ [ 9007199254740992,
             0.1,
             0.09999,
             1234567.9,
             12345678,
             9999999,
             1.0e7,
             1.0e21,
             1.0e22,
             123456789012345680
           ]
        ++ [1.0e-6, 1.0e-7, 2 / 3, 4.35, 1.0e23, 5.0e-2, 100, 0.1 + 0.2]

characters :: [Entry]
characters =
  concat
    [ shaped
        "Character"
        (leaf Character)
        [ (show c, Letter Character c)
          | c <- "a\0\xD7FF\xD800\xDFFF\xE000\x10FFFF\"\\\n\DEL\x85\xA0\xAD\x2028\x1F600"
        ],
      shaped
        "ScalarCharacter"
        (leaf ScalarCharacter)
        [(show c, Letter ScalarCharacter c) | c <- "a\xD7FF\xE000\x10FFFF"],
      hexed
        "Character"
        (leaf Character)
        [ ("too large", "00001100"),
          ("2^32 - 1", "ffffffff"),
          ("cut off", "610000")
        ],
      hexed
        "ScalarCharacter"
        (leaf ScalarCharacter)
        [ ("surrogate", "00d80000"),
          ("the last surrogate", "ffdf0000"),
          ("too large", "00001100"),
          ("cut off", "6100")
        ],
      hexed
        "Boolean"
        (leaf Boolean)
        [ ("False", "00"),
          ("True", "01"),
          ("2", "02"),
          ("255", "ff"),
          ("none", "")
        ],
      hexed "Unit" (leaf Unit) [("itself", ""), ("a byte", "00")]
    ]

integers :: [Entry]
integers =
  concat
    [ shaped "BigInteger" (leaf BigInteger) [(show' x, Whole BigInteger x) | x <- numbers'],
      shaped "BigNatural" (leaf BigNatural) [(show' x, Whole BigNatural x) | x <- numbers', x >= 0],
      concat
        [ shaped
            name
            (leaf l)
            [ (show' x, Whole l x)
              | x <- [0, 7, -7, 1234567, -2 ^ (63 :: Int), 2 ^ (70 :: Int)]
            ]
          | units <- [0, 1, 3, 10, 100, 1000000000000, 10 ^ (20 :: Int), 20],
            let l = FixedPoint units
                name = "FixedPoint " ++ show units
        ],
      shaped "Date" (leaf Date) [(show' x, Whole Date x) | x <- dates],
      shaped
        "Duration"
        (leaf Duration)
        [ (show' x, Whole Duration x)
          | x <- [0, 1, -1, 1500000000000, -2 ^ (63 :: Int), 2 ^ (64 :: Int)]
        ],
      hexed "BigInteger" (leaf BigInteger) (odd' ++ [("-0", "01"), ("-1 in two bytes", "050100")]),
      hexed "BigNatural" (leaf BigNatural) odd',
      hexed "Date" (leaf Date) odd',
      hexed "Duration" (leaf Duration) [("-0", "01")],
      hexed "FixedPoint 100" (leaf (FixedPoint 100)) [("-0", "01"), ("cut off", "0401")]
    ]
  where
    numbers' =
      [0, 1, -1, 127, 128, 255, 256, -256, 65535, 65536]
        ++ concat [[2 ^ k - 1, 2 ^ k, -(2 ^ k), -(2 ^ k) - 1] | k <- [31, 53, 63, 64, 128 :: Int]]
        ++ [ 2 ^ (4096 :: Int) - 1,
             2 ^ (4096 :: Int),
             -(2 ^ (4096 :: Int)) + 1,
             -(2 ^ (4096 :: Int))
           ]
    dates =
      [0, -1, 40587, 60369, 60370, -678575, -678576, -678941, -678942, 2973483, 2973484]
        ++ [ -(10 ^ (9 :: Int)),
             10 ^ (9 :: Int),
             2 ^ (63 :: Int),
             -(2 ^ (64 :: Int)),
             10 ^ (30 :: Int)
           ]
    odd' =
      [ ("no bytes", ""),
        ("0 in two bytes", "8000"),
        ("a zero byte", "0200"),
        ("one byte of two", "0401"),
        ("no number", "08"),
        ("a huge length", "ffffffffffffffff7f00"),
        ("the largest length", "ffffffffffffffffff0100"),
        ("a length of more than 64 bits", "ffffffffffffffffff0200"),
        ("a high zero byte", "04ff00"),
        ("a length in two bytes", "8200ff")
      ]

-- What stands for a number in a name.
show' :: Integer -> String
show' x
  | abs x < 10 ^ (20 :: Int) = show x
  | x < 0 = '-' : show' (negate x)
  | otherwise = head ([form | k <- [64 .. 4096 :: Int], (form, y) <- forms k, x == y] ++ [show x])
  where
    forms k =
      [ ("2^" ++ show k, 2 ^ k),
        ("2^" ++ show k ++ " - 1", 2 ^ k - 1),
        ("2^" ++ show k ++ " + 1", 2 ^ k + 1)
      ]

strings :: [Entry]
strings =
  concat
    [ concat
        [ shaped
            (title ++ show len)
            (leaf (l len))
            [ ("none", Blob (l len) ""),
              ("some", Blob (l len) "\0\1\xFE\xFF")
            ]
          | (title, l) <- [("Bytes ", Bytes), ("ByteArray ", ByteArray)],
            len <- [Length64, LengthVarint]
        ],
      concat
        [ shaped
            ("Utf8 " ++ show len)
            (leaf (Utf8 len))
            [ (show t, Written (Utf8 len) t)
              | t <- ["", "a", "\228\8364\128512"]
            ]
          | len <- [Length64, LengthVarint]
        ],
      shaped
        "Utf8"
        (leaf (Utf8 LengthVarint))
        ( [ (show t, Written (Utf8 LengthVarint) t)
            | t <-
                [ "\0\1\US\DEL\x80\x9F\xA0",
                  "\"\\/\b\f\n\r\t",
                  "a\x301",
                  "\xFEFF\x200B\x2028\x2029\xAD",
                  "\x10FFFF\xFFFF\xE000"
                ]
          ]
            ++ [("200 bytes", Written (Utf8 LengthVarint) (T.replicate 100 "\228"))]
        ),
      shaped
        "Utf16"
        (leaf Utf16)
        [ (show t, Written Utf16 t)
          | t <- ["", "a", "\228\8364\128512", "\xFFFF\x10000", T.singleton (chr 0x10FFFF)]
        ],
      hexed
        "Bytes Length64"
        (leaf (Bytes Length64))
        [ ("half a length", "00000000"),
          ("too short", "030000000000000001 02"),
          ("a negative length", "ffffffffffffffff"),
          ("the least length", "0000000000000080"),
          ("the largest length", "ffffffffffffff7f00"),
          ("a length of 2^40", "0000000000010000"),
          ("a byte more", "0000000000000000ff")
        ],
      hexed
        "Bytes LengthVarint"
        (leaf (Bytes LengthVarint))
        [ ("no length", ""),
          ("too short", "0301 02"),
          ("a length of 2^63", "8080808080808080800100"),
          ("a length of 2^63 - 1", "ffffffffffffffff7f00"),
          ("a length in two bytes", "820001 02"),
          ("a length of more than 64 bits", "ffffffffffffffffff0200"),
          ("a byte more", "00ff")
        ],
      hexed
        "ByteArray Length64"
        (leaf (ByteArray Length64))
        [ ("too short", "0200000000000000 01"),
          ("a negative length", "feffffffffffffff")
        ],
      hexed
        "Utf8 LengthVarint"
        (leaf (Utf8 LengthVarint))
        [ (name, byte (length digits `quot` 2) ++ digits)
          | (name, digits) <- malformed
        ],
      hexed
        "Utf8 Length64"
        (leaf (Utf8 Length64))
        [ ("malformed", "0300000000000000 61ff62"),
          ("too short", "0300000000000000 6162"),
          ("a negative length", "ffffffffffffffff"),
          ("malformed and too short", "0300000000000000 ff")
        ],
      hexed
        "Utf16"
        (leaf Utf16)
        [ ("a high surrogate at the end", "0100000000000000 3dd8"),
          ("a low surrogate", "0200000000000000 61 00 00de"),
          ("two high surrogates", "0200000000000000 3dd83dd8"),
          ("a high surrogate and a letter", "0200000000000000 3dd86100"),
          ("too short", "0200000000000000 6100"),
          ("half a unit", "0100000000000000 61"),
          ("a negative length", "ffffffffffffffff"),
          ("a length of 2^62", "0000000000000040 6100"),
          ("the largest length", "ffffffffffffff7f 6100")
        ]
    ]
  where
    -- The length of a text, before it.
    byte n = T.unpack (T.takeEnd 2 (T.pack ('0' : showHex (n :: Int) "")))
    malformed =
      [ ("a lone continuation", "80"),
        ("a lone continuation after text", "616280"),
        ("two bytes for a slash", "c0af"),
        ("three bytes for a slash", "e080af"),
        ("four bytes for too little", "f08080af"),
        ("a surrogate", "eda080"),
        ("more than 10FFFF", "f4908080"),
        ("the byte FF", "61ff"),
        ("the byte F5", "f5808080"),
        ("two bytes cut off", "61c3"),
        ("three bytes cut off", "e282"),
        ("four bytes cut off", "f09f98"),
        ("a letter in a character", "e26182"),
        ("many good ones before", "6161616161616161616161616161616161c3a4ff")
      ]
