-- |
-- Module      : Ashlar.Cli.Files
-- Description : The names on the command line: files, streams, standard input and output
--
-- Every command opens what it reads and what it writes by this module. So a name means the same
-- everywhere, and a message has the name that the user gave.
--
-- Note [Files and streams]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A stream is the standard input, @-@, or a name that stands for no regular file: a FIFO,
-- @\/dev\/stdin@ in a pipeline, what a shell puts in place of @<(...)@. It can be opened only once,
-- and read only forwards. So nothing looks into it beforehand, and its writer is waited for: GHC's
-- 'System.IO.openFile' does not wait, and reads a FIFO without a writer as if it were empty.
--
-- Note [Output that comes to be whole]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A file is written under another name in the same folder until it is whole, and then renamed. So
-- a file that is to be replaced stays as it is if that fails, or if the program is killed.
--
-- What goes to the standard output is kept in a temporary file until it is whole, too. So the
-- program at the other end of a pipe gets all of it or nothing.
module Ashlar.Cli.Files
  ( -- * Input
    isStandard,
    isStream,
    needFile,
    readOnce,
    withInput,
    withBlocks,
    fileSizeOf,

    -- * Output
    Target (..),
    making,

    -- * Output, step by step
    Pending,
    pendingFile,
    pending,
    naming,
    settled,
    abandoned,
  )
where

