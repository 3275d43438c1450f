{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Main
-- Description : Instances that break a law are found out by that law
module Main (main) where

import Ashlar.Builder (word8)
import Ashlar.Codec
import Ashlar.Codec.Laws
import Ashlar.Get (getWord8, isEmpty)
import Data.Proxy (Proxy (Proxy))
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.QuickCheck

main :: IO ()
main =
  defaultMain $
    testGroup
      "laws"
      [ testProperties
          "an instance that keeps them"
          (codecLaws (Proxy :: Proxy (Word8, [Maybe Int]))),
        testGroup
          "instances that break one"
          [ testProperty
              "another value"
              (expectFailure (withMaxSuccess 100000 (roundTrip (samples :: Samples Another)))),
            testProperty
              "another size"
              (expectFailure (withMaxSuccess 100000 (exactSize (samples :: Samples Sizeless)))),
            testProperty
              "a layout that promises too much"
              (expectFailure (withMaxSuccess 100000 (layoutAgrees (samples :: Samples Promising)))),
            testProperty
              "what ends with the input"
              (expectFailure (withMaxSuccess 100000 (consumesAll (samples :: Samples Greedy)))),
            testProperty
              "two encodings of one value"
              (expectFailure (withMaxSuccess 100000 (anyBytesAreSafe (samples :: Samples Loose)))),
            testProperty
              "truncated and still read"
              (expectFailure (withMaxSuccess 100000 (truncationFails (samples :: Samples Greedy))))
          ]
      ]

-- Written and read as one byte, but for what is wrong with each.

newtype Another = Another Word8
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Another

instance HasFormat Another where
  format = byHand 1 (const 1) (\(Another w) -> word8 w) (Another . max 1 <$> getWord8)

newtype Sizeless = Sizeless Word8
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Sizeless

instance HasFormat Sizeless where
  format =
    byHand
      1
      (\(Sizeless w) -> if w < 8 then 1 else 2)
      (\(Sizeless w) -> word8 w)
      (Sizeless <$> getWord8)

newtype Promising = Promising Word8
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Promising

instance HasFormat Promising where
  format = byHand 2 (const 1) (\(Promising w) -> word8 w) (Promising <$> getWord8)

-- A number of bytes that ends where the input does.
newtype Greedy = Greedy [Word8]
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Greedy

instance HasFormat Greedy where
  format = byHand 0 (\(Greedy ws) -> length ws) (\(Greedy ws) -> foldMap word8 ws) (Greedy <$> go)
    where
      go = isEmpty >>= \end -> if end then pure [] else (:) <$> getWord8 <*> go

-- Any byte but 0 is True.
newtype Loose = Loose Bool
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Loose

instance HasFormat Loose where
  format = byHand 1 (const 1) (\(Loose b) -> put b) (Loose . (/= 0) <$> getWord8)
