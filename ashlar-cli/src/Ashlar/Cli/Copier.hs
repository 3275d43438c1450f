-- |
-- Module      : Ashlar.Cli.Copier
-- Description : Files that are made of blocks of others
module Ashlar.Cli.Copier
  ( Target (..),
    making,
    toNewFile,

    -- * Files that come to be whole
    Pending,
    pendingFile,
    pending,
    settled,
    abandoned,

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
import Ashlar.File.Internal.Replace (Pending, abandoned, beside, pendingFile)
import qualified Ashlar.File.Internal.Replace as Replace
import Ashlar.File.Internal.System
import Ashlar.Internal.Mem (withBytes)
import Control.Exception (bracket, catch, mask, onException, throwIO)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import GHC.Fingerprint (Fingerprint)
import System.Directory (doesPathExist)
import System.IO.Error (isAlreadyExistsError)
import System.Posix.Files (getFileStatus, isRegularFile)
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

-- | Begin a file, given what it is made of. Exceptions must be masked.
--
-- @since 0.1.0.0
pending :: Target -> [FilePath] -> IO Pending
pending (Target path force) inputs = do
  there <- doesPathExist path
  when there $ do
    -- (Under whatever name: there are hard links.)
    same <- mapM (sameFile path) inputs
    when (or same) $ failed (path ++ ": is an input, too")
    unless force $ failed (path ++ exists)
    regular <- isRegularFile <$> getFileStatus path
    unless regular $ failed (path ++ ": is not a regular file")
  beside path force

exists :: String
exists = ": exists; say --force to replace it"

-- | It is whole, and gets its name. Exceptions must be masked.
--
-- @since 0.1.0.0
settled :: Target -> Pending -> IO ()
settled (Target path _) p =
  Replace.settled p `catch` \e ->
    if isAlreadyExistsError e then failed (path ++ exists) else throwIO e

-- | Make a new file, given what it is made of, and how to write a file of this name. If that fails,
-- nothing has changed.
--
-- @since 0.1.0.0
making :: Target -> [FilePath] -> (FilePath -> IO a) -> IO a
making target inputs act = mask $ \restore -> do
  p <- pending target inputs
  result <- restore (act (pendingFile p)) `onException` abandoned p
  result <$ settled target p

-- | Copy to a new file with this header.
--
-- @since 0.1.0.0
toNewFile :: Target -> [FilePath] -> FileHeader -> (Copier -> IO a) -> IO a
toNewFile target inputs header act =
  making target inputs $ \path -> bracket (openToWrite path) closeFile $ \fd -> do
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

-- | Write the index.
--
-- @since 0.1.0.0
finish :: Copier -> IO ()
finish (Copier fd ref) = do
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
