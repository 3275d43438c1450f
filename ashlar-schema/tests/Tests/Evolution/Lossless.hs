{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-partial-fields #-}

-- |
-- Module      : Tests.Evolution.Lossless
-- Description : Changes of a type that need no words, and constructors that a type does not have
module Tests.Evolution.Lossless (tests) where

import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Wrappers
  ( BigEndian (..),
    Compact (..),
    ScalarValue (..),
    UTF16 (..),
    Varint (..),
  )
import Ashlar.Get
import Ashlar.Schema hiding (BigEndian, Varint)
import Ashlar.Schema.Evolution
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Map as M
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "changes that need no entry in evolution"
    [ testGroup "what is lossless is read as it is" lossless,
      testGroup "what could lose something is refused" lossy,
      testGroup "constructors that the type does not have" unknown
    ]

lossless :: [TestTree]
lossless =
  [ becomes "Int8 to Double" (arbitrary @Int8) (fromIntegral :: Int8 -> Double),
    becomes "Int16 to Double" arbitrary (fromIntegral :: Int16 -> Double),
    becomes "Int32 to Double" arbitrary (fromIntegral :: Int32 -> Double),
    becomes "Word32 to Double" arbitrary (fromIntegral :: Word32 -> Double),
    becomes "Word8 to Float" arbitrary (fromIntegral :: Word8 -> Float),
    becomes "Int16 to Float" arbitrary (fromIntegral :: Int16 -> Float),
    becomes "Word16 to Float" arbitrary (fromIntegral :: Word16 -> Float),
    becomes "a varint to Double" (Varint <$> arbitrary) $
      \n -> fromIntegral (getVarintNumber n :: Word32) :: Double,
    becomes "Int32 to a Double in another byte order" arbitrary $
      \n -> BigEndian (fromIntegral (n :: Int32) :: Double),
    becomes "Int32 to Double in keys" arbitrary $
      \m -> M.mapKeysMonotonic fromIntegral (m :: M.Map Int32 Bool) :: M.Map Double Bool,
    becomes "a whole number of 53 bits to Double" genExact (\(Exact n) -> fromIntegral n :: Double),
    becomes "Text to String" genText T.unpack,
    becomes "Text to a compact String" genText (Compact . T.unpack),
    becomes "Text to characters that are no surrogates" genText (map ScalarValue . T.unpack),
    becomes "Text to UTF-16" genText UTF16,
    becomes "UTF-16 to Text" (UTF16 <$> genText) getUTF16,
    becomes "UTF-16 to compact Text" (UTF16 <$> genText) (Compact . getUTF16),
    becomes "UTF-16 to String" (UTF16 <$> genText) (T.unpack . getUTF16),
    becomes "texts to strings, in a list of Maybe" (listOf genText) (map (Just . T.unpack)),
    becomes "a set to a list" arbitrary $
      \s -> map fromIntegral (S.toList (s :: S.Set Int16)) :: [Int64],
    becomes "a map to a list of pairs" (M.fromList <$> listOf ((,) <$> arbitrary <*> genText)) $
      \m -> [(fromIntegral (k :: Int16), t) | (k, t) <- M.toList m] :: [(Int64, Text)],
    becomes "a map to a list of maps" arbitrary $ \m -> [m :: M.Map Int16 Bool],
    becomes "a Maybe to a list" arbitrary $
      \m -> maybe [] (\n -> [fromIntegral (n :: Int16)]) m :: [Int32],
    becomes "a Maybe to a list of Maybe" arbitrary $
      \m -> [fromIntegral <$> (m :: Maybe Int16)] :: [Maybe Int32],
    becomes "a Maybe to a compact list" arbitrary $
      \m -> Compact (maybe [] pure (m :: Maybe Int16)),
    testCase "a tag of a Maybe that becomes a list is checked" $
      -- (They are the bytes of a list of two.)
      fmap
        (\g -> isLeft (runGetWhole g "\2\1\0\1\0"))
        (plan @(Compact [Int16]) (schema @(Maybe Int16)))
        @?= Right True
  ]
  where
    genText = T.pack <$> listOf (arbitrary `suchThat` (\c -> c < '\xD800' || c > '\xDFFF'))
    genExact = Exact <$> oneof [arbitrary `suchThat` isExact, elements [most, negate most]]
    isExact n = abs n <= most
    most = 2 ^ (53 :: Int)

-- The value, whole and in chunks, and nothing of it if it is cut off.
becomes ::
  forall a b.
  (Show a, Described a, Described b, Eq b, Show b) =>
  String ->
  Gen a ->
  (a -> b) ->
  TestTree
becomes name gen f = testProperty name . forAll gen $ \x -> forAll (choose (1, 7)) $ \n ->
  let bytes = encode x
      chunks = L.fromChunks (pieces n bytes)
   in case plan @b (schema @a) of
        Left m -> counterexample (show m) False
        Right g ->
          runGetWhole g bytes === Right (f x)
            .&&. runGetLazyWhole g chunks === Right (f x)
            .&&. conjoin
              [ counterexample (show i) (isLeft (runGetWhole g (B.take i bytes)))
                | i <- [0 .. B.length bytes - 1]
              ]
  where
    pieces n bs
      | B.null bs = []
      | otherwise = case B.splitAt n bs of (a, b) -> a : pieces n b

lossy :: [TestTree]
lossy =
  [ refuses @Int64 @Double "Int64 to Double" "Int64 cannot become Double",
    refuses @Word64 @Double "Word64 to Double" "Word64 cannot become Double",
    refuses @Integer @Double "Integer to Double" "Integer cannot become Double",
    refuses @Int32 @Float "Int32 to Float" "Int32 cannot become Float",
    refuses @High @Double
      "a whole number of 54 bits to Double"
      "Int64 from 0 to 9007199254740993 cannot become Double",
    refuses @Low @Double
      "a negative number of 54 bits to Double"
      "Int64 from -9007199254740993 to 0 cannot become Double",
    refuses @Double @Int64 "Double to a whole number" "Double cannot become Int64",
    refuses @String @Text "String, which may have surrogates, to Text" "[Char] cannot become Text",
    refuses @Text @B.ByteString "Text to bytes" "Text cannot become ByteString",
    refuses @Text @Char "Text to a character" "Text cannot become Char",
    refuses @Text @[Int32] "Text to a list of others" "Text cannot become [Int32]",
    refuses @Int64 @(Maybe Text) "Int64 to a Maybe of others" "Int64 cannot become Maybe Text",
    refuses @[Text] @(S.Set Text) "a list to a set" "[Text] cannot become Set Text",
    refuses @(M.Map Int64 Text) @[Text]
      "a map to a list of others"
      "Map Int64 Text cannot become [Text]",
    refuses @[(Int64, Text)] @(M.Map Int64 Text)
      "a list of pairs to a map"
      "[(Int64, Text)] cannot become Map Int64 Text"
  ]

refuses :: forall a b. (Described a, Described b) => String -> Text -> TestTree
refuses name message =
  testCase name $
    either summarizeMismatch (const "a plan") (() <$ plan @b (schema @a))
      @?= T.append "value: " message

newtype Exact = Exact Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Exact where
  describe = whole @Int64 (negate (2 ^ (53 :: Int))) (2 ^ (53 :: Int))

newtype High = High Int64
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described High where
  describe = whole @Int64 0 (2 ^ (53 :: Int) + 1)

newtype Low = Low Int64
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Low where
  describe = whole @Int64 (negate (2 ^ (53 :: Int)) - 1) 0

-- A newer program's type, and what older ones have of it.
data Newer
  = Created {by :: Text}
  | Shipped {by :: Text, to :: Int32}
  | Lost {by :: Text, since :: [Word8]}
  | Paid
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described)

