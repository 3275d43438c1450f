{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Measure
-- Description : The throughput of a job, and that of the engine alone
--
-- Three workers, each a process, return the records as they are. Then three others return the same
-- batches as bytes, without envelopes and records: that is what the engine can do.
module Measure
  ( measure,
    echo,
    echoBytes,
  )
where

import Ashlar.Codec (get)
import Ashlar.File (typeFingerprint)
import Ashlar.File.Internal.Records (decodeBy)
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Redis
import Ashlar.Jobs.Envelope (Kind (Task), envelopeCount)
import Ashlar.Jobs.Internal.Job (decodeRecords, flushOpen, newBody, seal, unseal, writeRecord)
import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (bracket, evaluate)
import Control.Monad (forM_, replicateM, replicateM_, unless, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Text (Text)
import Function
import GHC.Clock (getMonotonicTime)
import Numeric (showFFloat)
import System.CPUTime (getCPUTime)
import System.Environment (getExecutablePath)
import System.Posix.Process (ProcessTimes (..), getProcessTimes)
import System.Process

-- | What the workers of the first part do.
echo :: Engine -> IO ()
echo engine = () <$ worker engine (echoJob "measure") pure

echoJob :: Text -> Job Sample Sample
echoJob = job

-- | What those of the second part do.
echoBytes :: Engine -> IO ()
echoBytes engine = engineJoin engine Nothing >>= go
  where
    go run = do
      taken <- engineTake engine run "bytes" 30000000
      case taken of
        Finished -> pure ()
        NothingYet _ -> go run
        Taken d -> do
          _ <- engineStore engine run "bytes" (deliveryNumber d) (deliveryBytes d) Nothing
          engineAcknowledge engine run d
          go run

-- | The same number of records, both ways. Other processes are started with these arguments.
measure :: Redis -> [String] -> Int64 -> IO ()
measure redis arguments total = do
  jobs <- three (timed "as a job" "echo" asJob)
  bytes <- three (timed "bytes only" "bytes" (asBytes engine))
  putStrLn ("ratio of the best: " ++ rounded (minimum jobs / minimum bytes))
  codec
  where
    engine = redisEngine redis "measure"
    three :: IO a -> IO [a]
    three = replicateM 3
    timed :: String -> String -> IO () -> IO Double
    timed what kind action = do
      engineForget engine Nothing
      t <- bracket (three (startWorker kind)) (mapM_ terminateProcess) $ \workers -> do
        before <- allTimes
        begin <- getMonotonicTime
        action
        end <- getMonotonicTime
        mapM_ waitForProcess workers
        after <- allTimes
        putStr (rounded (after - before) ++ " s of CPU without Redis. ")
        pure (end - begin)
      putStrLn $
        what ++ ": " ++ rounded t ++ " s, " ++ rounded (fromIntegral total / t / 1e6)
          ++ " million records and "
          ++ rounded (fromIntegral total / t / 1e4)
          ++ " MB a second, each way"
      pure t
    startWorker kind = do
      self <- getExecutablePath
      spawnProcess self (arguments ++ ["--job", "measure", "work", "--kind", kind])
    rounded x = showFFloat (Just 2) (x :: Double) ""

    -- The same thousand records again and again, so that making them costs nothing.
    records = map sample [0 .. 999]
    submitAll _ give = forM_ [1 .. total `div` 1000] (const (mapM_ give records))

    asJob = beside (() <$ submit engine (echoJob "measure") submitAll) $ do
      let next n c = pure $! n + either (const 0) List.genericLength (collectedResults c)
      n <- collect engine (echoJob "measure") next 0
      unless (n == total) (fail "another number of records")

    batches = fromIntegral total * 100 `div` S.length batch
    batch = S.concat (replicate 1311 (S.replicate 100 120))
    asBytes e = beside (submitBytes e) (engineJoin e Nothing >>= \run -> collectBytes e run 0)
    submitBytes e = do
      (run, progress) <- engineOpen e S.empty
      let session = progressSession progress
          go n
            | n == fromIntegral batches = () <$ engineClose e run session n
            | otherwise = do
              added <- engineAdd e run (NewBatch session 64 n 0 batch)
              go (if added == Added then n + 1 else n)
      go 0
    collectBytes e run n = do
      stored <- engineResult e run n
      case stored of
        Stored _ bytes -> do
          when (S.length bytes /= S.length batch) (fail "another number of bytes")
          engineRelease e run n
          collectBytes e run (n + 1)
        Ended -> pure ()
        _ -> collectBytes e run n

    -- Envelope and codec alone: what all do to a batch, in one thread.
    codec = do
      let some = take 1310 (cycle records)
          n = fromIntegral total `div` 1310 :: Int
      result <- newIORef S.empty
      body <- newBody 131072 1048576 $ \bytes k ->
        writeIORef result $! seal j Task (typeFingerprint (jobArguments j)) 0 0 0 k bytes
      let sealing = mapM_ (writeRecord body) some >> flushOpen body
      sealing
      sealed <- readIORef result
      writing <- cpu (replicateM_ n sealing)
      reading' <- cpu (forM_ [1 .. n] (const (openedAgain sealed)))
      putStrLn $
        "envelope and codec alone, both ways: " ++ rounded (2 * writing)
          ++ " s of CPU for writing, "
          ++ rounded (2 * reading')
          ++ " s for reading"
    openedAgain bytes = openedOf bytes >>= evaluate . length
    {-# NOINLINE openedAgain #-}
    j = echoJob "measure"
    openedOf :: S.ByteString -> IO [Sample]
    openedOf bytes = do
      (e, body) <- unseal j 0 bytes >>= either (fail . show) pure
      decodeRecords (decodeBy get) (envelopeCount e) body >>= either fail pure

-- The CPU time of an action in this process, in seconds.
cpu :: IO () -> IO Double
cpu action = do
  begin <- getCPUTime
  action
  end <- getCPUTime
  pure (fromIntegral (end - begin) / 1e12)

-- The CPU time of this process and those that have ended, in seconds.
allTimes :: IO Double
allTimes = do
  t <- getProcessTimes
  pure . (/ 100) . fromIntegral . fromEnum $
    userTime t + systemTime t + childUserTime t + childSystemTime t

-- One action beside another one.
beside :: IO () -> IO () -> IO ()
beside a b = do
  done <- newEmptyMVar
  _ <- forkIO (a >> putMVar done ())
  b
  takeMVar done
