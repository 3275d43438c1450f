{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Files.Blocks
-- Description : Headers and blocks that a writer would not write, with right checksums
module Conformance.Files.Blocks
  ( Block (..),
    records,
    blockBytes,
    headerBytes,
    sumChanged,
  )
where

import Ashlar.Builder
import Ashlar.File.Crc32c (crc32c)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint (..))

-- | The header of a file, given its marker, fingerprint, compression and schema.
headerBytes :: Word64 -> Fingerprint -> ByteString -> ByteString -> ByteString
headerBytes marker (Fingerprint high low) compression schema = sumChanged start
  where
    start =
      toStrictByteString $
        byteString "\x89\&ASHLAR\n" <> word16LE 1 <> word16LE 0 <> word32LE size <> word64LE marker
          <> word64LE high
          <> word64LE low
          <> word32LE (len compression)
          <> byteString compression
          <> word32LE (len schema)
          <> byteString schema
    size = 52 + len compression + len schema

len :: ByteString -> Word32
len = fromIntegral . B.length

-- | Bytes with their checksum.
sumChanged :: ByteString -> ByteString
sumChanged bs = bs <> toStrictByteString (word32LE (crc32c bs))

-- | What the header of a block says, and its body.
data Block = Block
  { blockMarker :: Word64,
    blockKind :: Word8,
    blockCompressed :: Word8,
    blockZero :: Word16,
    -- | What is added to the lengths of the body, as it is and expanded.
    blockSizes :: (Word32, Word32),
    blockCount :: Word32,
    blockFirst :: Int64,
    blockFingerprint :: Fingerprint,
    blockSchema :: Int64,
    blockOffset :: Int64,
    blockBody :: ByteString
  }

-- | A block of records, given its number of records, the first one, and its offset.
records :: Word64 -> Fingerprint -> Word32 -> Int64 -> Int64 -> ByteString -> Block
records marker fingerprint count first =
  Block marker 1 0 0 (0, 0) count first fingerprint 0

-- | A block with its checksums.
blockBytes :: Block -> ByteString
blockBytes b = sumChanged start <> blockBody b
  where
    Fingerprint high low = blockFingerprint b
    (more, moreExpanded) = blockSizes b
    start =
      toStrictByteString $
        word64LE (blockMarker b) <> word8 (blockKind b) <> word8 (blockCompressed b)
          <> word16LE (blockZero b)
          <> word32LE (len (blockBody b) + more)
          <> word32LE (len (blockBody b) + moreExpanded)
          <> word32LE (blockCount b)
          <> int64LE (blockFirst b)
          <> word64LE high
          <> word64LE low
          <> int64LE (blockSchema b)
          <> int64LE (blockOffset b)
          <> word32LE (crc32c (blockBody b))
