{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RecordWildCards #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Files.Make
-- Description : The files, with fixed markers
module Conformance.Files.Make (madeFiles) where

import Ashlar.Codec (encode)
import Ashlar.File
import Ashlar.File.Described (described)
import Ashlar.Schema (schema, schemaFingerprint)
import Conformance.Case (hex)
import Conformance.Files.Blocks
import Conformance.Types (Channel (..), Empty (..), orders)
import Data.Bits (shiftL, xor)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word64)
import GHC.Fingerprint (Fingerprint)
import System.Directory (removeFile)
import System.FilePath ((</>))

-- | The name and the bytes of each.
madeFiles :: FilePath -> IO [(String, ByteString)]
madeFiles folder = do
  none <- make 1 options ([] :: [Text])
  one <- make 2 options (map T.pack ["brick", "mortar", "\228"])
  many <- make 3 small words'
  unindexed <- make 4 small {writeIndex = False} words'
  numbers <- make 5 small [1 .. 40 :: Word16]
  units <- make 6 options (replicate 3 Empty)
  order <- make 7 options orders
  compressed <- make 8 zlibbed logs
  changed <- do
    let older = (described @Text) {typeEvolved = \_ _ -> Left "no"}
        newer = (described @Channel) {typeEvolved = \_ _ -> Right (evolvedBy (fail "not read"))}
    withWriter (marked 9 small) older path (\w -> mapM_ (write w) (take 6 words'))
    withAppender (marked 9 small) newer path (\w -> mapM_ (write w) [Web, Mail 1 True, Web])
    taken
  other <- make 10 small (take 6 words')
  -- 333 bytes. So after 5 bytes of a marker, it ends where a block would.
  fitting <- make 11 options [T.replicate 190 "x"]
  let made = Made {..}
  pure (concat [whole made, joined made, cutOff made, changedBytes made, moved made, byHand])
  where
    path = folder </> "made"
    options = defaultWriteOptions {writeIndex = False}
    small = defaultWriteOptions {writeBlockSize = 24}
    zlibbed = defaultWriteOptions {writeCompression = Just known, writeBlockSize = 600}
    marked i o = o {writeMarker = Just (marker i)}
    make i o xs = withWriter (marked i o) described path (\w -> mapM_ (write w) xs) >> taken
    taken = do
      contents <- B.readFile path
      contents <$ removeFile path

words' :: [Text]
words' = T.words "one two three four five six seven eight nine ten eleven twelve"

logs :: [Text]
logs = [T.pack ("a line of a log, number " ++ show i) | i <- [1 .. 40 :: Int]]

marker :: Word64 -> Word64
marker i = 0x8877665544332200 + i

-- | What the writer's zlib once made of these bodies: other versions of zlib make other bytes.
known :: Compression
known = Compression "zlib" small (\_ _ -> Left "not read")
  where
    small body = fromMaybe (error "a body that was not compressed") (lookup body bodies)
    bodies =
      [ (B.concat (map encode (take n (drop from logs))), hex digits)
        | (from, n, digits) <- once
      ]
    once =
      [ ( 0,
          18,
          "78da85d0bb098030184561d788d53f808579c77122c410d00404f757708073ab537cd555d3bf2c67\
          \eb45c6215f8dba487faebddca2150043c01270043c814020124804b6998e5a516814068545e15078\
          \14014544915ebf5a9682"
        ),
        ( 18,
          18,
          "78da85d0b1098030184461e748f50f60617231ea380a31089a80e0fe0a0ef0aebae2ab9eebfead76\
          \1e355bdbed7badf4569f6bcbb7f9c58108030a8f22a0108a88624491504c286614d854d854d854d8\
          \54d854d854d854e90556019856"
        ),
        ( 36,
          4,
          "78da9362808044859cccbc5485fc3405202b3f5d4721af343729b548c1d85c8a900a0b822a2c09a9\
          \303100009dc221e6"
        )
      ]

-- | Whole files, of which the others are made.
data Made = Made
  { none, one, many, unindexed, numbers, units, order, compressed, changed, other :: ByteString,
    fitting :: ByteString
  }

whole :: Made -> [(String, ByteString)]
whole Made {..} =
  [ ("no bytes", ""),
    ("another file", "This is not a file of records, but long enough to be one."),
    ("a file without records", none),
    ("one block", one),
    ("many blocks and an index", many),
    ("many blocks without an index", unindexed),
    ("records of constant size", numbers),
    ("records of no bytes", units),
    ("orders", order),
    ("compressed by zlib", compressed),
    ("records of another type after others", changed)
  ]

joined :: Made -> [(String, ByteString)]
joined Made {..} =
  [ ("two files of one type", one <> other),
    ("the same file twice", one <> one),
    ("three files, one of them without records", one <> none <> other),
    ("two files of different types", one <> numbers),
    ("files of changed types", changed <> one),
    ("two files, the first cut off", B.take (B.length one - 3) one <> other),
    ("two files, the second cut off", one <> B.take (B.length other - 3) other),
    ("two files, the header of the second damaged", one <> flipped 20 other),
    ("two files, the first block of the second damaged", one <> flipped 80 other),
    ("two files, the last block of the first damaged", flipped (B.length one - 2) one <> other),
    ("two files, bytes between them", one <> "abcde" <> other),
    ("two files, the header of the first damaged", flipped 20 one <> other),
    -- Where the block would have its size, the last file has 0a 01 00 00.
    ("two files, the first cut off in a marker", B.take 68 one <> fitting)
  ]

cutOff :: Made -> [(String, ByteString)]
cutOff Made {..} =
  [ ("one block, the first " ++ show n ++ " bytes", B.take n one)
    | n <- [1, 7, 8, 11, 15, 16, 43, 44, 62, 63, 64, 70, 134, 135, 136, B.length one - 1]
  ]
    ++ [ ("many blocks, without the last " ++ show n ++ " bytes", B.take (B.length many - n) many)
         | n <- [1, 31, 32, 33, 100, 150, 200, 250]
       ]

changedBytes :: Made -> [(String, ByteString)]
changedBytes Made {..} =
  [ ("one block, a bit of byte " ++ show i ++ " flipped", flipped i one)
    | i <-
        [0, 8, 10, 12, 15, 16, 24, 40, 44, 48, 55, 60]
          ++ [63 .. 66]
          ++ [71 .. 78]
          ++ [83, 87, 95, 111, 119, 127, 131, 135, 140, B.length one - 1]
  ]
    ++ [ ("many blocks, a bit of byte " ++ show i ++ " flipped", flipped i many)
         | i <- [63, 140, 170, 180, 260, 280, 380, B.length many - 1, B.length many - 40]
       ]
    ++ [ ("compressed by zlib, a bit of byte " ++ show i ++ " flipped", flipped i compressed)
         | i <- [45, 200]
       ]
    ++ [ ("changed type, a bit of byte " ++ show i ++ " flipped", flipped i changed)
         | i <- [B.length changed - 90, 300, 350]
       ]

moved :: Made -> [(String, ByteString)]
moved Made {..} =
  [ ("a byte inserted in a body", inserted 150 "x" many),
    ("a byte inserted in a header of a block", inserted 180 "x" many),
    ("100 bytes inserted between blocks", inserted 169 (B.replicate 100 0) many),
    ("a byte removed from a body", removed 150 1 many),
    ("a byte removed from a header of a block", removed 180 1 many),
    ("200 bytes removed", removed 160 200 many),
    ("the marker inserted", inserted 150 (B.take 8 (B.drop 63 many)) many),
    ("another file inserted", inserted 169 other many)
  ]
  where
    inserted n x bs = B.concat [B.take n bs, x, B.drop n bs]
    removed n k bs = B.take n bs <> B.drop (n + k) bs

flipped :: Int -> ByteString -> ByteString
flipped i bs =
  B.concat
    [ B.take i bs,
      B.map (xor (1 `shiftL` (i `rem` 8))) (B.take 1 (B.drop i bs)),
      B.drop (i + 1) bs
    ]

-- With right checksums.
byHand :: [(String, ByteString)]
byHand =
  [ ("good", start <> blockBytes good),
    ("another marker", start <> blockBytes good {blockMarker = 1}),
    ( "an unknown kind",
      start
        <> blockBytes
          good
            { blockKind = 9,
              blockCount = 0
            }
        <> blockBytes (records m print' 2 0 (at 1) two)
    ),
    ("kind 0", start <> blockBytes good {blockKind = 0}),
    ("compressed without a compression", start <> blockBytes good {blockCompressed = 1}),
    ("compressed is 2", start <> blockBytes good {blockCompressed = 2}),
    ("not zero", start <> blockBytes good {blockZero = 1}),
    ("another expanded length", start <> blockBytes good {blockSizes = (0, 1)}),
    ("a huge body", start <> blockBytes good {blockSizes = (maxBound, maxBound)}),
    ( "a body of 64 MiB and a byte",
      start <> blockBytes good {blockSizes = (67108865 - size, 67108865 - size)}
    ),
    ("no records", start <> blockBytes good {blockCount = 0}),
    ("fewer records than there are", start <> blockBytes good {blockCount = 1}),
    ("more records than there are", start <> blockBytes good {blockCount = 3}),
    ("more records than bytes", start <> blockBytes good {blockCount = 1000}),
    ("the first record is missing", start <> blockBytes good {blockFirst = 1}),
    ("a negative number", start <> blockBytes good {blockFirst = -1}),
    ( "the same records twice",
      start <> blockBytes good <> blockBytes (records m print' 2 0 (at 1) two)
    ),
    ( "records are missing",
      start <> blockBytes good <> blockBytes (records m print' 2 5 (at 1) two)
    ),
    ("another offset", start <> blockBytes good {blockOffset = 1}),
    ( "another fingerprint",
      start <> blockBytes good {blockFingerprint = schemaFingerprint (schema @Channel)}
    ),
    ("a schema that is not there", start <> blockBytes good {blockSchema = 100}),
    ( "a record that is refused",
      start <> blockBytes (records m print' 3 0 (at 0) oneBad)
        <> blockBytes (records m print' 2 3 (at 0 + 72 + 27) two)
    ),
    ( "a record of no bytes that is not 0",
      headerBytes m unit "" (encode (schema @())) <> blockBytes (records m unit 2 0 63 "\0\1")
    ),
    ( "a file in a record",
      withInner
    ),
    ( "a file in a record of a damaged block",
      flipped (B.length start + 73) withInner
    ),
    ( "a schema block that is no schema",
      start <> blockBytes (schemaBlock "number")
        <> blockBytes (records m print' 2 0 (at 0 + 72 + 6) two) {blockSchema = at 0}
    ),
    ("an earlier schema", earlier),
    ( "an unknown compression",
      headerBytes m print' "zstd" text' <> blockBytes (records m print' 2 0 67 two)
    ),
    ( "an unknown compression, and a compressed block",
      headerBytes m print' "zstd" text'
        <> blockBytes (records m print' 2 0 67 two) {blockCompressed = 1}
    ),
    ( "zlib that is none",
      headerBytes m print' "zlib" text'
        <> blockBytes (records m print' 2 0 67 two) {blockCompressed = 1}
    ),
    ("zlib of more bytes than it says", zlibBlock (0, 12 - 17) stored),
    ("zlib of fewer bytes than it says", zlibBlock (0, 14 - 17) stored),
    ("zlib", zlibBlock (0, 9 - 20) stored),
    ("zlib with a wrong checksum", zlibBlock (0, 9 - 20) (flipped 19 stored)),
    ("zlib with a byte more", zlibBlock (0, 9 - 21) (stored <> "x")),
    ("zlib that is cut off", zlibBlock (0, 9 - 19) (B.take 19 stored)),
    ("zlib that says too much", zlibBlock (0, 30000) stored),
    ("a header that is too long", B.concat [B.take 12 start, "\255\255\255\255", B.drop 16 start]),
    ("a later version", sumChanged (B.concat [B.take 8 headed, "\2", B.drop 9 headed])),
    ( "a header whose lengths do not fit",
      sumChanged (B.concat [B.take 40 headed, "\200", B.drop 41 headed])
    ),
    ( "a header with something that is not zero",
      sumChanged (B.concat [B.take 10 headed, "\1", B.drop 11 headed])
    )
  ]
  where
    m = marker 11
    text' = encode (schema @Text)
    print' = schemaFingerprint (schema @Text)
    unit = schemaFingerprint (schema @()) :: Fingerprint
    start = headerBytes m print' "" text'
    headed = B.take (B.length start - 4) start
    two = encode ("a" :: Text) <> encode ("" :: Text)
    size = fromIntegral (B.length two)
    good = records m print' 2 0 (at 0) two
    at n = fromIntegral (B.length start) + n * (72 + fromIntegral (B.length two))
    inner = encode (start <> blockBytes (records m print' 1 0 (at 0) (encode ("z" :: Text))))
    withInner =
      start <> blockBytes (records m print' 1 0 (at 0) inner)
        <> blockBytes (records m print' 2 1 (at 0 + 72 + fromIntegral (B.length inner)) two)
    oneBad = encode ("a" :: Text) <> hex "0100000000000000ff" <> encode ("b" :: Text)
    schemaBlock s = (records m print' 0 0 (at 0) s) {blockKind = 2}
    earlier =
      B.concat
        [ start,
          blockBytes (schemaBlock text'),
          blockBytes (records m print' 2 0 (at 0 + 83) two) {blockSchema = at 0},
          blockBytes (records m print' 2 2 (at 0 + 83 + 72 + fromIntegral size) two)
        ]
    zlibBlock sizes body =
      headerBytes m print' "zlib" text'
        <> blockBytes
          (records m print' 1 0 67 body)
            { blockCompressed = 1,
              blockSizes = sizes
            }
    -- The text "b", stored: 9 bytes in 20.
    stored = hex "7801 01 0900 f6ff 0100000000000000 62 00740064"
