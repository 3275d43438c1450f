{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Evolution.OneField
-- Description : One field of old values, against converting the whole value by hand
module Tests.Evolution.OneField (tests) where

import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Packed (Pack, Packed (..))
import Ashlar.Get (runGetWhole)
import Ashlar.Schema hiding (Packed)
import Ashlar.Schema.Evolution
import Ashlar.View (FieldType, decodeView)
import Data.Either (isLeft)
import Data.Maybe (isNothing)
import qualified Data.Text as T
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import GHC.TypeLits (KnownSymbol)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Evolution.Changes (expression, genExpression, genOrder, order)
import qualified Tests.Evolution.V1 as V1
import qualified Tests.Evolution.V2 as V2

tests :: TestTree
tests =
  testGroup
    "one field of old values"
    [ ofOrder @"price" "converted" (\o -> V2.price o),
      ofOrder @"channel" "added" (\o -> V2.channel o),
      ofOrder @"number" "wider" (\o -> V2.number o),
      ofOrder @"items" "of a type that has changed" (\o -> V2.items o),
      ofOrder @"count" "renamed" (\o -> V2.count o),
      ofOrder @"status" "a sum" (\o -> V2.status o),
      ofOrder @"tags" "a map" (\o -> V2.tags o),
      ofOrder @"flags" "the last of the old ones" (\o -> V2.flags o),
      testProperty "of a type that contains its own record" $
        forAll genExpression $ \x ->
          read1 @"value" @V2.Binding (V1.Binding "x" x) === Just (Right (Just (expression x))),
      testProperty "fields beside it need not fit" $
        forAll (genOrder `suchThat` (isNothing . order)) $ \x ->
          read1 @"number" @V2.Order x === Just (Right (Just (fromIntegral (V1.number x))))
            .&&. read1 @"status" @V2.Order x === Just (Left ()),
      testProperty "the field of a value in the same format" $ \(a, b) ->
        read1 @"one" @V2.Simple (V2.Simple a b) === Just (Right (Just a))
          .&&. read1 @"second" @V2.Simple (V2.Simple a b) === Just (Right (Just b)),
      testProperty "of packed values" $ \(a, b, c) ->
        read1 @"second" @After (Packed (Before a b c)) === Just (Right (Just (fromIntegral b)))
          .&&. read1 @"third" @After (Packed (Before a b c)) === Just (Right (Just c)),
      testCase "a field that old values lack, without a default" $
        fmap (const ()) (planField @"more" @Lacking (schema @Before))
          `refusedAs` "Lacking.more: the field is new",
      testCase "a field of a type whose format is not described" $
        fmap (const ()) (planField @"high" @Hidden (schema @Hidden))
          `refusedAs` "Hidden.high: the format high is not described",
      testCase "bytes after the value, and too few bytes" $ do
        let isRefused bytes =
              fmap
                (\g -> isLeft (runGetWhole g bytes))
                (either (const Nothing) Just (planField @"first" @After (schema @Before)))
        isRefused (encode (Before 1 2 [True])) @?= Just False
        isRefused (encode (Before 1 2 [True]) <> "x") @?= Just True
        isRefused "\1\2\1" @?= Just True
    ]
  where
    refusedAs found text = case found of
      Right () -> assertFailure "no mismatch"
      Left m -> T.take (T.length text) (describeMismatch m) @?= text

-- 'Nothing' without a plan. The view shows the same fields as the value.
read1 ::
  forall name b a.
  (KnownSymbol name, Described b, Described a, Codec (FieldType name b)) =>
  a ->
  Maybe (Either () (Maybe (FieldType name b)))
read1 x = case planField @name @b (schema @a) of
  Left _ -> Nothing
  Right g ->
    Just $
      either (const (Left ())) (Right . either (const Nothing) Just . decodeView) $
        runGetWhole g (encode x)

ofOrder ::
  forall name.
  (KnownSymbol name, Codec (FieldType name V2.Order), Show (FieldType name V2.Order)) =>
  String ->
  (V2.Order -> FieldType name V2.Order) ->
  TestTree
ofOrder what get' = testProperty what . forAll genOrder $ \x -> case order x of
  Nothing -> property True
  Just today -> case read1 @name @V2.Order x of
    Just (Right (Just y)) -> counterexample (show y) (encode y == encode (get' today))
    other -> counterexample (show other) False

data Before = Before {first :: Word8, second :: Word8, third :: [Bool]}
  deriving stock (Generic)
  deriving anyclass (Codec, Pack, Described)

data After = After {third :: [Bool], second :: Word16, first :: Word8}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Lacking = Lacking {first :: Word8, more :: Word8}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Hidden = Hidden {low, high :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Hidden where
  describe = opaque "Hidden" 1
