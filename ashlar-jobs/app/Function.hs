{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Function
-- Description : What the demonstration computes
module Function
  ( Reading (..),
    Quality (..),
    demo,
    reading,
    quality,
    Sum (..),
    noSum,
    addResult,

    -- * For measuring
    Sample (..),
    Point (..),
    sample,
  )
where

import Ashlar.Codec (Codec, encode)
import Ashlar.File.Crc32c (crc32cAfter)
import Ashlar.Jobs (Job, job)
import Ashlar.Schema (Described)
import Data.Bits (xor)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector.Unboxed as V
import Data.Word (Word32)
import GHC.Generics (Generic)

-- | What a sensor says: 100 bytes.
data Reading = Reading {number :: Int64, sensor :: Text, values :: V.Vector Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | What is computed of it.
data Quality = Quality {ofNumber :: Int64, mean :: Double, deviation :: Double, steps :: Int64}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | The job with this name.
demo :: Text -> Job Reading Quality
demo = job

-- | The reading with a number. Every program makes the same.
reading :: Int64 -> Reading
reading n =
  Reading
    { number = n,
      sensor = T.justifyLeft 12 '.' (T.pack ("sensor-" ++ show (n `mod` 977))),
      values = V.generate 8 (\k -> fromIntegral ((n * (fromIntegral k + 1) * 7919) `mod` 1000) / 10)
    }

-- | The function: statistics, and as much useless work as it is told.
quality :: Int -> Reading -> Quality
quality rounds r = Quality (number r) average spread (List.foldl' step (number r) [1 .. rounds])
  where
    count = fromIntegral (V.length (values r))
    average = V.sum (values r) / count
    spread = sqrt (V.sum (V.map (\x -> (x - average) * (x - average)) (values r)) / count)
    step acc k = (acc * 6364136223846793005 + fromIntegral k) `xor` (acc `div` 65536)

-- | A summary of results in order: equal sums mean equal results.
data Sum = Sum {sumRecords :: !Int64, sumChecksum :: !Word32}
  deriving stock (Eq, Show)

noSum :: Sum
noSum = Sum 0 0

addResult :: Sum -> Quality -> Sum
addResult (Sum n c) q = Sum (n + 1) (crc32cAfter c (encode q))

-- | A record of numbers only: 100 bytes.
data Sample = Sample
  { time :: !Int64,
    channel :: !Word32,
    place :: !Point,
    speed :: !Point,
    force :: !Point,
    mass :: !Double,
    charge :: !Double
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Point = Point {pointX :: !Double, pointY :: !Double, pointZ :: !Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- | The sample with a number.
sample :: Int64 -> Sample
sample n = Sample n (fromIntegral n) (point 1) (point 2) (point 3) (fromIntegral n) 1
  where
    point k = Point (k + fromIntegral n) (k * 2) (k * 3)
