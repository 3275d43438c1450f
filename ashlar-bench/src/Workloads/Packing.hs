-- |
-- Module      : Workloads.Packing
-- Description : Packing bytes, chunks, and what a foreign call costs
--
-- The questions of blaze-builder's benchmarks, among them why compressing small chunks is slow. It
-- is not zlib: a loop in C that calls @deflate@ for each chunk takes about as long as compacting
-- them first. It is what the binding does for each chunk.
module Workloads.Packing
  ( packingWorkloads,
    deflated,
  )
where

import qualified Ashlar.Builder as A
import qualified Ashlar.Builder.Extra as A
import qualified Blaze.ByteString.Builder as Blaze
import qualified Codec.Compression.Zlib as Zlib
import Control.Monad (replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Ptr (Ptr, castPtr)
import Input (chunksOf, likeText)
import Output
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
packingWorkloads :: [Workload]
packingWorkloads = concat [packed, chunkSizes, calls, compacted, compressed]

packed :: [Workload]
packed =
  concat
    [ [ boxes "Pack a list of bytes, strict" "bytes" n . bytesOfText n $
          same
            ("pack [Word8] of " ++ show n ++ ", strict")
            [ ("ashlar", toStrict . oursOf),
              ("bytestring", toStrict . theirsOf),
              ("blaze-builder", Blaze.toByteString . Blaze.fromWord8s),
              ("S.pack", S.pack)
            ]
            (bytes n),
        boxes "Pack a list of bytes, lazy" "bytes" n . bytesOfText n $
          same
            ("pack [Word8] of " ++ show n ++ ", lazy")
            [ ("ashlar", forced . toLazy . oursOf),
              ("bytestring", forced . toLazy . theirsOf),
              ("blaze-builder", forced . Blaze.toLazyByteString . Blaze.fromWord8s),
              ("L.pack", forced . L.pack)
            ]
            (bytes n)
      ]
      | n <- [1, 8, 64, 512, 4096, 32768, 262144, 1048576]
    ]
  where
    bytes n = take n (cycle [0 ..]) :: [Word8]

oursOf :: [Word8] -> A.Builder
oursOf = word8s

theirsOf :: [Word8] -> B.Builder
theirsOf = word8s

-- All chunks, as one that compares fast.
forced :: L.ByteString -> L.ByteString
forced l = L.length l `seq` l

-- Lazy output with chunks of each size.
chunkSizes :: [Workload]
chunkSizes =
  [ curve "Pack 1 MB by the size of chunks" "bytes of a chunk" n . bytesOfText 1000000 $
      same
        ("pack 1 MB in chunks of " ++ show n)
        [ ( "ashlar",
            forced . A.toLazyByteStringWith (A.untrimmedStrategy n n) L.empty . oursOf
          ),
          ( "bytestring",
            forced . B.toLazyByteStringWith (B.untrimmedStrategy n n) L.empty . theirsOf
          )
        ]
        (replicate 1000000 7)
    | n <- [64, 512, 4096, 32768, 262144, 1048576]
  ]

foreign import ccall unsafe "ashlar_bench_nothing" unsafeNothing :: IO ()

foreign import ccall safe "ashlar_bench_nothing" safeNothing :: IO ()

calls :: [Workload]
calls =
  [ items 1000 $
      Workload
        "1000 foreign calls that do nothing"
        [ ("C, unsafe call", applyIO (`replicateM_` unsafeNothing) 1000),
          ("C, safe call", applyIO (`replicateM_` safeNothing) 1000)
        ]
  ]

-- Making few chunks of many, without and with compressing them.
compacted, compressed :: [Workload]
compacted =
  [ curve "Compact 200 KB by the size of chunks" "bytes of a chunk" n . bytesOfText 200000 $
      same
        ("compact 200 KB in chunks of " ++ show n)
        [ ("ashlar", forced . A.defragment),
          ("bytestring", forced . B.toLazyByteString . B.lazyByteStringCopy),
          ("blaze-builder", forced . Blaze.toLazyByteString . Blaze.copyLazyByteString)
        ]
        (chunksOf n text)
    | n <- chunkLengths
  ]
compressed =
  [ curve "Compress 200 KB by the size of chunks" "bytes of a chunk" n . bytesOfText 200000 $
      same
        ("compress 200 KB in chunks of " ++ show n)
        [ ("ashlar, compacted first", forced . Zlib.decompress . Zlib.compress . A.defragment),
          ("zlib alone", forced . Zlib.decompress . Zlib.compress),
          ( "blaze-builder first",
            forced . Zlib.decompress . Zlib.compress . Blaze.toLazyByteString
              . Blaze.copyLazyByteString
          )
        ]
        (chunksOf n text)
        `inC` n
    | n <- chunkLengths
  ]
  where
    inC w n =
      w
        { workloadRuns =
            [ ("ashlar, compacted first", apply (L.length . Zlib.compress . A.defragment) chunks),
              ("zlib alone", apply (L.length . Zlib.compress) chunks),
              ( "blaze-builder first",
                apply
                  (L.length . Zlib.compress . Blaze.toLazyByteString . Blaze.copyLazyByteString)
                  chunks
              ),
              ("C, deflate for each chunk", apply (deflated 15 n) (L.toStrict chunks))
            ]
        }
      where
        chunks = chunksOf n text

text :: S.ByteString
text = likeText 200000

chunkLengths :: [Int]
chunkLengths = [1, 8, 64, 512, 4096, 8192]

foreign import ccall unsafe "ashlar_bench_deflate"
  c_deflate :: CInt -> Ptr Word8 -> CSize -> CSize -> IO CSize

-- | The length of what zlib makes of such chunks, with a call of it for each. The format is 15 for
-- zlib, and 31 for gzip.
deflated :: CInt -> Int -> S.ByteString -> CSize
deflated format chunk bs = unsafePerformIO $
  S.unsafeUseAsCStringLen bs $ \(p, n) ->
    c_deflate format (castPtr p) (fromIntegral n) (fromIntegral chunk)
