-- |
-- Module      : Workloads.Utf8
-- Description : Characters to /dev/null, by every route
--
-- The programs in @programs@ do the same in other languages.
module Workloads.Utf8 (utf8Workloads) where

import qualified Ashlar.Builder as A
import qualified Blaze.ByteString.Builder as Blaze
import qualified Blaze.ByteString.Builder.Char.Utf8 as Blaze
import qualified Codec.Binary.UTF8.String as Utf8String
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.UTF8 as Utf8String
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.IO as T
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
utf8Workloads :: [Workload]
utf8Workloads =
  concat
    [ [ shown . checked strings text $
          Workload
            ("1 million characters, " ++ name ++ ", from String")
            [ ("ashlar", applyIO (A.hPutBuilder binary . A.stringUtf8) text),
              ("bytestring", applyIO (B.hPutBuilder binary . B.stringUtf8) text),
              ( "blaze-builder",
                applyIO (Blaze.toByteStringIO (S.hPut binary) . Blaze.fromString) text
              ),
              ("base's hPutStr", applyIO (hPutStr encoding) text),
              ("text", applyIO (S.hPut binary . T.encodeUtf8 . T.pack) text),
              ("utf8-string, lazy", applyIO (L.hPut binary . Utf8String.fromString) text),
              ("utf8-string, encode", applyIO (S.hPut binary . S.pack . Utf8String.encode) text)
            ],
        shown . checked texts (T.pack text) $
          Workload
            ("1 million characters, " ++ name ++ ", from Text")
            [ ("ashlar", applyIO (A.hPutBuilder binary . A.textUtf8) (T.pack text)),
              ("bytestring", applyIO (B.hPutBuilder binary . T.encodeUtf8Builder) (T.pack text)),
              ( "blaze-builder",
                applyIO (Blaze.toByteStringIO (S.hPut binary) . Blaze.fromText) (T.pack text)
              ),
              ("text's encodeUtf8", applyIO (S.hPut binary . T.encodeUtf8) (T.pack text)),
              ("text's hPutStr", applyIO (T.hPutStr encoding) (T.pack text))
            ]
      ]
      | (name, characters) <- [("ASCII", ['a' .. 'z']), ("mixed", "abcdef\228\8364\120120")],
        let text = take 1000000 (cycle characters)
    ]
  where
    shown = bars . items 1000000
    checked routes x w =
      w {workloadWrong = [n | (n, route) <- drop 1 routes, route x /= snd (head' routes) x]}
    head' = foldr const (errorWithoutStackTrace "no routes")
    strings =
      [ ("ashlar", A.toStrictByteString . A.stringUtf8),
        ("bytestring", L.toStrict . B.toLazyByteString . B.stringUtf8),
        ("blaze-builder", Blaze.toByteString . Blaze.fromString),
        ("text", T.encodeUtf8 . T.pack),
        ("utf8-string, lazy", L.toStrict . Utf8String.fromString),
        ("utf8-string, encode", S.pack . Utf8String.encode)
      ]
    texts =
      [ ("ashlar", A.toStrictByteString . A.textUtf8),
        ("bytestring", L.toStrict . B.toLazyByteString . T.encodeUtf8Builder),
        ("blaze-builder", Blaze.toByteString . Blaze.fromText),
        ("text's encodeUtf8", T.encodeUtf8)
      ]

binary, encoding :: Handle
binary = unsafePerformIO (openBinaryFile "/dev/null" WriteMode)
{-# NOINLINE binary #-}
encoding = unsafePerformIO $ do
  h <- openFile "/dev/null" WriteMode
  h <$ hSetEncoding h utf8
{-# NOINLINE encoding #-}
