{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Main
-- Description : The programs of a job, while @scripts/faults-jobs@ does things to them
--
-- Each exception of a job is written to the standard error, and ends the program with status 2.
module Main (main) where

import Ashlar.Codec (Codec)
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Redis
import Ashlar.Jobs.Envelope
import Ashlar.Schema
import Control.Concurrent (threadDelay)
import Control.Exception (displayException, handle)
import Control.Monad (foldM_, forM_, unless)
import qualified Data.ByteString.Char8 as C
import Data.IORef
import Data.Int (Int64)
import qualified Data.Text as T
import qualified Data.Vector.Unboxed as V
import qualified Database.Redis as R
import Function (Quality, Reading (..), quality, reading)
import GHC.Generics (Generic)
import System.Directory (doesFileExist)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)

main :: IO ()
main = handle failed $ do
  host : args <- getArgs
  let options =
        defaultRedisOptions {redisConnect = R.defaultConnectInfo {R.connectHost = host}}
  withRedis options $ \redis -> do
    let engine = redisEngine redis name
    case args of
      ["submit", total, bytes] -> submitAll engine (read total) (read bytes)
      ["work", version, who, delay] -> workAs version (T.pack who) (read delay) engine
      ["collect", total, file] -> collectAll engine (read total) file
      ["end"] -> checkEnd engine
      _ -> fail "usage: HOST submit|work|collect|end ..."
  where
    failed e = do
      hPutStrLn stderr (displayException (e :: JobException))
      exitWith (ExitFailure 2)

name :: T.Text
name = "faults"

-- | The records are those of the demonstration.
type Faults a = Job a Quality

-- | Continues if it was killed. It may have been killed when all was done.
submitAll :: Engine -> Int64 -> Int -> IO ()
submitAll engine total bytes =
  handle submittedBefore $ do
    n <- submitWith options engine (job name :: Faults Reading) $ \n give ->
      forM_ [n .. total - 1] (give . reading)
    unless (n == total) (fail (show n ++ " records were submitted"))
  where
    options = defaultSubmitOptions {submitBatchBytes = bytes, submitWarn = const (pure ())}
    submittedBefore e = case e of
      AlreadySubmitted n | n == total -> pure ()
      _ -> failed e
    failed e = hPutStrLn stderr (displayException e) >> exitWith (ExitFailure 2)

-- | A worker of a version that has one more field.
data NewReading = NewReading
  { number :: Int64,
    sensor :: T.Text,
    values :: V.Vector Double,
    unit :: Maybe T.Text
  }
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described NewReading where
  evolution = [added @"unit" Nothing]

-- | One of a version that cannot read the records.
data OtherReading = OtherReading {number :: Int64, sensor :: Int64, values :: V.Vector Double}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- | Works, with this number of milliseconds before each command.
workAs :: String -> T.Text -> Int -> Engine -> IO ()
workAs version who delay engine = case version of
  "same" -> run (job name :: Faults Reading) id
  "newer" -> run (job name) (\(NewReading n s v _) -> Reading n s v)
  "other" -> run (job name) (\(OtherReading n _ v) -> Reading n "" v)
  "another-job" -> run (job "another" :: Faults Reading) id
  _ -> fail version
  where
    run :: Codec a => Faults a -> (a -> Reading) -> IO ()
    run j older = print =<< workerWith options slow j (pure . quality rounds . older)
    options = defaultWorkerOptions {workerName = Just who, workerIdle = 1000000}
    slow =
      engine
        { engineTake = \r w idle -> wait >> engineTake engine r w idle,
          engineStore = \r w n bytes aside -> wait >> engineStore engine r w n bytes aside,
          engineAcknowledge = \r d -> wait >> engineAcknowledge engine r d
        }
    wait = threadDelay (1000 * delay)

rounds :: Int
rounds = 10

-- | Compares each record with what this process computes. The file has a line for each batch: the
-- number of the record that is next, and whether the batch was computed by a later attempt.
-- If this was killed and is started again, it continues there, and may get the last batch again.
collectAll :: Engine -> Int64 -> FilePath -> IO ()
collectAll engine total file = do
  there <- doesFileExist file
  begun <- if there then lastLine <$> C.readFile file else pure 0
  attempts <- newIORef 0
  first <- newIORef True
  let watched r n = do
        stored <- engineResult engine r n
        stored <$ case stored of
          Stored _ bytes ->
            mapM_ (writeIORef attempts . envelopeAttempt) (decodeEnvelope bytes)
          _ -> pure ()
      next at c = do
        isFirst <- readIORef first
        writeIORef first False
        xs <- either (wrong at . ("set aside: " ++) . show) pure (collectedResults c)
        let begin = collectedFirst c
            end = begin + fromIntegral (length xs)
            again = isFirst && end == at
        unless (begin == at || again) . wrong at $
          (if begin < at then "twice" else "lost") ++ ": the next is record " ++ show begin
        foldM_ same begin xs
        n <- readIORef attempts
        unless again . C.appendFile file . C.pack $
          show end ++ " " ++ (if n > 1 then "later" else "first") ++ "\n"
        pure end
      same n x
        | x == quality rounds (reading n) = pure (n + 1)
        | otherwise = wrong n ("another result: " ++ show x)
      release r n = threadDelay 2000 >> engineRelease engine r n
      slow = engine {engineResult = watched, engineRelease = release}
  end <- collect slow (job name :: Faults Reading) next begun
  unless (end == total) (wrong end "nothing follows")
  where
    wrong :: Int64 -> String -> IO a
    wrong n why = do
      hPutStrLn stderr ("record " ++ show n ++ ": " ++ why)
      exitWith (ExitFailure 1)
    lastLine bytes = case map C.readInt (reverse (C.lines bytes)) of
      Just (n, _) : _ -> fromIntegral n
      _ -> 0

-- | When all programs have ended: each batch had one result, and nothing is left to do.
checkEnd :: Engine -> IO ()
checkEnd engine = do
  s <- status engine
  let batches = progressBatches (statusProgress s)
      sane =
        [statusStored s, statusCollected s, sum (map snd (statusWorkers s))] == replicate 3 batches
          && [statusTasks s, statusAside s, fromIntegral (statusLost s)] == [0, 0, 0]
  unless sane (fail (show s))
  forget engine
