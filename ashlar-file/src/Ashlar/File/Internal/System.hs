{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- |
-- Module      : Ashlar.File.Internal.System
-- Description : Files by offsets
--
-- The Handles of GHC allow no reader of a file that the same process has open to write. So this
-- module works on file descriptors. All errors have the path of the file.
module Ashlar.File.Internal.System
  ( OpenFile (..),
    openToRead,
    openToReadStream,
    openToWrite,
    openNew,
    isSeekable,
    FileLocked (..),
    closeFile,
    statusOf,
    fileLength,
    isThere,
    sameFile,
    readAtMost,
    writeAll,
    writeBytes,
    truncateTo,
    toDisk,
    folderToDisk,
    randomWord,
  )
where

import Control.Concurrent (threadDelay, threadWaitWrite)
import Control.Exception
  ( Exception (..),
    catch,
    finally,
    mask,
    onException,
    throwIO,
    try,
  )
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as S
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.C.Error
  ( Errno (..),
    eAGAIN,
    eINTR,
    eINVAL,
    eNXIO,
    eOPNOTSUPP,
    eROFS,
    eWOULDBLOCK,
    getErrno,
    throwErrnoIfMinus1RetryMayBlock,
    throwErrnoPath,
    throwErrnoPathIfMinus1,
    throwErrnoPathIfMinus1_,
  )
import Foreign.C.String (CString)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr, castPtr, plusPtr)
import Foreign.Storable (peek)
import GHC.IO.Exception (IOException (..))
import System.IO.Error
  ( ioeSetFileName,
    isAlreadyExistsError,
    isDoesNotExistError,
    isPermissionError,
    modifyIOError,
  )
import System.Posix.Error (throwErrnoPathIfMinus1Retry)
import System.Posix.Files
  ( FileStatus,
    deviceID,
    fileID,
    fileSize,
    getFdStatus,
    getFileStatus,
    isDirectory,
    isNamedPipe,
    isRegularFile,
    setFdSize,
  )
import System.Posix.IO (closeFd)
import System.Posix.Internals (withFilePath)
import System.Posix.Types (CSsize (..), DeviceID, Fd (..), FileID)
import System.Posix.Unistd (fileSynchronise, fileSynchroniseDataOnly)

-- | An open file: its path, for errors, its descriptor, and, for a pipe, whether a write was broken
-- off in the middle.
data OpenFile = OpenFile
  { openPath :: !FilePath,
    openFd :: !Fd,
    openHalf :: !(IORef Bool)
  }

-- Say in errors which file it is.
named :: OpenFile -> IO a -> IO a
named file = modifyIOError (`ioeSetFileName` openPath file)

-- Make a call again that a signal has interrupted.
retried :: IO a -> IO a
retried act = act `catch` \e -> if hasErrno [eINTR] e then retried act else throwIO e

hasErrno :: [Errno] -> IOException -> Bool
hasErrno errnos e = maybe False ((`elem` errnos) . Errno) (ioe_errno e)

-- | Open a file to read.
openToRead :: FilePath -> IO OpenFile
openToRead path = openAs path 0

-- | Open a file or a pipe to read, and wait for the writer of a pipe. Only a signal interrupts it.
openToReadStream :: FilePath -> IO OpenFile
openToReadStream path = openAs path 5

-- | Open a file to read and write, and become its only writer. The file is made if it is missing.
-- What is no regular file, such as a pipe, is opened only to write, and without a lock. It waits
-- for the reader of a pipe.
openToWrite :: FilePath -> IO OpenFile
openToWrite path = do
  found <- try (getFileStatus path)
  case found of
    Right status
      | not (isRegularFile status || isDirectory status) ->
        openAs path 2 `catch` withoutReader status
    Left e | not (isDoesNotExistError e) -> throwIO e
    _ -> openLocked
  where
    -- The system has no call that would wait and could be interrupted.
    withoutReader status e
      | isNamedPipe status && hasErrno [eNXIO] e = threadDelay 10000 >> openToWrite path
      | otherwise = throwIO e
    openLocked = do
      file <- openAs path 1
      current <- (locked (openFd file) >> isStillNamed file) `onException` closeFile file
      -- Somebody has replaced it before it was locked.
      if current then pure file else closeFile file >> openToWrite path
    locked (Fd fd) = do
      r <- c_lock fd
      when (r == -1) $ do
        e <- getErrno
        if e == eWOULDBLOCK || e == eAGAIN
          then throwIO (FileLocked path)
          else throwErrnoPath "lock" path
    isStillNamed file = do
      ours <- statusOf file
      ((== identityOf ours) . identityOf <$> getFileStatus path) `catch` gone
    gone e = if isDoesNotExistError e then pure False else throwIO e

-- | Is it a regular file, so that any part of it can be read and written?
isSeekable :: OpenFile -> IO Bool
isSeekable file = isRegularFile <$> statusOf file

-- | What the system knows of an open file.
statusOf :: OpenFile -> IO FileStatus
statusOf file = named file (getFdStatus (openFd file))

-- | Make a file that has this name with a random number and an ending, and open it to write.
openNew ::
  FilePath ->
  -- | May others read and write it, as far as the process lets them?
  Bool ->
  IO OpenFile
openNew path others = do
  number <- randomWord
  let name = path ++ show number ++ ".part"
  made <- try (openAs name (if others then 3 else 4))
  case made of
    Left e | isAlreadyExistsError e -> openNew path others
    _ -> either throwIO pure made

openAs :: FilePath -> CInt -> IO OpenFile
openAs path mode = withFilePath path $ \name -> do
  half <- newIORef False
  fd <- throwErrnoPathIfMinus1 "open" path (c_open name mode)
  pure (OpenFile path (Fd fd) half)

