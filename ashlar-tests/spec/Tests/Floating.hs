{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Floating
-- Description : Floating-point numbers as text
module Tests.Floating (tests) where

import Ashlar.Builder as A
import qualified Ashlar.Builder.RealFloat as R
import Data.Bits (shiftL, (.&.))
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Ratio (denominator, numerator)
import Data.Word (Word32, Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Numeric (showEFloat, showFFloat)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding ((.&.))
import Tests.Everywhere

tests :: TestTree
tests =
  testGroup
    "floating-point numbers as text"
    [ testProperty "doubleDec, against exact arithmetic" $
        forAll doubles $
          \x -> text (doubleDec x) === modelGeneric x,
      testProperty "floatDec, against exact arithmetic" $
        forAll floats $
          \x -> text (floatDec x) === modelGeneric x,
      testProperty "doubleDec, in every buffer" $
        forAll doubles $ \x ->
          throughSinks (C.pack (show x)) (doubleDec x) .&&. among x doubleDec B.doubleDec,
      testProperty "floatDec, in every buffer" $
        forAll floats $ \x ->
          throughSinks (C.pack (show x)) (floatDec x) .&&. among x floatDec B.floatDec,
      testProperty "doubles are read back" $
        forAll (doubles `suchThat` isNumber) $
          \x -> castDoubleToWord64 (read (text (doubleDec x))) === castDoubleToWord64 x,
      testProperty "floats are read back" $
        forAll (floats `suchThat` isNumber) $
          \x -> castFloatToWord32 (read (text (floatDec x))) === castFloatToWord32 x,
      testProperty "all powers of two and their neighbours" $
        once (conjoin [text (doubleDec x) === show x | x <- powersOfTwo]),
      testProperty "all powers of two and their neighbours, of floats" $
        once (conjoin [text (floatDec x) === show x | x <- powersOfTwoF]),
      testProperty "all powers of ten" $
        once
          ( conjoin
              [ text (doubleDec x) === show x
                | e <- [-324 .. 308 :: Int],
                  let x = read ("1e" ++ show e) :: Double
              ]
          ),
      testProperty "whole numbers and cents" $
        once
          ( conjoin
              [ text (doubleDec x) === show x
                | n <- [0 .. 2000 :: Int],
                  x <-
                    [ fromIntegral n,
                      fromIntegral n / 100,
                      fromIntegral n * 99991,
                      negate (fromIntegral n) / 8
                    ]
              ]
          ),
      testProperty "scientific, as showEFloat" $
        forAll doubles $ \x -> forAll floats $ \y ->
          throughSinks (C.pack (showEFloat Nothing x "")) (formatDouble scientific x)
            .&&. throughSinks (C.pack (showEFloat Nothing y "")) (formatFloat scientific y),
      testProperty "generic, as show" $
        forAll doubles $ \x -> forAll floats $ \y ->
          text (formatDouble generic x) === show x .&&. text (formatFloat generic y) === show y,
      testProperty "standardDefaultPrecision" $
        forAll doubles $ \x -> forAll floats $ \y ->
          throughSinks (C.pack (showFFloat Nothing x "")) (formatDouble standardDefaultPrecision x)
            .&&. throughSinks
              (C.pack (showFFloat Nothing y ""))
              (formatFloat standardDefaultPrecision y),
      testProperty "standard, against the model" $
        forAll doubles $ \x -> forAll floats $ \y -> forAll precisions $ \n ->
          throughSinks (C.pack (modelStandard n x)) (formatDouble (standard n) x)
            .&&. throughSinks (C.pack (modelStandard n y)) (formatFloat (standard n) y),
      testCase "the greatest precision, lazily" $
        L.take 100000 (toLazyByteString (formatDouble (standard maxBound) 1.5))
          @?= "1.5" <> L.replicate 99997 48,
      testCase "the least precision" $ text (formatDouble (standard minBound) 1.5) @?= "2",
      testCase "NaN and infinities" noNumbers,
      testCase "as bytestring 0.12" (mapM_ asBytestring golden),
      testCase "the same in both modules" $
        text (R.formatDouble R.scientific 1.5 <> R.doubleDec 2) @?= "1.5e02.0"
    ]

text :: A.Builder -> String
text = C.unpack . toStrictByteString

isNumber :: RealFloat a => a -> Bool
isNumber x = not (isNaN x || isInfinite x)

-- Neighbours in one reservation, against bytestring. All its versions write the same bytes here.
among :: a -> (a -> A.Builder) -> (a -> B.Builder) -> Property
among x ours theirs =
  toStrictByteString (A.char7 'a' <> ours x <> A.char7 ',' <> ours x)
    === L.toStrict (B.toLazyByteString (B.char7 'a' <> theirs x <> B.char7 ',' <> theirs x))

-- Random bits, numbers of everyday size, numbers with few bits, neighbours of powers of two.
doubles :: Gen Double
doubles =
  oneof
    [ castWord64ToDouble <$> arbitraryBoundedIntegral,
      arbitrary,
      castWord64ToDouble . (.&. 0xFFFF00000000000F) <$> arbitraryBoundedIntegral,
      (\m e -> fromInteger m * 10 ^^ e) <$> choose (-100000, 100000) <*> choose (-10, 12 :: Int),
      fromInteger <$> (choose (0, 64 :: Int) >>= \n -> choose (negate (2 ^ n), 2 ^ n)),
      elements powersOfTwo,
      elements (map fst golden) >>= \x -> elements [x, negate x],
      elements [0, -0.0, 1 / 0, -1 / 0, 0 / 0, castWord64ToDouble 0xFFF8000000000001]
    ]

floats :: Gen Float
floats =
  oneof
    [ castWord32ToFloat <$> arbitraryBoundedIntegral,
      arbitrary,
      castWord32ToFloat . (.&. 0xFFF0000F) <$> arbitraryBoundedIntegral,
      (\m e -> fromInteger m * 10 ^^ e) <$> choose (-1000, 1000) <*> choose (-10, 12 :: Int),
      elements powersOfTwoF,
      elements [0, -0.0, 1 / 0, -1 / 0, 0 / 0, castWord32ToFloat 0xFFC00001]
    ]

-- All powers of two, the greatest number, and their neighbours.
powersOfTwo :: [Double]
powersOfTwo =
  [ castWord64ToDouble w'
    | w <- map (1 `shiftL`) [0 .. 51] ++ map (`shiftL` 52) [1 .. 2047 :: Word64],
      w' <- [w - 1, w, w + 1],
      w' <= castDoubleToWord64 (1 / 0)
  ]

powersOfTwoF :: [Float]
powersOfTwoF =
  [ castWord32ToFloat w'
    | w <- map (1 `shiftL`) [0 .. 22] ++ map (`shiftL` 23) [1 .. 255 :: Word32],
      w' <- [w - 1, w, w + 1],
      w' <= castFloatToWord32 (1 / 0)
  ]

precisions :: Gen Int
precisions = oneof [choose (-2, 12), choose (0, 30), choose (300, 350)]

-- The shortest decimal in the interval of a positive number, as a whole number times a power of
-- ten. Computed naively, with exact fractions.
shortestModel :: RealFloat a => a -> (Integer, Int)
shortestModel x = from (magnitude high)
  where
    from e = case inside e of
      [] -> from (e - 1)
      -- Of two decimals, the first is below the number. It is chosen only if it is closer.
      [a, b] | value - fromInteger a * 10 ^^ e >= fromInteger b * 10 ^^ e - value -> (b, e)
      a : _ -> (a, e)
    (m, exponentOf) = decodeFloat x
    leastExponent = fst (floatRange x) - floatDigits x
    unit = 2 ^^ max exponentOf leastExponent :: Rational
    value = fromInteger m * 2 ^^ exponentOf :: Rational
    -- The neighbour below a power of two is closer than the one above.
    low
      | m == 2 ^ (floatDigits x - 1) && exponentOf > leastExponent = value - unit / 4
      | otherwise = value - unit / 2
    high = value + unit / 2
    inside e =
      [ d
        | let below = floor (value / 10 ^^ e),
          d <- [below, below + 1],
          d > 0,
          fromInteger d * 10 ^^ e > low,
          fromInteger d * 10 ^^ e < high
      ]

-- An upper bound of the decimal exponent of a fraction.
magnitude :: Rational -> Int
magnitude r = length (show (numerator r)) - length (show (denominator r)) + 1

-- Signs, and all that is not a positive number, as 'show' writes them.
withSpecials :: RealFloat a => (a -> String) -> a -> String
withSpecials f x
  | isNaN x = "NaN"
  | x < 0 || isNegativeZero x = '-' : withSpecials f (negate x)
  | isInfinite x = "Infinity"
  | x == 0 = "0.0"
  | otherwise = f x

modelGeneric :: RealFloat a => a -> String
modelGeneric = withSpecials $ \x ->
  let (d, e) = shortestModel x
      digits = show d
      point = length digits + e
      orZero s = if null s then "0" else s
   in case () of
        _
          | point < 0 || point > 7 ->
            take 1 digits ++ "." ++ orZero (drop 1 digits) ++ "e" ++ show (point - 1)
          | otherwise ->
            let (whole, fraction) = splitAt point (digits ++ replicate (point - length digits) '0')
             in orZero whole ++ "." ++ orZero fraction

-- The shortest decimal, rounded to n places, with ties to even.
modelStandard :: RealFloat a => Int -> a -> String
modelStandard n = withSpecials $ \x ->
  let (d, e) = shortestModel x
      places = max 0 n
      digits = show (round (fromInteger d * 10 ^^ (e + places) :: Rational) :: Integer)
      (whole, fraction) =
        splitAt
          (max 1 (length digits - places))
          (replicate (places + 1 - length digits) '0' ++ digits)
   in if places == 0 then whole else whole ++ "." ++ fraction

noNumbers :: Assertion
noNumbers = do
  text (doubleDec (0 / 0)) @?= "NaN"
  -- The output shows neither the sign nor the payload of a NaN.
  text (doubleDec (castWord64ToDouble 0xFFF0000000000001)) @?= "NaN"
  text (floatDec (castWord32ToFloat 0xFF800001)) @?= "NaN"
  text (doubleDec (1 / 0) <> doubleDec (-1 / 0)) @?= "Infinity-Infinity"
  text (floatDec (1 / 0) <> floatDec (-1 / 0)) @?= "Infinity-Infinity"
  sequence_
    [ (map (text . formatDouble format) specials, map (text . formatFloat format) specialsF)
        @?= (expected zero, expected zero)
      | (format, zero) <-
          [ (generic, "0.0"),
            (scientific, "0.0e0"),
            (standardDefaultPrecision, "0.0"),
            (standard 0, "0.0"),
            (standard 3, "0.0")
          ]
    ]
  where
    specials = [0, -0.0, 1 / 0, -1 / 0, 0 / 0]
    specialsF = [0, -0.0, 1 / 0, -1 / 0, 0 / 0]
    expected zero = [zero, '-' : zero, "Infinity", "-Infinity", "NaN"]

-- In the notations generic, scientific, and standard with 0, 1 and 2 places.
asBytestring :: (Double, [String]) -> Assertion
asBytestring (x, expected) = do
  map format formats @?= expected
  map (\f -> text (formatDouble f (negate x))) formats @?= map ('-' :) expected
  where
    format f = text (formatDouble f x)
    formats = [generic, scientific, standard 0, standard 1, standard 2]

-- Printed by bytestring 0.12.2.
golden :: [(Double, [String])]
golden =
  [ (0.5, ["0.5", "5.0e-1", "0", "0.5", "0.50"]),
    (1.5, ["1.5", "1.5e0", "2", "1.5", "1.50"]),
    (2.5, ["2.5", "2.5e0", "2", "2.5", "2.50"]),
    (0.25, ["0.25", "2.5e-1", "0", "0.2", "0.25"]),
    (0.35, ["0.35", "3.5e-1", "0", "0.4", "0.35"]),
    (0.95, ["0.95", "9.5e-1", "1", "1.0", "0.95"]),
    (9.5, ["9.5", "9.5e0", "10", "9.5", "9.50"]),
    (9.95, ["9.95", "9.95e0", "10", "10.0", "9.95"]),
    (99.5, ["99.5", "9.95e1", "100", "99.5", "99.50"]),
    (99.95, ["99.95", "9.995e1", "100", "100.0", "99.95"]),
    (0.05, ["5.0e-2", "5.0e-2", "0", "0.0", "0.05"]),
    (0.005, ["5.0e-3", "5.0e-3", "0", "0.0", "0.00"]),
    (0.095, ["9.5e-2", "9.5e-2", "0", "0.1", "0.10"]),
    (0.995, ["0.995", "9.95e-1", "1", "1.0", "1.00"]),
    (0.996, ["0.996", "9.96e-1", "1", "1.0", "1.00"]),
    (1.005, ["1.005", "1.005e0", "1", "1.0", "1.00"]),
    (1.015, ["1.015", "1.015e0", "1", "1.0", "1.02"]),
    (1.025, ["1.025", "1.025e0", "1", "1.0", "1.02"]),
    (1234567.125, ["1234567.125", "1.234567125e6", "1234567", "1234567.1", "1234567.12"]),
    (9999999.5, ["9999999.5", "9.9999995e6", "10000000", "9999999.5", "9999999.50"]),
    (1.0e7, ["1.0e7", "1.0e7", "10000000", "10000000.0", "10000000.00"]),
    (0.1, ["0.1", "1.0e-1", "0", "0.1", "0.10"]),
    (9.99999e-2, ["9.99999e-2", "9.99999e-2", "0", "0.1", "0.10"]),
    (1.2345e-2, ["1.2345e-2", "1.2345e-2", "0", "0.0", "0.01"]),
    ( 1.0e23,
      [ "9.999999999999999e22",
        "9.999999999999999e22",
        "99999999999999990000000",
        "99999999999999990000000.0",
        "99999999999999990000000.00"
      ]
    ),
    ( 9.007199254740993e15,
      [ "9.007199254740992e15",
        "9.007199254740992e15",
        "9007199254740992",
        "9007199254740992.0",
        "9007199254740992.00"
      ]
    ),
    ( 1.7976931348623157e22,
      [ "1.7976931348623158e22",
        "1.7976931348623158e22",
        "17976931348623158000000",
        "17976931348623158000000.0",
        "17976931348623158000000.00"
      ]
    ),
    (5.0e-324, ["5.0e-324", "5.0e-324", "0", "0.0", "0.00"]),
    ( 2.2250738585072014e-308,
      ["2.2250738585072014e-308", "2.2250738585072014e-308", "0", "0.0", "0.00"]
    ),
    ( 2.2250738585072011e-308,
      ["2.225073858507201e-308", "2.225073858507201e-308", "0", "0.0", "0.00"]
    ),
    (4.35, ["4.35", "4.35e0", "4", "4.4", "4.35"]),
    (3.0e-44, ["3.0e-44", "3.0e-44", "0", "0.0", "0.00"]),
    (123456.789, ["123456.789", "1.23456789e5", "123457", "123456.8", "123456.79"]),
    ( 1.8446744073709552e19,
      [ "1.8446744073709552e19",
        "1.8446744073709552e19",
        "18446744073709552000",
        "18446744073709552000.0",
        "18446744073709552000.00"
      ]
    ),
    ( 4.5036e15,
      ["4.5036e15", "4.5036e15", "4503600000000000", "4503600000000000.0", "4503600000000000.00"]
    ),
    (9.5367431640625e-7, ["9.5367431640625e-7", "9.5367431640625e-7", "0", "0.0", "0.00"]),
    ( 2.98023223876953125e-8,
      ["2.9802322387695313e-8", "2.9802322387695313e-8", "0", "0.0", "0.00"]
    ),
    (9.2e-17, ["9.2e-17", "9.2e-17", "0", "0.0", "0.00"])
  ]
