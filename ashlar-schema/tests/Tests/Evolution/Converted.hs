{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.Converted
-- Description : Values that a conversion refuses
module Tests.Evolution.Converted (tests) where

import Ashlar.Codec
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Evolution
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16, Int32, Int64)
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "evolution: conversions"
    [ testProperty "one that never refuses is converted" neverRefuses,
      testProperty "a value that is refused, and its offset" refusing,
      testCase "a value that is refused, among many" amongMany,
      testCase "a value of another type that is translated first" translatedFirst
    ]

data Old = Old {item :: Text, ages :: [Int32], rest :: Int16}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Converted = Converted {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Converted where
  evolution = [converted @"ages" (sum . map (fromIntegral @Int32))]

data Either' = Either' {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Either' where
  evolution = [convertedEither @"ages" (Right . sum . map (fromIntegral @Int32))]

data Youngest = Youngest {rest :: Int32, ages :: Int64, item :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Youngest where
  evolution = [convertedEither @"ages" youngest]

youngest :: [Int32] -> Either String Int64
youngest xs = if null xs then Left "nobody" else Right (fromIntegral (minimum xs))

made :: Either Mismatch a -> a
made = either (error . show) id

neverRefuses :: String -> [Int32] -> Int16 -> Property
neverRefuses name xs k =
  fmap (\(Either' a b c) -> Converted a b c) (runGetWhole (made (plan (schema @Old))) bytes)
    === runGetWhole (made (plan (schema @Old))) bytes
  where
    bytes = encode (Old (T.pack name) xs k)

-- However the input comes.
refusing :: String -> [Int32] -> Int16 -> Property
refusing name xs k = forAll (choose (1, 9)) $ \width ->
  map brief [runGetWhole g bytes, runGetLazyWhole g (L.fromChunks (cut width bytes))]
    === replicate 2 model
  where
    g = made (plan @Youngest (schema @Old))
    t = T.pack name
    bytes = encode (Old t xs k)
    model = case youngest xs of
      Left why -> Left (fromIntegral (encodedSize t), Invalid why)
      Right age -> Right (Youngest (fromIntegral k) age t)
    brief = either (\e -> Left (errorOffset e, errorReason e)) Right
    cut w bs = if B.null bs then [] else let (a, b) = B.splitAt w bs in a : cut w b

-- The offset is that of the ages of the second.
amongMany :: Assertion
amongMany = do
  brief (runGetWhole g (encode [Old "a" [3, 2] 1, Old "b" [] 2])) @?= Left (44, Invalid "nobody")
  brief (runGetWhole g (encode [Old "a" [3, 2] 1])) @?= Right [Youngest 1 2 "a"]
  where
    g = made (plan @[Youngest] (schema @[Old]))
    brief = either (\e -> Left (errorOffset e, errorReason e)) Right

data Short = Short {item :: Text, ages :: [Int16], rest :: Int16}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- The old type of the conversion has wider numbers than the data.
translatedFirst :: Assertion
translatedFirst = do
  brief (Short "ab" [5, 4] 3) @?= Right (Youngest 3 4 "ab")
  brief (Short "ab" [] 3) @?= Left (10, Invalid "nobody")
  where
    brief =
      either (\e -> Left (errorOffset e, errorReason e)) Right
        . runGetWhole (made (plan @Youngest (schema @Short)))
        . encode
