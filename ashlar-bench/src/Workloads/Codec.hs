-- |
-- Module      : Workloads.Codec
-- Description : Encoding and decoding with derived instances, and decoders
module Workloads.Codec (codecWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Codec as A
import qualified Ashlar.Get as A
import Control.Monad (foldM)
import qualified Data.Binary as Binary
import qualified Data.Binary.Get as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.Serialize as Cereal
import qualified Data.Store as Store
import qualified Data.Vector as V
import Getters
import Input (chunksOf, right)
import Types
import Workload

-- | All of them.
codecWorkloads :: [Workload]
codecWorkloads =
  concat
    [ concatMap ofSomeData [100, 10000],
      [ofBuilder 10000, ofSum, ofGetters],
      ofTree 10000
    ]

ofSomeData :: Int -> [Workload]
ofSomeData n =
  [ Workload
      ("encode Vector of " ++ show n ++ " SomeData")
      [ ("ashlar", apply A.encode v),
        ("store", apply Store.encode v),
        ("cereal", apply Cereal.encode v),
        ("binary", apply (L.toStrict . Binary.encode) v)
      ],
    Workload
      ("decode Vector of " ++ show n ++ " SomeData")
      [ ("ashlar", apply (\bs -> right (A.decode bs) :: V.Vector SomeData) (A.encode v)),
        ("store", apply (\bs -> right (Store.decode bs) :: V.Vector SomeData) (Store.encode v)),
        ("cereal", apply (\bs -> right (Cereal.decode bs) :: V.Vector SomeData) (Cereal.encode v)),
        ("binary", apply (\bs -> Binary.decode bs :: V.Vector SomeData) (Binary.encode v))
      ]
  ]
  where
    v = someData n

ofBuilder :: Int -> Workload
ofBuilder n =
  Workload
    ("build " ++ show n ++ " SomeData by foldr, strict")
    [ ("ashlar", apply (A.toStrictByteString . ours) v),
      ("bytestring", apply (L.toStrict . B.toLazyByteString . theirs) v)
    ]
  where
    v = someData n
    ours =
      V.foldr (\(SomeData a b c) rest -> A.int64LE a <> A.word8 b <> A.doubleLE c <> rest) mempty
    theirs =
      V.foldr (\(SomeData a b c) rest -> B.int64LE a <> B.word8 b <> B.doubleLE c <> rest) mempty

ofSum :: Workload
ofSum =
  Workload
    "sum of 10000 Int64"
    [ ("ashlar", apply (right . A.runGet summed) strict),
      ("ashlar, lazy, chunks of 32 KiB", apply (right . A.runGetLazy summed) chunked),
      ( "cereal",
        apply (right . Cereal.runGet (sumWith (fromIntegral <$> Cereal.getWord64le))) strict
      ),
      ("binary", apply (Binary.runGet (sumWith Binary.getInt64le)) (L.fromStrict strict))
    ]
  where
    strict = A.toStrictByteString (foldMap A.int64LE [1 .. 10000])
    chunked = chunksOf 32768 strict

-- The same code for both kinds of input. The times of two copies of the same loop may differ
-- noticeably, depending on their addresses.
summed :: A.Get Int64
summed = sumWith A.getInt64le
{-# NOINLINE summed #-}

sumWith :: Monad m => m Int64 -> m Int64
sumWith getter = go (10000 :: Int) 0
  where
    go n acc
      | n == 0 = pure acc
      | otherwise = getter >>= \x -> let acc' = acc + x in acc' `seq` go (n - 1) acc'
{-# INLINE sumWith #-}

ofGetters :: Workload
ofGetters =
  Workload
    "10000 getters taken from a list (module at -O1)"
    [ ("ashlar", apply (right . A.runGet (runAll ashlarGetters)) bytes),
      ("binary", apply (Binary.runGet (runAll binaryGetters)) (L.fromStrict bytes))
    ]
  where
    bytes = S.replicate 100000 7
    runAll :: Monad m => [m Int] -> m Int
    runAll = foldM (\acc getter -> getter >>= \x -> pure $! acc + x) 0

ofTree :: Int -> [Workload]
ofTree n =
  [ Workload
      ("encode Tree of " ++ show n)
      [ ("ashlar", apply A.encode t),
        ("store", apply Store.encode t),
        ("cereal", apply Cereal.encode t),
        ("binary", apply (L.toStrict . Binary.encode) t)
      ],
    Workload
      ("decode Tree of " ++ show n)
      [ ("ashlar", apply (\bs -> right (A.decode bs) :: Tree) (A.encode t)),
        ("store", apply (\bs -> right (Store.decode bs) :: Tree) (Store.encode t)),
        ("cereal", apply (\bs -> right (Cereal.decode bs) :: Tree) (Cereal.encode t)),
        ("binary", apply (\bs -> Binary.decode bs :: Tree) (Binary.encode t))
      ]
  ]
  where
    t = tree n
