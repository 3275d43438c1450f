{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}

-- |
-- Module      : Main
-- Description : Each law detects an instance that breaks it
module Main (main) where

import Ashlar.Builder (word8)
import Ashlar.Codec
import Ashlar.Codec.Laws
import Ashlar.Get (bytesRead, getWord8, isEmpty)
import Data.Proxy (Proxy (Proxy))
import Data.Word (Word8)
import qualified Described
import qualified Golden
import qualified Released
import Test.Tasty
import Test.Tasty.QuickCheck

main :: IO ()
main =
  defaultMain $
    testGroup
      "laws"
      [ testProperties
          "an instance that keeps the laws"
          (codecLaws (Proxy :: Proxy (Word8, [Maybe Int]))),
        testGroup
          "instances that break a law"
          [ testProperty
              "roundTrip: another value is decoded"
              (expectFailure (withMaxSuccess 100000 (roundTrip (samples :: Samples Another)))),
            testProperty
              "exactSize: the size is wrong"
              (expectFailure (withMaxSuccess 100000 (exactSize (samples :: Samples Sizeless)))),
            testProperty
              "layoutAgrees: the least size is too large"
              (expectFailure (withMaxSuccess 100000 (layoutAgrees (samples :: Samples Promising)))),
            testProperty
              "consumesAll: the value extends to the end of the input"
              (expectFailure (withMaxSuccess 100000 (consumesAll (samples :: Samples Greedy)))),
            testProperty
              "anyBytesAreSafe: a value has two encodings"
              (expectFailure (withMaxSuccess 100000 (anyBytesAreSafe (samples :: Samples Loose)))),
            testProperty
              "truncationFails: a truncated value is decoded"
              (expectFailure (withMaxSuccess 100000 (truncationFails (samples :: Samples Greedy)))),
            testProperty
              "trailingFails: bytes after the value are part of it"
              (expectFailure (withMaxSuccess 100000 (trailingFails (samples :: Samples Greedy)))),
            testProperty
              "mutationIsSafe: a value has two encodings"
              (expectFailure (withMaxSuccess 100000 (mutationIsSafe (samples :: Samples Loose)))),
            testProperty
              "canonical: a value has two encodings"
              (expectFailure (canonical (samples :: Samples Loose))),
            testProperty
              "acceptedAlike: a value is accepted only at the start of the input"
              (expectFailure (withMaxSuccess 100000 (acceptedAlike (samples :: Samples Leading))))
          ],
        Described.tests,
        Golden.tests,
        Released.tests
      ]

-- Each is one byte, except for its defect.

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

-- Bytes up to the end of the input.
newtype Greedy = Greedy [Word8]
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Greedy

instance HasFormat Greedy where
  format = byHand 0 (\(Greedy ws) -> length ws) (\(Greedy ws) -> foldMap word8 ws) (Greedy <$> go)
    where
      go = isEmpty >>= \end -> if end then pure [] else (:) <$> getWord8 <*> go

-- One byte, which must be the first of the input.
newtype Leading = Leading Word8
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Leading

instance HasFormat Leading where
  format = byHand 1 (const 1) (\(Leading w) -> word8 w) (Leading <$> (bytesRead >>= leading))
    where
      leading n = if n == 0 then getWord8 else fail "not at the start of the input"

-- Every byte except 0 is True.
newtype Loose = Loose Bool
  deriving newtype (Eq, Show, Arbitrary)

instance Codec Loose

instance HasFormat Loose where
  format = byHand 1 (const 1) (\(Loose b) -> put b) (Loose . (/= 0) <$> getWord8)
