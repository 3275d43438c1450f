-- |
-- Module      : Workloads.Puts
-- Description : Numbers written in groups, as in the benchmarks of binary
--
-- A megabyte of numbers of one format, in groups of 1 to 16 that are appended side by side.
module Workloads.Puts (putWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import qualified Data.Binary.Put as Binary
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize.IEEE754 as Cereal
import qualified Data.Serialize.Put as Cereal
import Workload

-- | All formats, in groups of all sizes.
putWorkloads :: [Workload]
putWorkloads =
  concat
    [ workloadsOf
        "Word8"
        1
        (groups (A.word8 . fromIntegral))
        (groups (B.word8 . fromIntegral))
        (groups (Binary.putWord8 . fromIntegral))
        (groups (Cereal.putWord8 . fromIntegral)),
      workloadsOf
        "Word16le"
        2
        (groups (A.word16LE . fromIntegral))
        (groups (B.word16LE . fromIntegral))
        (groups (Binary.putWord16le . fromIntegral))
        (groups (Cereal.putWord16le . fromIntegral)),
      workloadsOf
        "Word16be"
        2
        (groups (A.word16BE . fromIntegral))
        (groups (B.word16BE . fromIntegral))
        (groups (Binary.putWord16be . fromIntegral))
        (groups (Cereal.putWord16be . fromIntegral)),
      workloadsOf
        "Word32le"
        4
        (groups (A.word32LE . fromIntegral))
        (groups (B.word32LE . fromIntegral))
        (groups (Binary.putWord32le . fromIntegral))
        (groups (Cereal.putWord32le . fromIntegral)),
      workloadsOf
        "Word32be"
        4
        (groups (A.word32BE . fromIntegral))
        (groups (B.word32BE . fromIntegral))
        (groups (Binary.putWord32be . fromIntegral))
        (groups (Cereal.putWord32be . fromIntegral)),
      workloadsOf
        "Word64le"
        8
        (groups (A.word64LE . fromIntegral))
        (groups (B.word64LE . fromIntegral))
        (groups (Binary.putWord64le . fromIntegral))
        (groups (Cereal.putWord64le . fromIntegral)),
      workloadsOf
        "Word64be"
        8
        (groups (A.word64BE . fromIntegral))
        (groups (B.word64BE . fromIntegral))
        (groups (Binary.putWord64be . fromIntegral))
        (groups (Cereal.putWord64be . fromIntegral)),
      workloadsOf
        "Doublele"
        8
        (groups (A.doubleLE . fromIntegral))
        (groups (B.doubleLE . fromIntegral))
        (groups (Binary.putDoublele . fromIntegral))
        (groups (Cereal.putFloat64le . fromIntegral)),
      workloadsOf
        "Doublebe"
        8
        (groups (A.doubleBE . fromIntegral))
        (groups (B.doubleBE . fromIntegral))
        (groups (Binary.putDoublebe . fromIntegral))
        (groups (Cereal.putFloat64be . fromIntegral)),
      workloadsOf
        "Word64host"
        8
        (groups (A.word64Host . fromIntegral))
        (groups (B.word64Host . fromIntegral))
        (groups (Binary.putWord64host . fromIntegral))
        (groups (Cereal.putWord64host . fromIntegral))
    ]

-- This many numbers, in groups of each size.
groups :: Monoid m => (Int -> m) -> [(Int, Int -> m)]
groups f =
  [ (1, loop 1 f),
    (2, loop 2 (two f)),
    (4, loop 4 (four f)),
    (8, loop 8 (eight f)),
    (16, loop 16 (\i -> eight f i <> eight f (i + 8)))
  ]
  where
    two g i = g i <> g (i + 1)
    four g i = g i <> g (i + 1) <> g (i + 2) <> g (i + 3)
    eight g i =
      g i <> g (i + 1) <> g (i + 2) <> g (i + 3) <> g (i + 4) <> g (i + 5) <> g (i + 6) <> g (i + 7)
{-# INLINE groups #-}

loop :: Monoid m => Int -> (Int -> m) -> Int -> m
loop k f n = go 0
  where
    go i
      | i >= n = mempty
      | otherwise = f i <> go (i + k)
{-# INLINE loop #-}

workloadsOf ::
  String ->
  Int ->
  [(Int, Int -> A.Builder)] ->
  [(Int, Int -> B.Builder)] ->
  [(Int, Int -> Binary.Put)] ->
  [(Int, Int -> Cereal.Put)] ->
  [Workload]
workloadsOf name width ours bytestrings binarys cereals =
  [ curve ("Put 1 MB of " ++ name) "numbers in a group" k . bytesOfText 1048576 $
      same
        ("put " ++ name ++ " in groups of " ++ show k ++ ", 1 MB, lazy")
        [ ("ashlar", forced . A.toLazyByteString . a),
          ("bytestring", forced . B.toLazyByteString . b),
          ("binary", forced . Binary.runPut . p),
          ("cereal", forced . Cereal.runPutLazy . c)
        ]
        (1048576 `div` width)
    | ((k, a), (_, b), ((_, p), (_, c))) <- zip3 ours bytestrings (zip binarys cereals)
  ]
  where
    forced l = L.length l `seq` l
