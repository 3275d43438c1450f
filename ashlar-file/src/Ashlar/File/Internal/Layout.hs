{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.File.Internal.Layout
-- Description : The bytes of headers, blocks and indexes
--
-- @format.md@ describes them. Nothing here reads or writes a file.
module Ashlar.File.Internal.Layout
  ( -- * The header of a file
    FileHeader (..),
    magic,
    version,
    putFileHeader,
    fileHeaderBytes,
    Prefix (..),
    filePrefix,
    prefixBytes,
    getFileHeader,

    -- * The header of a block
    BlockHeader (..),
    Kind (..),
    blockHeaderBytes,
    encodeBlockHeader,
    BlockStart (..),
    blockStart,
    anyBlockStart,
    damagedStart,
    markerBytes,

    -- * The index
    Entry (..),
    putIndex,
    Footer (..),
    footerBytes,
    getFooter,
    entryCount,
    entryAt,
  )
where

import Ashlar.Builder
import Ashlar.Codec (get, put)
import Ashlar.File.Internal.Crc32c
import Ashlar.Get
import Control.Monad (guard, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Either (fromRight)
import Data.Int (Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Fingerprint (Fingerprint)

-- | The header at the beginning of a file.
data FileHeader = FileHeader
  { -- | The bytes before each block of this file, chosen at random.
    fileMarker :: !Word64,
    -- | The fingerprint of the type of the first records.
    fileFingerprint :: !Fingerprint,
    -- | The name of the compression, or no bytes without compression.
    fileCompression :: !ByteString,
    -- | Describes the type of the first records.
    fileSchema :: !ByteString
  }
  deriving stock (Eq, Show)

-- | The first bytes of every file. They are not UTF-8, and show whether line ends were converted.
magic :: ByteString
magic = "\x89\&ASHLAR\n"

-- | The version of the format.
version :: Word16
version = 1

-- | How many bytes 'filePrefix' needs.
prefixBytes :: Int
prefixBytes = 16

-- The bytes of a header besides its two strings.
fixedHeaderBytes :: Int
fixedHeaderBytes = 52

-- | How many bytes a header takes.
fileHeaderBytes :: FileHeader -> Int
fileHeaderBytes h =
  fixedHeaderBytes + S.length (fileCompression h) + S.length (fileSchema h)

-- | The bytes of a header.
putFileHeader :: FileHeader -> ByteString
putFileHeader h = start <> toStrictByteString (word32LE (crc32c start))
  where
    start =
      toStrictByteString $
        byteString magic
          <> word16LE version
          <> word16LE 0
          <> word32LE (fromIntegral (fileHeaderBytes h))
          <> word64LE (fileMarker h)
          <> put (fileFingerprint h)
          <> sized (fileCompression h)
          <> sized (fileSchema h)
    sized bytes = word32LE (fromIntegral (S.length bytes)) <> byteString bytes

-- | What the first 16 bytes of a file say.
data Prefix
  = -- | They are the beginning of a header that takes this number of bytes.
    Prefix !Int
  | -- | They are the beginning of all headers, but too few.
    ShortPrefix
  | -- | They are not the beginning of a header.
    NoPrefix
  | -- | A later version wrote it, or flags that are not known are set.
    OtherVersion !Word16
  deriving stock (Eq, Show)

-- | What the first bytes of a file say.
filePrefix :: ByteString -> Prefix
filePrefix bytes
  | not (S.take 8 bytes `S.isPrefixOf` magic) = NoPrefix
  | S.length bytes < prefixBytes = ShortPrefix
  | otherwise = fromRight NoPrefix (runGet prefix bytes)
  where
    prefix = do
      skip 8
      v <- getWord16le
      flags <- getWord16le
      n <- getWord32le
      pure $
        if v /= version || flags /= 0
          then OtherVersion v
          else Prefix (fromIntegral (min n most))
    -- An Int may have 32 bits. A header of as many bytes is too large, too.
    most = fromIntegral (maxBound :: Int)

-- | A header from its bytes, of which there are as many as its prefix says. 'Nothing' if its
-- checksum is wrong, or if lengths in it do not fit.
getFileHeader :: ByteString -> Maybe FileHeader
getFileHeader bytes = do
  let (start, end) = S.splitAt (S.length bytes - 4) bytes
  guard (S.length bytes >= fixedHeaderBytes)
  guard (runGetWhole getWord32le end == Right (crc32c start))
  either (const Nothing) Just (runGetWhole header start)
  where
    header = do
      skip prefixBytes
      FileHeader <$> getWord64le <*> get <*> sized <*> sized
    sized = getWord32le >>= getByteStringCopy . fromIntegral

-- | What a block is.
data Kind
  = -- | Records.
    Records
  | -- | The schema of the records that follow.
    Schema
  | -- | Where blocks begin, to find records by their numbers.
    Index
  | -- | Something that a later version writes, and that may be passed over.
    Unknown !Word8
  deriving stock (Eq, Show)

-- | The byte of a kind.
kindByte :: Kind -> Word8
kindByte kind = case kind of
  Records -> 1
  Schema -> 2
  Index -> 3
  Unknown w -> w

kindOf :: Word8 -> Kind
kindOf w = case w of
  1 -> Records
  2 -> Schema
  3 -> Index
  _ -> Unknown w

-- | The header before the body of a block.
data BlockHeader = BlockHeader
  { -- | The marker of the file.
    blockMarker :: !Word64,
    blockKind :: !Kind,
    -- | Is the body compressed?
    blockCompressed :: !Bool,
    -- | How many bytes of the file the body takes.
    blockStored :: !Int,
    -- | How many bytes it has when expanded.
    blockExpanded :: !Int,
    -- | How many records it has.
    blockCount :: !Int,
    -- | The number of the first record in it, or of the next one after it if it has none.
    blockFirst :: !Int64,
    -- | The fingerprint of the type of its records. For other blocks: of the last records before.
    blockFingerprint :: !Fingerprint,
    -- | The offset of the block with the schema of its records, or 0 for the file's header.
    blockSchemaAt :: !Int64,
    -- | The offset of this header. It tells a block from a copy of one in a record.
    blockOffset :: !Int64,
    -- | The checksum of the body as it is stored.
    blockChecksum :: !Word32
  }
  deriving stock (Eq, Show)

-- | How many bytes the header of a block takes.
blockHeaderBytes :: Int
blockHeaderBytes = 72

-- | The bytes of a block's header.
encodeBlockHeader :: BlockHeader -> ByteString
encodeBlockHeader b = start <> toStrictByteString (word32LE (crc32c start))
  where
    start =
      toStrictByteString $
        word64LE (blockMarker b)
          <> word8 (kindByte (blockKind b))
          <> word8 (if blockCompressed b then 1 else 0)
          <> word16LE 0
          <> word32LE (fromIntegral (blockStored b))
          <> word32LE (fromIntegral (blockExpanded b))
          <> word32LE (fromIntegral (blockCount b))
          <> int64LE (blockFirst b)
          <> put (blockFingerprint b)
          <> int64LE (blockSchemaAt b)
          <> int64LE (blockOffset b)
          <> word32LE (blockChecksum b)

-- | What 72 bytes are, where a block should begin.
data BlockStart
  = BlockStart !BlockHeader
  | -- | The marker is not there.
    NoMarker
  | -- | The marker is there, and the checksum of the header is wrong, or a number in it.
    BadBlockHeader
  deriving stock (Eq, Show)

-- | The header of a block in a file with this marker.
blockStart :: Word64 -> ByteString -> BlockStart
blockStart marker bytes
  | runGet getWord64le bytes /= Right marker = NoMarker
  | otherwise = maybe BadBlockHeader BlockStart (anyBlockStart bytes)

-- | The header of a block in any file: its checksum is right.
anyBlockStart :: ByteString -> Maybe BlockHeader
anyBlockStart bytes = do
  guard (S.length bytes == blockHeaderBytes)
  (b, checksum) <- either (const Nothing) Just (runGetWhole block bytes)
  guard (checksum == crc32c (S.take (blockHeaderBytes - 4) bytes))
  guard (blockFirst b >= 0 && blockSchemaAt b >= 0 && blockFirst b <= maxBound - 4294967296)
  -- An Int of 32 bits does not hold all of these, nor the end of a body and a header after it.
  guard (fits (blockStored b) && fits (blockExpanded b) && fits (blockCount b))
  pure b
  where
    fits n = n >= 0 && n <= maxBound - 2 * blockHeaderBytes
    block = do
      marker <- getWord64le
      kind <- getWord8
      flags <- getWord8
      reserved <- getWord16le
      when (flags > 1 || reserved /= 0) $ fail "flags"
      b <-
        BlockHeader marker (kindOf kind) (flags == 1)
          <$> number
          <*> number
          <*> number
          <*> getInt64le
          <*> get
          <*> getInt64le
          <*> getInt64le
          <*> getWord32le
      (,) b <$> getWord32le
    number = fromIntegral <$> getWord32le

-- | The size of the body, from a header that is damaged elsewhere, given the marker of the file and
-- the offset of the header. One of these two must stand in it.
damagedStart :: Word64 -> Int64 -> ByteString -> Maybe Word32
damagedStart marker offset bytes = do
  (marker', size, offset') <- either (const Nothing) Just (runGet parts bytes)
  guard (marker' == marker || offset' == offset)
  pure size
  where
    parts = (,,) <$> getWord64le <* skip 4 <*> getWord32le <* skip 40 <*> getInt64le

-- | A marker as it stands in the file.
markerBytes :: Word64 -> ByteString
markerBytes = toStrictByteString . word64LE

-- | Where a block begins, and the number of its first record.
data Entry = Entry
  { entryOffset :: !Int64,
    entryFirst :: !Int64
  }
  deriving stock (Eq, Show)

-- | The end of an index block, and so of the file.
data Footer = Footer
  { -- | How many records the file has.
    footerRecords :: !Int64,
    -- | The offset of the index block.
    footerIndexAt :: !Int64
  }
  deriving stock (Eq, Show)

-- | How many bytes a footer takes.
footerBytes :: Int
footerBytes = 32

footerMagic :: ByteString
footerMagic = "ASHLARIX"

-- | The body of an index block.
putIndex :: [Entry] -> Footer -> ByteString
putIndex entries footer = toStrictByteString (foldMap entry entries) <> end
  where
    entry e = int64LE (entryOffset e) <> int64LE (entryFirst e)
    start =
      toStrictByteString $
        int64LE (footerRecords footer)
          <> int64LE (footerIndexAt footer)
          <> byteString footerMagic
          <> word32LE 0
    end = start <> toStrictByteString (word32LE (crc32c start))

-- | The footer, from the last 32 bytes of a file.
getFooter :: ByteString -> Maybe Footer
getFooter bytes = do
  guard (S.length bytes == footerBytes)
  guard (S.take 8 (S.drop 16 bytes) == footerMagic)
  guard (runGet getWord32le (S.drop 28 bytes) == Right (crc32c (S.take 28 bytes)))
  footer <- either (const Nothing) Just (runGet (Footer <$> getInt64le <*> getInt64le) bytes)
  guard (footerRecords footer >= 0 && footerIndexAt footer >= 0)
  pure footer

-- | How many entries the body of an index block has.
entryCount :: ByteString -> Int
entryCount body = max 0 ((S.length body - footerBytes) `div` 16)

-- | An entry of the body of an index block, which must have it.
entryAt :: ByteString -> Int -> Entry
entryAt body i =
  fromRight (Entry 0 0) (runGet (Entry <$> getInt64le <*> getInt64le) (S.drop (16 * i) body))