-- | Another writer has the file open.
newtype FileLocked = FileLocked FilePath
  deriving stock (Eq, Show)

instance Exception FileLocked where
  displayException (FileLocked path) = path ++ ": another writer has this file open"

-- | Close a file, which ends its lock.
closeFile :: OpenFile -> IO ()
closeFile file = named file (closeFd (openFd file))

-- | How many bytes a file has now.
fileLength :: OpenFile -> IO Int64
fileLength file = fromIntegral . fileSize <$> statusOf file

-- | Does something have this name? Not to know that is an exception.
isThere :: FilePath -> IO Bool
isThere path = (True <$ getFileStatus path) `catch` missing
  where
    missing e = if isDoesNotExistError e then pure False else throwIO e

-- | Are two files that exist one and the same, whatever their names?
sameFile :: FilePath -> FilePath -> IO Bool
sameFile a b = (==) <$> identity a <*> identity b
  where
    identity path = identityOf <$> getFileStatus path

identityOf :: FileStatus -> (DeviceID, FileID)
identityOf s = (deviceID s, fileID s)

-- | Bytes from an offset on: fewer than n where the file ends, none from an offset after that.
readAtMost :: OpenFile -> Int64 -> Int -> IO ByteString
readAtMost file@(OpenFile path (Fd raw) _) offset n
  | n <= 0 || offset < 0 || offset > mostOffset = pure S.empty
  | n <= 1048576 = B.createAndTrim n (\to -> go to 0)
  | otherwise = do
    -- Do not allocate what a damaged length says.
    size <- fileLength file
    let there = fromIntegral (max 0 (min (fromIntegral n) (size - offset)))
    B.createAndTrim there (\to -> goUpTo there to 0)
  where
    mostOffset = 4611686018427387904
    go = goUpTo n
    goUpTo m to done
      | done >= m = pure done
      | otherwise = do
        got <-
          throwErrnoPathIfMinus1Retry
            "read"
            path
            ( c_readAt
                raw
                (to `plusPtr` done)
                (fromIntegral (m - done))
                (offset + fromIntegral done)
            )
        if got == 0 then pure done else goUpTo m to (done + fromIntegral got)

-- | Write bytes at an offset. A file without offsets, such as a pipe, gets them after those before.
-- If a write to a pipe is interrupted, none follows: it would continue in the middle of a block.
writeAll :: OpenFile -> Int64 -> Ptr Word8 -> Int -> IO ()
writeAll file@(OpenFile _ fd@(Fd raw) half) start bytes size = named file $ do
  there <- isSeekable file
  broken <- readIORef half
  when broken (ioError (userError "a write was interrupted"))
  go there start bytes size
  unless there (writeIORef half False)
  where
    go there offset from n = when (n > 0) $ do
      put <-
        throwErrnoIfMinus1RetryMayBlock
          "write"
          ( if there
              then c_writeAt raw from (fromIntegral n) offset
              else c_write raw from (fromIntegral n)
          )
          (unless there (writeIORef half True) >> threadWaitWrite fd)
      unless there (writeIORef half True)
      go there (offset + fromIntegral put) (from `plusPtr` fromIntegral put) (n - fromIntegral put)

-- | 'writeAll' of a string.
writeBytes :: OpenFile -> Int64 -> ByteString -> IO ()
writeBytes file start bytes =
  S.unsafeUseAsCStringLen bytes (\(p, n) -> writeAll file start (castPtr p) n)

-- | Cut a file off. A file without a size, such as a pipe, stays as it is.
truncateTo :: OpenFile -> Int64 -> IO ()
truncateTo file size = do
  there <- isSeekable file
  when there . named file . retried $ setFdSize (openFd file) (fromIntegral size)

-- | Wait until what was written has reached the disk, if it goes to one.
toDisk :: OpenFile -> IO ()
toDisk file = named file (retried (fileSynchroniseDataOnly (openFd file))) `catch` unlessPossible

-- | Wait until the names of the files in a folder have reached the disk. Some file systems cannot
-- do that, and some folders cannot be read.
folderToDisk :: FilePath -> IO ()
folderToDisk path = mask $ \restore -> do
  opened <- try (openToRead path)
  case opened of
    Right file ->
      (restore (named file (retried (fileSynchronise (openFd file)))) `catch` unlessPossible)
        `finally` closeFile file
    Left e -> unless (isPermissionError e || isDoesNotExistError e) (throwIO e)

-- Ignore that there is no such operation. Other errors mean that what was written may be lost.
unlessPossible :: IOException -> IO ()
unlessPossible e = unless (hasErrno [eINVAL, eROFS, eOPNOTSUPP] e) (throwIO e)

-- | A random number.
randomWord :: IO Word64
randomWord = alloca $ \to -> do
  throwErrnoPathIfMinus1_ "read" "/dev/urandom" (c_random (castPtr to) 8)
  peek to

foreign import ccall safe "ashlar_file_open"
  c_open :: CString -> CInt -> IO CInt

foreign import ccall safe "ashlar_file_lock"
  c_lock :: CInt -> IO CInt

foreign import ccall safe "ashlar_file_random"
  c_random :: Ptr Word8 -> CSize -> IO CInt

foreign import ccall safe "ashlar_file_read_at"
  c_readAt :: CInt -> Ptr Word8 -> CSize -> Int64 -> IO CSsize

foreign import ccall safe "write"
  c_write :: CInt -> Ptr Word8 -> CSize -> IO CSsize

foreign import ccall safe "ashlar_file_write_at"
  c_writeAt :: CInt -> Ptr Word8 -> CSize -> Int64 -> IO CSsize
