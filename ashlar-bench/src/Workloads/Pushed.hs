{-# LANGUAGE BangPatterns #-}

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

import qualified Ashlar.Compat.Cereal.Get as Compat
import qualified Ashlar.Get as A
import qualified Ashlar.Get.Feed as A
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import qualified Data.List as List
import Data.Maybe (fromMaybe)
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
      ]
  ]
    ++ concatMap shortRuns [4, 20, 240]
    ++ [ownDecoders]
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

-- A run for each value of so many bytes: numbers that are added up.
shortRuns :: Int -> [Workload]
shortRuns size =
  [ Workload
      (name ++ ", pushed")
      [ ("ashlar", apply (oneByOne (summed n A.getWord32le) (+) 0) chunks),
        ("ashlar, Compat.Cereal", apply (partials (summed n A.getWord32le) (+) 0) chunks),
        ("binary", apply (binarys (summed n B.getWord32le) (+) 0) chunks),
        ("cereal", apply (cereals (summed n C.getWord32le) (+) 0) chunks)
      ],
    Workload
      (name ++ ", lazy")
      [ ("ashlar", apply (eachLazy (restAnd (A.runGetOrFail (summed n A.getWord32le))) 0) input),
        ("binary", apply (eachLazy (restAnd (B.runGetOrFail (summed n B.getWord32le))) 0) input)
      ]
  ]
  where
    name = "a run for each value of " ++ show size ++ " bytes"
    input = chunksOf 4096 (S.replicate (size * (400000 `div` size)) 7)
    chunks = L.toChunks input
    n = size `div` 4
    restAnd run lbs = either (const noDecode) (\(rest, _, a) -> (rest, a)) (run lbs)
    {-# INLINE restAnd #-}

summed :: Monad m => Int -> m Word32 -> m Word32
summed count number = go count 0
  where
    go n !acc = if n == 0 then pure acc else number >>= \w -> go (n - 1) (acc + w)
{-# INLINE summed #-}

-- The first state of a decoder is not shared by the messages, so each begins without input.
ownDecoders :: Workload
ownDecoders =
  Workload
    "10000 messages of 4 to 20 bytes, each with a decoder of its own, pushed"
    [ ("ashlar", apply (total (\n -> oneByOne (summed n A.getWord32le) (+) 0)) messages),
      ("binary", apply (total (\n -> binarys (summed n B.getWord32le) (+) 0)) messages),
      ("cereal", apply (total (\n -> cereals (summed n C.getWord32le) (+) 0)) messages)
    ]
  where
    messages = [(n, [S.replicate (4 * n) 7]) | i <- [0 .. 9999], let n = 1 + i `mod` 5]
    total run = List.foldl' (\acc (n, chunks) -> acc + run n chunks) 0
    {-# INLINE total #-}

eachLazy :: (L.ByteString -> (L.ByteString, Word32)) -> Word32 -> L.ByteString -> Word32
eachLazy run = go
  where
    go !acc lbs
      | L.null lbs = acc
      | otherwise = case run lbs of (rest, a) -> go (acc + a) rest
{-# INLINE eachLazy #-}

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
eachBegun ::
  -- | Begin with a chunk.
  (S.ByteString -> d) ->
  -- | What became of a decoder: what it has left and its value, or how it goes on.
  (d -> Maybe (Either (Maybe S.ByteString -> d) (S.ByteString, a))) ->
  (b -> a -> b) ->
  b ->
  [S.ByteString] ->
  b
eachBegun begin state f = fresh
  where
    fresh acc chunks =
      acc `seq` case chunks of
        [] -> acc
        bs : more
          | S.null bs -> fresh acc more
          | otherwise -> go (begin bs) acc more
    go decoder acc chunks = case state decoder of
      Just (Right (rest, a)) -> fresh (f acc a) (rest : chunks)
      Just (Left resume) | bs : more <- chunks -> go (resume (Just bs)) acc more
      _ -> noDecode
{-# INLINE eachBegun #-}

binarys :: B.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
binarys g = eachBegun (B.pushChunk (B.runGetIncremental g)) $ \decoder -> case decoder of
  B.Done rest _ a -> Just (Right (rest, a))
  B.Partial resume -> Just (Left resume)
  B.Fail {} -> Nothing
{-# INLINE binarys #-}

oneByOne :: A.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
oneByOne g = eachBegun (A.pushChunk (A.runGetIncremental g)) $ \decoder -> case decoder of
  A.Done rest _ a -> Just (Right (rest, a))
  A.Partial resume -> Just (Left resume)
  A.Fail {} -> Nothing
{-# INLINE oneByOne #-}

cereals :: C.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
cereals g = eachBegun (C.runGetPartial g) $ \result -> case result of
  C.Done a rest -> Just (Right (rest, a))
  C.Partial resume -> Just (Left (resume . fromMaybe S.empty))
  C.Fail _ _ -> Nothing
{-# INLINE cereals #-}

partials :: A.Get a -> (b -> a -> b) -> b -> [S.ByteString] -> b
partials g = eachBegun (Compat.runGetPartial g) $ \result -> case result of
  Compat.Done a rest -> Just (Right (rest, a))
  Compat.Partial resume -> Just (Left (resume . fromMaybe S.empty))
  Compat.Fail _ _ -> Nothing
{-# INLINE partials #-}

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
