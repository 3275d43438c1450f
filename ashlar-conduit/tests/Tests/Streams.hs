{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Streams
-- Description : What the suites of streams share: builders, chunks, decoders
module Tests.Streams
  ( -- * Builders
    numbers,
    part,
    parts,

    -- * Chunks
    cut,
    chunkSizes,
    input,

    -- * Decoders
    decoders,
    model,
    place,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert, flush)
import Ashlar.Get
import Control.Applicative (many, (<|>))
import qualified Data.ByteString as S
import Data.Word (Word16)
import Test.Tasty.QuickCheck

-- | Four bytes for each number from 1 on.
numbers :: Int -> Builder
numbers n = foldMap (word32BE . fromIntegral) [1 .. n]

-- | A builder and its bytes.
part :: Int -> (Builder, S.ByteString)
part n = case n `mod` 4 of
  0 -> (byteStringInsert (S.replicate n 1), S.replicate n 1)
  1 -> (foldMap word8 (replicate n 2), S.replicate n 2)
  2 -> (flush, S.empty)
  _ -> (word16BE 7, "\0\7")

-- | For each part its number.
parts :: Gen [Int]
parts = listOf (frequency [(5, choose (0, 50)), (1, choose (0, 70000))])

-- | Chunks of these sizes, of which some are empty.
cut :: [Int] -> S.ByteString -> [S.ByteString]
cut sizes bs = case sizes of
  n : more | n < S.length bs -> S.take n bs : cut more (S.drop n bs)
  _ -> [bs]

-- | Sizes of chunks.
chunkSizes :: Gen [Int]
chunkSizes = oneof [pure (replicate 200 1), listOf (choose (0, 9)), pure []]

-- | Input of the decoders.
input :: Gen S.ByteString
input = S.pack <$> resize 30 (listOf (choose (0, 12)))

-- | Some that branch, repeat, look ahead, or read nothing.
decoders :: [Get [Word16]]
decoders =
  [ (: []) <$> getWord16be,
    many (getWord16be <* satisfy (< 11)),
    (: []) <$> ((getWord16be <* satisfy (< 6)) <|> getWord16le),
    do n <- getWord8; getByteString (fromIntegral n) >> pure [],
    getWord8 >>= \n -> mapM (const getWord16be) [1 .. n],
    lookAhead getWord16be *> fmap (: []) getWord16le,
    pure []
  ]

-- | One value after another, by runs of their own: the values, how they end, and what is left.
model :: Get a -> S.ByteString -> ([a], Either (Int, Reason) (), S.ByteString)
model g bytes = go bytes
  where
    go left = case runGetRest (nextOrEnd g) left of
      Left e -> let (at, why) = place e in ([], Left (at + offset, why), left)
      Right (Nothing, _) -> ([], Right (), left)
      Right (Just a, rest) -> let (as, end, unread) = go rest in (a : as, end, unread)
      where
        offset = S.length bytes - S.length left

-- | The offset of an error, and its reason.
place :: DecodeError -> (Int, Reason)
place e = (fromIntegral (errorOffset e), errorReason e)
