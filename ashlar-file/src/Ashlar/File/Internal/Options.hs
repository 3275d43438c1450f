-- |
-- Module      : Ashlar.File.Internal.Options
-- Description : How to read and how to write
module Ashlar.File.Internal.Options
  ( ReadOptions (..),
    defaultReadOptions,
    WriteOptions (..),
    defaultWriteOptions,
  )
where

import Ashlar.File.Internal.Damage (Lost)
import Ashlar.File.Internal.Type (Compression)
import Ashlar.Get (Budget)
import Data.Int (Int64)
import Data.Word (Word64)

-- | How to read a file.
data ReadOptions = ReadOptions
  { -- | The number of the first record to read, counted from 0. To find it in a file takes
    -- logarithmic time. A source is read up to there, without decoding the records.
    readFrom :: !Int64,
    -- | What to do about damage. 'Nothing' stops at it. Otherwise reading goes on with the next
    -- whole block, and the action gets what was passed over. So no whole block is lost, except
    -- those that are in the wrong place. Records come in ascending order, none of them twice.
    --
    -- A file of another type, and one that is no such file at all, is not read in either case. But
    -- if it was joined to one of this type, it is passed over.
    --
    -- If bytes are lost in a block, and a record of it contains a whole file, that file may be
    -- taken for one that was joined.
    readResync :: !(Maybe (Lost -> IO ())),
    -- | Does a file that ends inside of a block count as damaged? If not, it ends before that
    -- block, unless another file was joined to it. A file ends like this while it is being written,
    -- and after its writer was killed.
    readWholeTail :: !Bool,
    -- | The functions for compressed blocks. The header of the file has the name of the one that it
    -- needs.
    readCompressions :: [Compression],
    -- | The most bytes that the body of a block may take, stored and expanded. Nothing larger is
    -- ever held. (From a source whose chunks are single bytes, each byte takes up to 192
    -- meanwhile.)
    readBlockLimit :: !Int,
    -- | How many times larger than its stored bytes a block may be when it is expanded.
    readExpansionLimit :: !Int,
    -- | The budget of each record. 'Nothing' is 'Ashlar.Get.defaultBudget'. Up to 64 small records
    -- are decoded together before the first of them is used. Without a budget here, they share one
    -- default budget, and are decoded one by one if that is not enough.
    readBudget :: !(Maybe Budget)
  }

-- | From the first record on, up to the first damage. A tail that is cut off is damage. A block may
-- take 64 MiB. When expanded it may have 1,100 times as many bytes as are stored, which is more
-- than zlib can do.
defaultReadOptions :: ReadOptions
defaultReadOptions =
  ReadOptions
    { readFrom = 0,
      readResync = Nothing,
      readWholeTail = True,
      readCompressions = [],
      readBlockLimit = 67108864,
      readExpansionLimit = 1100,
      readBudget = Nothing
    }

-- | How to write a file.
data WriteOptions = WriteOptions
  { -- | A block is written when its records take this many bytes: at least 1, and at most 16 MiB.
    -- A larger record is a block of its own.
    writeBlockSize :: !Int,
    -- | How to compress blocks. A block that does not get smaller is stored as it is, and so is one
    -- that gets more than 1,100 times smaller, which readers refuse. Where records are appended,
    -- the file must have been made with the same compression.
    writeCompression :: !(Maybe Compression),
    -- | Write an index when the file is closed. It makes it faster to find a single record by its
    -- number, and takes 16 bytes for each block and at most 1 MiB.
    writeIndex :: !Bool,
    -- | The marker before each block of a new file. 'Nothing' is a random number. With a fixed
    -- marker, equal records make equal files. But whoever knows the marker can store records that
    -- look like blocks, and reading that goes on after damage may take them for blocks. And a
    -- reader does not notice if a file with the same marker is written over the one that it reads.
    writeMarker :: !(Maybe Word64),
    -- | Write over the bytes of an old file, as 'Ashlar.File.withAppender' does, and not to a new
    -- one that replaces it when it is whole? Then a failure in the middle leaves the beginning of
    -- the new records, and none of the old ones. Use it for files that have several names, whose
    -- owner cannot be kept, or whose folder cannot be written.
    writeInPlace :: !Bool,
    -- | The most bytes that a record may take, if that is more than a block. A larger one is not
    -- written, and throws 'Ashlar.File.RecordTooLarge'.
    writeRecordLimit :: !Int
  }

-- | Blocks of 32 KiB, no compression, an index. A record may take 64 MiB, which is what readers
-- allow.
--
-- Blocks of this size cost 0.2 % of the file, and a record is found in one of them in some 20
-- microseconds. Compression gains from larger blocks.
defaultWriteOptions :: WriteOptions
defaultWriteOptions =
  WriteOptions
    { writeBlockSize = 32768,
      writeCompression = Nothing,
      writeIndex = True,
      writeMarker = Nothing,
      writeInPlace = False,
      writeRecordLimit = 67108864
    }
