{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Packed
-- Description : Types that become packed, or plain, and change meanwhile
module Tests.Evolution.Packed (tests) where

import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Packed (Pack, Packed (..), Unpacked (..))
import Ashlar.Get (runGetWhole)
import Ashlar.Schema hiding (Packed, Unpacked)
import Ashlar.Schema.Evolution
import qualified Data.Map as M
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "packed types"
    [ becomes "plain to packed" genOld Packed,
      becomes "packed to plain" (Packed <$> genOld) getPacked,
      becomes "packed, with a change" (Packed <$> genOld) (Packed . newer . getPacked),
      becomes "plain to packed, with a change" genOld (Packed . newer),
      becomes "packed to plain, with a change" (Packed <$> genOld) (newer . getPacked),
      becomes "another part is not packed" pairs $
        \(Packed (a, Unpacked b)) -> Packed (Unpacked a, b),
      becomes "packed keys get wider" keyed $ \m ->
        M.mapKeys (\(Packed (a, b)) -> Packed (fromIntegral a :: Word16, b)) m,
      becomes "a packed type that contains itself" chain longer,
      becomes "a default that is packed itself" (Packed <$> (Before <$> arbitrary <*> arbitrary)) $
        \(Packed (Before k l)) -> Packed (After k l (Packed (Just True)))
    ]
  where
    pairs :: Gen (Packed (Word16, Unpacked Word16))
    pairs = (\a b -> Packed (a, Unpacked b)) <$> arbitrary <*> arbitrary
    keyed = M.mapKeys Packed . M.fromList <$> arbitrary :: Gen (M.Map (Packed (Word8, Bool)) Word8)

-- Old values, written by their own instance, are read as today's.
becomes ::
  forall a b.
  (Described a, Described b, Show a, Eq b, Show b) =>
  String ->
  Gen a ->
  (a -> b) ->
  TestTree
becomes name gen f = testGroup name $ case plan @b (schema @a) of
  Left m -> [testCase "plan" (assertFailure (T.unpack (describeMismatch m)))]
  Right g -> [testProperty "values" (forAll gen (\x -> runGetWhole g (encode x) === Right (f x)))]

data Old = Old {flag :: Bool, count :: Word8, note :: Maybe Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Pack, Described)

data New = New {count :: Word16, flag :: Bool, note :: Maybe Text, more :: [Bool]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Pack)

instance Described New where
  evolution = [added @"more" [True]]

genOld :: Gen Old
genOld = Old <$> arbitrary <*> arbitrary <*> oneof [pure Nothing, Just . T.pack <$> letters]
  where
    letters = listOf (choose ('a', 'z'))

newer :: Old -> New
newer (Old a b c) = New (fromIntegral b) a c [True]

-- They contain themselves, packed.
data Short = Short {n :: Word8, next :: Maybe Short}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)
  deriving (Codec) via (Packed Short)

instance Described Short where
  describe = packed derivedDescription

data Long = Long {n :: Word16, next :: Maybe Long}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Pack)
  deriving (Codec) via (Packed Long)

instance Described Long where
  describe = packed derivedDescription

chain :: Gen Short
chain = foldr (\k rest -> Short k (Just rest)) (Short 0 Nothing) <$> listOf arbitrary

longer :: Short -> Long
longer (Short k rest) = Long (fromIntegral k) (longer <$> rest)

data Before = Before {number :: Word8, last' :: Bool}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Pack, Described)

data After = After {number :: Word8, last' :: Bool, extra :: Packed (Maybe Bool)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Pack)

instance Described After where
  evolution = [added @"extra" (Packed (Just True))]
