{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Tests.Arithmetic
-- Description : Tables and divisions, against exact integers
module Tests.Arithmetic (tests) where

import Ashlar.Internal.Prim.Core (timesHalves, timesHigh, timesWide)
import Ashlar.Internal.Prim.Decimal
  ( asCharacters,
    digits2,
    digits4,
    digits8,
    quotRem100,
    quotRem1e16,
    quotRem1e4,
    quotRem1e8,
  )
import Ashlar.Internal.Prim.Hex (hexPair, hexPairs2, hexPairs4)
import Ashlar.Internal.Prim.Tables
import Data.Bits (shiftL, shiftR, (.&.))
import Data.Word (Word64)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding ((.&.))
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "arithmetic"
    [ testCase "the table of powers" $
        do
          [(powerHigh e, powerLow e) | e <- exponents] @?= map power exponents
          -- "Ashlar.Internal.Prim.NearestBinary" subtracts 1 from the lower half.
          filter ((== 0) . powerLow) exponents @?= [],
      testProperty "products of 128 bits, against Integer" $
        forAll words64 $ \x -> forAll words64 $ \y ->
          let expected = toInteger x * toInteger y
           in wide (timesWide x y) === expected
                .&&. wide (timesHalves x y) === expected
                .&&. toInteger (timesHigh x y) === expected `shiftR` 64,
      testProperty "numbers around the multiples of powers of ten" $
        divides 10000 100 quotRem100
          .&&. divides 100000000 10000 quotRem1e4
          .&&. divides (2 ^ (64 :: Int)) 100000000 quotRem1e8
          .&&. divides (2 ^ (64 :: Int)) 10000000000000000 quotRem1e16,
      testProperty "all digits of 2 and 4" $
        once
          ( conjoin
              ( [digits 2 x (digits2 x) | x <- [0 .. 99]]
                  ++ [digits 4 x (digits4 x) | x <- [0 .. 9999]]
              )
          ),
      testProperty "any 8 digits" $ forAll below1e8 $ \x -> digits 8 x (digits8 x),
      testProperty "all pairs of hexadecimal digits" $
        once (conjoin [hexPair x === characters (printf "%02x" x) | x <- [0 .. 255]]),
      testProperty "4 and 8 hexadecimal digits" $
        forAll words64 $ \x ->
          hexPairs2 (x .&. 0xFFFF) === characters (printf "%04x" (x .&. 0xFFFF))
            .&&. hexPairs4 (x .&. 0xFFFFFFFF) === characters (printf "%08x" (x .&. 0xFFFFFFFF))
    ]

exponents :: [Int]
exponents = [leastPower .. greatestPower]

-- The formula at the top of the module with the table.
power :: Int -> (Word64, Word64)
power e = (fromInteger (g `shiftR` 64), fromInteger g)
  where
    g = (numerator `shiftL` max 0 (negate r)) `div` (denominator `shiftL` max 0 r) + 1
    r = floorLog2 - 127
    numerator = 10 ^ max 0 e :: Integer
    denominator = 10 ^ max 0 (negate e) :: Integer
    -- The n with 2^n <= 10^e < 2^(n+1), searched from far below.
    floorLog2 = until (\n -> not (atLeast (n + 1))) (+ 1) (-1200) :: Int
    atLeast n = numerator `shiftL` max 0 (negate n) >= denominator `shiftL` max 0 n

wide :: (# Word64, Word64 #) -> Integer
wide (# hi, lo #) = toInteger hi `shiftL` 64 + toInteger lo

words64 :: Gen Word64
words64 =
  oneof
    [ arbitraryBoundedIntegral,
      elements [0, 1, 2 ^ (32 :: Int) - 1, 2 ^ (32 :: Int), maxBound - 1, maxBound],
      (2 ^) <$> choose (0, 63 :: Int)
    ]

-- Quotient and remainder of numbers below a limit, divided by d.
divides :: Integer -> Integer -> (Word64 -> (Word64, Word64)) -> Property
divides limit d f =
  forAll (choose (0, limit `div` d)) $ \m ->
    conjoin
      [ f (fromInteger x) === (fromInteger (x `div` d), fromInteger (x `mod` d))
        | x <- [limit - 1, m * d - 1, m * d, m * d + 1, m * d + d - 1],
          x >= 0,
          x < limit
      ]

below1e8 :: Gen Word64
below1e8 =
  oneof
    [ choose (0, 99999999),
      (\m d -> min 99999999 (10000 * m + d)) <$> choose (0, 9999) <*> elements [0, 1, 9999]
    ]

-- n digits in n bytes, the first in the least significant byte.
digits :: Int -> Word64 -> Word64 -> Property
digits n x made =
  asCharacters made .&. (if n == 8 then maxBound else 2 ^ (8 * n) - 1)
    === characters (printf "%0*d" n x)

characters :: String -> Word64
characters = foldr (\c w -> w * 256 + fromIntegral (fromEnum c)) 0
