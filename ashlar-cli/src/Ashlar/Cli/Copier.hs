-- |
-- Module      : Ashlar.Cli.Copier
-- Description : Files that are made of blocks of others
module Ashlar.Cli.Copier
  ( toNewFile,

    -- * Step by step
    Copier,
    begin,
    copierTail,
    sizeWith,
    putRecords,
    finish,
  )
where

import Ashlar.Cli.Files
import Ashlar.File.Blocks
import Ashlar.File.Internal.Append (Tail (..), appendBlock, headerOf)
import Ashlar.File.Internal.Entries (addEntry, countEntries, entryList, noEntries)
import Ashlar.File.Internal.Layout
  ( Entry (..),
    Footer (..),
    fileHeaderBytes,
    footerBytes,
    putFileHeader,
    putIndex,
  )
import Ashlar.File.Internal.System
import Control.Exception (bracket)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import GHC.Fingerprint (Fingerprint)

-- | A file that is being written.
data Copier = Copier OpenFile (IORef Tail)

-- | Its end.
copierTail :: Copier -> IORef Tail
copierTail (Copier _ end) = end

-- | Copy to a new file with this header.
toNewFile :: Target -> [FilePath] -> FileHeader -> (Copier -> IO a) -> IO a
toNewFile target inputs header act =
  making target inputs $ \path -> bracket (openToWrite path) closeFile $ \fd -> do
    copier <- begin fd header
    result <- act copier
    result <$ finish copier

-- | Begin a file.
begin :: OpenFile -> FileHeader -> IO Copier
begin fd header = do
  marker <- randomWord
  truncateTo fd 0
  writeBytes fd 0 (putFileHeader header {fileMarker = marker})
  let start = fromIntegral (fileHeaderBytes header)
  Copier fd <$> newIORef (Tail marker start 0 (fileFingerprint header) 0 noEntries)

-- | Write the index.
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

-- | The most bytes that the file has if these records are put and it is finished then: the
-- arguments of 'putRecords', but the size of the body.
sizeWith :: Copier -> ByteString -> BlockHeader -> Int -> IO Int64
sizeWith copier schema h size = do
  end <- readIORef (copierTail copier)
  let described
        | tailFingerprint end == blockFingerprint h = 0
        | otherwise = blockHeaderBytes + B.length schema
      index = blockHeaderBytes + 16 * (1 + countEntries (tailEntries end)) + footerBytes
  pure (tailOffset end + fromIntegral (described + blockHeaderBytes + size + index))

-- | Copy some records: the bytes of their schema, the header that they had, and the stored body.
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
