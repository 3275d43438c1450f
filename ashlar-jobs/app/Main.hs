-- |
-- Module      : Main
-- Description : The demonstration of ashlar-jobs
module Main (main) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine.Redis
import Control.Monad (forM_)
import Function
import Measure
import Options
import System.Environment (getArgs)
import Watch

main :: IO ()
main = do
  options <- parseOptions
  withRedis (optionRedis options) $ \redis -> do
    let engine = redisEngine redis (optionJob options)
        j = demo (optionJob options)
    case optionCommand options of
      Submit total -> do
        n <- submit engine j (\n give -> forM_ [n .. total - 1] (give . reading))
        putStrLn (show n ++ " records submitted")
      DoWork work -> case workKind work of
        Just "echo" -> echo engine
        Just _ -> echoBytes engine
        Nothing -> do
          let workerOptions =
                defaultWorkerOptions
                  { workerName = workName work,
                    workerIdle = 1000 * workIdleTime work
                  }
          done <- workerWith workerOptions engine j (pure . quality (optionRounds options))
          print done
      Watch total -> watch engine j (optionRounds options) total
      Measure total -> do
        arguments <- takeWhile (/= "measure") <$> getArgs
        measure redis arguments total
      Forget -> forget engine
