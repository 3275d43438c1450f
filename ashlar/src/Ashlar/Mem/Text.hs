{-# LANGUAGE CPP #-}
{-# LANGUAGE MagicHash #-}

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
    unitBound,
    unitsThatFit,
    writeUtf8,
    wholeUnits,
    writeEscaped,
    decodeUtf8At,
  )
where

import Control.Exception (SomeException, throw)
import Data.ByteString.Unsafe (unsafePackCStringLen)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Internal as T
import Data.Word (Word8)
import Foreign.Ptr (Ptr, castPtr)
import GHC.Exts (Int (I#), indexWord8ArrayAsWord64#)
#if MIN_VERSION_text(2,0,0)
import qualified Data.Text.Array as A
import Ashlar.Mem (copyEscaped)
import Control.Monad.ST.Unsafe (unsafeSTToIO)
import GHC.Exts (indexWord8Array#)
import GHC.Word (Word64 (W64#), Word8 (W8#))
#else
import Ashlar.Mem (pokeLE)
import Ashlar.Prim.Utf8 (utf8Write)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import qualified Data.Text.Array as A
import Data.Word (Word16, Word32)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Base (unsafeChr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts ((*#))
import GHC.Word (Word64 (W64#))
#endif

-- | A text from so many bytes of UTF-8 (RFC 3629), copied. Throws the exception if
-- they are malformed in any way. The bytes must be readable.
--
-- (Not by way of 'T.decodeUtf8'', which catches exceptions, and throws a timeout on
-- as a synchronous one: Note [Exceptions that are not ours].)
decodeUtf8At :: SomeException -> Ptr Word8 -> Int -> IO T.Text
decodeUtf8At malformed p n = do
  -- A view of the memory, which nothing keeps: the text is a copy.
  bs <- unsafePackCStringLen (castPtr p, n)
  pure $! T.decodeUtf8With (\_ _ -> throw malformed) bs

-- | Units of a text.
lengthUnits :: T.Text -> Int
lengthUnits (T.Text _ _ n) = n
{-# INLINE lengthUnits #-}

-- | Bytes of a text in UTF-8. O(1) with UTF-8 in memory, else O(n).
utf8LengthOf :: T.Text -> Int

-- | Room for so many bytes holds one unit at least, for 'unitsThatFit'.
unitBound :: Int

-- | The number of units, from this unit on, whose UTF-8 surely fits into so
-- many bytes. Positive where there is a unit left, and room for 'unitBound'.
unitsThatFit :: T.Text -> Int -> Int -> Int

-- | @writeUtf8 p t off n@ writes the UTF-8 of @n@ units from unit @off@ on, and
-- returns the number of bytes. The units must lie in the text and be at most
-- 'unitsThatFit' of the bytes that may be written at @p@.
writeUtf8 :: Ptr Word8 -> T.Text -> Int -> Int -> IO Int

-- | The largest number of units, from this unit on, that is at most the given one and does
-- not end within a character, as far as it matters for 'writeEscaped'. Positive if there are
-- that many units, and more than one is given.
wholeUnits :: T.Text -> Int -> Int -> Int

-- | @writeEscaped may ascii p t off n@ writes @n@ units from unit @off@ on, as 'copyEscaped'
-- writes their UTF-8. The units must lie in the text and be 'wholeUnits'; for each,
-- 8 bytes must be writable.
writeEscaped :: (Word64 -> Bool) -> (Ptr Word8 -> Word8 -> IO (Ptr Word8)) -> Ptr Word8 -> T.Text -> Int -> Int -> IO (Ptr Word8)

#if MIN_VERSION_text(2,0,0)

utf8LengthOf = lengthUnits
{-# INLINE utf8LengthOf #-}

unitBound = 1
{-# INLINE unitBound #-}

unitsThatFit (T.Text _ _ n) off room = min (n - off) room
{-# INLINE unitsThatFit #-}

writeUtf8 p (T.Text arr start _) off n = do
  unsafeSTToIO (A.copyToPointer arr (start + off) p n)
  pure n
{-# INLINE writeUtf8 #-}

-- Each byte is copied by itself, so a character may be divided.
wholeUnits _ _ n = n
{-# INLINE wholeUnits #-}

writeEscaped may ascii p (T.Text (A.ByteArray bytes) start _) off n =
  copyEscaped may ascii (\(I# i) -> pure (W64# (indexWord8ArrayAsWord64# bytes i))) (\(I# i) -> pure (W8# (indexWord8Array# bytes i))) p (start + off) n
{-# INLINE writeEscaped #-}

#else

-- The sum over the units: a unit of a surrogate pair stands for two bytes of
-- the pair's four.
utf8LengthOf (T.Text arr start n) = go start 0
  where
    end = start + n
    go i acc
      | i >= end = acc
      | i + 4 <= end, isAscii4 (fourUnits arr i) = go (i + 4) (acc + 4)
      | otherwise = go (i + 1) (acc + size (A.unsafeIndex arr i))
    size :: Word16 -> Int
    size u
      | u < 0x80 = 1
      | u < 0x800 = 2
      | isSurrogate u = 2
      | otherwise = 3

unitBound = 6
{-# INLINE unitBound #-}

-- Three bytes a unit at most; the first half of a surrogate pair is left for
-- the next time, so that the pair stays together. There is room for two
-- units, so one remains.
unitsThatFit (T.Text arr start n) off room
  | k < n - off, isLead (A.unsafeIndex arr (start + off + k - 1)) = k - 1
  | otherwise = k
  where
    k = min (n - off) (room `quot` 3)

writeUtf8 p0 (T.Text arr start _) off n = go (start + off) p0
  where
    end = start + off + n
    go i p
      | i >= end = pure (p `minusPtr` p0)
      -- Four units inside the text, and four bytes written for them.
      | i + 4 <= end, isAscii4 w = do
          pokeLE p (pack4 w)
          go (i + 4) (p `plusPtr` 4)
      -- A text holds surrogates only in pairs, first half first.
      | isLead u = utf8Write p (pair u (A.unsafeIndex arr (i + 1))) >>= go (i + 2)
      | otherwise = utf8Write p (unsafeChr (fromIntegral u)) >>= go (i + 1)
      where
        u = A.unsafeIndex arr i
        w = fourUnits arr i

wholeUnits (T.Text arr start _) off n
  | n > 1, isLead (A.unsafeIndex arr (start + off + n - 1)) = n - 1
  | otherwise = n
{-# INLINE wholeUnits #-}

writeEscaped may ascii p0 (T.Text arr start _) off n = go (start + off) p0
  where
    end = start + off + n
    go i p
      -- Eight units inside the text, and eight bytes for them.
      | i + 8 <= end =
          if isAscii4 (a .|. b) && not (may w) then pokeLE p w >> go (i + 8) (p `plusPtr` 8) else one i p (i + 8)
      | i >= end = pure p
      | otherwise = one i p end
      where
        a = fourUnits arr i
        b = fourUnits arr (i + 4)
        w = fromIntegral (pack4 a) .|. (fromIntegral (pack4 b) `shiftL` 32)
    one i p stop
      | i >= stop = go i p
      | u < 0x80 = ascii p (fromIntegral u) >>= \p' -> one (i + 1) p' stop
      -- A text holds surrogates only in pairs, first half first, and the units are
      -- whole. The second half may lie behind the eight.
      | isLead u = utf8Write p (pair u (A.unsafeIndex arr (i + 1))) >>= \p' -> one (i + 2) p' stop
      | otherwise = utf8Write p (unsafeChr (fromIntegral u)) >>= \p' -> one (i + 1) p' stop
      where
        u = A.unsafeIndex arr i
{-# INLINE writeEscaped #-}

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
