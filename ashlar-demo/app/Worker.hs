{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Worker
-- Description : One phase of one library, in a process of its own
--
-- The peak memory of a process never goes down, so each phase has a process of its own. It is this
-- program with special arguments. It reads the database from stdin, and writes its measurements to
-- stdout.
module Worker
  ( Task (..),
    Phase (..),
    Measured (..),
    runInWorker,
    workerTask,
    work,
  )
where

import Ashlar.Get (handleSource)
import Control.DeepSeq (rnf)
import Control.Exception (evaluate, throwIO, try)
import Control.Monad (unless)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.List (find)
import qualified Data.Text as T
import Failure
import GHC.Clock (getMonotonicTime)
import Package
import Parse
import Progress
import Streams
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..), exitWith)
import System.IO
import System.IO.Error (isResourceVanishedError)
import System.Mem (performMajorGC)
import System.Process
import Text.Read (readMaybe)

-- | The task of a worker.
data Task = Task
  { taskPhase :: Phase,
    taskLibrary :: String,
    -- | How often the records are repeated.
    taskTimes :: Int,
    -- | The file to write or read.
    taskFile :: FilePath
  }
  deriving stock (Read, Show)

-- | Decoding also checks that the records are those that were written.
data Phase = Encode | Decode
  deriving stock (Read, Show)

-- | What a worker measures.
data Measured = Measured
  { measuredSeconds :: Double,
    -- | The size of the file.
    measuredBytes :: Integer,
    -- | The peak memory of the process in bytes.
    measuredPeak :: Integer,
    -- | The same before the phase started.
    measuredPeakBefore :: Integer
  }
  deriving stock (Read, Show)

-- | Combine two measurements of the same phase: the least time, since noise only adds, and the most
-- memory.
instance Semigroup Measured where
  Measured s bytes p b <> Measured s' _ p' b' = Measured (min s s') bytes (max p p') (max b b')

workerFlag :: String
workerFlag = "--worker"

-- | The task of this process, if it is a worker.
workerTask :: [String] -> Maybe Task
workerTask args = case args of
  [flag, task] | flag == workerFlag -> readMaybe task
  _ -> Nothing

-- | Let a worker process do a task with this database.
runInWorker :: S.ByteString -> Task -> IO Measured
runInWorker database task = do
  self <- getExecutablePath
  -- The worker gets Ctrl-C. If that ends it, waitForProcess throws here too.
  let process =
        (proc self [workerFlag, show task])
          { std_in = CreatePipe,
            std_out = CreatePipe,
            delegate_ctlc = True
          }
  withCreateProcess process $ \toWorker fromWorker _ worker -> do
    mapM_ (ignoringClosed . giveDatabase) toWorker
    answer <- maybe (pure S.empty) S.hGetContents fromWorker
    code <- waitForProcess worker
    case (code, readMaybe (map (toEnum . fromEnum) (S.unpack answer))) of
      (ExitSuccess, Just measured) -> pure measured
      (ExitSuccess, Nothing) -> failure "a worker gave no answer"
      -- The worker has printed the reason.
      (ExitFailure n, _) | n > 0 -> exitWith code
      (ExitFailure n, _) -> failure (taskLibrary task ++ ": ended by signal " ++ show (negate n))
  where
    giveDatabase h = hSetBinaryMode h True >> S.hPut h database >> hClose h
    -- A worker that ended early has reported its own error.
    ignoringClosed act =
      try act >>= either (\e -> unless (isResourceVanishedError e) (throwIO e)) pure

-- | Work as a worker process.
work :: Task -> IO ()
work task = do
  hSetBinaryMode stdin True
  packages <- handleSource stdin >>= packagesFrom >>= either throwIO pure
  library <-
    maybe (failure "no such library") pure (find ((taskLibrary task ==) . libraryName) libraries)
  measured <- case taskPhase task of
    Encode -> withBinaryFile (taskFile task) WriteMode $ \h ->
      measure task h (encodeStream library h (taskTimes task) packages >> hFlush h)
    Decode -> do
      measured <- withBinaryFile (taskFile task) ReadMode $ \h ->
        measure task h (decodeStream library h (evaluate . rnf))
      withBinaryFile (taskFile task) ReadMode $ \h ->
        withProgress
          (taskLibrary task ++ ", comparing")
          h
          (compareAll library h (taskTimes task) packages)
      pure measured
  print measured

-- The cost of an action on an open file.
measure :: Task -> Handle -> IO () -> IO Measured
measure task h act = do
  performMajorGC
  before <- peakMemory
  seconds <- withProgress (taskLibrary task ++ ", " ++ phase) h $ do
    t0 <- getMonotonicTime
    act
    t1 <- getMonotonicTime
    pure (t1 - t0)
  peak <- peakMemory
  bytes <- hFileSize h
  pure (Measured seconds bytes peak before)
  where
    phase = case taskPhase task of
      Encode -> "encoding"
      Decode -> "decoding"

-- Fail unless the file holds these records, repeated this often.
compareAll :: Library -> Handle -> Int -> [Package] -> IO ()
compareAll library h times packages = do
  expected <- newIORef (concat (replicate times packages))
  decodeStream library h $ \p -> do
    ps <- readIORef expected
    case ps of
      q : rest
        | p == q -> writeIORef expected rest
        | otherwise -> failure ("package " ++ T.unpack (packageName q) ++ " came back different")
      [] -> failure "more records came back than were written"
  left <- readIORef expected
  unless (null left) $ failure "fewer records came back than were written"

-- The peak memory of this process in bytes, as the kernel counts it.
peakMemory :: IO Integer
peakMemory = do
  status <- readFile "/proc/self/status"
  case [n | ["VmHWM:", kib, "kB"] <- map words (lines status), Just n <- [readMaybe kib]] of
    n : _ -> pure (1024 * n)
    [] -> failure "no VmHWM in /proc/self/status"
