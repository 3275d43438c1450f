{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Redis
-- Description : A real Redis, and processes that are killed
module Tests.Redis (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Redis
import Ashlar.Jobs.Internal.Scripts (openScript)
import Control.Concurrent
import Control.Exception
import Control.Monad (forM_, forever, replicateM, replicateM_, void, when)
import qualified Data.ByteString as S
import Data.IORef
import qualified Data.List as List
import qualified Database.Redis as R
import System.Exit (ExitCode (..))
import Test.QuickCheck hiding (again, collect, total)
import Test.Tasty
import Test.Tasty.QuickCheck (testProperty)
import Tests.InUse (inUse)
import Tests.Processes
import Tests.Server
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "Redis"
    [ testProperty "three workers in threads" (onServer threeWorkers),
      testProperty "a worker is killed with -9: others claim what it had" (onServer killedWorker),
      testProperty "the submitter is killed with -9, and started again" (onServer killedSubmitter),
      testProperty "a submitter of 500,000 records, in a heap of 8 MB" (onServer constantMemory),
      testProperty "Redis is killed with -9, and started again" (onServer killedRedis),
      testProperty "Redis becomes a replica, and is promoted" (onServer replaced),
      testProperty "a job whose name begins like another's keys stays" (onServer similarNames),
      testProperty "a run that is gone is not made again, a new one is" (onServer notAgain),
      testProperty "a run that is forgotten while others open it stays so" (onServer opened),
      testProperty "the collector stops, and is started again" (onServer stoppedCollector),
      testProperty "the limit holds, and the submitter waits" (onServer limited),
      testProperty "poisoned batches go aside" (onServer poisoned),
      testProperty "a slow worker is not robbed" (onServer slow),
      testProperty "a worker that is interrupted gives its batch back" (onServer interrupted),
      testProperty "lost batches are noticed" (onServer lost),
      testProperty "a collector beside another one is told" (onServer twoCollectors),
      testProperty "nothing is left over: keys, descriptors, threads" (onServer leftOver)
    ]

onServer :: (Server -> IO Property) -> Property
onServer = once . ioProperty . withServer

-- An engine with connections of its own.
with :: Server -> (Engine -> IO a) -> IO a
with server action = withRedis (optionsFor server) (\redis -> action (redisEngine redis "rows"))

small :: SubmitOptions
small = inBatches 2000 8

quick :: WorkerOptions
quick = defaultWorkerOptions {workerIdle = 500000, workerRetry = 0}

-- An action in another thread: how to wait for it. It ends with the scope.
beside :: IO a -> (IO a -> IO b) -> IO b
beside action inner = do
  result <- newEmptyMVar
  bracket (forkIO (try action >>= putMVar result)) killThread $ \_ ->
    inner (readMVar result >>= either (\e -> throwIO (e :: SomeException)) pure)

threeWorkers :: Server -> IO Property
threeWorkers server =
  with server $ \a -> with server $ \b ->
    beside (submitWith small a (rows "rows") (counting 10000)) $ \submitted ->
      beside (workerWith quick b (rows "rows") (pure . answer)) $ \w1 ->
        beside (workerWith quick b (rows "rows") (pure . answer)) $ \w2 ->
          beside (workerWith quick a (rows "rows") (pure . answer)) $ \w3 -> do
            got <- results a (rows "rows")
            n <- submitted
            done <- sum . map workedBatches <$> sequence [w1, w2, w3]
            end <- status a
            pure $
              conjoin
                [ n === 10000,
                  complete 10000 got,
                  done === List.genericLength got,
                  statusStored end === List.genericLength got,
                  statusTasks end === 0,
                  sum (map snd (statusWorkers end)) === statusStored end
                ]

-- One that hangs at a record is killed there. The others get the batch.
killedWorker :: Server -> IO Property
killedWorker server = with server $ \engine ->
  withChild ["work", serverSocket server, "7777"] $ \hanging ->
    beside (submitWith small engine (rows "rows") (counting 10000)) $ \_ -> do
      -- It is alone, and comes to the record when all batches before it are done.
      waitUntil "the record at which it hangs" $ do
        s <- status engine
        pure (statusStored s > 50 && statusTasks s == 8)
      killChild hanging
      withChild ["work", serverSocket server, "never"] $ \_ ->
        withChild ["work", serverSocket server, "never"] $ \_ -> do
          got <- results engine (rows "rows")
          end <- status engine
          pure (complete 10000 got .&&. counterexample (show end) (length (statusWorkers end) >= 2))

killedSubmitter :: Server -> IO Property
killedSubmitter server = with server $ \engine -> do
  let submitting = withChild ["submit", serverSocket server, "5000", "20000"]
      killAt n = submitting $ \c -> do
        waitUntil "some batches" ((>= n) . progressBatches . statusProgress <$> status engine)
        killChild c
  beside (workerWith quick engine (rows "rows") (pure . answer)) $ \done -> do
    mapM_ killAt [10, 30, 60]
    code <- submitting awaitChild
    again <- submitting awaitChild
    got <- results engine (rows "rows")
    _ <- done
    pure (code === ExitSuccess .&&. again === ExitFailure 4 .&&. complete 20000 got)

constantMemory :: Server -> IO Property
constantMemory server = with server $ \engine ->
  withChild ["submit", serverSocket server, "65536", "500000", "+RTS", "-M8m", "-A512k"] $ \c ->
    beside (workerWith quick engine (rows "rows") (pure . answer)) $ \_ -> do
      let next n x = pure (n + either (const 0) length (collectedResults x))
      n <- collect engine (rows "rows") next 0
      code <- awaitChild c
      pure (code === ExitSuccess .&&. n === 500000)

-- Three times, while all three are at work.
killedRedis :: Server -> IO Property
killedRedis server =
  with server $ \a -> with server $ \b ->
    beside (submitWith small a (rows "rows") (counting 10000)) $ \submitted ->
      beside (workerWith quick b (rows "rows") (pure . answer)) $ \w1 ->
        beside (workerWith quick b (rows "rows") (pure . answer)) $ \w2 ->
          beside (results a (rows "rows")) $ \collected -> do
            forM_ [20, 50, 100] $ \n -> do
              waitUntil "some results" ((>= n) . statusStored <$> status a)
              kill server
              start server
            got <- collected
            n <- submitted
            _ <- w1
            _ <- w2
            end <- status a
            pure $
              conjoin
                [n === 10000, complete 10000 got, statusStored end === List.genericLength got]

-- For a second it takes no commands that write, as after a failover.
replaced :: Server -> IO Property
replaced server =
  with server $ \a -> with server $ \b ->
    bracket (R.connect (redisConnect (optionsFor server))) R.disconnect $ \c ->
      beside (submitWith small a (rows "rows") (counting 10000)) $ \submitted ->
        beside (workerWith quick b (rows "rows") (pure . answer)) $ \w1 ->
          beside (results a (rows "rows")) $ \collected -> do
            forM_ [20, 50] $ \n -> do
              waitUntil "some results" ((>= n) . statusStored <$> status a)
              _ <- R.runRedis c (R.slaveof "127.0.0.1" "9")
              threadDelay 1000000
              R.runRedis c (R.slaveof "no" "one")
            got <- collected
            n <- submitted
            _ <- w1
            pure (n === 10000 .&&. complete 10000 got)

similarNames :: Server -> IO Property
similarNames server = withRedis (optionsFor server) $ \redis -> do
  let other = redisEngine redis "a}:b"
  n <- submitWith small other (rows "a}:b") (counting 10)
  forget (redisEngine redis "a")
  there <- status other
  pure (n === 10 .&&. progressRecords (statusProgress there) === 10)

notAgain :: Server -> IO Property
notAgain server = bracket (R.connect (redisConnect (optionsFor server))) R.disconnect $ \c -> do
  let open run wasThere forgotten' =
        R.runRedis c (R.eval openScript ["state", "tasks", forgotten'] [run, "about", wasThere])
  gone <- open "a" "1" "none"
  _ <- R.runRedis c (R.set "b" "")
  forgotten' <- open "b" "0" "b"
  made <- open "c" "0" "none"
  -- Sent again, and by others.
  again <- open "c" "0" "none"
  there <- open "c" "1" "none"
  another <- open "d" "0" "none"
  let session n = R.MultiBulk . Just $ map R.Integer [n, 0, 0, 0] ++ [R.Bulk (Just "about")]
  pure $
    [gone, forgotten', made, again, there, another]
      === map Right [R.Integer 1, R.Integer 1, session 1, session 2, session 3, R.Integer 1]

-- One opens runs, and another forgets them.
opened :: Server -> IO Property
opened server =
  with server $ \a -> with server $ \b ->
    bracket (forkIO (forever (engineOpen a "about"))) killThread $ \_ -> do
      let go :: Int -> [S.ByteString] -> IO Property
          go 0 _ = pure (property True)
          go n gone = do
            there <- fmap fst <$> engineCurrent b
            case there of
              Just run
                | runId run `elem` gone -> pure (counterexample "it came back" False)
                | otherwise -> engineForget b (Just run) >> go (n - 1) (runId run : gone)
              Nothing -> go n gone
      go 300 []

newtype Stop = Stop [Collected Answer] deriving stock (Show)

instance Exception Stop

-- It stops at each tenth batch, before it has returned from it.
stoppedCollector :: Server -> IO Property
stoppedCollector server = with server $ \engine -> do
  _ <- submitWith small {submitLimit = 1000} engine (rows "rows") (counting 3000)
  _ <- workerWith quick engine (rows "rows") (pure . answer)
  let go cs = do
        stopped <- try . collect' cs $ \acc c ->
          if collectedBatch c `mod` 10 == 9 && List.genericLength cs <= collectedBatch c
            && length acc - length cs > 0
            then throwIO (Stop acc)
            else pure (c : acc)
        case stopped of
          Left (Stop acc) -> go acc
          Right acc -> pure (reverse acc)
      collect' cs step = collect engine (rows "rows") step cs
  got <- go []
  pure (complete 3000 got .&&. length got > 20)

limited :: Server -> IO Property
limited server = with server $ \engine -> do
  given <- newIORef (0 :: Int)
  let counted n give = counting 5000 n (\r -> modifyIORef' given (+ 1) >> give r)
  beside (submitWith small engine (rows "rows") counted) $ \_ -> do
    waitUntil "the limit" ((== 8) . statusTasks <$> status engine)
    -- It has tried, and been told to wait.
    few <- readIORef given
    most <- newIORef 0
    let look = status engine >>= \s -> modifyIORef' most (max (statusTasks s))
        watched = engine {engineTake = \r n i -> look >> engineTake engine r n i}
    _ <- beside (workerWith quick watched (rows "rows") (pure . answer)) id
    got <- results engine (rows "rows")
    m <- readIORef most
    pure (complete 5000 got .&&. m === 8 .&&. property (few < 1000))

poisoned :: Server -> IO Property
poisoned server = with server $ \engine -> do
  tries <- newIORef (0 :: Int)
  let f row@(Row n _ _) = do
        when (n == 1234) (modifyIORef' tries (+ 1) >> fail "poison")
        pure (answer row)
  _ <- submitWith small {submitLimit = 1000} engine (rows "rows") (counting 3000)
  done <- workerWith quick {workerAttempts = 3} engine (rows "rows") f
  got <- results engine (rows "rows")
  set <- failures engine (rows "rows")
  k <- readIORef tries
  end <- status engine
  let bad = [f' | Left f' <- map collectedResults got]
  pure $
    conjoin
      [ k === 3,
        workedAside done === 1,
        statusAside end === 1,
        map failedError bad === ["record 1234: user error (poison)"],
        map failedAttempts bad === [3],
        map fst set === bad,
        conjoin
          [ fmap (map number) records === Right (take (failedCount x) [failedFirst x ..])
            | (x, records) <- set
          ],
        map failedCount bad === [1],
        sum (map (either failedCount length . collectedResults) got) === 3000
      ]
  where
    number (Row n _ _) = n

-- The function takes longer than the idle time, while others look for batches to claim.
slow :: Server -> IO Property
slow server = with server $ \engine -> do
  looks <- newIORef (0 :: Int)
  entered <- newIORef (0 :: Int)
  let f row@(Row n _ _) = do
        when (n == 10) $ do
          modifyIORef' entered (+ 1)
          before <- readIORef looks
          waitUntil "others to look" ((>= before + 2) <$> readIORef looks)
        pure (answer row)
      watched =
        engine
          { engineTake = \run name idle -> do
              taken <- engineTake engine run name idle
              case taken of
                NothingYet _ -> taken <$ modifyIORef' looks (+ 1)
                _ -> pure taken
          }
  _ <- submitWith small engine (rows "rows") (counting 20)
  beside (workerWith quick engine (rows "rows") f) $ \w1 -> do
    waitUntil "the slow one" ((> 0) <$> readIORef entered)
    beside (workerWith quick watched (rows "rows") f) $ \w2 -> do
      a <- w1
      b <- w2
      got <- results engine (rows "rows")
      n <- readIORef entered
      pure (complete 20 got .&&. n === 1 .&&. (workedBatches a, workedBatches b) === (1, 0))

interrupted :: Server -> IO Property
interrupted server = with server $ \engine -> do
  entered <- newEmptyMVar
  _ <- submitWith small engine (rows "rows") (counting 20)
  -- An idle time that would be too long for the test.
  let patient = quick {workerIdle = 1800000000}
      hanging r = putMVar entered () >> threadDelay maxBound >> pure (answer r)
  beside (workerWith patient engine (rows "rows") hanging) $ \_ -> takeMVar entered
  (watched, attempts) <- noting engine
  _ <- workerWith patient watched (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  tried <- attempts
  pure (complete 20 got .&&. tried === [1])

-- As after a restart from an old file.
lost :: Server -> IO Property
lost server = with server $ \engine -> do
  stopped <- try . submitWith small engine (rows "rows") $ \n give -> do
    counting 500 n give
    bracket (R.connect (redisConnect (optionsFor server))) R.disconnect $ \c ->
      void (R.runRedis c (R.hset "ashlar-jobs:{rows}:state" "batches" "3"))
    counting 1000 500 give
  pure (stopped === Left (DataLost "the batches from number 3 on"))

twoCollectors :: Server -> IO Property
twoCollectors server = with server $ \engine -> do
  _ <- submitWith small {submitLimit = 1000} engine (rows "rows") (counting 500)
  _ <- workerWith quick engine (rows "rows") (pure . answer)
  let next n _ = n + 1 <$ when (n == 1) (void (results engine (rows "rows")))
  got <- try (collect engine (rows "rows") next (0 :: Int))
  pure (got === Left TakenOver)

leftOver :: Server -> IO Property
leftOver server = do
  let work options engine = workerWith options engine (rows "rows") (pure . answer)
      once' = with server $ \engine -> do
        _ <- submitWith small {submitLimit = 1000} engine (rows "rows") (counting 500)
        -- Some that are interrupted.
        replicateM_ 4 (beside (work quick {workerStays = True} engine) (const (pure ())))
        _ <- work quick engine
        length <$> results engine (rows "rows") <* forget engine
  first <- once'
  (open', threads) <- inUse
  ns <- replicateM 3 once'
  waitUntil "what is left over" $ do
    (now, threads') <- inUse
    pure (now <= open' + 2 && threads' <= threads)
  let info = redisConnect (optionsFor server)
  -- What tells workers that the job was forgotten goes by itself.
  (keys, times) <- bracket (R.connect info) R.disconnect $ \c -> R.runRedis c $ do
    found <- either (const []) id <$> R.keys "*"
    (,) found <$> mapM R.ttl found
  pure $
    conjoin
      [ ns === replicate 3 first,
        counterexample (show keys) (all (":forgotten" `S.isSuffixOf`) keys),
        counterexample (show times) (all (either (const False) (> 0)) times)
      ]
