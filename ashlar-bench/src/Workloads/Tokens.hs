{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Tokens
-- Description : Tokens and numbers of text, alone and in rows
module Workloads.Tokens (tokenWorkloads) where

import qualified Ashlar.Get as A
import qualified Ashlar.Get.Parse as P
import qualified Data.Attoparsec.ByteString as T
import qualified Data.Attoparsec.ByteString.Char8 as T (decimal, double, hexadecimal, signed)
import Data.Bits (unsafeShiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C8
import Data.Word (Word64)
import Workload

-- | All of them.
tokenWorkloads :: [Workload]
tokenWorkloads = doubles ++ alone ++ literals

right :: Either e a -> a
right = either (const (errorWithoutStackTrace "the benchmark's own data do not decode")) id

ours :: A.Get a -> S.ByteString -> a
ours g = right . A.runGet g
{-# INLINE ours #-}

atto :: T.Parser a -> S.ByteString -> a
atto p = right . T.parseOnly p
{-# INLINE atto #-}

-- * Floating-point numbers in a row

doubles :: [Workload]
doubles =
  [ row "1000 doubles of 16 or 17 digits" long,
    row "1000 doubles of 3 digits" short,
    row "1000 doubles of 25 digits" longest
  ]
  where
    row name input =
      Workload
        name
        [ ("ashlar", apply (ours (added P.double (A.skip 1))) input),
          ("ashlar, 3 digits", apply (ours (added P.double (A.skip 1))) short),
          ("attoparsec", apply (atto (added T.double T.anyWord8)) input)
        ]
    short = spaced [fromIntegral i / 100 | i <- [101 .. 999 :: Int], i `mod` 10 /= 0]
    long = spaced fractions
    longest = C8.unwords (take 1001 (cycle (map ((<> "12345678") . shown) fractions)))
    spaced xs = C8.unwords (take 1001 (cycle (map shown xs)))
    shown = C8.pack . show :: Double -> S.ByteString
    fractions =
      take 997 . filter (>= 0.1) $
        [fromIntegral (x `unsafeShiftR` 11) / 9007199254740992 | x <- iterate next 12345]
    next x = x * 6364136223846793005 + 1442695040888963407 :: Word64

-- A thousand numbers with a byte after each.
added :: Monad m => m Double -> m b -> m Double
added number between = go (1000 :: Int) 0
  where
    go n !acc
      | n == 0 = pure acc
      | otherwise = number >>= \x -> between >> go (n - 1) (acc + x)
{-# INLINE added #-}

-- * One token, in a run of its own

alone :: [Workload]
alone =
  [ ends "decimal" (P.decimal :: A.Get Int) T.decimal "12345",
    ends "signedDecimal" (P.signedDecimal :: A.Get Int) (T.signed T.decimal) "-12345",
    ends "hexadecimal" (P.hexadecimal :: A.Get Int) T.hexadecimal "12aBf",
    ends "double" P.double T.double "12.345",
    ends "takeWhile" (P.takeWhile (/= 32)) (T.takeWhile (/= 32)) "token"
  ]
  where
    ends :: String -> A.Get a -> T.Parser a -> S.ByteString -> Workload
    ends name g p input =
      Workload
        ("one run: " ++ name ++ " at the end of the input")
        [ ("ashlar", apply (ours g) input),
          ("ashlar, before a space", apply (ours g) (input <> " ")),
          ("attoparsec", apply (atto p) input)
        ]
    {-# INLINE ends #-}

-- * Literals

literals :: [Workload]
literals =
  [ Workload
      "2000 literals of 18 bytes"
      [ ("ashlar", apply (ours (counted (P.bytes "supercalifragilist"))) input),
        ("ashlar, skip", apply (ours (counted (A.skip 18))) input),
        ("attoparsec", apply (atto (counted (T.string "supercalifragilist"))) input)
      ]
  ]
  where
    input = S.concat (replicate 2000 "supercalifragilist")

counted :: Monad m => m a -> m Int
counted g = go 0
  where
    go !n
      | n == (2000 :: Int) = pure n
      | otherwise = g >> go (n + 1)
{-# INLINE counted #-}
