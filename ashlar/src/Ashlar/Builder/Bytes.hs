-- |
-- Module      : Ashlar.Builder.Bytes
-- Description : Builders that copy or insert strings of bytes
module Ashlar.Builder.Bytes
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
    copyPieces,
  )
where

import Ashlar.Builder.Core
import Ashlar.Mem
import Ashlar.Mem.Cells
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.ByteString.Short (ShortByteString)
import qualified Data.ByteString.Short as SBS
import qualified Data.ByteString.Short.Internal as SBS
import Data.Word (Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | ByteStrings of up to so many bytes are copied, longer ones are handed to the sink
-- whole: those of 8 KiB and more, as in @bytestring@.
copiedUpTo :: Int
copiedUpTo = 8191

-- | The bytes of a strict 'ByteString'.
--
-- Below 8 KiB they are copied; from there on they are handed to the sink as
-- they are, which for lazy output means a chunk that shares their memory.
-- Use the functions of "Ashlar.Builder.Extra" to decide for yourself.
--
-- @since 0.1.0.0
byteString :: ByteString -> Builder
byteString bs = byteStringThreshold copiedUpTo bs
{-# INLINE byteString #-}

-- | The bytes of a strict 'ByteString', copied if there are at most so many of them,
-- and handed to the sink as they are if there are more.
--
-- @since 0.1.0.0
byteStringThreshold :: Int -> ByteString -> Builder
byteStringThreshold limit bs = action $ \c k -> do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if n <= limit && n <= e `minusPtr` p
    then do
      -- First, so that p and n need not be saved around the call of memcpy.
      putPtr c cursorCell (p `plusPtr` n)
      -- n bytes are free, and short ones are at most 16; both ways of copying return.
      withBytesQuick bs (\src _ -> if n <= 16 then copyShort p src n else copyRange p src n)
    else copyOrInsert c k limit bs
  where
    n = S.length bs
{-# INLINE byteStringThreshold #-}

-- | The bytes of a strict 'ByteString', always copied, so that the output does
-- not keep the original's memory alive.
--
-- @since 0.1.0.0
byteStringCopy :: ByteString -> Builder
byteStringCopy bs = byteStringThreshold maxBound bs

-- | The bytes of a strict 'ByteString', handed to the sink as they are
-- whatever their number. An empty one is left out.
--
-- @since 0.1.0.0
byteStringInsert :: ByteString -> Builder
byteStringInsert bs = byteStringThreshold 0 bs

-- Copy a string for which the buffer has too little room, or insert it. An empty
-- one is not worth the sink's attention.
copyOrInsert :: Cells -> Sink -> Int -> ByteString -> IO ()
copyOrInsert c k limit bs
  | n == 0 = pure ()
  | n > limit = ask c k (Insert bs)
  | n <= 16 = do
      -- At most 15 bytes of the old buffer are given up here.
      p <- reserve c k n
      -- n bytes were reserved, and n is at most 16.
      withBytesQuick bs (copyShort p)
      putPtr c cursorCell (p `plusPtr` n)
  | otherwise = copyPieces c k n $ \dst off len ->
      -- off + len is at most the string's length; copyRange always returns.
      withBytesQuick bs (\src _ -> copyRange dst (src `plusPtr` off) len)
  where
    n = S.length bs
{-# NOINLINE copyOrInsert #-}

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
  -- Offset and length stay within the string, as copyPieces promises.
  copyPieces c k (SBS.length sbs) (\dst off n -> SBS.copyToPtr sbs off dst n)

-- | Ask the sink to hand on what has been written so far: lazy output ends its
-- chunk here, a Handle's buffer is written to the Handle (the Handle itself is
-- not flushed).
--
-- @since 0.1.0.0
flush :: Builder
flush = action (\c k -> ask c k Flush)

-- | Copy @n@ bytes in pieces that fill each buffer to its end. The copying
-- function is given a destination with room for a piece, the piece's offset
-- within the @n@ bytes, and its length.
copyPieces :: Cells -> Sink -> Int -> (Ptr Word8 -> Int -> Int -> IO ()) -> IO ()
copyPieces c k n copy = go 0
  where
    go off
      | off >= n = pure ()
      | otherwise = do
          full <- (>=) <$> getPtr c cursorCell <*> getPtr c endCell
          -- One byte at least, so that every round makes progress.
          when full $ grow c k 1 (n - off)
          p <- getPtr c cursorCell
          e <- getPtr c endCell
          let len = min (n - off) (e `minusPtr` p)
          copy p off len
          putPtr c cursorCell (p `plusPtr` len)
          go (off + len)
{-# INLINE copyPieces #-}
