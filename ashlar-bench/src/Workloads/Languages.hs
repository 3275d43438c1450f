-- |
-- Module      : Workloads.Languages
-- Description : The data of a benchmark in Rust
--
-- The data are those of <https://github.com/djkoloski/rust_serialization_benchmark>, made again
-- with its random numbers. Where a format there is as plain as ours, such as that of wincode, the
-- sizes agree, which is checked before anything is measured.
module Workloads.Languages (languageWorkloads) where

import qualified Ashlar.Codec as A
import qualified Codec.Compression.Zlib as Zlib
import Data.Binary (Binary)
import qualified Data.Binary as Binary
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S (unsafeCreate)
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as S
import Data.Serialize (Serialize)
import qualified Data.Serialize as Cereal
import Data.Store (Store)
import qualified Data.Store as Store
import qualified Data.Vector as V
import Data.Word (Word8)
import Datasets.Log
import Datasets.Mesh
import Datasets.Minecraft
import Datasets.Mk48
import Foreign (Ptr, castPtr, nullPtr)
import Foreign.C.Types (CSize (..))
import Input (right)
import System.IO.Unsafe (unsafePerformIO)
import Workload

-- | All of them.
languageWorkloads :: [Workload]
languageWorkloads =
  concat
    [ bothWays "log" 1045784 logs (Just cLog),
      bothWays "mesh" 6000008 mesh (Just cMesh),
      bothWays "minecraft_savedata" 566975 players Nothing,
      bothWays "mk48" 1791489 updates Nothing
    ]

-- Serialize and deserialize a value whose size is known. Inlined, so that each library's code is
-- compiled for the type.
bothWays ::
  (A.Codec a, Store a, Serialize a, Binary a, Eq a) =>
  String ->
  Int ->
  V.Vector a ->
  Maybe C ->
  [Workload]
bothWays name expected x byHand =
  [ (measured "serialize" write)
      { workloadOutputs = [(library, S.length bs) | (library, bs) <- encodings],
        workloadZlib = [(library, compressed bs) | (library, bs) <- encodings],
        workloadWrong =
          ["ashlar's size" | S.length ours /= expected]
            ++ ["C++, other bytes" | Just c <- [byHand], written c (value c ours) /= ours]
      },
    (measured "deserialize" readBack)
      { workloadWrong =
          [ library
            | (library, y) <-
                [ ("ashlar", right (A.decode ours)),
                  ("store", right (Store.decode (Store.encode x))),
                  ("cereal", right (Cereal.decode (Cereal.encode x))),
                  ("binary", Binary.decode (Binary.encode x))
                ],
              y /= x
          ]
      }
  ]
  where
    ours = A.encode x
    encodings =
      [ ("ashlar", ours),
        ("store", Store.encode x),
        ("cereal", Cereal.encode x),
        ("binary", L.toStrict (Binary.encode x))
      ]
    compressed = fromIntegral . L.length . Zlib.compress . L.fromStrict
    measured verb libraries =
      bars (bytesOfText expected (Workload (verb ++ " " ++ name) libraries))
    write =
      [ ("ashlar", apply A.encode x),
        ("store", apply Store.encode x),
        ("cereal", apply Cereal.encode x),
        ("binary", apply (L.toStrict . Binary.encode) x)
      ]
        ++ [(hand, apply (written c) (value c ours)) | Just c <- [byHand]]
    readBack =
      [ ("ashlar", apply (\bs -> right (A.decode bs) `asTypeOf` x) ours),
        ("store", apply (\bs -> right (Store.decode bs) `asTypeOf` x) (Store.encode x)),
        ("cereal", apply (\bs -> right (Cereal.decode bs) `asTypeOf` x) (Cereal.encode x)),
        ("binary", apply (\bs -> Binary.decode bs `asTypeOf` x) (Binary.encode x))
      ]
        ++ [(hand, applyIO (readAndFree c) ours) | Just c <- [byHand]]
    hand = "calibration, C++ by hand"
{-# INLINE bothWays #-}

-- A codec in C++: read, the size, write and free a value.
data C
  = C
      (Ptr Word8 -> CSize -> IO (Ptr ()))
      (Ptr () -> IO CSize)
      (Ptr () -> Ptr Word8 -> IO ())
      (Ptr () -> IO ())

foreign import ccall unsafe "ashlar_bench_read_log" readLog :: Ptr Word8 -> CSize -> IO (Ptr ())

foreign import ccall unsafe "ashlar_bench_size_log" sizeLog :: Ptr () -> IO CSize

foreign import ccall unsafe "ashlar_bench_write_log" writeLog :: Ptr () -> Ptr Word8 -> IO ()

foreign import ccall unsafe "ashlar_bench_free_log" freeLog :: Ptr () -> IO ()

foreign import ccall unsafe "ashlar_bench_read_mesh" readMesh :: Ptr Word8 -> CSize -> IO (Ptr ())

foreign import ccall unsafe "ashlar_bench_size_mesh" sizeMesh :: Ptr () -> IO CSize

foreign import ccall unsafe "ashlar_bench_write_mesh" writeMesh :: Ptr () -> Ptr Word8 -> IO ()

foreign import ccall unsafe "ashlar_bench_free_mesh" freeMesh :: Ptr () -> IO ()

cLog, cMesh :: C
cLog = C readLog sizeLog writeLog freeLog
cMesh = C readMesh sizeMesh writeMesh freeMesh

-- The value of these bytes, which is never freed.
value :: C -> S.ByteString -> Ptr ()
value c bs = unsafePerformIO (readIt c bs)
{-# NOINLINE value #-}

readIt :: C -> S.ByteString -> IO (Ptr ())
readIt (C get _ _ _) bs =
  S.unsafeUseAsCStringLen bs $ \(p, n) -> do
    v <- get (castPtr p) (fromIntegral n)
    if v == nullPtr then errorWithoutStackTrace "C++ refuses the data" else pure v

readAndFree :: C -> S.ByteString -> IO ()
readAndFree c@(C _ _ _ free) bs = readIt c bs >>= free

written :: C -> Ptr () -> S.ByteString
written (C _ size put _) v = S.unsafeCreate (fromIntegral (unsafePerformIO (size v))) (put v)
{-# NOINLINE written #-}
