{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Ashlar.Internal.Prim.Varint.Type
-- Description : A varint format as a value: size, write half and read half
--
-- A format holds its writer and its code together. So they cannot drift apart, and one round-trip
-- property covers both.
module Ashlar.Internal.Prim.Varint.Type
  ( -- * Formats
    Varint (..),
    varintBound,
    lenient,

    -- * Reading
    ReadHalf (..),
    Code (..),
    Form (..),
    Range (..),
    rangeOf,
    Decoded (..),
    checked,
    goesOn,

    -- * Counting groups
    groupsOfBits,
    groupsOfRange,
    bitsUnsigned,
  )
where

import Ashlar.Internal.Prim.Core
import Data.Bits (countLeadingZeros, unsafeShiftR, (.|.))
import Data.Word (Word64, Word8)
import Foreign.Ptr (Ptr)

-- | A variable-length format of numbers: small numbers take fewer bytes.
data Varint a = Varint
  { -- | Writes a number, and knows the most bytes that one takes.
    varintPrim :: !(BoundedPrim a),
    -- | The bytes that a number takes.
    varintSize :: a -> Int,
    -- | Reads a number.
    varintRead :: !(ReadHalf a)
  }

-- | The most bytes that a number takes.
varintBound :: Varint a -> Int
varintBound = sizeBound . varintPrim
{-# INLINE varintBound #-}

-- | How a number is read.
--
-- Most numbers take one byte. Inlined code recognises these first. All others are read out of line.
data ReadHalf a = ReadHalf
  { -- | Is this first byte the whole number?
    readsAlone :: Word8 -> Bool,
    -- | The number that such a byte is.
    fromByte :: Word8 -> a,
    -- | How all numbers are coded.
    readCode :: !Code,
    -- | The number that a decoded word stands for.
    fromCoded :: Word64 -> a
  }

-- | How a word is coded in bytes.
--
-- Note [A code is no function]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A format names its code and does not hold the function that reads it. A function in a record is
-- called with boxed arguments, and returns a boxed result. The name is known while a program is
-- compiled, and becomes a call of a decoder for just this code, with the range unboxed
-- ('Ashlar.Internal.Get.Varint.getVarint').
--
-- The formats of few programs, in @ashlar-compat@, do hold functions ('Other'). Numbers of one byte
-- need none.
data Code
  = -- | Groups of seven bits, unsigned.
    Unsigned !Form !Range
  | -- | Groups of seven bits, in two's complement.
    Signed !Form !Range
  | -- | Up to ten groups of seven bits, needed or not.
    Lenient
  | -- | A code of another module, read by a call of this function. It is given the form, the
    -- address of the number, and how many bytes are readable there, at least one.
    Other !Form (Form -> Ptr Word8 -> Int -> IO Decoded)

-- | Which encodings of a number are accepted.
data Form
  = -- | The shortest.
    Shortest
  | -- | Those of at most as many groups as the type needs: its bits divided by 7, rounded up.
    Padded

-- | The numbers of a type, as words modulo 2^64. The word @x@ is one of them if
-- @x + rangeToZero <= rangeWidth@.
data Range = Range
  { -- | The least number of the type, negated.
    rangeToZero :: !Word64,
    -- | The greatest number of the type minus the least.
    rangeWidth :: !Word64
  }

-- | The range of a type.
rangeOf :: forall a. (Bounded a, Integral a) => a -> Range
rangeOf _ = Range (negate least) (fromIntegral (maxBound :: a) - least)
  where
    least = fromIntegral (minBound :: a)
{-# INLINE rangeOf #-}

-- | The outcome of reading a number. All except 'Needs' have the number of bytes that were read.
data Decoded
  = -- | The number. A signed one is in two's complement.
    Decoded !Int !Word64
  | -- | At least this many bytes are needed, more than there are.
    Needs !Int
  | -- | The number has a shorter form.
    Overlong !Int
  | -- | The number is not in the range.
    TooLarge !Int
  | -- | Another fault, which the message tells.
    Malformed !Int String
  | -- | More bytes than a number may have.
    TooLong !Int

-- | Accept a number that has the required form and is in the range.
checked ::
  Form ->
  -- | The bytes it was read from.
  Int ->
  -- | The bytes of its shortest form.
  Int ->
  Range ->
  -- | The number.
  Word64 ->
  Decoded
checked form n shortest range@(Range toZero greatest) x = case form of
  Shortest | shortest /= n -> Overlong n
  Padded | n > most -> TooLong most
  _
    | x + toZero > greatest -> TooLarge n
    | otherwise -> Decoded n x
  where
    most = groupsOfRange range
{-# INLINE checked #-}

-- | The outcome if a number goes on after the bytes that are there.
goesOn :: Form -> Range -> Int -> Decoded
goesOn form range have = case form of
  Padded | have >= groupsOfRange range -> TooLong (groupsOfRange range)
  _ -> Needs (have + 1)
{-# INLINE goesOn #-}

-- | The groups of seven bits that the type of a range has space for.
groupsOfRange :: Range -> Int
groupsOfRange (Range _ greatest) = groupsOfBits (bitsUnsigned greatest)
{-# INLINE groupsOfRange #-}

-- | The groups of seven bits that a number of bits needs: the quotient by 7, rounded up. (9/64 is
-- near enough to 1/7.)
groupsOfBits ::
  -- | Bits, from 1 to 65.
  Int ->
  Int
groupsOfBits bits = (9 * bits + 64) `unsafeShiftR` 6
{-# INLINE groupsOfBits #-}

-- | The bits that a number needs; 1 for 0.
bitsUnsigned :: Word64 -> Int
bitsUnsigned x = 64 - countLeadingZeros (x .|. 1)
{-# INLINE bitsUnsigned #-}

-- | The same format, read as Protocol Buffers does: up to ten bytes, needed or not. Bits that the
-- type cannot hold are dropped.
lenient :: Varint a -> Varint a
lenient (Varint prim sizeOf (ReadHalf alone short _ long)) =
  Varint prim sizeOf (ReadHalf alone short Lenient long)
{-# INLINE lenient #-}
