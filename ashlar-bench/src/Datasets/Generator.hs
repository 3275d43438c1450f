-- |
-- Module      : Datasets.Generator
-- Description : The random numbers of a benchmark in Rust
--
-- PCG with 64 bits of state and 32 of output (O'Neill, 2014), and on top of it the distributions of
-- the crate @rand@, version 0.8. Each takes as many numbers as there, so that the data are equal.
module Datasets.Generator
  ( Generator,
    generated,

    -- * All values of a type
    word8,
    word16,
    word32,
    word64,
    float,
    double,

    -- * Ranges
    Narrow,
    below,
    small,
    int32,
    floatBetween,
    doubleBetween,

    -- * Choices
    chance,
    coin,
    optional,
    oneOf,
    weighted,
    vectorOf,
  )
where

import Control.Monad.Trans.State.Strict (State, evalState, state)
import Data.Bits
import Data.Int (Int16, Int32, Int8)
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)

-- | A value that depends on random numbers.
type Generator = State Word64

-- | The value of the state and the stream that the benchmark uses: the first digits of pi.
generated :: Generator a -> a
generated g = evalState g (step (3141592653 + increment))

increment :: Word64
increment = 2 * 5897932384 + 1

step :: Word64 -> Word64
step s = s * 6364136223846793005 + increment

-- | Any number of 32 bits.
word32 :: Generator Word32
word32 = state $ \s ->
  let x = fromIntegral ((s `unsafeShiftR` 18 `xor` s) `unsafeShiftR` 27) :: Word32
      next = step s
   in next `seq` (x `rotateR` fromIntegral (s `unsafeShiftR` 59), next)

-- | Any number of 64 bits.
word64 :: Generator Word64
word64 = do
  low <- word32
  high <- word32
  pure (fromIntegral high `unsafeShiftL` 32 .|. fromIntegral low)

-- | Any number of 8 bits.
word8 :: Generator Word8
word8 = fromIntegral <$> word32

-- | Any number of 16 bits.
word16 :: Generator Word16
word16 = fromIntegral <$> word32

-- | A number from 0 on and below 1, in steps of 2^-24.
float :: Generator Float
float = (\x -> fromIntegral (x `unsafeShiftR` 8) / 16777216) <$> word32

-- | A number from 0 on and below 1, in steps of 2^-53.
double :: Generator Double
double = (\x -> fromIntegral (x `unsafeShiftR` 11) / 9007199254740992) <$> word64

-- | A number from 0 on and below this positive one. The upper half of a product with a random
-- number, unless the lower half is in the last, incomplete part of its range.
below :: Int -> Generator Int
below n = do
  x <- word64
  let product' = toInteger x * toInteger n
      low = fromInteger product' :: Word64
  if low <= limit then pure (fromInteger (product' `shiftR` 64)) else below n
  where
    size = fromIntegral n :: Word64
    limit = size `unsafeShiftL` countLeadingZeros size - 1

-- The same with 32 bits, and with a limit.
below32 :: Word32 -> Word32 -> Generator Word32
below32 limit n = do
  x <- word32
  let product' = fromIntegral x * fromIntegral n :: Word64
  if fromIntegral product' <= limit
    then pure (fromIntegral (product' `unsafeShiftR` 32))
    else below32 limit n

-- | From one number on and below a greater one.
int32 :: Int32 -> Int32 -> Generator Int32
int32 from to = (\x -> from + fromIntegral x) <$> below32 limit n
  where
    n = fromIntegral (to - from) :: Word32
    limit = n `unsafeShiftL` countLeadingZeros n - 1

-- | Types of at most 16 bits.
class Integral a => Narrow a

instance Narrow Word8

instance Narrow Int8

instance Narrow Word16

instance Narrow Int16

-- | The same for these, whose limit is the exact one.
small :: Narrow a => a -> a -> Generator a
small from to = (\x -> from + fromIntegral x) <$> below32 (maxBound - (maxBound - n + 1) `mod` n) n
  where
    n = fromInteger (toInteger to - toInteger from) :: Word32

-- | From one number on and below a greater one.
floatBetween :: Float -> Float -> Generator Float
floatBetween = between fraction32

-- | From one number on and below a greater one.
doubleBetween :: Double -> Double -> Generator Double
doubleBetween = between fraction64

between :: (Ord a, Num a) => Generator a -> a -> a -> Generator a
between fraction from to = do
  x <- fraction
  let y = x * (to - from) + from
  if y < to then pure y else between fraction from to

-- From 0 on and below 1: the random bits are the mantissa of a number from 1 on and below 2.
fraction32 :: Generator Float
fraction32 = (\x -> castWord32ToFloat (127 `unsafeShiftL` 23 .|. x `unsafeShiftR` 9) - 1) <$> word32

fraction64 :: Generator Double
fraction64 =
  (\x -> castWord64ToDouble (1023 `unsafeShiftL` 52 .|. x `unsafeShiftR` 12) - 1) <$> word64

-- | True with this probability.
chance :: Double -> Generator Bool
chance p
  | p >= 1 = pure True
  | otherwise = (< floor (p * 18446744073709551616)) <$> word64

-- | True or False.
coin :: Generator Bool
coin = chance 0.5

-- | A value or none.
optional :: Generator a -> Generator (Maybe a)
optional g = coin >>= \there -> if there then Just <$> g else pure Nothing

-- | One of these.
oneOf :: V.Vector a -> Generator a
oneOf xs = (xs V.!) <$> below (V.length xs)

-- | One of these, by their weights.
weighted :: V.Vector (a, Float) -> Generator a
weighted xs = do
  x <- fraction32
  let y = x * V.last sums
  pure (fst (xs V.! V.length (V.takeWhile (<= y) (V.init sums))))
  where
    sums = V.scanl1 (+) (V.map snd xs)

-- | At least as many values as the first number says, and fewer than the second.
vectorOf :: Int -> Int -> Generator a -> Generator (V.Vector a)
vectorOf from to g = below (to - from) >>= \n -> V.replicateM (from + n) g
