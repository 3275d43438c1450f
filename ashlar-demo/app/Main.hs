-- |
-- Module      : Main
-- Description : Real records through ashlar and other libraries
module Main (main) where

import Ashlar.Codec (encodedSize)
import Ashlar.Get (DecodeError (..), newSource)
import Control.Concurrent (myThreadId, throwTo)
import Control.Exception (bracket, displayException)
import Control.Monad (forM, forM_, replicateM, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Failure
import GHC.IO.Encoding (getFileSystemEncoding)
import Options
import Package
import Parse
import Report
import Streams
import System.Directory (getTemporaryDirectory, removeFile)
import System.Environment (getArgs)
import System.Exit (ExitCode (..))
import System.IO (hClose, hSetEncoding, openBinaryTempFile, stderr, stdout)
import System.Posix.Signals (Handler (Catch), installHandler, sigHUP, sigTERM)
import Text.Printf (printf)
import Worker

main :: IO ()
main = do
  -- File names are printed unchanged, in any locale.
  encoding <- getFileSystemEncoding
  mapM_ (`hSetEncoding` encoding) [stdout, stderr]
  args <- getArgs
  case workerTask args of
    Just task -> reportingFailures ("ashlar-demo, with " ++ taskLibrary task) (work task)
    Nothing -> reportingFailures "ashlar-demo" $ case parseOptions args of
      Left message -> failure (message ++ "\nTry: ashlar-demo --help")
      Right Help -> putStr usage
      Right (Measure options) -> run options

run :: Options -> IO ()
run (Options file megabytes) = do
  database <- S.readFile file
  packages <- parse file database
  when (null packages) $ failure (file ++ ": no records in it")
  let count = length packages
      once = sum (map encodedSize packages)
      times = (megabytes * 1000000 + once - 1) `quot` once
  exitOnSignals
  -- Other load on the machine should affect all libraries.
  measured <- replicateM rounds $
    forM libraries $ \library ->
      withTemporaryFile $ \path -> do
        let phase p = runInWorker database (Task p (libraryName library) times path)
        Row (libraryName library) <$> phase Encode <*> phase Decode
  let rows = foldr1 (zipWith (<>)) measured
  printf
    "%s: %d records of about %d bytes, written %d times over.\n"
    file
    count
    (once `quot` count)
    times
  printf "The best of %d rounds.\n\n" rounds
  putStr (report rows)
  putStr (explanation rows)
  printf
    "\nEvery record came back equal: %d records x %d libraries x %d rounds.\n"
    (count * times)
    (length rows)
    rounds

-- | How often everything is measured.
rounds :: Int
rounds = 3

-- | The records of a database.
parse :: FilePath -> S.ByteString -> IO [Package]
parse file database = do
  rest <- newIORef database
  source <- newSource (readIORef rest <* writeIORef rest S.empty)
  packagesFrom source >>= either (failure . describe) pure
  where
    describe e =
      file ++ ": line " ++ show (lineOf (fromIntegral (errorOffset e))) ++ ", "
        ++ displayException e
    lineOf offset = 1 + S.count 10 (S.take offset database)

-- | A file that is removed at the end, also after an exception.
withTemporaryFile :: (FilePath -> IO a) -> IO a
withTemporaryFile = bracket create removeFile
  where
    create = do
      directory <- getTemporaryDirectory
      (path, h) <- openBinaryTempFile directory "ashlar-demo"
      path <$ hClose h

-- | By default GHC does not run the handlers of brackets when it gets one of these signals.
exitOnSignals :: IO ()
exitOnSignals = do
  me <- myThreadId
  forM_ [sigHUP, sigTERM] $ \signal ->
    installHandler signal (Catch (throwTo me (ExitFailure (128 + fromIntegral signal)))) Nothing

explanation :: [Row] -> String
explanation rows =
  unlines
    [ "",
      "MB is 10^6 bytes; MB/s are of the library's own file. ashlar's share is",
      "ashlar's time divided by the library's. Writing includes the kernel's part,",
      "but not the disk's. Decoding includes forcing each record; comparing is a",
      "second pass, which is not timed. (store has text in the form that the",
      "package text has in memory, in larger files; the others have UTF-8.) Peak is",
      "the most memory that the process of a phase held (VmHWM); when the phase",
      printf
        "began, with the original records, that had been %.1f MB or less."
        (fromIntegral base / 1.0e6 :: Double)
    ]
  where
    base = maximum [measuredPeakBefore (part row) | row <- rows, part <- [rowEncode, rowDecode]]
