-- |
-- Module      : Tests.Files
-- Description : Files for tests
module Tests.Files
  ( inDirectory,
    withBytesIn,
    inFile,
  )
where

import qualified Data.ByteString as S
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)

-- | Run an action with the path of an empty directory, which is removed afterwards.
inDirectory :: (FilePath -> IO a) -> IO a
inDirectory = withSystemTempDirectory "ashlar-file"

-- | Run an action with the path of a file that does not exist yet.
inFile :: (FilePath -> IO a) -> IO a
inFile act = inDirectory (\d -> act (d </> "records"))

-- | Run an action with the path of a file that has these bytes.
withBytesIn :: S.ByteString -> (FilePath -> IO a) -> IO a
withBytesIn bytes act = inFile (\path -> S.writeFile path bytes >> act path)
