{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Http
-- Description : HTTP's chunked transfer coding
--
-- The body of an HTTP/1.1 message whose length is not known when it begins (RFC 9112,
-- section 7.1): chunks, each with its length before it, and a terminator.
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
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.RunIO (runBuilderWith)
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
-- A chunk ends where the buffer of the sink ends, and at a 'Ashlar.Builder.Extra.flush', which
-- flushes the chunks made so far. An inserted ByteString becomes a chunk of its own, and is not
-- copied. So the ends of chunks depend on the sink, but the body that a recipient gets does not. No
-- chunk is empty, because that would end the message. The line end after an inserted ByteString
-- goes out with what follows: put a flush after it if the next value waits for an answer.
--
-- The builder runs once, in the same buffer, and may be infinite. It reserves up to 20 bytes more
-- than its body.
chunkedTransferEncoding :: Builder -> Builder
chunkedTransferEncoding body = action $ \c k -> do
  space <- beginIfFree c
  p <- runBuilderWith (chunkSink c k) space body
  endChunk c p

-- | The empty chunk that ends the message, without trailer fields.
chunkedTransferTerminator :: Builder
chunkedTransferTerminator = ensure 5 $ \p -> do
  pokeHost p (0x30 :: Word8)
  crlf (p `plusPtr` 1)
  crlf (p `plusPtr` 3)
  pure (p `plusPtr` 5)

-- Note [Chunks in place]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- The body is written into the buffer of the outer sink. Its free space begins after the chunk's
-- header, which has as many digits as the number of free bytes, and a line end. It ends before
-- another line end. When the chunk ends, the header is filled in. If the length has fewer digits
-- than were reserved, the body, which is short then, moves up to it.
--
-- While the body runs, the outer cells do not change. Their cursor is where the chunk's header
-- begins, and their end is that of the buffer. So the inner sink needs no state of its own. If the
-- inner free space is empty and begins at the outer cursor, no chunk has begun. In a chunk, the
-- inner cursor is always after the outer.

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
      beginIfFree c
    Flush -> ask c k Flush >> beginIfFree c

-- Begin a chunk in the open buffer if 64 bytes are free. Otherwise there is no free space, and the
-- body will ask for more.
beginIfFree :: Cells -> IO FreeSpace
beginIfFree c = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= 64 then begin c else pure (FreeSpace p p)

-- Begin a chunk: return the free space for its body. The open buffer must have space for the
-- header, the line end after the body, and a byte.
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
    -- n has no more digits than the number of free bytes, for which they were reserved.
    body' <- header p (hexDigits n) n
    when (body' /= body) $ moveDown body' body n
    -- The body's free space ended 2 bytes before the buffer's end.
    crlf (body' `plusPtr` n)
    putPtr c cursorCell (body' `plusPtr` (n + 2))

-- The bytes reserved for the header of a chunk in this part of a buffer.
headerBytes :: Ptr Word8 -> Ptr Word8 -> Int
headerBytes p e = hexDigits (e `minusPtr` p) + 2

-- The longest header: 16 digits and a line end.
maxHeader :: Int
maxHeader = 18

-- @n@ bytes, the longest header and a line end; 'maxBound' if the sum would overflow.
withOverhead :: Int -> Int
withOverhead n = if n > maxBound - overhead then maxBound else n + overhead
  where
    overhead = maxHeader + 2

-- Write a number in hexadecimal, given its number of digits, and a line end. Returns the address
-- after that. ("Ashlar.Internal.Prim.Hex" stores whole words, which would overwrite the body after
-- the last digit.)
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
