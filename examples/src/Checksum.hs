-- |
-- Module      : Checksum
-- Description : A sink of one's own: the CRC-32C of all that passes
module Checksum (checksummed) where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Sink
import Ashlar.File.Crc32c (crc32cAfter)
import Data.ByteString (ByteString)
import Data.ByteString.Unsafe (unsafePackCStringLen)
import Data.IORef
import Data.Word (Word32)
import Foreign (allocaBytes, castPtr, minusPtr, plusPtr)

-- | Run a builder through a buffer of 32 KiB into an action, and return the checksum of all bytes.
-- The action must not keep the ByteStrings that it gets: they are views of the buffer.
checksummed :: (ByteString -> IO ()) -> Builder -> IO Word32
checksummed consume builder = allocaBytes size $ \start -> do
  checksum <- newIORef 0
  let whole = FreeSpace start (start `plusPtr` size)
      pass bytes = modifyIORef' checksum (`crc32cAfter` bytes) >> consume bytes
      written end = unsafePackCStringLen (castPtr start, end `minusPtr` start) >>= pass
      sink = Sink $ \request end -> do
        written end
        case request of
          Insert bytes -> pass bytes
          _ -> pure ()
        pure whole
  runBuilderWith sink whole builder >>= written
  readIORef checksum
  where
    size = 32768
