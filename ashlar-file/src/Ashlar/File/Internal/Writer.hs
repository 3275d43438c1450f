-- |
-- Module      : Ashlar.File.Internal.Writer
-- Description : Writing records
module Ashlar.File.Internal.Writer
  ( Writer,
    withWriter,
    withAppender,
    write,
    writeMany,
    flush,
    sync,
    written,
    writeRecords,
    appendRecords,
  )
where

import Ashlar.Codec (Codec, layout)
import Ashlar.Codec.Combinators (Layout (Fix))
import Ashlar.File.Internal.Append
import Ashlar.File.Internal.Block
import Ashlar.File.Internal.Crc32c
import Ashlar.File.Internal.Entries
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records (expandable)
import Ashlar.File.Internal.Replace
import Ashlar.File.Internal.System
import Ashlar.File.Internal.Type
import Control.Concurrent (forkIO)
import Control.Concurrent.MVar (MVar, newMVar, putMVar, takeMVar, withMVar)
import Control.Exception
  ( IOException,
    SomeAsyncException,
    SomeException,
    catch,
    finally,
    fromException,
    mask,
    onException,
    throwIO,
    try,
  )
import Control.Monad (when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (isNothing)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (castPtr, plusPtr)
import System.Directory (canonicalizePath)
import System.FilePath (takeDirectory)

-- | A file that is being written. Any number of threads may use it: one after another, a record at
-- a time, or a list ('writeMany').
data Writer a = Writer
  { writerLock :: !(MVar ()),
    writerBlock :: !OpenBlock,
    writerTail :: !(IORef Tail),
    writerFd :: !OpenFile,
    -- | The folder, until the name of the file is on the disk.
    writerUnnamed :: !(IORef (Maybe FilePath)),
    -- | Why the disk may not have what was written. See 'sync'.
    writerFailed :: !(IORef (Maybe IOException)),
    writerIndexes :: !Bool
  }

-- | Write a new file, or replace an old one. The writer is closed afterwards.
--
-- An old file stays as it is until the new one is whole and on the disk. Until then, the new one
-- has another name in the same folder, and it is removed if anything fails, or if the action
-- throws. A reader of the old file can read it to its end. The new file has the mode and the owner
-- of the old one, but not its other names, nor access control lists. A symbolic link stays, and the
-- file that it refers to is replaced. With 'writeInPlace', the old file is written over instead.
--
-- If there is no old file, or an empty one, there is nothing to lose. Then everything that was
-- written before an exception is in the file, also if the action throws. If the program is killed,
-- the records of whole blocks are in the file. 'flush' ends a block, and 'sync' waits for the disk.
-- A disk that is full loses no whole block: see 'write'.
--
-- What is no regular file, such as a pipe or @\/dev\/stdout@, is written directly, from its
-- beginning.
--
-- Throws 'FileLocked' if another writer has the file open, and 'IOException' if it cannot be
-- written, or if a new file cannot have the owner of the old one.
--
-- >>> import Ashlar.File
-- >>> let words16 = fixedType "word16" :: RecordType Word16
-- >>> withWriter defaultWriteOptions words16 "words" (\w -> mapM_ (write w) [1, 2, 3])
-- >>> foldRecords words16 "words" (\total n -> pure (total + n)) 0
-- Right 6
withWriter ::
  Codec a =>
  WriteOptions ->
  -- | The type of the records.
  RecordType a ->
  -- | The file, which is made or replaced.
  FilePath ->
  -- | What to do with the writer, which must not be used afterwards.
  (Writer a -> IO r) ->
  IO r
withWriter options ty path =
  withTail options (layoutOf ty) (newTarget options path) $ \o fd -> newFile o ty path fd
{-# INLINE withWriter #-}

-- | Append to a file, or write a new one if it is missing or empty.
--
-- What follows the last whole block is cut off: an index, and what a killed writer left.
-- The records may be of another type than those in the file if 'typeEvolved' accepts what its last
-- block and its header say. Then the new schema is written before them.
--
-- Throws a 'Ashlar.File.Damage' if it is another file, if the type is not accepted, if the file is
-- compressed in another way, if its last block has a record larger than 64 MiB and
-- 'writeRecordLimit', or if another file was joined to it, or is in what a killed writer left of a
-- block. The file is not changed then. No whole block of any file is ever cut off. Also throws what
-- 'withWriter' throws.
withAppender ::
  Codec a =>
  WriteOptions ->
  -- | The type of the records.
  RecordType a ->
  -- | The file, which is made if it is missing.
  FilePath ->
  -- | What to do with the writer, which must not be used afterwards.
  (Writer a -> IO r) ->
  IO r
withAppender options ty path =
  withTail options (layoutOf ty) (target path) $ \o fd -> oldFile o ty path fd
{-# INLINE withAppender #-}

layoutOf :: Codec a => RecordType a -> Layout a
layoutOf _ = layout
{-# INLINE layoutOf #-}

-- | A file to write: its name, the file, what to do when it is complete, and what if that fails.
data Target = Target FilePath OpenFile (IO ()) (IO ())

-- | The file of this name.
target :: FilePath -> IO Target
target path = do
  fd <- openToWrite path
  pure (Target path fd (pure ()) (pure ()))

-- | A file of this name, or one that replaces it.
newTarget :: WriteOptions -> FilePath -> IO Target
newTarget options path = do
  replaces <- if writeInPlace options then pure False else isReplaceable path
  if replaces
    then do
      p <- beside path True
      fd <- openToWrite (pendingFile p) `onException` abandoned p
      pure (Target (pendingFile p) fd (moveIntoPlace p) (abandoned p))
    else do
      opened@(Target _ fd _ _) <- target path
      -- It may have come to be since.
      found <-
        if writeInPlace options
          then pure False
          else isReplaceable path `onException` closeFile fd
      if found then closeFile fd >> newTarget options path else pure opened

-- Run an action with a writer. The first function opens the file, the second finds its end.
withTail ::
  WriteOptions ->
  Layout a ->
  IO Target ->
  (WriteOptions -> OpenFile -> IO Tail) ->
  (Writer a -> IO r) ->
  IO r
withTail given l open start act = mask $ \restore -> do
  Target path fd finish abandon <- open
  writer <-
    (restore (start options fd) >>= begun path fd)
      `onException` (closeFile fd `finally` abandon)
  result <- try (restore (act writer))
  case result of
    Right r -> r <$ ((close writer `onException` abandon) >> finish)
    Left e -> ((close writer `catch` lessUrgent) `finally` abandon) >> throwIO (e :: SomeException)
  where
    begun path fd end = do
      tailRef <- newIORef end
      block <- newOpenBlock (limitsOf options) (deliverTo fd (writeCompression options) tailRef)
      lock <- newMVar ()
      -- (The folder that has the file may not be that of a link to it.)
      there <- isSeekable fd
      folder <- if there then Just . takeDirectory <$> canonicalizePath path else pure Nothing
      unnamed <- newIORef folder
      failed <- newIORef Nothing
      pure (Writer lock block tailRef fd unnamed failed (writeIndex options))
    -- Blocks of equal size need no index.
    options = case l of
      Fix _ | isNothing (writeCompression given) -> given {writeIndex = False}
      _ -> given
    -- Who interrupts the closing waits until this thread knows of it.
    lessUrgent e = case fromException e of
      Just async -> throwIO (async :: SomeAsyncException)
      Nothing -> pure ()

limitsOf :: WriteOptions -> BlockLimits
limitsOf options = BlockLimits (min 16777216 (writeBlockSize options)) (writeRecordLimit options)

-- Write the block and the index, and close the file. It is closed in any case: if this is
-- interrupted while it waits for another thread that writes, a new thread waits, and closes it.
close :: Writer a -> IO ()
close writer = do
  waiting `onException` forkIO (waiting >> (() <$ tryAny ending))
  ending
  where
    tryAny = try :: IO () -> IO (Either SomeException ())
    ending = (`finally` closeAll) $ do
      flushOpen (writerBlock writer)
      when (writerIndexes writer) $ readIORef (writerTail writer) >>= putIndexBlock fd
      readIORef (writerFailed writer) >>= mapM_ throwIO
    fd = writerFd writer
    waiting = takeMVar (writerLock writer)
    closeAll =
      closeOpenBlock (writerBlock writer) `finally` closeFile fd
        `finally` putMVar (writerLock writer) ()

-- Write the index. The file is complete without it, so a failure is ignored.
putIndexBlock :: OpenFile -> Tail -> IO ()
putIndexBlock fd end = appendBlock fd end header body `catch` ignored
  where
    body =
      putIndex (entryList (tailEntries end)) (Footer (tailRecords end) (tailOffset end))
    header = headerOf end Index 0 body
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- Write a block into the file, all of it or nothing.
deliverTo :: OpenFile -> Maybe Compression -> IORef Tail -> Deliver
deliverTo fd compression ref (CompleteBlock at size count) = do
  end <- readIORef ref
  let body = at `plusPtr` blockHeaderBytes
  smaller <- traverse (compressed body) compression
  n <- case smaller of
    Just bytes
      | S.length bytes < size,
        expandable (readExpansionLimit defaultReadOptions) (S.length bytes) size -> do
        let header =
              (headerOf end Records count bytes) {blockCompressed = True, blockExpanded = size}
        blockHeaderBytes + S.length bytes <$ appendBlock fd end header bytes
    _ -> do
      checksum <- crc32cOf Fastest 0 body size
      let header =
            (headerOf end Records count S.empty)
              { blockStored = size,
                blockExpanded = size,
                blockChecksum = checksum
              }
      S.unsafeUseAsCStringLen (encodeBlockHeader header) (\(p, n) -> copyBytes at (castPtr p) n)
      let total = blockHeaderBytes + size
      total <$ orCut fd end (writeAll fd (tailOffset end) at total)
  writeIORef ref
    $! end
      { tailOffset = tailOffset end + fromIntegral n,
        tailRecords = tailRecords end + fromIntegral count,
        tailEntries = addEntry (Entry (tailOffset end) (tailRecords end)) (tailEntries end)
      }
  where
    -- Compress a copy, because the function may keep it.
    compressed body c = compressBody c <$> S.packCStringLen (castPtr body, size)

-- | Write a record. It is in the file when its block is: when that is full, after 'flush', 'sync',
-- or when the writer is closed.
--
-- If it throws, this record is not written, and those before it are, or will be. It throws what a
-- value in the record does, 'RecordTooLarge', 'WriterClosed', and 'IOException' if a block cannot
-- be written, for instance to a disk that is full. Then the file ends after the last whole block,
-- and the next 'write', 'flush' or 'sync' tries again to write the records of the open one.
--
-- An asynchronous exception may also strike when the record has just been written. 'written' tells.
write :: Codec a => Writer a -> a -> IO ()
write writer x = writeMany writer [x]
{-# INLINE write #-}

-- | 'write' records one after another, which is faster than one by one. The list is
-- consumed as it is written, so this takes constant memory. Other threads that use the writer wait
-- for its end: 'write' one by one what comes slowly.
--
-- If it throws, the record that was the reason and those after it are not written, and those before
-- it are. 'written' tells how many there are.
writeMany :: Codec a => Writer a -> [a] -> IO ()
writeMany writer xs = withMVar (writerLock writer) $ \_ -> addRecords (writerBlock writer) xs
{-# INLINE writeMany #-}

-- | Write the records of the open block, so that readers see them, unless the file is to replace
-- another one. Call it seldom: each block takes 72 bytes more than its records, and the time of a
-- system call.
flush :: Writer a -> IO ()
flush writer = withMVar (writerLock writer) $ \_ -> flushOpen (writerBlock writer)

-- | 'flush', and wait until the disk has everything. After that, a loss of power loses none of the
-- records that were written before, unless the file is to replace another one.
--
-- If the disk fails, nobody knows which of the records since the last 'sync' it has, and the system
-- tells only once. So this throws an 'IOException', then and whenever it is called again, and so
-- do 'withWriter' and 'withAppender' at their end.
sync :: Writer a -> IO ()
sync writer = withMVar (writerLock writer) $ \_ -> do
  readIORef (writerFailed writer) >>= mapM_ throwIO
  flushOpen (writerBlock writer)
  onDisk `catch` \e -> writeIORef (writerFailed writer) (Just e) >> throwIO e
  where
    onDisk = do
      toDisk (writerFd writer)
      readIORef (writerUnnamed writer) >>= mapM_ folderToDisk
      writeIORef (writerUnnamed writer) Nothing

-- | How many records the file has with those of the open block: the number of the next one.
written :: Writer a -> IO Int64
written writer = withMVar (writerLock writer) $ \_ -> do
  end <- readIORef (writerTail writer)
  open <- openRecords (writerBlock writer)
  pure (tailRecords end + fromIntegral open)

-- | Write a file of records, or replace one when the new one is whole: 'withWriter' and
-- 'writeMany'. It takes constant memory if the list is made as it is consumed.
writeRecords ::
  Codec a =>
  -- | The type of the records.
  RecordType a ->
  -- | The file, which is made or replaced.
  FilePath ->
  [a] ->
  IO ()
writeRecords ty path xs = withWriter defaultWriteOptions ty path (`writeMany` xs)
{-# INLINE writeRecords #-}

-- | Append records to a file: 'withAppender' and 'writeMany'.
appendRecords ::
  Codec a =>
  -- | The type of the records.
  RecordType a ->
  -- | The file, which is made if it is missing.
  FilePath ->
  [a] ->
  IO ()
appendRecords ty path xs = withAppender defaultWriteOptions ty path (`writeMany` xs)
{-# INLINE appendRecords #-}
