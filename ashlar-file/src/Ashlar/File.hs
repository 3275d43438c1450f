{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.File
-- Description : Files of records that are appended for years
--
-- Files of records of one type, with checksums, that survive killed writers, damage, and changes of
-- the type.
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Show, Generic, Codec)
-- >>> import System.IO (hClose, openTempFile)
-- >>> (path, handle) <- openTempFile "." "orders"
-- >>> hClose handle
-- >>> let order = fixedType "order, version 1" :: RecordType Order
-- >>> appendRecords order path [Order "brick" 12, Order "mortar" 3]
-- >>> appendRecords order path [Order "sand" 1]
-- >>> foldRecords order path (\n o -> pure (n + count o)) 0
-- Right 16
--
-- == The type of a file
--
-- The header of a file has a schema and a fingerprint of the type of its records. A 'RecordType'
-- says what these are, and how to read records of another schema. 'fixedType' is the simplest one:
-- a name, and no other is accepted. The package ashlar-schema derives one from the type, and reads
-- what was written before the type changed.
--
-- == Writing
--
-- 'withAppender' appends to a file, 'withWriter' replaces it, when the new one is whole. A 'Writer'
-- takes constant memory, and any number of threads may use it. Records are collected to blocks of
-- 32 KiB, each with a checksum. Whenever the writer is killed, all blocks that it has written are
-- readable, and the next 'withAppender' cuts off a block that is there only in part. 'flush' ends a
-- block early, and 'sync' waits for the disk.
--
-- One process can write a file at a time. The others get 'FileLocked'.
--
-- == Reading
--
-- * 'foldRecords': all records, in constant memory
-- * 'foldRecordsWith': from any record on, with an early stop, and after damage
-- * 'foldFilesWith': several files
-- * 'foldBytesWith' and 'bytesReader': from memory, or a mapped file
-- * 'foldSourceWith': from a pipe or a socket
-- * 'lazyRecords': a lazy list; it takes 'ReadOptions', too
-- * 'withReader' and 'readAt': single records by their numbers
-- * 'viewed': records in place, of which only what is used is decoded
--
-- If there is no file, reading throws an @IOException@. An empty file is damaged, since it has no
-- header. 'appendRecords' accepts both, and writes the header.
--
-- Any number of processes may read a file while another appends to it. They see whole blocks. For
-- such a file set 'readWholeTail' to 'False': then a block that has been written in part is the
-- end, and not damage.
--
-- >>> let options = defaultReadOptions {readFrom = 1, readWholeTail = False}
-- >>> let add acc o = pure (Right (item o : acc)) :: IO (Either () [Text])
-- >>> foldRecordsWith options order path add []
-- Ended 3 ["sand","mortar"]
-- >>> withReader options order path (\reader -> readAt reader 1)
-- Right (Right (Just (Order {item = "mortar", count = 3})))
--
-- Replacing a file, as 'withWriter' does, does not disturb readers of the old one. If a file is cut
-- off or written over while it is read, that is 'Damage': no result has records of both.
--
-- == Joined files
--
-- A file may be followed by others, as @cat a b > c@ or @cat b >> a@ makes it. All are read as one
-- file: records are numbered through, and offsets count from the beginning of the first file.
-- Damage at the end of one hides none of the others.
--
-- A file of another type that was joined is 'Damage' with the cause 'AnotherFile'. It says where
-- the file begins, how many records it has, and of which type. These have numbers, too. With
-- 'readResync' they are passed over.
--
-- 'withAppender' refuses a file to which another was joined: it would have to cut that off. The
-- command @ashlar repair@ makes one file of all, and @ashlar split --files@ several.
--
-- == Damage
--
-- A 'Damage' tells what is wrong, at which offset, in which block, and from which record on. To go
-- on with the next whole block, give 'readResync' an action that gets what was lost. If the type
-- refuses a record of a whole block, such as one with a constructor that was dropped, and the
-- schema of the record is known, reading goes on with the next record.
--
-- All of this is safe on untrusted files. Nothing larger than 'readBlockLimit' is allocated for a
-- block, whatever its header says. No file can announce more records than bytes. Each record has a
-- budget, as with 'Ashlar.Codec.decode'. Checksums protect against accidents only.
--
-- == The format
--
-- @format.md@ describes it. All numbers have their least significant byte first, on all machines.
-- "Ashlar.File.Blocks" reads the blocks of any file, without the type of its records.
module Ashlar.File
  ( -- * The type of a file
    RecordType (..),
    fixedType,
    Evolved (..),
    evolvedBy,
    afterRecord,
    viewed,

    -- * Writing
    writeRecords,
    appendRecords,

    -- ** Step by step
    Writer,
    withWriter,
    withAppender,
    write,
    writeMany,
    flush,
    sync,
    written,

    -- ** Options
    WriteOptions (..),
    defaultWriteOptions,

    -- ** Exceptions
    FileLocked (..),
    RecordTooLarge (..),
    WriterClosed (..),

    -- * Reading in order
    foldRecords,
    foldRecordsWith,
    Outcome (..),
    foldFilesWith,
    foldBytesWith,
    foldSourceWith,

    -- ** As a lazy list
    lazyRecords,
    RecordStream (..),
    recordsToEither,

    -- ** Options
    ReadOptions (..),
    defaultReadOptions,

    -- * Single records
    Reader,
    withReader,
    bytesReader,
    readAt,
    recordCount,

    -- * Damage
    Damage (..),
    Cause (..),
    OtherFile (..),
    Lost (..),

    -- * Compression
    Compression (..),
  )
where

import Ashlar.File.Internal.Block (RecordTooLarge (..), WriterClosed (..))
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Fold (Outcome (..))
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Read
import Ashlar.File.Internal.Reader
import Ashlar.File.Internal.System (FileLocked (..))
import Ashlar.File.Internal.Type
import Ashlar.File.Internal.Writer
