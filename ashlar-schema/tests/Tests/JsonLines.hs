{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.JsonLines
-- Description : JSON at once is JSON by way of values
module Tests.JsonLines (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (Codec, encode)
import qualified Ashlar.Codec.Wrappers as W
import Ashlar.Get
import Ashlar.Schema
import Ashlar.Schema.Internal.Json.Transcode
import Control.Exception (evaluate)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Either (isRight)
import qualified Data.Map.Strict as M
import Data.Maybe (isNothing)
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Clock (UTCTime (..))
import qualified Data.Vector as V
import Data.Word (Word64, Word8)
import GHC.Generics (Generic)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Generate

data Order = Order {number :: !Int, items :: ![Item]}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Item = Item {name :: !Text, price :: !Double}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Positional = Positional !Int !Text
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Tree = Tip | Node Tree Int Tree
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

tests :: TestTree
tests =
  testGroup
    "bytes to JSON"
    [ testProperty "the same JSON at once and by way of values" (withMaxSuccess 3000 asByValue),
      testProperty "the same JSON from chunks" inChunks,
      testProperty "any bytes: the same JSON or error" anyBytes,
      testProperty "lengths near every power of two" (once lengths),
      testProperty "values over the limit are refused" limited,
      testCase "nothing usual takes the slow way" usual,
      testCase "deep nesting, many elements, no bytes" extremes,
      testCase "a budget of levels counts, whatever the chunks" inBudget,
      testCase "an interrupted line resumes" resumed
    ]

-- Both results of some values, one after another, and of damaged ones.
asByValue :: Property
asByValue = forAllBlind genSchema $ \s -> case genValue s of
  Nothing -> property Discard
  Just values -> forAllBlind ((,) <$> values <*> values) $ \(x, y) -> do
    let bytes = toStrictByteString (putValue x <> putValue y)
    forAllBlind (mutations bytes) $ \damaged ->
      classify (isRight (runGet (getJsonLineOr maxBound (fail "slow") s) bytes)) "at once" $
        counterexample (show s) (agree s bytes .&&. agree s damaged)

agree :: Schema -> B.ByteString -> Property
agree s bytes =
  counterexample (show bytes) $ twice' (getJsonLine s) === twice' (getJsonLineByValue maxBound s)
  where
    twice' g = runGetWhole ((,) <$> g <*> g) bytes

anyBytes :: [Word'] -> Property
anyBytes ws = forAllBlind genSchema $ \s -> agree s (B.pack [w | Word' w <- ws])

-- What is longer is refused, whichever way it is written.
limited :: Property
limited = forAllBlind genSchema $ \s -> case genValue s of
  Nothing -> property Discard
  Just values -> forAllBlind values $ \x -> forAll (chooseInt (0, 3000)) $ \most ->
    let bytes = toStrictByteString (putValue x)
        unlimited = either (const Nothing) Just (runGetWhole (getJsonLine s) bytes)
        wanted = [line | Just line <- [unlimited], B.length line <= most]
     in either (const []) pure (runGetWhole (getJsonLineWithin most s) bytes) === wanted

-- Lengths of which 32 bits, or twice as much, would be something else.
lengths :: Property
lengths =
  conjoin
    [ agree (Schema (Ashlar.Schema.Leaf l) V.empty) (bytes n <> B.pack [1, 2, 3, 4])
      | n <- [2 ^ k + d - 8 | k <- [30 .. 62 :: Int], d <- [0 .. 16]],
        (bytes, ls) <-
          [ (encode . W.Varint @Word64, [BigInteger, BigNatural]),
            (encode . W.Varint @Word64, [Bytes LengthVarint, Utf8 LengthVarint]),
            (encode, [Utf16, Bytes Length64, Utf8 Length64])
          ],
        l <- ls
    ]

inChunks :: Property
inChunks = forAllBlind genSchema $ \s -> case genValue s of
  Nothing -> property Discard
  Just values -> forAllBlind (vectorOf 3 values) $ \xs -> forAll (choose (1, 9)) $ \size ->
    let bytes = toStrictByteString (foldMap putValue xs)
        chunks = L.fromChunks (cut size bytes)
        three g = (,,) <$> g <*> g <*> g
     in counterexample (show s) $
          runGetLazyWhole (three (getJsonLine s)) chunks
            === runGetLazyWhole (three (getJsonLineByValue maxBound s)) chunks
  where
    cut n bs = if B.null bs then [] else B.take n bs : cut n (B.drop n bs)

-- Each level is one of the decoder.
newtype Nested = Nested [Nested]
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

inBudget :: Assertion
inBudget = mapM_ (\n -> lineIn n chunked @?= lineIn n inOne) [1 .. 50]
  where
    bytes = encode (iterate (\x -> Nested [x]) (Nested []) !! 20)
    inOne = L.fromStrict bytes
    chunked = L.fromChunks (map B.singleton (B.unpack bytes))
    lineIn n = runGetLazy (withBudget (levels n) (getJsonLine (schema @Nested)))
    levels n = defaultBudget {budgetDepth = n}

resumed :: Assertion
resumed = go 10000
  where
    go :: Int -> Assertion
    go n = do
      let bytes = encode [1 .. n]
          line = runGet (getJsonLine (schema @[Int])) bytes
      _ <- evaluate (B.length bytes)
      stopped <- isNothing <$> timeout 1000 (evaluate line)
      -- (A fast machine needs a longer line.)
      if stopped
        then fmap B.length line @?= fmap B.length (runGet (getJsonLine (schema @[Int])) bytes)
        else go (2 * n)

-- Small bytes are tags and lengths.
newtype Word' = Word' Word8

instance Show Word' where
  show (Word' w) = show w

instance Arbitrary Word' where
  arbitrary = Word' <$> oneof [choose (0, 2), arbitrary]

usual :: Assertion
usual = do
  quick [Order 1 [Item "brick" 0.75, Item "mortar" 12.5], Order 2 []]
  quick [Positional 1 "one", Positional 2 "two"]
  quick [Node (Node Tip 1 Tip) (-2) Tip]
  quick [M.fromList [(T.pack (show n), n) | n <- [-5 .. 5 :: Int]]]
  quick [S.fromList [1 .. 20 :: Int], S.empty]
  quick [0 / 0, 1 / 0, 0.1 :: Double]
  quick [2 ^ (70 :: Int), -1, 0 :: Integer]
  quick ["", "quoted \"", "B\246den", T.replicate 1000 "x" :: Text]
  quick [UTCTime (toEnum 60000) 1.5]
  quick [(True, 'x', Just (Just ()), Left 1 :: Either Int Text)]
  where
    quick :: forall a. Described a => [a] -> Assertion
    quick = mapM_ $ \x ->
      assertBool
        (T.unpack (describeSchema (schema @a)))
        (isRight (runGetWhole (getJsonLineOr maxBound (fail "slow") (schema @a)) (encode x)))

extremes :: Assertion
extremes = do
  let deep n = foldr (\_ t -> Node t 1 Tip) Tip [1 .. n :: Int]
  same (deep 400)
  same (deep 5000)
  same (replicate 100000 (7 :: Int))
  same (replicate 1000 ())
  same (T.replicate 100000 "\228\"" :: Text)
  where
    same :: forall a. Described a => a -> Assertion
    same x =
      runGetWhole (getJsonLine (schema @a)) (encode x)
        @?= runGetWhole (getJsonLineByValue maxBound (schema @a)) (encode x)
