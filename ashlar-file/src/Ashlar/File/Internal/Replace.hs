-- |
-- Module      : Ashlar.File.Internal.Replace
-- Description : Files that replace others when they are whole
module Ashlar.File.Internal.Replace
  ( Pending,
    pendingFile,
    beside,
    moveIntoPlace,
    abandoned,
    isReplaceable,
  )
where

import Ashlar.File.Internal.System
import Control.Exception (IOException, bracket, catch, finally, onException, throwIO, try)
import Control.Monad (unless)
import Data.Bits ((.&.))
import qualified Data.List as List
import Data.Maybe (isNothing)
import System.Directory (canonicalizePath, removeFile, renameFile)
import System.FilePath (takeDirectory, takeFileName, (</>))
import System.IO.Error
  ( alreadyExistsErrorType,
    ioeSetErrorString,
    ioeSetFileName,
    isAlreadyExistsError,
    mkIOError,
    modifyIOError,
  )
import System.Posix.Files

-- | A file in the making. It has another name in the same folder until it is whole. So a file that
-- is to be replaced stays as it is if that fails, or if the program is killed.
data Pending = Pending
  { -- | Its name until then.
    pendingFile :: FilePath,
    _pendingTarget :: FilePath,
    _pendingForce :: Bool,
    -- The file that is replaced, locked, so that no other writer has it open.
    _pendingReplaced :: Maybe OpenFile
  }

-- | Begin a file. It has the mode and the owner of the one that it replaces. Exceptions must be
-- masked.
beside ::
  -- | The name that it gets. If it is a symbolic link, what that refers to is replaced.
  FilePath ->
  -- | May a file of this name be replaced? If not, 'moveIntoPlace' throws if there is one by then.
  Bool ->
  IO Pending
beside path force = do
  there <- isThere path
  target <- if there then canonicalizePath path else pure path
  replaced <- if there then Just <$> openToWrite target else pure Nothing
  (`onException` mapM_ closeFile replaced) $ do
    -- (The name may already be as long as a name can be, 255 bytes. A character has up to four.)
    file <-
      modifyIOError (`ioeSetFileName` path) $
        openNew (takeDirectory target </> List.take 50 (takeFileName target)) (isNothing replaced)
    let temporary = openPath file
    (`onException` removeFile temporary) $ do
      closeFile file
      mapM_ (\old -> statusOf old >>= likeThat path temporary) replaced
    pure (Pending temporary target force replaced)

-- Nobody else may read the new file before it has the mode of the old one.
likeThat :: FilePath -> FilePath -> FileStatus -> IO ()
likeThat path temporary old = modifyIOError (`ioeSetFileName` path) $ do
  new <- getFileStatus temporary
  let same f = f new == f old
  unless (same fileOwner && same fileGroup) . modifyIOError told $
    setOwnerAndGroup temporary (fileOwner old) (fileGroup old)
  setFileMode temporary (fileMode old .&. 0o7777)
  where
    told e =
      ioeSetErrorString e "a new file cannot have its owner and group, so it is not replaced"

-- | Give a complete file its name, in place of the old one. Exceptions must be masked.
moveIntoPlace :: Pending -> IO ()
moveIntoPlace p@(Pending temporary target force replaced) = do
  named `onException` abandoned p
  mapM_ closeFile replaced
  where
    named = do
      bracket (openToRead temporary) closeFile toDisk
      if force then renameFile temporary target else linked
      folderToDisk (takeDirectory target)
    -- Do not replace a file that has been made meanwhile.
    linked = do
      r <- try (createLink temporary target)
      case r of
        Right () -> removeFile temporary
        Left e
          | isAlreadyExistsError e -> throwIO e
          -- A file system without hard links.
          | otherwise -> do
            there <- isThere target
            if there
              then throwIO (mkIOError alreadyExistsErrorType "link" Nothing (Just target))
              else renameFile temporary target

-- | Give up and remove an unfinished file. Exceptions must be masked.
abandoned :: Pending -> IO ()
abandoned (Pending temporary _ _ replaced) =
  (removeFile temporary `catch` ignored) `finally` mapM_ closeFile replaced
  where
    -- The failure that led here says more.
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | Is there a file that can be replaced, and has something to lose? What is no regular file is
-- written directly, and so is @/dev/stdout@, also if that is one.
isReplaceable :: FilePath -> IO Bool
isReplaceable path = do
  there <- isThere path
  status <- if there then Just <$> getFileStatus path else pure Nothing
  case status of
    Just s | isRegularFile s && fileSize s > 0 -> not <$> opened (40 :: Int) path
    _ -> pure False
  where
    -- Does the name mean a file that somebody has open already?
    opened n p
      | any (`List.isPrefixOf` p) ["/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/"] = pure True
      | n <= 0 = pure False
      | otherwise = do
        link <- tried (readSymbolicLink p)
        case link of
          Right to -> opened (n - 1) (takeDirectory p </> to)
          Left _ -> pure False
    tried :: IO a -> IO (Either IOException a)
    tried = try
