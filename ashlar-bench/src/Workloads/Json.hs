{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Json
-- Description : aeson's values as JSON, beside aeson's own encoder
module Workloads.Json (jsonWorkloads) where

import Ashlar.Aeson
import qualified Ashlar.Builder as A
import Data.Aeson (Value (..), encode, object, (.=))
import qualified Data.ByteString.Lazy as L
import Data.Scientific (fromFloatDigits)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Shapes (document)
import Workload

-- | All of them: the kinds of values that aeson's own benchmarks have.
jsonWorkloads :: [Workload]
jsonWorkloads =
  concat
    [ [ Workload
          ("aeson's Value: " ++ name ++ ", strict")
          [ ("ashlar", apply (A.toStrictByteString . jsonValue) value),
            ("aeson", apply (L.toStrict . encode) value)
          ],
        Workload
          ("aeson's Value: " ++ name ++ ", lazy")
          [ ("ashlar", apply (L.length . A.toLazyByteString . jsonValue) value),
            ("aeson", apply (L.length . encode) value)
          ]
      ]
      | (name, value) <- values
    ]

values :: [(String, Value)]
values =
  [ ("messages, 33 KB", document),
    ("messages in Japanese, 33 KB", japanese),
    ("2,000 doubles", Array (V.generate 2000 (Number . fromFloatDigits . double))),
    ("10,000 integers", Array (V.generate 10000 (\i -> Number (fromIntegral (i * i * 31))))),
    ("three members", object ["id" .= (1 :: Int), "sold" .= True, "name" .= ("brick" :: Text)])
  ]
  where
    double i = sin (fromIntegral i) * 180 :: Double

japanese :: Value
japanese = Array (V.generate 100 message)
  where
    message i =
      object
        [ "text" .= (T.replicate 10 "日本語のテキスト、" <> "@user" <> T.pack (show i)),
          "id" .= i,
          "user" .= object ["name" .= ("日本太郎" :: Text)]
        ]
