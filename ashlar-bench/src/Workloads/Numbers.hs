-- |
-- Module      : Workloads.Numbers
-- Description : Numbers in groups, as in the benchmarks of binary
--
-- The sum of a megabyte of numbers of one format, in groups of 1 to 16. The decoders of a group are
-- side by side.
module Workloads.Numbers (numberWorkloads) where

import qualified Ashlar.Get as A
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import Data.List (dropWhileEnd)
import qualified Data.Serialize.Get as C
import qualified Data.Serialize.IEEE754 as C
import Data.Word (Word64, Word8)
import Foreign.C.Types (CSize (..))
import Foreign.Ptr (Ptr, castPtr)
import Input (chunksOf, right)
import System.IO.Unsafe (unsafePerformIO)
import Workload
import Workloads.Pushed

foreign import ccall unsafe "ashlar_bench_sum8" sum8 :: Sum

foreign import ccall unsafe "ashlar_bench_sum16" sum16 :: Sum

foreign import ccall unsafe "ashlar_bench_sum32" sum32 :: Sum

foreign import ccall unsafe "ashlar_bench_sum64" sum64 :: Sum

foreign import ccall unsafe "ashlar_bench_sum16s" sum16s :: Sum

foreign import ccall unsafe "ashlar_bench_sum32s" sum32s :: Sum

foreign import ccall unsafe "ashlar_bench_sum64s" sum64s :: Sum

foreign import ccall unsafe "ashlar_bench_sum_double" sumDouble :: Sum

foreign import ccall unsafe "ashlar_bench_sum_double_swapped" sumDoubleSwapped :: Sum

type Sum = Ptr Word8 -> CSize -> IO Word64

-- | All formats, in groups of all sizes, from four kinds of input. Little-endian formats and those
-- of this machine have the same code.
numberWorkloads :: [Workload]
numberWorkloads =
  concat
    [ workloadsOf "Word8" 1 sum8 (grouped A.getWord8) (grouped B.getWord8) (grouped C.getWord8),
      workloadsOf
        "Word16le"
        2
        sum16
        (grouped A.getWord16le)
        (grouped B.getWord16le)
        (grouped C.getWord16le),
      workloadsOf
        "Word16be"
        2
        sum16s
        (grouped A.getWord16be)
        (grouped B.getWord16be)
        (grouped C.getWord16be),
      workloadsOf
        "Word16host"
        2
        sum16
        (grouped A.getWord16host)
        (grouped B.getWord16host)
        (grouped C.getWord16host),
      workloadsOf
        "Word32le"
        4
        sum32
        (grouped A.getWord32le)
        (grouped B.getWord32le)
        (grouped C.getWord32le),
      workloadsOf
        "Word32be"
        4
        sum32s
        (grouped A.getWord32be)
        (grouped B.getWord32be)
        (grouped C.getWord32be),
      workloadsOf
        "Word32host"
        4
        sum32
        (grouped A.getWord32host)
        (grouped B.getWord32host)
        (grouped C.getWord32host),
      workloadsOf
        "Word64le"
        8
        sum64
        (grouped A.getWord64le)
        (grouped B.getWord64le)
        (grouped C.getWord64le),
      workloadsOf
        "Word64be"
        8
        sum64s
        (grouped A.getWord64be)
        (grouped B.getWord64be)
        (grouped C.getWord64be),
      workloadsOf
        "Doublele"
        8
        sumDouble
        (grouped A.getDoublele)
        (grouped B.getDoublele)
        (grouped C.getFloat64le),
      workloadsOf
        "Doublebe"
        8
        sumDoubleSwapped
        (grouped A.getDoublebe)
        (grouped B.getDoublebe)
        (grouped C.getFloat64be),
      workloadsOf
        "Word64host"
        8
        sum64
        (grouped A.getWord64host)
        (grouped B.getWord64host)
        (grouped C.getWord64host),
      workloadsOf
        "Word8, Applicative,"
        1
        sum8
        (sideBySide A.getWord8)
        (sideBySide B.getWord8)
        (sideBySide C.getWord8),
      workloadsOf
        "Word32le, Applicative,"
        4
        sum32
        (sideBySide A.getWord32le)
        (sideBySide B.getWord32le)
        (sideBySide C.getWord32le),
      workloadsOf
        "Word64be, Applicative,"
        8
        sum64s
        (sideBySide A.getWord64be)
        (sideBySide B.getWord64be)
        (sideBySide C.getWord64be)
    ]

