{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Sink
-- Description : Sinks: where the bytes of a builder go
--
-- A builder writes into the buffer that it is given, and asks its sink when that does not suffice.
-- A sink of your own can send the bytes anywhere. It is a function that answers a 'Request'. It
-- gets the address up to which the open buffer has been written, and returns the free space to
-- write next.
--
-- As an example, a sink that passes the bytes through a small buffer into a
-- checksum, Adler-32 (RFC 1950), without ever holding more than 64 of them:
--
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Sink
-- >>> import qualified Data.ByteString as S
-- >>> import qualified Data.ByteString.Unsafe as S
-- >>> import Data.Bits (shiftL, (.|.))
-- >>> import Data.IORef
-- >>> import Foreign
-- >>> :{
-- let adler32 :: Builder -> IO Word32
--     adler32 builder = allocaBytes 64 $ \start -> do
--       sums <- newIORef (1, 0)
--       let bufferOf n = FreeSpace start (start `plusPtr` n)
--           add bs = modifyIORef' sums (\(a, b) -> S.foldl' step (a, b) bs)
--           step (a, b) w =
--             let a' = (a + fromIntegral w) `mod` 65521
--              in a' `seq` (a', (b + a') `mod` 65521)
--           written p = S.packCStringLen (castPtr start, p `minusPtr` start) >>= add
--           sink = Sink $ \request p -> do
--             written p
--             case request of
--               Insert bs -> add bs
--               _ -> pure ()
--             pure (bufferOf 64)
--       end <- runBuilderWith sink (bufferOf 64) builder
--       written end
--       (a, b) <- readIORef sums
--       pure (b `shiftL` 16 .|. a)
-- in adler32 (stringUtf8 "Wikipedia")
-- :}
-- 300286872
--
-- This sink gives 64 bytes at a time. With optimisation, adjacent writes of bounded size are
-- reserved together, up to 256 bytes; a single 'Ashlar.Codec.Fixed.Fixed' of any size is reserved
-- at once. If 64 bytes are too few, running the builder throws 'SinkRefused', and nothing is
-- written outside the buffer. A sink for all builders gives at least as many bytes as the first
-- number of 'More'.
--
-- The rules for a sink:
--
-- * The free space that it returns must stay valid until the next request, or until
--   'runBuilderWith' has returned. Memory of the garbage collector must be held meanwhile, for
--   instance by 'Foreign.ForeignPtr.withForeignPtr' around 'runBuilderWith'.
-- * The free space must not contain memory that the sink has handed out (INV-B3). It may be the
--   rest of the same buffer.
-- * An inserted ByteString, and what was written before it or before a 'Flush', should leave before
--   the sink returns: the next value may wait for an answer.
-- * It may throw. The exception ends the run.
module Ashlar.Builder.Sink
  ( Sink (..),
    Request (More, Insert, Flush),
    FreeSpace (..),
    freeBytes,
    runBuilderWith,
    SinkRefused (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.RunIO (runBuilderWith)
