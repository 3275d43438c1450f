{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Prim.Magnitude
-- Description : The bytes of the magnitude of an Integer, least significant first
module Ashlar.Internal.Prim.Magnitude
  ( -- * Sizes
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
import Control.Monad.Primitive (primitive_)
import Control.Monad.ST (runST)
import Data.Bits (countLeadingZeros, finiteBitSize, unsafeShiftL, unsafeShiftR, (.|.))
import Data.ByteString.Short.Internal (ShortByteString (SBS))
import Data.Primitive.ByteArray
  ( ByteArray (ByteArray),
    MutableByteArray (MutableByteArray),
    newByteArray,
    unsafeFreezeByteArray,
  )
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts (Int (I#), Ptr (Ptr), int2Word#)
import GHC.IO (IO (IO))
import GHC.Num.Integer
  ( Integer (IS),
    integerFromAddr#,
    integerFromWord,
    integerLog2,
    integerToMutableByteArray#,
  )

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

-- | A number of 64 bits. A 'Word' that has them becomes an 'Integer' without a check.
fromWord64 :: Word64 -> Integer
fromWord64 w
  | finiteBitSize (0 :: Word) == 64 = integerFromWord (fromIntegral w)
  | otherwise = toInteger w
{-# INLINE fromWord64 #-}
