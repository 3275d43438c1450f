{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Varint
-- Description : Variable-length integers of MIDI, ASN.1, git, SQLite and mason
--
-- The formats of "Ashlar.Prim.Varint" are those that most programs use. This module has those of
-- particular programs and standards. Each is a value: 'Ashlar.Builder.Varint.varint' writes a
-- number in it, and 'Ashlar.Get.Varint.getVarint' reads one.
--
-- >>> import Ashlar.Builder.Varint (varint)
-- >>> import Ashlar.Compat.Varint
-- >>> varint word64VLQBE 300
-- "\130,"
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> runGet (getVarint word64VLQBE) "\130,"
-- Right 300
--
-- +-------------+-------------------------------+---------------------+---------+
-- | Format      | Accepted                      | Used by             | 300     |
-- +=============+===============================+=====================+=========+
-- | @VLQBE@     | the shortest form, or padding | ASN.1, MIDI         | @82 2C@ |
-- |             | with 'padded'                 |                     |         |
-- +-------------+-------------------------------+---------------------+---------+
-- | @GitOffset@ | (there is one form)           | git, in packs       | @81 2C@ |
-- +-------------+-------------------------------+---------------------+---------+
-- | @SQLite@    | padding to nine bytes         | SQLite              | @82 2C@ |
-- +-------------+-------------------------------+---------------------+---------+
-- | @wordVLQ@   | the shortest form             | mason               | @AC 02@ |
-- +-------------+-------------------------------+---------------------+---------+
-- | @intVLQ@    | the shortest form             | mason               | @AC 04@ |
-- +-------------+-------------------------------+---------------------+---------+
-- | @PrefixVar@ | the shortest form             | mason               | @B2 04@ |
-- +-------------+-------------------------------+---------------------+---------+
--
-- A number that the type cannot hold, or in a form that is not accepted, is an error
-- ('Ashlar.Get.Invalid') at its first byte. Numbers of one byte are read inline, others by a call
-- of a function that the format holds.
module Ashlar.Compat.Varint
  ( -- * Most significant bits first
    -- $bigendian
    word32VLQBE,
    word64VLQBE,
    wordVLQBE,
    padded,
    word64GitOffset,
    word64SQLite,
    int64SQLite,

    -- * VLQ of mason
    -- $vlq
    wordVLQ,
    intVLQ,

    -- * Prefix varints
    -- $prefix
    prefixVarInt,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core
import Ashlar.Internal.Prim.Varint.Groups
import Ashlar.Internal.Prim.Varint.Type
import Ashlar.Prim.Varint (padded, wordLEB128)
import Data.Bits (countTrailingZeros, unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Int (Int64)
import Data.Word (Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- $bigendian
-- Groups of seven bits, the most significant first. The highest bit of a byte is set if another
-- byte follows.
--
-- * The variable-length quantity of MIDI (Standard MIDI Files 1.0) has no other rules. The base 128
--   of ASN.1 (X.690, 8.1.2.4.2 and 8.19.2) is the same. MIDI files may pad it: 'padded' accepts as
--   many bytes as the type needs.
-- * For the offsets of git's packs (gitformat-pack, OBJ_OFS_DELTA), 1 is taken from the number
--   before each group except the last. So each number has one encoding.
-- * The integers of SQLite (file format, section 1.6) have at most eight such groups. A ninth byte
--   has eight bits.

-- $vlq
-- Variable-length quantities as in @mason@. Unsigned numbers are LEB128. A signed number is its
-- magnitude, with the sign in the second highest bit of the first byte.
--
-- Beware of the name: elsewhere, as in MIDI, VLQ means the most significant bits first
-- ('word64VLQBE').

-- $prefix
-- The zeros below the lowest 1 of the first byte tell the number of bytes. Seven bits of the number
-- for each byte follow, the least significant first (<https://github.com/stoklund/varint>).

-- | A quantity of MIDI: 1 to 5 bytes. (MIDI itself allows four, so at most 0x0FFFFFFF.)
word32VLQBE :: Varint Word32
word32VLQBE = bigEndian 5
{-# INLINE word32VLQBE #-}

-- | A quantity of MIDI, or a number in base 128 of ASN.1: 1 to 10 bytes.
--
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> runGet (getVarint (padded word64VLQBE)) "\128\130,"
-- Right 300
word64VLQBE :: Varint Word64
word64VLQBE = bigEndian 10
{-# INLINE word64VLQBE #-}

-- | A quantity of MIDI, or a number in base 128 of ASN.1: 1 to 10 bytes.
wordVLQBE :: Varint Word
wordVLQBE = bigEndian 10
{-# INLINE wordVLQBE #-}

-- The format of a type, given the most bytes that a number takes.
bigEndian :: forall a. (Bounded a, Integral a) => Int -> Varint a
bigEndian bound =
  Varint (boundedPrim bound (writeVLQBE . fromIntegral)) groups $
    ReadHalf (< 0x80) fromIntegral (Other Shortest (readVLQBE (rangeOf (0 :: a)))) fromIntegral
  where
    groups = groupsOfBits . bitsUnsigned . fromIntegral
{-# INLINE bigEndian #-}

writeVLQBE :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeVLQBE x = writeGroups id (groupsOfBits (bitsUnsigned x)) x

-- | An offset in a pack of git: 1 to 10 bytes.
--
-- >>> import Ashlar.Builder.Varint (varint)
-- >>> varint word64GitOffset 300
-- "\129,"
word64GitOffset :: Varint Word64
word64GitOffset =
  Varint (boundedPrim 10 writeGitOffset) sizeOfGitOffset $
    ReadHalf (< 0x80) fromIntegral (neverPadded readGitOffset) id
{-# INLINE word64GitOffset #-}

writeGitOffset :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeGitOffset x = writeGroups (subtract 1) (sizeOfGitOffset x) x

sizeOfGitOffset :: Word64 -> Int
sizeOfGitOffset = go 1
  where
    go !n x = if x < 0x80 then n else go (n + 1) ((x `unsafeShiftR` 7) - 1)

-- Write groups, the last one first. Needs a writable byte for each.
writeGroups ::
  -- Applied to what is left of the number before each group except the last.
  (Word64 -> Word64) ->
  -- The number of groups.
  Int ->
  Word64 ->
  Ptr Word8 ->
  IO (Ptr Word8)
writeGroups less n x0 p = (p `plusPtr` n) <$ go (n - 1) x0 0
  where
    go i x more
      | i < 0 = pure ()
      | otherwise = do
        pokeHost (p `plusPtr` i) (fromIntegral (x .&. 0x7F) .|. more :: Word8)
        go (i - 1) (less (x `unsafeShiftR` 7)) 0x80
{-# INLINE writeGroups #-}

-- | An integer in a file of SQLite, unsigned: 1 to 9 bytes.
word64SQLite :: Varint Word64
word64SQLite = sqlite id id
{-# INLINE word64SQLite #-}

-- | An integer in a file of SQLite, in two's complement: 1 to 9 bytes, 9 if negative.
--
-- >>> import Ashlar.Get.Varint (getVarint)
-- >>> runGet (getVarint int64SQLite) "\255\255\255\255\255\255\255\255\255"
-- Right (-1)
int64SQLite :: Varint Int64
int64SQLite = sqlite fromIntegral fromIntegral
{-# INLINE int64SQLite #-}

sqlite :: (a -> Word64) -> (Word64 -> a) -> Varint a
sqlite to from =
  Varint (boundedPrim 9 (writeSQLite . to)) (min 9 . groupsOfBits . bitsUnsigned . to) $
    ReadHalf (< 0x80) (from . fromIntegral) (neverPadded readSQLite) from
{-# INLINE sqlite #-}

writeSQLite :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
writeSQLite x p
  | x < 0x0100000000000000 = writeVLQBE x p
  | otherwise = do
    -- Eight groups with the highest bit set, then the lowest byte of the number.
    let go i y
          | i < 0 = pure ()
          | otherwise = do
            pokeHost (p `plusPtr` i) (fromIntegral y .|. 0x80 :: Word8)
            go (i - 1) (y `unsafeShiftR` 7)
    go (7 :: Int) (x `unsafeShiftR` 8)
    pokeHost (p `plusPtr` 8) (fromIntegral x :: Word8)
    pure (p `plusPtr` 9)

-- A code that 'padded' does not change.
neverPadded :: (Ptr Word8 -> Int -> IO Decoded) -> Code
neverPadded reading = Other Shortest (\_ -> reading)
{-# INLINE neverPadded #-}

-- Read a number in a range.
readVLQBE ::
  Range ->
  Form ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there.
  Int ->
  IO Decoded
readVLQBE range form p have = case form of
  Shortest -> do
    b <- peekHost p
    if b == (0x80 :: Word8) then pure (Overlong 1) else go 0 0
  Padded -> go 0 0
  where
    go :: Int -> Word64 -> IO Decoded
    go i x
      | i >= have = pure (goesOn form range have)
      -- The next group would not fit into 64 bits. (A number that is too long as well is TooLarge.)
      | x >= 0x0200000000000000 = pure (TooLarge (i + 1))
      | otherwise = do
        b <- byteAt p i
        let x' = (x `unsafeShiftL` 7) .|. (b .&. 0x7F)
            n = i + 1
        if b < 0x80 then pure (checked form n n range x') else orTooLong n x'
    orTooLong n x = case form of
      Padded | n >= groupsOfRange range -> pure (TooLong (groupsOfRange range))
      _ -> go n x
{-# NOINLINE readVLQBE #-}

-- Read an offset of git's.
readGitOffset :: Ptr Word8 -> Int -> IO Decoded
readGitOffset p have = go 0 0
  where
    go :: Int -> Word64 -> IO Decoded
    go i x
      | i >= have = pure (Needs (have + 1))
      | x >= 0x0200000000000000 = pure (TooLarge (i + 1))
      | otherwise = do
        b <- byteAt p i
        let x' = (x `unsafeShiftL` 7) .|. (b .&. 0x7F)
        if b < 0x80
          then pure (checked Shortest (i + 1) (i + 1) (Range 0 maxBound) x')
          else if x' == maxBound then pure (TooLarge (i + 1)) else go (i + 1) (x' + 1)
{-# NOINLINE readGitOffset #-}

-- Read an integer of SQLite's. It may have more groups than it needs.
readSQLite :: Ptr Word8 -> Int -> IO Decoded
readSQLite p have = go 0 0
  where
    go :: Int -> Word64 -> IO Decoded
    go i x
      | i >= have = pure (Needs (have + 1))
      | otherwise = do
        b <- byteAt p i
        let x' = (x `unsafeShiftL` 7) .|. (b .&. 0x7F)
        if i == 8
          then pure (Decoded 9 ((x `unsafeShiftL` 8) .|. b))
          else if b < 0x80 then pure (Decoded (i + 1) x') else go (i + 1) x'
{-# NOINLINE readSQLite #-}

-- A byte before the end.
byteAt :: Ptr Word8 -> Int -> IO Word64
byteAt p i = (fromIntegral :: Word8 -> Word64) <$> peekHost (p `plusPtr` i)
{-# INLINE byteAt #-}

-- | A number of seven bits in each byte: 1 to 10 bytes. The same as
-- 'Ashlar.Prim.Varint.wordLEB128'.
wordVLQ :: Varint Word
wordVLQ = wordLEB128
{-# INLINE wordVLQ #-}

-- | A number as sign and magnitude: 1 to 10 bytes. A zero with a sign is refused.
--
-- >>> import Ashlar.Builder.Varint (varint)
-- >>> varint intVLQ (-3)
-- "C"
intVLQ :: Varint Int
intVLQ =
  Varint (boundedPrim 10 intWrite) intSize $
    ReadHalf alone short (neverPadded (readSignAndMagnitude (rangeOf (0 :: Int)))) fromIntegral
  where
    -- 0x40 is a zero with a sign.
    alone b = b < 0x80 && b /= 0x40
    short b = if b < 0x40 then fromIntegral b else negate (fromIntegral (b .&. 0x3F))
{-# INLINE intVLQ #-}

-- (The absolute value of the least number fits a 'Word64' but not an 'Int'.)
magnitude :: Int -> Word64
magnitude x = if x < 0 then negate (fromIntegral x) else fromIntegral x
{-# INLINE magnitude #-}

intWrite :: Int -> Ptr Word8 -> IO (Ptr Word8)
intWrite x p
  | m < 0x40 = first m
  -- 6 bits here, and at most 58 in at most 9 groups.
  | otherwise = first (0x80 .|. (m .&. 0x3F)) >>= more (m `unsafeShiftR` 6)
  where
    m = magnitude x
    sign = if x < 0 then 0x40 else 0
    first b = do
      pokeHost p (fromIntegral (b .|. sign) :: Word8)
      pure (p `plusPtr` 1)
    more rest q
      | rest < 0x80 = (q `plusPtr` 1) <$ pokeHost q (fromIntegral rest :: Word8)
      | otherwise = do
        pokeHost q (fromIntegral rest .|. 0x80 :: Word8)
        more (rest `unsafeShiftR` 7) (q `plusPtr` 1)

intSize :: Int -> Int
intSize x
  | m < 0x40 = 1
  | otherwise = 1 + groupsOfBits (bitsUnsigned (m `unsafeShiftR` 6))
  where
    m = magnitude x

-- Read a number as sign and magnitude, in a range.
readSignAndMagnitude ::
  Range ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there, at least one.
  Int ->
  IO Decoded
readSignAndMagnitude range p have = do
  b <- (fromIntegral :: Word8 -> Word64) <$> peekHost p
  of' b <$> if b < 0x80 then pure (Groups 0 0 0) else readGroups (p `plusPtr` 1) (have - 1)
  where
    of' b (Groups n rest _)
      | b == 0x40 = Malformed 1 "a varint of negative zero"
      | b < 0x80 = Decoded 1 (signed (b .&. 0x3F))
      | n == 0 = Needs (have + 1)
      -- The magnitude is below 2^63, or 2^63 with a sign. Nine groups have 63 bits.
      | n > 9 || m > 0x7FFFFFFFFFFFFFFF + negative || rest > 0x200000000000000 =
        TooLarge (min (n + 1) 10)
      | rest == 0 = Overlong (n + 1)
      | otherwise = checked Shortest (n + 1) (1 + groupsOfBits (bitsUnsigned rest)) range (signed m)
      where
        m = (rest `unsafeShiftL` 6) .|. (b .&. 0x3F)
        negative = (b `unsafeShiftR` 6) .&. 1
        signed x = if negative == 1 then negate x else x
{-# NOINLINE readSignAndMagnitude #-}

-- | A number whose first byte tells its length: 1 to 9 bytes. A number of more than 56 bits is a
-- byte of zeros and then 8 bytes, the least significant first.
--
-- >>> import Ashlar.Builder.Varint (varint)
-- >>> varint prefixVarInt 300
-- "\178\EOT"
prefixVarInt :: Varint Word
prefixVarInt =
  Varint (boundedPrim 9 (prefixWrite . fromIntegral)) (prefixSize . fromIntegral) $
    ReadHalf odd short (neverPadded (readPrefixed (fromIntegral (maxBound :: Word)))) fromIntegral
  where
    short b = fromIntegral (b `unsafeShiftR` 1)
{-# INLINE prefixVarInt #-}

prefixSize :: Word64 -> Int
prefixSize x = min 9 (groupsOfBits (bitsUnsigned x))
{-# INLINE prefixSize #-}

-- Eight bytes are stored even if the number has fewer: the buffer has the bound free (INV-B2).
prefixWrite :: Word64 -> Ptr Word8 -> IO (Ptr Word8)
prefixWrite x p
  | n <= 8 = do
    pokeLE p (((x `unsafeShiftL` 1) .|. 1) `unsafeShiftL` (n - 1))
    pure (p `plusPtr` n)
  | otherwise = do
    pokeHost p (0 :: Word8)
    pokeLE (p `plusPtr` 1) x
    pure (p `plusPtr` 9)
  where
    n = prefixSize x

-- Read a number of this format.
readPrefixed ::
  -- | The greatest number; the least is 0.
  Word64 ->
  -- | Address of the number.
  Ptr Word8 ->
  -- | Bytes readable there, at least one.
  Int ->
  IO Decoded
readPrefixed greatest p have = do
  b <- peekHost p :: IO Word8
  let n = countTrailingZeros b + 1
  if have < n
    then pure (Needs n)
    else of' n <$> if n == 9 then peekLE (p `plusPtr` 1) else (`unsafeShiftR` n) <$> bytes n
  where
    of' n x = checked Shortest n (prefixSize x) (Range 0 greatest) x
    -- The first @n@ bytes (n ≤ 8), which are there.
    bytes n
      | have >= 8 = (\w -> (w `unsafeShiftL` (64 - 8 * n)) `unsafeShiftR` (64 - 8 * n)) <$> peekLE p
      | otherwise = go (n - 1) 0
    go :: Int -> Word64 -> IO Word64
    go i acc
      | i < 0 = pure acc
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        go (i - 1) ((acc `unsafeShiftL` 8) .|. fromIntegral b)
{-# NOINLINE readPrefixed #-}
