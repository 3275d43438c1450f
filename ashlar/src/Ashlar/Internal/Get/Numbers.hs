-- No eta-expansion: Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Internal.Get.Numbers
-- Description : Decoders for numbers of fixed size and strings of bytes; the offset
--
-- The formats of binary numbers are those of "Ashlar.Internal.Prim.Scalar". Their decoders have the
-- names of "Data.Binary.Get". They only fail if too few bytes are left.
module Ashlar.Internal.Get.Numbers
  ( getWord8,
    getInt8,
    getWord16le,
    getWord24le,
    getWord32le,
    getWord64le,
    getInt16le,
    getInt24le,
    getInt32le,
    getInt64le,
    getFloatle,
    getDoublele,
    getWord16be,
    getWord24be,
    getWord32be,
    getWord64be,
    getInt16be,
    getInt24be,
    getInt32be,
    getInt64be,
    getFloatbe,
    getDoublebe,
    getWord16host,
    getWord32host,
    getWord64host,
    getWordhost,
    getInt16host,
    getInt32host,
    getInt64host,
    getInthost,
    getFloathost,
    getDoublehost,
    getByteString,
    getLazyByteString,
    satisfy,
    skip,
    bytesRead,
    isEmpty,
    ifReadsNothing,
    endOfInput,
    available,
    slice,
    foundIn,
  )
where

import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Failure
import Ashlar.Internal.Get.Input
import Ashlar.Internal.Mem (withBytes)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check (unsafeDrop, unsafeTake)
import Ashlar.Internal.Prim.Scalar (Scalar (..))
import qualified Ashlar.Internal.Prim.Scalar as P
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (readIORef)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (minusPtr)

