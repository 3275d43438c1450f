-- |
-- Module      : Workloads.Pushed
-- Description : Many values from input that is pushed, in chunks of 4 KiB
module Workloads.Pushed
  ( pushedWorkloads,

    -- * One value
    pushed,
    pushedBinary,
    pushedCereal,
  )
where

import qualified Ashlar.Get as A
import qualified Ashlar.Get.Feed as A
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import qualified Data.List as List
import qualified Data.Serialize.Get as C
import Data.Word (Word32, Word64)
import Input (chunksOf, noDecode)
import Workload

-- | All of them.
pushedWorkloads :: [Workload]
pushedWorkloads =
  [ Workload
      "pushed values: 100000 Word32 in chunks of 4 KiB"
      [ ("ashlar", apply (ours A.getWord32le added 0) numbers),
        ("ashlar, Source", applyIO (fromSource A.getWord32le added 0) numbers),
        ("binary", apply (binarys B.getWord32le added 0) numbers)
      ],
    Workload
      "pushed values: 20000 messages of 100 bytes in chunks of 4 KiB"
      [ ("ashlar", apply (ours message lengths 0) messages),
        ("ashlar, Source", applyIO (fromSource message lengths 0) messages),
        ("binary", apply (binarys binaryMessage lengths 0) messages)
      ],
    Workload
      "a decoder for each of 100000 Word32 in chunks of 4 KiB"
      [ ("ashlar", apply (oneByOne A.getWord32le added 0) numbers),
        ("binary", apply (binarys B.getWord32le added 0) numbers)
      ]
  ]
  where
    numbers = L.toChunks (chunksOf 4096 (S.replicate 400000 7))
    messages =
      L.toChunks $
        chunksOf 4096 (S.concat (replicate 20000 (S.pack [96, 0, 0, 0] <> S.replicate 96 1)))
    message = A.getWord32le >>= A.getByteString . fromIntegral
    binaryMessage = B.getWord32le >>= B.getByteString . fromIntegral
    added :: Word64 -> Word32 -> Word64
    added acc w = acc + fromIntegral w
    lengths :: Int -> S.ByteString -> Int
    lengths acc bs = acc + S.length bs

ours :: A.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
ours g f = go (A.runGetValues g)
  where
    go state acc chunks =
      acc `seq` case chunks of
        bs : more -> case A.feedValues state bs of
          (as, next) -> go next (List.foldl' f acc as) more
        [] -> case A.feedValuesEnd state of
          (as, A.ValuesDone _) -> List.foldl' f acc as
          _ -> noDecode
{-# INLINE ours #-}

fromSource :: A.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> IO ()
fromSource g f b chunks = do
  left <- newIORef chunks
  source <- A.newSource $ do
    now <- readIORef left
    case now of
      bs : more -> bs <$ writeIORef left more
      [] -> pure S.empty
  result <- A.foldFrom source g (\acc a -> pure (f acc a)) b
  either (const noDecode) (`seq` pure ()) result
{-# INLINE fromSource #-}

-- A new decoder for each value, as binary's documentation has it.
binarys :: B.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
binarys g f = fresh
  where
    fresh acc chunks =
      acc `seq` case chunks of
        [] -> acc
        bs : more
          | S.null bs -> fresh acc more
          | otherwise -> go (B.runGetIncremental g `B.pushChunk` bs) acc more
    go decoder acc chunks = case decoder of
      B.Done rest _ a -> fresh (f acc a) (rest : chunks)
      B.Partial resume -> case chunks of
        bs : more -> go (resume (Just bs)) acc more
        [] -> noDecode
      B.Fail {} -> noDecode
{-# INLINE binarys #-}

-- The same with our names.
oneByOne :: A.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
oneByOne g f = fresh
  where
    fresh acc chunks =
      acc `seq` case chunks of
        [] -> acc
        bs : more
          | S.null bs -> fresh acc more
          | otherwise -> go (A.runGetIncremental g `A.pushChunk` bs) acc more
    go decoder acc chunks = case decoder of
      A.Done rest _ a -> fresh (f acc a) (rest : chunks)
      A.Partial resume -> case chunks of
        bs : more -> go (resume (Just bs)) acc more
        [] -> noDecode
      A.Fail {} -> noDecode
{-# INLINE oneByOne #-}

-- | A value from chunks that are pushed.
pushed :: A.Get a -> [S.ByteString] -> a
pushed g chunks = case A.pushEndOfInput (List.foldl' A.pushChunk (A.runGetIncremental g) chunks) of
  A.Done _ _ a -> a
  _ -> noDecode

pushedBinary :: B.Get a -> [S.ByteString] -> a
pushedBinary g chunks =
  case B.pushEndOfInput (List.foldl' B.pushChunk (B.runGetIncremental g) chunks) of
    B.Done _ _ a -> a
    _ -> noDecode

pushedCereal :: C.Get a -> [S.ByteString] -> a
pushedCereal g = go (C.runGetPartial g)
  where
    go push chunks = case push (S.concat (take 1 chunks)) of
      C.Done a _ -> a
      C.Partial push' | _ : more <- chunks -> go push' more
      _ -> noDecode
