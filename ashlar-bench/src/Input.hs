-- |
-- Module      : Input
-- Description : What workloads share about their input
module Input
  ( likeText,
    chunksOf,
    right,
    noDecode,
  )
where

import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L

-- | This many bytes that resemble text.
likeText :: Int -> S.ByteString
likeText n = S.pack (take n (cycle [fromIntegral (i * i `div` 7) | i <- [0 .. 9999 :: Int]]))

-- | The same bytes in chunks of this size, each in memory of its own.
chunksOf :: Int -> S.ByteString -> L.ByteString
chunksOf n =
  L.fromChunks . map S.copy . takeWhile (not . S.null) . map (S.take n) . iterate (S.drop n)

-- | The value that was decoded. Without one, the benchmark ends with an error.
right :: Either e a -> a
right = either (const noDecode) id
{-# INLINE right #-}

-- | The error that a benchmark ends with if a decoder fails.
noDecode :: a
noDecode = errorWithoutStackTrace "the benchmark's own data do not decode"
