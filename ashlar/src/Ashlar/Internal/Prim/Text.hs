{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE CPP #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedSums #-}
{-# LANGUAGE UnboxedTuples #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies] in "Ashlar.Internal.Mem".
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Prim.Text
-- Description : The memory of a Text, in every version of text
--
-- @text@ holds UTF-8 in memory from version 2 on, and UTF-16 before. Only this module knows. It
-- shows a text as a sequence of \"units\", which are bytes or 16-bit words, and converts ranges of
-- them to UTF-8.
module Ashlar.Internal.Prim.Text
  ( utf8LengthOf,
    lengthUnits,
    bytesPerUnit,
    bytesLikely,
    bytesForOne,
    unitsThatFit,
    writeUtf8,
    writeEscaped,
    Utf8,
    decodeUtf8At,

    -- * UTF-16
    maxForeignUnits,
    utf16LengthOf,
    utf16UnitsThatFit,
    writeUtf16,
    decodeUtf16At,
  )
where

import Ashlar.Internal.Mem.Check (lackingArray)
import Ashlar.Internal.Prim.Bulk
import Ashlar.Internal.Prim.Utf8
import Control.Exception (evaluate)
import Data.ByteString.Unsafe (unsafePackCStringLen)
import Data.IORef (newIORef, readIORef, writeIORef)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Internal as T
import Data.Word (Word8)
import Foreign.Ptr (castPtr, minusPtr)
import GHC.Ptr (Ptr (..))
import System.IO.Unsafe (unsafeDupablePerformIO)
#if MIN_VERSION_text(2,0,0)
import Ashlar.Internal.Mem (copyFromArray, copyToArray)
import Ashlar.Internal.Mem.Cells (copyShortFrom, copyShortTo)
import Data.Bits ((.&.))
#if MIN_VERSION_bytestring(0,12,1)
import qualified Data.ByteString as B
#endif
import Data.Primitive.ByteArray (ByteArray (..), MutableByteArray (..), newByteArray)
import qualified Data.Text.Array as A
import GHC.Exts
  ( Addr#,
    ByteArray#,
    Int (I#),
    Int#,
    RealWorld,
    State#,
    indexWord8ArrayAsWord64#,
    unsafeFreezeByteArray#,
  )
import GHC.IO (IO (..), unIO)
import GHC.Word (Word64 (W64#))
#else
import Ashlar.Internal.Mem (copyFromArray, copyToArray)
import Ashlar.Internal.Mem.Cells (copyShortFrom, copyShortTo)
import Control.Monad.ST (RealWorld, stToIO)
import Data.Bits (finiteBitSize, shiftL, unsafeShiftR, (.&.))
import Data.Primitive.ByteArray (ByteArray (..), MutableByteArray (..))
import qualified Data.Text.Array as A
import Data.Word (Word16, Word64)
import Foreign.Ptr (plusPtr)
import GHC.Base (unsafeChr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts
  ( Addr#,
    ByteArray#,
    Int (I#),
    Int#,
    State#,
    indexWord8ArrayAsWord64#,
    shrinkMutableByteArray#,
    (*#),
  )
import GHC.IO (IO (..), unIO)
import GHC.Word (Word64 (W64#))
#endif

-- | A text that was copied from UTF-8 (RFC 3629), or the number of bytes before the first malformed
-- character.
--
-- It is unboxed, because not every GHC removes its box. (Allocation test "a text: its units and six
-- words".)
type Utf8 = (# T.Text| Int# #)

-- | Copy bytes of UTF-8 into a text.
--
-- This does not use 'T.decodeUtf8'', which catches exceptions and would rethrow a timeout as a
-- synchronous one: see Note [Exceptions that are not ours] in
-- "Ashlar.Internal.Coroutine.Thunk".
decodeUtf8At ::
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  State# RealWorld ->
  (# State# RealWorld, Utf8 #)

-- | 'decodeUtf8At' by the functions of text, for bytes that its own code, below, does not take.
decodeAny# :: Ptr Word8 -> Int -> State# RealWorld -> (# State# RealWorld, Utf8 #)
decodeAny# p n s = case unIO (decodeAny p n) s of
  (# s', Right text #) -> (# s', (# text | #) #)
  (# s', Left (I# good) #) -> (# s', (# | good #) #)
{-# NOINLINE decodeAny# #-}

decodeAny :: Ptr Word8 -> Int -> IO (Either Int T.Text)
decodeAny p n = do
  wrong <- newIORef False
  -- A view of the memory. Nothing retains it, because the text is a copy.
  bs <- unsafePackCStringLen (castPtr p, n)
  -- The function is called only for malformed bytes. The text is forced, so they are known then.
  -- If this ran twice, it would write the same again.
  let replaced = unsafeDupablePerformIO (Just '\xFFFD' <$ writeIORef wrong True)
  text <- evaluate (T.decodeUtf8With (\_ _ -> replaced) bs)
  malformed <- readIORef wrong
  if malformed then Left <$> utf8ValidPrefix p n else pure (Right text)

-- | The number of units of a text.
lengthUnits :: T.Text -> Int
lengthUnits (T.Text _ _ n) = n
{-# INLINE lengthUnits #-}

-- | The number of bytes of a text in UTF-8. O(1) with UTF-8 in memory, otherwise O(n).
utf8LengthOf :: T.Text -> Int

-- | The most bytes of UTF-8 that a unit takes.
bytesPerUnit :: Int

-- | How much space to reserve for @n@ units: enough if they are ASCII, and a few bytes more, so
-- that the last units need no second reservation.
bytesLikely :: Int -> Int

-- | How much space to reserve so that 'unitsThatFit' is positive for a unit of at most @n@ bytes.
bytesForOne :: Int -> Int

-- | The number of units that are sure to fit into the free space. It is positive if a unit is left
-- and there are 'bytesForOne' bytes.
unitsThatFit ::
  -- | The most bytes that a unit takes, positive.
  Int ->
  T.Text ->
  -- | The first unit.
  Int ->
  -- | The free space in bytes.
  Int ->
  Int

-- | Write units in UTF-8. Returns the number of bytes.
writeUtf8 ::
  -- | The destination.
  Ptr Word8 ->
  T.Text ->
  -- | The first unit, in the text.
  Int ->
  -- | The number of units: at most what 'unitsThatFit' returns for 'bytesPerUnit' and the bytes
  -- writable at the destination.
  Int ->
  IO Int

-- | Write units in UTF-8, with ASCII characters replaced. Returns the number of bytes.
writeEscaped ::
  Escaping ->
  -- | The destination.
  Ptr Word8 ->
  T.Text ->
  -- | The first unit, in the text.
  Int ->
  -- | The number of units: at most what 'unitsThatFit' returns for 'escapeBound' and the bytes
  -- writable at the destination.
  Int ->
  IO Int

-- | The number of 16-bit units of a text in UTF-16. O(1) with UTF-16 in memory, otherwise O(n).
utf16LengthOf :: T.Text -> Int

-- | The number of units that are sure to fit into the free space in UTF-16. A unit takes at most
-- two bytes. The result is positive if a unit is left and 8 bytes are free.
utf16UnitsThatFit ::
  T.Text ->
  -- | The first unit.
  Int ->
  -- | The free space in bytes.
  Int ->
  Int

-- | Write units in UTF-16, in the byte order of the machine. Returns the number of bytes.
writeUtf16 ::
  -- | The destination.
  Ptr Word8 ->
  T.Text ->
  -- | The first unit, in the text.
  Int ->
  -- | The number of units: at most what 'utf16UnitsThatFit' returns for the bytes writable at the
  -- destination.
  Int ->
  IO Int

-- | Make a text of UTF-16 in the byte order of the machine. 'Nothing' if a surrogate is not in a
-- pair.
decodeUtf16At ::
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of 16-bit units, all readable, from 1 to 'maxForeignUnits'.
  Int ->
  IO (Maybe T.Text)

-- | The most units of 16 bits for one foreign call: the garbage collector waits for it.
maxForeignUnits :: Int
maxForeignUnits = 32768

#if MIN_VERSION_text(2,0,0)

-- Note [Copies of UTF-8]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Most texts of a record are a few ASCII characters. Up to 'shortText' bytes are copied by words,
-- and the words are collected on the way: no bit above the lowest seven of each byte says that the
-- bytes are ASCII. So such a text costs no foreign call. Any other is validated where it is, by the
-- C code of bytestring, and copied once. Before version 0.12.1 that code takes some malformed
-- strings for valid ones, after certain bytes or among spaces, so there text decodes them. (Test "a
-- malformed character after its missing beginning, or among spaces".)
--
-- The functions of text do the same work for long texts, but for short ones the calls and the
-- closures around them take longer than the copy (benchmark "decode 1000 records"). They decode
-- what is malformed, so that all versions treat it the same.
--
-- Only the copy is out of line. So the box of the result is not built. (Allocation test "a text:
-- its units and six words". The tests "texts in UTF-8" cover lengths around the limits.)
decodeUtf8At p@(Ptr a) n@(I# k)
  | n <= 0 = \s -> (# s, (# T.empty | #) #)
  | otherwise = \s -> case copyUtf8 a k s of
      (# s', arr, 1# #) -> (# s', (# T.Text (A.ByteArray arr) 0 n | #) #)
      (# s', _, _ #) -> decodeAny# p n s'
{-# INLINE decodeUtf8At #-}

-- Copy the bytes, at least one, to an array. The flag is 1 if they are known to be valid. If it is
-- not, the array is not to be used.
copyUtf8 :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, ByteArray#, Int# #)
copyUtf8 a k = \s -> case unIO copied s of
  (# s', Copied (MutableByteArray arr) good #) -> case unsafeFreezeByteArray# arr s' of
    (# s'', frozen #) -> (# s'', frozen, if good then 1# else 0# #)
  where
    p = Ptr a
    n = I# k
    copied
      | n <= shortText = do
          arr <- newByteArray n
          bits <- copyShortTo arr p n
          -- ASCII: no byte has its highest bit.
          if bits .&. 0x8080808080808080 == 0
            then pure (Copied arr True)
            else Copied arr <$> isUtf8 p n
      | otherwise = do
          good <- isUtf8 p n
          arr <- newByteArray (if good then n else 0)
          if good then Copied arr True <$ copyToArray arr 0 p n else pure (Copied arr False)
{-# NOINLINE copyUtf8 #-}

data Copied = Copied !(MutableByteArray RealWorld) !Bool

-- The most bytes that are copied by words.
shortText :: Int
shortText = 64

-- Are the bytes known to be valid? If not, text decides.
isUtf8 :: Ptr Word8 -> Int -> IO Bool
#if MIN_VERSION_bytestring(0,12,1)
isUtf8 p n = do
  -- A view of the memory. Nothing retains it.
  bs <- unsafePackCStringLen (castPtr p, n)
  pure $! B.isValidUtf8 bs
#else
isUtf8 _ _ = pure False
#endif
{-# INLINE isUtf8 #-}

utf8LengthOf = lengthUnits
{-# INLINE utf8LengthOf #-}

bytesPerUnit = 1
{-# INLINE bytesPerUnit #-}

bytesLikely = id
{-# INLINE bytesLikely #-}

bytesForOne = id
{-# INLINE bytesForOne #-}

unitsThatFit perUnit (T.Text _ _ n) off space = min (n - off) (space `quot` perUnit)
{-# INLINE unitsThatFit #-}

-- The units lie in the text, and n bytes are writable.
writeUtf8 p (T.Text (A.ByteArray bytes) start _) off n
  | n <= shortText = n <$ copyShortFrom (ByteArray bytes) (start + off) p n
  | otherwise = n <$ copyFromArray p (ByteArray bytes) (start + off) n
{-# INLINE writeUtf8 #-}

-- For each byte of the range, escapeBound bytes are writable.
writeEscaped escapes p0 (T.Text arr start _) off n = go (start + off) p0
  where
    end = start + off + n
    go i p
      | i + 8 <= end = escapeEight escapes p (eightBytes arr i) >>= go (i + 8)
      | i < end = escapeWrite escapes p (unitAt arr i) >>= go (i + 1)
      | otherwise = pure (p `minusPtr` p0)

-- The bytes from start to start + n lie in the array.
utf16LengthOf (T.Text (A.ByteArray arr) start n) = go start n 0
  where
    go i left acc
      | left <= 2 * maxForeignUnits = acc + part i left
      | otherwise = go (i + part') (left - part') (acc + part i part')
      where
        part' = 2 * maxForeignUnits
    part i k = utf16Units arr i k

-- Each byte of UTF-8 becomes at most one unit, so two bytes are enough for it. A character is not
-- cut: its first bytes, at most three, wait for the next batch. The byte that is read lies in the
-- text, as k < n - off.
utf16UnitsThatFit (T.Text arr start n) off space = back (min (n - off) most)
  where
    most = min (2 * maxForeignUnits) (space `quot` 2)
    back k
      | k < n - off, k > 0, unitAt arr (start + off + k) .&. 0xC0 == 0x80 = back (k - 1)
      | otherwise = k

-- The bytes lie in the text and cut no character, and there are two writable bytes for each, as the
-- conversion needs. A text is never malformed. If it were, nothing would count as written.
writeUtf16 p (T.Text (A.ByteArray arr) start _) off n = do
  units <- utf8ToUtf16 p arr (start + off) n
  pure $! 2 * max 0 units

decodeUtf16At p n = do
  size <- utf16Check p n
  if size < 0
    then pure Nothing
    else do
      -- The units are checked, so these bytes are enough.
      MutableByteArray arr <- newByteArray size
      _ <- utf16ToUtf8Array arr p n
      IO $ \s -> case unsafeFreezeByteArray# arr s of
        (# s', frozen #) -> (# s', Just (T.Text (A.ByteArray frozen) 0 size) #)

-- Eight bytes that lie in the array.
eightBytes :: A.Array -> Int -> Word64
eightBytes (A.ByteArray bytes) i@(I# k)
  | lackingArray "Text" (ByteArray bytes) i 8 = 0
  | otherwise = W64# (indexWord8ArrayAsWord64# bytes k)
{-# INLINE eightBytes #-}

-- A byte that lies in the array.
unitAt :: A.Array -> Int -> Word8
unitAt arr@(A.ByteArray bytes) i
  | lackingArray "Text" (ByteArray bytes) i 1 = 0
  | otherwise = A.unsafeIndex arr i
{-# INLINE unitAt #-}

#else

-- Note [UTF-8 and UTF-16]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- C code converts (@cbits/utf16.c@), with instructions for 8 and 16 units at once. On long texts it
-- is several times faster than Haskell with 4 units at once, partly because the whole free space
-- is reserved at once ('bytesLikely'). On names of ten ASCII characters the two take the same
-- time. The functions of text take about as long on long texts, but on short ones they are slower:
-- they allocate pinned memory for the numbers that they exchange with C.
--
-- The garbage collector waits for a foreign call, so no call gets more than 64 KiB. The functions
-- of text decode longer texts, and malformed ones, so that all versions treat those the same.
-- The tests "texts in UTF-8" cover this, and @ashlar-tests/cbits/utf16.c@ tests the C code under
-- gcc's sanitizers.
--
-- Only the conversion is out of line. So the box of the result is not built. (Allocation test "a
-- text: its units and six words".)
decodeUtf8At p@(Ptr a) n@(I# k)
  | n <= 0 = \s -> (# s, (# T.empty | #) #)
  | otherwise = \s -> case toUtf16 a k s of
      (# s', arr, units #)
        | I# units >= 0 -> (# s', (# T.Text (A.Array arr) 0 (I# units) | #) #)
        | otherwise -> decodeAny# p n s'
{-# INLINE decodeUtf8At #-}

-- Convert the bytes to an array of units, and return their number, or -1 if the bytes are malformed
-- or too many.
toUtf16 :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, ByteArray#, Int# #)
toUtf16 a k = \s -> case unIO converted s of
  (# s', Units (A.Array arr) (I# units) #) -> (# s', arr, units #)
  where
    n = I# k
    converted
      | n > 2 * maxForeignUnits = (`Units` (-1)) <$> (stToIO (A.new 0) >>= frozen)
      | otherwise = do
          arr <- stToIO (A.new n)
          -- n bytes are readable, and the array has n units. No character has more units than
          -- bytes.
          units <- utf8ToUtf16Array (A.maBA arr) (Ptr a) n
          cut <- if units >= 0 && units < n then cutUnits arr n units else pure arr
          (`Units` units) <$> frozen cut
    frozen arr = stToIO (A.unsafeFreeze arr)
{-# NOINLINE toUtf16 #-}

data Units = Units !A.Array !Int

-- Shorten an array. If that cuts more than a quarter off a large object, copy it instead, because
-- GHC does not free the rest of a large object. An array of 1,600 units is large.
cutUnits ::
  A.MArray RealWorld ->
  -- The number of units of the array.
  Int ->
  -- The number of units to keep, not more.
  Int ->
  IO (A.MArray RealWorld)
cutUnits arr n units@(I# k)
  | n >= 1600 && units < n - n `quot` 4 = stToIO $ do
      copy <- A.new units
      copy <$ A.copyM copy 0 arr 0 units
  | otherwise = IO (\s -> (# shrinkMutableByteArray# (A.maBA arr) (k *# 2#) s, arr #))

-- The units from start to start + n lie in the array.
utf8LengthOf (T.Text arr start n) = go start n 0
  where
    go !i !left !acc
      | left <= 0 = acc
      | otherwise = go (i + m) (left - m) (acc + utf16Bytes (A.aBA arr) i m)
      where
        !m = unitsAtOnce arr i left

-- How many of the units from an index on one foreign call gets: a pair is not cut.
unitsAtOnce :: A.Array -> Int -> Int -> Int
unitsAtOnce arr i left
  | left <= maxForeignUnits = left
  | isLead (unitAt arr (i + maxForeignUnits - 1)) = maxForeignUnits - 1
  | otherwise = maxForeignUnits
{-# INLINE unitsAtOnce #-}

bytesPerUnit = 3
{-# INLINE bytesPerUnit #-}

bytesLikely n = n + 16
{-# INLINE bytesLikely #-}

bytesForOne perUnit = 2 * perUnit
{-# INLINE bytesForOne #-}

-- The first half of a surrogate pair stays for the next batch, so that pairs are never cut. The
-- free space holds two units, so at least one is left. The unit that is read lies in the text, as
-- 0 < k < n - off.
unitsThatFit perUnit (T.Text arr start n) off space
  | k < n - off, isLead (unitAt arr (start + off + k - 1)) = k - 1
  | otherwise = k
  where
    -- A division takes as long as converting several words of text. The product does not overflow:
    -- on 64-bit machines a text has less than 2^60 units, and the compiler decides the condition.
    k
      | finiteBitSize (0 :: Int) == 64 || n - off <= maxForeignUnits,
        (n - off) * perUnit <= space =
          n - off
      | otherwise = min (n - off) (space `quot` perUnit)

writeUtf8 !p0 (T.Text arr start _) !off !n = go p0 (start + off) n
  where
    go !p !i !left
      | left <= 0 = pure $! p `minusPtr` p0
      | otherwise = do
          let m = unitsAtOnce arr i left
          -- The free space holds bytesPerUnit bytes for each unit that is left, as the conversion
          -- needs.
          k <- utf16ToUtf8 p (A.aBA arr) i m
          go (p `plusPtr` k) (i + m) (left - m)

-- For each unit of the range, escapeBound bytes are writable.
writeEscaped escapes !p0 text@(T.Text arr start _) !off !n = go off p0
  where
    end = off + n
    go !i !p
      | i + 4 <= end = four (fourUnits arr (start + i)) i p
      | i < end = single i p
      | otherwise = pure $! p `minusPtr` p0
    four !w !i !p
      | isAscii4 w = one 0 w p >>= one 16 w >>= one 32 w >>= one 48 w >>= go (i + 4)
      | noAscii4 w = do
          let j = withoutAscii (i + 4)
              -- A pair is not cut.
              j' = if isLead (unit (j - 1)) then j - 1 else j
          k <- writeUtf8 p text i (j' - i)
          go j' (p `plusPtr` k)
      | otherwise = single i p
    single !i !p
      | u < 0x80 = escapeWrite escapes p (fromIntegral u) >>= go (i + 1)
      -- The range cuts no pair. (A lead may stand alone: text's rule for literals makes such a text
      -- of a string with a surrogate.)
      | isLead u, i + 1 < end, isTrail (unit (i + 1)) =
        utf8Write p (pair u (unit (i + 1))) >>= go (i + 2)
      | otherwise = utf8Write p (unsafeChr (fromIntegral u)) >>= go (i + 1)
      where
        !u = unit i
    one by w p = escapeWrite escapes p (low by w)
    low by w = fromIntegral (w `unsafeShiftR` by .&. 0x7F) :: Word8
    -- The index of the next word that has ASCII, or that does not lie in the range.
    withoutAscii !i
      | i + 4 <= end, noAscii4 (fourUnits arr (start + i)) = withoutAscii (i + 4)
      | otherwise = i
    unit i = unitAt arr (start + i)

isLead, isTrail :: Word16 -> Bool
isLead u = u .&. 0xFC00 == 0xD800
isTrail u = u .&. 0xFC00 == 0xDC00
{-# INLINE isLead #-}
{-# INLINE isTrail #-}

pair :: Word16 -> Word16 -> Char
pair a b = unsafeChr (((fromIntegral a - 0xD800) `shiftL` 10) + (fromIntegral b - 0xDC00) + 0x10000)
{-# INLINE pair #-}

-- Note [Four UTF-16 units at once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most text is ASCII. Four units are read as one word, to test that none of them has a bit above
-- the lowest seven. On a big-endian machine the units are in the opposite order within the word.
-- There this test says no, and the loop takes the units one by one.
--
-- The second test is for other scripts: every unit has such a bit. Nothing is replaced there, so
-- the C code converts as many words of this kind as there are. For ASCII between replacements the C
-- code would be no gain: calling it for a few characters takes longer than the loop. (Benchmarks
-- "aeson's Value: messages" and "messages in Japanese".)

-- The units i to i + 3, which must lie in the array.
fourUnits :: A.Array -> Int -> Word64
fourUnits arr (I# i)
  | lackingArray "Text" (ByteArray (A.aBA arr)) (2 * I# i) 8 = 0
  | otherwise = W64# (indexWord8ArrayAsWord64# (A.aBA arr) (i *# 2#))
{-# INLINE fourUnits #-}

-- A unit that lies in the array.
unitAt :: A.Array -> Int -> Word16
unitAt arr i
  | lackingArray "Text" (ByteArray (A.aBA arr)) (2 * i) 2 = 0
  | otherwise = A.unsafeIndex arr i
{-# INLINE unitAt #-}

isAscii4 :: Word64 -> Bool
isAscii4 w = case targetByteOrder of
  LittleEndian -> w .&. 0xFF80FF80FF80FF80 == 0
  BigEndian -> False
{-# INLINE isAscii4 #-}

-- Is no unit ASCII? The nine upper bits of each, plus 511, have a tenth bit unless they are 0.
noAscii4 :: Word64 -> Bool
noAscii4 w = (upper + 0x01FF01FF01FF01FF) .&. 0x0200020002000200 == 0x0200020002000200
  where
    upper = (w `unsafeShiftR` 7) .&. 0x01FF01FF01FF01FF
{-# INLINE noAscii4 #-}

utf16LengthOf = lengthUnits
{-# INLINE utf16LengthOf #-}

utf16UnitsThatFit (T.Text _ _ n) off space = min (n - off) (space `quot` 2)
{-# INLINE utf16UnitsThatFit #-}

-- The units lie in the text, and each has two writable bytes.
writeUtf16 p (T.Text arr start _) off n
  | bytes <= shortCopy = bytes <$ copyShortFrom (ByteArray (A.aBA arr)) from p bytes
  | otherwise = bytes <$ copyFromArray p (ByteArray (A.aBA arr)) from bytes
  where
    bytes = 2 * n
    from = 2 * (start + off)
{-# INLINE writeUtf16 #-}

-- The units are those of the text, so they are checked and copied. Units below 0x8000 need no
-- check: no surrogate is among them. A short text with no others is one pass over its words.
decodeUtf16At p n = do
  arr <- stToIO (A.new n)
  let to = MutableByteArray (A.maBA arr)
  good <-
    if bytes <= shortCopy
      then do
        bits <- copyShortTo to p bytes
        if bits .&. 0x8000800080008000 == 0 then pure True else paired
      else do
        ok <- paired
        ok <$ copyToArray to 0 p bytes
  if good
    then (\frozen -> Just (T.Text frozen 0 n)) <$> stToIO (A.unsafeFreeze arr)
    else pure Nothing
  where
    bytes = 2 * n
    paired = (>= 0) <$> utf16Check p n

-- The most bytes that are copied by words.
shortCopy :: Int
shortCopy = 64

#endif
