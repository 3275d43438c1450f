-- |
-- Module      : Measure
-- Description : Counting allocated bytes
module Measure
  ( allocated,
    allocatedBy,
    perElement,
    nothingForEach,
    eachAtMost,
    runTakes,
    live,
    numbers,
    total,
    lifted,
    mappedAndApplied,
  )
where

import Ashlar.Builder
import Ashlar.Codec
import Ashlar.Get
import Control.Applicative (Applicative (..))
import Control.Exception (evaluate)
import Control.Monad (void)
import qualified Data.ByteString as S
import Data.Int (Int64)
import Data.Word (Word64)
import GHC.Stats (gc, gcdetails_live_bytes, getRTSStats)
import System.Mem (getAllocationCounter, performMajorGC, setAllocationCounter)
import Test.Tasty.HUnit
import Prelude hiding (Applicative (..))

-- | The bytes that an action allocates when it runs for the second time.
allocated :: IO a -> IO Int
allocated act = do
  _ <- act
  setAllocationCounter 0
  before <- getAllocationCounter
  _ <- act
  after <- getAllocationCounter
  pure (fromIntegral (before - after))
{-# NOINLINE allocated #-}

-- | The bytes that a function allocates when it is applied for the second time, and its result is
-- forced. (@'allocated' . evaluate@ would share the result of both times, and count nothing.)
allocatedBy :: (a -> b) -> a -> IO Int
allocatedBy f x = allocated (applied f x)

applied :: (a -> b) -> a -> IO ()
applied f x = void (evaluate (f x))
{-# NOINLINE applied #-}

-- | The bytes that an element takes, given how many a number of elements takes.
perElement :: (Int -> IO Int) -> IO Double
perElement bytes = do
  few <- bytes 1000
  more <- bytes 101000
  pure (fromIntegral (more - few) / 100000)

-- | An element takes no bytes. (The argument is that of 'perElement'.)
nothingForEach :: (Int -> IO Int) -> Assertion
nothingForEach bytes = perElement bytes >>= \each -> assertBool (show each) (each < 0.01)

-- | A function allocates at most this number of bytes for each call.
eachAtMost :: Int -> (Int -> Int) -> Assertion
eachAtMost most f = do
  few <- allocated (times 100)
  more <- allocated (times 10100)
  assertBool (show ((more - few) `div` 10000)) (more - few <= most * 10000)
  where
    times :: Int -> IO ()
    times n
      | n == 0 = pure ()
      | otherwise = f n `seq` times (n - 1)
    {-# NOINLINE times #-}

-- | A run on 16 bytes allocates at most this number of bytes.
runTakes :: String -> Int -> (S.ByteString -> Either DecodeError a) -> Assertion
runTakes name most run = do
  bs <- evaluate (S.replicate 16 7)
  few <- allocated (times run bs 100)
  more <- allocated (times run bs 10100)
  assertBool (show (name, (more - few) `div` 10000)) (more - few <= most * 10000)
  where
    times :: (S.ByteString -> Either DecodeError a) -> S.ByteString -> Int -> IO ()
    times f input n
      | n == 0 = pure ()
      | otherwise = f input `seq` times f input (n - 1)
    {-# NOINLINE times #-}

-- | The bytes that are alive.
live :: IO Int
live = do
  performMajorGC
  stats <- getRTSStats
  pure (fromIntegral (gcdetails_live_bytes (gc stats)))
{-# NOINLINE live #-}

-- | The numbers from one to before another.
numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

-- | The sum of the next numbers, of which there are @n@, and of @acc@.
total :: Int -> Int64 -> Get Int64
total n acc
  | n == 0 = pure acc
  | otherwise = getInt64le >>= \x -> let acc' = acc + x in acc' `seq` total (n - 1) acc'

-- | A list, by a program that knows only the class. (In this module GHC makes no copy for 'Get'.)
lifted :: Applicative f => f a -> Int -> f [a]
lifted g n
  | n == 0 = pure []
  | otherwise = liftA2 (:) g (lifted g (n - 1))
{-# NOINLINE lifted #-}

-- | The same without 'liftA2'.
mappedAndApplied :: Applicative f => f a -> Int -> f [a]
mappedAndApplied g n
  | n == 0 = pure []
  | otherwise = (:) <$> g <*> mappedAndApplied g (n - 1)
{-# NOINLINE mappedAndApplied #-}