data Known = Created' {by :: Text} | Unknown
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec)

instance Described Known where
  evolution = [renamedConstructor @"Created" @"Created'", unknownConstructors @"Unknown"]

data Kept = Created'' {by :: Text} | Other {by :: Text, note :: Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Described Kept where
  evolution =
    [ renamedConstructor @"Created" @"Created''",
      droppedConstructor @"Lost",
      unknownConstructors @"Other",
      added @"by" "nobody",
      added @"note" "?"
    ]

unknown :: [TestTree]
unknown =
  [ testCase "become the one that the type has for them" $
      fmap (\g -> map (runGetWhole g . encode) newer) (plan (schema @Newer))
        @?= Right (map Right [Created' "a", Unknown, Unknown, Unknown]),
    testCase "become the one that the type has for them, also with planSkipping" $
      fmap (\g -> map (runGetWhole g . encode) newer) (planSkipping (schema @Newer))
        @?= Right (map Right [Created' "a", Unknown, Unknown, Unknown]),
    testCase "keep the fields that both have, unless they are said to be gone" $
      fmap (\g -> map (valueOf . runGetWhole g . encode) newer) (plan (schema @Newer))
        @?= Right
          [Just (Created'' "a"), Just (Other "b" "?"), Nothing, Just (Other "nobody" "?")],
    testCase "are skipped to their end" $
      fmap (\g -> runGetWhole g (encode [newer, newer])) (plan (schema @[[Newer]]))
        @?= Right (Right (replicate 2 [Created' "a", Unknown, Unknown, Unknown])),
    testCase "do not join keys" $ do
      either summarizeMismatch (const "a plan") (() <$ plan @(S.Set Known) (schema @(S.Set Newer)))
        @?= "value[]: the data may have a constructor Shipped that the type does not have"
      fmap
        (\g -> map (either summarizeError show . runGetWhole g . encode . S.singleton) newer)
        (planSkipping @(S.Set Known) (schema @(S.Set Newer)))
        @?= Right
          [ "fromList [Created' {by = \"a\"}]",
            "at byte 8: constructor Shipped, which the type does not have",
            "at byte 8: constructor Lost, which the type does not have",
            "at byte 8: constructor Paid, which the type does not have"
          ]
  ]
  where
    valueOf = either (const Nothing) Just
    newer = [Created "a", Shipped "b" 7, Lost "c" [1, 2], Paid]
