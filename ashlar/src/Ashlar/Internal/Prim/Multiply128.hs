{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Multiply128
-- Description : Products of 128 bits, from factors of 64
module Ashlar.Internal.Prim.Multiply128
  ( timesWide,
    timesHigh,
    timesHalves,
  )
where

import Data.Bits (finiteBitSize, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word64)
import GHC.Exts (Word (W#), timesWord2#)

-- | The high and the low 64 bits of a product.
timesWide :: Word64 -> Word64 -> (# Word64, Word64 #)
timesWide x y
  -- A 64-bit machine has an instruction for this, and the conversions cost nothing. The
  -- compiler decides the condition.
  | finiteBitSize (0 :: Word) == 64 = timesWord (fromIntegral x) (fromIntegral y)
  | otherwise = timesHalves x y
{-# INLINE timesWide #-}

-- | The high 64 bits of a product.
timesHigh :: Word64 -> Word64 -> Word64
timesHigh x y = case timesWide x y of (# hi, _ #) -> hi
{-# INLINE timesHigh #-}

timesWord :: Word -> Word -> (# Word64, Word64 #)
timesWord (W# x) (W# y) = case timesWord2# x y of
  (# hi, lo #) -> (# fromIntegral (W# hi), fromIntegral (W# lo) #)
{-# INLINE timesWord #-}

-- | 'timesWide' for 32-bit machines, by long multiplication of halves. No sum overflows: each is
-- at most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
timesHalves :: Word64 -> Word64 -> (# Word64, Word64 #)
timesHalves x y = (# hi, (middle' `unsafeShiftL` 32) .|. lower bottom #)
  where
    bottom = lower x * lower y
    middle = upper x * lower y + upper bottom
    middle' = lower x * upper y + lower middle
    hi = upper x * upper y + upper middle + upper middle'
    upper z = z `unsafeShiftR` 32
    lower z = z .&. 0xFFFFFFFF
