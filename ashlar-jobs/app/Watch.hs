-- |
-- Module      : Watch
-- Description : Progress, and who did what
module Watch (watch) where

import Ashlar.Jobs
import Control.Concurrent (forkIO, killThread, threadDelay)
import Control.Exception (bracket, evaluate)
import Control.Monad (forM_, forever)
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Text as T
import qualified Data.Text.IO as T
import Function
import GHC.Clock (getMonotonicTime)
import Numeric (showFFloat)
import System.Exit (exitFailure)
import System.IO (BufferMode (LineBuffering), hSetBuffering, stdout)

-- | Collect the results of the records from 0 on, show progress each second, and compare them with
-- those of this process. It fails if they differ.
watch :: Engine -> Job Reading Quality -> Int -> Int64 -> IO ()
watch engine j rounds total = do
  hSetBuffering stdout LineBuffering
  begin <- getMonotonicTime
  let seconds = subtract begin <$> getMonotonicTime
      look = forever (threadDelay 1000000 >> progress engine seconds)
      next (acc, failed) c = case collectedResults c of
        Left f -> pure (acc, f : failed)
        Right xs -> (\s -> (s, failed)) <$> evaluate (List.foldl' addResult acc xs)
  (got, failed) <- bracket (forkIO look) killThread (const (collect engine j next (noSum, [])))
  took <- seconds
  progress engine seconds
  s <- status engine
  putStrLn "who did what:"
  forM_ (statusWorkers s) $ \(name, n) ->
    T.putStrLn (T.concat [T.pack "  ", name, T.pack ": ", T.pack (show n), T.pack " batches"])
  forM_ (reverse failed) print
  putStrLn (show (sumRecords got) ++ " records in " ++ rounded took ++ " s, " ++ rate got took)
  let expected = List.foldl' addResult noSum (map (quality rounds . reading) [0 .. total - 1])
  putStrLn ("the results: " ++ show got)
  putStrLn ("one process: " ++ show expected)
  if got == expected && null failed
    then putStrLn "They are equal."
    else putStrLn "They are NOT equal." >> exitFailure
  where
    rate s t = rounded (fromIntegral (sumRecords s) / t / 1000) ++ " thousand a second"

progress :: Engine -> IO Double -> IO ()
progress engine seconds = do
  t <- seconds
  s <- status engine
  putStrLn $
    rounded t ++ " s: " ++ show (progressBatches (statusProgress s)) ++ " batches submitted, "
      ++ show (statusTasks s)
      ++ " wait or are in work, "
      ++ show (statusStored s)
      ++ " done, "
      ++ show (statusCollected s)
      ++ " collected, "
      ++ show (statusAside s)
      ++ " with records set aside"
      ++ (if statusLost s > 0 then ", " ++ show (statusLost s) ++ " LOST" else "")

rounded :: Double -> String
rounded x = showFFloat (Just 1) x ""
