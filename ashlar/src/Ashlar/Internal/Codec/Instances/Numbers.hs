{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Ashlar.Internal.Codec.Instances.Numbers
-- Description : Formats of Integer, Natural and of numbers made of others
module Ashlar.Internal.Codec.Instances.Numbers () where

import Ashlar.Internal.Builder.Bytes (shortByteString)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Derive
import Ashlar.Internal.Codec.Format
import Ashlar.Internal.Codec.Record (both)
import Ashlar.Internal.Codec.Varint
import Ashlar.Internal.Get.Budget (spendFraction)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Magnitude
import Data.Bits (unsafeShiftR, (.&.))
import Data.Complex (Complex (..))
import Data.Fixed (Fixed (MkFixed))
import Data.Ratio (Ratio, denominator, numerator)
import Data.Word (Word64, Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#))
import GHC.Num.Integer (Integer (IS), integerFromNatural, integerGcd, integerToNatural)
import GHC.Real (Ratio ((:%)))
import Numeric.Natural (Natural)

-- | A header in unsigned LEB128, and the magnitude, least significant byte first. The header is
-- twice the number of bytes of the magnitude, plus one if the number is negative. Each number has
-- one encoding: decoding refuses a magnitude whose last byte is 0, and a negative zero.
instance Codec Integer where
  layout = Var 1
  size n = varintSize (header n) + magnitudeSize n
  put n = putMagnitude (header n) n
  get = do
    h <- getVarint
    m <- getMagnitude (h `unsafeShiftR` 1)
    if h .&. 1 == 0
      then pure m
      else if m == 0 then invalid "Integer: a negative zero" else pure $! negate m

header :: Integer -> Word64
header n = 2 * fromIntegral (magnitudeSize n) + (if n < 0 then 1 else 0)
{-# INLINE header #-}

-- | The number of bytes in unsigned LEB128, and the bytes, least significant first. The last byte
-- is not 0.
instance Codec Natural where
  layout = Var 1
  size n = varintSize (fromIntegral bytes) + bytes
    where
      bytes = magnitudeSize (integerFromNatural n)
  put n = putMagnitude (fromIntegral (magnitudeSize i)) i
    where
      i = integerFromNatural n
  get = do
    h <- getVarint
    m <- getMagnitude h
    -- It is not negative.
    pure $! integerToNatural m

-- Write a header, and the magnitude of a number.
putMagnitude :: Word64 -> Integer -> Builder
putMagnitude h n = case n of
  IS i -> ensure 9 $ \p -> do
    -- A number this small has at most 8 bytes, so its header has one. Whatever comes next
    -- overwrites the surplus bytes.
    let w = magnitudeOf (I# i)
    pokeHost p (fromIntegral h :: Word8)
    pokeLE (p `plusPtr` 1) w
    pure (p `plusPtr` (1 + wordBytes w))
  _ -> append (putVarint h) (shortByteString (magnitudeBytes n))

-- Read a magnitude of n bytes.
getMagnitude :: Word64 -> Get Integer
getMagnitude n
  | n == 0 = pure 0
  | n <= 8 = consume (fromIntegral n) $ \p ->
    effect (peekShort p (fromIntegral n)) >>= \w ->
      minimal p (w `unsafeShiftR` (8 * (fromIntegral n - 1)) /= 0) (fromWord64 w)
  | n > fromIntegral (maxBound :: Int) = invalid "Integer: more bytes than there can be"
  | otherwise = consume bytes $ \p -> do
    final <- effect (peekHost (p `plusPtr` (bytes - 1)))
    if final == (0 :: Word8)
      then minimal p False 0
      else effect (peekMagnitude p bytes)
  where
    bytes = fromIntegral n :: Int
    minimal p ok m =
      if ok then pure m else invalidAt p (fromIntegral n) "Integer: more bytes than needed"

-- | The numerator and the denominator. Decoding refuses a fraction that is not in lowest terms, or
-- whose denominator is not positive.
--
-- Checking that two large numbers have no common divisor takes more time for each of their bytes.
-- So fractions whose numbers both have more than 4,096 bytes count against the budget
-- ('Ashlar.Get.budgetSteps').
instance (Integral a, Codec a) => Codec (Ratio a) where
  layout = formatLayout ratio
  size = formatSize ratio
  put = formatPut ratio
  get = formatGet ratio
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}

ratio :: (Integral a, Codec a) => Format (Ratio a)
ratio = refined (\r -> (numerator r, denominator r)) check (charged (both codec codec))
  where
    -- (Numbers of constant size are small.)
    charged (Format l n p g) =
      Format l n p $ g >>= \(x, y) -> (x, y) <$ spendFraction (toInteger x) (toInteger y)
    check (n, d)
      | d <= 0 = Left "Ratio: the denominator is not positive"
      -- (Where 'gcd' is not specialised to Integer it is Euclid's algorithm, of quadratic time.
      -- Test "Rational" of the group on growth.)
      | integerGcd (toInteger n) (toInteger d) == 1 = Right (n :% d)
      | otherwise = Left "Ratio: not in lowest terms"
{-# INLINE ratio #-}

-- | The number as a count of its smallest units.
deriving newtype instance Codec (Fixed e)

-- | The real part and the imaginary part.
instance Codec a => Codec (Complex a) where
  layout = genericLayout
  size = genericSize
  put = genericPut
  get = genericGet
  {-# INLINEABLE layout #-}
  {-# INLINEABLE size #-}
  {-# INLINEABLE put #-}
  {-# INLINEABLE get #-}
