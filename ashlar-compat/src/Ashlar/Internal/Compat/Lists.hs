-- |
-- Module      : Ashlar.Internal.Compat.Lists
-- Description : Lists of numbers and characters in the formats of binary and cereal
--
-- One loop for each type: see Note [Loops apart] in "Ashlar.Internal.Compat.Elements". The
-- decoders are given the number of elements.
module Ashlar.Internal.Compat.Lists
  ( -- * Writing
    putWord8s,
    putWord16s,
    putWord32s,
    putWord64s,
    putInt8s,
    putInt16s,
    putInt32s,
    putInt64s,
    putWords,
    putInts,
    putChars,

    -- * Reading
    getWord8s,
    getWord16s,
    getWord32s,
    getWord64s,
    getInt8s,
    getInt16s,
    getInt32s,
    getInt64s,
    getWords,
    getInts,
    getChars,
  )
where

import Ashlar.Internal.Builder.Core (Builder, append)
import Ashlar.Internal.Builder.Strings (stringUtf8)
import Ashlar.Internal.Compat.Elements
import Ashlar.Internal.Compat.Numbers (getCharLenient)
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Vectors (getVectorOf)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Vector.Unboxed as U
import Data.Word (Word16, Word32, Word64, Word8)

putWord8s :: [Word8] -> Builder
putWord8s = putNumbers id

getWord8s :: Int -> Get [Word8]
getWord8s = getNumbers (id :: Word8 -> Word8)

putWord16s :: [Word16] -> Builder
putWord16s = putNumbers id

getWord16s :: Int -> Get [Word16]
getWord16s = getNumbers (id :: Word16 -> Word16)

putWord32s :: [Word32] -> Builder
putWord32s = putNumbers id

getWord32s :: Int -> Get [Word32]
getWord32s = getNumbers (id :: Word32 -> Word32)

putWord64s :: [Word64] -> Builder
putWord64s = putNumbers id

getWord64s :: Int -> Get [Word64]
getWord64s = getNumbers (id :: Word64 -> Word64)

putInt8s :: [Int8] -> Builder
putInt8s = putNumbers id

getInt8s :: Int -> Get [Int8]
getInt8s = getNumbers (id :: Int8 -> Int8)

putInt16s :: [Int16] -> Builder
putInt16s = putNumbers id

getInt16s :: Int -> Get [Int16]
getInt16s = getNumbers (id :: Int16 -> Int16)

putInt32s :: [Int32] -> Builder
putInt32s = putNumbers id

getInt32s :: Int -> Get [Int32]
getInt32s = getNumbers (id :: Int32 -> Int32)

putInt64s :: [Int64] -> Builder
putInt64s = putNumbers id

getInt64s :: Int -> Get [Int64]
getInt64s = getNumbers (id :: Int64 -> Int64)

putWords :: [Word] -> Builder
putWords = putNumbers (fromIntegral :: Word -> Word64)

getWords :: Int -> Get [Word]
getWords = getNumbers (fromIntegral :: Word64 -> Word)

putInts :: [Int] -> Builder
putInts = putNumbers (fromIntegral :: Int -> Int64)

getInts :: Int -> Get [Int]
getInts = getNumbers (fromIntegral :: Int64 -> Int)

putChars :: String -> Builder
putChars str = append (putCount (length str)) (stringUtf8 str)

getChars :: Int -> Get String
getChars n
  | n > 64 = U.foldr' (:) [] <$> getVectorOf n getCharLenient
  | otherwise = getElements n getCharLenient
