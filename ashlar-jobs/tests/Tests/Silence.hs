{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Silence
-- Description : Connections that nobody has closed, and nobody answers
--
-- The host of Redis loses its power, or is replaced. Whoever waits for a reply is not told. Whoever
-- sends something is: the connection breaks. Programs connect through a relay that does this.
module Tests.Silence (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine.Redis
import Control.Concurrent
import Control.Exception
import Control.Monad (forM_, forever, unless, void, when)
import qualified Data.ByteString as S
import Data.IORef
import Network.Socket
import Network.Socket.ByteString (recv, sendAll)
import System.FilePath ((</>))
import Test.QuickCheck hiding (collect)
import Test.Tasty
import Test.Tasty.QuickCheck (testProperty)
import Tests.Server
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "connections that fell silent"
    [ testProperty "a worker and the collector, waiting for batches" (once (ioProperty others)),
      testProperty "the submitter, waiting for space" (once (ioProperty submitter)),
      testProperty "a command that has been received" (once (ioProperty reply))
    ]

-- | Like the server, but through a relay, an action that silences all connections so far, and one
-- that silences the next that gets a reply.
withRelay :: Server -> (Server -> IO () -> IO () -> IO a) -> IO a
withRelay server action = do
  silenced <- newIORef (0 :: Int)
  opened <- newIORef (0 :: Int)
  losing <- newIORef False
  let path = serverFolder server </> "relay"
      unixSocket = socket AF_UNIX Stream defaultProtocol
      serve listening = forever $ do
        (here, _) <- accept listening
        number <- atomicModifyIORef' opened (\n -> (n + 1, n))
        there <- unixSocket
        connect there (SockAddrUnix (serverSocket server))
        lost <- newIORef False
        let silent = (||) <$> readIORef lost <*> ((number <) <$> readIORef silenced)
            replied = atomicModifyIORef' losing ((,) False) >>= \l -> when l (writeIORef lost True)
            ended = shutdown here ShutdownBoth `catch` ignored
            copy :: Socket -> Socket -> IO () -> IO () -> IO ()
            copy from to received whenSilent = do
              bytes <- recv from 65536
              received
              quiet <- silent
              if S.null bytes
                then unless quiet ended
                else
                  if quiet
                    then whenSilent
                    else sendAll to bytes >> copy from to received whenSilent
        -- What Redis says is lost. What the program says breaks the connection.
        void . forkIO $ copy there here replied (pure ()) `catch` ignored
        void . forkIO $
          (copy here there (pure ()) ended `catch` ignored) `finally` (ended >> close there)
  bracket unixSocket close $ \listening -> do
    bind listening (SockAddrUnix path)
    listen listening 16
    bracket (forkIO (serve listening)) killThread . const $
      action
        server {serverSocket = path}
        (readIORef opened >>= writeIORef silenced)
        (writeIORef losing True)
  where
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | With another engine, which has less patience than a test of this kind may take.
with :: Server -> (Redis -> IO a) -> IO a
with server = withRedis (optionsFor server) {redisPatience = 8000000}

-- | In another thread: how to wait for it.
begin :: IO a -> IO (IO a)
begin action = do
  result <- newEmptyMVar
  _ <- forkIO (try action >>= putMVar result)
  pure (takeMVar result >>= either (\e -> throwIO (e :: SomeException)) pure)

others :: IO Property
others = withServer $ \server -> withRelay server $ \relay silence _ ->
  with server $ \direct -> with relay $ \one -> with relay $ \other -> do
    let engine r = redisEngine r "rows"
        j = rows "rows"
    wait <- newEmptyMVar
    submitted <- begin . submitWith (inBatches 1 8) (engine direct) j $ \_ give -> do
      forM_ [0 .. 9] (give . rowOf)
      takeMVar wait
      forM_ [10 .. 19] (give . rowOf)
    -- Redis gives the next batch to the worker that is gone. It takes it after the idle time.
    let options = defaultWorkerOptions {workerIdle = 500000}
    worked <- begin (workerWith options (engine one) j (pure . answer))
    collected <- begin (results (engine other) j)
    waitUntil "what was submitted" ((>= 9) . statusCollected <$> status (engine direct))
    -- Both wait: one for a batch, one for a result.
    threadDelay 200000
    silence
    putMVar wait ()
    n <- submitted
    _ <- worked
    got <- collected
    pure (n === 20 .&&. complete 20 got)

submitter :: IO Property
submitter = withServer $ \server -> withRelay server $ \relay silence _ ->
  with server $ \direct -> with relay $ \one -> do
    let j = rows "rows"
        engine r = redisEngine r "rows"
    submitted <- begin (submitWith (inBatches 1 4) (engine one) j (counting 20))
    waitUntil "the limit" ((== 4) . statusTasks <$> status (engine direct))
    threadDelay 200000
    silence
    worked <- begin (worker (engine direct) j (pure . answer))
    got <- results (engine direct) j
    n <- submitted
    _ <- worked
    pure (n === 20 .&&. complete 20 got)

reply :: IO Property
reply = withServer $ \server -> withRelay server $ \relay _ lose ->
  with relay $ \one -> do
    let engine = redisEngine one "rows"
    lose
    n <- submitWith (inBatches 1000 100) engine (rows "rows") (counting 20)
    lose
    s <- status engine
    pure (n === 20 .&&. progressRecords (statusProgress s) === 20)
