{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Base64
-- Description : Base64 and hexadecimal, against naive models and base64-bytestring
module Tests.Base64 (tests) where

import Ashlar.Builder
import Ashlar.Builder.Base64
import Ashlar.Builder.Hex (encodeHex)
import Ashlar.Get
import Ashlar.Get.Base64
import Ashlar.Get.Hex
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Base64 as Theirs
import qualified Data.ByteString.Base64.Lazy as TheirLazy
import qualified Data.ByteString.Base64.URL as TheirUrl
import qualified Data.ByteString.Base64.URL.Lazy as TheirLazyUrl
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.Char (toUpper)
import Data.Either (isRight)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Tests.Scan (agreesAt, failsAt, inChunksOf)
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "Base64 and hexadecimal"
    [ testCase "Base64: the vectors of RFC 4648" base64Vectors,
      testProperty "Base64: encoding, against the model" encoding,
      testProperty "Base64: decoding, against the model" decoding,
      testProperty "Base64: long strings" longStrings,
      testCase "Base64: strings of more than one call" manyCalls,
      testProperty "Base64: the same as base64-bytestring" sameAsTheirs,
      testProperty "Base64: takeBase64 reads as much as there is" takes,
      testCase "Base64: what errors say" messages,
      testProperty "Base64: chunks are encoded before the next is forced" encodesEarly,
      testCase "Base64 of an infinite ByteString" infinite,
      testCase "hexadecimal: the vectors of RFC 4648" hexVectors,
      testProperty "hexadecimal: encoding" hexEncoding,
      testProperty "hexadecimal: decoding, against the model" hexDecoding,
      testCase "hexadecimal: strings of more than one call" hexManyCalls
    ]

-- The four variants.
data Variant = Variant
  { alphabet :: String,
    padded :: Bool,
    build :: S.ByteString -> Builder,
    buildLazy :: L.ByteString -> Builder,
    encodes :: S.ByteString -> S.ByteString,
    encodesLazy :: L.ByteString -> L.ByteString,
    getN :: Int -> Get S.ByteString,
    takeAll :: Get S.ByteString,
    decodes :: S.ByteString -> Either DecodeError S.ByteString
  }

usual :: Variant
usual =
  Variant
    (common ++ "+/")
    True
    byteStringBase64
    lazyByteStringBase64
    encodeBase64
    encodeBase64Lazy
    getBase64
    takeBase64
    decodeBase64

variants :: [Variant]
variants =
  [ usual,
    Variant
      (common ++ "+/")
      False
      byteStringBase64Unpadded
      lazyByteStringBase64Unpadded
      encodeBase64Unpadded
      encodeBase64UnpaddedLazy
      getBase64Unpadded
      takeBase64Unpadded
      decodeBase64Unpadded,
    Variant
      (common ++ "-_")
      True
      byteStringBase64Url
      lazyByteStringBase64Url
      encodeBase64Url
      encodeBase64UrlLazy
      getBase64Url
      takeBase64Url
      decodeBase64Url,
    Variant
      (common ++ "-_")
      False
      byteStringBase64UrlUnpadded
      lazyByteStringBase64UrlUnpadded
      encodeBase64UrlUnpadded
      encodeBase64UrlUnpaddedLazy
      getBase64UrlUnpadded
      takeBase64UrlUnpadded
      decodeBase64UrlUnpadded
  ]

-- The characters of all alphabets.
common :: String
common = ['A' .. 'Z'] ++ ['a' .. 'z'] ++ ['0' .. '9']

anyVariant :: (Variant -> Property) -> Property
anyVariant f =
  forAllBlind (elements variants) $ \v ->
    counterexample (show (drop 62 (alphabet v), padded v)) (f v)

-- Encode group by group, with numbers of any size.
modelEncode :: Variant -> S.ByteString -> S.ByteString
modelEncode v = C.pack . go . S.unpack
  where
    go [] = []
    go bytes =
      let (group, rest) = splitAt 3 bytes
          missing = 3 - length group
          characters = take (4 - missing) (units (group ++ replicate missing 0))
       in characters ++ (if padded v then replicate missing '=' else []) ++ go rest
    units group =
      let n = foldl (\acc b -> acc * 256 + toInteger b) 0 group
       in [alphabet v !! fromInteger (n `div` 64 ^ k `mod` 64) | k <- [3, 2, 1, 0 :: Int]]

-- The bytes, or the offset of the error.
modelDecode :: Variant -> S.ByteString -> Either Int64 S.ByteString
modelDecode v = go 0 . C.unpack
  where
    go _ [] = Right S.empty
    go at cs = case splitAt 4 cs of
      (group, rest)
        | k == 4 -> (bytes <>) <$> go (at + 4) rest
        | k < length group, group !! k == '=', padded v, k >= 2, not unused -> paddingFrom k
        | k < length group, group !! k == '=', padded v, k >= 2 -> Left (at + fromIntegral k - 1)
        | k < length group || k == 1 || padded v -> Left (at + fromIntegral k)
        | unused -> Left (at + fromIntegral k - 1)
        | otherwise -> Right bytes
        where
          units = takeWhile' (map (`List.elemIndex` alphabet v) group)
          k = length units
          n = foldl (\acc u -> acc * 64 + u) 0 (take 4 (units ++ repeat 0))
          all3 = S.pack [fromIntegral (n `div` 256 ^ i) | i <- [2, 1, 0 :: Int]]
          bytes = S.take (k - 1) all3
          unused = S.any (/= 0) (S.drop (k - 1) all3)
          paddingFrom i
            | i == 4 = if null rest then Right bytes else Left (at + 4)
            | take 1 (drop i group) == "=" = paddingFrom (i + 1)
            | otherwise = Left (at + fromIntegral i)
    takeWhile' (Just u : more) = u : takeWhile' more
    takeWhile' _ = []

base64Vectors :: Assertion
base64Vectors =
  forM_ vectors $ \(bytes, characters) -> do
    encodeBase64 bytes @?= characters
    decodeBase64 characters @?= Right bytes
    encodeBase64Url bytes @?= characters
    encodeBase64UrlUnpadded bytes @?= C.filter (/= '=') characters
    decodeBase64UrlUnpadded (C.filter (/= '=') characters) @?= Right bytes
  where
    vectors =
      [ ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy")
      ]

upTo :: Int -> Gen S.ByteString
upTo n = choose (0, n) >>= \k -> S.pack <$> vectorOf k (frequency [(3, arbitrary), (1, pure 0xFF)])

encoding :: Property
encoding = forAll (upTo 40) $ \bs ->
  forAll (choose (1, 7)) $ \n -> anyVariant $ \v ->
    let expected = modelEncode v bs
     in throughSinks expected (build v bs)
          .&&. throughSinks expected (buildLazy v (inChunksOf n bs))
          .&&. toStrictByteString (buildLazy v (amongEmpty n bs)) === expected
          .&&. encodes v bs === expected
          .&&. encodesLazy v (inChunksOf n bs) === L.fromStrict expected
          .&&. L.invariant (encodesLazy v (amongEmpty n bs))
  where
    -- A lazy ByteString that breaks its invariant.
    amongEmpty n bs =
      foldr (\chunk -> L.Chunk chunk . L.Chunk S.empty) L.Empty (L.toChunks (inChunksOf n bs))

-- A string in Base64, often with something wrong.
text :: Variant -> Int -> Gen S.ByteString
text v n = do
  good <- modelEncode v <$> upTo n
  i <- choose (0, S.length good)
  k <- choose (0, 2)
  c <- elements "A/+-_==w \n\x80\xFF"
  j <- choose (0, S.length good)
  frequency
    [ (1, pure good),
      (2, pure (S.take i good <> C.cons c (S.drop (i + k) good))),
      (1, pure (S.take i good)),
      (1, pure (C.append (S.take i good) (C.replicate k '='))),
      (1, pure (C.intercalate (C.singleton c) [S.take i good, S.drop (max i j) good]))
    ]

decoding :: Property
decoding = anyVariant $ \v -> forAll (text v 9) $ \bs ->
  let n = S.length bs
      expected = modelDecode v bs
      from at bytes = either (Left . (+ at)) (\r -> Right (r, bytes)) expected
   in either (Left . errorOffset) Right (decodes v bs) === expected
        .&&. agreesAt (getN v n) bs (from 0 "")
        .&&. agreesAt (getN v n) (bs <> "AA") (from 0 "AA")
        .&&. agreesAt (skip 2 *> getN v n) ("xy" <> bs <> "=") (from 2 "=")
        .&&. agreesAt (getN v (n + 1)) bs (Left 0)
        .&&. agreesAt (getN v (-1)) bs (Left 0)

longStrings :: Property
longStrings = anyVariant $ \v -> forAll (text v 300) $ \bs ->
  forAll (choose (1, 50)) $ \k ->
    let expected = modelDecode v bs
        offset = either (Left . errorOffset) Right
     in offset (decodes v bs) === expected
          .&&. offset (runGetLazy (getN v (S.length bs)) (inChunksOf k bs)) === expected

manyCalls :: Assertion
manyCalls =
  forM_ variants $ \v ->
    forM_ [98302 .. 98306] $ \n -> do
      let bytes = S.pack (take n (cycle ([0 .. 255] ++ [7, 13 .. 200])))
          characters = encodes v bytes
          at = S.length characters - 30000
      toStrictByteString (build v bytes) == characters @? "builder"
      toStrictByteString (buildLazy v (inChunksOf 1000 bytes)) == characters @? "lazy builder"
      L.toStrict (encodesLazy v (inChunksOf 1000 bytes)) == characters @? "chunk by chunk"
      decodes v characters == Right bytes @? "decoded"
      runGet (takeAll v) characters == Right bytes @? "taken"
      runGetLazy (takeAll v) (inChunksOf 1001 characters) == Right bytes @? "taken, in chunks"
      failsAt
        (fromIntegral at)
        (decodes v (S.take at characters <> "*" <> S.drop (at + 1) characters))

sameAsTheirs :: Property
sameAsTheirs =
  conjoin
    [ forAll (upTo 100) $ \bs ->
        encodeBase64 bs === Theirs.encode bs
          .&&. encodeBase64Url bs === TheirUrl.encode bs
          .&&. encodeBase64UrlUnpadded bs === TheirUrl.encodeUnpadded bs,
      forAll (L.fromChunks <$> listOf (upTo 7)) $ \bs ->
        encodeBase64Lazy bs === TheirLazy.encode bs
          .&&. encodeBase64UrlLazy bs === TheirLazyUrl.encode bs
          .&&. encodeBase64UrlUnpaddedLazy bs === TheirLazyUrl.encodeUnpadded bs,
      forAll (text usual 50) $ \bs ->
        same decodeBase64 Theirs.decode bs
          .&&. decodeBase64Lenient bs === Theirs.decodeLenient bs,
      forAll (text (variants !! 2) 50) $ \bs ->
        same decodeBase64Url TheirUrl.decodePadded bs
          .&&. decodeBase64UrlLenient bs === TheirUrl.decodeLenient bs,
      forAll (text (variants !! 3) 50) $ same decodeBase64UrlUnpadded TheirUrl.decodeUnpadded,
      forAll (S.intercalate "\r\n" <$> listOf (text usual 50)) $ \bs ->
        decodeBase64Lenient bs === Theirs.decodeLenient bs
    ]
  where
    same ours theirs bs =
      either (const Nothing) Just (ours bs) === either (const Nothing) Just (theirs bs)

takes :: Property
takes = anyVariant $ \v -> forAll (text v 9) $ \bs ->
  let run = C.takeWhile (`elem` alphabet v) bs
      wanted = if padded v then negate (S.length run) `mod` 4 else 0
      whole = S.take (S.length run + wanted) bs
      -- Characters that do not belong to it may come instead of the padding.
      expected = case modelDecode v whole of
        Right bytes -> Right (bytes, S.drop (S.length whole) bs)
        Left at -> Left at
   in agreesAt (takeAll v) bs expected
        .&&. agreesAt (takeAll v) (bs <> ";") ((\(r, rest) -> (r, rest <> ";")) <$> expected)

messages :: Assertion
messages = do
  said (decodeBase64 "SGVs\n") @?= Just (4, Invalid "invalid Base64", "\n")
  said (decodeBase64 "SGVsbG9=") @?= Just (6, Invalid bits, "9")
  said (decodeBase64 "SGVsbG8") @?= Just (7, Invalid cut, "")
  said (runGet takeBase64 "SGVsbG8;") @?= Just (7, Unexpected, ";")
  said (decodeHex "12x") @?= Just (2, Invalid "invalid hexadecimal digit", "x")
  said (decodeHex "123") @?= Just (3, Invalid "invalid hexadecimal: an odd number of digits", "")
  where
    said = either (\e -> Just (errorOffset e, errorReason e, errorFound e)) (const Nothing)
    bits = "invalid Base64: unused bits are not zero"
    cut = "invalid Base64: it ends within a group"

-- All whole groups, in a chunk for each chunk that ends one.
encodesEarly :: Property
encodesEarly = anyVariant $ \v -> forAll (L.fromChunks <$> listOf (upTo 7)) $ \bs ->
  let ends = scanl (+) 0 (map S.length (L.toChunks bs))
      groups = zipWith (\from to -> to `div` 3 - from `div` 3) ends (drop 1 ends)
      whole = filter (> 0) groups
      chunks = take (length whole) (L.toChunks (encodesLazy v (bs <> error "forced too early")))
   in map S.length chunks === map (4 *) whole
        .&&. S.isPrefixOf (S.concat chunks) (modelEncode v (L.toStrict bs)) === True

infinite :: Assertion
infinite = do
  let bytes = L.cycle "abcdefg"
  L.take 100 (encodeBase64Lazy bytes) @?= L.take 100 (toLazyByteString (lazyByteStringBase64 bytes))
  L.take 100 (toLazyByteString (lazyByteStringBase64 bytes))
    @?= L.take 100 (toLazyByteString (byteStringBase64 (L.toStrict (L.take 120 bytes))))

hexVectors :: Assertion
hexVectors =
  forM_ vectors $ \(bytes, digits) -> do
    encodeHex bytes @?= C.map lower digits
    decodeHex digits @?= Right bytes
  where
    lower c = if c >= 'A' then toEnum (fromEnum c + 32) else c
    vectors =
      [ ("", ""),
        ("f", "66"),
        ("fo", "666F"),
        ("foo", "666F6F"),
        ("foob", "666F6F62"),
        ("fooba", "666F6F6261"),
        ("foobar", "666F6F626172")
      ]

hexEncoding :: Property
hexEncoding = forAll (upTo 80) $ \bs ->
  let expected = C.pack (concatMap (printf "%02x" :: Word8 -> String) (S.unpack bs))
   in throughSinks expected (byteStringHex bs)
        .&&. throughSinks expected (lazyByteStringHex (inChunksOf 7 bs))
        .&&. encodeHex bs === expected
        .&&. decodeHex (C.map toUpper expected) === Right bs

hexDecoding :: Property
hexDecoding =
  conjoin
    [ forAll (digitsAndOthers 12) $ \bs ->
        let n = S.length bs
            digits = C.takeWhile isDigit bs
            bad = fromIntegral (S.length digits)
            expected
              | odd n || S.length digits < n = Left bad
              | otherwise = Right (model bs)
            taken
              | odd bad = Left bad
              | otherwise = Right (model digits, S.drop (S.length digits) bs)
         in agreesAt (getHex n) bs ((\r -> (r, "")) <$> expected)
              .&&. agreesAt (getHex n) (bs <> "0") ((\r -> (r, "0")) <$> expected)
              .&&. agreesAt (getHex (-1)) bs (Left 0)
              .&&. agreesAt (getHex (n + 1)) bs (Left 0)
              .&&. agreesAt takeHex bs taken,
      forAll (digitsAndOthers 200) $ \bs ->
        let digits = C.takeWhile isDigit bs
         in either (Left . errorOffset) Right (decodeHex bs)
              === if even (S.length bs) && S.length digits == S.length bs
                then Right (model bs)
                else Left (fromIntegral (S.length digits))
    ]
  where
    isDigit c = c `elem` ("0123456789abcdefABCDEF" :: String)
    model bs = S.pack (pairs (C.unpack bs))
    pairs (a : b : more) = read ['0', 'x', a, b] : pairs more
    pairs _ = []

digitsAndOthers :: Int -> Gen S.ByteString
digitsAndOthers most = do
  n <- choose (0, most)
  good <- C.pack <$> vectorOf n (elements "0123456789abcdefABCDEF")
  i <- choose (0, n)
  c <- elements "/:@G`g \x80\xFF"
  elements [good, good, S.take i good <> C.cons c (S.drop (i + 1) good)]

hexManyCalls :: Assertion
hexManyCalls = forM_ [32767 .. 32769] $ \n -> do
  let bytes = S.pack (take n (cycle [0 .. 250]))
      digits = encodeHex bytes
  toStrictByteString (byteStringHex bytes) == digits @? "builder"
  decodeHex digits == Right bytes @? "decoded"
  runGetLazy takeHex (inChunksOf 1001 digits) == Right bytes @? "taken"
  isRight (decodeHex (S.drop 2 digits)) @? "decoded"
  failsAt (fromIntegral (2 * n - 1)) (decodeHex (S.take (2 * n - 1) digits <> "g"))
