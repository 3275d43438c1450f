{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Prim.Padded
-- Description : Decimal numbers with zeros in front
module Ashlar.Prim.Padded
  ( word64DecAtLeast,
    int64DecAtLeast,
    moveBehind,
  )
where

import Ashlar.Prim.Bounded
import Ashlar.Prim.Decimal
import Ashlar.Prim.OutOfLine
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.Marshal.Utils (fillBytes, moveBytes)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | At least so many digits: any number that is not above 20.
word64DecAtLeast :: Int -> BoundedPrim Word64
word64DecAtLeast n = boundedPrim 20 (callWrite (writeAtLeast n))
{-# INLINE word64DecAtLeast #-}

-- | At least so many characters: any number that is not above 20. A sign counts, and
-- comes before the zeros.
int64DecAtLeast :: Int -> BoundedPrim Int64
int64DecAtLeast n = boundedPrim 20 (callWrite (writeSignedAtLeast n))
{-# INLINE int64DecAtLeast #-}

-- Both store at most 20 bytes: that many are the digits of the longest number, or the
-- sign and the digits of the longest negative one, and the greatest width.

writeAtLeast :: Int -> Write# Word64
writeAtLeast n = write# $ \x p ->
  if n <= 8 && x < 100000000
    then writeFrom (64 - 8 * max 1 n) x p
    else callWrite writeWord64 x p >>= moveBehind 0x30 n p
{-# NOINLINE writeAtLeast #-}

writeSignedAtLeast :: Int -> Write# Int64
writeSignedAtLeast n = write# $ \x p ->
  if x < 0
    then withSign (callWrite (writeAtLeast (max 1 n - 1))) x p
    else callWrite (writeAtLeast n) (fromIntegral x) p
{-# NOINLINE writeSignedAtLeast #-}

-- | @moveBehind filler n p p'@ moves what was written from @p@ up to @p'@ so that it
-- ends @n@ bytes behind @p@, fills the place where it was, and returns the new end; if
-- it is that long already, nothing happens. @n@ bytes must be writable.
moveBehind :: Word8 -> Int -> Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)
moveBehind filler n p p'
  -- Compared before they are subtracted: n may be any number.
  | len >= n = pure p'
  | otherwise = do
      moveBytes (p `plusPtr` (n - len)) p len
      fillBytes p filler (n - len)
      pure (p `plusPtr` n)
  where
    len = p' `minusPtr` p
