{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Builder.Hex
-- Description : Builders for numbers and bytes in hexadecimal, and padded to a width
--
-- The digits above 9 are @a@ to @f@. The formats of single numbers are those of
-- "Ashlar.Internal.Prim.Hex".
module Ashlar.Internal.Builder.Hex
  ( word8Hex,
    word16Hex,
    word32Hex,
    word64Hex,
    wordHex,
    word8HexFixed,
    word16HexFixed,
    word32HexFixed,
    word64HexFixed,
    int8HexFixed,
    int16HexFixed,
    int32HexFixed,
    int64HexFixed,
    floatHexFixed,
    doubleHexFixed,
    byteStringHex,
    lazyByteStringHex,
    encodeHex,
    wordDecPadded,
    word64DecPadded,
    intDecPadded,
    int64DecPadded,
    paddedBoundedPrim,
    zeroPaddedBoundedPrim,
    replicateWord8,
  )
where

import Ashlar.Internal.Builder.Bytes (chunkwise, eachFits, inBatches)
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Numbers (primBounded, primStrict)
import Ashlar.Internal.Builder.Strings (char7)
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal (int64DecAtLeast, rightAlign, word64Dec, word64DecAtLeast)
import Ashlar.Internal.Prim.Hex (mostHexBytes, writeHex)
import qualified Ashlar.Internal.Prim.Hex as P
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (<=#))

-- See Note [Fusing reservations] in "Ashlar.Internal.Builder.Core".
{-# RULES
"word8Hex" [2] forall x. word8Hex x = primStrict P.word8Hex x
"word16Hex" [2] forall x. word16Hex x = primStrict P.word16Hex x
"word32Hex" [2] forall x. word32Hex x = primStrict P.word32Hex x
"word64Hex" [2] forall x. word64Hex x = primStrict P.word64Hex x
"wordHex" [2] forall x. wordHex x = primStrict P.wordHex x
"word8HexFixed" [2] forall x. word8HexFixed x = primStrict (toB P.word8HexFixed) x
"word16HexFixed" [2] forall x. word16HexFixed x = primStrict (toB P.word16HexFixed) x
"word32HexFixed" [2] forall x. word32HexFixed x = primStrict (toB P.word32HexFixed) x
"word64HexFixed" [2] forall x. word64HexFixed x = primStrict (toB P.word64HexFixed) x
"int8HexFixed" [2] forall x. int8HexFixed x = primStrict (toB P.int8HexFixed) x
"int16HexFixed" [2] forall x. int16HexFixed x = primStrict (toB P.int16HexFixed) x
"int32HexFixed" [2] forall x. int32HexFixed x = primStrict (toB P.int32HexFixed) x
"int64HexFixed" [2] forall x. int64HexFixed x = primStrict (toB P.int64HexFixed) x
"floatHexFixed" [2] forall x. floatHexFixed x = primStrict (toB P.floatHexFixed) x
"doubleHexFixed" [2] forall x. doubleHexFixed x = primStrict (toB P.doubleHexFixed) x
  #-}

-- | A number of 8 bits in hexadecimal, with as few digits as possible: 1 or 2.
word8Hex :: Word8 -> Builder
word8Hex x = closed (primStrict P.word8Hex x)
{-# NOINLINE word8Hex #-}

-- | A number of 16 bits in hexadecimal, with as few digits as possible: 1 to 4.
--
-- >>> toStrictByteString (word16Hex 0x0a10)
-- "a10"
word16Hex :: Word16 -> Builder
word16Hex x = closed (primStrict P.word16Hex x)
{-# NOINLINE word16Hex #-}

-- | A number of 32 bits in hexadecimal, with as few digits as possible: 1 to 8.
word32Hex :: Word32 -> Builder
word32Hex x = closed (primStrict P.word32Hex x)
{-# NOINLINE word32Hex #-}

-- | A number of 64 bits in hexadecimal, with as few digits as possible: 1 to 16.
word64Hex :: Word64 -> Builder
word64Hex x = closed (primStrict P.word64Hex x)
{-# NOINLINE word64Hex #-}

-- | A number of the machine's word size in hexadecimal, with as few digits as possible.
wordHex :: Word -> Builder
wordHex x = closed (primStrict P.wordHex x)
{-# NOINLINE wordHex #-}

-- | A number of 8 bits in hexadecimal: 2 digits.
word8HexFixed :: Word8 -> Builder
word8HexFixed x = closed (primStrict (toB P.word8HexFixed) x)
{-# NOINLINE word8HexFixed #-}

-- | A number of 16 bits in hexadecimal: 4 digits.
--
-- >>> toStrictByteString (word16HexFixed 0x0a10)
-- "0a10"
word16HexFixed :: Word16 -> Builder
word16HexFixed x = closed (primStrict (toB P.word16HexFixed) x)
{-# NOINLINE word16HexFixed #-}

-- | A number of 32 bits in hexadecimal: 8 digits.
word32HexFixed :: Word32 -> Builder
word32HexFixed x = closed (primStrict (toB P.word32HexFixed) x)
{-# NOINLINE word32HexFixed #-}

-- | A number of 64 bits in hexadecimal: 16 digits.
word64HexFixed :: Word64 -> Builder
word64HexFixed x = closed (primStrict (toB P.word64HexFixed) x)
{-# NOINLINE word64HexFixed #-}

-- | The two's complement of a number of 8 bits in hexadecimal: 2 digits.
int8HexFixed :: Int8 -> Builder
int8HexFixed x = closed (primStrict (toB P.int8HexFixed) x)
{-# NOINLINE int8HexFixed #-}

-- | The two's complement of a number of 16 bits in hexadecimal: 4 digits.
int16HexFixed :: Int16 -> Builder
int16HexFixed x = closed (primStrict (toB P.int16HexFixed) x)
{-# NOINLINE int16HexFixed #-}

-- | The two's complement of a number of 32 bits in hexadecimal: 8 digits.
int32HexFixed :: Int32 -> Builder
int32HexFixed x = closed (primStrict (toB P.int32HexFixed) x)
{-# NOINLINE int32HexFixed #-}

-- | The two's complement of a number of 64 bits in hexadecimal: 16 digits.
int64HexFixed :: Int64 -> Builder
int64HexFixed x = closed (primStrict (toB P.int64HexFixed) x)
{-# NOINLINE int64HexFixed #-}

-- | The bits of an IEEE 754 number in hexadecimal, sign and exponent first: 8 digits.
floatHexFixed :: Float -> Builder
floatHexFixed x = closed (primStrict (toB P.floatHexFixed) x)
{-# NOINLINE floatHexFixed #-}

-- | The bits of an IEEE 754 number in hexadecimal, sign and exponent first: 16 digits.
doubleHexFixed :: Double -> Builder
doubleHexFixed x = closed (primStrict (toB P.doubleHexFixed) x)
{-# NOINLINE doubleHexFixed #-}

-- | The bytes of a strict 'ByteString' in hexadecimal: 2 digits for each.
--
-- >>> toStrictByteString (byteStringHex "\0\n\xff")
-- "000aff"
byteStringHex :: ByteString -> Builder
byteStringHex bs = action $ \c k ->
  inBatches c k n 2 (\left -> 2 * min batch left) (eachFits batch n 2) $ \p off len -> do
    -- off + len is at most the string's length, and 2 * len bytes are free.
    withBytesQuick bs (\src _ -> writeHex p (src `plusPtr` off) len)
    pure (p `plusPtr` (2 * len))
  where
    n = S.length bs
    -- Twice this does not overflow, unlike twice the length.
    batch = mostHexBytes

-- | The bytes of a lazy 'L.ByteString' in hexadecimal: 2 digits for each. Its chunks
-- are forced one by one, as the output gets there.
lazyByteStringHex :: L.ByteString -> Builder
lazyByteStringHex = chunkwise byteStringHex

-- | The bytes in hexadecimal, two digits for each, in memory of their size.
--
-- >>> encodeHex "\0\n\xff"
-- "000aff"
encodeHex :: ByteString -> ByteString
encodeHex bs
  | n <= maxBound `quot` 2 =
    -- Each byte has two bytes of the result to write to.
    S.unsafeCreate (2 * n) (withBytesQuick bs . writeHex)
  | otherwise = errorWithoutStackTrace "Ashlar.Builder.Hex: the result would be too long"
  where
    n = S.length bs

-- Builders for values that are padded to a width: what "Ashlar.Builder.Padded" of @ashlar-text@
-- exports.

-- Note [Narrow and wide]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- A number padded to at most 20 characters is a primitive, and shares its reservation with its
-- neighbours (Note [Fusing reservations]). If the width is a literal, the comparison with 20 is
-- decided while the program is compiled, as in 'fused'.

{-# RULES
"wordDecPadded" [~0] forall n x. wordDecPadded n x = word64DecPadded n (fromIntegral x)
"intDecPadded" [~0] forall n x. intDecPadded n x = int64DecPadded n (fromIntegral x)
"word64DecPadded" [~0] forall n x. word64DecPadded (I# n) x = wordTo (isTrue# (n <=# 20#)) (I# n) x
"int64DecPadded" [~0] forall n x. int64DecPadded (I# n) x = intTo (isTrue# (n <=# 20#)) (I# n) x
"wordTo/narrow" [~0] forall n x. wordTo True n x = primBounded (word64DecAtLeast n) x
"intTo/narrow" [~0] forall n x. intTo True n x = primBounded (int64DecAtLeast n) x
  #-}

-- | A number in decimal, with zeros in front up to a width.
--
-- >>> toStrictByteString (wordDecPadded 4 42)
-- "0042"
-- >>> toStrictByteString (wordDecPadded 4 12345)
-- "12345"
wordDecPadded :: Int -> Word -> Builder
wordDecPadded n x = word64DecPadded n (fromIntegral x)
{-# INLINE [0] wordDecPadded #-}

-- | A number of 64 bits in decimal, with zeros in front up to a width.
word64DecPadded :: Int -> Word64 -> Builder
word64DecPadded n x = wordTo (n <= 20) n x
{-# INLINE [0] word64DecPadded #-}

-- | A number in decimal, with zeros in front up to a width. A minus sign comes
-- before them, and counts.
--
-- >>> toStrictByteString (intDecPadded 5 (-42))
-- "-0042"
intDecPadded :: Int -> Int -> Builder
intDecPadded n x = int64DecPadded n (fromIntegral x)
{-# INLINE [0] intDecPadded #-}

-- | A number of 64 bits in decimal, with zeros in front up to a width. A minus sign
-- comes before them, and counts.
int64DecPadded :: Int -> Int64 -> Builder
int64DecPadded n x = intTo (n <= 20) n x
{-# INLINE [0] int64DecPadded #-}

-- The first argument says whether the width is at most 20: Note [Narrow and wide].

wordTo :: Bool -> Int -> Word64 -> Builder
wordTo narrow n x
  | narrow = primBounded (word64DecAtLeast n) x
  | otherwise = wordToWide n x
{-# INLINE [0] wordTo #-}

intTo :: Bool -> Int -> Int64 -> Builder
intTo narrow n x
  | narrow = primBounded (int64DecAtLeast n) x
  | otherwise = intToWide n x
{-# INLINE [0] intTo #-}

wordToWide :: Int -> Word64 -> Builder
wordToWide n x = zeroPaddedBoundedPrim n word64Dec x
{-# NOINLINE wordToWide #-}

-- The width is above 20 here, so n - 1 is positive. The least Int64 is its own opposite,
-- which is the right number when read as unsigned.
intToWide :: Int -> Int64 -> Builder
intToWide n x
  | x < 0 = char7 '-' `append` wordToWide (n - 1) (fromIntegral (negate x))
  | otherwise = wordToWide n (fromIntegral x)
{-# NOINLINE intToWide #-}

-- | @zeroPaddedBoundedPrim n prim x@ is @x@ as @prim@ writes it, with characters @0@ in
-- front up to @n@ bytes. They come before a sign; use 'intDecPadded' for numbers that may
-- have one.
zeroPaddedBoundedPrim ::
  -- | The width, in bytes. A longer value is written whole.
  Int ->
  -- | How the value is written.
  BoundedPrim a ->
  a ->
  Builder
zeroPaddedBoundedPrim = paddedBoundedPrim 0x30
{-# INLINE zeroPaddedBoundedPrim #-}

-- | @paddedBoundedPrim filler n prim x@ is @x@ as @prim@ writes it, with the byte
-- @filler@ in front up to @n@ bytes.
paddedBoundedPrim ::
  -- | The filler.
  Word8 ->
  -- | The width, in bytes. A longer value is written whole.
  Int ->
  -- | How the value is written.
  BoundedPrim a ->
  a ->
  Builder
paddedBoundedPrim filler n prim x
  | n <= 64 =
    ensure (max n (max 1 (sizeBound prim))) (\p -> runB prim x p >>= rightAlign filler n p)
  | otherwise = action $ \c k -> do
    -- The value is written once to learn its length, and again after the filler.
    p <- reserve c k (sizeBound prim)
    p' <- runB prim x p
    runOn (replicateWord8 (n - p' `minusPtr` p) filler) c k
    p'' <- reserve c k (sizeBound prim)
    runB prim x p'' >>= putPtr c cursorCell
{-# INLINE paddedBoundedPrim #-}

-- | @replicateWord8 n x@ is the byte @x@, @n@ times. It is empty if @n@ is negative.
--
-- >>> toStrictByteString (replicateWord8 3 0x2E)
-- "..."
replicateWord8 :: Int -> Word8 -> Builder
replicateWord8 n x = action $ \c k ->
  -- At most a batch is announced, because n may be huge. len bytes are free.
  inBatches c k n 1 (min maxForeignCopy) (eachFits maxForeignCopy n 1) $ \p _ len ->
    (p `plusPtr` len) <$ fillBytes p x len
