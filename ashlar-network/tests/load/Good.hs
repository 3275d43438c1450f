-- |
-- Module      : Good
-- Description : Peers that ask and compare the answers
module Good (good) where

import Ashlar.Network.Messages
import Control.Concurrent
import Control.Exception
import Control.Monad (forM, forM_, unless)
import Data.IORef
import GHC.Clock (getMonotonicTimeNSec)
import Protocol
import System.Exit (exitFailure)
import System.IO (hPutStrLn, stderr)
import Usage

-- | A number of peers for some seconds. Half of them ask each half a second on average, on a
-- connection of fifty questions, and then on another one. The others are silent between their first
-- question and their last. Prints how many answers there were, and the median and 99.9 % of
-- the first half's latencies in nanoseconds.
good :: Int -> Int -> Int -> IO ()
good port count seconds = do
  start <- getMonotonicTimeNSec
  let end = start + fromIntegral seconds * 1000000000
      ended = (>= end) <$> getMonotonicTimeNSec
  outcomes <- forM [1 .. count] $ \i -> do
    outcome <- newEmptyMVar
    dice <- newDice (i * 7919)
    -- They do not come all at once.
    let peer = do
          roll dice 1000 >>= sleep
          if even i then silent port dice ended else asking port dice ended
    outcome <$ forkIO (try peer >>= putMVar outcome)
  results <- mapM takeMVar outcomes
  let failures = [e | Left e <- results]
      times = concat [ts | Right ts <- results]
  forM_ (take 10 failures) $ \e -> hPutStrLn stderr (displayException (e :: SomeException))
  print (latency times)
  unless (null failures) $ do
    hPutStrLn stderr (show (length failures) ++ " of the good peers failed")
    exitFailure
  where
    asking p dice ended = do
      times <- newIORef []
      let connections = do
            now <- ended
            if now then readIORef times else connection >> connections
          connection = connected p $ \c -> do
            let go :: Int -> IO ()
                go 0 = pure ()
                go n = do
                  roll dice 1000 >>= sleep
                  before <- getMonotonicTimeNSec
                  ask dice c
                  after <- getMonotonicTimeNSec
                  modifyIORef' times (after - before :)
                  now <- ended
                  if now then pure () else go (n - 1)
            go 50
      connections
    silent p dice ended = connected p $ \c -> do
      ask dice c
      let wait = ended >>= \now -> if now then pure () else sleep 500 >> wait
      wait
      [] <$ ask dice c

connected :: Int -> (Connection Question Answer -> IO a) -> IO a
connected port act = bracketOnError (dial port) (const (pure ())) $ \s -> do
  transport <- socketTransport s
  -- The server is the one that is tested: its peers have time.
  withConnection defaultOptions {optionsHandshakeTime = 60000000} questions answers transport $
    \c -> do
      a <- act c
      endSending c
      end <- receive c
      maybe (pure a) (\_ -> fail "an answer after the last question") end

ask :: Dice -> Connection Question Answer -> IO ()
ask dice c = do
  q <- questionOf <$> roll dice 1000000
  send c q
  a <- receive c
  if a == Just (answerTo q)
    then pure ()
    else fail ("a wrong answer to question " ++ show (serial q))
