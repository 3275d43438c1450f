{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Rows.Bytestring
-- Description : The functions of bytestring's builders
module Rows.Bytestring (rows) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import Builders
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import Language.Haskell.TH (dyn)
import Late (since)
import Samples (Sample, Whole (..), edges)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO (hClose, openBinaryTempFile)
import System.IO.Unsafe (unsafePerformIO)

rows :: [Row]
rows =
  [ -- Strings
    is "byteString" A.byteString B.byteString,
    is "lazyByteString" A.lazyByteString B.lazyByteString,
    is "shortByteString" A.shortByteString B.shortByteString,
    is "byteStringCopy" A.byteStringCopy B.byteStringCopy,
    is "byteStringInsert" A.byteStringInsert B.byteStringInsert,
    is "lazyByteStringCopy" A.lazyByteStringCopy B.lazyByteStringCopy,
    is "lazyByteStringInsert" A.lazyByteStringInsert B.lazyByteStringInsert,
    is "smallChunkSize" (\() -> A.intDec A.smallChunkSize) (\() -> B.intDec B.smallChunkSize),
    is "defaultChunkSize" (\() -> A.intDec A.defaultChunkSize) (\() -> B.intDec B.defaultChunkSize),
    is "flush" (\() -> A.flush) (\() -> B.flush),
    -- Text
    is "char7" A.char7 B.char7,
    is "char8" A.char8 B.char8,
    is "charUtf8" A.charUtf8 B.charUtf8,
    is "string7" A.string7 B.string7,
    is "string8" A.string8 B.string8,
    is "stringUtf8" A.stringUtf8 B.stringUtf8,
    -- Numbers
    is "word8" A.word8 B.word8,
    is "int8" A.int8 B.int8,
    is "word16LE" A.word16LE B.word16LE,
    is "word32LE" A.word32LE B.word32LE,
    is "word64LE" A.word64LE B.word64LE,
    is "int16LE" A.int16LE B.int16LE,
    is "int32LE" A.int32LE B.int32LE,
    is "int64LE" A.int64LE B.int64LE,
    is "word16BE" A.word16BE B.word16BE,
    is "word32BE" A.word32BE B.word32BE,
    is "word64BE" A.word64BE B.word64BE,
    is "int16BE" A.int16BE B.int16BE,
    is "int32BE" A.int32BE B.int32BE,
    is "int64BE" A.int64BE B.int64BE,
    is "floatLE" A.floatLE B.floatLE,
    is "doubleLE" A.doubleLE B.doubleLE,
    is "floatBE" A.floatBE B.floatBE,
    is "doubleBE" A.doubleBE B.doubleBE,
    is "wordHost" A.wordHost B.wordHost,
    is "word16Host" A.word16Host B.word16Host,
    is "word32Host" A.word32Host B.word32Host,
    is "word64Host" A.word64Host B.word64Host,
    is "intHost" A.intHost B.intHost,
    is "int16Host" A.int16Host B.int16Host,
    is "int32Host" A.int32Host B.int32Host,
    is "int64Host" A.int64Host B.int64Host,
    is "floatHost" A.floatHost B.floatHost,
    is "doubleHost" A.doubleHost B.doubleHost,
    -- Digits
    is "word8Dec" A.word8Dec B.word8Dec,
    is "word16Dec" A.word16Dec B.word16Dec,
    is "word32Dec" A.word32Dec B.word32Dec,
    is "word64Dec" A.word64Dec B.word64Dec,
    is "wordDec" A.wordDec B.wordDec,
    is "int8Dec" A.int8Dec B.int8Dec,
    is "int16Dec" A.int16Dec B.int16Dec,
    is "int32Dec" A.int32Dec B.int32Dec,
    is "int64Dec" A.int64Dec B.int64Dec,
    is "intDec" A.intDec B.intDec,
    is "integerDec" A.integerDec B.integerDec,
    is "word8Hex" A.word8Hex B.word8Hex,
    is "word16Hex" A.word16Hex B.word16Hex,
    is "word32Hex" A.word32Hex B.word32Hex,
    is "word64Hex" A.word64Hex B.word64Hex,
    is "wordHex" A.wordHex B.wordHex,
    is "word8HexFixed" A.word8HexFixed B.word8HexFixed,
    is "word16HexFixed" A.word16HexFixed B.word16HexFixed,
    is "word32HexFixed" A.word32HexFixed B.word32HexFixed,
    is "word64HexFixed" A.word64HexFixed B.word64HexFixed,
    is "int8HexFixed" A.int8HexFixed B.int8HexFixed,
    is "int16HexFixed" A.int16HexFixed B.int16HexFixed,
    is "int32HexFixed" A.int32HexFixed B.int32HexFixed,
    is "int64HexFixed" A.int64HexFixed B.int64HexFixed,
    is "floatHexFixed" A.floatHexFixed B.floatHexFixed,
    is "doubleHexFixed" A.doubleHexFixed B.doubleHexFixed,
    is "byteStringHex" A.byteStringHex B.byteStringHex,
    is "lazyByteStringHex" A.lazyByteStringHex B.lazyByteStringHex,
    is "floatDec" A.floatDec B.floatDec,
    is "doubleDec" A.doubleDec B.doubleDec
  ]
    ++ thresholds
    ++ late

-- | With numbers at the edges.
thresholds :: [Row]
thresholds =
  concat
    [ [ is ("byteStringThreshold " ++ name) (A.byteStringThreshold n) (B.byteStringThreshold n),
        is
          ("lazyByteStringThreshold " ++ name)
          (A.lazyByteStringThreshold n)
          (B.lazyByteStringThreshold n)
      ]
      | (name, n) <- edges ++ [("20", 20), ("4000", 4000)]
    ]

-- | Not in all versions.
late :: [Row]
late =
  concat
    [ $( since
           "B.writeFile"
           [|
             [ -- (In some versions bytestring's masks exceptions while it runs the builder.)
               is
                 "writeFile"
                 (\(Whole bs) -> A.byteString (written A.writeFile (A.byteString bs)))
                 (\(Whole bs) -> B.byteString (written $(dyn "B.writeFile") (B.byteString bs)))
             ]
             |]
       ),
      $( since
           "B.formatFloat"
           [|
             [ is ("formatFloat " ++ name) (A.formatFloat f) ($(dyn "B.formatFloat") g)
               | ((name, f), (_, g)) <-
                   zip
                     formats
                     ( formatsOf
                         $(dyn "B.standard")
                         $(dyn "B.standardDefaultPrecision")
                         $(dyn "B.scientific")
                         $(dyn "B.generic")
                     )
             ]
             |]
       ),
      $( since
           "B.formatDouble"
           [|
             [ is ("formatDouble " ++ name) (A.formatDouble f) ($(dyn "B.formatDouble") g)
               | ((name, f), (_, g)) <-
                   zip
                     formats
                     ( formatsOf
                         $(dyn "B.standard")
                         $(dyn "B.standardDefaultPrecision")
                         $(dyn "B.scientific")
                         $(dyn "B.generic")
                     )
             ]
             |]
       )
    ]
  where
    formats = formatsOf A.standard A.standardDefaultPrecision A.scientific A.generic

-- | The formats of a library.
formatsOf :: (Int -> f) -> f -> f -> f -> [(String, f)]
formatsOf standard standardDefault scientific generic =
  [("standard " ++ show n, standard n) | n <- [-1, 0, 1, 2, 7, 30]]
    ++ [ ("standardDefaultPrecision", standardDefault),
         ("scientific", scientific),
         ("generic", generic)
       ]

-- | What a function writes to a file.
written :: (FilePath -> b -> IO ()) -> b -> S.ByteString
written write b = unsafePerformIO $ do
  dir <- getTemporaryDirectory
  (path, h) <- openBinaryTempFile dir "ashlar"
  hClose h
  write path b
  S.readFile path <* removeFile path

is :: Sample a => String -> (a -> A.Builder) -> (a -> B.Builder) -> Row
is = row ours theirs
