{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.CompatFormats
-- Description : Formats of other libraries for Codec, against the libraries
module Tests.CompatFormats (tests) where

import Ashlar.Codec
import Ashlar.Codec.Laws (Samples (..), codecLaws, formatAgrees)
import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import Ashlar.Compat.Formats
import qualified Ashlar.Compat.Store as St
import qualified Data.Binary as TheirB
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16)
import Data.List (isSuffixOf)
import Data.Proxy (Proxy (..))
import qualified Data.Serialize as TheirC
import Data.Word (Word32)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "the formats of other libraries for Codec"
    [ testProperty "binary" $ \(x :: Shape) ->
        moves x (L.toStrict (TheirB.encode x)) (BinaryFormat x) fromBinaryFormat,
      testProperty "cereal" $ \(x :: Shape) ->
        moves x (TheirC.encode x) (CerealFormat x) fromCerealFormat,
      -- The bytes of store itself are in Tests.CompatStore.
      testProperty "store" $ \(x :: Shape) ->
        moves x (St.encode x) (StoreFormat x) fromStoreFormat,
      testGroup
        "deriving via"
        [ testProperty "binary" (\x -> encode x === L.toStrict (TheirB.encode (unBinary x))),
          testProperties "binary" (lenient (codecLaws (Proxy :: Proxy ByBinary))),
          testProperty "cereal" (\x -> encode x === TheirC.encode (unCereal x)),
          testProperties "cereal" (lenient (codecLaws (Proxy :: Proxy ByCereal))),
          testProperty "store" (\x -> encode x === St.encode (unStore x)),
          testProperties "store" (codecLaws (Proxy :: Proxy ByStore))
        ],
      testProperty "the instances are those of the formats" $
        conjoin
          [ formatAgrees (shapes BinaryFormat fromBinaryFormat),
            formatAgrees (shapes CerealFormat fromCerealFormat),
            formatAgrees (shapes StoreFormat fromStoreFormat)
          ]
    ]

-- binary and cereal take each byte but 0 for a Just.
lenient :: [(String, Property)] -> [(String, Property)]
lenient laws = [law | law@(name, _) <- laws, not ("are what they decode to" `isSuffixOf` name)]

shapes :: (Eq f, Show f) => (Shape -> f) -> (f -> Shape) -> Samples f
shapes wrap unwrap = Samples (wrap <$> arbitrary) (map wrap . shrink . unwrap) show (==)

-- Old bytes are read, alone and as part of another value, and are today's afterwards.
moves :: (Codec f, Eq f, Show f) => Shape -> S.ByteString -> f -> (f -> Shape) -> Property
moves x old wrapped unwrap =
  conjoin
    [ encode wrapped === old,
      (encode . unwrap <$> decode old) === Right (encode x),
      encodedSize wrapped === S.length old,
      decodeLazy (L.fromChunks (map S.singleton (S.unpack old))) === Right wrapped,
      decode (encode (True, [wrapped, wrapped])) === Right (True, [wrapped, wrapped])
    ]

data Shape = Dot | Circle Word32 | Line {_from :: Point, _to :: Maybe Point} | Group [Shape]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, B.Binary, C.Serialize, St.Store, TheirB.Binary, TheirC.Serialize)

data Point = Point Int16 Int
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, B.Binary, C.Serialize, St.Store, TheirB.Binary, TheirC.Serialize)

instance Arbitrary Point where
  arbitrary = Point <$> arbitrary <*> arbitrary
  shrink (Point x y) = [Point x' y' | (x', y') <- shrink (x, y)]

instance Arbitrary Shape where
  arbitrary = sized shape
    where
      shape n =
        oneof $
          [pure Dot, Circle <$> arbitrary, Line <$> arbitrary <*> arbitrary]
            ++ [Group <$> (choose (0, 3) >>= \k -> vectorOf k (shape (n `div` 3))) | n > 0]
  shrink s = case s of
    Group ss -> ss ++ map Group (shrink ss)
    _ -> []

newtype ByBinary = ByBinary {unBinary :: Shape}
  deriving stock (Eq, Show)
  deriving newtype (Arbitrary)
  deriving (Codec) via (BinaryFormat Shape)

newtype ByCereal = ByCereal {unCereal :: Shape}
  deriving stock (Eq, Show)
  deriving newtype (Arbitrary)
  deriving (Codec) via (CerealFormat Shape)

newtype ByStore = ByStore {unStore :: Shape}
  deriving stock (Eq, Show)
  deriving newtype (Arbitrary)
  deriving (Codec) via (StoreFormat Shape)
