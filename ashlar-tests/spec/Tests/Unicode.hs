{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Unicode
-- Description : Texts in UTF-8: builders, decoders and sizes against those of text
module Tests.Unicode (tests) where

import Ashlar.Builder (textUtf8, toStrictByteString)
import Ashlar.Codec (decode, encode, encodedSize)
import Ashlar.Get (DecodeError (..), getTextUtf8, runGet, skip)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word8)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere (throughSinks)

-- Before version 2 of text, ASCII is moved in blocks of 4, 8 and 16 characters, and counted in
-- blocks of 64. One call gets at most 65,536 bytes or 32,768 units of UTF-16.
tests :: TestTree
tests =
  testGroup
    "texts in UTF-8"
    [ testCase "one character at each place" oneOther,
      testProperty "any characters" $ forAll anyText (property . agrees),
      testProperty "any characters, through every sink" $
        withMaxSuccess 30 $ forAll anyText $ \t -> throughSinks (T.encodeUtf8 t) (textUtf8 t),
      testCase "longer than one call" long,
      testCase "bytes at the borders of what is well-formed" borders,
      testCase "a malformed character after its missing beginning, or among spaces" outOfPlace
    ]

-- All functions on a text, and on its bytes, agree with those of text.
agrees :: T.Text -> Bool
agrees t =
  toStrictByteString (textUtf8 t) == bytes
    && encodedSize t == 8 + S.length bytes
    && encode t == encode bytes
    && decode (encode bytes) == (Right t :: Either DecodeError T.Text)
    && runGet (getTextUtf8 (S.length bytes)) bytes == Right t
  where
    bytes = T.encodeUtf8 t

-- Some versions of bytestring's validation look at the bytes before the string, or miss a character
-- among ASCII.
outOfPlace :: Assertion
outOfPlace = do
  forM_ [0 .. 200] $ \n -> forM_ beginnings $ \character -> do
    let bytes = character <> S.replicate n 32
    refused n (runGet (skip 1 *> getTextUtf8 (S.length bytes - 1)) bytes)
  forM_ [0 .. 300] $ \n -> do
    let bytes = S.replicate n 32 <> "\xD8" <> S.replicate 128 32
    refused n (runGet (getTextUtf8 (S.length bytes)) bytes)
  where
    beginnings = ["\xC3\x80", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"]
    refused n = either (const (pure ())) (\t -> assertFailure (show (n :: Int, t)))

oneOther :: Assertion
oneOther = forM_ [0 .. 70] $ \n -> forM_ [0 .. n] $ \at -> forM_ others $ \other -> do
  let t = T.drop 2 (T.concat ["--", T.replicate at "a", other, T.replicate (n - at) "b"])
  agrees t @? show t
  where
    others =
      ["", "\x7F", "\x80", "\x7FF", "\x800", "\xD7FF", "\xE000", "\xFFFF", "\x10000", "\x10FFFF"]

anyText :: Gen T.Text
anyText = do
  n <- choose (0, 400)
  kinds <-
    sublistOf ["ab \0\x7F", "\x80\xE4\x7FF", "\x800\x20AC\xFFFD\xFFFF", "\x10000\x1F600\x10FFFF"]
  from <- choose (0, 3)
  T.drop from . T.pack <$> vectorOf n (elements ('x' : concat kinds))

long :: Assertion
long = forM_ ["a", "\xE4", "\x20AC", "\x1F600", "\x1F600z"] $ \unit ->
  forM_ ([32760 .. 32775] ++ [21840 .. 21850] ++ [65530 .. 65540]) $ \n ->
    forM_ [0, n `quot` T.length unit] $ \k -> do
      let t = T.append (T.replicate (n - k) "a") (T.replicate k unit)
      -- The surrogate pair is cut at every offset.
      agrees (T.append t "\x1F600") @? show (unit, n, k)

-- Up to four bytes, after up to 18 others and before up to two.
borders :: Assertion
borders = mapM_ check (three ++ four)
  where
    three =
      [ S.concat [S.replicate front 120, S.pack [a, b, c], S.replicate after 121]
        | a <- bytes,
          b <- bytes,
          c <- bytes,
          let (front, after) = around (a + b + c)
      ]
    four =
      [ S.concat [S.replicate front 120, S.pack [a, b, 0x80, c], S.replicate after 121]
        | a <- [0xF0, 0xF1, 0xF3, 0xF4],
          b <- bytes,
          c <- bytes,
          let (front, after) = around (a + b + c)
      ]
    around w = (fromIntegral w `mod` 19, fromIntegral w `mod` 3)
    check input = case (runGet (getTextUtf8 (S.length input)) input, T.decodeUtf8' input) of
      (Right t, Right wanted) -> t == wanted @? show input
      (Left e, Left _) -> errorOffset e == validUpTo input @? show (input, errorOffset e)
      other -> assertFailure (show input ++ ": " ++ show other)
    validUpTo input = fromIntegral (last (filter (valid input) [0 .. S.length input]))
    valid input n = either (const False) (const True) (T.decodeUtf8' (S.take n input))
    bytes =
      [ 0x41,
        0x80,
        0x8F,
        0x90,
        0x9F,
        0xA0,
        0xBF,
        0xC0,
        0xC1,
        0xC2,
        0xDF,
        0xE0,
        0xE1,
        0xED,
        0xEE,
        0xF0,
        0xF1,
        0xF4,
        0xF5,
        0xFF
      ] ::
        [Word8]
