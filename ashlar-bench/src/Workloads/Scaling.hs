-- |
-- Module      : Workloads.Scaling
-- Description : From a kilobyte to a gigabyte, beside memcpy, write and loops in C
module Workloads.Scaling (scalingWorkloads) where

import qualified Ashlar.Builder as A
import qualified Ashlar.Codec as A
import qualified Ashlar.Get as A
import Control.Monad (replicateM_)
import qualified Data.Binary.Get as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import qualified Data.Serialize.Get as Cereal
import qualified Data.Store as Store
import qualified Data.Vector.Storable as SV
import Data.Word (Word64, Word8)
import Foreign.C.Types (CSize (..))
import Foreign.Ptr (Ptr, castPtr)
import Input (right)
import Output
import Shapes (numbers)
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
scalingWorkloads :: [Workload]
scalingWorkloads = concatMap ofSize [1024, 32768, 1048576, 33554432, 1073741824]

ofSize :: Int -> [Workload]
ofSize size =
  [ point "Encode a vector of Word64" $
      Workload
        ("encode a storable vector of " ++ named)
        [ ("ashlar", apply A.encode vector),
          ("store", apply Store.encode vector),
          ("memcpy", apply S.copy memory)
        ],
    point "Build numbers, strict" $
      same
        ("build Word64s, strict, " ++ named)
        [ ("ashlar", toStrict . oursOf),
          ("bytestring", toStrict . theirsOf),
          ("C loop", filled)
        ]
        n,
    point "Build numbers to /dev/null" $
      Workload
        ("build Word64s to /dev/null, " ++ named)
        [ ("ashlar", applyIO (toHandle devNull . oursOf) n),
          ("bytestring", applyIO (toHandle devNull . theirsOf) n),
          ("write of the bytes, 32 KiB each", applyIO written size)
        ],
    point "Read numbers" $
      same
        ("add up Word64s, " ++ named)
        ( [ ("ashlar", right . A.runGet (summed A.getWord64le n)),
            ("C loop", cSummed)
          ]
            -- A gigabyte would take them minutes.
            ++ [ other
                 | size < 1073741824,
                   other <-
                     [ ("binary", Binary.runGet (summed Binary.getWord64le n) . L.fromStrict),
                       ("cereal", right . Cereal.runGet (summed Cereal.getWord64le n))
                     ]
               ]
        )
        memory
  ]
  where
    n = size `div` 8
    vector = SV.generate n fromIntegral :: SV.Vector Word64
    memory = filled n
    point title = curve title "bytes" size . bytesOfText size
    named
      | size >= 1073741824 = show (size `div` 1073741824) ++ " GiB"
      | size >= 1048576 = show (size `div` 1048576) ++ " MiB"
      | otherwise = show (size `div` 1024) ++ " KiB"

oursOf :: Int -> A.Builder
oursOf = numbers

theirsOf :: Int -> B.Builder
theirsOf = numbers

summed :: Monad m => m Word64 -> Int -> m Word64
summed getter = go 0
  where
    go acc k
      | k == (0 :: Int) = pure acc
      | otherwise = getter >>= \x -> let acc' = acc + x in acc' `seq` go acc' (k - 1)
{-# INLINE summed #-}

foreign import ccall unsafe "ashlar_bench_fill"
  c_fill :: Ptr Word8 -> CSize -> IO ()

foreign import ccall unsafe "ashlar_bench_sum64"
  c_sum :: Ptr Word8 -> CSize -> IO Word64

-- The numbers from 0.
filled :: Int -> S.ByteString
filled n = S.unsafeCreate (8 * n) (\p -> c_fill p (fromIntegral n))

cSummed :: S.ByteString -> Word64
cSummed bs =
  unsafePerformIO (S.unsafeUseAsCStringLen bs (\(p, n) -> c_sum (castPtr p) (fromIntegral n)))

-- This many bytes, the same ones again and again.
written :: Int -> IO ()
written size = replicateM_ (size `div` S.length block) (S.hPut devNull block) >> S.hPut devNull rest
  where
    rest = S.take (size `mod` S.length block) block

block :: S.ByteString
block = S.replicate 32768 7
{-# NOINLINE block #-}

devNull :: Handle
devNull = unsafePerformIO $ do
  h <- openBinaryFile "/dev/null" WriteMode
  h <$ hSetBuffering h NoBuffering
{-# NOINLINE devNull #-}