-- The same without the monad within a group.
sideBySide :: (Monad m, Num a) => m a -> [(Int, Int -> m a)]
sideBySide g =
  [ (2, summed 2 (two g)),
    (4, summed 4 (four g)),
    (8, summed 8 (eight g)),
    (16, summed 16 (sixteen g))
  ]
  where
    two f = (+) <$> f <*> f
    four f = (\a b c d -> a + b + c + d) <$> f <*> f <*> f <*> f
    eight f =
      (\a b c d e h i j -> a + b + c + d + e + h + i + j)
        <$> f <*> f <*> f <*> f <*> f <*> f <*> f <*> f
    sixteen f =
      ( \a b c d e h i j k l m n o p q r ->
          a + b + c + d + e + h + i + j + k + l + m + n + o + p + q + r
      )
        <$> f <*> f <*> f <*> f <*> f <*> f <*> f <*> f <*> f <*> f <*> f
          <*> f
          <*> f
          <*> f
          <*> f
          <*> f
{-# INLINE sideBySide #-}

-- The sum of this many numbers, in groups of each size.
grouped :: (Monad m, Num a) => m a -> [(Int, Int -> m a)]
grouped g = [(1, group1 g), (2, group2 g), (4, group4 g), (8, group8 g), (16, group16 g)]
{-# INLINE grouped #-}

group1, group2, group4, group8, group16 :: (Monad m, Num a) => m a -> Int -> m a
group1 = summed 1
group2 g = summed 2 (do a <- g; b <- g; pure $! a + b)
group4 g = summed 4 (do a <- g; b <- g; c <- g; d <- g; pure $! a + b + c + d)
group8 g =
  summed 8 $ do
    a <- g
    b <- g
    c <- g
    d <- g
    e <- g
    f <- g
    h <- g
    i <- g
    pure $! a + b + c + d + e + f + h + i
group16 g =
  summed 16 $ do
    a <- g
    b <- g
    c <- g
    d <- g
    e <- g
    f <- g
    h <- g
    i <- g
    j <- g
    k <- g
    l <- g
    m <- g
    n <- g
    o <- g
    p <- g
    q <- g
    pure $! a + b + c + d + e + f + h + i + j + k + l + m + n + o + p + q
{-# INLINE group1 #-}
{-# INLINE group2 #-}
{-# INLINE group4 #-}
{-# INLINE group8 #-}
{-# INLINE group16 #-}

summed :: (Monad m, Num a) => Int -> m a -> Int -> m a
summed k g n0 = go n0 0
  where
    go n acc
      | n < k = pure acc
      | otherwise = g >>= \x -> let acc' = acc + x in acc' `seq` go (n - k) acc'
{-# INLINE summed #-}

workloadsOf ::
  String ->
  Int ->
  Sum ->
  [(Int, Int -> A.Get a)] ->
  [(Int, Int -> B.Get a)] ->
  [(Int, Int -> C.Get a)] ->
  [Workload]
workloadsOf name width inC ours binarys cereals =
  [ curve ("Get 1 MB of " ++ titled ++ ": " ++ how) "numbers in a group" k . bytesOfText 1048576 $
      Workload
        (name ++ " in groups of " ++ show k ++ ", 1 MB, " ++ how)
        (libraries (g n) (b n) (c n))
    | (how, libraries) <-
        [ ("strict", strict),
          ("chunks of 32 KiB", lazy largeChunks),
          ("chunks of 100 bytes", lazy smallChunks),
          ("pushed in chunks of 4 KiB", push)
        ],
      ((k, g), (_, b), (_, c)) <- zip3 ours binarys cereals
  ]
  where
    strict g b c =
      [ ("ashlar", apply (right . A.runGet g) input),
        ("binary", apply (B.runGet b) (L.fromStrict input)),
        ("cereal", apply (right . C.runGet c) input),
        ("C", apply (cSum inC) input)
      ]
    lazy chunks g b c =
      [ ("ashlar", apply (right . A.runGetLazy g) chunks),
        ("binary", apply (B.runGet b) chunks),
        ("cereal", apply (right . C.runGetLazy c) chunks)
      ]
    push g b c =
      [ ("ashlar", apply (pushed g) pushes),
        ("binary", apply (pushedBinary b) pushes),
        ("cereal", apply (pushedCereal c) pushes)
      ]
    titled = dropWhileEnd (== ',') name
    n = 1048576 `div` width

input :: S.ByteString
input = S.pack (take 1048576 (cycle [0 .. 250]))
{-# NOINLINE input #-}

largeChunks, smallChunks :: L.ByteString
largeChunks = chunksOf 32768 input
smallChunks = chunksOf 100 input
{-# NOINLINE largeChunks #-}
{-# NOINLINE smallChunks #-}

pushes :: [S.ByteString]
pushes = L.toChunks (chunksOf 4096 input)
{-# NOINLINE pushes #-}

cSum :: Sum -> S.ByteString -> Word64
cSum f bs = unsafePerformIO (S.unsafeUseAsCStringLen bs (\(p, n) -> f (castPtr p) (fromIntegral n)))
