{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Texts
-- Description : Base64, hexadecimal, times, numbers and UUIDs as text
module Workloads.Texts (textWorkloads) where

import Ashlar.Builder (Builder, toStrictByteString)
import Ashlar.Builder.Base64
import qualified Ashlar.Builder.Decimal as B
import Ashlar.Builder.Hex (encodeHex)
import qualified Ashlar.Builder.Time as B
import qualified Ashlar.Builder.UUID as B
import Ashlar.Get (Get, runGet)
import Ashlar.Get.Base64
import qualified Ashlar.Get.Decimal as G
import Ashlar.Get.Hex (decodeHex)
import qualified Ashlar.Get.Parse as P
import qualified Ashlar.Get.Time as G
import qualified Ashlar.Get.UUID as G
import qualified Data.Aeson as Aeson
import qualified Data.Attoparsec.ByteString.Char8 as A
import qualified Data.ByteString as S
import qualified Data.ByteString.Base64 as Theirs
import qualified Data.ByteString.Builder as Bytestring
import Data.ByteString.Builder.Scientific (scientificBuilder)
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Fixed (Fixed (MkFixed), Micro)
import Data.Scientific (base10Exponent, coefficient, scientific)
import Data.Time (Day (..), UTCTime (..), secondsToDiffTime)
import qualified Data.UUID.Types as UUID
import Data.Word (Word64)
import Input (right)
import Workload

-- | All of them.
textWorkloads :: [Workload]
textWorkloads =
  concatMap strings [30, 300, 3000, 1000000]
    ++ [ items 1000 $
           Workload
             "write 1000 UTCTimes"
             [ ("ashlar", apply (each B.utcTime) times),
               ("aeson", apply (L.toStrict . Aeson.encode) times)
             ],
         items 1000 $
           Workload
             "read 1000 UTCTimes"
             [ ("ashlar", apply (right . runGet (list G.utcTime)) (quoted times)),
               ("aeson", apply (\bs -> Aeson.decodeStrict bs == Just times) (quoted times))
             ],
         items 1000 $
           Workload
             "write 1000 UUIDs"
             [ ("ashlar", apply (each (uncurry B.uuid)) halves),
               ( "uuid-types",
                 apply (S.concat . map (UUID.toASCIIBytes . uncurry UUID.fromWords64)) halves
               )
             ],
         items 1 $
           Workload
             "read a UUID"
             [ ("ashlar", apply (right . runGet G.uuid) uuidText),
               ("uuid-types", apply UUID.fromASCIIBytes uuidText)
             ],
         items 1000 $
           Workload
             "write 1000 Micro"
             [ ("ashlar", apply (each B.fixed) amounts),
               ("show", apply (C.concat . map (C.pack . show)) amounts)
             ],
         items 1 $
           Workload
             "read a Micro"
             [ ("ashlar", apply (right . runGet (G.fixed :: Get Micro)) "1234.567891"),
               ("attoparsec's scientific", apply (right . A.parseOnly A.scientific) "1234.567891")
             ],
         items 1000 $
           Workload
             "write 1000 decimal numbers"
             [ ("ashlar", apply (each (\x -> B.scaled (coefficient x) (base10Exponent x))) numbers),
               ("scientific", apply (theirs . foldMap scientificBuilder) numbers)
             ],
         items 1 $
           Workload
             "read a decimal number"
             [ ("ashlar", apply (right . runGet G.scaled) "-1234.567891e-12"),
               ( "attoparsec's scientific",
                 apply (right . A.parseOnly A.scientific) "-1234.567891e-12"
               )
             ]
       ]
  where
    times =
      [ UTCTime (ModifiedJulianDay (60000 + i)) (secondsToDiffTime (i * 86) + 0.125)
        | i <- [1 .. 1000]
      ]
    quoted = L.toStrict . Aeson.encode
    list g = P.bytes "[" *> P.sepBy (P.bytes "\"" *> g <* P.bytes "\"") (P.bytes ",") <* P.bytes "]"
    halves = [(i * 0x9E3779B97F4A7C15, i * 0xC2B2AE3D27D4EB4F) | i <- [1 .. 1000 :: Word64]]
    uuidText = "123e4567-e89b-12d3-a456-426614174000"
    amounts = [MkFixed (i * 7919) | i <- [1 .. 1000]] :: [Micro]
    numbers = [scientific (i * 7919) (fromInteger (i `mod` 20) - 10) | i <- [1 .. 1000]]

strings :: Int -> [Workload]
strings n =
  [ bytesOfText (S.length base64) $
      Workload
        ("Base64 of " ++ size)
        [ ("ashlar", apply encodeBase64 bytes),
          ("ashlar, by a builder", apply (toStrictByteString . byteStringBase64) bytes),
          ("base64-bytestring", apply Theirs.encode bytes),
          ("memcpy of the result", apply S.copy base64)
        ],
    bytesOfText (S.length base64) $
      Workload
        ("Base64 to " ++ size)
        [ ("ashlar", apply (right . decodeBase64) base64),
          ("ashlar, as much as there is", apply (right . runGet takeBase64) base64),
          ("base64-bytestring", apply (right . Theirs.decode) base64),
          ("memcpy of the argument", apply S.copy base64)
        ],
    bytesOfText (S.length hex) $
      Workload
        ("hexadecimal of " ++ size)
        [ ("ashlar", apply encodeHex bytes),
          ( "bytestring",
            apply (theirs . Bytestring.byteStringHex) bytes
          ),
          ("memcpy of the result", apply S.copy hex)
        ],
    bytesOfText (S.length hex) $
      Workload
        ("hexadecimal to " ++ size)
        [ ("ashlar", apply (right . decodeHex) hex),
          ("memcpy of the argument", apply S.copy hex)
        ]
  ]
  where
    size = show n ++ " bytes"
    bytes = S.pack (take n (iterate (\w -> w * 77 + 13) 5))
    base64 = encodeBase64 bytes
    hex = encodeHex bytes

each :: (a -> Builder) -> [a] -> S.ByteString
each f = toStrictByteString . foldMap f
{-# INLINE each #-}

theirs :: Bytestring.Builder -> S.ByteString
theirs = L.toStrict . Bytestring.toLazyByteString
