-- |
-- Module      : Ashlar.Internal.Prim.Digits
-- Description : Decimal digits, several at once
--
-- Note [Eight decimal digits]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A number below 10^8 is split into two numbers of 4 digits. Side by side in one word, these
-- are split into four numbers of 2 digits, and then into eight digits, one in each byte of the
-- word. One store writes them all. (Paul Khuong, \"How to print integers really fast\", 2017.)
--
-- A division is a multiplication by a rounded inverse and a shift, because GHC divides by
-- constants with the machine's divide instruction. Each is exact in the range that it is used
-- for: T. Granlund, P. L. Montgomery, \"Division by invariant integers using multiplication\",
-- 1994. The property "numbers around the multiples of powers of ten" checks them.
--
-- This is faster than bytestring's C function, which takes two digits at a time from a table,
-- and the more so the longer the number is. Short numbers have code of their own
-- ("Ashlar.Internal.Prim.Decimal"), which is faster than making eight digits each time.
module Ashlar.Internal.Prim.Digits
  ( -- * Digits in bytes, the first in the least significant byte
    digits2,
    digits4,
    digits8,
    asCharacters,

    -- * Division by powers of ten
    quotRem100,
    quotRem1e4,
    quotRem1e8,
    quotRem1e16,
  )
where

import Ashlar.Internal.Prim.Multiply128
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Word (Word64)

-- | The two digits of a number below 100.
digits2 :: Word64 -> Word64
digits2 x = tens + ((x - 10 * tens) `unsafeShiftL` 8)
  where
    tens = (x * 103) `unsafeShiftR` 10
{-# INLINE digits2 #-}

-- | The four digits of a number below 10^4.
digits4 :: Word64 -> Word64
digits4 x = tens + ((pairs - 10 * tens) `unsafeShiftL` 8)
  where
    (hundreds, rest) = quotRem100 x
    pairs = hundreds .|. (rest `unsafeShiftL` 16)
    tens = ((pairs * 103) `unsafeShiftR` 10) .&. 0x000F000F
{-# INLINE digits4 #-}

-- | The eight digits of a number below 10^8.
digits8 :: Word64 -> Word64
digits8 x = tens + ((pairs - 10 * tens) `unsafeShiftL` 8)
  where
    -- Two numbers below 10^4 in 32 bits each, then four below 100 in 16 bits each.
    (upper, lower) = quotRem1e4 x
    fours = upper .|. (lower `unsafeShiftL` 32)
    hundreds = ((fours * 10486) `unsafeShiftR` 20) .&. 0x0000007F0000007F
    pairs = hundreds .|. ((fours - 100 * hundreds) `unsafeShiftL` 16)
    tens = ((pairs * 103) `unsafeShiftR` 10) .&. 0x000F000F000F000F
{-# INLINE digits8 #-}

-- | Turn the digits in the eight bytes into characters.
asCharacters :: Word64 -> Word64
asCharacters digits = digits + 0x3030303030303030
{-# INLINE asCharacters #-}

-- | Divide a number below 10^4 by 100.
quotRem100 :: Word64 -> (Word64, Word64)
quotRem100 x = (q, x - q * 100)
  where
    q = (x * 10486) `unsafeShiftR` 20
{-# INLINE quotRem100 #-}

-- | Divide a number below 10^8 by 10^4.
quotRem1e4 :: Word64 -> (Word64, Word64)
quotRem1e4 x = (q, x - q * 10000)
  where
    q = (x * 109951163) `unsafeShiftR` 40
{-# INLINE quotRem1e4 #-}

-- | Divide any number by 10^8.
quotRem1e8 :: Word64 -> (Word64, Word64)
quotRem1e8 x = (q, x - q * 100000000)
  where
    q = timesHigh x 0xABCC77118461CEFD `unsafeShiftR` 26
{-# INLINE quotRem1e8 #-}

-- | Divide any number by 10^16.
quotRem1e16 :: Word64 -> (Word64, Word64)
quotRem1e16 x = (q, x - q * 10000000000000000)
  where
    q = timesHigh x 0x39A5652FB1137857 `unsafeShiftR` 51
{-# INLINE quotRem1e16 #-}
