{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Padded
-- Description : Decimal numbers with leading zeros
module Ashlar.Internal.Prim.Padded
  ( word64DecAtLeast,
    int64DecAtLeast,
    rightAlign,
  )
where

import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Decimal
import Ashlar.Internal.Prim.OutOfLine
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (fillBytes, moveBytes)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Exts (Int (I#), isTrue#, (>#))

-- | A number in decimal, with leading zeros up to a minimum number of digits. Longer numbers
-- are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.word64DecAtLeast 3) [7, 12345])
-- "00712345"
word64DecAtLeast ::
  -- | The least number of digits.
  Int ->
  BoundedPrim Word64
word64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeAtLeast n))
{-# INLINE word64DecAtLeast #-}

-- | A signed number in decimal, with leading zeros up to a minimum number of characters. Longer
-- numbers are not cut.
--
-- >>> toLazyByteString (P.primMapListBounded (P.int64DecAtLeast 4) [-7, 7])
-- "-0070007"
int64DecAtLeast ::
  -- | The least number of characters. A minus sign counts, and comes before the zeros.
  Int ->
  BoundedPrim Int64
int64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeSignedAtLeast n))
{-# INLINE int64DecAtLeast #-}

-- Both store at most n bytes, or 20 if that is more. The longest number has 20 digits, and the
-- longest negative one a sign and 19 digits. For a literal, the compiler decides the comparison,
-- as in Note [Sizes that add up] in "Ashlar.Internal.Prim.Combinators".
atLeast20 :: Int -> Int
atLeast20 (I# n) = if isTrue# (n ># 20#) then I# n else 20
{-# INLINE atLeast20 #-}

writeAtLeast :: Int -> Write# Word64
writeAtLeast n = write# $ \x p ->
  if n <= 8 && x < 100000000
    then writeFrom (64 - 8 * max 1 n) x p
    else callWrite writeWord64 x p >>= rightAlign 0x30 n p
{-# NOINLINE writeAtLeast #-}

writeSignedAtLeast :: Int -> Write# Int64
writeSignedAtLeast n = write# $ \x p ->
  if x < 0
    then withSign (callWrite (writeAtLeast (max 1 n - 1))) x p
    else callWrite (writeAtLeast n) (fromIntegral x) p
{-# NOINLINE writeSignedAtLeast #-}

-- | Pad on the left what was just written, and return its new end. If it is wide enough already,
-- do nothing.
rightAlign ::
  -- | The byte to pad with.
  Word8 ->
  -- | The width @n@. It may be any number.
  Int ->
  -- | Where the written bytes start: @n@ bytes must be writable from here on.
  Ptr Word8 ->
  -- | Their end.
  Ptr Word8 ->
  IO (Ptr Word8)
rightAlign filler n p p'
  -- Compared first, because n - len overflows for some negative n. Below, len < n: the bytes
  -- from p to p + n are all that is written.
  | len >= n = pure p'
  | otherwise = do
    moveBytes (p `plusPtr` (n - len)) p len
    fillBytes p filler (n - len)
    pure (p `plusPtr` n)
  where
    len = p' `minusPtr` p
