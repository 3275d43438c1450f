-- |
-- Module      : Workloads.Bytestring
-- Description : The Builder groups of bytestring's own benchmarks
--
-- The same names and inputs. bytestring measures primitives without a builder, by its internals.
-- Here both libraries write them by @primUnfoldrBounded@.
module Workloads.Bytestring
  ( bytestringWorkloads,

    -- * For the other notations
    many,
    singles,
    doubles,
    smallDoubles,
    special,
  )
where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import qualified Ashlar.Builder.Prim as AP
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy as L
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Workload

-- | All of them.
bytestringWorkloads :: [Workload]
bytestringWorkloads = concat [small, wrappers, insertions, unbounded, floats, primitives, ascii]

count :: Int
count = 100000

ints :: [Int]
ints = [1 .. count]
{-# NOINLINE ints #-}

-- | Values written one after the other, lazily. The name has their number, as there.
many, one :: String -> (a -> A.Builder) -> (a -> B.Builder) -> a -> Workload
many name a b = items count . one (name ++ " (" ++ show count ++ ")") a b
{-# INLINE many #-}
one name a b =
  same
    ("bytestring: " ++ name)
    [ ("ashlar", forced . A.toLazyByteString . a),
      ("bytestring", forced . B.toLazyByteString . b)
    ]
  where
    forced l = L.length l `seq` l
{-# INLINE one #-}

fixed :: String -> AP.FixedPrim Int -> BP.FixedPrim Int -> Workload
fixed name a b = bounded name (AP.liftFixedToBounded a) (BP.liftFixedToBounded b)
{-# INLINE fixed #-}

bounded :: String -> AP.BoundedPrim Int -> BP.BoundedPrim Int -> Workload
bounded name a b =
  many name (AP.primUnfoldrBounded a countToZero) (BP.primUnfoldrBounded b countToZero) count
{-# INLINE bounded #-}

countToZero :: Int -> Maybe (Int, Int)
countToZero 0 = Nothing
countToZero n = Just (n, n - 1)

small, wrappers, insertions, unbounded, floats, primitives, ascii :: [Workload]
small =
  [ one "mempty" (const mempty) (const mempty) (),
    one "intHost 1" A.intHost B.intHost 1,
    one "UTF-8 String (naive)" A.stringUtf8 B.stringUtf8 "hello world\0",
    one "String (naive)" A.stringUtf8 B.stringUtf8 "hello world!"
  ]
wrappers =
  [ many
      "foldMap word8"
      (foldMap (A.word8 . fromIntegral))
      (foldMap (B.word8 . fromIntegral))
      ints,
    many
      "primMapListFixed word8"
      (AP.primMapListFixed (fromIntegral AP.>$< AP.word8))
      (BP.primMapListFixed (fromIntegral BP.>$< BP.word8))
      ints,
    many
      "primUnfoldrFixed word8"
      (AP.primUnfoldrFixed (fromIntegral AP.>$< AP.word8) countToZero)
      (BP.primUnfoldrFixed (fromIntegral BP.>$< BP.word8) countToZero)
      count,
    many
      "primMapByteStringFixed word8"
      (AP.primMapByteStringFixed AP.word8)
      (BP.primMapByteStringFixed BP.word8)
      strict,
    many
      "primMapLazyByteStringFixed word8"
      (AP.primMapLazyByteStringFixed AP.word8)
      (BP.primMapLazyByteStringFixed BP.word8)
      lazy
  ]
insertions =
  [ many
      "foldMap byteStringInsert"
      (foldMap A.byteStringInsert)
      (foldMap B.byteStringInsert)
      chunks,
    many "foldMap byteString" (foldMap A.byteString) (foldMap B.byteString) chunks,
    many "foldMap byteStringCopy" (foldMap A.byteStringCopy) (foldMap B.byteStringCopy) chunks
  ]
unbounded =
  [ many "byteStringHex" A.byteStringHex B.byteStringHex strict,
    many "lazyByteStringHex" A.lazyByteStringHex B.lazyByteStringHex lazy,
    many "foldMap integerDec (small)" (foldMap A.integerDec) (foldMap B.integerDec) integers,
    many
      "foldMap integerDec (large)"
      (foldMap A.integerDec)
      (foldMap B.integerDec)
      (map (* (10 ^ (100 :: Int))) integers)
  ]
floats =
  concat
    [ [ many
          ("FGeneric/" ++ sign ++ "/Float")
          (foldMap A.floatDec)
          (foldMap B.floatDec)
          (map f singles),
        many
          ("FGeneric/" ++ sign ++ "/Double")
          (foldMap A.doubleDec)
          (foldMap B.doubleDec)
          (map g doubles),
        many
          ("FGeneric/" ++ sign ++ "/DoubleSmall")
          (foldMap A.doubleDec)
          (foldMap B.doubleDec)
          (map g smallDoubles)
      ]
      | (sign, f, g) <- [("Positive", id, id), ("Negative", negate, negate)]
    ]
    ++ [ many
           "FGeneric/Special/Float  Average"
           (foldMap A.floatDec)
           (foldMap B.floatDec)
           (special 0),
         many
           "FGeneric/Special/Double Average"
           (foldMap A.doubleDec)
           (foldMap B.doubleDec)
           (special 0)
       ]
primitives =
  [ fixed "char7" (toEnum AP.>$< AP.char7) (toEnum BP.>$< BP.char7),
    fixed "char8" (toEnum AP.>$< AP.char8) (toEnum BP.>$< BP.char8),
    bounded "charUtf8" (toEnum AP.>$< AP.charUtf8) (toEnum BP.>$< BP.charUtf8),
    fixed "int8" (fromIntegral AP.>$< AP.int8) (fromIntegral BP.>$< BP.int8),
    fixed "word8" (fromIntegral AP.>$< AP.word8) (fromIntegral BP.>$< BP.word8),
    fixed "int16BE" (fromIntegral AP.>$< AP.int16BE) (fromIntegral BP.>$< BP.int16BE),
    fixed "int32BE" (fromIntegral AP.>$< AP.int32BE) (fromIntegral BP.>$< BP.int32BE),
    fixed "int64BE" (fromIntegral AP.>$< AP.int64BE) (fromIntegral BP.>$< BP.int64BE),
    fixed "word16BE" (fromIntegral AP.>$< AP.word16BE) (fromIntegral BP.>$< BP.word16BE),
    fixed "word32BE" (fromIntegral AP.>$< AP.word32BE) (fromIntegral BP.>$< BP.word32BE),
    fixed "word64BE" (fromIntegral AP.>$< AP.word64BE) (fromIntegral BP.>$< BP.word64BE),
    fixed "floatBE" (fromIntegral AP.>$< AP.floatBE) (fromIntegral BP.>$< BP.floatBE),
    fixed "doubleBE" (fromIntegral AP.>$< AP.doubleBE) (fromIntegral BP.>$< BP.doubleBE),
    fixed "int16LE" (fromIntegral AP.>$< AP.int16LE) (fromIntegral BP.>$< BP.int16LE),
    fixed "int32LE" (fromIntegral AP.>$< AP.int32LE) (fromIntegral BP.>$< BP.int32LE),
    fixed "int64LE" (fromIntegral AP.>$< AP.int64LE) (fromIntegral BP.>$< BP.int64LE),
    fixed "word16LE" (fromIntegral AP.>$< AP.word16LE) (fromIntegral BP.>$< BP.word16LE),
    fixed "word32LE" (fromIntegral AP.>$< AP.word32LE) (fromIntegral BP.>$< BP.word32LE),
    fixed "word64LE" (fromIntegral AP.>$< AP.word64LE) (fromIntegral BP.>$< BP.word64LE),
    fixed "floatLE" (fromIntegral AP.>$< AP.floatLE) (fromIntegral BP.>$< BP.floatLE),
    fixed "doubleLE" (fromIntegral AP.>$< AP.doubleLE) (fromIntegral BP.>$< BP.doubleLE),
    fixed "int16Host" (fromIntegral AP.>$< AP.int16Host) (fromIntegral BP.>$< BP.int16Host),
    fixed "int32Host" (fromIntegral AP.>$< AP.int32Host) (fromIntegral BP.>$< BP.int32Host),
    fixed "int64Host" (fromIntegral AP.>$< AP.int64Host) (fromIntegral BP.>$< BP.int64Host),
    fixed "intHost" AP.intHost BP.intHost,
    fixed "word16Host" (fromIntegral AP.>$< AP.word16Host) (fromIntegral BP.>$< BP.word16Host),
    fixed "word32Host" (fromIntegral AP.>$< AP.word32Host) (fromIntegral BP.>$< BP.word32Host),
    fixed "word64Host" (fromIntegral AP.>$< AP.word64Host) (fromIntegral BP.>$< BP.word64Host),
    fixed "wordHost" (fromIntegral AP.>$< AP.wordHost) (fromIntegral BP.>$< BP.wordHost),
    fixed "floatHost" (fromIntegral AP.>$< AP.floatHost) (fromIntegral BP.>$< BP.floatHost),
    fixed "doubleHost" (fromIntegral AP.>$< AP.doubleHost) (fromIntegral BP.>$< BP.doubleHost)
  ]
ascii =
  [ bounded "int8Dec" (fromIntegral AP.>$< AP.int8Dec) (fromIntegral BP.>$< BP.int8Dec),
    bounded "int16Dec" (fromIntegral AP.>$< AP.int16Dec) (fromIntegral BP.>$< BP.int16Dec),
    bounded "int32Dec" (fromIntegral AP.>$< AP.int32Dec) (fromIntegral BP.>$< BP.int32Dec),
    bounded "int64Dec" (fromIntegral AP.>$< AP.int64Dec) (fromIntegral BP.>$< BP.int64Dec),
    bounded "intDec" AP.intDec BP.intDec,
    bounded "word8Dec" (fromIntegral AP.>$< AP.word8Dec) (fromIntegral BP.>$< BP.word8Dec),
    bounded "word16Dec" (fromIntegral AP.>$< AP.word16Dec) (fromIntegral BP.>$< BP.word16Dec),
    bounded "word32Dec" (fromIntegral AP.>$< AP.word32Dec) (fromIntegral BP.>$< BP.word32Dec),
    bounded "word64Dec" (fromIntegral AP.>$< AP.word64Dec) (fromIntegral BP.>$< BP.word64Dec),
    bounded "wordDec" (fromIntegral AP.>$< AP.wordDec) (fromIntegral BP.>$< BP.wordDec),
    bounded "word8Hex" (fromIntegral AP.>$< AP.word8Hex) (fromIntegral BP.>$< BP.word8Hex),
    bounded "word16Hex" (fromIntegral AP.>$< AP.word16Hex) (fromIntegral BP.>$< BP.word16Hex),
    bounded "word32Hex" (fromIntegral AP.>$< AP.word32Hex) (fromIntegral BP.>$< BP.word32Hex),
    bounded "word64Hex" (fromIntegral AP.>$< AP.word64Hex) (fromIntegral BP.>$< BP.word64Hex),
    bounded "wordHex" (fromIntegral AP.>$< AP.wordHex) (fromIntegral BP.>$< BP.wordHex),
    fixed
      "int8HexFixed"
      (fromIntegral AP.>$< AP.int8HexFixed)
      (fromIntegral BP.>$< BP.int8HexFixed),
    fixed
      "int16HexFixed"
      (fromIntegral AP.>$< AP.int16HexFixed)
      (fromIntegral BP.>$< BP.int16HexFixed),
    fixed
      "int32HexFixed"
      (fromIntegral AP.>$< AP.int32HexFixed)
      (fromIntegral BP.>$< BP.int32HexFixed),
    fixed
      "int64HexFixed"
      (fromIntegral AP.>$< AP.int64HexFixed)
      (fromIntegral BP.>$< BP.int64HexFixed),
    fixed
      "word8HexFixed"
      (fromIntegral AP.>$< AP.word8HexFixed)
      (fromIntegral BP.>$< BP.word8HexFixed),
    fixed
      "word16HexFixed"
      (fromIntegral AP.>$< AP.word16HexFixed)
      (fromIntegral BP.>$< BP.word16HexFixed),
    fixed
      "word32HexFixed"
      (fromIntegral AP.>$< AP.word32HexFixed)
      (fromIntegral BP.>$< BP.word32HexFixed),
    fixed
      "word64HexFixed"
      (fromIntegral AP.>$< AP.word64HexFixed)
      (fromIntegral BP.>$< BP.word64HexFixed),
    fixed
      "floatHexFixed"
      (fromIntegral AP.>$< AP.floatHexFixed)
      (fromIntegral BP.>$< BP.floatHexFixed),
    fixed
      "doubleHexFixed"
      (fromIntegral AP.>$< AP.doubleHexFixed)
      (fromIntegral BP.>$< BP.doubleHexFixed)
  ]

-- * Inputs

strict :: S.ByteString
strict = S.pack (map fromIntegral ints)
{-# NOINLINE strict #-}

lazy :: L.ByteString
lazy = let (a, b) = S.splitAt (count `div` 2) strict in L.fromChunks [a, b]
{-# NOINLINE lazy #-}

chunks :: [S.ByteString]
chunks = map (S.replicate 4 . fromIntegral) ints
{-# NOINLINE chunks #-}

integers :: [Integer]
integers = map fromIntegral ints

-- | Numbers whose representations are evenly distributed.
singles :: [Float]
singles = map (castWord32ToFloat . (* step) . fromIntegral) ints
  where
    step = castFloatToWord32 3.4028235e38 `div` fromIntegral count

-- | The same: above 2^53, and below.
doubles, smallDoubles :: [Double]
doubles = map (castWord64ToDouble . (* step) . fromIntegral) ints
  where
    step =
      (castDoubleToWord64 1.7976931348623157e308 - (castDoubleToWord64 9007199254740992 + 1))
        `div` fromIntegral count
smallDoubles = map (castWord64ToDouble . (+ least) . (* step) . fromIntegral) ints
  where
    least = castDoubleToWord64 1
    step = (castDoubleToWord64 9007199254740992 - least) `div` fromIntegral count

-- | The same number of NaN, both infinities, and this.
special :: Fractional a => a -> [a]
special zero = concat (replicate (count `div` 4) [zero / zero, 1 / zero, -1 / zero, zero])
