{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.ByteOrder
-- Description : Numbers whose byte order is chosen at run time
--
-- For formats that state their byte order in a header, such as TIFF and pcap. Where the order is
-- known beforehand, use the builders of "Ashlar.Builder" whose names end in @LE@ and @BE@.
--
-- Import this module qualified. The decoders are in "Ashlar.Get.ByteOrder".
--
-- >>> import Ashlar.Builder
-- >>> import qualified Ashlar.Builder.ByteOrder as Order
-- >>> let header order = Order.word16 order 42 <> Order.word32 order 8
-- >>> toStrictByteString (header Order.LittleEndian)
-- "*\NUL\b\NUL\NUL\NUL"
-- >>> toStrictByteString (header Order.BigEndian)
-- "\NUL*\NUL\NUL\NUL\b"
--
-- Neighbours share one check of the free space, as those of "Ashlar.Builder" do. Each number then
-- tests the order.
module Ashlar.Builder.ByteOrder
  ( ByteOrder (..),

    -- * Words
    word16,
    word24,
    word32,
    word64,

    -- * Integers in two's complement
    int16,
    int24,
    int32,
    int64,

    -- * IEEE 754
    float,
    double,
  )
where

import Ashlar.Internal.Builder.Core (Builder, closed)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (scalar)
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)
import GHC.ByteOrder (ByteOrder (..))

-- One of two formats of the same size. The order is tested where the number is written. So the size
-- does not depend on it, and rules can merge the reservation with its neighbours'.
ordered :: Scalar a -> Scalar a -> ByteOrder -> Scalar a
ordered little big order =
  Scalar
    { scalarSize = scalarSize little,
      scalarWrite = \p x -> case order of
        LittleEndian -> scalarWrite little p x
        BigEndian -> scalarWrite big p x,
      scalarRead = \p -> case order of
        LittleEndian -> scalarRead little p
        BigEndian -> scalarRead big p
    }
{-# INLINE ordered #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"ByteOrder.word16" forall order x.
  word16 order x =
    scalar (ordered P.word16LE P.word16BE order) x
"ByteOrder.word24" forall order x.
  word24 order x =
    scalar (ordered P.word24LE P.word24BE order) x
"ByteOrder.word32" forall order x.
  word32 order x =
    scalar (ordered P.word32LE P.word32BE order) x
"ByteOrder.word64" forall order x.
  word64 order x =
    scalar (ordered P.word64LE P.word64BE order) x
"ByteOrder.int16" forall order x.
  int16 order x =
    scalar (ordered P.int16LE P.int16BE order) x
"ByteOrder.int24" forall order x.
  int24 order x =
    scalar (ordered P.int24LE P.int24BE order) x
"ByteOrder.int32" forall order x.
  int32 order x =
    scalar (ordered P.int32LE P.int32BE order) x
"ByteOrder.int64" forall order x.
  int64 order x =
    scalar (ordered P.int64LE P.int64BE order) x
"ByteOrder.float" forall order x.
  float order x =
    scalar (ordered P.floatLE P.floatBE order) x
"ByteOrder.double" forall order x.
  double order x =
    scalar (ordered P.doubleLE P.doubleBE order) x
  #-}

-- | A number of 16 bits: 2 bytes.
word16 :: ByteOrder -> Word16 -> Builder
word16 order x = closed (scalar (ordered P.word16LE P.word16BE order) x)
{-# NOINLINE word16 #-}

-- | A number of 24 bits: 3 bytes. The 8 highest bits of the argument are ignored.
word24 :: ByteOrder -> Word32 -> Builder
word24 order x = closed (scalar (ordered P.word24LE P.word24BE order) x)
{-# NOINLINE word24 #-}

-- | A number of 32 bits: 4 bytes.
word32 :: ByteOrder -> Word32 -> Builder
word32 order x = closed (scalar (ordered P.word32LE P.word32BE order) x)
{-# NOINLINE word32 #-}

-- | A number of 64 bits: 8 bytes.
word64 :: ByteOrder -> Word64 -> Builder
word64 order x = closed (scalar (ordered P.word64LE P.word64BE order) x)
{-# NOINLINE word64 #-}

-- | A number of 16 bits in two's complement: 2 bytes.
int16 :: ByteOrder -> Int16 -> Builder
int16 order x = closed (scalar (ordered P.int16LE P.int16BE order) x)
{-# NOINLINE int16 #-}

-- | A number of 24 bits in two's complement: 3 bytes. The 8 highest bits of the argument are
-- ignored.
int24 :: ByteOrder -> Int32 -> Builder
int24 order x = closed (scalar (ordered P.int24LE P.int24BE order) x)
{-# NOINLINE int24 #-}

-- | A number of 32 bits in two's complement: 4 bytes.
int32 :: ByteOrder -> Int32 -> Builder
int32 order x = closed (scalar (ordered P.int32LE P.int32BE order) x)
{-# NOINLINE int32 #-}

-- | A number of 64 bits in two's complement: 8 bytes.
int64 :: ByteOrder -> Int64 -> Builder
int64 order x = closed (scalar (ordered P.int64LE P.int64BE order) x)
{-# NOINLINE int64 #-}

-- | An IEEE 754 number: 4 bytes. A NaN keeps its payload.
float :: ByteOrder -> Float -> Builder
float order x = closed (scalar (ordered P.floatLE P.floatBE order) x)
{-# NOINLINE float #-}

-- | An IEEE 754 number: 8 bytes. A NaN keeps its payload.
double :: ByteOrder -> Double -> Builder
double order x = closed (scalar (ordered P.doubleLE P.doubleBE order) x)
{-# NOINLINE double #-}
