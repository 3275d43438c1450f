{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Interop
-- Description : Builders of one library run by another, and defragmenting
module Workloads.Interop (interopWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Bytestring as A
import qualified Ashlar.Builder.Extra as A (defragment)
import qualified Codec.Compression.Zlib as Zlib
import qualified Data.Aeson as Aeson
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import Foreign (Ptr, Word8, mallocBytes)
import Input (chunksOf, likeText)
import Output
import Shapes
import System.IO.Unsafe (unsafePerformIO)
import qualified Text.Blaze.Html.Renderer.Utf8 as Html
import qualified Text.Blaze.Html5 as H
import qualified Text.Blaze.Html5.Attributes as Attribute
import Workload

-- | All of them.
interopWorkloads :: [Workload]
interopWorkloads =
  [ Workload
      ("server: response of " ++ name ++ " through bytestring's runBuilder, buffer of 16 KiB")
      [ ("ashlar", apply (served . A.toBytestringBuilder . response) n),
        ("bytestring", apply (served . response) n)
      ]
    | (name, n) <- [("100 bytes", 0), ("60 KB", 600)]
  ]
    ++ [ Workload
           "within ours: aeson's Encoding, 60 KB, strict"
           [ ( "ashlar",
               apply
                 ( A.toStrictByteString . A.fromBytestringBuilder
                     . Aeson.fromEncoding
                     . Aeson.toEncoding
                 )
                 document
             ),
             ( "bytestring",
               apply
                 (L.toStrict . B.toLazyByteString . Aeson.fromEncoding . Aeson.toEncoding)
                 document
             )
           ],
         Workload
           "within ours: blaze-html page of 200 rows, strict"
           [ ( "ashlar",
               apply
                 (A.toStrictByteString . A.fromBytestringBuilder . Html.renderHtmlBuilder . page)
                 200
             ),
             ( "bytestring",
               apply (L.toStrict . B.toLazyByteString . Html.renderHtmlBuilder . page) 200
             )
           ]
       ]
    ++ [ Workload
           ("zlib: 1 MB in chunks of " ++ show n)
           [ ("defragmented", apply (L.length . Zlib.compress . A.defragment) chunks),
             ("directly", apply (L.length . Zlib.compress) chunks)
           ]
         | n <- [16, 128, 512, 1024, 4096],
           let chunks = chunksOf n (likeText 1000000)
       ]

-- | The head of a response, and this many lines.
response :: Output b => Int -> b
response n = statusLine <> headers <> foldMap row [1 .. n]
  where
    statusLine = byteString "HTTP/1.1 200 OK\r\n"
    headers =
      byteString "Content-Type: " <> byteString "text/html" <> byteString "\r\n"
        <> byteString "Server: "
        <> byteString "ashlar"
        <> byteString "\r\n"
        <> byteString "Connection: keep-alive\r\n\r\n"
        <> byteString "Hello, World!"
    row i = byteString rowStart <> wordHex (fromIntegral i) <> byteString rowEnd
{-# SPECIALIZE response :: Int -> A.Builder #-}
{-# SPECIALIZE response :: Int -> B.Builder #-}

rowStart, rowEnd :: S.ByteString
rowStart = S.replicate 60 0x61
rowEnd = S.replicate 37 0x62
{-# NOINLINE rowStart #-}
{-# NOINLINE rowEnd #-}

-- As a server sends it: fill the buffer and send it, until nothing is left. Returns the number of
-- bytes sent.
served :: B.Builder -> Int
served b = unsafePerformIO (go 0 (B.runBuilder b))
  where
    go :: Int -> B.BufferWriter -> IO Int
    go sent write = do
      (n, next) <- write buffer 16384
      let sent' = sent + n
      sent' `seq` case next of
        B.Done -> pure sent'
        B.More _ write' -> go sent' write'
        B.Chunk bs write' -> go (sent' + S.length bs) write'

buffer :: Ptr Word8
buffer = unsafePerformIO (mallocBytes 16384)
{-# NOINLINE buffer #-}

-- | A table of this many rows.
page :: Int -> H.Html
page n = H.docTypeHtml $ do
  H.head (H.title "A table & its rows")
  H.body . H.table . mconcat $
    [ H.tr (H.td H.! Attribute.class_ "number" $ H.toHtml i)
        <> H.td (H.toHtml ("row <" ++ show i ++ ">"))
      | i <- [1 .. n]
    ]
