{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Described
-- Description : Schemas that say something else than the bytes are found
module Described (tests) where

import Ashlar.Codec (Codec, HasFormat (..), derivedFormat, satisfying)
import Ashlar.Codec.Combinators (codec, field, record)
import Ashlar.Codec.Laws (Samples, samples)
import Ashlar.Schema
import Ashlar.Schema.Laws
import Data.Proxy (Proxy (..))
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "described types"
    [ testProperties "derived" (describedLaws (Proxy :: Proxy Plain)),
      testProperties "derived, and refined" (describedLaws (Proxy :: Proxy Refined)),
      testProperties "by hand" (describedLaws (Proxy :: Proxy Told)),
      testProperty
        "derivedAgrees: the description is derived, but not the format"
        (expectFailure (derivedAgrees (samples :: Samples Swapped))),
      testProperty
        "schemaReads: the description has other sizes"
        (expectFailure (schemaReads (samples :: Samples Longer)))
    ]

data Plain = Plain Word8 [Plain]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance Arbitrary Plain where
  arbitrary = sized $ \n -> Plain <$> arbitrary <*> resize (n `div` 3) (scale (min 4) arbitrary)

newtype Refined = Refined Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Refined where
  format = satisfying "an odd number" (\(Refined w) -> even w) derivedFormat

instance Arbitrary Refined where
  arbitrary = Refined . (* 2) <$> arbitrary

data Swapped = Swapped {swappedX :: Word8, swappedY :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Swapped where
  format =
    record "Swapped" $
      flip Swapped <$> field "swappedY" swappedY codec <*> field "swappedX" swappedX codec

instance Arbitrary Swapped where
  arbitrary = Swapped <$> arbitrary <*> arbitrary

data Told = Told {toldX :: Word8, toldY :: Word8}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance HasFormat Told where
  format = record "Told" $ flip Told <$> field "toldY" toldY codec <*> field "toldX" toldX codec

instance Described Told where
  describe = recordOf "Told" [part @Word8 "toldY", part @Word8 "toldX"]

instance Arbitrary Told where
  arbitrary = Told <$> arbitrary <*> arbitrary

newtype Longer = Longer Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Longer where
  describe = as @Word16

instance Arbitrary Longer where
  arbitrary = Longer <$> arbitrary
