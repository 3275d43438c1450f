{-# LANGUAGE CPP #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Mem.Text
-- Description : The memory of a Text, whatever the version of text
--
-- @text@ keeps UTF-8 in memory from version 2 on, and UTF-16 before. This is
-- the one module that knows; it shows a text as a row of \"units\" (bytes or
-- 16-bit words) and turns stretches of them into UTF-8.
module Ashlar.Mem.Text
  ( utf8LengthOf,
    lengthUnits,
    bytesPerUnit,
    roomForOne,
    unitsThatFit,
    writeUtf8,
    writeEscaped,
    decodeUtf8At,
  )
where

import Ashlar.Mem
import Ashlar.Prim.Escape
import Data.ByteString.Unsafe (unsafePackCStringLen)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Internal as T
import Data.Word (Word8)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
#if MIN_VERSION_text(2,0,0)
import qualified Data.Text.Array as A
import Control.Monad.ST.Unsafe (unsafeSTToIO)
#else
import Ashlar.Prim.Utf8 (utf8Write)
import Control.Monad.ST (RealWorld, stToIO)
import Data.Bits (shiftL, shiftR, unsafeShiftR, (.&.), (.|.))
import qualified Data.Text.Array as A
import Data.Word (Word16, Word32, Word64)
import GHC.Base (unsafeChr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (Int (I#), indexWord8ArrayAsWord64#, writeWord8ArrayAsWord64#, (*#))
import GHC.IO (IO (..))
import GHC.Word (Word64 (W64#))
#endif

-- | A text from so many bytes of UTF-8 (RFC 3629), copied. If they are malformed in
-- any way, the first argument is forced, which must throw an exception. The bytes
-- must be readable.
--
-- (Not by way of 'T.decodeUtf8'', which catches exceptions, and throws a timeout on
-- as a synchronous one: Note [Exceptions that are not ours].)
decodeUtf8At :: Maybe Char -> Ptr Word8 -> Int -> IO T.Text

-- Any UTF-8, by the functions of text.
decodeAny :: Maybe Char -> Ptr Word8 -> Int -> IO T.Text
decodeAny malformed p n = do
  -- A view of the memory, which nothing keeps: the text is a copy.
  bs <- unsafePackCStringLen (castPtr p, n)
  pure $! T.decodeUtf8With (\_ _ -> malformed) bs

-- | Units of a text.
lengthUnits :: T.Text -> Int
lengthUnits (T.Text _ _ n) = n
{-# INLINE lengthUnits #-}

-- | Bytes of a text in UTF-8. O(1) with UTF-8 in memory, else O(n).
utf8LengthOf :: T.Text -> Int

-- | The most bytes of UTF-8 that a unit stands for.
bytesPerUnit :: Int

-- | Where a unit may take so many bytes, so much room holds one unit at least, for
-- 'unitsThatFit'.
roomForOne :: Int -> Int

-- | @unitsThatFit perUnit t off room@ is the number of units, from unit @off@ on,
-- that surely fit into @room@ bytes, where each takes at most @perUnit@ (positive). It
-- is positive where there is a unit left, and room for 'roomForOne'.
unitsThatFit :: Int -> T.Text -> Int -> Int -> Int

-- | @writeUtf8 p t off n@ writes the UTF-8 of @n@ units from unit @off@ on, and
-- returns the number of bytes. The units must lie in the text and be at most
-- what 'unitsThatFit' says, with 'bytesPerUnit', of the bytes writable at @p@.
writeUtf8 :: Ptr Word8 -> T.Text -> Int -> Int -> IO Int

-- | 'writeUtf8' with ASCII characters replaced. Each unit needs room for 'escapeBound'.
writeEscaped :: Escaping -> Ptr Word8 -> T.Text -> Int -> Int -> IO Int

#if MIN_VERSION_text(2,0,0)

decodeUtf8At = decodeAny
{-# INLINE decodeUtf8At #-}

utf8LengthOf = lengthUnits
{-# INLINE utf8LengthOf #-}

bytesPerUnit = 1
{-# INLINE bytesPerUnit #-}

roomForOne = id
{-# INLINE roomForOne #-}

unitsThatFit perUnit (T.Text _ _ n) off room = min (n - off) (room `quot` perUnit)
{-# INLINE unitsThatFit #-}

writeUtf8 p (T.Text arr start _) off n = do
  unsafeSTToIO (A.copyToPointer arr (start + off) p n)
  pure n
{-# INLINE writeUtf8 #-}

writeEscaped escapes p0 (T.Text arr start _) off n = go (start + off) p0
  where
    end = start + off + n
    go i p
      | i >= end = pure (p `minusPtr` p0)
      | otherwise = do
          -- A byte of a longer character is copied: escapeBound is more than one.
          p' <- if b < 0x80 then escapeWrite escapes p b else (p `plusPtr` 1) <$ pokeHost p b
          go (i + 1) p'
      where
        b = A.unsafeIndex arr i

#else

-- Note [ASCII into UTF-16]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text is ASCII, and short. What text has for UTF-8 allocates pinned memory for
-- each text, for numbers that it exchanges with C. So four bytes at a time are looked
-- at and widened here; and where one of them is more than ASCII, text does the whole.
-- (1,000 records with three names each, decoded: 148 -> 107 ns for each, GHC 9.0.2. Writing
-- them, with the loops of this module kept free of calls, and the length of a text written
-- behind it: 126 -> 64 ns.)
decodeUtf8At malformed p n = case targetByteOrder of
  LittleEndian | n > 0 -> do
    arr <- stToIO (A.new n)
    ascii <- widen arr p n
    if ascii then (\frozen -> T.Text frozen 0 n) <$> stToIO (A.unsafeFreeze arr) else decodeAny malformed p n
  _ -> decodeAny malformed p n

-- Write so many bytes (at least one) as units, if all of them are ASCII. So many must be
-- readable, and the array must have so many units.
widen :: A.MArray RealWorld -> Ptr Word8 -> Int -> IO Bool
widen arr p n
  | n < 4 = bytes 0
  | otherwise = words4 0
  where
    words4 i
      | i + 4 <= n = do
          w <- peekLE (p `plusPtr` i)
          if ascii w then writeUnits4 arr i (spread4 w) >> words4 (i + 4) else pure False
      | i >= n = pure True
      -- The last four, some of which have been written.
      | otherwise = do
          w <- peekLE (p `plusPtr` (n - 4))
          if ascii w then True <$ writeUnits4 arr (n - 4) (spread4 w) else pure False
    ascii :: Word32 -> Bool
    ascii w = w .&. 0x80808080 == 0
    bytes i
      | i >= n = pure True
      | otherwise = do
          b <- peekHost (p `plusPtr` i) :: IO Word8
          if b < 0x80 then stToIO (A.unsafeWrite arr i (fromIntegral b)) >> bytes (i + 1) else pure False

-- The lowest bits of a word become the first unit.
writeUnits4 :: A.MArray RealWorld -> Int -> Word64 -> IO ()
writeUnits4 arr (I# i) (W64# w) = IO (\s -> (# writeWord8ArrayAsWord64# (A.maBA arr) (i *# 2#) w s, () #))
{-# INLINE writeUnits4 #-}

-- Four bytes, as 16 bits each.
spread4 :: Word32 -> Word64
spread4 w = (y .|. (y `shiftL` 8)) .&. 0x00FF00FF00FF00FF
  where
    x = fromIntegral w :: Word64
    y = (x .|. (x `shiftL` 16)) .&. 0x0000FFFF0000FFFF
{-# INLINE spread4 #-}

-- The sum over the units: a unit of a surrogate pair stands for two bytes of
-- the pair's four.
utf8LengthOf (T.Text arr start n) = go start 0
  where
    end = start + n
    go i acc
      | i + 4 <= end = if isAscii4 (fourUnits arr i) then go (i + 4) (acc + 4) else one i acc
      | i >= end = acc
      -- The last four, some of which have been counted.
      | n >= 4, isAscii4 (fourUnits arr (end - 4)) = acc + (end - i)
      | otherwise = one i acc
    one i acc = go (i + 1) (acc + size (A.unsafeIndex arr i))
    size :: Word16 -> Int
    size u
      | u < 0x80 = 1
      | u < 0x800 = 2
      | isSurrogate u = 2
      | otherwise = 3

bytesPerUnit = 3
{-# INLINE bytesPerUnit #-}

roomForOne perUnit = 2 * perUnit
{-# INLINE roomForOne #-}

-- The first half of a surrogate pair is left for the next time, so that the pair
-- stays together. There is room for two units, so one remains.
unitsThatFit perUnit (T.Text arr start n) off room
  | k < n - off, isLead (A.unsafeIndex arr (start + off + k - 1)) = k - 1
  | otherwise = k
  where
    -- A division takes as long as several words of text. (A text has less than 2^60 units.)
    k = if (n - off) * perUnit <= room then n - off else min (n - off) (room `quot` perUnit)

writeUtf8 p0 (T.Text arr start _) off n = go (start + off) p0
  where
    end = start + off + n
    go i p
      | i + 4 <= end = if isAscii4 w then four p w >>= go (i + 4) else writeRest p0 p arr i end
      | i >= end = pure (p `minusPtr` p0)
      -- The last four, some of which have been written: one byte each, right before.
      | n >= 4, isAscii4 final = do
          _ <- four (p `plusPtr` (end - 4 - i)) final
          pure (p `minusPtr` p0 + end - i)
      | otherwise = writeRest p0 p arr i end
      where
        w = fourUnits arr i
        final = fourUnits arr (end - 4)

-- 'writeUtf8' for the units from one index up to another. The number of bytes is counted
-- from the first address.
writeRest :: Ptr Word8 -> Ptr Word8 -> A.Array -> Int -> Int -> IO Int
writeRest p0 p arr from end = writeUnits four (\q u -> (q `plusPtr` 1) <$ pokeHost q u) p0 p arr from end
{-# NOINLINE writeRest #-}

four :: Ptr Word8 -> Word64 -> IO (Ptr Word8)
four p w = (p `plusPtr` 4) <$ pokeLE p (pack4 w)
{-# INLINE four #-}

writeEscaped escapes p0 (T.Text arr start _) off n = writeUnits each one p0 p0 arr (start + off) (start + off + n)
  where
    each p w = one p (low w) >>= next 16 >>= next 32 >>= next 48
      where
        next by p' = one p' (low (w `unsafeShiftR` by))
    one = escapeWrite escapes
    low w = fromIntegral (w .&. 0x7F) :: Word8

-- Write units, given what writes four ASCII characters, which stand in a word as
-- 16 bits each, the first one lowest, and what writes one.
writeUnits ::
  (Ptr Word8 -> Word64 -> IO (Ptr Word8)) ->
  (Ptr Word8 -> Word8 -> IO (Ptr Word8)) ->
  Ptr Word8 ->
  Ptr Word8 ->
  A.Array ->
  Int ->
  Int ->
  IO Int
writeUnits fours one p0 from arr start end = go start from
  where
    go i p
      | i >= end = pure (p `minusPtr` p0)
      -- Four units inside the text, and room for four.
      | i + 4 <= end, isAscii4 w = fours p w >>= go (i + 4)
      | u < 0x80 = one p (fromIntegral u) >>= go (i + 1)
      -- A text holds surrogates only in pairs, first half first.
      | isLead u = utf8Write p (pair u (A.unsafeIndex arr (i + 1))) >>= go (i + 2)
      | otherwise = utf8Write p (unsafeChr (fromIntegral u)) >>= go (i + 1)
      where
        u = A.unsafeIndex arr i
        w = fourUnits arr i
{-# INLINE writeUnits #-}

isSurrogate, isLead :: Word16 -> Bool
isSurrogate u = u .&. 0xF800 == 0xD800
isLead u = u .&. 0xFC00 == 0xD800
{-# INLINE isSurrogate #-}
{-# INLINE isLead #-}

pair :: Word16 -> Word16 -> Char
pair a b = unsafeChr (((fromIntegral a - 0xD800) `shiftL` 10) + (fromIntegral b - 0xDC00) + 0x10000)
{-# INLINE pair #-}

-- Note [Four UTF-16 units at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text is ASCII. Four units are read as one word; if none has a bit above
-- the lowest seven, their low bytes are moved together and written as one
-- 32-bit word. On a big-endian machine the units stand in the opposite order
-- within the word, so the test is answered with no there, and the loop takes
-- them one by one.

fourUnits :: A.Array -> Int -> Word64
fourUnits arr (I# i) = W64# (indexWord8ArrayAsWord64# (A.aBA arr) (i *# 2#))
{-# INLINE fourUnits #-}

isAscii4 :: Word64 -> Bool
isAscii4 w = case targetByteOrder of
  LittleEndian -> w .&. 0xFF80FF80FF80FF80 == 0
  BigEndian -> False
{-# INLINE isAscii4 #-}

pack4 :: Word64 -> Word32
pack4 w = fromIntegral (x .|. (x `shiftR` 16))
  where
    x = (w .|. (w `shiftR` 8)) .&. 0x0000FFFF0000FFFF
{-# INLINE pack4 #-}

#endif
