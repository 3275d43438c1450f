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
    chunkwise,
    shortByteString,
    flush,
    insertThreshold,
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

-- | ByteStrings of so many bytes and more are handed to the sink whole instead
-- of being copied: 8 KiB, as in @bytestring@.
insertThreshold :: Int
insertThreshold = 8192

-- | The bytes of a strict 'ByteString'.
--
-- Below 8 KiB they are copied; from there on they are handed to the sink as
-- they are, which for lazy output means a chunk that shares their memory.
-- Use 'byteStringCopy' or 'byteStringInsert' to decide for yourself.
--
-- @since 0.1.0.0
byteString :: ByteString -> Builder
byteString bs = action $ \c k ->
  if S.length bs < insertThreshold
    then copyIn c k bs
    else ask c k (Insert bs)

-- | The bytes of a strict 'ByteString', always copied, so that the output does
-- not keep the original's memory alive.
--
-- @since 0.1.0.0
byteStringCopy :: ByteString -> Builder
byteStringCopy bs = action (\c k -> copyIn c k bs)

-- | The bytes of a strict 'ByteString', handed to the sink as they are
-- whatever their number. An empty one is left out.
--
-- @since 0.1.0.0
byteStringInsert :: ByteString -> Builder
byteStringInsert bs
  | S.null bs = empty
  | otherwise = action (\c k -> ask c k (Insert bs))

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteString'. Its
-- chunks are forced one by one, as the output gets there.
--
-- @since 0.1.0.0
lazyByteString :: L.ByteString -> Builder
lazyByteString = L.foldrChunks (\bs rest -> byteString bs `append` rest) empty

-- | The bytes of a strict 'ByteString', copied if there are at most so many of them,
-- and handed to the sink as they are if there are more.
--
-- @since 0.1.0.0
byteStringThreshold :: Int -> ByteString -> Builder
byteStringThreshold limit bs =
  action (\c k -> runOn (if S.length bs <= limit then byteStringCopy bs else byteStringInsert bs) c k)

-- | The bytes of a lazy 'L.ByteString', each chunk as by 'byteStringThreshold'. Its
-- chunks are forced one by one, as the output gets there.
--
-- @since 0.1.0.0
lazyByteStringThreshold :: Int -> L.ByteString -> Builder
lazyByteStringThreshold limit = chunkwise (byteStringThreshold limit)

-- | The bytes of a lazy 'L.ByteString', always copied. Its chunks are forced one by
-- one, as the output gets there.
--
-- @since 0.1.0.0
lazyByteStringCopy :: L.ByteString -> Builder
lazyByteStringCopy = chunkwise byteStringCopy

-- | The chunks of a lazy 'L.ByteString', handed to the sink as they are. They are
-- forced one by one, as the output gets there.
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

-- Copying a string costs a test of its length and the copy; nothing of it is
-- allocated unless the buffer ends within it.
copyIn :: Cells -> Sink -> ByteString -> IO ()
copyIn c k bs
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
