{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Internal.Prim.Varint.Groups
-- Description : Groups of seven bits, which most varints are made of
--
-- Writes and reads a number as groups of seven bits, the least significant first. Each group is a
-- byte whose highest bit says whether another one follows. LEB128 and Protocol Buffers are made
-- of them.
module Ashlar.Internal.Prim.Varint.Groups
  ( -- * Counting groups
    bitsSigned,

    -- * Writing groups
    writeUnsigned64,
    writeUnsigned32,
    writeUnsigned16,
    writeSigned64,
    writeSigned32,
    writeSigned16,

    -- * Reading groups
    Groups (..),
    readGroups,
    readUnsigned,
    readSigned,
    readLenient,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Varint.Type
import Data.Bits
  ( complement,
    countLeadingZeros,
    countTrailingZeros,
    unsafeShiftL,
    unsafeShiftR,
    xor,
    (.&.),
    (.|.),
  )
import Data.Int (Int16, Int32, Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | The bits that a number needs in two's complement.
bitsSigned :: Int64 -> Int
bitsSigned x = 65 - countLeadingZeros (fromIntegral (x `xor` (x `unsafeShiftR` 63)) :: Word64)
{-# INLINE bitsSigned #-}

-- Note [Eight groups at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- The obvious loop takes one group after the other, and the processor cannot predict where it ends.
-- So 56 bits are spread to eight bytes at once: the upper half is moved up by 4 bits, then the
-- upper quarter of each half by 2, then the upper eighths by 1 (Warren, Hacker's Delight, second
-- edition, section 7-5, "Expand"). The leading zeros tell the number of groups. As many bytes are
-- written as a number of the type may take, whatever this one takes: the buffer has them free
-- (INV-B2).
--
-- Numbers of one group are recognised before that, because often all numbers are that small.
-- Measured on random numbers of up to 7, 14, 32, 60 and 64 bits, this beats the loop at every
-- length. A case for two groups costs more than it saves. Without the case for one group, numbers
-- of medium length are faster, but small ones take twice as long.

-- The lowest 56 bits, seven in each byte.
spread :: Word64 -> Word64
spread =
  step 1 0x007F007F007F007F 0x3F803F803F803F80
    . step 2 0x00003FFF00003FFF 0x0FFFC0000FFFC000
    . step 4 0x000000000FFFFFFF 0x00FFFFFFF0000000
  where
    step by low high x = (x .&. low) .|. ((x .&. high) `unsafeShiftL` by)
    {-# INLINE step #-}
{-# INLINE spread #-}

-- The continuation bits of all but the last of @n@ groups (1 ≤ n ≤ 8).
continued :: Int -> Word64
continued n = 0x0080808080808080 `unsafeShiftR` (64 - 8 * n)
{-# INLINE continued #-}

byteAt :: Ptr Word8 -> Int -> Word64 -> IO ()
byteAt p i x = pokeHost (p `plusPtr` i) (fromIntegral x :: Word8)
{-# INLINE byteAt #-}

-- Write one group. Needs 1 writable byte.
oneGroup :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
oneGroup x p = byteAt p 0 (x .&. 0x7F) >> pure (p `plusPtr` 1)
{-# INLINE oneGroup #-}

-- Write @n@ groups (1 ≤ n ≤ 3). Needs 3 writable bytes.
groupsUpTo3 :: Int -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo3 n x p = do
  pokeLE p (fromIntegral (spread x .|. continued n) :: Word16)
  byteAt p 2 ((x `unsafeShiftR` 14) .&. 0x7F)
  pure (p `plusPtr` n)
{-# INLINE groupsUpTo3 #-}

-- Write @n@ groups (1 ≤ n ≤ 5). Needs 5 writable bytes.
groupsUpTo5 :: Int -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo5 n x p = do
  pokeLE p (fromIntegral (spread x .|. continued n) :: Word32)
  byteAt p 4 ((x `unsafeShiftR` 28) .&. 0x7F)
  pure (p `plusPtr` n)
{-# INLINE groupsUpTo5 #-}

-- Write @n@ groups (1 ≤ n ≤ 8). Needs 8 writable bytes.
groupsUpTo8 :: Int -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo8 n x p = do
  pokeLE p (spread x .|. continued n)
  pure (p `plusPtr` n)
{-# INLINE groupsUpTo8 #-}

-- Write @n@ groups (1 ≤ n ≤ 10). Needs 10 writable bytes. The tenth group, above the 63 lowest
-- bits, is an argument, because there signed and unsigned numbers differ.
groupsUpTo10 :: Int -> Word64 -> Word64 -> Ptr Word8 -> IO (Ptr Word8)
groupsUpTo10 n tenth x p
  | n <= 8 = groupsUpTo8 n x p
  | otherwise = do
    pokeLE p (spread x .|. 0x8080808080808080)
    byteAt p 8 (((x `unsafeShiftR` 56) .&. 0x7F) .|. (fromIntegral (n - 9) `unsafeShiftL` 7))
    byteAt p 9 tenth
    pure (p `plusPtr` n)
{-# INLINE groupsUpTo10 #-}

-- | Write an unsigned number. Needs 10 writable bytes.
writeUnsigned64 :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned64 x p
  | x < 0x80 = oneGroup x p
  | otherwise = manyGroups (groupsOfBits (bitsUnsigned x)) (\n -> moreUnsigned64 n x p) p
{-# INLINE writeUnsigned64 #-}

-- | Write an unsigned number of 32 bits. Needs 5 writable bytes.
writeUnsigned32 :: Word32 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned32 x p
  | x < 0x80 = oneGroup (fromIntegral x) p
  | otherwise = manyGroups (groupsOfBits (bitsUnsigned w)) (\n -> moreUnsigned32 n w p) p
  where
    w = fromIntegral x
{-# INLINE writeUnsigned32 #-}

-- | Write an unsigned number of 16 bits. Needs 3 writable bytes.
writeUnsigned16 :: Word16 -> Ptr Word8 -> IO (Ptr Word8)
writeUnsigned16 x p
  | x < 0x80 = oneGroup (fromIntegral x) p
  | otherwise = manyGroups (groupsOfBits (bitsUnsigned w)) (\n -> moreUnsigned16 n w p) p
  where
    w = fromIntegral x
{-# INLINE writeUnsigned16 #-}

-- | Write a number in two's complement. Needs 10 writable bytes.
writeSigned64 :: Int64 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned64 x p
  | x >= -0x40 && x < 0x40 = oneGroup (fromIntegral x) p
  | otherwise = manyGroups (groupsOfBits (bitsSigned x)) (\n -> moreSigned64 n x p) p
{-# INLINE writeSigned64 #-}

-- | Write a number of 32 bits in two's complement. Needs 5 writable bytes.
writeSigned32 :: Int32 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned32 x p
  | x >= -0x40 && x < 0x40 = oneGroup (fromIntegral x) p
  | otherwise = manyGroups (groupsOfBits (bitsSigned i)) (\n -> moreSigned32 n i p) p
  where
    i = fromIntegral x
{-# INLINE writeSigned32 #-}

-- | Write a number of 16 bits in two's complement. Needs 3 writable bytes.
writeSigned16 :: Int16 -> Ptr Word8 -> IO (Ptr Word8)
writeSigned16 x p
  | x >= -0x40 && x < 0x40 = oneGroup (fromIntegral x) p
  | otherwise = manyGroups (groupsOfBits (bitsSigned i)) (\n -> moreSigned16 n i p) p
  where
    i = fromIntegral x
{-# INLINE writeSigned16 #-}

-- Write n groups with a function that is not inlined, and return the address after them.
--
-- The caller computes n, so the function has nothing to return. Before GHC 9.4, a function that is
-- not inlined returns an address in a box, for each number. (Allocation test "varints: nothing for
-- each number".)
manyGroups :: Int -> (Int -> IO ()) -> Ptr Word8 -> IO (Ptr Word8)
manyGroups n write p = (p `plusPtr` n) <$ write n
{-# INLINE manyGroups #-}

-- Write n groups. Each needs as many writable bytes as the number of its type may take.

moreUnsigned64, moreUnsigned32, moreUnsigned16 :: Int -> Word64 -> Ptr Word8 -> IO ()
moreUnsigned64 n x p = () <$ groupsUpTo10 n (x `unsafeShiftR` 63) x p
moreUnsigned32 n x p = () <$ groupsUpTo5 n x p
moreUnsigned16 n x p = () <$ groupsUpTo3 n x p
{-# NOINLINE moreUnsigned64 #-}
{-# NOINLINE moreUnsigned32 #-}
{-# NOINLINE moreUnsigned16 #-}

moreSigned64, moreSigned32, moreSigned16 :: Int -> Int64 -> Ptr Word8 -> IO ()
moreSigned64 n x p = () <$ groupsUpTo10 n sign (fromIntegral x) p
  where
    sign = fromIntegral (x `unsafeShiftR` 63) .&. 0x7F
moreSigned32 n x p = () <$ groupsUpTo5 n (fromIntegral x) p
moreSigned16 n x p = () <$ groupsUpTo3 n (fromIntegral x) p
{-# NOINLINE moreSigned64 #-}
{-# NOINLINE moreSigned32 #-}
{-# NOINLINE moreSigned16 #-}

-- | Groups up to the last one: their number, the lowest 63 bits, and the tenth group. The number is
-- 0 if the bytes end before the last group, and 11 if there are more than ten.
data Groups = Groups !Int !Word64 !Word64

-- | Read groups. Eight are read at once, as they are written: Note [Eight groups at once].
readGroups ::
  -- | Address of the first group.
  Ptr Word8 ->
  -- | Bytes readable there.
  Int ->
  IO Groups
readGroups p have
  | have < 8 = few 0 0
  | otherwise = do
    w <- peekLE p
    -- The highest bit of each byte that is a last group.
    let ends = complement w .&. 0x8080808080808080 :: Word64
        bits = countTrailingZeros ends + 1
    if ends /= 0
      then
        let kept = w .&. (maxBound `unsafeShiftR` (64 - bits))
         in pure (Groups (bits `unsafeShiftR` 3) (gathered kept) 0)
      else many (gathered w)
  where
    few !i !acc
      | i >= have = pure (Groups 0 0 0)
      | otherwise = do
        b <- byte i
        -- Less than 8 groups, so no bit is lost.
        let acc' = acc .|. ((b .&. 0x7F) `unsafeShiftL` (7 * i))
        if b < 0x80 then pure (Groups (i + 1) acc' 0) else few (i + 1) acc'
    -- Eight groups, none of them the last.
    many low
      | have < 9 = pure (Groups 0 0 0)
      | otherwise = do
        b <- byte 8
        let low' = low .|. ((b .&. 0x7F) `unsafeShiftL` 56)
        if b < 0x80
          then pure (Groups 9 low' 0)
          else
            if have < 10
              then pure (Groups 0 0 0)
              else (\b' -> if b' < 0x80 then Groups 10 low' b' else Groups 11 0 0) <$> byte 9
    byte i = (fromIntegral :: Word8 -> Word64) <$> peekHost (p `plusPtr` i)
{-# INLINE readGroups #-}

-- The inverse of 'spread'. It ignores the highest bit of each byte.
gathered :: Word64 -> Word64
gathered =
  step 4 0x000000000FFFFFFF 0x0FFFFFFF00000000
    . step 2 0x00003FFF00003FFF 0x3FFF00003FFF0000
    . step 1 0x007F007F007F007F 0x7F007F007F007F00
  where
    step by low high x = (x .&. low) .|. ((x .&. high) `unsafeShiftR` by)
    {-# INLINE step #-}
{-# INLINE gathered #-}

-- | Read an unsigned number in a range.
readUnsigned ::
  Form ->
  Range ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there.
  Int ->
  IO Decoded
readUnsigned form range p have = of' <$> readGroups p have
  where
    of' (Groups n low tenth)
      | n == 0 = goesOn form range have
      | n > 10 || tenth > 1 = tooMany form range n
      | otherwise = checked form n (groupsOfBits (bitsUnsigned x)) range x
      where
        x = low .|. (tenth `unsafeShiftL` 63)
{-# INLINE readUnsigned #-}

-- More than ten groups, or more bits than there are in 64.
tooMany :: Form -> Range -> Int -> Decoded
tooMany form range n = case form of
  Padded | n > groupsOfRange range -> TooLong (groupsOfRange range)
  _ -> TooLarge (min n 10)
{-# INLINE tooMany #-}

-- | Read a number in two's complement, in a range. The arguments are those of 'readUnsigned'.
readSigned :: Form -> Range -> Ptr Word8 -> Int -> IO Decoded
readSigned form range p have = of' <$> readGroups p have
  where
    of' (Groups n low tenth)
      | n == 0 = goesOn form range have
      | n > 10 || (tenth /= 0 && tenth /= 0x7F) = tooMany form range n
      | otherwise = checked form n (groupsOfBits (bitsSigned x)) range (fromIntegral x)
      where
        -- The bits above those of the groups are copies of the highest bit of the last group.
        -- Ten groups have all bits.
        unused = if n < 10 then 64 - 7 * n else 0
        x = fromIntegral (all64 `unsafeShiftL` unused) `unsafeShiftR` unused :: Int64
        all64 = low .|. (tenth `unsafeShiftL` 63)
{-# INLINE readSigned #-}

-- | Read the low 64 bits of an unsigned number of up to ten groups, needed or not.
readLenient :: Ptr Word8 -> Int -> IO Decoded
readLenient p have = of' <$> readGroups p have
  where
    of' (Groups n low tenth)
      | n == 0 = Needs (have + 1)
      | n > 10 = TooLong 10
      | otherwise = Decoded n (low .|. (tenth `unsafeShiftL` 63))
{-# INLINE readLenient #-}