-- | A value in a format of fixed size.
getScalar :: Scalar a -> Get a
getScalar format = fixedGet (scalarSize format) (OneNumber (scalarSize format)) (scalarRead format)
{-# INLINE getScalar #-}

-- | One byte.
getWord8 :: Get Word8
getWord8 = getScalar P.word8
{-# INLINE getWord8 #-}

-- | One byte, in two's complement.
getInt8 :: Get Int8
getInt8 = getScalar P.int8
{-# INLINE getInt8 #-}

-- | A number of 16 bits, least significant byte first: 2 bytes.
getWord16le :: Get Word16
getWord16le = getScalar P.word16LE
{-# INLINE getWord16le #-}

-- | A number of 24 bits, least significant byte first: 3 bytes.
--
-- >>> runGet getWord24le "\1\2\0"
-- Right 513
getWord24le :: Get Word32
getWord24le = getScalar P.word24LE
{-# INLINE getWord24le #-}

-- | A number of 32 bits, least significant byte first: 4 bytes.
getWord32le :: Get Word32
getWord32le = getScalar P.word32LE
{-# INLINE getWord32le #-}

-- | A number of 64 bits, least significant byte first: 8 bytes.
getWord64le :: Get Word64
getWord64le = getScalar P.word64LE
{-# INLINE getWord64le #-}

-- | A number of 16 bits in two's complement, least significant byte first: 2 bytes.
getInt16le :: Get Int16
getInt16le = getScalar P.int16LE
{-# INLINE getInt16le #-}

-- | A number of 24 bits in two's complement, least significant byte first: 3 bytes.
getInt24le :: Get Int32
getInt24le = getScalar P.int24LE
{-# INLINE getInt24le #-}

-- | A number of 32 bits in two's complement, least significant byte first: 4 bytes.
getInt32le :: Get Int32
getInt32le = getScalar P.int32LE
{-# INLINE getInt32le #-}

-- | A number of 64 bits in two's complement, least significant byte first: 8 bytes.
getInt64le :: Get Int64
getInt64le = getScalar P.int64LE
{-# INLINE getInt64le #-}

-- | The 4 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
getFloatle :: Get Float
getFloatle = getScalar P.floatLE
{-# INLINE getFloatle #-}

-- | The 8 bytes of an IEEE 754 number, least significant byte first. A NaN keeps its payload.
getDoublele :: Get Double
getDoublele = getScalar P.doubleLE
{-# INLINE getDoublele #-}

-- | A number of 16 bits, most significant byte first: 2 bytes.
getWord16be :: Get Word16
getWord16be = getScalar P.word16BE
{-# INLINE getWord16be #-}

-- | A number of 24 bits, most significant byte first: 3 bytes.
getWord24be :: Get Word32
getWord24be = getScalar P.word24BE
{-# INLINE getWord24be #-}

-- | A number of 32 bits, most significant byte first: 4 bytes.
getWord32be :: Get Word32
getWord32be = getScalar P.word32BE
{-# INLINE getWord32be #-}

-- | A number of 64 bits, most significant byte first: 8 bytes.
getWord64be :: Get Word64
getWord64be = getScalar P.word64BE
{-# INLINE getWord64be #-}

-- | A number of 16 bits in two's complement, most significant byte first: 2 bytes.
getInt16be :: Get Int16
getInt16be = getScalar P.int16BE
{-# INLINE getInt16be #-}

-- | A number of 24 bits in two's complement, most significant byte first: 3 bytes.
--
-- >>> runGet getInt24be "\255\255\254"
-- Right (-2)
getInt24be :: Get Int32
getInt24be = getScalar P.int24BE
{-# INLINE getInt24be #-}

-- | A number of 32 bits in two's complement, most significant byte first: 4 bytes.
getInt32be :: Get Int32
getInt32be = getScalar P.int32BE
{-# INLINE getInt32be #-}

-- | A number of 64 bits in two's complement, most significant byte first: 8 bytes.
getInt64be :: Get Int64
getInt64be = getScalar P.int64BE
{-# INLINE getInt64be #-}

-- | The 4 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
getFloatbe :: Get Float
getFloatbe = getScalar P.floatBE
{-# INLINE getFloatbe #-}

-- | The 8 bytes of an IEEE 754 number, most significant byte first. A NaN keeps its payload.
getDoublebe :: Get Double
getDoublebe = getScalar P.doubleBE
{-# INLINE getDoublebe #-}

-- | A number of 16 bits, in the byte order of this machine: 2 bytes.
getWord16host :: Get Word16
getWord16host = getScalar P.word16Host
{-# INLINE getWord16host #-}

-- | A number of 32 bits, in the byte order of this machine: 4 bytes.
getWord32host :: Get Word32
getWord32host = getScalar P.word32Host
{-# INLINE getWord32host #-}

-- | A number of 64 bits, in the byte order of this machine: 8 bytes.
getWord64host :: Get Word64
getWord64host = getScalar P.word64Host
{-# INLINE getWord64host #-}

-- | A number of this machine's word size, in the byte order of this machine.
getWordhost :: Get Word
getWordhost = getScalar P.wordHost
{-# INLINE getWordhost #-}

-- | A number of 16 bits in two's complement, in the byte order of this machine: 2 bytes.
getInt16host :: Get Int16
getInt16host = getScalar P.int16Host
{-# INLINE getInt16host #-}

-- | A number of 32 bits in two's complement, in the byte order of this machine: 4 bytes.
getInt32host :: Get Int32
getInt32host = getScalar P.int32Host
{-# INLINE getInt32host #-}

-- | A number of 64 bits in two's complement, in the byte order of this machine: 8 bytes.
getInt64host :: Get Int64
getInt64host = getScalar P.int64Host
{-# INLINE getInt64host #-}

-- | A number in two's complement of this machine's word size, in the byte order of this machine.
getInthost :: Get Int
getInthost = getScalar P.intHost
{-# INLINE getInthost #-}

-- | The 4 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
getFloathost :: Get Float
getFloathost = getScalar P.floatHost
{-# INLINE getFloathost #-}

-- | The 8 bytes of an IEEE 754 number, in the byte order of this machine. A NaN keeps its payload.
getDoublehost :: Get Double
getDoublehost = getScalar P.doubleHost
{-# INLINE getDoublehost #-}

-- | @n@ bytes. A negative number fails.
--
-- If the bytes lie in one chunk of the input, the result is a slice of it, which keeps the memory
-- of that chunk alive ('Data.ByteString.copy' it if that is not wanted). If not, they are copied
-- into memory that is allocated after all of them have arrived.
getByteString :: Int -> Get ByteString
getByteString n
  | n > 0 = need n *> slice n
  | n == 0 = pure S.empty
  | otherwise = invalid "getByteString: negative number of bytes"

-- | @n@ bytes as a lazy 'L.ByteString', whose chunks are slices of those of the input. A negative
-- number fails.
getLazyByteString :: Int64 -> Get L.ByteString
getLazyByteString n
  | n < 0 = invalid "getLazyByteString: negative number of bytes"
  | otherwise = do
    _ <- announce (fromIntegral (min n (fromIntegral (maxBound :: Int))))
    at <- here
    let go left acc
          | left == 0 = pure (L.fromChunks (reverse acc))
          | otherwise = do
            more <- moreInput
            if more
              then do
                bytes <- available
                bs <- slice (fromIntegral (min left (fromIntegral bytes)))
                go (left - fromIntegral (S.length bs)) (bs : acc)
              else do
                found <- foundIn (L.toStrict (L.take 16 (L.fromChunks (reverse acc))))
                failWith at at found (MissingInput (fromIntegral n) (fromIntegral (n - left)))
    go n []

-- | The first bytes of a string, for an error about it.
foundIn :: ByteString -> Get Found
foundIn bs = effect (withBytes bs peekFound)

-- | The next n bytes, which must lie between cursor and end.
slice :: Int -> Get ByteString
slice n = do
  bs <- inspect $ \c env p -> do
    start <- getPtr c segmentStartCell
    open <- currentSegment env
    -- The cursor is in the current segment.
    pure $! unsafeTake n (unsafeDrop (p `minusPtr` start) open)
  bs <$ moveBy n
{-# INLINE slice #-}

-- The current segment. (It is boxed already. Not inlined, because the code for both kinds of
-- environment would make 'getByteString' too large to be inlined.)
currentSegment :: Env -> IO ByteString
currentSegment env = case env of
  InputOnly bs -> pure bs
  Env input _ _ -> segmentCurrent <$> readIORef (inputSegments input)
{-# NOINLINE currentSegment #-}

-- | The next byte, if a predicate holds of it. If not, the error is at this byte, and says that a
-- byte was expected that @satisfy@ accepts: give it a better name with 'Ashlar.Get.<?>'.
--
-- >>> let digit = satisfy (\w -> w >= 48 && w <= 57) <?> "digit"
-- >>> runGet (many digit) "12x"
-- Right [49,50]
-- >>> either (putStrLn . displayException) print (runGet (many digit <* endOfInput) "12x")
-- at byte 2: expected digit or the end of the input
--   00000000  31 32 78                                          |12x|
--                   ^^
satisfy :: (Word8 -> Bool) -> Get Word8
satisfy ok = guardedGet ok (Expectation [acceptedBySatisfy]) takeByte
{-# INLINE satisfy #-}

acceptedBySatisfy :: String
acceptedBySatisfy = "a byte that satisfy accepts"
{-# NOINLINE acceptedBySatisfy #-}

-- | Skip @n@ bytes, in constant memory. A negative number fails.
skip :: Int -> Get ()
skip n
  | n >= 0 = available >>= \left -> if left >= n then moveBy n else skipInput n
  | otherwise = invalid "skip: negative number of bytes"
{-# INLINE skip #-}

-- | The number of bytes from the start of the stream to here, whatever the chunks.
bytesRead :: Get Int64
bytesRead = fromIntegral <$> here

-- | Does the input (or the innermost 'Ashlar.Get.isolate') end here? If no byte is at hand, this
-- asks the source for more.
isEmpty :: Get Bool
isEmpty = available >>= \left -> if left > 0 then pure False else not <$> moreInput

-- | Run a decoder. If it has read nothing, continue with the function, given the value.
ifReadsNothing :: (a -> Get a) -> Get a -> Get a
ifReadsNothing then' g = do
  before <- here
  a <- g
  now <- here
  if now == before then then' a else pure a
{-# INLINE ifReadsNothing #-}

-- | Fail unless 'isEmpty'.
endOfInput :: Get ()
endOfInput = do
  end <- isEmpty
  if end then pure () else failExpecting "the end of the input" 1 TrailingInput

-- | The number of bytes that can be read without asking the source. It depends on how the input is
-- cut into chunks. So it may decide how much memory to allocate, but not what the result is
-- (INV-G2).
available :: Get Int
available = inspect (\c _ p -> (`minusPtr` p) <$> getPtr c endCell)
{-# INLINE available #-}
