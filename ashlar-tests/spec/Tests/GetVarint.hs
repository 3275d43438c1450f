{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.GetVarint
-- Description : Variable-length integers, against models in Integer
module Tests.GetVarint (tests) where

import Ashlar.Builder (Builder, toStrictByteString)
import Ashlar.Builder.Prim (primBounded)
import Ashlar.Builder.Varint
import qualified Ashlar.Compat.Varint as C
import Ashlar.Get
import Ashlar.Get.Varint
import Ashlar.Prim.Varint (unZigzag32, unZigzag64, zigzag32, zigzag64)
import qualified Ashlar.Prim.Varint as P
import Control.Applicative (many, (<|>))
import Data.Bits (countTrailingZeros, finiteBitSize)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Maybe (isJust, isNothing)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Failures
import Tests.Splits
import Tests.Varint (edges)

tests :: TestTree
tests =
  testGroup
    "reading variable-length integers"
    [ testGroup
        "LEB128"
        [ format "getWord16LEB128" word16LEB128 getWord16LEB128 groups unsigned,
          format "getWord32LEB128" word32LEB128 getWord32LEB128 groups unsigned,
          format "getWord64LEB128" word64LEB128 getWord64LEB128 groups unsigned,
          format "getWordLEB128" wordLEB128 getWordLEB128 groups unsigned,
          format "getInt16LEB128" int16LEB128 getInt16LEB128 groups signed,
          format "getInt32LEB128" int32LEB128 getInt32LEB128 groups signed,
          format "getInt64LEB128" int64LEB128 getInt64LEB128 groups signed,
          format "getIntLEB128" intLEB128 getIntLEB128 groups signed
        ],
      testGroup
        "Protocol Buffers"
        [ format "getWord32Varint" word32Varint getWord32Varint groups unsigned,
          format "getWord64Varint" word64Varint getWord64Varint groups unsigned,
          format "getWordVarint" wordVarint getWordVarint groups unsigned,
          format "getInt32Varint" int32Varint getInt32Varint groups (fmap wrapped . unsigned),
          format "getInt64Varint" int64Varint getInt64Varint groups (fmap wrapped . unsigned),
          format "getIntVarint" intVarint getIntVarint groups (fmap wrapped . unsigned),
          format "getInt32Zigzag" int32Zigzag getInt32Zigzag groups (fmap unZigzag . unsigned),
          format "getInt64Zigzag" int64Zigzag getInt64Zigzag groups (fmap unZigzag . unsigned),
          format "getIntZigzag" intZigzag getIntZigzag groups (fmap unZigzag . unsigned),
          testProperty "unZigzag32" $ \x -> unZigzag32 (zigzag32 x) === x,
          testProperty "unZigzag64" $ \x -> unZigzag64 (zigzag64 x) === x
        ],
      testGroup
        "VLQ"
        [ other "wordVLQ" C.wordVLQ groups unsigned,
          other "intVLQ" C.intVLQ groups signAndMagnitude
        ],
      testGroup
        "most significant bits first"
        [ other "word32VLQBE" C.word32VLQBE groups bigEndian,
          other "word64VLQBE" C.word64VLQBE groups bigEndian,
          other "wordVLQBE" C.wordVLQBE groups bigEndian,
          other "word64GitOffset" C.word64GitOffset groups gitOffset,
          testCase "the table of MIDI" midi,
          testCase "git: where a group more is needed" git
        ],
      testGroup
        "padded"
        [ tolerant "getWord16LEB128Lenient" word16LEB128 getWord16LEB128Lenient groups 3 unsigned,
          tolerant "getWord32LEB128Lenient" word32LEB128 getWord32LEB128Lenient groups 5 unsigned,
          tolerant "getWord64LEB128Lenient" word64LEB128 getWord64LEB128Lenient groups 10 unsigned,
          tolerant "getWordLEB128Lenient" wordLEB128 getWordLEB128Lenient groups wordBytes unsigned,
          tolerant "getInt16LEB128Lenient" int16LEB128 getInt16LEB128Lenient groups 3 signed,
          tolerant "getInt32LEB128Lenient" int32LEB128 getInt32LEB128Lenient groups 5 signed,
          tolerant "getInt64LEB128Lenient" int64LEB128 getInt64LEB128Lenient groups 10 signed,
          tolerant "getIntLEB128Lenient" intLEB128 getIntLEB128Lenient groups wordBytes signed,
          tolerantOther "padded word32VLQBE" C.padded C.word32VLQBE groups 5 bigEndian,
          tolerantOther "padded word64VLQBE" C.padded C.word64VLQBE groups 10 bigEndian,
          tolerantOther "padded wordVLQBE" C.padded C.wordVLQBE groups wordBytes bigEndian,
          tolerantOther "word64SQLite" id C.word64SQLite sqliteLength 9 sqlite,
          tolerantOther "int64SQLite" id C.int64SQLite sqliteLength 9 $
            fmap wrapped . sqlite
        ],
      other "prefixVarInt" C.prefixVarInt prefixLength prefixed,
      testGroup
        "Protocol Buffers, lenient"
        [ lenient "getWord32VarintLenient" word32Varint getWord32VarintLenient id 32,
          lenient "getWord64VarintLenient" word64Varint getWord64VarintLenient id 64,
          lenient "getWordVarintLenient" wordVarint getWordVarintLenient id 64,
          lenient "getInt32VarintLenient" int32Varint getInt32VarintLenient id 32,
          lenient "getInt64VarintLenient" int64Varint getInt64VarintLenient id 64,
          lenient "getIntVarintLenient" intVarint getIntVarintLenient id 64,
          lenient "getInt32ZigzagLenient" int32Zigzag getInt32ZigzagLenient unZigzag 32,
          lenient "getInt64ZigzagLenient" int64Zigzag getInt64ZigzagLenient unZigzag 64,
          lenient "getIntZigzagLenient" intZigzag getIntZigzagLenient unZigzag 64,
          testCase "more than ten bytes" tooLong
        ],
      testProperty "length prefixes" lengthPrefixes,
      testProperty "each format of Ashlar.Prim.Varint reads what it writes" roundTrip,
      testCase "invalid encodings, each with its offset" refusals,
      testCase "no input is demanded after the last byte" noMore
    ]

-- 'format' for a format without names of its own.
other ::
  (Bounded a, Integral a, Show a) =>
  String ->
  P.Varint a ->
  ([Word8] -> Maybe Int) ->
  ([Word8] -> Maybe Integer) ->
  TestTree
other name f = format name (varint f) (getVarint f)

-- The decoder reads what the builder wrote, on every split. On any bytes it agrees with the model,
-- which says how many of them form a number, and which number. An encoding is valid only if it is
-- the one that the builder writes.
format ::
  forall a.
  (Bounded a, Integral a, Show a) =>
  String ->
  (a -> Builder) ->
  Get a ->
  ([Word8] -> Maybe Int) ->
  ([Word8] -> Maybe Integer) ->
  TestTree
format name builder get lengthOf model =
  testGroup
    name
    [ testCase "numbers around each power of two are read back" $
        mapM_ (\x -> runGetWhole get (written x) @?= Right x) edges,
      testProperty "a written number is read back, on every split" $
        forAll (elements edges) $ \x ->
          onEverySplit
            ((,) <$> get <*> bytesRead)
            (written x <> S.pack [0xFF])
            (Right (x, fromIntegral (S.length (written x)))),
      testProperty "several numbers in a row" $
        forAll (listOf (elements edges)) $ \xs ->
          runGetLazy (many get <* endOfInput) (L.fromChunks (map written xs)) === Right xs,
      testProperty "any bytes, against the model" $
        forAll anyBytes $ \bs ->
          let wanted = expected bs
           in checkCoverage
                . cover 15 (isJust wanted) "accepted"
                . cover 15 (isNothing wanted) "refused"
                $ either (const Nothing) Just (runGet ((,) <$> get <*> bytesRead) (S.pack bs))
                  === wanted,
      splitsAlike get
    ]
  where
    written = toStrictByteString . builder
    expected bs = do
      n <- lengthOf bs
      x <- model (take n bs)
      if x < toInteger (minBound :: a)
        || x > toInteger (maxBound :: a)
        || S.unpack (written (fromInteger x)) /= take n bs
        then Nothing
        else Just (fromInteger x, fromIntegral n)

-- The decoder reads what the builder wrote. On any bytes it agrees with the model: up to ten
-- groups, reduced to the width of the type.
lenient ::
  forall a.
  (Bounded a, Integral a, Show a) =>
  String ->
  (a -> Builder) ->
  Get a ->
  (Integer -> Integer) ->
  Int ->
  TestTree
lenient name builder get change width =
  testGroup
    name
    [ testCase "a written number is read back" $
        mapM_ (\x -> runGetWhole get (toStrictByteString (builder x)) @?= Right x) edges,
      testProperty "a written number with padding is read back" $
        forAll ((,) <$> elements edges <*> choose (0, 9)) $ \(x, k) ->
          let bytes = padded k (S.unpack (toStrictByteString (builder x)))
           in onEverySplit
                ((,) <$> get <*> bytesRead)
                (S.pack (bytes ++ [7]))
                (Right (x, fromIntegral (length bytes))),
      testProperty "any bytes, against the model" $
        forAll anyBytes $ \bs ->
          onEverySplit get (S.pack bs) (runGet get (S.pack bs))
            .&&. either (const Nothing) Just (runGet ((,) <$> get <*> bytesRead) (S.pack bs))
              === expected bs
    ]
  where
    expected bs = do
      n <- groups bs
      x <- if n <= 10 then unsigned (take n bs) else Nothing
      Just (fromInteger (change (x `mod` 2 ^ width)), fromIntegral n)

-- 'tolerant' for a format without names of its own, given how it is changed for reading.
tolerantOther ::
  (Bounded a, Integral a, Show a) =>
  String ->
  (P.Varint a -> P.Varint a) ->
  P.Varint a ->
  ([Word8] -> Maybe Int) ->
  Int ->
  ([Word8] -> Maybe Integer) ->
  TestTree
tolerantOther name change f = tolerant name (varint f) (getVarint (change f))

-- The decoder reads what the builder wrote. On any bytes it agrees with the model of numbers of at
-- most so many bytes, needed or not.
tolerant ::
  forall a.
  (Bounded a, Integral a, Show a) =>
  String ->
  (a -> Builder) ->
  Get a ->
  ([Word8] -> Maybe Int) ->
  Int ->
  ([Word8] -> Maybe Integer) ->
  TestTree
tolerant name builder get lengthOf most model =
  testGroup
    name
    [ testCase "a written number is read back" $
        mapM_ (\x -> runGetWhole get (toStrictByteString (builder x)) @?= Right x) edges,
      testProperty "any bytes, against the model" $
        forAll anyBytes $ \bs ->
          let wanted = expected bs
           in checkCoverage
                . cover 15 (isJust wanted) "accepted"
                . cover 5 (isNothing wanted) "refused"
                $ either (const Nothing) Just (runGet ((,) <$> get <*> bytesRead) (S.pack bs))
                  === wanted,
      splitsAlike get
    ]
  where
    expected bs = do
      n <- lengthOf bs
      x <- model (take n bs)
      if n > most || x < toInteger (minBound :: a) || x > toInteger (maxBound :: a)
        then Nothing
        else Just (fromInteger x, fromIntegral n)

-- The groups that a Word has room for.
wordBytes :: Int
wordBytes = (finiteBitSize (0 :: Word) + 6) `div` 7

midi, git :: Assertion
midi =
  encodes
    (varint C.word32VLQBE)
    [ (0x40, [0x40]),
      (0x7F, [0x7F]),
      (0x80, [0x81, 0x00]),
      (0x2000, [0xC0, 0x00]),
      (0x3FFF, [0xFF, 0x7F]),
      (0x4000, [0x81, 0x80, 0x00]),
      (0x100000, [0xC0, 0x80, 0x00]),
      (0x1FFFFF, [0xFF, 0xFF, 0x7F]),
      (0x200000, [0x81, 0x80, 0x80, 0x00]),
      (0x8000000, [0xC0, 0x80, 0x80, 0x00]),
      (0xFFFFFFF, [0xFF, 0xFF, 0xFF, 0x7F])
    ]
git =
  encodes
    (varint C.word64GitOffset)
    [ (127, [0x7F]),
      (128, [0x80, 0x00]),
      (255, [0x80, 0x7F]),
      (16511, [0xFF, 0x7F]),
      (16512, [0x80, 0x80, 0x00])
    ]

encodes :: (Eq a, Show a) => (a -> Builder) -> [(a, [Word8])] -> Assertion
encodes builder = mapM_ (\(x, bs) -> (x, S.unpack (toStrictByteString (builder x))) @?= (x, bs))

-- The encoding with k groups of zeros added, up to ten groups in all.
padded :: Int -> [Word8] -> [Word8]
padded k bs = case splitAt (length bs - 1) bs of
  (more, [b]) | n > 0 -> more ++ [b + 128] ++ replicate (n - 1) 128 ++ [0]
    where
      n = min k (10 - length bs)
  _ -> bs

tooLong :: Assertion
tooLong = do
  runGet getWord64VarintLenient (S.pack (replicate 10 0x80 ++ [0]))
    @?= Left
      ( failure
          0
          []
          (Invalid "a varint of more than 10 bytes")
          []
          (S.pack (replicate 10 0x80))
      )
  -- Only the lowest bit of the tenth byte counts.
  runGet getWord64VarintLenient (S.pack (replicate 9 0x80 ++ [0x7F])) @?= Right (2 ^ (63 :: Int))

-- Strict and lenient. The prefix limits the input of the decoder. If the input is shorter, the
-- error is where the limited input begins.
lengthPrefixes :: Property
lengthPrefixes =
  forAll ((,,) <$> choose (0, 5) <*> choose (0, 4) <*> (S.pack <$> resize 20 (listOf arbitrary))) $
    \(n, k, bs) ->
      let part = S.take n bs
          canonical = toStrictByteString (word64Varint (fromIntegral n))
          longer = S.pack (padded k (S.unpack canonical))
          offsetAfter prefix =
            if n > S.length bs
              then Left (fromIntegral (S.length prefix), MissingInput n (S.length bs))
              else Right part
          says get prefix wanted =
            onEverySplit get (prefix <> bs) (runGet get (prefix <> bs))
              .&&. either
                (\e -> Left (errorOffset e, errorReason e))
                Right
                (runGet get (prefix <> bs))
                === wanted
       in conjoin
            [ says (lengthPrefixedVarint getRemainingByteString) canonical (offsetAfter canonical),
              says (lengthPrefixedVarintLenient getRemainingByteString) longer (offsetAfter longer),
              says (lengthPrefixedVarint getRemainingByteString) longer $
                if k == 0
                  then offsetAfter canonical
                  else Left (0, Invalid "a varint that is not in its shortest form"),
              -- The largest length.
              says
                (lengthPrefixedVarint getRemainingByteString)
                (toStrictByteString (word64Varint maxBound))
                $ Left (10, Invalid "a part of 18446744073709551615 bytes")
            ]

roundTrip :: Property
roundTrip =
  conjoin
    [ both P.word16LEB128,
      both P.word32LEB128,
      both P.word64LEB128,
      both P.wordLEB128,
      both P.int16LEB128,
      both P.int32LEB128,
      both P.int64LEB128,
      both P.intLEB128,
      both P.word32Varint,
      both P.word64Varint,
      both P.wordVarint,
      both P.int32Varint,
      both P.int64Varint,
      both P.intVarint,
      both P.int32Zigzag,
      both P.int64Zigzag,
      both P.intZigzag,
      both C.word32VLQBE,
      both C.word64VLQBE,
      both C.wordVLQBE,
      both C.word64GitOffset,
      both C.word64SQLite,
      both C.int64SQLite,
      both C.wordVLQ,
      both C.intVLQ,
      both C.prefixVarInt
    ]
  where
    both :: (Bounded a, Integral a, Show a) => P.Varint a -> Property
    both prim = forAll (elements edges) $ \x ->
      let bytes = toStrictByteString (primBounded (P.varintPrim prim) x)
       in conjoin
            [ runGetWhole (getVarint prim) bytes === Right x,
              runGetWhole (getVarint (P.padded prim)) bytes === Right x,
              P.varintSize prim x === S.length bytes
            ]

-- Many have the continuation bit, and many are at the limits of their types.
-- Whatever the bytes are, it does not matter where a chunk ends.
splitsAlike :: (Eq a, Show a) => Get a -> TestTree
splitsAlike get =
  testProperty "any bytes, on every split" $
    forAll anyBytes $ \bs -> onEverySplit get (S.pack bs) (runGet get (S.pack bs))

anyBytes :: Gen [Word8]
anyBytes = do
  n <- choose (0, 12)
  frequency
    [ (3, (++) <$> vectorOf n going <*> vectorOf 2 arbitrary),
      ( 3,
        (\a b c -> a : replicate n b ++ [c, 0])
          <$> going <*> elements [0x80, 0xFF] <*> elements [0, 1, 2, 0x3F, 0x40, 0x7E, 0x7F]
      ),
      (1, (: replicate 8 0) <$> arbitrary),
      (1, (\b bs -> 2 ^ b : bs) <$> choose (0, 7 :: Int) <*> vectorOf n (elements [0, 1, 255])),
      (1, vectorOf n arbitrary)
    ]
  where
    going = oneof [pure 0x80, pure 0xFF, choose (0x80, 0xFF)]

-- The length up to the first byte without the continuation bit.
groups :: [Word8] -> Maybe Int
groups bs = case span (>= 0x80) bs of
  (more, _ : _) -> Just (length more + 1)
  _ -> Nothing

unsigned :: [Word8] -> Maybe Integer
unsigned = Just . foldr (\b acc -> toInteger (b `mod` 128) + 128 * acc) 0

bigEndian, gitOffset, sqlite :: [Word8] -> Maybe Integer
bigEndian = unsigned . reverse
gitOffset bs = Just (foldl (\acc b -> (acc + 1) * 128 + toInteger (b `mod` 128)) (-1) bs)
sqlite bs
  | length bs == 9 = (\x -> x * 256 + toInteger (last bs)) <$> bigEndian (take 8 bs)
  | otherwise = bigEndian bs

sqliteLength :: [Word8] -> Maybe Int
sqliteLength bs = case span (>= 0x80) (take 8 bs) of
  (more, _ : _) -> Just (length more + 1)
  (more, []) | length more == 8 && length bs > 8 -> Just 9
  _ -> Nothing

signed :: [Word8] -> Maybe Integer
signed bs = (\x -> if last bs `mod` 128 >= 64 then x - 128 ^ length bs else x) <$> unsigned bs

wrapped :: Integer -> Integer
wrapped x = if x >= 2 ^ (63 :: Int) then x - 2 ^ (64 :: Int) else x

unZigzag :: Integer -> Integer
unZigzag x = if even x then x `div` 2 else negate (x `div` 2) - 1

signAndMagnitude :: [Word8] -> Maybe Integer
signAndMagnitude bs = case bs of
  b : more ->
    (\m -> (if b `mod` 128 >= 64 then negate else id) (toInteger (b `mod` 64) + 64 * m))
      <$> unsigned more
  [] -> Nothing

prefixLength :: [Word8] -> Maybe Int
prefixLength bs = case bs of
  b : _ | length bs >= n -> Just n
    where
      n = countTrailingZeros b + 1
  _ -> Nothing

prefixed :: [Word8] -> Maybe Integer
prefixed bs
  | length bs == 9 = Just (little (drop 1 bs))
  | otherwise = Just (little bs `div` 2 ^ length bs)
  where
    little = foldr (\b acc -> toInteger b + 256 * acc) 0

refusals :: Assertion
refusals = do
  refusedAt getWord64LEB128 [0x80, 0] "a varint that is not in its shortest form" [0x80, 0]
  refusedAt
    getWord64LEB128
    (replicate 9 0xFF ++ [2])
    "a varint that does not fit its type"
    (replicate 9 0xFF ++ [2])
  refusedAt
    getWord64LEB128
    (replicate 20 0xFF)
    "a varint that does not fit its type"
    (replicate 10 0xFF)
  refusedAt getWord16LEB128 [0x80, 0x80, 4] "a varint that does not fit its type" [0x80, 0x80, 4]
  refusedAt getInt32LEB128 [0xFF, 0x7F] "a varint that is not in its shortest form" [0xFF, 0x7F]
  refusedAt getInt16LEB128 [0xFF, 0xFF, 2] "a varint that does not fit its type" [0xFF, 0xFF, 2]
  refusedAt
    getInt32Varint
    [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
    "a varint that does not fit its type"
    [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
  refusedAt (getVarint C.intVLQ) [0x40] "a varint of negative zero" [0x40]
  refusedAt (getVarint C.intVLQ) [0xC0, 0] "a varint that is not in its shortest form" [0xC0, 0]
  refusedAt (getVarint C.prefixVarInt) [2, 0] "a varint that is not in its shortest form" [2, 0]
  refusedAt
    getWord32LEB128Lenient
    (replicate 5 0x80 ++ [0])
    "a varint of more than 5 bytes"
    (replicate 5 0x80)
  refusedAt
    getWord32LEB128Lenient
    [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]
    "a varint that does not fit its type"
    [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]
  refusedAt (getVarint C.word64VLQBE) [0x80, 1] "a varint that is not in its shortest form" [0x80]
  refusedAt
    (getVarint C.word64GitOffset)
    (replicate 12 0xFF)
    "a varint that does not fit its type"
    (replicate 10 0xFF)
  -- The end of the input.
  runGet (getWord8 *> getWord64LEB128) (S.pack [7, 0x80, 0x80])
    @?= Left (failure 1 [] (MissingInput 3 2) [] (S.pack [0x80, 0x80]))
  runGet (getWord8 *> getVarint C.prefixVarInt) (S.pack [7, 4, 0x80])
    @?= Left (failure 1 [] (MissingInput 3 2) [] (S.pack [4, 0x80]))
  brief (runGet getWord64LEB128 S.empty) @?= Left (0, [], MissingInput 1 0)
  -- It backtracks like any other decoder, and stops at the limit of an 'isolate'.
  runGet ((getWord16LEB128 *> getWord8) <|> getWord8) (S.pack [0x80, 0]) @?= Right 0x80
  brief (runGet (isolate 1 getWord64LEB128) (S.pack [0x80, 1])) @?= Left (0, [], MissingInput 2 1)
  where
    refusedAt :: Show a => Get a -> [Word8] -> String -> [Word8] -> Assertion
    refusedAt get bs message found =
      case runGet (getWord8 *> label "number" get) (S.pack (7 : bs)) of
        Left e -> e @?= failure 1 ["number"] (Invalid message) [] (S.pack found)
        Right x -> assertFailure (show x)

-- The decoder ends with the last byte of the number and does not wait for more input.
noMore :: Assertion
noMore = do
  assertBool "ended" (ended [0x80, 0x80, 1])
  assertBool "not ended" (not (ended [0x80, 0x80]))
  where
    ended bs = case foldl pushChunk (runGetIncremental getWord64LEB128) (map S.singleton bs) of
      Done rest at _ -> S.null rest && at == fromIntegral (length bs)
      _ -> False
