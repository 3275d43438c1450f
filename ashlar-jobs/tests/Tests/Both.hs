{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Both
-- Description : A law for each engine, and engines that lose data
module Tests.Both
  ( onBoth,
    Faulty (..),
    beside,
    eager,
    small,
    thrownBy,
    dies,
    runAlone,
  )
where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Engine.Redis
import Ashlar.Jobs.Internal.Worker (Step (..), newStep)
import Control.Concurrent
import Control.Exception
import Control.Monad (void)
import qualified Data.ByteString.Char8 as C
import Data.IORef
import qualified Database.Redis as R
import Test.Tasty
import Test.Tasty.QuickCheck hiding (collect)
import Tests.Server
import Tests.Types

-- | An engine, and ways to take data from it.
data Faulty = Faulty
  { faulty :: Engine,
    losing :: Loss -> IO (),
    -- | Keep what there is. The action that is returned brings it back.
    keepingCopy :: IO (IO ())
  }

-- | A law, on the engine in this process and on Redis.
onBoth :: String -> (Faulty -> IO Property) -> TestTree
onBoth name law =
  testGroup
    name
    [ testProperty "memory" . once . ioProperty $ do
        mem <- newMemory WaitForOthers
        law (Faulty (memoryEngine mem) (lose mem) (snapshot mem)),
      testProperty "Redis" . once . ioProperty . withServer $ \server ->
        withRedis (optionsFor server) {redisWait = 50000, redisPatience = 10000000} $ \redis ->
          bracket (R.connect (redisConnect (optionsFor server))) R.disconnect $ \c ->
            law (Faulty (redisEngine redis "rows") (loseKeys c) (dumped c))
    ]

loseKeys :: R.Connection -> Loss -> IO ()
loseKeys c loss = case loss of
  LoseEverything -> void (R.runRedis c R.flushall)
  LoseTasks -> matching "tasks"
  LoseResult n -> matching ("result:" <> C.pack (show n))
  LoseSchemas -> matching "schemas"
  LoseAside -> matching "aside"
  where
    matching what = do
      found <- R.runRedis c (R.keys ("*:" <> what)) >>= either (fail . show) pure
      if null found then fail "no such key" else void (R.runRedis c (R.del found))

dumped :: R.Connection -> IO (IO ())
dumped c = do
  names <- R.runRedis c (R.keys "*") >>= right
  values <- mapM (\k -> R.runRedis c (R.dump k) >>= right) names
  -- Nobody may see half of it.
  pure $ do
    done <- R.runRedis c . R.multiExec $ do
      _ <- R.flushall
      mapM_ (\(k, v) -> R.restore k 0 v) (zip names values)
      R.ping
    case done of
      R.TxSuccess _ -> pure ()
      other -> fail (show other)
  where
    right :: Show e => Either e a -> IO a
    right = either (fail . show) pure

-- | An action in another thread: how to wait for it. It ends with the scope.
beside :: IO a -> (IO a -> IO b) -> IO b
beside action inner = do
  result <- newEmptyMVar
  bracket (forkIO (try action >>= putMVar result)) killThread $ \_ ->
    inner (readMVar result >>= either (\e -> throwIO (e :: SomeException)) pure)

-- | A worker that tries again at once.
eager :: WorkerOptions
eager = defaultWorkerOptions {workerRetry = 0}

-- | Batches of some ten records.
small :: SubmitOptions
small = inBatches 300 1000

-- | What an action throws.
thrownBy :: Show a => IO a -> IO (Either JobException String)
thrownBy action = fmap show <$> try action

-- | Whoever uses this engine is dead from the moment on at which the action is run. It cannot be
-- caught as an error of the function.
dies :: Engine -> IO (Engine, IO ())
dies e = do
  dead <- newIORef False
  let alive :: IO a -> IO a
      alive action = do
        now <- readIORef dead
        if now then throwIO ThreadKilled else action
  pure
    ( e
        { engineTake = \r n i -> alive (engineTake e r n i),
          engineHold = \r n d h -> alive (engineHold e r n d h),
          engineStore = \r n k b a -> alive (engineStore e r n k b a),
          engineAcknowledge = \r d -> alive (engineAcknowledge e r d)
        },
      writeIORef dead True
    )

-- | Work in this thread until the job is done. A worker that dies is followed by another one, which
-- takes its batch at once. Returns how many have died.
runAlone :: WorkerOptions -> Engine -> Job Row Answer -> (IO () -> Row -> IO Answer) -> IO Int
runAlone options engine j f = go 0
  where
    go n = do
      (mortal, kill') <- dies engine
      current <- newIORef Nothing
      step <- newStep options {workerIdle = 0} "alone" current mortal j (f kill')
      ended <- try (untilDone step)
      case ended of
        Right () -> pure n
        Left ThreadKilled | n < (1000 :: Int) -> go (n + 1)
        Left ex -> throwIO ex
    untilDone step = step >>= \s -> if s == AllDone then pure () else untilDone step
