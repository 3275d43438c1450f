{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Packed
-- Description : The packed format: bits among bytes
--
-- The laws and golden bytes of all instances are in "Tests.Instances".
module Tests.Packed (tests) where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Codec.Laws (Samples (..), codecLawsFor)
import Ashlar.Codec.Packed
import Ashlar.Codec.Wrappers (Varint (..))
import Control.Applicative (empty, (<|>))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import qualified Data.Vector as V
import Data.Word (Word8)
import Test.QuickCheck hiding (label)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperty)
import Tests.Everywhere (throughSinks)
import Tests.Packed.Types
import Tests.Splits (onEverySplit)

tests :: TestTree
tests =
  testGroup
    "packed values"
    [ testProperty "packed values through buffers of any size" $
        forAll (scale (`div` 2) everything) $ \x ->
          let bytes = modelBytes (items x)
           in encode x === bytes .&&. throughSinks bytes (put x),
      testProperty "between other builders" $
        forAll (scale (`div` 2) everything) $ \x ->
          let bytes = "ab" <> modelBytes (items x) <> "c" <> modelBytes (items x)
           in throughSinks bytes (byteString "ab" <> put x <> word8 99 <> put x),
      testProperty "an open byte before a string that is inserted" . withMaxSuccess 20 $
        forAll (choose (8000, 70000)) $ \n ->
          let bs = S.replicate n 7
              x = Packed (True, bs, False, bs, True)
              string = [Whole (encode (Varint (S.length bs))), Whole bs]
              bit b = [Symbol 2 b]
              expected = modelBytes (bit 1 ++ string ++ bit 0 ++ string ++ bit 1)
           in encodeLazy x === L.fromStrict expected
                .&&. toStrictByteString (put x) === expected
                .&&. decode expected === Right x,
      testProperty "read from input that is cut anywhere" . withMaxSuccess 30 $
        forAll (scale (`div` 4) everything) $ \x ->
          let bytes = encode x in S.length bytes < 80 ==> onEverySplit get bytes (Right x),
      testProperty "symbols of any number" symbols,
      testGroup "Everything" (laws everything),
      testGroup "Directions" (laws (Packed <$> directions)),
      testGroup "Many" (laws (Packed <$> (elements [minBound .. maxBound] :: Gen Many))),
      testCase "bits that are left are zero" $ do
        decode @(Packed Bool) "\128" @?= Right (Packed True)
        mapM_
          (\b -> refused 1 (decode @(Packed Bool) (S.singleton b)))
          ([1 .. 127] ++ [129 .. 255])
        refused 2 (decode @(Packed [Bool]) "\1\129"),
      testCase "nothing takes no bytes, and counts as a step" $ do
        encode (Packed ()) @?= ""
        encode (Packed (replicate 1000000 ())) @?= "\192\132\61"
        decode @(Packed [()]) "\192\132\61" @?= Right (Packed (replicate 1000000 ()))
        overBudget (decode @(Packed [()]) "\128\128\128\128\16")
        overBudget (decode @(Packed (V.Vector ())) "\128\128\128\128\16")
        overBudget (decode @[Packed ()] "\0\0\0\0\1\0\0\0"),
      testCase "a length that lies" $ do
        assertBool "list" (isLeft (decode @(Packed [Bool]) "\255\255\255\255\15\255"))
        assertBool "vector" (isLeft (decode @(Packed (V.Vector Bool)) "\255\255\255\255\15\255"))
        -- More than a step for each: eight are in a byte.
        let many = "\128\128\128\1" <> S.replicate 262144 0
        fmap (length . getPacked) (decode @(Packed [Bool]) many)
          @?= Right 2097152,
      testCase "types without finite values end" $ do
        assertBool "record" (isLeft (decode @(Packed Endless) (S.replicate 100 0)))
        assertBool "newtype" (isLeft (decode @(Packed Ends) (S.replicate 100 0)))
        assertBool "in a list" (isLeft (decode @[Packed Ends] (S.replicate 100 1))),
      testCase "deep nesting is over the budget" $
        overBudget (decode @(Packed Directions) (S.replicate 100000 0)),
      testCase "a packed value in a failed alternative leaves the bits outside alone" $ do
        let x = Packed (True, Unpacked (Alternating True), False, True)
        encode x @?= "\160\128"
        decode (encode x) @?= Right x,
      testCase "how many bytes large values take" $ do
        -- 4,096 leaves of five directions, and 4,095 forks: 18,023 bits.
        let tree :: Int -> Directions
            tree n = if n == 0 then Tip (toEnum (n `mod` 5)) else Fork (tree (n - 1)) (tree (n - 1))
        S.length (encode (Packed (tree 12))) @?= (4096 * 3 + 4095 + 7) `div` 8
        S.length (encode (Packed (replicate 10000 West))) @?= 2 + 10000 * 3 `div` 8
        S.length (encode (Packed (replicate 10000 North))) @?= 2 + 10000 * 2 `div` 8
    ]

-- Read by an alternative that fails after it has read bits.
newtype Alternating = Alternating Bool
  deriving stock (Eq, Show)

instance Codec Alternating

instance HasFormat Alternating where
  format =
    fromPutGet
      1
      (\(Alternating b) -> put (Packed b))
      ((get @(Packed (Bool, Bool, Bool)) *> empty) <|> (Alternating . getPacked <$> get))

laws :: (Codec a, Eq a, Show a) => Gen a -> [TestTree]
laws gen = map (uncurry testProperty) (codecLawsFor (Samples gen (const []) show (==)))

refused :: Show a => Int -> Either DecodeError a -> Assertion
refused at = either (\e -> errorOffset e @?= fromIntegral at) (assertFailure . show)

overBudget :: Show a => Either DecodeError a -> Assertion
overBudget r = case r of
  Left e | OverBudget _ <- errorReason e -> pure ()
  other -> assertFailure (take 200 (show other))

-- Lists of a type with 2 to 19 constructors have the bits of the model.
symbols :: Property
symbols = forAll (listOf (elements [minBound .. maxBound])) $ \(xs :: [Many]) ->
  length xs < 128
    ==> encode (Packed xs)
    === modelBytes (Whole (S.singleton (fromIntegral (length xs) :: Word8)) : map symbol xs)
  where
    symbol x = Symbol 19 (fromEnum x)
