{-# LANGUAGE Trustworthy #-}
-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.ByteOrder
-- Description : Numbers whose byte order is chosen at run time, written and read
--
-- For formats that state their byte order in a header, such as TIFF and pcap. Where the order is
-- known beforehand, use the builders of "Ashlar.Builder", whose names end in @LE@ and @BE@, and the
-- decoders of "Ashlar.Get", whose names end in @le@ and @be@.
--
-- Import this module qualified.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Get
-- >>> import qualified Ashlar.ByteOrder as Order
-- >>> let header order = Order.word16 order 42 <> Order.word32 order 8
-- >>> toStrictByteString (header Order.LittleEndian)
-- "*\NUL\b\NUL\NUL\NUL"
-- >>> toStrictByteString (header Order.BigEndian)
-- "\NUL*\NUL\NUL\NUL\b"
--
-- >>> let order mark = if mark == 0x4949 then Order.LittleEndian else Order.BigEndian
-- >>> let numbers o = (,) <$> Order.getWord16 o <*> Order.getWord32 o
-- >>> let getHeader = getWord16be >>= numbers . order
-- >>> runGet getHeader "II*\0\8\0\0\0"
-- Right (42,8)
-- >>> runGet getHeader "MM\0*\0\0\0\8"
-- Right (42,8)
--
-- Adjacent numbers share one check of the free space, or of the bytes left, as those of
-- "Ashlar.Builder" and "Ashlar.Get" do. Each then tests the order.
module Ashlar.ByteOrder
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

    -- * Decoders of words
    getWord16,
    getWord24,
    getWord32,
    getWord64,

    -- * Decoders of integers in two's complement
    getInt16,
    getInt24,
    getInt32,
    getInt64,

    -- * Decoders of IEEE 754
    getFloat,
    getDouble,
  )
where

import Ashlar.Internal.Builder.Core (Builder, closed)
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (scalar)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64)
import GHC.ByteOrder (ByteOrder (..))

-- A scalar in one of two formats of the same size.
--
-- The order is tested where the number is written or read. So its size is known, and rules can
-- merge its check with those of its neighbours.
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

