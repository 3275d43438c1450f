{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Html
-- Description : Text in HTML, against a naive model
module Tests.Html (tests) where

import Ashlar.Builder
import Ashlar.Builder.Html
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Lazy as TL
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere

tests :: TestTree
tests =
  testGroup
    "HTML"
    [ testCase "every character up to U+02FF, and some" characters,
      testProperty "characters" $
        forAll character $ \c ->
          everywhere (charHtmlUtf8 c) (escaped [c]),
      testProperty "strings" $ forAll anyString $ \s -> everywhere (stringHtmlUtf8 s) (escaped s),
      testProperty "texts" $ forAll string $ \s -> everywhere (textHtmlUtf8 (T.pack s)) (escaped s),
      testProperty "slices of texts" $
        forAll ((,) <$> string <*> choose (0, 20)) $ \(s, k) ->
          everywhere (textHtmlUtf8 (T.drop k (T.pack s))) (escaped (drop k s)),
      testProperty "lazy texts" $
        forAll (listOf string) $ \ss ->
          everywhere (lazyTextHtmlUtf8 (TL.fromChunks (map T.pack ss))) (escaped (concat ss)),
      testProperty "ByteStrings" $
        forAll string $ \s ->
          everywhere (byteStringHtmlUtf8 (T.encodeUtf8 (T.pack s))) (escaped s),
      testProperty "lazy ByteStrings" $
        forAll (listOf string) $ \ss ->
          everywhere
            (lazyByteStringHtmlUtf8 (L.fromChunks (map (T.encodeUtf8 . T.pack) ss)))
            (escaped (concat ss)),
      testProperty "in memory of their size" $
        forAll string $ \s ->
          conjoin
            [ exactly (f s) (escaped s)
              | f <-
                  [ stringHtmlUtf8,
                    textHtmlUtf8 . T.pack,
                    byteStringHtmlUtf8 . T.encodeUtf8 . T.pack
                  ]
            ],
      testCase "bytes that are not UTF-8 are copied" $
        toStrictByteString (byteStringHtmlUtf8 "\xFF<\x80\xC3\0\xF8") @?= "\xFF&lt;\x80\xC3\xF8",
      testCase "every character at every place" everyPlace,
      testCase "an infinite string" $
        L.take 10 (toLazyByteString (stringHtmlUtf8 (cycle "<b>"))) @?= "&lt;b&gt;&",
      testCase "long texts" longTexts
    ]

-- The replacement of a character.
reference :: Char -> String
reference c = case c of
  '<' -> "&lt;"
  '>' -> "&gt;"
  '&' -> "&amp;"
  '"' -> "&quot;"
  '\'' -> "&#39;"
  _
    | c `elem` ("\t\n\r" :: String) -> [c]
    | c < ' ' || c == '\DEL' -> ""
    | otherwise -> [c]

-- stringUtf8 writes surrogates. It has tests of its own.
escaped :: String -> S.ByteString
escaped = toStrictByteString . stringUtf8 . concatMap reference

characters :: Assertion
characters =
  mapM_
    (\c -> toStrictByteString (charHtmlUtf8 c) @?= escaped [c])
    (['\0' .. '\x2FF'] ++ "\x7FF\x800\xD7FF\xD800\xDFFF\xE000\xFFFD\xFFFF\x10000\x10FFFF")

special :: Gen Char
special = elements "<>&\"'\0\1\8\t\n\v\f\r\x1F\DEL"

-- Characters that differ from special ones in one bit.
near :: Gen Char
near = elements " !#$%()/:;=?@~}|\x80\x81\xA2\xA6\xBC\xBE\xFF\x122\x126\x13C\x13E\x2022"

character :: Gen Char
character =
  oneof
    [ special,
      near,
      choose (' ', '~'),
      choose ('\x80', '\xD7FF'),
      choose ('\x10000', '\x10FFFF'),
      elements "\xD800\xDBFF\xDC00\xDFFF"
    ]

-- Mostly plain, so that special characters have many distances. Without surrogates, which a text
-- cannot hold.
string :: Gen String
string = filter (\c -> c < '\xD800' || c > '\xDFFF') <$> anyString

anyString :: Gen String
anyString = do
  n <- choose (0, 60)
  plain <- choose (1, 30)
  vectorOf
    n
    (frequency [(plain, choose ('a', 'z')), (plain `div` 4, near), (1, special), (1, character)])

-- In the first bytes, in a word of eight bytes, and in the last bytes.
everyPlace :: Assertion
everyPlace =
  sequence_
    [ toStrictByteString (f s) @?= escaped s
      | c <- ['\0' .. '\x100'],
        before <- [0 .. 17],
        following <- [0, 1, 7, 8, 9],
        let s = replicate before 'x' ++ [c] ++ replicate following 'y',
        f <- [textHtmlUtf8 . T.pack, byteStringHtmlUtf8 . T.encodeUtf8 . T.pack]
    ]

longTexts :: Assertion
longTexts =
  sequence_
    [ do
        toStrictByteString (textHtmlUtf8 (T.pack s)) @?= escaped s
        L.toStrict (toLazyByteString (textHtmlUtf8 (T.pack s))) @?= escaped s
        L.toStrict (toLazyByteString (byteStringHtmlUtf8 (T.encodeUtf8 (T.pack s)))) @?= escaped s
      | s <-
          [ replicate 100000 'x',
            concat (replicate 3000 "some <b>bold</b> text \228\8364\120120"),
            replicate 50000 '"'
          ],
        not (C.null (escaped s))
    ]
