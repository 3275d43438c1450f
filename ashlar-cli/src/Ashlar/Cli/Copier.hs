-- |
-- Module      : Ashlar.Cli.Copier
-- Description : Files that are made of blocks of others
module Ashlar.Cli.Copier
  ( Target (..),
    making,
    toNewFile,

    -- * Step by step
    Copier,
    begin,
    copierTail,
    putRecords,
    finish,
  )
where

import Ashlar.Cli.Console
import Ashlar.File.Blocks
import Ashlar.File.Internal.Append (Tail (..), appendBlock, headerOf)
import Ashlar.File.Internal.Entries (addEntry, entryList, noEntries)
import Ashlar.File.Internal.Layout
  ( Entry (..),
    Footer (..),
    fileHeaderBytes,
    putFileHeader,
    putIndex,
  )
import Ashlar.File.Internal.System
import Ashlar.Internal.Mem (withBytes)
import Control.Exception (IOException, bracket, catch, onException)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import GHC.Fingerprint (Fingerprint)
import System.Directory (doesPathExist, removeFile)
import System.Posix.Types (Fd)

-- | A file to write.
--
-- @since 0.1.0.0
data Target = Target
  { targetPath :: FilePath,
    -- | May it exist?
    targetForce :: Bool
  }

-- | A file that is being written.
--
-- @since 0.1.0.0
data Copier = Copier Fd (IORef Tail)

-- | Its end.
--
-- @since 0.1.0.0
copierTail :: Copier -> IORef Tail
copierTail (Copier _ end) = end

-- | Make a new file, given what it is made of. If that fails, it is removed.
--
-- @since 0.1.0.0
making :: Target -> [FilePath] -> IO a -> IO a
making (Target path force) inputs act = do
  there <- doesPathExist path
  when there $ do
    -- (Under whatever name: there are hard links.)
    same <- mapM (sameFile path) inputs
    when (or same) $ failed (path ++ ": is an input, too")
    unless force $ failed (path ++ ": exists; say --force to replace it")
  act `onException` unless there (removeFile path `catch` ignored)
  where
    -- It was not made: what failed before says why.
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | Copy to a new file with this header.
--
-- @since 0.1.0.0
toNewFile :: Target -> [FilePath] -> FileHeader -> (Copier -> IO a) -> IO a
toNewFile target inputs header act =
  making target inputs . bracket (openToWrite (targetPath target)) closeFile $ \fd -> do
    copier <- begin fd header
    result <- act copier
    result <$ finish copier

-- | Begin a file.
--
-- @since 0.1.0.0
begin :: Fd -> FileHeader -> IO Copier
begin fd header = do
  marker <- randomWord
  truncateTo fd 0
  withBytes (putFileHeader header {fileMarker = marker}) (writeAll fd 0)
  let start = fromIntegral (fileHeaderBytes header)
  Copier fd <$> newIORef (Tail marker start 0 (fileFingerprint header) 0 noEntries)

-- | Write the index, and wait until the disk has everything.
--
-- @since 0.1.0.0
finish :: Copier -> IO ()
finish copier@(Copier fd _) = putEnd copier >> toDisk fd

-- The index.
putEnd :: Copier -> IO ()
putEnd (Copier fd ref) = do
  end <- readIORef ref
  let body = putIndex (entryList (tailEntries end)) (Footer (tailRecords end) (tailOffset end))
  appendBlock fd end (headerOf end Index 0 body) body

append :: Copier -> BlockHeader -> ByteString -> IO ()
append (Copier fd ref) header body = do
  end <- readIORef ref
  appendBlock fd end header body
  let size = blockHeaderBytes + B.length body
  writeIORef ref $! end {tailOffset = tailOffset end + fromIntegral size}

-- Records of another type follow.
putSchema :: Copier -> Fingerprint -> ByteString -> IO ()
putSchema copier fingerprint schema = do
  modifyIORef' (copierTail copier) $ \end ->
    end {tailFingerprint = fingerprint, tailSchemaAt = tailOffset end}
  end <- readIORef (copierTail copier)
  append copier (headerOf end Ashlar.File.Blocks.Schema 0 schema) schema

-- | Copy some records: the bytes of their schema, the header that they had, and the stored body.
--
-- @since 0.1.0.0
putRecords :: Copier -> ByteString -> BlockHeader -> ByteString -> IO ()
putRecords copier schema h body = do
  before <- readIORef (copierTail copier)
  unless (tailFingerprint before == blockFingerprint h) $
    putSchema copier (blockFingerprint h) schema
  end <- readIORef (copierTail copier)
  append
    copier
    (headerOf end Records (blockCount h) body)
      { blockCompressed = blockCompressed h,
        blockExpanded = if blockCompressed h then blockExpanded h else B.length body
      }
    body
  modifyIORef' (copierTail copier) $ \e ->
    e
      { tailRecords = tailRecords e + fromIntegral (blockCount h),
        tailEntries = addEntry (Entry (tailOffset end) (tailRecords end)) (tailEntries e)
      }
