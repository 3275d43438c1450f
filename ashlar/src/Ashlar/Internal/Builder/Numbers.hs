-- |
-- Module      : Ashlar.Internal.Builder.Numbers
-- Description : Builders from primitives, and for numbers of fixed size
--
-- Numbers in binary. The formats are those of "Ashlar.Internal.Prim.Scalar"; this module
-- gives each the name that "Data.ByteString.Builder" gives it.
module Ashlar.Internal.Builder.Numbers
  ( scalar,
    word8,
    int8,
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
    word16Host,
    word32Host,
    word64Host,
    wordHost,
    int16Host,
    int32Host,
    int64Host,
    intHost,
    floatHost,
    doubleHost,
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

-- Each primitive is unfolded by a rule, so that its reservation is seen where
-- neighbours are merged: see Note [Fusing reservations].

{-# RULES
"scalar" [~0] forall format x.
  scalar format x =
    ensureAfter (evaluated x) (scalarSize format) (scalarStep format x)
"word8" [~0] forall x. word8 x = scalar P.word8 x
"int8" [~0] forall x. int8 x = scalar P.int8 x
"word16LE" [~0] forall x. word16LE x = scalar P.word16LE x
"word24LE" [~0] forall x. word24LE x = scalar P.word24LE x
"word32LE" [~0] forall x. word32LE x = scalar P.word32LE x
"word64LE" [~0] forall x. word64LE x = scalar P.word64LE x
"int16LE" [~0] forall x. int16LE x = scalar P.int16LE x
"int24LE" [~0] forall x. int24LE x = scalar P.int24LE x
"int32LE" [~0] forall x. int32LE x = scalar P.int32LE x
"int64LE" [~0] forall x. int64LE x = scalar P.int64LE x
"floatLE" [~0] forall x. floatLE x = scalar P.floatLE x
"doubleLE" [~0] forall x. doubleLE x = scalar P.doubleLE x
"word16BE" [~0] forall x. word16BE x = scalar P.word16BE x
"word24BE" [~0] forall x. word24BE x = scalar P.word24BE x
"word32BE" [~0] forall x. word32BE x = scalar P.word32BE x
"word64BE" [~0] forall x. word64BE x = scalar P.word64BE x
"int16BE" [~0] forall x. int16BE x = scalar P.int16BE x
"int24BE" [~0] forall x. int24BE x = scalar P.int24BE x
"int32BE" [~0] forall x. int32BE x = scalar P.int32BE x
"int64BE" [~0] forall x. int64BE x = scalar P.int64BE x
"floatBE" [~0] forall x. floatBE x = scalar P.floatBE x
"doubleBE" [~0] forall x. doubleBE x = scalar P.doubleBE x
"word16Host" [~0] forall x. word16Host x = scalar P.word16Host x
"word32Host" [~0] forall x. word32Host x = scalar P.word32Host x
"word64Host" [~0] forall x. word64Host x = scalar P.word64Host x
"wordHost" [~0] forall x. wordHost x = scalar P.wordHost x
"int16Host" [~0] forall x. int16Host x = scalar P.int16Host x
"int32Host" [~0] forall x. int32Host x = scalar P.int32Host x
"int64Host" [~0] forall x. int64Host x = scalar P.int64Host x
"intHost" [~0] forall x. intHost x = scalar P.intHost x
"floatHost" [~0] forall x. floatHost x = scalar P.floatHost x
"doubleHost" [~0] forall x. doubleHost x = scalar P.doubleHost x
  #-}

-- | One byte.
word8 :: Word8 -> Builder
word8 x = scalar P.word8 x
{-# INLINE [0] word8 #-}

-- | One byte, in two's complement.
int8 :: Int8 -> Builder
int8 x = scalar P.int8 x
{-# INLINE [0] int8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
word16LE :: Word16 -> Builder
word16LE x = scalar P.word16LE x
{-# INLINE [0] word16LE #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
word24LE :: Word32 -> Builder
word24LE x = scalar P.word24LE x
{-# INLINE [0] word24LE #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
word32LE :: Word32 -> Builder
word32LE x = scalar P.word32LE x
{-# INLINE [0] word32LE #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
word64LE :: Word64 -> Builder
word64LE x = scalar P.word64LE x
{-# INLINE [0] word64LE #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
int16LE :: Int16 -> Builder
int16LE x = scalar P.int16LE x
{-# INLINE [0] int16LE #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- >>> toStrictByteString (int24LE (-2))
-- "\254\255\255"
int24LE :: Int32 -> Builder
int24LE x = scalar P.int24LE x
{-# INLINE [0] int24LE #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
int32LE :: Int32 -> Builder
int32LE x = scalar P.int32LE x
{-# INLINE [0] int32LE #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
int64LE :: Int64 -> Builder
int64LE x = scalar P.int64LE x
{-# INLINE [0] int64LE #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
floatLE :: Float -> Builder
floatLE x = scalar P.floatLE x
{-# INLINE [0] floatLE #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
doubleLE :: Double -> Builder
doubleLE x = scalar P.doubleLE x
{-# INLINE [0] doubleLE #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
word16BE :: Word16 -> Builder
word16BE x = scalar P.word16BE x
{-# INLINE [0] word16BE #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
--
-- >>> toStrictByteString (word24BE 0x01020304)
-- "\STX\ETX\EOT"
word24BE :: Word32 -> Builder
word24BE x = scalar P.word24BE x
{-# INLINE [0] word24BE #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
word32BE :: Word32 -> Builder
word32BE x = scalar P.word32BE x
{-# INLINE [0] word32BE #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
word64BE :: Word64 -> Builder
word64BE x = scalar P.word64BE x
{-# INLINE [0] word64BE #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
int16BE :: Int16 -> Builder
int16BE x = scalar P.int16BE x
{-# INLINE [0] int16BE #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
-- The 8 highest bits of the argument are ignored.
int24BE :: Int32 -> Builder
int24BE x = scalar P.int24BE x
{-# INLINE [0] int24BE #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
int32BE :: Int32 -> Builder
int32BE x = scalar P.int32BE x
{-# INLINE [0] int32BE #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
int64BE :: Int64 -> Builder
int64BE x = scalar P.int64BE x
{-# INLINE [0] int64BE #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
floatBE :: Float -> Builder
floatBE x = scalar P.floatBE x
{-# INLINE [0] floatBE #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
doubleBE :: Double -> Builder
doubleBE x = scalar P.doubleBE x
{-# INLINE [0] doubleBE #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
word16Host :: Word16 -> Builder
word16Host x = scalar P.word16Host x
{-# INLINE [0] word16Host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
word32Host :: Word32 -> Builder
word32Host x = scalar P.word32Host x
{-# INLINE [0] word32Host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
word64Host :: Word64 -> Builder
word64Host x = scalar P.word64Host x
{-# INLINE [0] word64Host #-}

-- | A number of this machine's word size, in the byte order of this machine.
wordHost :: Word -> Builder
wordHost x = scalar P.wordHost x
{-# INLINE [0] wordHost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
int16Host :: Int16 -> Builder
int16Host x = scalar P.int16Host x
{-# INLINE [0] int16Host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
int32Host :: Int32 -> Builder
int32Host x = scalar P.int32Host x
{-# INLINE [0] int32Host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
int64Host :: Int64 -> Builder
int64Host x = scalar P.int64Host x
{-# INLINE [0] int64Host #-}

-- | A number in two's complement of this machine's word size, in the byte order of this machine.
intHost :: Int -> Builder
intHost x = scalar P.intHost x
{-# INLINE [0] intHost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
floatHost :: Float -> Builder
floatHost x = scalar P.floatHost x
{-# INLINE [0] floatHost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
doubleHost :: Double -> Builder
doubleHost x = scalar P.doubleHost x
{-# INLINE [0] doubleHost #-}

-- Builders from primitives.
--
-- A builder checks the free space for a primitive's bound once, then writes. Neighbours share one
-- check: Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".

-- | A value, written by a primitive of fixed size.
primFixed :: FixedPrim a -> a -> Builder
primFixed prim x = primBounded (toB prim) x
{-# INLINE [0] primFixed #-}

-- | A value, written by a primitive of bounded size.
primBounded :: BoundedPrim a -> a -> Builder
-- The write has the free space that was reserved.
primBounded prim x = ensure (sizeBound prim) (runB prim x)
{-# INLINE [0] primBounded #-}

-- | 'primBounded' of a primitive that evaluates its argument. So it can be evaluated first.
primStrict :: BoundedPrim a -> a -> Builder
primStrict prim x = ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
{-# INLINE [0] primStrict #-}

{-# RULES
"primFixed" [~0] forall prim x. primFixed prim x = primBounded (toB prim) x
"primBounded" [~0] forall prim x.
  primBounded prim x =
    ensure (sizeBound prim) (runB prim x)
"primStrict" [~0] forall prim x.
  primStrict prim x =
    ensureAfter (evaluated x) (sizeBound prim) (runB prim x)
  #-}
