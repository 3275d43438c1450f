{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Builder.Padded
-- Description : Builders for values that are padded to a width
--
-- What "Ashlar.Builder.Padded" exports.
module Ashlar.Internal.Builder.Padded
  ( wordDecPadded,
    word64DecPadded,
    intDecPadded,
    int64DecPadded,
    paddedBoundedPrim,
    zeroPaddedBoundedPrim,
    replicateWord8,
  )
where

import Ashlar.Internal.Builder.Batches
import Ashlar.Internal.Builder.Chars
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Prim
import Ashlar.Internal.Mem (maxForeignCopy)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal (word64Dec)
import Ashlar.Internal.Prim.Padded
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (<=#))

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

-- The first argument says that the width is at most 20.

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

-- The width is above 20 here, so one less is still a width. The least number is its
-- own opposite, and right as a number without sign.
intToWide :: Int -> Int64 -> Builder
intToWide n x
  | x < 0 = char7 '-' `append` wordToWide (n - 1) (fromIntegral (negate x))
  | otherwise = wordToWide n (fromIntegral x)
{-# NOINLINE intToWide #-}

-- | @zeroPaddedBoundedPrim n prim x@ is @x@ as @prim@ writes it, with zeros (the
-- character) in front up to @n@ bytes. They come before a sign; see 'intDecPadded' for
-- numbers that have one.
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
    -- Written once to learn its length, and again where it belongs.
    p <- reserve c k (sizeBound prim)
    p' <- runB prim x p
    runOn (replicateWord8 (n - p' `minusPtr` p) filler) c k
    p'' <- reserve c k (sizeBound prim)
    runB prim x p'' >>= putPtr c cursorCell
{-# INLINE paddedBoundedPrim #-}

-- | @replicateWord8 n x@ is the byte @x@, @n@ times; not once, if @n@ is negative.
--
-- >>> toStrictByteString (replicateWord8 3 0x2E)
-- "..."
replicateWord8 :: Int -> Word8 -> Builder
replicateWord8 n x = action $ \c k ->
  -- A number that may be huge is not asked for at once. len bytes are free.
  inBatches c k n 1 (min maxForeignCopy) (eachFits maxForeignCopy n 1) $ \p _ len ->
    (p `plusPtr` len) <$ fillBytes p x len
