-- |
-- Module      : Ashlar.Internal.Builder.Bytes
-- Description : Builders that copy or insert strings of bytes
module Ashlar.Internal.Builder.Bytes
  ( byteString,
    byteStringCopy,
    byteStringInsert,
    byteStringThreshold,
    lazyByteString,
    lazyByteStringCopy,
    lazyByteStringInsert,
    lazyByteStringThreshold,
    shortByteString,
    flush,
    chunkwise,
    copiedUpTo,
    copyBatches,
  )
where

import Ashlar.Internal.Builder.Batches
import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short as SBS
import qualified Data.ByteString.Short.Internal as SBS
import Data.Word (Word8)
import Foreign.ForeignPtr (plusForeignPtr, touchForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Exts (Ptr (Ptr))
import GHC.ForeignPtr (ForeignPtr (ForeignPtr), ForeignPtrContents)

-- | The length up to which ByteStrings are copied. Longer ones, of 8 KiB and more as in
-- @bytestring@, are handed to the sink whole.
copiedUpTo :: Int
copiedUpTo = 8191

-- | The bytes of a strict 'ByteString'.
--
-- Below 8 KiB they are copied. From 8 KiB on they are handed to the sink as they are; in lazy
-- output they become a chunk that shares their memory. To choose, use the functions of
-- "Ashlar.Builder.Extra".
--
-- @since 0.1.0.0
byteString :: ByteString -> Builder
byteString bs = action $ \c k -> case B.toForeignPtr bs of
  (fp, off, n) -> case fp `plusForeignPtr` off of
    ForeignPtr a memory -> copyOrInsert (Ptr a) memory n c k
{-# INLINE byteString #-}

-- | The bytes of a strict 'ByteString': copied if there are at most as many as the first argument
-- says, else handed to the sink as they are. An empty one is left out.
--
-- @since 0.1.0.0
byteStringThreshold :: Int -> ByteString -> Builder
byteStringThreshold limit bs = action $ \c k ->
  if S.length bs <= min limit copiedUpTo
    then runOn (byteString bs) c k
    else copyOrInsertLong limit bs c k

-- | The bytes of a strict 'ByteString', always copied. So the output does not keep the original's
-- memory alive.
--
-- @since 0.1.0.0
byteStringCopy :: ByteString -> Builder
byteStringCopy = byteStringThreshold maxBound

-- | The bytes of a strict 'ByteString', always handed to the sink as they are. An empty one is left
-- out.
--
-- @since 0.1.0.0
byteStringInsert :: ByteString -> Builder
byteStringInsert = byteStringThreshold 0

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteString'. Its
-- chunks are forced one by one, as the output gets there.
--
-- @since 0.1.0.0
lazyByteString :: L.ByteString -> Builder
lazyByteString = chunkwise byteString

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringThreshold'.
--
-- @since 0.1.0.0
lazyByteStringThreshold :: Int -> L.ByteString -> Builder
lazyByteStringThreshold limit = chunkwise (byteStringThreshold limit)

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringCopy'.
--
-- @since 0.1.0.0
lazyByteStringCopy :: L.ByteString -> Builder
lazyByteStringCopy = chunkwise byteStringCopy

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringInsert'.
--
-- @since 0.1.0.0
lazyByteStringInsert :: L.ByteString -> Builder
lazyByteStringInsert = chunkwise byteStringInsert

-- | Each chunk by a builder, forced one by one.
chunkwise :: (ByteString -> Builder) -> L.ByteString -> Builder
chunkwise f = L.foldrChunks (\bs rest -> f bs `append` rest) empty
{-# INLINE chunkwise #-}

-- | The bytes of a 'ShortByteString'. They are copied, whatever their number.
--
-- @since 0.1.0.0
shortByteString :: ShortByteString -> Builder
shortByteString sbs = action $ \c k ->
  -- Offset and length stay within the string, as copyBatches promises.
  copyBatches c k (SBS.length sbs) (\dst off n -> SBS.copyToPtr sbs off dst n)

-- | Ask the sink to hand on what has been written so far: lazy output ends its
-- chunk here, a Handle's buffer is written to the Handle (the Handle itself is
-- not flushed).
--
-- @since 0.1.0.0
flush :: Builder
flush = action (\c k -> ask c k Flush)

-- Note [A string in five registers]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Most strings are short, and what they cost is the way to the copy. Here it is a
-- call with five arguments, as many as GHC passes in registers on x86-64: address,
-- owner of the memory, length, cells, sink. The string is taken apart by the caller,
-- where it is often known to be evaluated; the offset that bytestring has before
-- version 0.11 would be a sixth argument, and is added to the address first. The
-- rare cases are a call of their own, so that this function needs no stack and no
-- heap. With GHC 9.0.2, ours divided by bytestring's: five appended strings of 4 to 7
-- bytes, 100 times 0.65 -> 0.31; 10,000 of 7 bytes by foldMap 0.73 -> 0.6 to 0.7 (half
-- of what is left is the walk along the list); strings of 100 bytes 1.25 -> 0.69. Up to
-- 32 bytes are copied without a call of memcpy: 10,000 strings of 20 bytes, lazily, 1.43 ->
-- 0.84 (with a limit of 16 they were not). Also tried: to pass the string itself, which
-- must then be entered again. (Benchmark groups "appends" and "strings".)

-- A string of so many bytes at an address, in memory that is kept by its owner.
copyOrInsert :: Ptr Word8 -> ForeignPtrContents -> Int -> Cells -> Sink -> IO ()
copyOrInsert src memory n c k = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if n <= e `minusPtr` p && n <= copiedUpTo
    then do
      -- There is room for n bytes. A copy always returns, so a plain touch keeps the
      -- source.
      if n <= 32 then copyMedium p src n else copyBytes p src n
      touchForeignPtr owner
      putPtr c cursorCell (p `plusPtr` n)
    else copyOrInsertLong copiedUpTo (B.fromForeignPtr owner 0 n) c k
  where
    owner = foreignPtrTo src memory

-- A string that does not fit into the buffer, or is to be inserted; the first number is
-- the largest length that is copied. An empty one is not worth the sink's attention.
copyOrInsertLong :: Int -> ByteString -> Cells -> Sink -> IO ()
copyOrInsertLong limit bs c k
  | S.null bs = pure ()
  | S.length bs > limit = ask c k (Insert bs)
  | otherwise = copyBatches c k (S.length bs) $ \dst off n ->
    -- off + n is at most the string's length; copyRange always returns.
    withBytesQuick bs (\src _ -> copyRange dst (src `plusPtr` off) n)
{-# NOINLINE copyOrInsertLong #-}

foreignPtrTo :: Ptr Word8 -> ForeignPtrContents -> ForeignPtr Word8
foreignPtrTo (Ptr a) = ForeignPtr a

-- | Copy @n@ bytes in pieces that fill each buffer to its end. The copying
-- function is given a destination with room for a piece, the piece's offset
-- within the @n@ bytes, and its length.
copyBatches :: Cells -> Sink -> Int -> (Ptr Word8 -> Int -> Int -> IO ()) -> IO ()
copyBatches c k n copy =
  inBatches c k n 1 id (eachFits n n 1) (\p off len -> (p `plusPtr` len) <$ copy p off len)
{-# INLINE copyBatches #-}
