{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Main
-- Description : The laws and the bytes of the instances
module Main (main) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec
import Ashlar.Codec.Golden
import Ashlar.Codec.Laws
import Ashlar.Codec.Wrappers (Compact (..), Zigzag (..))
import Ashlar.Get (runGet, runGetWhole)
import Ashlar.Instances ()
import Ashlar.Instances.Scientific
import Ashlar.Instances.UUID
import Ashlar.Schema (Described, describeSchema, getValue, putValue, schema)
import Control.Exception (ErrorCall (..), evaluate, try)
import Control.Monad (forM_)
import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import Data.Aeson.KeyMap (KeyMap)
import qualified Data.Aeson.KeyMap as KeyMap
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as Builder
import Data.ByteString.Builder.Scientific (scientificBuilder)
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.HashMap.Strict as HashMap
import qualified Data.HashSet as HashSet
import Data.Hashable (Hashable (..))
import Data.List (isPrefixOf)
import qualified Data.Map as Map
import Data.Scientific (Scientific, scientific)
import qualified Data.Text as T
import qualified Data.UUID.Types as UUID
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Generics (Generic)
import System.Environment (lookupEnv)
import System.IO
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

main :: IO ()
main =
  defaultMain $
    testGroup
      "ashlar-instances"
      [ testGroup "laws" [testProperties name (codecLawsFor s) | Golden name s _ <- instances],
        testCase "golden bytes" goldenFile,
        testCase "docs/format.md has these bytes" documented,
        testCase "a HashMap has the bytes of a Map" sameAsMap,
        testCase "keys of a HashMap that are one to Ord alone are an error" oneToOrd,
        testGroup "schemas describe the bytes" schemas,
        testCase "the schema of JSON" jsonSchema,
        testCase "keys that collide" collisions,
        testCase "numbers with more digits than needed are refused" digits,
        testCase "huge exponents" huge,
        testProperty "Scientific as text" scientificTexts,
        testProperty "UUID as text" uuidTexts
      ]

instances :: [Golden]
instances =
  [ made
      "HashMap Word8 Bool"
      (HashMap.fromList <$> arbitrary)
      [HashMap.fromList [(2, True), (1, False)] :: HashMap.HashMap Word8 Bool],
    made
      "HashMap Text Word8"
      (HashMap.fromList <$> listOf ((,) <$> text <*> arbitrary))
      [HashMap.fromList [("a", 1)] :: HashMap.HashMap T.Text Word8],
    made
      "HashSet Word8"
      (HashSet.fromList <$> arbitrary)
      [HashSet.fromList [2, 1] :: HashSet.HashSet Word8],
    made
      "Compact (HashMap Word8 Bool)"
      (Compact . HashMap.fromList <$> arbitrary)
      [Compact (HashMap.fromList [(2, True), (1, False)]) :: Compact (HashMap.HashMap Word8 Bool)],
    made
      "Compact (HashSet Word8)"
      (Compact . HashSet.fromList <$> arbitrary)
      [Compact (HashSet.fromList [2, 1]) :: Compact (HashSet.HashSet Word8)],
    made
      "UUID"
      (UUID.fromWords64 <$> arbitrary <*> arbitrary)
      [UUID.fromWords64 0x0001020304050607 0x08090A0B0C0D0E0F],
    made "Scientific" number [scientific 0 0, scientific 1200 (-3), scientific (-1) maxBound],
    made "Key" (Key.fromText <$> text) [Key.fromString "a"],
    made
      "KeyMap Word8"
      (KeyMap.fromList <$> listOf ((,) . Key.fromText <$> text <*> arbitrary))
      [KeyMap.fromList [("b", 1), ("a", 2)] :: KeyMap Word8],
    made
      "Value"
      (sized value)
      [ Aeson.Null,
        Aeson.Bool True,
        Aeson.Number 1.5,
        Aeson.String "a",
        Aeson.Array (V.fromList [Aeson.Null]),
        Aeson.Object (KeyMap.fromList [("a", Aeson.Null)])
      ]
  ]
  where
    made name gen = Golden name (Samples gen (const []) show (==))

-- By the schema alone: decode, and encode again.
schemas :: [TestTree]
schemas =
  [ by "HashMap" (HashMap.fromList <$> arbitrary :: Gen (HashMap.HashMap Word8 Bool)),
    by "HashSet" (HashSet.fromList <$> arbitrary :: Gen (HashSet.HashSet Word8)),
    by "Compact" (Compact . HashSet.fromList <$> arbitrary @[Word8]),
    by "UUID" uuid,
    by "a Map of UUIDs" (Map.fromList <$> listOf ((,) <$> uuid <*> arbitrary @Word8)),
    by "Scientific" number,
    by "Key" (Key.fromText <$> text),
    by "KeyMap" (KeyMap.fromList <$> listOf ((,) . Key.fromText <$> text <*> arbitrary @Word8)),
    by "Value" (sized value)
  ]
  where
    uuid = UUID.fromWords64 <$> arbitraryBoundedIntegral <*> arbitraryBoundedIntegral
    by :: forall a. Described a => String -> Gen a -> TestTree
    by name gen = testProperty name . forAllBlind gen $ \x ->
      fmap (toStrictByteString . putValue) (runGetWhole (getValue (schema @a)) (encode x))
        === Right (encode x)

jsonSchema :: Assertion
jsonSchema =
  T.lines (describeSchema (schema @(HashMap.HashMap UUID.UUID Aeson.Value)))
    @?= [ "Map UUID Value",
          "",
          "data UUID = UUID { high :: BigEndian Word64, low :: BigEndian Word64 }",
          "",
          "data Value",
          "  = Null",
          "  | Bool Bool",
          "  | Number Scientific",
          "  | String Text",
          "  | Array [Value]",
          "  | Object (Map Text Value)",
          "",
          "data Scientific = Scientific { coefficient :: Integer, exponent :: Zigzag Int64 }"
        ]

text :: Gen T.Text
text = T.pack <$> arbitrary

number :: Gen Scientific
number =
  scientific
    <$> oneof [arbitrary, (* 1000) <$> arbitrary, choose (-(10 ^ (40 :: Int)), 10 ^ (40 :: Int))]
      <*> oneof [choose (-30, 30), elements [minBound, maxBound]]

value :: Int -> Gen Aeson.Value
value n
  | n <= 1 =
    oneof
      [ pure Aeson.Null,
        Aeson.Bool <$> arbitrary,
        Aeson.Number <$> number,
        Aeson.String <$> text
      ]
  | otherwise =
    oneof
      [ value 1,
        Aeson.Array . V.fromList <$> few (value (n `div` 3)),
        Aeson.Object . KeyMap.fromList <$> few ((,) . Key.fromText <$> text <*> value (n `div` 3))
      ]
  where
    few gen = choose (0, 3) >>= \k -> vectorOf k gen

goldenFile :: Assertion
goldenFile = do
  how <- lookupEnv "ASHLAR_GOLDEN"
  if how == Just "write"
    then writeGolden "tests/golden/instances.txt" instances
    else compareGolden "tests/golden/instances.txt" instances >>= (@?= [])

documented :: Assertion
documented = withFile "format.md" ReadMode $ \h -> do
  hSetEncoding h utf8
  rest <- dropWhile (/= "## Other packages") . lines <$> hGetContents h
  [line | line <- rest, "| `" `isPrefixOf` line] @?= map markdownRow (goldenRows instances)

sameAsMap :: Assertion
sameAsMap = do
  let entries = [(i * 7919 `mod` 1009, show i) | i <- [1 .. 1000 :: Int]]
  encode (HashMap.fromList entries) @?= encode (Map.fromList entries)
  decode (encode (Map.fromList entries)) @?= Right (HashMap.fromList entries)
  refused
    ( decode (encode [(2 :: Int, 'a'), (1, 'b')]) ::
        Either DecodeError (HashMap.HashMap Int Char)
    )

oneToOrd :: Assertion
oneToOrd = do
  lossy (encode set)
  lossy (encode (Compact set))
  lossy (encode table)
  lossy (encodedSize table)
  where
    lossy :: a -> Assertion
    lossy x = do
      r <- try (evaluate x)
      case r of
        Left (ErrorCall message) ->
          message
            @?= "Ashlar.Instances: a HashMap or HashSet with keys \
                \that Eq separates, and Ord does not"
        Right _ -> assertFailure "a key was lost"
    set = HashSet.fromList [Rough 1 1, Rough 1 2]
    table = HashMap.fromList [(Rough 1 1, 'a'), (Rough 1 2, 'b'), (Rough 2 1, 'c')]

-- Its order looks at the first field alone.
data Rough = Rough Word8 Word8
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Hashable)

