{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Padded
-- Description : Decimal numbers with zeros in front
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

-- | @word64DecAtLeast n@ writes a number with zeros in front of it up to @n@ digits: @n@
-- bytes, or up to 20 if that is more.
--
-- >>> toLazyByteString (P.primMapListBounded (P.word64DecAtLeast 3) [7, 12345])
-- "00712345"
--
-- @since 0.1.0.0
word64DecAtLeast :: Int -> BoundedPrim Word64
word64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeAtLeast n))
{-# INLINE word64DecAtLeast #-}

-- | @int64DecAtLeast n@ writes a number with zeros in front of it up to @n@ characters. A
-- minus sign is one of these, and comes before the zeros.
--
-- >>> toLazyByteString (P.primMapListBounded (P.int64DecAtLeast 4) [-7, 7])
-- "-0070007"
--
-- @since 0.1.0.0
int64DecAtLeast :: Int -> BoundedPrim Int64
int64DecAtLeast n = boundedPrim (atLeast20 n) (callWrite (writeSignedAtLeast n))
{-# INLINE int64DecAtLeast #-}

-- Both store at most 20 bytes, or n if that is more: 20 are the digits of the longest
-- number, or the sign and the digits of the longest negative one. (Compared by the
-- machine's own operator, which is decided for a literal while a program is compiled, as
-- in Note [Sizes that add up] in "Ashlar.Internal.Prim.Combinators".)
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

-- | @rightAlign filler n p p'@ moves what was written from @p@ up to @p'@ so that it
-- ends @n@ bytes behind @p@, fills the place where it was, and returns the new end; if
-- it is that long already, nothing happens. @n@ bytes must be writable.
rightAlign :: Word8 -> Int -> Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)
rightAlign filler n p p'
  -- Compared before they are subtracted: n may be any number.
  | len >= n = pure p'
  | otherwise = do
    moveBytes (p `plusPtr` (n - len)) p len
    fillBytes p filler (n - len)
    pure (p `plusPtr` n)
  where
    len = p' `minusPtr` p
