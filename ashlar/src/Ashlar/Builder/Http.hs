-- |
-- Module      : Ashlar.Builder.Http
-- Description : HTTP's chunked transfer coding
--
-- The body of an HTTP/1.1 message whose length is not known when it begins (RFC 9112,
-- section 7.1): a row of chunks, each behind its length, and a terminator.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder.Http
-- >>> chunkedTransferEncoding "Hello" <> chunkedTransferTerminator
-- "5\r\nHello\r\n0\r\n\r\n"
--
-- The names are those of @Blaze.ByteString.Builder.HTTP@.
module Ashlar.Builder.Http
  ( chunkedTransferEncoding,
    chunkedTransferTerminator,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Instances ()
import Ashlar.Internal.Mem
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Hex (countDigits)
import Control.Monad (unless, when)
import Data.Bits (unsafeShiftR, (.&.))
import qualified Data.ByteString as S
import Data.Word (Word16, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)

-- | The bytes of a builder as chunks, without the terminator.
--
-- A chunk ends where the buffer of the sink ends, before and behind a ByteString that is
-- inserted (which becomes a chunk, and is not copied), and at a
-- 'Ashlar.Builder.Extra.flush', which flushes the chunks made so far. So where the chunks
-- end depends on the sink, and what a recipient makes of them does not. No chunk is
-- empty, because that would end the message.
--
-- The builder runs once, in the same buffer, and may be infinite. It needs up to 20 bytes
-- of room more than it asks for.
--
-- @since 0.1.0.0
chunkedTransferEncoding :: Builder -> Builder
chunkedTransferEncoding body = action $ \c k -> do
  space <- rest c
  p <- runBuilderWith (chunkSink c k) space body
  endChunk c p

-- | The empty chunk that ends the message, without trailer fields.
--
-- @since 0.1.0.0
chunkedTransferTerminator :: Builder
chunkedTransferTerminator = ensure 5 $ \p -> do
  pokeHost p (0x30 :: Word8)
  crlf (p `plusPtr` 1)
  crlf (p `plusPtr` 3)
  pure (p `plusPtr` 5)

-- Note [Chunks in place]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- The body is written into the buffer of the sink outside. Its space leaves room in
-- front for a chunk's header (as many digits as the number of free bytes has, and a line
-- end), and behind for another line end. When the chunk ends, the header is filled in,
-- and if its length has fewer digits than there was room for, the body moves up to it: it
-- is short then.
--
-- While the body runs, the two cells outside do not change: the cursor there is where the
-- chunk begins, with its header, and the end is that of the buffer. So all that the sink
-- inside needs to know follows from them, and it has no state of its own. An empty space
-- at the cursor means that no chunk has begun; in a chunk, the cursor inside is always
-- behind the one outside.

chunkSink :: Cells -> Sink -> Sink
chunkSink c k = Sink $ \request p -> do
  endChunk c p
  case request of
    More n wanted -> do
      _ <- reserveFor c k (withOverhead n) (withOverhead wanted)
      begin c
    Insert bs -> do
      unless (S.null bs) $ do
        let n = S.length bs
        start <- reserve c k maxHeader
        header start (hexDigits n) n >>= putPtr c cursorCell
        ask c k (Insert bs)
        end <- reserve c k 2
        crlf end
        putPtr c cursorCell (end `plusPtr` 2)
      rest c
    Flush -> ask c k Flush >> rest c

-- A chunk in the rest of the open buffer, unless it is not worth it.
rest :: Cells -> IO FreeSpace
rest c = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= 64 then begin c else pure (FreeSpace p p)

-- The space for the body of a chunk in the open buffer, which must have room for its
-- header, the line end behind it, and a byte.
begin :: Cells -> IO FreeSpace
begin c = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  pure (FreeSpace (p `plusPtr` headerBytes p e) (e `plusPtr` (-2)))

-- End the chunk, if it has begun and is not empty, at this address.
endChunk :: Cells -> Ptr Word8 -> IO ()
endChunk c end = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let body = p `plusPtr` headerBytes p e
      n = end `minusPtr` body
  -- If no chunk has begun, end is p.
  when (n > 0) $ do
    -- n has no more digits than the number of free bytes that the room is for.
    body' <- header p (hexDigits n) n
    when (body' /= body) $ moveDown body' body n
    -- The space of the body ended 2 bytes in front of the buffer's end.
    crlf (body' `plusPtr` n)
    putPtr c cursorCell (body' `plusPtr` (n + 2))

-- The room for the header of a chunk in this part of a buffer.
headerBytes :: Ptr Word8 -> Ptr Word8 -> Int
headerBytes p e = hexDigits (e `minusPtr` p) + 2

-- The longest header: 16 digits and a line end.
maxHeader :: Int
maxHeader = 18

-- So many bytes, and the longest header and a line end; the largest number, if
-- that would overflow.
withOverhead :: Int -> Int
withOverhead n = if n > maxBound - overhead then maxBound else n + overhead
  where
    overhead = maxHeader + 2

-- Write a number in hexadecimal, with the digits that it has, and a line end. Returns the
-- address behind that. (Not by "Ashlar.Internal.Prim.Hex": that stores whole words, which may
-- reach behind the last digit, and there the body stands already.)
header :: Ptr Word8 -> Int -> Int -> IO (Ptr Word8)
header p digits number = do
  go (digits - 1) number
  crlf (p `plusPtr` digits)
  pure (p `plusPtr` (digits + 2))
  where
    go i n = when (i >= 0) $ do
      let d = fromIntegral (n .&. 15) :: Word8
      pokeHost (p `plusPtr` i) (if d < 10 then 0x30 + d else 0x57 + d)
      go (i - 1) (n `unsafeShiftR` 4)

-- The hexadecimal digits of a number that is not negative.
hexDigits :: Int -> Int
hexDigits = countDigits . fromIntegral

-- A line end: 2 bytes must be writable.
crlf :: Ptr Word8 -> IO ()
crlf p = pokeBE p (0x0D0A :: Word16)
