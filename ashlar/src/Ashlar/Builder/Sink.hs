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
-- reserved together, up to 256 bytes; a single 'Ashlar.Codec.Combinators.Fixed' of any size is
-- reserved at once. If 64 bytes are too few, running the builder throws 'SinkRefused', and nothing
-- is written outside the buffer. A sink for all builders gives at least as many bytes as the first
-- number of 'More'.
--
-- The rules for a sink:
--
-- * The free space that it returns must stay valid until the next request, or until
--   'runBuilderWith' has returned. Memory of the garbage collector must be held meanwhile, for
--   instance by 'Foreign.ForeignPtr.withForeignPtr' around 'runBuilderWith'.
-- * The free space must not contain memory that the sink has handed out (INV-B3). It may be the
--   rest of the same buffer.
-- * A sink should send an inserted ByteString, and what was written before it or before a 'Flush',
--   before it returns: the next value may wait for an answer.
-- * It may throw. The exception ends the run.
--
-- "Ashlar.Builder.Buffer" is for sinks that hand out what is written without copying it.
module Ashlar.Builder.Sink
  ( Sink (..),
    Request (More, Insert, Flush),
    FreeSpace (..),
    freeBytes,
    runBuilderWith,
    runBuilderSuspending,
    SinkRefused (..),
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.RunIO (runBuilderWith)
import Ashlar.Internal.Coroutine (Status (..), start)
import Ashlar.Internal.Coroutine.Thunk (newThunk, rethrow, tryThunk)
import Ashlar.Internal.Mem.Cells (cellsUpTo, getPtr, putPtr, withCells)
import Data.Word (Word8)
import Foreign.Ptr (Ptr)

-- | 'runBuilderWith' for a builder that is suspended while its sink answers.
--
-- This keeps exceptions of the builder's values apart from those of the sink. If a value throws,
-- the first argument can send what comes before the value. Then the exception is thrown again. If
-- the sink throws, the first argument is not called, and the builder does not see the exception.
-- The sink may also write to another builder ('Ashlar.Builder.Unsafe.fromWriter'), whose output is
-- made while it is consumed.
--
-- Some bytes before a value that throws may be lost: those that 'Ashlar.Builder.hPutBuilder' lists.
-- An asynchronous exception, such as that of a timeout, does not count as one of a value.
--
-- A request costs more than with 'runBuilderWith': 0.3 to 0.7 µs with GHC 9.0.
--
-- >>> import Ashlar.Builder.Buffer
-- >>> import Ashlar.Builder.Extra (flush)
-- >>> import Ashlar.Builder.Sink
-- >>> import Control.Exception (ErrorCall, try)
-- >>> open <- newOpen 4096
-- >>> let save p = print (written open p)
-- >>> let sink = Sink (\_ p -> pure (restFrom open p))
-- >>> let builder = "brick" <> flush <> byteString (errorWithoutStackTrace "no mortar")
-- >>> let run = keepAlive open (runBuilderSuspending save sink (wholeSpace open) builder)
-- >>> either (\e -> print (e :: ErrorCall)) (const (pure ())) =<< try run
-- "brick"
-- no mortar
runBuilderSuspending ::
  -- | Called if a value throws, with the address up to which the open buffer has been written. An
  -- exception of its own replaces that of the value.
  (Ptr Word8 -> IO ()) ->
  Sink ->
  -- | Where the builder begins.
  FreeSpace ->
  Builder ->
  IO (Ptr Word8)
runBuilderSuspending save (Sink answer) (FreeSpace from to) b =
  withCells (cellsUpTo endCell) $ \c -> do
    putPtr c cursorCell from
    putPtr c endCell to
    -- The builder runs in a thunk, so that exceptions of values can be told from asynchronous ones.
    -- The sink runs outside of it.
    let run act = do
          outcome <- newThunk act >>= tryThunk
          case outcome of
            Right (Completed ()) -> getPtr c cursorCell
            Right (Suspended (Asked request p) _ resume) -> answer request p >>= run . resume
            Left e -> (getPtr c cursorCell >>= save) >> rethrow e
    run (start (\suspend -> runOn b c (Sink (\request p -> suspend (Asked request p)))))

-- A request of a builder, and the address up to which it has written.
data Asked = Asked !Request !(Ptr Word8)
