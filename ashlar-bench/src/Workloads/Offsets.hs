-- |
-- Module      : Workloads.Offsets
-- Description : Decoders: offsets, decoding within decoded bytes, and a class of monads
module Workloads.Offsets (offsetWorkloads) where

import qualified Ashlar.Builder as Builder
import qualified Ashlar.Get as A
import Ashlar.Put (execPut, putByteString, putWord32le, putWord64le)
import Control.Monad (replicateM)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.State.Strict (StateT, evalStateT)
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize.Get as C
import Data.Word (Word32, Word64, Word8)
import Input (right)
import Workload

-- | All of them.
offsetWorkloads :: [Workload]
offsetWorkloads =
  [ Workload
      "10000 jumps to 8 bytes each"
      [ ("ashlar", apply (right . A.runGet (added A.getWord32le jump)) table),
        ("binary", apply (B.runGet (added B.getWord32le jumpBinary)) (L.fromStrict table))
      ],
    Workload
      "10000 names in a table of strings"
      [ ("ashlar", apply (right . A.runGet (A.getSpan 8000 >>= added A.getWord32le . name)) names),
        ( "binary",
          apply
            (B.runGet (B.getByteString 8000 >>= added B.getWord32le . nameBinary))
            (L.fromStrict names)
        ),
        ( "cereal",
          apply (right . C.runGet (C.getByteString 8000 >>= added C.getWord32le . nameCereal)) names
        )
      ],
    Workload
      "a list of 10000 records, over a class of monads"
      [ ("ashlar", apply (total . right . A.runGet (records 10000)) table),
        ("binary", apply (total . B.runGet (records 10000)) (L.fromStrict table))
      ],
    Workload
      "a list of 10000 records, over a class of monads, under StateT Int"
      [ ("ashlar", apply (total . right . A.runGet (evalStateT (records 10000) (0 :: Int))) table),
        ( "binary",
          apply (total . B.runGet (evalStateT (records 10000) (0 :: Int))) (L.fromStrict table)
        )
      ]
  ]
  where
    jump o = A.atOffset (fromIntegral o) A.getWord64le
    jumpBinary o = do
      at <- B.bytesRead
      B.lookAhead (B.skip (fromIntegral o - fromIntegral at) *> B.getWord64le)
    name bytes i = nameOf <$> A.inSpan bytes (A.skip (place i) *> A.getByteString 8)
    nameBinary bytes i =
      pure $! nameOf (B.runGet (B.skip (place i) *> B.getByteString 8) (L.fromStrict bytes))
    nameCereal bytes i =
      pure $! nameOf (right (C.runGet (C.skip (place i) *> C.getByteString 8) bytes))
    nameOf = fromIntegral . S.length
    place i = fromIntegral (i `mod` 7992)

-- 10000 offsets, each of a number after them.
table :: S.ByteString
table =
  Builder.toStrictByteString . execPut $ do
    mapM_ (\i -> putWord32le (40000 + 8 * ((i * 7919) `mod` 10000))) [0 .. 9999]
    mapM_ putWord64le [1 .. 10000]

-- A table of strings, and 10000 indices.
names :: S.ByteString
names =
  Builder.toStrictByteString . execPut $ do
    putByteString (S.replicate 8000 97)
    mapM_ (\i -> putWord32le (i * 7919)) [0 .. 9999]

added :: Monad m => m Word32 -> (Word32 -> m Word64) -> m Word64
added number at = go (10000 :: Int) 0
  where
    go n acc
      | n == 0 = pure acc
      | otherwise = number >>= at >>= \x -> let acc' = acc + x in acc' `seq` go (n - 1) acc'
{-# INLINE added #-}

-- * A program that does not know its decoder

class Monad m => MonadDecoder m where
  word8 :: m Word8
  word32 :: m Word32

instance MonadDecoder A.Get where
  word8 = A.getWord8
  word32 = A.getWord32le

instance MonadDecoder B.Get where
  word8 = B.getWord8
  word32 = B.getWord32le

instance MonadDecoder m => MonadDecoder (StateT s m) where
  word8 = lift word8
  word32 = lift word32

data Record = Record !Word32 !Word8

records :: MonadDecoder m => Int -> m [Record]
records n = replicateM n (Record <$> word32 <*> word8)
{-# NOINLINE records #-}

total :: [Record] -> Word64
total = go 0
  where
    go acc rs = case rs of
      [] -> acc
      Record a b : rest ->
        let acc' = acc + fromIntegral a + fromIntegral b in acc' `seq` go acc' rest
