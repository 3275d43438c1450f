{-# LANGUAGE MagicHash #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Scalar
-- Description : Numbers of constant size, written and read; the bytes of an Integer
--
-- The wire formats of single numbers. Size, write half and read half of a
-- format stand together in one value, so they cannot drift apart, and one
-- round-trip property covers all three.
module Ashlar.Internal.Prim.Scalar
  ( Scalar (..),
    writeHalf,

    -- * One byte
    word8,
    int8,

    -- * Least significant byte first
    word16LE,
    word24LE,
    word32LE,
    word64LE,
    int16LE,
    int24LE,
    int32LE,
    int64LE,
    floatLE,
    doubleLE,

    -- * Most significant byte first
    word16BE,
    word24BE,
    word32BE,
    word64BE,
    int16BE,
    int24BE,
    int32BE,
    int64BE,
    floatBE,
    doubleBE,

    -- * The machine's order and size
    word16Host,
    word32Host,
    word64Host,
    wordHost,
    int16Host,
    int32Host,
    int64Host,
    intHost,
    floatHost,
    doubleHost,

    -- * Numbers of the machine's size, always as 64 bits
    wordAs64LE,
    intAs64LE,

    -- * Sizes
    magnitudeSize,
    magnitudeOf,
    wordBytes,

    -- * Writing
    magnitudeBytes,

    -- * Reading
    peekMagnitude,
    peekShort,
    fromWord64,
  )
where

import Ashlar.Internal.Mem
import Ashlar.Internal.Prim.Core (FixedPrim, fixedPrim)
import Control.Monad.Primitive (primitive_)
import Control.Monad.ST (runST)
import Data.Bits (countLeadingZeros, finiteBitSize, unsafeShiftL, unsafeShiftR, (.|.))
import Data.ByteString.Short.Internal (ShortByteString (SBS))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray
  ( ByteArray (ByteArray),
    MutableByteArray (MutableByteArray),
    newByteArray,
    unsafeFreezeByteArray,
  )
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (Storable, sizeOf)
import GHC.Exts (Int (I#), Ptr (Ptr), int2Word#)
import GHC.IO (IO (IO))
import GHC.Num.Integer
  ( Integer (IS),
    integerFromAddr#,
    integerFromWord,
    integerLog2,
    integerToMutableByteArray#,
  )

-- | A format in which every value of a type takes the same number of bytes.
--
-- Every pattern of 'scalarSize' bytes can be read.
data Scalar a = Scalar
  { -- | Bytes a value takes.
    scalarSize :: !Int,
    -- | Write a value: 'scalarSize' bytes must be writable.
    scalarWrite :: Ptr Word8 -> a -> IO (),
    -- | Read a value: 'scalarSize' bytes must be readable.
    scalarRead :: Ptr Word8 -> IO a
  }

-- | The write half, as a primitive. It writes 'scalarSize' bytes.
writeHalf :: Scalar a -> FixedPrim a
writeHalf scalar = fixedPrim (scalarSize scalar) (\x p -> scalarWrite scalar p x)
{-# INLINE writeHalf #-}

host :: forall a. (Storable a, Num a) => Scalar a
host = Scalar (sizeOf (0 :: a)) pokeHost peekHost
{-# INLINE host #-}

le :: forall a. (Number a, Num a) => Scalar a
le = Scalar (sizeOf (0 :: a)) pokeLE peekLE
{-# INLINE le #-}

be :: forall a. (Number a, Num a) => Scalar a
be = Scalar (sizeOf (0 :: a)) pokeBE peekBE
{-# INLINE be #-}

-- Scalars of three bytes, by way of a word whose low 24 bits count.

le24, be24 :: (Word32 -> a) -> (a -> Word32) -> Scalar a
le24 from to = Scalar 3 write rd
  where
    write p a = do
      pokeLE p (fromIntegral x :: Word16)
      pokeHost (p `plusPtr` 2) (fromIntegral (x `unsafeShiftR` 16) :: Word8)
      where
        x = to a
    rd p = do
      low <- peekLE p :: IO Word16
      high <- peekHost (p `plusPtr` 2) :: IO Word8
      pure (from (fromIntegral low .|. (fromIntegral high `unsafeShiftL` 16)))
be24 from to = Scalar 3 write rd
  where
    write p a = do
      pokeBE p (fromIntegral (x `unsafeShiftR` 8) :: Word16)
      pokeHost (p `plusPtr` 2) (fromIntegral x :: Word8)
      where
        x = to a
    rd p = do
      high <- peekBE p :: IO Word16
      low <- peekHost (p `plusPtr` 2) :: IO Word8
      pure (from ((fromIntegral high `unsafeShiftL` 8) .|. fromIntegral low))
{-# INLINE le24 #-}
{-# INLINE be24 #-}

-- 24 bits in two's complement.
extend24 :: Word32 -> Int32
extend24 x = (fromIntegral (x `unsafeShiftL` 8) :: Int32) `unsafeShiftR` 8
{-# INLINE extend24 #-}

word8 :: Scalar Word8
word8 = host
{-# INLINE word8 #-}

int8 :: Scalar Int8
int8 = host
{-# INLINE int8 #-}

word16LE :: Scalar Word16
word16LE = le
{-# INLINE word16LE #-}

-- | The low 24 bits. Writing drops the others.
word24LE :: Scalar Word32
word24LE = le24 id id
{-# INLINE word24LE #-}

word32LE :: Scalar Word32
word32LE = le
{-# INLINE word32LE #-}

word64LE :: Scalar Word64
word64LE = le
{-# INLINE word64LE #-}

int16LE :: Scalar Int16
int16LE = le
{-# INLINE int16LE #-}

-- | 24 bits in two's complement. Writing drops the others.
int24LE :: Scalar Int32
int24LE = le24 extend24 fromIntegral
{-# INLINE int24LE #-}

int32LE :: Scalar Int32
int32LE = le
{-# INLINE int32LE #-}

int64LE :: Scalar Int64
int64LE = le
{-# INLINE int64LE #-}

floatLE :: Scalar Float
floatLE = le
{-# INLINE floatLE #-}

doubleLE :: Scalar Double
doubleLE = le
{-# INLINE doubleLE #-}

word16BE :: Scalar Word16
word16BE = be
{-# INLINE word16BE #-}

-- | The low 24 bits. Writing drops the others.
word24BE :: Scalar Word32
word24BE = be24 id id
{-# INLINE word24BE #-}

word32BE :: Scalar Word32
word32BE = be
{-# INLINE word32BE #-}

word64BE :: Scalar Word64
word64BE = be
{-# INLINE word64BE #-}

int16BE :: Scalar Int16
int16BE = be
{-# INLINE int16BE #-}

-- | 24 bits in two's complement. Writing drops the others.
int24BE :: Scalar Int32
int24BE = be24 extend24 fromIntegral
{-# INLINE int24BE #-}

int32BE :: Scalar Int32
int32BE = be
{-# INLINE int32BE #-}

int64BE :: Scalar Int64
int64BE = be
{-# INLINE int64BE #-}

floatBE :: Scalar Float
floatBE = be
{-# INLINE floatBE #-}

doubleBE :: Scalar Double
doubleBE = be
{-# INLINE doubleBE #-}

word16Host :: Scalar Word16
word16Host = host
{-# INLINE word16Host #-}

word32Host :: Scalar Word32
word32Host = host
{-# INLINE word32Host #-}

word64Host :: Scalar Word64
word64Host = host
{-# INLINE word64Host #-}

wordHost :: Scalar Word
wordHost = host
{-# INLINE wordHost #-}

int16Host :: Scalar Int16
int16Host = host
{-# INLINE int16Host #-}

int32Host :: Scalar Int32
int32Host = host
{-# INLINE int32Host #-}

int64Host :: Scalar Int64
int64Host = host
{-# INLINE int64Host #-}

intHost :: Scalar Int
intHost = host
{-# INLINE intHost #-}

floatHost :: Scalar Float
floatHost = host
{-# INLINE floatHost #-}

doubleHost :: Scalar Double
doubleHost = host
{-# INLINE doubleHost #-}

-- | A 'Word' as 64 bits. Where words have 32 bits, reading keeps the low half. To check untrusted
-- input, read all of it with 'word64LE'.
wordAs64LE :: Scalar Word
wordAs64LE = Scalar 8 (\p -> pokeLE p . toWord64) (fmap narrow . peekLE)
  where
    toWord64 = fromIntegral :: Word -> Word64
    narrow = fromIntegral :: Word64 -> Word
{-# INLINE wordAs64LE #-}

-- | An 'Int' as 64 bits, with the same limit as 'wordAs64LE'.
intAs64LE :: Scalar Int
intAs64LE = Scalar 8 (\p -> pokeLE p . toInt64) (fmap fromInt64 . peekLE)
  where
    toInt64 = fromIntegral :: Int -> Int64
    fromInt64 = fromIntegral :: Int64 -> Int
{-# INLINE intAs64LE #-}

-- The bytes of the magnitude of an Integer, least significant first.

-- | The number of bytes of a magnitude, without leading zero bytes.
magnitudeSize :: Integer -> Int
magnitudeSize n = case n of
  IS i -> wordBytes (magnitudeOf (I# i))
  -- At least the bits of a word, so more than 0.
  _ -> fromIntegral (integerLog2 (abs n) `unsafeShiftR` 3) + 1
{-# INLINE magnitudeSize #-}

-- | The magnitude of an 'Int'. That of the least 'Int' does not fit an 'Int', but a 'Word'.
magnitudeOf :: Int -> Word64
magnitudeOf i = fromIntegral (fromIntegral (abs i) :: Word)
{-# INLINE magnitudeOf #-}

-- | The number of bytes of a word without leading zero bytes.
wordBytes :: Word64 -> Int
wordBytes w = (64 - countLeadingZeros w + 7) `unsafeShiftR` 3
{-# INLINE wordBytes #-}

-- | The bytes of a magnitude.
magnitudeBytes :: Integer -> ShortByteString
magnitudeBytes n = runST $ do
  -- The array has exactly the bytes of the magnitude, and all of them are written.
  arr@(MutableByteArray arr#) <- newByteArray (magnitudeSize n)
  primitive_ (\s -> case integerToMutableByteArray# (abs n) arr# 0## 0# s of (# s', _ #) -> s')
  ByteArray bytes# <- unsafeFreezeByteArray arr
  pure (SBS bytes#)
{-# INLINE magnitudeBytes #-}

-- | Read a magnitude.
peekMagnitude ::
  -- | The address of its @n@ bytes.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO Integer
peekMagnitude (Ptr a) (I# n) = IO (integerFromAddr# (int2Word# n) a 0#)
{-# INLINE peekMagnitude #-}

-- | Read 1 to 8 bytes as a number, by two reads that may overlap. Both stay inside these bytes.
peekShort :: Ptr Word8 -> Int -> IO Word64
peekShort p n
  | n >= 4 = do
    low <- peekLE p :: IO Word32
    high <- peekLE (p `plusPtr` (n - 4)) :: IO Word32
    pure (fromIntegral low .|. (fromIntegral high `unsafeShiftL` (8 * (n - 4))))
  | n >= 2 = do
    low <- peekLE p :: IO Word16
    high <- peekLE (p `plusPtr` (n - 2)) :: IO Word16
    pure (fromIntegral low .|. (fromIntegral high `unsafeShiftL` (8 * (n - 2))))
  | otherwise = fromIntegral <$> (peekHost p :: IO Word8)
{-# INLINE peekShort #-}

-- | A number of 64 bits as an 'Integer'. A 'Word' of 64 bits needs no check for that.
fromWord64 :: Word64 -> Integer
fromWord64 w
  | finiteBitSize (0 :: Word) == 64 = integerFromWord (fromIntegral w)
  | otherwise = toInteger w
{-# INLINE fromWord64 #-}
