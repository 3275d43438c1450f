-- |
-- Module      : Tests.Files
-- Description : A file for a test
module Tests.Files (inTemporaryFile) where

import Control.Exception (bracket)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO (hClose, openBinaryTempFile)

-- | Run an action with the path of an empty file, which is removed afterwards.
inTemporaryFile :: (FilePath -> IO a) -> IO a
inTemporaryFile = bracket made removeFile
  where
    made = do
      directory <- getTemporaryDirectory
      (path, h) <- openBinaryTempFile directory "ashlar"
      path <$ hClose h
