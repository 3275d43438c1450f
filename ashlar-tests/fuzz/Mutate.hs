{-# LANGUAGE OverloadedStrings #-}
-- The library may be compiled without optimisation.
{-# OPTIONS_GHC -O1 #-}

-- |
-- Module      : Mutate
-- Description : Inputs from other inputs
module Mutate
  ( mutated,
    anyBytes,
    below,
    oneOf,
  )
where

import Coverage (random)
import Data.Bits (complementBit, shiftR)
import qualified Data.ByteString as S
import Data.Word (Word64, Word8)

-- | A random number less than @n@.
below :: Int -> IO Int
below n = (\w -> fromIntegral ((w `shiftR` 1) `mod` fromIntegral (max 1 n))) <$> random

-- | One of a few.
oneOf :: [a] -> IO a
oneOf xs = (xs !!) <$> below (length xs)

-- | An input after one to eight edits. The second input gives some of its bytes.
mutated ::
  -- | The largest size.
  Int ->
  S.ByteString ->
  S.ByteString ->
  IO S.ByteString
mutated most bs other = below 8 >>= go bs
  where
    go now n
      | n <= 0 = S.take most <$> edit now other
      | otherwise = edit now other >>= \next -> go next (n `div` 2)

edit :: S.ByteString -> S.ByteString -> IO S.ByteString
edit bs other = do
  at <- below (S.length bs + 1)
  let (before, after) = S.splitAt at bs
      onByte f = case S.uncons after of
        Just (w, rest) -> before <> S.cons (f w) rest
        Nothing -> before
  kind <- below 16
  case kind of
    0 -> (\i -> onByte (`complementBit` i)) <$> below 8
    1 -> onByte . const <$> anyByte
    2 -> (\d -> onByte (+ fromIntegral (d - 8))) <$> below 17
    3 -> (\w -> before <> S.cons w after) <$> anyByte
    4 -> (\n -> before <> S.drop (1 + n) after) <$> below 4
    5 -> (\n -> before <> S.drop n after) <$> below (S.length after + 1)
    6 -> (\n -> before <> S.take n after <> after) <$> below (min 64 (S.length after) + 1)
    7 -> (\n -> before <> n <> S.drop (S.length n) after) <$> number
    8 -> (\n -> before <> n <> after) <$> number
    9 -> (\n -> before <> n <> S.drop (S.length n) after) <$> oneOf tokens
    10 -> (\n -> before <> n <> after) <$> oneOf tokens
    11 -> (\bytes -> before <> bytes <> after) <$> slice other
    12 -> (\bytes -> before <> bytes <> S.drop (S.length bytes) after) <$> slice other
    13 -> (\bytes -> before <> bytes <> after) <$> slice bs
    14 -> (\n w -> before <> S.replicate n w <> after) <$> below 40 <*> anyByte
    _ -> pure before

slice :: S.ByteString -> IO S.ByteString
slice bs = (\at n -> S.take n (S.drop at bs)) <$> below (S.length bs + 1) <*> below 32

anyByte :: IO Word8
anyByte = do
  w <- random
  pure $ case w `shiftR` 60 of
    0 -> 0
    1 -> 0xFF
    2 -> 0x80
    3 -> 0x7F
    4 -> 1
    5 -> fromIntegral (w `mod` 8)
    6 -> 48 + fromIntegral (w `mod` 10)
    7 -> 97 + fromIntegral (w `mod` 26)
    _ -> fromIntegral w

-- Numbers that lengths may be, in two to eight bytes of either order.
number :: IO S.ByteString
number = do
  n <- oneOf interesting
  off <- below 3
  width <- oneOf [2, 4, 8, 8, 8]
  order <- oneOf [id, id, S.reverse]
  let value = n + fromIntegral off - 1 :: Word64
  pure (order (S.pack [fromIntegral (value `shiftR` (8 * i)) | i <- [0 .. width - 1]]))
  where
    interesting =
      [0, 1, 2, 3, 5, 8, 16, 17, 255, 256, 65536, 0x10FFFF, 0xD800, 86400, 2 ^ (31 :: Int)]
        ++ [2 ^ (32 :: Int), 2 ^ (60 :: Int), 2 ^ (61 :: Int), 2 ^ (62 :: Int), 2 ^ (63 :: Int)]
        ++ [maxBound]

-- What formats in text have, and parts of UTF-8.
tokens :: [S.ByteString]
tokens =
  map S.singleton (S.unpack "+-.,:;eETZ=_/\"[](){}\n 0123456789")
    <> ["e-", "\xC3\xA9", "\xE2\x82\xAC", "\xED\xA0\x80", "\xF0\x9F\x98\x80", "\xF4\x90\x80\x80"]
    <> ["\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1", "\x80\x80\x80\x80", "99999999999999999999"]
    <> ["18446744073709551616", "9223372036854775808", "null", "true", "abcd", "-02-29", "=="]

-- | Bytes that are not made from others: any, few different ones, or after a length.
anyBytes :: IO S.ByteString
anyBytes = do
  n <- below 24
  kind <- below 3
  case kind of
    0 -> S.pack <$> mapM (const anyByte) [1 .. n]
    1 -> S.pack <$> mapM (const (fromIntegral <$> below 4)) [1 .. n]
    _ -> (<>) <$> number <*> (S.pack <$> mapM (const anyByte) [1 .. n])
