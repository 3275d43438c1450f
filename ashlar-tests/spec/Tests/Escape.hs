{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Escape
-- Description : Text with characters replaced
module Tests.Escape (tests) where

import Ashlar.Builder
import Ashlar.Builder.Escape
import Control.Exception (ErrorCall, evaluate, try)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.Char (isAscii, ord)
import qualified Data.Text as T
import qualified Data.Text.Lazy as TL
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Everywhere
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "escaping"
    [ agrees "JSON" jsonEscaping json,
      agrees
        "every character by seven"
        (escaping (const (Just "sevenXX")))
        (\c -> if isAscii c then "sevenXX" else [c]),
      agrees
        "every character left out"
        (escaping (const (Just "")))
        (\c -> if isAscii c then "" else [c]),
      testProperty "bytes above 127 stay" $ \bs ->
        let bytes = S.pack (filter (\w -> w > 31 && w /= 92) bs)
         in throughSinks
              (S.concatMap (\w -> if w == 34 then "\\\"" else S.singleton w) bytes)
              (byteStringEscaped jsonEscaping bytes),
      testCase "a replacement of eight bytes" $ do
        result <-
          try
            ( evaluate
                (toStrictByteString (stringUtf8Escaped (escaping (const (Just "12345678"))) "a"))
            ) ::
            IO (Either ErrorCall S.ByteString)
        either (const (pure ())) (const (assertFailure "no error")) result
    ]

-- All builders that escape, against a function on characters.
agrees :: String -> Escaping -> (Char -> String) -> TestTree
agrees name escapes replacement =
  testProperty name $
    forAll characters $ \s ->
      let expected = utf8 (concatMap replacement s)
          t = T.pack s
       in conjoin
            [ throughSinks expected (textUtf8Escaped escapes t),
              throughSinks expected (lazyTextUtf8Escaped escapes (TL.fromChunks (T.chunksOf 3 t))),
              throughSinks expected (stringUtf8Escaped escapes s),
              throughSinks expected (byteStringEscaped escapes (utf8 s))
            ]

-- ASCII, where the loops take several characters at once, mixed with other characters.
characters :: Gen String
characters = concat <$> (choose (0, 8) >>= \n -> vectorOf n oneSequence)
  where
    oneSequence = choose (0, 12) >>= \n -> oneof [vectorOf n ascii, vectorOf n other]
    ascii =
      frequency
        [(4, choose (' ', '~')), (2, elements "\"\\<>&'\n\t\r\b\f"), (1, choose ('\0', '\x7F'))]
    other =
      oneof
        [ choose ('\x80', '\x7FF'),
          choose ('\x800', '\xD7FF'),
          choose ('\xE000', '\xFFFF'),
          choose ('\x10000', '\x10FFFF')
        ]

json :: Char -> String
json c = case c of
  '"' -> "\\\""
  '\\' -> "\\\\"
  '\b' -> "\\b"
  '\t' -> "\\t"
  '\n' -> "\\n"
  '\f' -> "\\f"
  '\r' -> "\\r"
  _
    | ord c < 32 -> printf "\\u%04x" (ord c)
    | otherwise -> [c]

utf8 :: String -> S.ByteString
utf8 = L.toStrict . B.toLazyByteString . B.stringUtf8