putOrdered :: Scalar a -> Scalar a -> ByteOrder -> a -> Builder
putOrdered little big order x = scalar (ordered little big order) x
{-# INLINE putOrdered #-}

-- The decoders below do not name their argument. GHC then inlines them even if it does not know the
-- argument. The size is that of a scalar that does not depend on the order, so rules see it.
getOrdered :: Scalar a -> Scalar a -> ByteOrder -> Get a
getOrdered little big order =
  fixedGet size (OneWidth size) (scalarRead (ordered little big order))
  where
    size = scalarSize little
{-# INLINE getOrdered #-}

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"ByteOrder.word16" forall order x. word16 order x = putOrdered P.word16LE P.word16BE order x
"ByteOrder.word24" forall order x. word24 order x = putOrdered P.word24LE P.word24BE order x
"ByteOrder.word32" forall order x. word32 order x = putOrdered P.word32LE P.word32BE order x
"ByteOrder.word64" forall order x. word64 order x = putOrdered P.word64LE P.word64BE order x
"ByteOrder.int16" forall order x. int16 order x = putOrdered P.int16LE P.int16BE order x
"ByteOrder.int24" forall order x. int24 order x = putOrdered P.int24LE P.int24BE order x
"ByteOrder.int32" forall order x. int32 order x = putOrdered P.int32LE P.int32BE order x
"ByteOrder.int64" forall order x. int64 order x = putOrdered P.int64LE P.int64BE order x
"ByteOrder.float" forall order x. float order x = putOrdered P.floatLE P.floatBE order x
"ByteOrder.double" forall order x. double order x = putOrdered P.doubleLE P.doubleBE order x
  #-}

-- | A number of 16 bits: 2 bytes.
word16 :: ByteOrder -> Word16 -> Builder
word16 order x = closed (putOrdered P.word16LE P.word16BE order x)
{-# NOINLINE word16 #-}

-- | A number of 24 bits: 3 bytes. The 8 highest bits of the argument are ignored.
word24 :: ByteOrder -> Word32 -> Builder
word24 order x = closed (putOrdered P.word24LE P.word24BE order x)
{-# NOINLINE word24 #-}

-- | A number of 32 bits: 4 bytes.
word32 :: ByteOrder -> Word32 -> Builder
word32 order x = closed (putOrdered P.word32LE P.word32BE order x)
{-# NOINLINE word32 #-}

-- | A number of 64 bits: 8 bytes.
word64 :: ByteOrder -> Word64 -> Builder
word64 order x = closed (putOrdered P.word64LE P.word64BE order x)
{-# NOINLINE word64 #-}

-- | A number of 16 bits in two's complement: 2 bytes.
int16 :: ByteOrder -> Int16 -> Builder
int16 order x = closed (putOrdered P.int16LE P.int16BE order x)
{-# NOINLINE int16 #-}

-- | A number of 24 bits in two's complement: 3 bytes. The 8 highest bits of the argument are
-- ignored.
int24 :: ByteOrder -> Int32 -> Builder
int24 order x = closed (putOrdered P.int24LE P.int24BE order x)
{-# NOINLINE int24 #-}

-- | A number of 32 bits in two's complement: 4 bytes.
int32 :: ByteOrder -> Int32 -> Builder
int32 order x = closed (putOrdered P.int32LE P.int32BE order x)
{-# NOINLINE int32 #-}

-- | A number of 64 bits in two's complement: 8 bytes.
int64 :: ByteOrder -> Int64 -> Builder
int64 order x = closed (putOrdered P.int64LE P.int64BE order x)
{-# NOINLINE int64 #-}

-- | An IEEE 754 number: 4 bytes. A NaN keeps its payload.
float :: ByteOrder -> Float -> Builder
float order x = closed (putOrdered P.floatLE P.floatBE order x)
{-# NOINLINE float #-}

-- | An IEEE 754 number: 8 bytes. A NaN keeps its payload.
double :: ByteOrder -> Double -> Builder
double order x = closed (putOrdered P.doubleLE P.doubleBE order x)
{-# NOINLINE double #-}

-- | A number of 16 bits: 2 bytes.
getWord16 :: ByteOrder -> Get Word16
getWord16 = getOrdered P.word16LE P.word16BE
{-# INLINE getWord16 #-}

-- | A number of 24 bits: 3 bytes.
getWord24 :: ByteOrder -> Get Word32
getWord24 = getOrdered P.word24LE P.word24BE
{-# INLINE getWord24 #-}

-- | A number of 32 bits: 4 bytes.
getWord32 :: ByteOrder -> Get Word32
getWord32 = getOrdered P.word32LE P.word32BE
{-# INLINE getWord32 #-}

-- | A number of 64 bits: 8 bytes.
getWord64 :: ByteOrder -> Get Word64
getWord64 = getOrdered P.word64LE P.word64BE
{-# INLINE getWord64 #-}

-- | A number of 16 bits in two's complement: 2 bytes.
getInt16 :: ByteOrder -> Get Int16
getInt16 = getOrdered P.int16LE P.int16BE
{-# INLINE getInt16 #-}

-- | A number of 24 bits in two's complement: 3 bytes.
getInt24 :: ByteOrder -> Get Int32
getInt24 = getOrdered P.int24LE P.int24BE
{-# INLINE getInt24 #-}

-- | A number of 32 bits in two's complement: 4 bytes.
getInt32 :: ByteOrder -> Get Int32
getInt32 = getOrdered P.int32LE P.int32BE
{-# INLINE getInt32 #-}

-- | A number of 64 bits in two's complement: 8 bytes.
getInt64 :: ByteOrder -> Get Int64
getInt64 = getOrdered P.int64LE P.int64BE
{-# INLINE getInt64 #-}

-- | The 4 bytes of an IEEE 754 number. A NaN keeps its payload.
getFloat :: ByteOrder -> Get Float
getFloat = getOrdered P.floatLE P.floatBE
{-# INLINE getFloat #-}

-- | The 8 bytes of an IEEE 754 number. A NaN keeps its payload.
getDouble :: ByteOrder -> Get Double
getDouble = getOrdered P.doubleLE P.doubleBE
{-# INLINE getDouble #-}
