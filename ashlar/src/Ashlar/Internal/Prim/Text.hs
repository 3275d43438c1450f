{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE CPP #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- |
-- Module      : Ashlar.Internal.Prim.Text
-- Description : The memory of a Text, whatever the version of text
--
-- @text@ keeps UTF-8 in memory from version 2 on, and UTF-16 before. This is
-- the one module that knows; it shows a text as a row of \"units\" (bytes or
-- 16-bit words) and turns stretches of them into UTF-8.
module Ashlar.Internal.Prim.Text
  ( utf8LengthOf,
    lengthUnits,
    bytesPerUnit,
    bytesLikely,
    bytesForOne,
    unitsThatFit,
    writeUtf8,
    writeEscaped,
    decodeUtf8At,
  )
where

import Ashlar.Internal.Prim.Escape
import Data.ByteString.Unsafe (unsafePackCStringLen)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Internal as T
import Data.Word (Word8)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
#if MIN_VERSION_text(2,0,0)
import Ashlar.Internal.Mem (pokeHost)
import Control.Monad.ST.Unsafe (unsafeSTToIO)
import qualified Data.Text.Array as A
#else
import Ashlar.Internal.Prim.Utf8 (utf8Write)
import Control.Monad.ST (RealWorld, stToIO)
import Data.Bits (shiftL, unsafeShiftR, (.&.))
import qualified Data.Text.Array as A
import Data.Word (Word16, Word64)
import Foreign.C.Types (CPtrdiff (..), CSize (..))
import GHC.Base (unsafeChr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (ByteArray#, Int (I#), MutableByteArray#, indexWord8ArrayAsWord64#, shrinkMutableByteArray#, (*#))
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

-- | How much room it is best to have for so many units: what they take if they are ASCII, and a
-- little more, so that there is no need to ask again for the last few.
bytesLikely :: Int -> Int

-- | Where a unit may take so many bytes, so much room holds one unit at least, for
-- 'unitsThatFit'.
bytesForOne :: Int -> Int

-- | @unitsThatFit perUnit t off room@ is the number of units, from unit @off@ on,
-- that surely fit into @room@ bytes, where each takes at most @perUnit@ (positive). It
-- is positive where there is a unit left, and room for 'bytesForOne'.
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

bytesLikely = id
{-# INLINE bytesLikely #-}

bytesForOne = id
{-# INLINE bytesForOne #-}

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

-- Note [UTF-8 and UTF-16]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- The work is done in C (@cbits/utf16.c@), with instructions for 8 and 16 units at once. In
-- Haskell, 4 units at once, a text of 20,000 characters in English took 6.7 µs to encode and 4.5
-- to decode, and takes 2.2 and 1.2 (some of it by asking for room at once: 'bytesLikely'); one in
-- Russian 44 and 45, and takes 18 and 22 (GHC 9.0.2; text's own functions, between its memory
-- and a @ByteString@: 2.1 and 1.1, 15 and 48). With names of ten ASCII characters, C and Haskell
-- take the same time. text's functions are not called for the short ones, because they allocate
-- pinned memory for numbers that they exchange with C.
--
-- A foreign call keeps the garbage collector waiting, so none is given more than 64 KiB. A
-- longer text is decoded by text. So is a malformed one, so that what becomes of it is the same in
-- all versions. (Tests "texts in UTF-8". The C code is tested by itself, under gcc's sanitizers.)
decodeUtf8At malformed !p !n
  | n <= 0 || n > 2 * maxForeignUnits = decodeAny malformed p n
  | otherwise = do
      arr <- stToIO (A.new n)
      -- n bytes can be read, and no character has more units than bytes.
      units <- fromIntegral <$> c_utf8_to_utf16 (A.maBA arr) p (fromIntegral n)
      if units < 0
        then decodeAny malformed p n
        else do
          arr' <- if units < n then cutUnits arr n units else pure arr
          (\frozen -> T.Text frozen 0 units) <$> stToIO (A.unsafeFreeze arr')

-- How many units a foreign call is given at most; they have two bytes each.
maxForeignUnits :: Int
maxForeignUnits = 32768

-- Cut an array of n units to its first ones. If more than a quarter of a large object is cut off, it
-- is copied, because GHC gives none of it back. (An array of 1,600 units is one.)
cutUnits :: A.MArray RealWorld -> Int -> Int -> IO (A.MArray RealWorld)
cutUnits arr n units@(I# k)
  | n >= 1600 && units < n - n `quot` 4 = stToIO $ do
      copy <- A.new units
      copy <$ A.copyM copy 0 arr 0 units
  | otherwise = IO (\s -> (# shrinkMutableByteArray# (A.maBA arr) (k *# 2#) s, arr #))

foreign import ccall unsafe "ashlar_utf8_to_utf16"
  c_utf8_to_utf16 :: MutableByteArray# RealWorld -> Ptr Word8 -> CSize -> IO CPtrdiff

foreign import ccall unsafe "ashlar_utf16_to_utf8"
  c_utf16_to_utf8 :: Ptr Word8 -> ByteArray# -> CSize -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_utf16_length"
  c_utf16_length :: ByteArray# -> CSize -> CSize -> CSize

utf8LengthOf (T.Text arr start n) = go start n 0
  where
    go !i !left !acc
      | left <= maxForeignUnits = acc + part i left
      | otherwise = go (i + maxForeignUnits) (left - maxForeignUnits) (acc + part i maxForeignUnits)
    part i k = fromIntegral (c_utf16_length (A.aBA arr) (fromIntegral i) (fromIntegral k))

bytesPerUnit = 3
{-# INLINE bytesPerUnit #-}

bytesLikely n = n + 16
{-# INLINE bytesLikely #-}

bytesForOne perUnit = 2 * perUnit
{-# INLINE bytesForOne #-}

-- The first half of a surrogate pair is left for the next time, so that the pair
-- stays together. There is room for two units, so one remains.
unitsThatFit perUnit (T.Text arr start n) off room
  | k < n - off, isLead (A.unsafeIndex arr (start + off + k - 1)) = k - 1
  | otherwise = k
  where
    -- A division takes as long as several words of text. (A text has less than 2^60 units.)
    k = if (n - off) * perUnit <= room then n - off else min (n - off) (room `quot` perUnit)

writeUtf8 !p0 (T.Text arr start _) !off !n = go p0 (start + off) n
  where
    go !p !i !left
      | left <= maxForeignUnits = do
          k <- part p i left
          pure $! p `minusPtr` p0 + k
      | otherwise = do
          -- A pair stays together.
          let lead = isLead (A.unsafeIndex arr (i + maxForeignUnits - 1))
              m = if lead then maxForeignUnits - 1 else maxForeignUnits
          k <- part p i m
          go (p `plusPtr` k) (i + m) (left - m)
    -- There is room for as much as all units can take.
    part p i m = fromIntegral <$> c_utf16_to_utf8 p (A.aBA arr) (fromIntegral i) (fromIntegral m)

writeEscaped escapes !p0 (T.Text arr start _) !off !n = go (start + off) p0
  where
    end = start + off + n
    go !i !p
      | i >= end = pure $! p `minusPtr` p0
      -- Four units inside the text, and room for four.
      | i + 4 <= end, isAscii4 w = one p (low w) >>= next 16 >>= next 32 >>= next 48 >>= go (i + 4)
      | u < 0x80 = one p (fromIntegral u) >>= go (i + 1)
      -- A text holds surrogates only in pairs, first half first.
      | isLead u = utf8Write p (pair u (A.unsafeIndex arr (i + 1))) >>= go (i + 2)
      | otherwise = utf8Write p (unsafeChr (fromIntegral u)) >>= go (i + 1)
      where
        u = A.unsafeIndex arr i
        w = fourUnits arr i
        next by q = one q (low (w `unsafeShiftR` by))
    one = escapeWrite escapes
    low w = fromIntegral (w .&. 0x7F) :: Word8

isLead :: Word16 -> Bool
isLead u = u .&. 0xFC00 == 0xD800
{-# INLINE isLead #-}

pair :: Word16 -> Word16 -> Char
pair a b = unsafeChr (((fromIntegral a - 0xD800) `shiftL` 10) + (fromIntegral b - 0xDC00) + 0x10000)
{-# INLINE pair #-}

-- Note [Four UTF-16 units at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text is ASCII. Four units are read as one word, to test that no one has a bit above
-- the lowest seven. On a big-endian machine the units stand in the opposite order
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

#endif