instance Ord Rough where
  compare (Rough a _) (Rough b _) = compare a b

-- All values have the same hash.
newtype Colliding = Colliding Int
  deriving newtype (Eq, Ord, Show, Codec)

instance Hashable Colliding where
  hashWithSalt salt _ = salt

collisions :: Assertion
collisions = do
  decode (encode (few 256)) @?= Right (HashSet.fromList (few 256))
  refused (decode (encode (few 257)) :: Either DecodeError (HashSet.HashSet Colliding))
  refused
    ( decode (encode (Compact (few 257))) ::
        Either DecodeError (Compact (HashSet.HashSet Colliding))
    )
  r <-
    timeout
      120000000
      ( refused
          ( decode (encode (few 200000)) ::
              Either DecodeError (HashSet.HashSet Colliding)
          )
      )
  r @?= Just ()
  where
    few n = map Colliding [1 .. n]

digits :: Assertion
digits = do
  refused (decode (encode (10 :: Integer, Zigzag (0 :: Int))) :: Either DecodeError Scientific)
  refused (decode (encode (0 :: Integer, Zigzag (1 :: Int))) :: Either DecodeError Scientific)
  decode (encode (10 :: Integer, Zigzag (maxBound :: Int))) @?= Right (scientific 10 maxBound)

-- Neither encoding nor decoding computes the number, as bytes or as text.
huge :: Assertion
huge = do
  S.length (encode (Aeson.Number (scientific 1 (10 ^ (18 :: Int))))) @?= 12
  decode (encode (scientific 1 (10 ^ (18 :: Int)))) @?= Right (scientific 1 (10 ^ (18 :: Int)))
  forM_ [scientific n e | n <- [1, -7, 123], e <- [minBound, maxBound]] $ \x ->
    runGet getScientificText (toStrictByteString (scientificText x)) @?= Right x

-- Against the builder of scientific, and its instance of Read.
scientificTexts :: Property
scientificTexts = forAll (scientific <$> coefficients <*> choose (-400, 400)) $ \x ->
  let shown = toStrictByteString (scientificText x)
   in shown === L.toStrict (Builder.toLazyByteString (scientificBuilder x))
        .&&. runGet getScientificText shown === Right x
        .&&. runGet getScientificText (C.pack (show x)) === Right x
        .&&. read (C.unpack shown) === x
  where
    coefficients = oneof [arbitrary, choose (-(10 ^ (40 :: Int)), 10 ^ (40 :: Int))]

uuidTexts :: Property
uuidTexts = forAll (UUID.fromWords64 <$> anyWord <*> anyWord) $ \u ->
  toStrictByteString (uuidText u) === UUID.toASCIIBytes u
    .&&. runGet getUUIDText (UUID.toASCIIBytes u) === Right u
  where
    anyWord = arbitraryBoundedIntegral

refused :: Show a => Either DecodeError a -> Assertion
refused r = case r of
  Left (DecodeError {errorReason = Invalid _}) -> pure ()
  other -> assertFailure (show other)
