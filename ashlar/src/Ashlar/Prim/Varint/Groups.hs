-- |
-- Module      : Ashlar.Prim.Varint.Groups
-- Description : What formats of variable length have in common: groups of seven bits
--
-- The type of a format, and the writing of a number as groups of seven bits, the least
-- significant first, each in a byte whose highest bit says whether another one follows.
-- LEB128, Protocol Buffers and VLQ are made of them.
module Ashlar.Prim.Varint.Groups
  ( Varint (..),
    varintBound,

    -- * Counting groups
    groupsOfBits,
    bitsUnsigned,
    bitsSigned,

    -- * Writing groups
    writeUnsigned64,
    writeUnsigned32,
    writeUnsigned16,
    writeSigned64,
    writeSigned32,
    writeSigned16,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Bounded
import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | A format in which a number takes the more bytes the larger it is.
--
-- @since 0.1.0.0
data Varint a = Varint
  { -- | How to write a number, and the most bytes that one takes.
    varintPrim :: !(BoundedPrim a),
    -- | Just how many bytes a number takes.
    varintSize :: a -> Int
  }

-- | The most bytes that a number takes.
--
-- @since 0.1.0.0
varintBound :: Varint a -> Int
varintBound = sizeBound . varintPrim
{-# INLINE varintBound #-}

-- | The number of groups that hold so many bits, from 1 to 65: the quotient by 7, rounded
-- up. (9/64 is near enough to 1/7.)
groupsOfBits :: Int -> Int
groupsOfBits bits = (9 * bits + 64) `unsafeShiftR` 6
{-# INLINE groupsOfBits #-}

-- | The bits that a number needs; 1 for 0.
bitsUnsigned :: Word64 -> Int
bitsUnsigned x = 64 - countLeadingZeros (x .|. 1)
{-# INLINE bitsUnsigned #-}

-- | The bits that a number needs in two's complement.
bitsSigned :: Int64 -> Int
bitsSigned x = 65 - countLeadingZeros (fromIntegral (x `xor` (x `unsafeShiftR` 63)) :: Word64)
{-# INLINE bitsSigned #-}

-- Note [Eight groups at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The obvious loop takes one group after the other, and the processor cannot foresee where it
-- ends. So 56 bits are spread to eight bytes at once: the upper half is moved up by
-- 4 bits, then the upper quarter of each half by 2, then the upper eighths by 1
-- (Warren, Hacker's Delight, second edition, section 7-5, "Expand"). The number of
-- groups comes from the leading zeros, and all eight bytes are written
-- whatever their number: the room for the bound is there (INV-B2). Numbers of one and two
-- groups, which are most of them in practice, are told apart before that.

-- The lowest 56 bits, seven in each byte.
spread :: Word64 -> Word64
spread = step 1 0x007F007F007F007F 0x3F803F803F803F80 . step 2 0x00003FFF00003FFF 0x0FFFC0000FFFC000 . step 4 0x000000000FFFFFFF 0x00FFFFFFF0000000
  where
    step by low high x = (x .&. low) .|. ((x .&. high) `unsafeShiftL` by)
    {-# INLINE step #-}
{-# INLINE spread #-}

-- The continuation bits of all but the last of so many groups, from 1 to 8.
continued :: Int -> Word64
continued n = 0x0080808080808080 `unsafeShiftR` (64 - 8 * n)
{-# INLINE continued #-}

byteAt :: Ptr Word8 -> Int -> Word64 -> IO ()
byteAt p i x = pokeHost (p `plusPtr` i) (fromIntegral x :: Word8)
{-# INLINE byteAt #-}

-- One group: 1 byte must be writable.
oneGroup :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
oneGroup x p = byteAt p 0 (x .&. 0x7F) >> pure (p `plusPtr` 1)
{-# INLINE oneGroup #-}

-- Two groups: 2 bytes must be writable.
twoGroups :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
twoGroups x p = do
  pokeLE p (fromIntegral ((x .&. 0x7F) .|. 0x80 .|. ((x .&. 0x3F80) `unsafeShiftL` 1)) :: Word16)
  pure (p `plusPtr` 2)
{-# INLINE twoGroups #-}

-- Three groups: 3 bytes must be writable.
threeGroups :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
threeGroups x p = do
  _ <- twoGroups x p
  byteAt p 1 ((x `unsafeShiftR` 7) .|. 0x80)
  byteAt p 2 ((x `unsafeShiftR` 14) .&. 0x7F)
  pure (p `plusPtr` 3)

-- So many groups, from 3 to 5: 5 bytes must be writable.
groupsUpTo5 :: Int -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo5 n x p = do
  pokeLE p (fromIntegral (spread x .|. continued n) :: Word32)
  if n == 5 then byteAt p 4 ((x `unsafeShiftR` 28) .&. 0x7F) else pure ()
  pure (p `plusPtr` n)
{-# NOINLINE groupsUpTo5 #-}

-- So many groups, from 1 to 10, the last of which, if there are 10, is given: 10 bytes must
-- be writable.
groupsUpTo10 :: Int -> Word64 -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo10 n tenth x p
  | n <= 8 = do
      pokeLE p (spread x .|. continued n)
      pure (p `plusPtr` n)
  | n == 9 = do
      pokeLE p (spread x .|. allContinued)
      byteAt p 8 ((x `unsafeShiftR` 56) .&. 0x7F)
      pure (p `plusPtr` 9)
  | otherwise = do
      pokeLE p (spread x .|. allContinued)
      byteAt p 8 ((x `unsafeShiftR` 56) .|. 0x80)
      byteAt p 9 tenth
      pure (p `plusPtr` 10)
  where
    allContinued = 0x8080808080808080
{-# NOINLINE groupsUpTo10 #-}

-- | An unsigned number: at most 10 bytes, which must be writable.
writeUnsigned64 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned64 x p
  | x < 0x80 = oneGroup x p
  | x < 0x4000 = twoGroups x p
  | otherwise = groupsUpTo10 (groupsOfBits (bitsUnsigned x)) (x `unsafeShiftR` 63) x p
{-# INLINE writeUnsigned64 #-}

-- | An unsigned number below 2^32: at most 5 bytes, which must be writable.
writeUnsigned32 :: Word32 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned32 x32 p
  | x < 0x80 = oneGroup x p
  | x < 0x4000 = twoGroups x p
  | otherwise = groupsUpTo5 (groupsOfBits (bitsUnsigned x)) x p
  where
    x = fromIntegral x32
{-# INLINE writeUnsigned32 #-}

-- | An unsigned number below 2^16: at most 3 bytes, which must be writable.
writeUnsigned16 :: Word16 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned16 x16 p
  | x < 0x80 = oneGroup x p
  | x < 0x4000 = twoGroups x p
  | otherwise = threeGroups x p
  where
    x = fromIntegral x16
{-# INLINE writeUnsigned16 #-}

-- | A number in two's complement: at most 10 bytes, which must be writable.
writeSigned64 :: Int64 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned64 x p
  | within 0x40 x = oneGroup w p
  | within 0x2000 x = twoGroups w p
  | otherwise = groupsUpTo10 (groupsOfBits (bitsSigned x)) (fromIntegral (x `unsafeShiftR` 63) .&. 0x7F) w p
  where
    w = fromIntegral x
{-# INLINE writeSigned64 #-}

-- | A number of 32 bits in two's complement: at most 5 bytes, which must be writable.
writeSigned32 :: Int32 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned32 x32 p
  | within 0x40 x = oneGroup w p
  | within 0x2000 x = twoGroups w p
  | otherwise = groupsUpTo5 (groupsOfBits (bitsSigned x)) w p
  where
    x = fromIntegral x32
    w = fromIntegral x
{-# INLINE writeSigned32 #-}

-- | A number of 16 bits in two's complement: at most 3 bytes, which must be writable.
writeSigned16 :: Int16 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned16 x16 p
  | within 0x40 x = oneGroup w p
  | within 0x2000 x = twoGroups w p
  | otherwise = threeGroups w p
  where
    x = fromIntegral x16
    w = fromIntegral x
{-# INLINE writeSigned16 #-}

-- From -n up to n - 1.
within :: Int64 -> Int64 -> Bool
within n x = x >= negate n && x < n
{-# INLINE within #-}