import Ashlar.Cli.Console
import Ashlar.File (Damage (..))
import Ashlar.File.Internal.Input (Input, fileInput, sourceInput)
import qualified Ashlar.File.Internal.Replace as Replace
import Ashlar.File.Internal.System
import Ashlar.Get (handleSource)
import Control.Concurrent (threadDelay)
import Control.Exception
import Control.Monad (unless, when)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.Maybe (isJust)
import Foreign.C.Error (Errno (..), eINTR)
import GHC.IO.Exception (IOException (..))
import GHC.IO.Handle.FD (fdToHandle')
import System.Directory (doesPathExist, getTemporaryDirectory, removeFile)
import System.IO
  ( Handle,
    IOMode (ReadMode),
    hClose,
    hSetBinaryMode,
    openBinaryFile,
    openBinaryTempFile,
    stdin,
    withBinaryFile,
  )
import System.IO.Error (ioeSetFileName, isAlreadyExistsError, modifyIOError)
import System.Posix.Files
  ( deviceID,
    fileID,
    fileSize,
    getFdStatus,
    getFileStatus,
    isDirectory,
    isNamedPipe,
    isRegularFile,
    isSocket,
  )
import System.Posix.IO (stdInput)

-- | Is it the name of the standard input, or of the standard output?
isStandard :: FilePath -> Bool
isStandard = (== "-")

-- | Is it a stream? See Note [Files and streams]. It fails if nothing has this name, and if a
-- folder has it.
isStream :: FilePath -> IO Bool
isStream path
  | isStandard path = pure True
  | otherwise = do
    status <- getFileStatus path
    when (isDirectory status) $ failed (path ++ ": is a directory")
    pure (not (isRegularFile status))

-- | Refuse a stream, for a command that reads here and there, or twice.
needFile ::
  -- | The name of the command.
  String ->
  FilePath ->
  IO ()
needFile command path = do
  stream <- isStream path
  when stream . failed $
    path ++ ": " ++ command ++ " needs a file, not a stream; save it to a file first"

-- | Refuse a command that would read a stream twice, under whatever names, given all of its inputs.
-- The second would be empty, or never come.
readOnce :: [FilePath] -> IO ()
readOnce = go []
  where
    go seen paths = case paths of
      [] -> pure ()
      path : rest -> do
        stream <- identity path
        when (isJust stream && stream `elem` seen) $
          failed (path ++ ": a stream can be read only once")
        go (stream : seen) rest
    -- (What is wrong with the others is said where they are opened.)
    identity path
      | isStandard path = identified True <$> getFdStatus stdInput
      | otherwise = (identified False <$> getFileStatus path) `catch` missing
    identified standard status
      | standard || isNamedPipe status || isSocket status = Just (deviceID status, fileID status)
      | otherwise = Nothing
    missing :: IOException -> IO (Maybe a)
    missing _ = pure Nothing

-- | Run an action with a file or a stream.
withInput :: FilePath -> (Handle -> IO a) -> IO a
withInput path act
  | isStandard path = modifyIOError named (hSetBinaryMode stdin True >> act stdin)
  | otherwise = do
    stream <- isStream path
    -- (withBinaryFile would give exceptions of the action the name of this file.)
    bracket (if stream then openStream path else openBinaryFile path ReadMode) hClose act
  where
    named e = if ioe_handle e == Just stdin then e {ioe_filename = Just path} else e

-- | The same, for blocks of records.
withBlocks :: FilePath -> (Input -> IO a) -> IO a
withBlocks path act = do
  stream <- isStream path
  if stream
    then withInput path (\h -> handleSource h >>= sourceInput path >>= act)
    else bracket (openToRead path) closeFile (\fd -> fileInput path fd >>= act)

-- | How many bytes a file has. 'Nothing' for a stream.
fileSizeOf :: FilePath -> IO (Maybe Int64)
fileSizeOf path = do
  stream <- isStream path
  if stream then pure Nothing else Just . fromIntegral . fileSize <$> getFileStatus path

-- Open a stream, and wait for its writer. Exceptions must be masked; they are let in meanwhile.
openStream :: FilePath -> IO Handle
openStream path = do
  opened <- try (openToReadStream path)
  case opened of
    Right file ->
      fdToHandle' (fromIntegral (openFd file)) Nothing False path ReadMode True
        `onException` closeFile file
    Left e
      -- A signal came. Its handler, which may end the program, is a thread of its own.
      | fmap Errno (ioe_errno e) == Just eINTR -> threadDelay 10000 >> openStream path
      | otherwise -> throwIO e

-- | What a command writes.
data Target = Target
  { -- | Its name, or @-@ for the standard output.
    targetPath :: FilePath,
    -- | May it exist?
    targetForce :: Bool,
    -- | Where the standard output goes.
    targetHandles :: Handles
  }

-- | An output in the making. See Note [Output that comes to be whole].
data Pending = Pending
  { -- | The file that has it until it is whole.
    pendingFile :: FilePath,
    -- | Its name in messages.
    pendingName :: FilePath,
    _pendingGoal :: Goal
  }

data Goal
  = -- | A file, which may replace another.
    Named Replace.Pending
  | -- | The standard output.
    ToOutput Handles

-- | Begin an output, given what it is made of. Exceptions must be masked.
pending :: Target -> [FilePath] -> IO Pending
pending (Target path force hs) inputs
  | isStandard path = do
    folder <- getTemporaryDirectory
    (temporary, h) <-
      modifyIOError (`ioeSetFileName` folder) (openBinaryTempFile folder "ashlar.part")
    hClose h
    pure (Pending temporary folder (ToOutput hs))
  | otherwise = do
    there <- doesPathExist path
    when there $ do
      -- (Under whatever name: there are hard links.)
      same <- mapM (sameFile path) (filter (not . isStandard) inputs)
      when (or same) $ failed (path ++ ": is an input, too")
      regular <- isRegularFile <$> getFileStatus path
      unless regular $
        failed (path ++ ": is not a regular file; say -o - for the standard output")
      unless force $ failed (path ++ exists)
    new <- Replace.beside path force
    pure (Pending (Replace.pendingFile new) path (Named new))

exists :: String
exists = ": exists; say --force to replace it"

-- | Run what writes the file of an output. What goes wrong with that file has the name that the
-- user knows: for the standard output, it is the folder in which the output is kept.
naming :: Pending -> IO a -> IO a
naming p act = act `catches` [Handler system, Handler locked, Handler damage]
  where
    (temporary, name) = (pendingFile p, pendingName p)
    system e = throwIO (if ofOutput e then e {ioe_filename = Just name} else e)
    ofOutput e = ioe_filename e == Just temporary
    locked (FileLocked path) = throwIO (FileLocked (known path))
    damage d = throwIO (d {damageFile = known (damageFile d)})
    known path = if path == temporary then name else path

-- | It is whole, and gets its name. Exceptions must be masked.
settled :: Pending -> IO ()
settled p@(Pending temporary _ goal) = case goal of
  ToOutput hs -> naming p (copied hs) `finally` abandoned p
  Named new -> naming p (Replace.moveIntoPlace new) `catch` there
  where
    copied hs = withBinaryFile temporary ReadMode $ \h ->
      let go = do
            bytes <- B.hGetSome h 65536
            unless (B.null bytes) $ do
              putBytes hs bytes
              wanted <- isWanted hs
              when wanted go
       in go
    -- A file that came to be meanwhile is not replaced.
    there e = if isAlreadyExistsError e then failed (pendingName p ++ exists) else throwIO e

-- | It is given up. Exceptions must be masked.
abandoned :: Pending -> IO ()
abandoned (Pending temporary _ goal) = case goal of
  Named new -> Replace.abandoned new
  ToOutput _ -> removeFile temporary `catch` ignored
  where
    -- What failed before says why.
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | Make an output, given what it is made of, and how to write it to a file of this name. If that
-- fails, nothing has changed.
making :: Target -> [FilePath] -> (FilePath -> IO a) -> IO a
making target inputs act = mask $ \restore -> do
  p <- pending target inputs
  result <- restore (naming p (act (pendingFile p))) `onException` abandoned p
  result <$ settled p
