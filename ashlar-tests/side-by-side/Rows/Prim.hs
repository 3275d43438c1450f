{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Rows.Prim
-- Description : The primitives of bytestring, and what makes builders of them
module Rows.Prim (rows) where

import qualified Ashlar.Builder as A (Builder)
import Ashlar.Builder.Prim ((>$<), (>*<))
import qualified Ashlar.Builder.Prim as A
import Builders
import qualified Data.ByteString.Builder as B (Builder)
import qualified Data.ByteString.Builder.Prim as B
import Data.Int (Int64)
import Data.List (uncons)
import Data.Word (Word64, Word8)
import GHC.Exts (Addr#)
import Language.Haskell.TH (dyn)
import Late (since)
import Samples (Sample)

rows :: [Row]
rows = concat [makers, concat fixedPrims, concat boundedPrims, literals]

-- | Not in all versions.
literals :: [Row]
literals =
  $( since
       "B.cstring"
       [|
         [ is ("cstring of " ++ name) (\() -> A.cstring l) (\() -> $(dyn "B.cstring") l)
           | Literal name l <- ascii
         ]
         |]
   )
    ++ $( since
            "B.cstringUtf8"
            [|
              [ is
                  ("cstringUtf8 of " ++ name)
                  (\() -> A.cstringUtf8 l)
                  (\() -> $(dyn "B.cstringUtf8") l)
                | Literal name l <- ascii ++ utf8
              ]
              |]
        )

-- | The address of a literal.
data Literal = Literal String Addr#

ascii :: [Literal]
ascii =
  [ Literal "nothing" ""#,
    Literal "a" "a"#,
    Literal "more" "a literal of some length, longer than a few words"#
  ]

-- | A zero in the string is C0 80. The last ones are not what the compiler makes of a string.
utf8 :: [Literal]
utf8 =
  [ Literal "a zero" "\xC0\x80"#,
    Literal "zeros" "a\xC0\x80z\xC0\x80"#,
    Literal "long characters" "\xE2\x82\xAC\xC0\x80\xF0\x9F\x98\x80"#,
    Literal "a surrogate" "\xED\xA0\x80"#,
    Literal "C0 and a letter" "a\xC0\x41z"#,
    Literal "C0" "\xC0"#,
    Literal "C0 at the end" "a\xC0"#,
    Literal "two C0 and 80" "\xC0\xC0\x80"#
  ]

is :: Sample a => String -> (a -> A.Builder) -> (a -> B.Builder) -> Row
is = row ours theirs

-- | A primitive alone, and in a list.
fixed :: Sample a => String -> A.FixedPrim a -> B.FixedPrim a -> [Row]
fixed name a b =
  [ is name (A.primFixed a) (B.primFixed b),
    is (name ++ " in a list") (A.primMapListFixed a) (B.primMapListFixed b)
  ]

bounded :: Sample a => String -> A.BoundedPrim a -> B.BoundedPrim a -> [Row]
bounded name a b =
  [ is name (A.primBounded a) (B.primBounded b),
    is (name ++ " in a list") (A.primMapListBounded a) (B.primMapListBounded b)
  ]

-- | Also as the output of an unfold, and as a primitive of bounded size.
fixedEverywhere :: Sample a => String -> A.FixedPrim a -> B.FixedPrim a -> [Row]
fixedEverywhere name a b =
  is (name ++ " unfolded") (A.primUnfoldrFixed a uncons) (B.primUnfoldrFixed b uncons) :
  fixed name a b
    ++ boundedEverywhere
      (name ++ " by liftFixedToBounded")
      (A.liftFixedToBounded a)
      (B.liftFixedToBounded b)

boundedEverywhere :: Sample a => String -> A.BoundedPrim a -> B.BoundedPrim a -> [Row]
boundedEverywhere name a b =
  is (name ++ " unfolded") (A.primUnfoldrBounded a uncons) (B.primUnfoldrBounded b uncons) :
  bounded name a b

makers :: [Row]
makers =
  concat
    [ map finite (fixedEverywhere "emptyF" (A.emptyF :: A.FixedPrim Word8) B.emptyF),
      map finite (boundedEverywhere "emptyB" (A.emptyB :: A.BoundedPrim Word8) B.emptyB),
      fixedEverywhere ">*< of fixed" (A.word8 >*< A.word64BE) (B.word8 B.>*< B.word64BE),
      fixedEverywhere
        ">$< of fixed"
        (fst >$< A.int64LE)
        (fst B.>$< B.int64LE :: B.FixedPrim (Int64, Word8)),
      boundedEverywhere ">*< of bounded" (A.charUtf8 >*< A.intDec) (B.charUtf8 B.>*< B.intDec),
      boundedEverywhere
        ">$< of bounded"
        (snd >$< A.charUtf8)
        (snd B.>$< B.charUtf8 :: B.BoundedPrim (Char, Char)),
      boundedEverywhere "eitherB" (A.eitherB A.charUtf8 A.wordHex) (B.eitherB B.charUtf8 B.wordHex),
      boundedEverywhere
        "condB"
        (A.condB even A.word64Dec (A.liftFixedToBounded A.word64LE))
        (B.condB even B.word64Dec (B.liftFixedToBounded B.word64LE)),
      boundedEverywhere
        "condB of emptyB"
        (A.condB (> 9) A.word16Hex A.emptyB)
        (B.condB (> 9) B.word16Hex B.emptyB)
    ]
    ++ [ is
           "primMapByteStringFixed"
           (A.primMapByteStringFixed A.word8)
           (B.primMapByteStringFixed B.word8),
         is
           "primMapByteStringFixed, two"
           (A.primMapByteStringFixed two)
           (B.primMapByteStringFixed two'),
         is
           "primMapLazyByteStringFixed"
           (A.primMapLazyByteStringFixed A.word8)
           (B.primMapLazyByteStringFixed B.word8),
         is
           "primMapLazyByteStringFixed, two"
           (A.primMapLazyByteStringFixed two)
           (B.primMapLazyByteStringFixed two'),
         is
           "primMapByteStringBounded"
           (A.primMapByteStringBounded dec)
           (B.primMapByteStringBounded dec'),
         is
           "primMapLazyByteStringBounded"
           (A.primMapLazyByteStringBounded dec)
           (B.primMapLazyByteStringBounded dec'),
         is
           "primUnfoldrFixed that counts"
           (A.primUnfoldrFixed A.word64LE down)
           (B.primUnfoldrFixed B.word64LE down),
         is
           "primUnfoldrBounded that counts"
           (A.primUnfoldrBounded A.word64Dec down)
           (B.primUnfoldrBounded B.word64Dec down)
       ]
  where
    two = (\x -> (x, fromIntegral x)) >$< (A.word8 >*< A.word16BE)
    two' = (\x -> (x, fromIntegral x)) B.>$< (B.word8 B.>*< B.word16BE)
    dec = A.condB (== 7) A.emptyB A.word8Dec
    dec' = B.condB (== 7) B.emptyB B.word8Dec
    down :: Word8 -> Maybe (Word64, Word8)
    down n = if n == 0 then Nothing else Just (fromIntegral n, n - 1)

fixedPrims :: [[Row]]
fixedPrims =
  [ fixed "char7" A.char7 B.char7,
    fixed "char8" A.char8 B.char8,
    fixed "word8" A.word8 B.word8,
    fixed "int8" A.int8 B.int8,
    fixed "word16LE" A.word16LE B.word16LE,
    fixed "word32LE" A.word32LE B.word32LE,
    fixed "word64LE" A.word64LE B.word64LE,
    fixed "int16LE" A.int16LE B.int16LE,
    fixed "int32LE" A.int32LE B.int32LE,
    fixed "int64LE" A.int64LE B.int64LE,
    fixed "word16BE" A.word16BE B.word16BE,
    fixed "word32BE" A.word32BE B.word32BE,
    fixed "word64BE" A.word64BE B.word64BE,
    fixed "int16BE" A.int16BE B.int16BE,
    fixed "int32BE" A.int32BE B.int32BE,
    fixed "int64BE" A.int64BE B.int64BE,
    fixed "floatLE" A.floatLE B.floatLE,
    fixed "doubleLE" A.doubleLE B.doubleLE,
    fixed "floatBE" A.floatBE B.floatBE,
    fixed "doubleBE" A.doubleBE B.doubleBE,
    fixed "wordHost" A.wordHost B.wordHost,
    fixed "word16Host" A.word16Host B.word16Host,
    fixed "word32Host" A.word32Host B.word32Host,
    fixed "word64Host" A.word64Host B.word64Host,
    fixed "intHost" A.intHost B.intHost,
    fixed "int16Host" A.int16Host B.int16Host,
    fixed "int32Host" A.int32Host B.int32Host,
    fixed "int64Host" A.int64Host B.int64Host,
    fixed "floatHost" A.floatHost B.floatHost,
    fixed "doubleHost" A.doubleHost B.doubleHost,
    fixed "word8HexFixed" A.word8HexFixed B.word8HexFixed,
    fixed "word16HexFixed" A.word16HexFixed B.word16HexFixed,
    fixed "word32HexFixed" A.word32HexFixed B.word32HexFixed,
    fixed "word64HexFixed" A.word64HexFixed B.word64HexFixed,
    fixed "int8HexFixed" A.int8HexFixed B.int8HexFixed,
    fixed "int16HexFixed" A.int16HexFixed B.int16HexFixed,
    fixed "int32HexFixed" A.int32HexFixed B.int32HexFixed,
    fixed "int64HexFixed" A.int64HexFixed B.int64HexFixed,
    fixed "floatHexFixed" A.floatHexFixed B.floatHexFixed,
    fixed "doubleHexFixed" A.doubleHexFixed B.doubleHexFixed
  ]

boundedPrims :: [[Row]]
boundedPrims =
  [ bounded "charUtf8" A.charUtf8 B.charUtf8,
    bounded "word8Dec" A.word8Dec B.word8Dec,
    bounded "word16Dec" A.word16Dec B.word16Dec,
    bounded "word32Dec" A.word32Dec B.word32Dec,
    bounded "word64Dec" A.word64Dec B.word64Dec,
    bounded "wordDec" A.wordDec B.wordDec,
    bounded "int8Dec" A.int8Dec B.int8Dec,
    bounded "int16Dec" A.int16Dec B.int16Dec,
    bounded "int32Dec" A.int32Dec B.int32Dec,
    bounded "int64Dec" A.int64Dec B.int64Dec,
    bounded "intDec" A.intDec B.intDec,
    bounded "word8Hex" A.word8Hex B.word8Hex,
    bounded "word16Hex" A.word16Hex B.word16Hex,
    bounded "word32Hex" A.word32Hex B.word32Hex,
    bounded "word64Hex" A.word64Hex B.word64Hex,
    bounded "wordHex" A.wordHex B.wordHex
  ]
