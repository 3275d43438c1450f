{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies] in "Ashlar.Internal.Mem".
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Prim.Bulk
-- Description : Loops over many bytes, in Haskell
--
-- The functions of the module of this name in @src-c@, without C, for the cabal flag
-- @pure-haskell@. They process one byte, character or unit at a time, so they write to no more
-- memory than that module states.
module Ashlar.Internal.Prim.Bulk
  ( -- * Bytes
    findByte,
    sameBytes,

    -- * Hexadecimal
    hexEncode,
    hexDecode,
    hexDigits,

    -- * UTF-16
    utf16Check,
    utf16Bytes,
    utf16Units,
    utf16ToUtf8,
    utf16ToUtf8Array,
    utf8ToUtf16,
    utf8ToUtf16Array,
  )
where

import Ashlar.Internal.Mem (peekHost, pokeHost)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.Primitive.ByteArray
  ( ByteArray (..),
    MutableByteArray (..),
    indexByteArray,
    writeByteArray,
  )
import Data.Word (Word16, Word32, Word8)
import Foreign.Ptr (Ptr, nullPtr, plusPtr)
import GHC.Exts (ByteArray#, MutableByteArray#, RealWorld)

-- | The address of the first of n bytes that equals the given one, or 'nullPtr'.
findByte ::
  Word8 ->
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  IO (Ptr Word8)
findByte w p n = found <$> countWhile (/= w) p n
  where
    found i = if i == n then nullPtr else p `plusPtr` i

-- The number of leading bytes with a property, among n, which must be readable.
countWhile :: (Word8 -> Bool) -> Ptr Word8 -> Int -> IO Int
countWhile f p n = go 0
  where
    go i
      | i == n = pure n
      | otherwise = do
        b <- byteAt p i
        if f b then go (i + 1) else pure i
{-# INLINE countWhile #-}

byteAt :: Ptr Word8 -> Int -> IO Word8
byteAt p i = peekHost (p `plusPtr` i)
{-# INLINE byteAt #-}

storeAt :: Ptr Word8 -> Int -> Word8 -> IO ()
storeAt p i = pokeHost (p `plusPtr` i)
{-# INLINE storeAt #-}

-- | Are n bytes the same at two addresses? They must be readable at both.
sameBytes :: Ptr Word8 -> Ptr Word8 -> Int -> IO Bool
sameBytes a b n = go 0
  where
    go i
      | i == n = pure True
      | otherwise = do
        same <- (==) <$> byteAt a i <*> byteAt b i
        if same then go (i + 1) else pure False

-- | Write the digits of n bytes: n bytes must be readable at the second address, and 2n writable at
-- the first.
hexEncode :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
hexEncode dst src n = go 0
  where
    go i
      | i == n = pure ()
      | otherwise = do
        b <- byteAt src i
        storeAt dst (2 * i) (digit (b `unsafeShiftR` 4))
        storeAt dst (2 * i + 1) (digit (b .&. 15))
        go (i + 1)
    digit u = if u < 10 then u + 48 else u + 87

-- | Read n bytes from 2n digits, in either case, and return the number of digits before the first
-- other character. 2n characters must be readable at the second address, and n bytes writable at
-- the first.
hexDecode :: Ptr Word8 -> Ptr Word8 -> Int -> IO Int
hexDecode dst src n = go 0
  where
    go i
      | i == n = pure (2 * n)
      | otherwise = do
        high <- digitValue <$> byteAt src (2 * i)
        low <- digitValue <$> byteAt src (2 * i + 1)
        if high > 15
          then pure (2 * i)
          else
            if low > 15
              then pure (2 * i + 1)
              else storeAt dst i (high `unsafeShiftL` 4 .|. low) >> go (i + 1)

-- The value of a digit, or 16.
digitValue :: Word8 -> Word8
digitValue c
  | c - 48 < 10 = c - 48
  | letter - 97 < 6 = letter - 87
  | otherwise = 16
  where
    letter = c .|. 0x20

-- | The number of leading digits among n characters, which must be readable.
hexDigits :: Ptr Word8 -> Int -> IO Int
hexDigits = countWhile (\c -> digitValue c < 16)

wide :: Word8 -> Word32
wide = fromIntegral
{-# INLINE wide #-}

-- | The bytes that n units take in UTF-8, or -1 if a surrogate is not in a pair. The units must be
-- readable.
utf16Check :: Ptr Word8 -> Int -> IO Int
utf16Check p n = go 0 0
  where
    go :: Int -> Int -> IO Int
    go !i !size
      | i == n = pure size
      | otherwise = do
        u <- unitAt p i
        if u .&. 0xF800 /= 0xD800
          then go (i + 1) (size + bytesOf u)
          else do
            paired <- if isLead u && i + 1 < n then isTrail <$> unitAt p (i + 1) else pure False
            if paired then go (i + 2) (size + 4) else pure (-1)

unitAt :: Ptr Word8 -> Int -> IO Word16
unitAt p i = peekHost (p `plusPtr` (2 * i))
{-# INLINE unitAt #-}

-- The bytes that a unit takes in UTF-8. A surrogate that is not in a pair takes three.
bytesOf :: Word16 -> Int
bytesOf u
  | u < 0x80 = 1
  | u < 0x800 = 2
  | otherwise = 3

isLead, isTrail :: Word16 -> Bool
isLead u = u .&. 0xFC00 == 0xD800
isTrail u = u .&. 0xFC00 == 0xDC00

-- | The bytes that n units of an array take in UTF-8, from this index on.
utf16Bytes :: ByteArray# -> Int -> Int -> Int
utf16Bytes arr start n = go start 0
  where
    go :: Int -> Int -> Int
    go !i !size
      | i == start + n = size
      -- Two surrogates in a pair take four bytes together.
      | isLead (unit i) && i + 1 < start + n && isTrail (unit (i + 1)) = go (i + 2) (size + 4)
      | otherwise = go (i + 1) (size + bytesOf (unit i))
    unit = indexByteArray (ByteArray arr)

-- | The units that n bytes of an array take in UTF-16, from this index on. The bytes are UTF-8.
utf16Units :: ByteArray# -> Int -> Int -> Int
utf16Units arr start n = go start 0
  where
    go :: Int -> Int -> Int
    go !i !units
      | i == start + n = units
      | otherwise = go (i + 1) (units + unitsOf (indexByteArray (ByteArray arr) i))
    unitsOf :: Word8 -> Int
    unitsOf b
      | b .&. 0xC0 == 0x80 = 0
      | b < 0xF0 = 1
      | otherwise = 2

-- | Write n units of an array, from this index on, in UTF-8, and return the number of bytes. Three
-- bytes must be writable for each unit, and those after the result may be overwritten. A surrogate
-- that is not in a pair is written as three bytes, which are not UTF-8.
utf16ToUtf8 :: Ptr Word8 -> ByteArray# -> Int -> Int -> IO Int
utf16ToUtf8 dst arr = toUtf8 (storeAt dst) (pure . indexByteArray (ByteArray arr))

-- | The same from an address into an array. If 'utf16Check' has accepted the units, the bytes that
-- it returned are enough.
utf16ToUtf8Array :: MutableByteArray# RealWorld -> Ptr Word8 -> Int -> IO Int
utf16ToUtf8Array arr src = toUtf8 (writeByteArray (MutableByteArray arr)) (unitAt src) 0

-- Reads only the n units, and stores at most three bytes for each.
toUtf8 :: (Int -> Word8 -> IO ()) -> (Int -> IO Word16) -> Int -> Int -> IO Int
toUtf8 store unit start n = go start 0
  where
    end = start + n
    go :: Int -> Int -> IO Int
    go !i !j
      | i == end = pure j
      | otherwise = do
        u <- unit i
        -- The unit after a lead, or 0.
        v <- if isLead u && i + 1 < end then unit (i + 1) else pure 0
        let c = fromIntegral u :: Word32
        case bytesOf u of
          1 -> store j (fromIntegral u) >> go (i + 1) (j + 1)
          2 -> do
            store j (0xC0 .|. top c 6)
            store (j + 1) (rest c 0)
            go (i + 1) (j + 2)
          _
            | isTrail v -> do
              let c' = 0x10000 + (c .&. 0x3FF) `unsafeShiftL` 10 + fromIntegral v .&. 0x3FF
              store j (0xF0 .|. top c' 18)
              store (j + 1) (rest c' 12)
              store (j + 2) (rest c' 6)
              store (j + 3) (rest c' 0)
              go (i + 2) (j + 4)
            | otherwise -> do
              store j (0xE0 .|. top c 12)
              store (j + 1) (rest c 6)
              store (j + 2) (rest c 0)
              go (i + 1) (j + 3)
    top c by = fromIntegral (c `unsafeShiftR` by) :: Word8
    rest c by = 0x80 .|. (top c by .&. 0x3F)
{-# INLINE toUtf8 #-}

-- | Convert n bytes of an array, from this index on, to UTF-16, and return the number of units, or
-- -1 if any character is malformed. n units must be writable, at any address. Those after the
-- result may be overwritten.
utf8ToUtf16 :: Ptr Word8 -> ByteArray# -> Int -> Int -> IO Int
utf8ToUtf16 dst arr =
  toUtf16 (\i u -> pokeHost (dst `plusPtr` (2 * i)) u) (pure . indexByteArray (ByteArray arr))

-- | The same from an address into an array.
utf8ToUtf16Array :: MutableByteArray# RealWorld -> Ptr Word8 -> Int -> IO Int
utf8ToUtf16Array arr src = toUtf16 (writeByteArray (MutableByteArray arr)) (byteAt src) 0

-- Reads only the n bytes, and stores at most a unit for each.
toUtf16 :: (Int -> Word16 -> IO ()) -> (Int -> IO Word8) -> Int -> Int -> IO Int
toUtf16 store byte start n = go start 0
  where
    end = start + n
    go :: Int -> Int -> IO Int
    go !i !j
      | i == end = pure j
      | otherwise = do
        a <- wide <$> byte i
        if a < 0x80
          then store j (fromIntegral a) >> go (i + 1) (j + 1)
          else
            if a < 0xC2 || a > 0xF4
              then pure (-1)
              else do
                let len
                      | a < 0xE0 = 2
                      | a < 0xF0 = 3
                      | otherwise = 4
                c <- tails (i + 1) (i + len) (a .&. (0x7F `unsafeShiftR` len))
                character i j len c
    -- Add the bits of the tail bytes up to the index to the value, or return 'malformed'.
    tails :: Int -> Int -> Word32 -> IO Word32
    tails !k !upTo !c
      | upTo > end = pure malformed
      | k == upTo = pure c
      | otherwise = do
        b <- byte k
        if b .&. 0xC0 == 0x80
          then tails (k + 1) upTo (c `unsafeShiftL` 6 .|. (wide b .&. 0x3F))
          else pure malformed
    character :: Int -> Int -> Int -> Word32 -> IO Int
    character i j len c
      | len == 2, c < 0x800 = store j (fromIntegral c) >> go (i + 2) (j + 1)
      | len == 3,
        c >= 0x800 && c < 0x10000 && c .&. 0xF800 /= 0xD800 =
        store j (fromIntegral c) >> go (i + 3) (j + 1)
      | len == 4,
        c >= 0x10000 && c < 0x110000 = do
        store j (fromIntegral (0xD800 + (c - 0x10000) `unsafeShiftR` 10))
        store (j + 1) (fromIntegral (0xDC00 + c .&. 0x3FF))
        go (i + 4) (j + 2)
      | otherwise = pure (-1)
    malformed = maxBound
{-# INLINE toUtf16 #-}
