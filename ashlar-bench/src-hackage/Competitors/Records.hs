{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Competitors.Records
-- Description : winery and serialise
module Competitors.Records (competitors) where

import qualified Codec.Serialise as CBOR
import qualified Codec.Winery as Winery
import qualified Data.ByteString.Lazy as L
import qualified Data.Vector as V
import Types
import Workload

deriving via Winery.WineryProduct SomeData instance Winery.Serialise SomeData

instance CBOR.Serialise SomeData

-- | Work of workloads, by their names.
competitors :: [(String, (String, IO ()))]
competitors =
  concat
    [ [ (encoding n, ("winery", apply Winery.serialise v)),
        (encoding n, ("serialise", apply (L.toStrict . CBOR.serialise) v)),
        (decoding n, ("winery", apply winery (Winery.serialise v))),
        (decoding n, ("serialise", apply cbor (CBOR.serialise v)))
      ]
      | n <- [1, 10, 100, 1000, 10000, 100000, 1000000 :: Int],
        let v = someData n
    ]
  where
    encoding n = "encode a Vector of SomeData, length " ++ show n
    decoding n = "decode a Vector of SomeData, length " ++ show n
    winery bs =
      either (errorWithoutStackTrace . show) id (Winery.deserialise bs) :: V.Vector SomeData
    cbor bs = CBOR.deserialise bs :: V.Vector SomeData
