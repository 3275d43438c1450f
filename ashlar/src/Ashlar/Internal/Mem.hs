{-# LANGUAGE MagicHash #-}
-- A loop around foreign calls allocates nothing: Note [Foreign copies].
{-# OPTIONS_GHC -fno-omit-yields #-}

-- |
-- Module      : Ashlar.Internal.Mem
-- Description : Unaligned reads, writes and copies of raw memory
--
-- The lowest layer: it reads, writes and copies memory at any address, swaps bytes where asked
-- to, and keeps memory alive while it is used.
--
-- Nothing here checks its arguments, except in a checked build ("Ashlar.Internal.Mem.Check"). Each
-- function states its preconditions, and every caller in the library says beside the call why they
-- hold.
--
-- Note [Unaligned access]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- Numbers are read and written with the machine's plain load and store instructions, at
-- addresses that need not be multiples of their size. Every processor that GHC 9.0 and later
-- generate code for (x86, x86-64, AArch64, POWER, RISC-V, s390x) supports this in hardware.
-- Going byte by byte is several times slower. The tests "… at every alignment" of the group
-- "numbers" check every number at every offset from 0 to 15.
module Ashlar.Internal.Mem
  ( -- * Numbers in memory
    Number (..),
    peekHost,
    pokeHost,
    peekLE,
    pokeLE,
    peekBE,
    pokeBE,

    -- * Bytes
    copyMedium,
    copyShort,
    copyRange,
    fillRange,
    maxForeignCopy,
    moveDown,
    plusCount,
    timesCount,
    withBytes,
    withBytesQuick,

    -- * Keeping memory alive
    keepAlive,
    newBuffer,
    sliceBuffer,
    bufferArray,
    copyToArray,
    copyFromArray,
  )
where

import Ashlar.Internal.Mem.Check
import Data.Bits (unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray
  ( ByteArray,
    MutableByteArray (..),
    byteArrayContents,
    copyByteArrayToPtr,
    mutableByteArrayContents,
  )
import Data.Primitive.Ptr (copyPtrToMutableByteArray)
import Data.Word (Word16, Word32, Word64, Word8, byteSwap16, byteSwap32, byteSwap64)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Utils (copyBytes, fillBytes, moveBytes)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
import Foreign.Storable (Storable, peek, poke)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (RealWorld, keepAlive#)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..), unsafeWithForeignPtr)
import GHC.IO (IO (..))

-- | A 'Storable' number that can also be read and written with its bytes reversed.
class Storable a => Number a where
  -- | Read in the opposite of the machine's byte order. @sizeOf@ bytes must be readable.
  peekSwapped :: Ptr Word8 -> IO a

  -- | Write in the opposite of the machine's byte order. @sizeOf@ bytes must be writable.
  pokeSwapped :: Ptr Word8 -> a -> IO ()

-- | Read in the machine's byte order. @sizeOf@ bytes must be readable.
peekHost :: Storable a => Ptr Word8 -> IO a
peekHost p = peek (castPtr p)
{-# INLINE peekHost #-}

-- | Write in the machine's byte order. @sizeOf@ bytes must be writable.
pokeHost :: Storable a => Ptr Word8 -> a -> IO ()
pokeHost p = poke (castPtr p)
{-# INLINE pokeHost #-}

-- Read or write a number through a word with the same bits.
peekVia :: Storable w => (w -> a) -> Ptr Word8 -> IO a
peekVia f p = f <$> peekHost p
{-# INLINE peekVia #-}

pokeVia :: Storable w => (a -> w) -> Ptr Word8 -> a -> IO ()
pokeVia f p x = pokeHost p (f x)
{-# INLINE pokeVia #-}

instance Number Word8 where
  peekSwapped = peekHost
  pokeSwapped = pokeHost

instance Number Int8 where
  peekSwapped = peekHost
  pokeSwapped = pokeHost

instance Number Word16 where
  peekSwapped = peekVia byteSwap16
  pokeSwapped = pokeVia byteSwap16

instance Number Int16 where
  peekSwapped = peekVia (fromIntegral . byteSwap16)
  pokeSwapped = pokeVia (byteSwap16 . fromIntegral)

instance Number Word32 where
  peekSwapped = peekVia byteSwap32
  pokeSwapped = pokeVia byteSwap32

instance Number Int32 where
  peekSwapped = peekVia (fromIntegral . byteSwap32)
  pokeSwapped = pokeVia (byteSwap32 . fromIntegral)

instance Number Word64 where
  peekSwapped = peekVia byteSwap64
  pokeSwapped = pokeVia byteSwap64

instance Number Int64 where
  peekSwapped = peekVia (fromIntegral . byteSwap64)
  pokeSwapped = pokeVia (byteSwap64 . fromIntegral)

instance Number Float where
  peekSwapped = peekVia (castWord32ToFloat . byteSwap32)
  pokeSwapped = pokeVia (byteSwap32 . castFloatToWord32)

instance Number Double where
  peekSwapped = peekVia (castWord64ToDouble . byteSwap64)
  pokeSwapped = pokeVia (byteSwap64 . castDoubleToWord64)

-- | Read the least significant byte first. @sizeOf@ bytes must be readable.
peekLE :: Number a => Ptr Word8 -> IO a
peekLE = case targetByteOrder of
  LittleEndian -> peekHost
  BigEndian -> peekSwapped
{-# INLINE peekLE #-}

-- | Write the least significant byte first. @sizeOf@ bytes must be writable.
pokeLE :: Number a => Ptr Word8 -> a -> IO ()
pokeLE = case targetByteOrder of
  LittleEndian -> pokeHost
  BigEndian -> pokeSwapped
{-# INLINE pokeLE #-}

-- | Read the most significant byte first. @sizeOf@ bytes must be readable.
peekBE :: Number a => Ptr Word8 -> IO a
peekBE = case targetByteOrder of
  LittleEndian -> peekSwapped
  BigEndian -> peekHost
{-# INLINE peekBE #-}

-- | Write the most significant byte first. @sizeOf@ bytes must be writable.
pokeBE :: Number a => Ptr Word8 -> a -> IO ()
pokeBE = case targetByteOrder of
  LittleEndian -> pokeSwapped
  BigEndian -> pokeHost
{-# INLINE pokeBE #-}

-- | Copy at most 16 bytes, with two overlapping moves of one word each. The source and the
-- destination may overlap.
--
-- Note [Short copies]
-- ~~~~~~~~~~~~~~~~~~~
-- A call of memcpy costs more than moving a few bytes: the caller saves registers around it,
-- and memcpy branches on the length anyway. Two moves of 8 bytes that overlap in the middle
-- cover every length from 8 to 16 without a loop, two of 4 bytes cover 4 to 8, and so on. Both
-- words are read before either is written. Appending short ByteStrings is clearly faster this
-- way. The property "ByteStrings of every length" covers every length around the limits.
copyShort ::
  -- | The destination: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, from 0 to 16.
  Int ->
  IO ()
copyShort dst src n
  | broken "own memory" "copyShort" (n >= 0 && n <= 16) [("bytes", n)] = pure ()
  | n >= 8 = twice (peekHost :: Ptr Word8 -> IO Word64) 8
  | n >= 4 = twice (peekHost :: Ptr Word8 -> IO Word32) 4
  | n >= 2 = twice (peekHost :: Ptr Word8 -> IO Word16) 2
  | n == 1 = peekHost src >>= \b -> pokeHost dst (b :: Word8)
  | otherwise = pure ()
  where
    -- k bytes from the first on, and the last k: both lie within the n bytes, as k <= n.
    twice :: Storable w => (Ptr Word8 -> IO w) -> Int -> IO ()
    twice rd k = do
      a <- rd src
      b <- rd (src `plusPtr` (n - k))
      pokeHost dst a
      pokeHost (dst `plusPtr` (n - k)) b
    {-# INLINE twice #-}
{-# INLINE copyShort #-}

-- | Copy at most 32 bytes: the first and the last 16, which may overlap. Otherwise like
-- 'copyShort', but the source and the destination must not overlap.
copyMedium :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyMedium dst src n
  | broken "own memory" "copyMedium" (n <= 32) [("bytes", n)] = pure ()
  | overlap "copyMedium" dst src n = pure ()
  | n <= 16 = copyShort dst src n
  | otherwise = do
    copyShort dst src 16
    copyShort (dst `plusPtr` (n - 16)) (src `plusPtr` (n - 16)) 16
{-# INLINE copyMedium #-}

-- | Copy any number of bytes. The source and the destination must not overlap.
--
-- Note [Foreign copies]
-- ~~~~~~~~~~~~~~~~~~~~~
-- memcpy and memset are unsafe foreign calls: while one runs, no thread of the program can collect
-- garbage. So one call copies or fills at most 64 KiB ('maxForeignCopy'), with one exception. The
-- loop around the calls allocates nothing, so modules with such loops are compiled with
-- @-fno-omit-yields@: between two calls, garbage can be collected, and the loop be interrupted.
-- Neither costs anything that can be measured. (Test "a long copy can be interrupted".)
--
-- The exception ('copyStep'): from 2 KiB on, memcpy of glibc before 2.39 uses an instruction that
-- takes ten times as long on AMD's Zen 3 and 4 if the destination is 1 to 31 bytes above the
-- source, modulo the size of a page. Large objects of the heap begin at the same place in a page.
-- So it is slow for each long string or vector that is encoded after its length. There one call
-- copies 1,984 bytes or, of a megabyte and more, 1 to 2 MiB: from 1 MiB on, memcpy does without
-- that instruction, and writes past the cache.
-- (Benchmarks "encode primitive Vector of 1000000 Int" and "encode a storable vector of 32 MiB".
-- Tests "copies of more than one foreign call", "copies of megabytes".)
copyRange ::
  -- | The destination: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO ()
copyRange dst src n
  | overlap "copyRange" dst src n = pure ()
  | n <= smallCopy = copyBytes dst src n
  | otherwise = copyLong dst src n
{-# INLINE copyRange #-}

-- Like 'broken': do two ranges of n bytes overlap?
overlap :: String -> Ptr Word8 -> Ptr Word8 -> Int -> Bool
overlap whose dst src n =
  broken
    "own memory"
    (whose ++ ": source and destination overlap")
    (n >= 0 && (n == 0 || dst `minusPtr` src >= n || src `minusPtr` dst >= n))
    [("bytes", n), ("destination - source", dst `minusPtr` src)]
{-# INLINE overlap #-}

copyLong :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyLong dst src n =
  inStepsOf (copyStep dst src n) n $ \off -> copyBytes (dst `plusPtr` off) (src `plusPtr` off)
{-# NOINLINE copyLong #-}

-- | Write a byte n times: n bytes must be writable.
fillRange :: Ptr Word8 -> Word8 -> Int -> IO ()
fillRange p w n = inStepsOf maxForeignCopy n $ \off -> fillBytes (p `plusPtr` off) w
{-# NOINLINE fillRange #-}

-- Go through n bytes in steps of at most the first number. A step is given the bytes before it, and
-- how many to take.
inStepsOf :: Int -> Int -> (Int -> Int -> IO ()) -> IO ()
inStepsOf most n step = go 0
  where
    go off = do
      step off (min most (n - off))
      if n - off > most then go (off + most) else pure ()
{-# INLINE inStepsOf #-}

-- | The most bytes that one foreign call may copy or fill. Note [Foreign copies] has the exception.
maxForeignCopy :: Int
maxForeignCopy = 65536
{-# INLINE maxForeignCopy #-}

-- That many bytes are copied fast wherever they are: Note [Foreign copies].
smallCopy :: Int
smallCopy = 1984
{-# INLINE smallCopy #-}

-- The most bytes that one call may copy to an address from another, of n in all.
copyStep :: Ptr Word8 -> Ptr Word8 -> Int -> Int
copyStep dst src n
  | (dst `minusPtr` src - 1) .&. 4095 >= 31 = maxForeignCopy
  -- Equal parts of less than 2 MiB.
  | n >= 1048576 = n `quot` (n `unsafeShiftR` 20)
  | otherwise = smallCopy

-- | Move any number of bytes to a lower address. The source and the destination may overlap.
-- One call moves a limited number of bytes: see Note [Foreign copies].
moveDown ::
  -- | The destination, not above the source: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO ()
moveDown dst src n
  | broken "own memory" "moveDown" (n >= 0 && dst <= src) [("bytes", n)] = pure ()
  -- copyShort reads all bytes before it writes any.
  | n <= 16 = copyShort dst src n
  | otherwise = inStepsOf maxForeignCopy n $ \off ->
    moveBytes (dst `plusPtr` off) (src `plusPtr` off)
{-# NOINLINE moveDown #-}

-- | Run an action on the address and the length of a 'ByteString', and keep the string alive
-- meanwhile.
--
-- The action must not write the bytes, nor let the address escape.
withBytes :: ByteString -> (Ptr Word8 -> Int -> IO b) -> IO b
withBytes bs act = keepAlive fp (act (unsafeForeignPtrToPtr fp `plusPtr` off) n)
  where
    (fp, off, n) = B.toForeignPtr bs
{-# INLINE withBytes #-}

-- | 'withBytes' for an action that always returns: it throws no exception, has no endless loop
-- and calls no unknown code. This costs nothing.
withBytesQuick :: ByteString -> (Ptr Word8 -> Int -> IO b) -> IO b
withBytesQuick bs act = unsafeWithForeignPtr fp (\p -> act (p `plusPtr` off) n)
  where
    (fp, off, n) = B.toForeignPtr bs
{-# INLINE withBytesQuick #-}

-- | Keep a heap object alive until the action ends.
--
-- This works even if GHC finds that the action never returns. In that case GHC would drop a plain
-- @touch@ after the action, and the memory would be freed while it is in use.
keepAlive :: a -> IO b -> IO b
keepAlive x (IO act) = IO (\s -> keepAlive# x s act)
{-# INLINE keepAlive #-}

-- | Allocate @n@ bytes (@n@ >= 0) of pinned memory, not initialised.
newBuffer :: Int -> IO (ForeignPtr Word8)
newBuffer n
  | broken "own memory" "newBuffer" (n >= 0) [("bytes", n)] = B.mallocByteString 0
  | otherwise = B.mallocByteString n
{-# INLINE newBuffer #-}

-- | The slice of a buffer between two addresses. Its bytes must never be written again.
sliceBuffer ::
  -- | The buffer.
  ForeignPtr Word8 ->
  -- | The first byte of the slice, in the buffer.
  Ptr Word8 ->
  -- | The end of the slice, in the buffer and not below its first byte.
  Ptr Word8 ->
  ByteString
sliceBuffer fp from to =
  sliceIn fp (from `minusPtr` unsafeForeignPtrToPtr fp) (to `minusPtr` from)
{-# INLINE sliceBuffer #-}

-- | The array of a buffer that 'newBuffer' made. Any other buffer is an error.
bufferArray :: ForeignPtr Word8 -> MutableByteArray RealWorld
bufferArray (ForeignPtr _ (PlainPtr array)) = MutableByteArray array
bufferArray _ = errorWithoutStackTrace "Ashlar.Internal.Mem.bufferArray: not from newBuffer"

-- | The sum of two numbers of bytes, or 'maxBound' if it is larger. The same ByteString may be
-- inserted again and again, so on 32 bits there can be more bytes than memory holds.
plusCount :: Int -> Int -> Int
plusCount m n = if n > maxBound - m then maxBound else m + n
{-# INLINE plusCount #-}

-- | The bytes of a number of elements of a size (neither is negative), or 'maxBound' if that is
-- less.
timesCount :: Int -> Int -> Int
timesCount n width
  | width > 0 && n > maxBound `quot` width = maxBound
  | otherwise = n * width
{-# INLINE timesCount #-}

-- | Copy bytes into an array, a limited number in each call: see Note [Foreign copies].
copyToArray ::
  -- | The destination.
  MutableByteArray RealWorld ->
  -- | Where in the array to start, in bytes: the array has @n@ bytes from there on.
  Int ->
  -- | The source: @n@ bytes must be readable.
  Ptr Word8 ->
  -- | @n@, not negative.
  Int ->
  IO ()
copyToArray array from src n
  | lackingMutableArray "copyToArray" array from n = pure ()
  | otherwise = inStepsOf (copyStep dst src n) n $ \off ->
    copyPtrToMutableByteArray array (from + off) (src `plusPtr` off :: Ptr Word8)
  where
    dst = mutableByteArrayContents array `plusPtr` from
{-# NOINLINE copyToArray #-}

-- | Copy bytes of an array, a limited number in each call: see Note [Foreign copies].
copyFromArray ::
  -- | The destination: @n@ bytes must be writable.
  Ptr Word8 ->
  -- | The source.
  ByteArray ->
  -- | Where in the array to start, in bytes: the array has @n@ bytes from there on.
  Int ->
  -- | @n@, not negative.
  Int ->
  IO ()
copyFromArray dst array from n
  | lackingArray "copyFromArray" array from n = pure ()
  -- (The array may move, so its address is only a hint.)
  | otherwise = inStepsOf (copyStep dst (byteArrayContents array `plusPtr` from) n) n $ \off ->
    copyByteArrayToPtr (dst `plusPtr` off :: Ptr Word8) array (from + off)
{-# NOINLINE copyFromArray #-}
