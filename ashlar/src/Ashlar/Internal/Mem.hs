{-# LANGUAGE MagicHash #-}

-- |
-- Module      : Ashlar.Internal.Mem
-- Description : Unaligned reads, writes and copies of raw memory
--
-- The lowest layer: reading, writing and copying memory at any address, with
-- or without swapping bytes, and keeping memory alive while it is used.
--
-- Nothing here checks anything. Each function states what the caller must have
-- made sure of, and every caller in the library says beside the call why that
-- holds.
--
-- Note [Unaligned access]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- Numbers are read and written with the plain load and store instructions of
-- the machine, at addresses that need not be multiples of their size. Every
-- processor for which GHC 9.0 and later have a native or LLVM code generator
-- in use (x86, x86-64, AArch64, POWER, RISC-V, s390x) does this in hardware.
-- The alternative, one byte at a time, costs about six times as much on
-- x86-64. The round trips of every number at every offset from 0 to 15
-- (tests "… at every alignment" of the group "numbers") hold it in place.
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
    maxForeignCopy,
    moveDown,
    withBytes,
    withBytesQuick,

    -- * Keeping memory alive
    keepAlive,
    newBuffer,
    sliceBuffer,
    bufferArray,
    copyToArray,
  )
where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.ByteArray (MutableByteArray (..))
import Data.Primitive.Ptr (copyPtrToMutableByteArray)
import Data.Word (Word16, Word32, Word64, Word8, byteSwap16, byteSwap32, byteSwap64)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Utils (copyBytes, moveBytes)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
import Foreign.Storable (Storable, peek, poke)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (RealWorld, keepAlive#)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..), unsafeWithForeignPtr)
import GHC.IO (IO (..))

-- | A number that memory holds as is ('Storable'), and that can be read and
-- written with its bytes reversed.
class Storable a => Number a where
  -- | Read with the bytes in the order opposite to the machine's. All
  -- @sizeOf@ bytes must be readable.
  peekSwapped :: Ptr Word8 -> IO a

  -- | Write with the bytes in the order opposite to the machine's. All
  -- @sizeOf@ bytes must be writable.
  pokeSwapped :: Ptr Word8 -> a -> IO ()

-- | Read in the machine's byte order. All @sizeOf@ bytes must be readable.
peekHost :: Storable a => Ptr Word8 -> IO a
peekHost p = peek (castPtr p)
{-# INLINE peekHost #-}

-- | Write in the machine's byte order. All @sizeOf@ bytes must be writable.
pokeHost :: Storable a => Ptr Word8 -> a -> IO ()
pokeHost p = poke (castPtr p)
{-# INLINE pokeHost #-}

-- Read or write a number through the word that has its bits.
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

-- | Read or write with the least significant byte first.
peekLE :: Number a => Ptr Word8 -> IO a
peekLE = case targetByteOrder of
  LittleEndian -> peekHost
  BigEndian -> peekSwapped
{-# INLINE peekLE #-}

pokeLE :: Number a => Ptr Word8 -> a -> IO ()
pokeLE = case targetByteOrder of
  LittleEndian -> pokeHost
  BigEndian -> pokeSwapped
{-# INLINE pokeLE #-}

-- | Read or write with the most significant byte first.
peekBE :: Number a => Ptr Word8 -> IO a
peekBE = case targetByteOrder of
  LittleEndian -> peekSwapped
  BigEndian -> peekHost
{-# INLINE peekBE #-}

pokeBE :: Number a => Ptr Word8 -> a -> IO ()
pokeBE = case targetByteOrder of
  LittleEndian -> pokeSwapped
  BigEndian -> pokeHost
{-# INLINE pokeBE #-}

-- | Copy at most 16 bytes, by two overlapping moves of one word each.
--
-- The length must lie between 0 and 16, and that many bytes must be readable at
-- the source and writable at the destination. The two may overlap.
--
-- Note [Short copies]
-- ~~~~~~~~~~~~~~~~~~~
-- A call of memcpy costs more than the few bytes it moves: registers are saved
-- around it and it branches on the length anyway. Two moves of 8 bytes that
-- overlap in the middle cover every length from 8 to 16 without a loop, two
-- of 4 cover 4 to 8, and so on. Both words are read before either is written.
-- Appending 10,000 ByteStrings of 7 bytes takes 20 to 40 % less time this way
-- (prototype, GHC 9.0.2). Property "ByteStrings of every length"
-- covers every length around the limit.
copyShort :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyShort dst src n
  | n >= 8 = twice (peekHost :: Ptr Word8 -> IO Word64) 8
  | n >= 4 = twice (peekHost :: Ptr Word8 -> IO Word32) 4
  | n >= 2 = twice (peekHost :: Ptr Word8 -> IO Word16) 2
  | n == 1 = peekHost src >>= \b -> pokeHost dst (b :: Word8)
  | otherwise = pure ()
  where
    twice :: Storable w => (Ptr Word8 -> IO w) -> Int -> IO ()
    twice rd k = do
      a <- rd src
      b <- rd (src `plusPtr` (n - k))
      pokeHost dst a
      pokeHost (dst `plusPtr` (n - k)) b
    {-# INLINE twice #-}
{-# INLINE copyShort #-}

-- | 'copyShort' for up to 32 bytes: the first and the last 16, which may overlap.
copyMedium :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyMedium dst src n
  | n <= 16 = copyShort dst src n
  | otherwise = do
    copyShort dst src 16
    copyShort (dst `plusPtr` (n - 16)) (src `plusPtr` (n - 16)) 16
{-# INLINE copyMedium #-}

-- | Copy any number of bytes that do not overlap, in pieces.
--
-- Note [Foreign copies]
-- ~~~~~~~~~~~~~~~~~~~~~
-- memcpy is an unsafe foreign call: while it runs, no thread of the program
-- can collect garbage. A piece of 64 KiB takes some microseconds, so a copy
-- of a gigabyte no longer stops the other threads for a tenth of a second.
-- The loop's cost cannot be measured at this size of piece.
copyRange :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyRange dst src n = if n <= maxForeignCopy then copyBytes dst src n else copyLong dst src n
{-# INLINE copyRange #-}

copyLong :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
copyLong dst src n
  | n <= maxForeignCopy = copyBytes dst src n
  | otherwise = do
    copyBytes dst src maxForeignCopy
    copyLong (dst `plusPtr` maxForeignCopy) (src `plusPtr` maxForeignCopy) (n - maxForeignCopy)
{-# NOINLINE copyLong #-}

-- | The most bytes that one foreign call may copy or fill: Note [Foreign copies].
maxForeignCopy :: Int
maxForeignCopy = 65536
{-# INLINE maxForeignCopy #-}

-- | Move any number of bytes to a lower address, in pieces: Note [Foreign copies]. The two
-- places may overlap.
moveDown :: Ptr Word8 -> Ptr Word8 -> Int -> IO ()
moveDown dst src n
  -- It reads all it copies before it writes.
  | n <= 16 = copyShort dst src n
  | n <= maxForeignCopy = moveBytes dst src n
  | otherwise = do
    moveBytes dst src maxForeignCopy
    moveDown (dst `plusPtr` maxForeignCopy) (src `plusPtr` maxForeignCopy) (n - maxForeignCopy)

-- | Run an action on the bytes of a 'ByteString', which stays alive meanwhile.
--
-- The bytes must not be written, and the pointer must not be used afterwards.
withBytes :: ByteString -> (Ptr Word8 -> Int -> IO b) -> IO b
withBytes bs act = keepAlive fp (act (unsafeForeignPtrToPtr fp `plusPtr` off) n)
  where
    (fp, off, n) = B.toForeignPtr bs
{-# INLINE withBytes #-}

-- | 'withBytes' for an action that cannot end but by returning: no exception,
-- no endless loop, no call of unknown code. It costs nothing.
withBytesQuick :: ByteString -> (Ptr Word8 -> Int -> IO b) -> IO b
withBytesQuick bs act = unsafeWithForeignPtr fp (\p -> act (p `plusPtr` off) n)
  where
    (fp, off, n) = B.toForeignPtr bs
{-# INLINE withBytesQuick #-}

-- | Keep a heap object alive until the action is over, also where the compiler
-- finds that the action never ends normally (there it would drop a plain
-- @touch@ at its end, and the memory would be freed under our feet).
keepAlive :: a -> IO b -> IO b
keepAlive x (IO act) = IO (\s -> keepAlive# x s act)
{-# INLINE keepAlive #-}

-- | Fresh memory of so many bytes (not negative), not initialised, pinned.
newBuffer :: Int -> IO (ForeignPtr Word8)
newBuffer = B.mallocByteString
{-# INLINE newBuffer #-}

-- | The bytes from one address up to another, both inside the same buffer.
--
-- The bytes must never be written again.
sliceBuffer :: ForeignPtr Word8 -> Ptr Word8 -> Ptr Word8 -> ByteString
sliceBuffer fp from to =
  B.fromForeignPtr fp (from `minusPtr` unsafeForeignPtrToPtr fp) (to `minusPtr` from)
{-# INLINE sliceBuffer #-}

-- | The array that is the memory of a buffer made by 'newBuffer'.
bufferArray :: ForeignPtr Word8 -> MutableByteArray RealWorld
bufferArray (ForeignPtr _ (PlainPtr array)) = MutableByteArray array
bufferArray _ = errorWithoutStackTrace "Ashlar.Internal.Mem.bufferArray: not from newBuffer"

-- | @copyToArray array off src n@ copies @n@ bytes to an array, from an offset on, in
-- pieces: Note [Foreign copies]. Both must have so many bytes there.
copyToArray :: MutableByteArray RealWorld -> Int -> Ptr Word8 -> Int -> IO ()
copyToArray array off src n
  | n <= maxForeignCopy = copyPtrToMutableByteArray array off src n
  | otherwise = do
    copyPtrToMutableByteArray array off src maxForeignCopy
    copyToArray array (off + maxForeignCopy) (src `plusPtr` maxForeignCopy) (n - maxForeignCopy)
