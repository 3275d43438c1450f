{-# OPTIONS_HADDOCK hide #-}

-- |
-- Module      : Ashlar.Internal.Builder.Numbers
-- Description : Builders of primitives, and of numbers of constant size
--
-- Numbers in binary. The formats are those of "Ashlar.Internal.Prim.Scalar". This module gives each
-- the name that "Data.ByteString.Builder" gives it. "Ashlar.Builder" exports all of them.
--
-- A builder checks the free space for a primitive's bound once, then writes. Neighbours share one
-- check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
module Ashlar.Internal.Builder.Numbers
  ( -- * One byte
    word8,
    int8,

    -- * Least significant byte first
    word16LE,
    word24LE,
    word32LE,
    word64LE,
    int16LE,
    int24LE,
    int32LE,
    int64LE,
    floatLE,
    doubleLE,

    -- * Most significant byte first
    word16BE,
    word24BE,
    word32BE,
    word64BE,
    int16BE,
    int24BE,
    int32BE,
    int64BE,
    floatBE,
    doubleBE,

    -- * For the library itself
    scalar,
    primFixed,
    primBounded,
    primStrict,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem.Check
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A value in a format of constant size. Neighbours share one check of the free space.
scalar :: Scalar a -> a -> Builder
scalar format x = ensureAfter (evaluated x) (scalarSize format) (scalarStep format x)
{-# INLINE [0] scalar #-}

-- Writes scalarSize bytes, which 'scalar' has reserved.
scalarStep :: Scalar a -> a -> Ptr Word8 -> IO (Ptr Word8)
scalarStep format x p = do
  filling "bound" "scalar" (scalarSize format) (scalarWrite format) p x
  pure (p `plusPtr` scalarSize format)
{-# INLINE scalarStep #-}

-- | A value, written by a primitive of fixed size.
primFixed :: FixedPrim a -> a -> Builder
primFixed prim x = closed (primBounded (toB prim) x)
{-# NOINLINE primFixed #-}

-- | A value, written by a primitive of bounded size.
primBounded :: BoundedPrim a -> a -> Builder
-- The primitive writes at most its bound, which is reserved.
primBounded prim x = closed (ensure (sizeBound prim) (runB prim x))
{-# NOINLINE primBounded #-}

-- | 'primBounded' of a primitive that is strict in its argument, which is evaluated before the
-- check of the free space.
primStrict :: BoundedPrim a -> a -> Builder
primStrict prim x = ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
{-# INLINE [0] primStrict #-}

{-# RULES
"scalar" [~0] forall format x.
  scalar format x =
    ensureAfter (evaluated x) (scalarSize format) (scalarStep format x)
"primFixed" [2] forall prim x. primFixed prim x = primBounded (toB prim) x
"primBounded" [2] forall prim x.
  primBounded prim x =
    ensure (sizeBound prim) (runB prim x)
"primStrict" [~0] forall prim x.
  primStrict prim x =
    ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
  #-}

-- A rule unfolds each primitive to its reservation, which can then be merged with its
-- neighbours: Note [Fusing reservations].

{-# RULES
"word8" [2] forall x. word8 x = scalar P.word8 x
"int8" [2] forall x. int8 x = scalar P.int8 x
"word16LE" [2] forall x. word16LE x = scalar P.word16LE x
"word24LE" [2] forall x. word24LE x = scalar P.word24LE x
"word32LE" [2] forall x. word32LE x = scalar P.word32LE x
"word64LE" [2] forall x. word64LE x = scalar P.word64LE x
"int16LE" [2] forall x. int16LE x = scalar P.int16LE x
"int24LE" [2] forall x. int24LE x = scalar P.int24LE x
"int32LE" [2] forall x. int32LE x = scalar P.int32LE x
"int64LE" [2] forall x. int64LE x = scalar P.int64LE x
"floatLE" [2] forall x. floatLE x = scalar P.floatLE x
"doubleLE" [2] forall x. doubleLE x = scalar P.doubleLE x
"word16BE" [2] forall x. word16BE x = scalar P.word16BE x
"word24BE" [2] forall x. word24BE x = scalar P.word24BE x
"word32BE" [2] forall x. word32BE x = scalar P.word32BE x
"word64BE" [2] forall x. word64BE x = scalar P.word64BE x
"int16BE" [2] forall x. int16BE x = scalar P.int16BE x
"int24BE" [2] forall x. int24BE x = scalar P.int24BE x
"int32BE" [2] forall x. int32BE x = scalar P.int32BE x
"int64BE" [2] forall x. int64BE x = scalar P.int64BE x
"floatBE" [2] forall x. floatBE x = scalar P.floatBE x
"doubleBE" [2] forall x. doubleBE x = scalar P.doubleBE x
  #-}

-- | One byte.
word8 :: Word8 -> Builder
word8 x = closed (scalar P.word8 x)
{-# NOINLINE word8 #-}

-- | One byte, in two's complement.
int8 :: Int8 -> Builder
int8 x = closed (scalar P.int8 x)
{-# NOINLINE int8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
word16LE :: Word16 -> Builder
word16LE x = closed (scalar P.word16LE x)
{-# NOINLINE word16LE #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
word24LE :: Word32 -> Builder
word24LE x = closed (scalar P.word24LE x)
{-# NOINLINE word24LE #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
word32LE :: Word32 -> Builder
word32LE x = closed (scalar P.word32LE x)
{-# NOINLINE word32LE #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
word64LE :: Word64 -> Builder
word64LE x = closed (scalar P.word64LE x)
{-# NOINLINE word64LE #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
int16LE :: Int16 -> Builder
int16LE x = closed (scalar P.int16LE x)
{-# NOINLINE int16LE #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- >>> toStrictByteString (int24LE (-2))
-- "\254\255\255"
int24LE :: Int32 -> Builder
int24LE x = closed (scalar P.int24LE x)
{-# NOINLINE int24LE #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
int32LE :: Int32 -> Builder
int32LE x = closed (scalar P.int32LE x)
{-# NOINLINE int32LE #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
int64LE :: Int64 -> Builder
int64LE x = closed (scalar P.int64LE x)
{-# NOINLINE int64LE #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
floatLE :: Float -> Builder
floatLE x = closed (scalar P.floatLE x)
{-# NOINLINE floatLE #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
doubleLE :: Double -> Builder
doubleLE x = closed (scalar P.doubleLE x)
{-# NOINLINE doubleLE #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
word16BE :: Word16 -> Builder
word16BE x = closed (scalar P.word16BE x)
{-# NOINLINE word16BE #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- >>> toStrictByteString (word24BE 0x01020304)
-- "\STX\ETX\EOT"
word24BE :: Word32 -> Builder
word24BE x = closed (scalar P.word24BE x)
{-# NOINLINE word24BE #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
word32BE :: Word32 -> Builder
word32BE x = closed (scalar P.word32BE x)
{-# NOINLINE word32BE #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
word64BE :: Word64 -> Builder
word64BE x = closed (scalar P.word64BE x)
{-# NOINLINE word64BE #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
int16BE :: Int16 -> Builder
int16BE x = closed (scalar P.int16BE x)
{-# NOINLINE int16BE #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
int24BE :: Int32 -> Builder
int24BE x = closed (scalar P.int24BE x)
{-# NOINLINE int24BE #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
int32BE :: Int32 -> Builder
int32BE x = closed (scalar P.int32BE x)
{-# NOINLINE int32BE #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
int64BE :: Int64 -> Builder
int64BE x = closed (scalar P.int64BE x)
{-# NOINLINE int64BE #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
floatBE :: Float -> Builder
floatBE x = closed (scalar P.floatBE x)
{-# NOINLINE floatBE #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
doubleBE :: Double -> Builder
doubleBE x = closed (scalar P.doubleBE x)
{-# NOINLINE doubleBE #-}
