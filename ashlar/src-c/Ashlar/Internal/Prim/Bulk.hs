{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- |
-- Module      : Ashlar.Internal.Prim.Bulk
-- Description : Loops over many bytes, in C
--
-- All foreign imports of this package: of the files in @cbits@, and of two functions of the C
-- library. With the cabal flag @pure-haskell@ a module of the same name has the same functions in
-- Haskell.
--
-- The garbage collector waits for a foreign call, so callers pass a limited number of bytes, as in
-- Note [Foreign copies] in "Ashlar.Internal.Mem".
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

import Data.Word (Word8)
import Foreign.C.Types (CInt (..), CPtrdiff (..), CSize (..))
import Foreign.Ptr (Ptr)
import GHC.Exts (ByteArray#, MutableByteArray#, RealWorld)

-- | The address of the first of n bytes that equals the given one, or 'Foreign.Ptr.nullPtr'.
findByte ::
  Word8 ->
  -- | The first byte.
  Ptr Word8 ->
  -- | The number of bytes, all readable.
  Int ->
  IO (Ptr Word8)
findByte w p n = c_memchr p (fromIntegral w) (fromIntegral n)
{-# INLINE findByte #-}

-- | Are n bytes the same at two addresses? They must be readable at both.
sameBytes :: Ptr Word8 -> Ptr Word8 -> Int -> IO Bool
sameBytes a b n = (== 0) <$> c_memcmp a b (fromIntegral n)
{-# INLINE sameBytes #-}

-- | Write the digits of n bytes: n bytes must be readable at the second address, and 2n writable at
-- the first.
hexEncode :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
hexEncode dst src n = c_hex_encode dst src (fromIntegral n)
{-# INLINE hexEncode #-}

-- | Read n bytes from 2n digits, in either case, and return the number of digits before the first
-- other character. 2n characters must be readable at the second address, and n bytes writable at
-- the first.
hexDecode :: Ptr Word8 -> Ptr Word8 -> Int -> IO Int
hexDecode dst src n = fromIntegral <$> c_hex_decode dst src (fromIntegral n)
{-# INLINE hexDecode #-}

-- | The number of leading digits among n characters, which must be readable.
hexDigits :: Ptr Word8 -> Int -> IO Int
hexDigits p n = fromIntegral <$> c_hex_span p (fromIntegral n)
{-# INLINE hexDigits #-}

-- | The bytes that n units take in UTF-8, or -1 if a surrogate is not in a pair. The units must be
-- readable.
utf16Check :: Ptr Word8 -> Int -> IO Int
utf16Check p n = fromIntegral <$> c_utf16_check p (fromIntegral n)
{-# INLINE utf16Check #-}

-- | The bytes that n units of an array take in UTF-8, from this index on.
utf16Bytes :: ByteArray# -> Int -> Int -> Int
utf16Bytes arr i n = fromIntegral (c_utf16_length arr (fromIntegral i) (fromIntegral n))
{-# INLINE utf16Bytes #-}

-- | The units that n bytes of an array take in UTF-16, from this index on. The bytes are UTF-8.
utf16Units :: ByteArray# -> Int -> Int -> Int
utf16Units arr i n = fromIntegral (c_utf16_units arr (fromIntegral i) (fromIntegral n))
{-# INLINE utf16Units #-}

-- | Write n units of an array, from this index on, in UTF-8, and return the number of bytes. Three
-- bytes must be writable for each unit, and those after the result may be overwritten. Surrogates
-- must be in pairs that are not cut. If they are not, the output is not UTF-8.
utf16ToUtf8 :: Ptr Word8 -> ByteArray# -> Int -> Int -> IO Int
utf16ToUtf8 dst arr i n = fromIntegral <$> c_utf16_to_utf8 dst arr (fromIntegral i) (fromIntegral n)
{-# INLINE utf16ToUtf8 #-}

-- | The same from an address into an array. If 'utf16Check' has accepted the units, the bytes that
-- it returned are enough.
utf16ToUtf8Array :: MutableByteArray# RealWorld -> Ptr Word8 -> Int -> IO Int
utf16ToUtf8Array arr src n = fromIntegral <$> c_utf16_to_utf8_array arr src 0 (fromIntegral n)
{-# INLINE utf16ToUtf8Array #-}

-- | Convert n bytes of an array, from this index on, to UTF-16, and return the number of units, or
-- -1 if any character is malformed. n units must be writable, at any address. Those after the
-- result may be overwritten.
utf8ToUtf16 :: Ptr Word8 -> ByteArray# -> Int -> Int -> IO Int
utf8ToUtf16 dst arr i n = fromIntegral <$> c_utf8_to_utf16 dst arr (fromIntegral i) (fromIntegral n)
{-# INLINE utf8ToUtf16 #-}

-- | The same from an address into an array.
utf8ToUtf16Array :: MutableByteArray# RealWorld -> Ptr Word8 -> Int -> IO Int
utf8ToUtf16Array arr src n = fromIntegral <$> c_utf8_to_utf16_array arr src 0 (fromIntegral n)
{-# INLINE utf8ToUtf16Array #-}

foreign import ccall unsafe "string.h memchr"
  c_memchr :: Ptr Word8 -> CInt -> CSize -> IO (Ptr Word8)

foreign import ccall unsafe "string.h memcmp"
  c_memcmp :: Ptr Word8 -> Ptr Word8 -> CSize -> IO CInt

foreign import ccall unsafe "ashlar_hex_encode"
  c_hex_encode :: Ptr Word8 -> Ptr Word8 -> CSize -> IO ()

foreign import ccall unsafe "ashlar_hex_decode"
  c_hex_decode :: Ptr Word8 -> Ptr Word8 -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_hex_span"
  c_hex_span :: Ptr Word8 -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_utf16_check"
  c_utf16_check :: Ptr Word8 -> CSize -> IO CPtrdiff

foreign import ccall unsafe "ashlar_utf16_length"
  c_utf16_length :: ByteArray# -> CSize -> CSize -> CSize

foreign import ccall unsafe "ashlar_utf16_units"
  c_utf16_units :: ByteArray# -> CSize -> CSize -> CSize

foreign import ccall unsafe "ashlar_utf16_to_utf8"
  c_utf16_to_utf8 :: Ptr Word8 -> ByteArray# -> CSize -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_utf16_to_utf8"
  c_utf16_to_utf8_array :: MutableByteArray# RealWorld -> Ptr Word8 -> CSize -> CSize -> IO CSize

foreign import ccall unsafe "ashlar_utf8_to_utf16"
  c_utf8_to_utf16 :: Ptr Word8 -> ByteArray# -> CSize -> CSize -> IO CPtrdiff

foreign import ccall unsafe "ashlar_utf8_to_utf16"
  c_utf8_to_utf16_array :: MutableByteArray# RealWorld -> Ptr Word8 -> CSize -> CSize -> IO CPtrdiff
