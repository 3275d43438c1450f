{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- |
-- Module      : Ashlar.File.Internal.System
-- Description : Files by offsets
--
-- The Handles of GHC allow no reader of a file that the same process has open to write. So this
-- module works on file descriptors.
module Ashlar.File.Internal.System
  ( openToRead,
    openToWrite,
    isSeekable,
    FileLocked (..),
    closeFile,
    fileLength,
    sameFile,
    readAtMost,
    writeAll,
    writeBytes,
    truncateTo,
    toDisk,
    directoryToDisk,
    randomWord,
  )
where

import Control.Concurrent (threadWaitWrite)
import Control.Exception
  ( Exception (..),
    IOException,
    catch,
    finally,
    onException,
    throwIO,
    try,
  )
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as S
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.C.Error
  ( eAGAIN,
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
import System.IO.Error (isDoesNotExistError)
import System.Posix.Files
  ( FileStatus,
    deviceID,
    fileID,
    fileSize,
    getFdStatus,
    getFileStatus,
    isDirectory,
    isRegularFile,
    setFdSize,
  )
import System.Posix.IO (closeFd)
import System.Posix.Internals (withFilePath)
import System.Posix.Types (COff (..), CSsize (..), DeviceID, Fd (..), FileID)
import System.Posix.Unistd (fileSynchronise, fileSynchroniseDataOnly)

-- | Open a file to read.
openToRead :: FilePath -> IO Fd
openToRead path = openAs path 0

-- | Open a file to read and write, and become its only writer. The file is made if it is missing.
-- What is no regular file, such as a pipe, is opened only to write, and without a lock.
openToWrite :: FilePath -> IO Fd
openToWrite path = do
  found <- try (getFileStatus path)
  case found of
    Right status | not (isRegularFile status || isDirectory status) -> openAs path 2
    Left e | not (isDoesNotExistError e) -> throwIO (e :: IOException)
    _ -> openLocked
  where
    openLocked = do
      fd <- openAs path 1
      current <- (locked fd >> isStillNamed fd) `onException` closeFd fd
      -- Somebody has replaced it before it was locked.
      if current then pure fd else closeFd fd >> openToWrite path
    locked (Fd fd) = do
      r <- c_lock fd
      when (r == -1) $ do
        e <- getErrno
        if e == eWOULDBLOCK || e == eAGAIN
          then throwIO (FileLocked path)
          else throwErrnoPath "lock" path
    isStillNamed fd = do
      ours <- getFdStatus fd
      ((== identityOf ours) . identityOf <$> getFileStatus path) `catch` gone
    gone :: IOException -> IO Bool
    gone _ = pure False

-- | Is it a regular file, so that any part of it can be read and written?
isSeekable :: Fd -> IO Bool
isSeekable fd = isRegularFile <$> getFdStatus fd

openAs :: FilePath -> CInt -> IO Fd
openAs path mode =
  withFilePath path $ \name -> Fd <$> throwErrnoPathIfMinus1 "open" path (c_open name mode)

-- | Another writer has the file open.
newtype FileLocked = FileLocked FilePath
  deriving stock (Eq, Show)

instance Exception FileLocked where
  displayException (FileLocked path) = path ++ ": another writer has this file open"

-- | Close a file, which ends its lock.
closeFile :: Fd -> IO ()
closeFile = closeFd

-- | How many bytes a file has now.
fileLength :: Fd -> IO Int64
fileLength fd = fromIntegral . fileSize <$> getFdStatus fd

-- | Are two files that exist one and the same, whatever their names?
sameFile :: FilePath -> FilePath -> IO Bool
sameFile a b = (==) <$> identity a <*> identity b
  where
    identity path = identityOf <$> getFileStatus path

identityOf :: FileStatus -> (DeviceID, FileID)
identityOf s = (deviceID s, fileID s)

-- | Bytes from an offset on: fewer than n where the file ends, none from an offset after that.
readAtMost :: Fd -> Int64 -> Int -> IO ByteString
readAtMost fd@(Fd raw) offset n
  | n <= 0 || offset < 0 || offset > mostOffset = pure S.empty
  | n <= 1048576 = B.createAndTrim n (\to -> go to 0)
  | otherwise = do
    -- Do not allocate what a damaged length says.
    size <- fileLength fd
    let there = fromIntegral (max 0 (min (fromIntegral n) (size - offset)))
    B.createAndTrim there (\to -> goUpTo there to 0)
  where
    mostOffset = 4611686018427387904
    go = goUpTo n
    goUpTo m to done
      | done >= m = pure done
      | otherwise = do
        got <-
          throwErrnoIfMinus1RetryMayBlock
            "read"
            ( c_pread
                raw
                (to `plusPtr` done)
                (fromIntegral (m - done))
                (fromIntegral offset + fromIntegral done)
            )
            (pure ())
        if got == 0 then pure done else goUpTo m to (done + fromIntegral got)

-- | Write bytes at an offset. A file without offsets, such as a pipe, gets them after those before.
writeAll :: Fd -> Int64 -> Ptr Word8 -> Int -> IO ()
writeAll fd@(Fd raw) start bytes size = isSeekable fd >>= \there -> go there start bytes size
  where
    go there offset from n = when (n > 0) $ do
      put <-
        throwErrnoIfMinus1RetryMayBlock
          "write"
          ( if there
              then c_pwrite raw from (fromIntegral n) (fromIntegral offset)
              else c_write raw from (fromIntegral n)
          )
          (threadWaitWrite fd)
      go there (offset + fromIntegral put) (from `plusPtr` fromIntegral put) (n - fromIntegral put)

-- | 'writeAll' of a string.
writeBytes :: Fd -> Int64 -> ByteString -> IO ()
writeBytes fd start bytes =
  S.unsafeUseAsCStringLen bytes (\(p, n) -> writeAll fd start (castPtr p) n)

-- | Cut a file off. A file without a size, such as a pipe, stays as it is.
truncateTo :: Fd -> Int64 -> IO ()
truncateTo fd size = do
  there <- isSeekable fd
  when there $ setFdSize fd (fromIntegral size)

-- | Wait until what was written has reached the disk, if it goes to one.
toDisk :: Fd -> IO ()
toDisk fd = do
  there <- isSeekable fd
  if there then fileSynchroniseDataOnly fd else fileSynchroniseDataOnly fd `catch` ignored
  where
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | Wait until a new file's name has reached the disk. Some file systems cannot do that.
directoryToDisk :: FilePath -> IO ()
directoryToDisk path = (`catch` ignored) $ do
  fd <- openToRead directory
  fileSynchronise fd `finally` closeFd fd
  where
    directory = case dropWhile (/= '/') (reverse path) of
      "" -> "."
      slash -> reverse slash
    ignored :: IOException -> IO ()
    ignored _ = pure ()

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

foreign import ccall safe "pread"
  c_pread :: CInt -> Ptr Word8 -> CSize -> COff -> IO CSsize

foreign import ccall safe "write"
  c_write :: CInt -> Ptr Word8 -> CSize -> IO CSsize

foreign import ccall safe "pwrite"
  c_pwrite :: CInt -> Ptr Word8 -> CSize -> COff -> IO CSsize
