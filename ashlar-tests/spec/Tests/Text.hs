{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Text
-- Description : Whole numbers and characters as text
module Tests.Text (tests) where

import Ashlar.Builder as A
import Ashlar.Builder.Padded
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Word (Word8)
import Numeric.Natural (Natural)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "numbers as text"
    [ testGroup
        "decimal"
        [ agrees "word8Dec" A.word8Dec B.word8Dec,
          agrees "word16Dec" A.word16Dec B.word16Dec,
          agrees "word32Dec" A.word32Dec B.word32Dec,
          agrees "word64Dec" A.word64Dec B.word64Dec,
          agrees "wordDec" A.wordDec B.wordDec,
          agrees "int8Dec" A.int8Dec B.int8Dec,
          agrees "int16Dec" A.int16Dec B.int16Dec,
          agrees "int32Dec" A.int32Dec B.int32Dec,
          agrees "int64Dec" A.int64Dec B.int64Dec,
          agrees "intDec" A.intDec B.intDec,
          testProperty "all of 16 bits" $
            once
              ( toStrictByteString (foldMap A.int16Dec all16 <> foldMap A.word16Dec all16)
                  === strict (foldMap B.int16Dec all16 <> foldMap B.word16Dec all16)
              ),
          testProperty "numbers of up to four digits, in each type" $
            once . conjoin $
              [ toStrictByteString (foldMap write [-9999 .. 9999])
                  === foldMap (C.pack . show) [-9999 .. 9999 :: Int]
                | write <- [A.intDec, A.int64Dec . fromIntegral, A.int32Dec . fromIntegral]
              ]
                ++ [ toStrictByteString (foldMap write [0 .. 9999])
                       === foldMap (C.pack . show) [0 .. 9999 :: Word]
                     | write <- [A.wordDec, A.word64Dec . fromIntegral, A.word32Dec . fromIntegral]
                   ],
          testProperty "integerDec" $
            forAll integers $ \x ->
              throughSinks (C.pack (show x)) (integerDec x),
          testProperty "naturalDec" $
            forAll integers $ \x ->
              throughSinks (C.pack (show (abs x))) (naturalDec (fromInteger (abs x) :: Natural)),
          testProperty "integerDec of many digits" $
            forAll large $
              \x -> toStrictByteString (integerDec x) === C.pack (show x)
        ],
      testGroup
        "hexadecimal"
        [ agrees "word8Hex" A.word8Hex B.word8Hex,
          agrees "word16Hex" A.word16Hex B.word16Hex,
          agrees "word32Hex" A.word32Hex B.word32Hex,
          agrees "word64Hex" A.word64Hex B.word64Hex,
          agrees "wordHex" A.wordHex B.wordHex,
          agrees "word8HexFixed" A.word8HexFixed B.word8HexFixed,
          agrees "word16HexFixed" A.word16HexFixed B.word16HexFixed,
          agrees "word32HexFixed" A.word32HexFixed B.word32HexFixed,
          agrees "word64HexFixed" A.word64HexFixed B.word64HexFixed,
          agrees "int8HexFixed" A.int8HexFixed B.int8HexFixed,
          agrees "int16HexFixed" A.int16HexFixed B.int16HexFixed,
          agrees "int32HexFixed" A.int32HexFixed B.int32HexFixed,
          agrees "int64HexFixed" A.int64HexFixed B.int64HexFixed,
          testProperty "all of 16 bits" $
            once
              ( toStrictByteString (foldMap A.word16Hex all16)
                  === strict (foldMap B.word16Hex all16)
              ),
          testProperty "byteStringHex" $ \ws ->
            let bs = S.pack ws in throughSinks (strict (B.byteStringHex bs)) (A.byteStringHex bs),
          testProperty "byteStringHex of a slice, large" $
            once
              ( let bs = S.drop 5 (S.pack (take 200005 (cycle [0 .. 250])))
                 in toStrictByteString (A.byteStringHex bs)
                      === strict (B.byteStringHex bs)
              ),
          localOption (QuickCheckMaxSize 30) . testProperty "lazyByteStringHex" $ \wss ->
            let bs = L.fromChunks (map S.pack wss)
             in throughSinks (strict (B.lazyByteStringHex bs)) (A.lazyByteStringHex bs)
        ],
      testGroup
        "characters"
        [ agreesOn characters "char7" A.char7 B.char7,
          agreesOn characters "char8" A.char8 B.char8,
          testProperty "string7" $
            forAll (listOf characters) $ \s ->
              throughSinks (strict (B.string7 s)) (A.string7 s),
          testProperty "string8" $
            forAll (listOf characters) $ \s ->
              throughSinks (strict (B.string8 s)) (A.string8 s),
          testCase "an infinite string" $
            L.take 100000 (toLazyByteString (A.string8 (cycle "abc")))
              @?= L.take 100000 (L.cycle "abc")
        ],
      paddedTests
    ]

strict :: B.Builder -> S.ByteString
strict = L.toStrict . B.toLazyByteString

all16 :: (Bounded a, Enum a) => [a]
all16 = [minBound .. maxBound]

-- The bytes are those of bytestring, in every buffer, alone and among neighbours. No byte outside
-- of the reservation is written.
agrees ::
  (Bounded a, Integral a, Show a) => String -> (a -> A.Builder) -> (a -> B.Builder) -> TestTree
agrees = agreesOn numbers

agreesOn :: Show a => Gen a -> String -> (a -> A.Builder) -> (a -> B.Builder) -> TestTree
agreesOn gen name ours theirs =
  testProperty name $
    forAll gen $ \x -> forAll gen $ \y ->
      let expected = strict (theirs x)
       in throughSinks expected (ours x)
            .&&. throughSinks
              (expected <> ";" <> strict (theirs y) <> expected)
              (ours x <> A.char7 ';' <> ours y <> ours x)

-- Numbers of any length, and numbers around those at which the code changes.
numbers :: forall a. (Bounded a, Integral a) => Gen a
numbers =
  oneof
    [ elements [minBound, minBound + 1, maxBound, maxBound - 1],
      fromInteger <$> choose (toInteger (minBound :: a), toInteger (maxBound :: a)),
      fromInteger <$> (choose (0, 64 :: Int) >>= \n -> choose (negate (2 ^ n), 2 ^ n)),
      fromInteger <$> (edge <$> elements [2, 10, 16] <*> choose (0, 64) <*> choose (-1, 1))
    ]
  where
    edge base n d = base ^ (n :: Int) + d

integers :: Gen Integer
integers = oneof [choose (-1000, 1000), numbersOf 70, numbersOf 2000, edges]
  where
    edges = do
      n <- choose (0, 160 :: Int)
      d <- choose (-1, 1)
      s <- elements [1, -1]
      pure (s * (10 ^ n + d))

numbersOf :: Int -> Gen Integer
numbersOf bits = choose (0, bits) >>= \n -> choose (negate (2 ^ n), 2 ^ n)

-- Also numbers just below and above the powers that divide them.
large :: Gen Integer
large = oneof [numbersOf 20000, powers]
  where
    powers = do
      k <- choose (0, 8 :: Int)
      d <- elements [-1, 0, 1]
      n <- elements [1, 2, 3]
      pure (n * 10 ^ (16 * 2 ^ k :: Int) + d)

characters :: Gen Char
characters =
  oneof
    [choose ('\0', '\xFF'), choose ('\0', '\x10FFFF'), elements "\0\x7F\x80\xFF\x100\xD800\x10FFFF"]

paddedTests :: TestTree
paddedTests =
  testGroup
    "padded"
    [ padsWith "wordDecPadded" wordDecPadded (\n x -> zeros n (show x)),
      padsWith "word64DecPadded" word64DecPadded (\n x -> zeros n (show x)),
      padsWith "intDecPadded" intDecPadded signed,
      padsWith "int64DecPadded" int64DecPadded signed,
      testProperty "literal widths among neighbours" $
        forAll numbers $ \(x :: Word) -> forAll numbers $ \(y :: Int) ->
          throughSinks
            ( C.pack
                ( zeros 2 (show x) ++ "-" ++ signed 20 y ++ zeros 20 (show x)
                    ++ signed 1 y
                    ++ zeros 21 (show x)
                    ++ signed 21 y
                )
            )
            ( wordDecPadded 2 x <> char7 '-' <> intDecPadded 20 y <> wordDecPadded 20 x
                <> intDecPadded 1 y
                <> wordDecPadded 21 x
                <> intDecPadded 21 y
            ),
      testProperty "as printf" $ \(x :: Int) ->
        conjoin
          [ toStrictByteString (intDecPadded n x) === C.pack (printf ("%0" ++ show n ++ "d") x)
            | n <- [1 .. 30]
          ],
      testCase "a width of a million" $
        toStrictByteString (intDecPadded 1000000 (-7)) @?= "-" <> C.replicate 999998 '0' <> "7",
      testCase "the greatest width, lazily" $
        L.take 100000 (toLazyByteString (wordDecPadded maxBound 7)) @?= L.replicate 100000 48,
      testCase "the least width" $
        toStrictByteString (intDecPadded minBound (-7) <> wordDecPadded minBound 7) @?= "-77",
      testProperty "replicateWord8" $ \(w :: Word8) -> forAll (choose (-3, 300)) $ \n ->
        throughSinks (S.replicate n w) (replicateWord8 n w)
    ]
  where
    zeros n s = replicate (n - length s) '0' ++ s
    signed n x = case show x of
      '-' : s -> '-' : zeros (n - 1) s
      s -> zeros n s

padsWith ::
  (Bounded a, Integral a, Show a) =>
  String ->
  (Int -> a -> A.Builder) ->
  (Int -> a -> String) ->
  TestTree
padsWith name ours model =
  testProperty name $
    forAll numbers $ \x -> forAll
      ( frequency
          [(8, choose (-3, 24)), (1, choose (0, 100)), (1, elements [minBound, 62, 63, 64, 65, 66])]
      )
      $ \n ->
        let expected = C.pack (model (max (-5) n) x)
         in throughSinks expected (ours n x)
