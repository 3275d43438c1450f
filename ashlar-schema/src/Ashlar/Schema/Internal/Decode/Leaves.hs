{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
-- What kind of leaf it is is looked at once, not for each value.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Decode.Leaves
-- Description : Decoding leaves and lengths by a schema alone
module Ashlar.Schema.Internal.Decode.Leaves
  ( leafGet,
    packedGet,
    countGet,
    within,
  )
where

import Ashlar.Codec (Codec, Get, get)
import Ashlar.Codec.Packed ()
import Ashlar.Codec.Wrappers (Compact (..), ScalarValue (..), UTF16 (..))
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Get.Combinators (refine)
import Ashlar.Internal.Codec.Bits (getSymbol)
import Ashlar.Internal.Codec.Length (getLength)
import Ashlar.Internal.Codec.Pack (unpacking)
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Value
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)

-- | A leaf in the plain format.
leafGet :: Leaf -> Get Value
leafGet l = case l of
  Unit -> pure (Several V.empty)
  Number k -> case k of
    W8 -> wholeGet (get @Word8)
    W16 -> wholeGet (get @Word16)
    W32 -> wholeGet (get @Word32)
    W64 -> wholeGet (get @Word64)
    I8 -> wholeGet (get @Int8)
    I16 -> wholeGet (get @Int16)
    I32 -> wholeGet (get @Int32)
    I64 -> wholeGet (get @Int64)
  BigEndian k -> case k of
    W8 -> wholeGet (get @Word8)
    W16 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Word16))
    W32 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Word32))
    W64 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Word64))
    I8 -> wholeGet (get @Int8)
    I16 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Int16))
    I32 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Int32))
    I64 -> wholeGet (Wrappers.getBigEndian <$> get @(Wrappers.BigEndian Int64))
  Varint k -> case k of
    W8 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Word8))
    W16 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Word16))
    W32 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Word32))
    W64 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Word64))
    I8 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Int8))
    I16 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Int16))
    I32 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Int32))
    I64 -> wholeGet (Wrappers.getVarintNumber <$> get @(Wrappers.Varint Int64))
  Zigzag k -> case k of
    W8 -> unsigned (maxBound :: Word8)
    W16 -> unsigned (maxBound :: Word16)
    W32 -> unsigned (maxBound :: Word32)
    W64 -> wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Word64))
    I8 -> wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Int8))
    I16 -> wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Int16))
    I32 -> wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Int32))
    I64 -> wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Int64))
  BigInteger -> wholeGet (get @Integer)
  BigNatural -> wholeGet (get @Natural)
  FixedPoint _ -> wholeGet (get @Integer)
  Date -> wholeGet (get @Integer)
  Duration -> wholeGet (get @Integer)
  Float32 -> Binary32 l <$> get
  Float64 -> Binary64 l <$> get
  Float32BE -> Binary32 l . Wrappers.getBigEndian <$> get
  Float64BE -> Binary64 l . Wrappers.getBigEndian <$> get
  Boolean -> Truth <$> get
  Character -> Letter l <$> get
  ScalarCharacter -> Letter l . getScalarValue <$> get
  Bytes len -> Blob l <$> lengthened len
  ByteArray len -> Blob l <$> lengthened len
  Utf8 len -> Written l <$> lengthened len
  Utf16 -> Written l . getUTF16 <$> get
  where
    wholeGet :: Integral n => Get n -> Get Value
    wholeGet g = (\n -> Whole l (toInteger n)) <$> g
    -- (The decoder of the type refuses the same numbers, with one message for both bounds.)
    unsigned :: Integral n => n -> Get Value
    unsigned most =
      refine
        (within 0 (toInteger most))
        (wholeGet (Wrappers.getZigzagNumber <$> get @(Wrappers.Zigzag Int64)))
    lengthened :: (Codec a, Wrappers.Counted a) => Length -> Get a
    lengthened len = case len of
      Length64 -> get
      LengthVarint -> getCompact <$> get

-- | A leaf in the packed format.
packedGet :: Leaf -> Get Value
packedGet l = case l of
  Boolean -> (\i -> Truth (i == 1)) <$> getSymbol 2
  Character -> Letter l <$> unpacking
  ScalarCharacter -> Letter l . getScalarValue <$> unpacking
  _ -> asWritten <$> leafGet (packedLeaf l)
  where
    asWritten value = case value of
      Whole _ n -> Whole l n
      Written _ t -> Written l t
      Blob _ bs -> Blob l bs
      _ -> value

-- | How many elements follow.
countGet :: Length -> Get Int
countGet len = case len of
  Length64 -> getLength
  LengthVarint -> refine toLength get
  where
    toLength (Wrappers.Varint n)
      | n <= (fromIntegral (maxBound :: Int) :: Word64) = Right (fromIntegral n)
      | otherwise = Left "a length that does not fit"

-- | Refuse a whole number that is not between two bounds.
within :: Integer -> Integer -> Value -> Either String Value
within low high value = case value of
  Whole _ n
    | n < low -> Left ("less than " ++ bound low)
    | n > high -> Left ("more than " ++ bound high)
  _ -> Right value
  where
    -- An untrusted schema may have a bound of millions of digits.
    bound k = if abs k < 2 ^ (256 :: Int) then show k else "the bound of the type"
