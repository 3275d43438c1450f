{-# LANGUAGE OverloadedStrings #-}
-- Each use of 'submit', 'worker' and 'collect' is specialised, which takes long.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Settings
-- Description : Servers that lose data, are full, or take little at once
module Tests.Settings (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Redis
import Control.Exception (bracket)
import Control.Monad (void)
import qualified Data.ByteString.Char8 as C
import Data.IORef
import Data.Int (Int64)
import qualified Data.Text as T
import qualified Database.Redis as R
import Test.Tasty
import Test.Tasty.QuickCheck hiding (collect, total)
import Tests.Both
import Tests.Server
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "settings of Redis"
    [ law "restarted without a file: all three find out what is missing" (restarted False),
      law "restarted from an old snapshot: all three find out what is missing" (restarted True),
      testGroup
        "submit warns"
        [ warns "of nothing where nothing is lost" [] [],
          warns "of no file" ["--appendonly", "no"] ["appendonly is no"],
          warns
            "of a file that is written each second"
            ["--appendfsync", "everysec"]
            ["appendfsync is everysec"],
          warns
            "of a file that is written when the host likes"
            ["--appendfsync", "no"]
            ["appendfsync is no"],
          warns "of evictions" (evicting ++ memory) ["maxmemory-policy is allkeys-lru"],
          warns "of no evictions where memory has no limit" evicting [],
          warns
            "of no evictions of keys that expire"
            ("--maxmemory-policy" : "volatile-lru" : memory)
            [],
          warns
            "as far as INFO tells, where CONFIG GET is forbidden"
            (["--appendonly", "no"] ++ evicting ++ memory ++ noConfig)
            ["maxmemory-policy is allkeys-lru", "appendonly is no"],
          warns
            "that it sees nothing, where both are forbidden"
            (noConfig ++ noInfo)
            ["Redis does not say"]
        ],
      law "results of the size that Redis takes are kept, and larger ones set aside" sizes,
      law "a full server is waited for, until the collector has made space" fullServer,
      law "a result that comes just before the memory is full again is collected" lastSpace,
      law "a server that evicts: the results are complete, or somebody says what is missing" evicts,
      law "forget deletes what is left of a job whose state was lost" leftOvers,
      law "forget spares a run that begins while it deletes what is left of another" begunMeanwhile
    ]
  where
    evicting = ["--maxmemory-policy", "allkeys-lru"]
    memory = ["--maxmemory", "100mb"]
    noConfig = ["--rename-command", "CONFIG", ""]
    noInfo = ["--rename-command", "INFO", ""]

law :: String -> IO Property -> TestTree
law name = testProperty name . once . ioProperty

hurried :: Server -> RedisOptions
hurried server = (optionsFor server) {redisWait = 50000}

warns :: String -> [String] -> [T.Text] -> TestTree
warns name settings expected = law name . withServerOf settings $ \server ->
  withRedis (hurried server) $ \redis -> do
    told <- newIORef []
    let options = defaultSubmitOptions {submitWarn = \w -> modifyIORef' told (w :)}
    n <- submitWith options (redisEngine redis "rows") (rows "rows") (counting 10)
    warnings <- reverse <$> readIORef told
    pure $
      conjoin
        [ n === 10,
          counterexample (show warnings) (length warnings === length expected),
          counterexample (show warnings) (and (zipWith T.isPrefixOf expected warnings))
        ]

-- The submitter is between two batches, a worker and a collector wait.
restarted :: Bool -> IO Property
restarted saved = withServerOf ["--appendonly", "no"] $ \server ->
  withRedis (hurried server) $ \redis -> do
    let engine = redisEngine redis "rows"
    told <- newIORef []
    s <- thrownBy . submitWith quiet {submitBatchBytes = 1} engine (rows "rows") $ \_ give -> do
      mapM_ (give . rowOf) [0 .. 4]
      if saved
        then connected server $ \c ->
          void (R.runRedis c (R.sendRequest ["SAVE"] :: R.Redis (Either R.Reply R.Status)))
        else pure ()
      mapM_ (give . rowOf) [5 .. 9]
      beside (thrownBy (worker engine (rows "rows") (pure . answer))) $ \w ->
        beside (thrownBy (results engine (rows "rows"))) $ \c -> do
          waitUntil "all to be collected" ((== 10) . statusCollected <$> status engine)
          kill server
          start server
          end <- (,) <$> w <*> c
          writeIORef told [end]
      mapM_ (give . rowOf) [10 .. 14]
    r <- readIORef told
    let missing =
          Left . DataLost $
            if saved then "the batches from number 5 on" else "the whole job"
    pure ((r, s) === ([(missing, missing)], missing))
  where
    quiet = defaultSubmitOptions {submitWarn = const (pure ())}

sizes :: IO Property
sizes = withServerOf ["--proto-max-bulk-len", "1mb"] $ \server ->
  withRedis (hurried server) {redisMaxBytes = 1048576} $ \redis -> do
    let engine = redisEngine redis "rows"
        f (Row n _ _) = pure (Answer n (T.replicate (fromIntegral n * 100000) "x"))
    _ <- submitWith (inBatches 1 100) engine (rows "rows") (counting 16)
    done <- workerWith eager engine (rows "rows") f
    got <- results engine (rows "rows")
    tooLarge <- thrownBy . submitWith (inBatches 1 100) {submitAgain = True} engine (rows "rows") $
      \_ give -> give (Row 1 (T.replicate 1048576 "x") Nothing)
    pure $
      conjoin
        [ workedBatches done + workedAside done === 16,
          counterexample (show done) (workedAside done >= 6),
          [collectedFirst c | c@Collected {collectedResults = Left _} <- got]
            === [workedBatches done .. 15],
          counterexample (take 300 (show tooLarge)) $ case tooLarge of
            Left (TooLarge _) -> True
            _ -> False
        ]

-- All results together do not fit.
fullServer :: IO Property
fullServer = withServerOf ["--maxmemory", "12mb", "--maxmemory-policy", "noeviction"] $ \server ->
  withRedis (hurried server) $ \redis -> do
    let engine = redisEngine redis "rows"
        f (Row n _ _) = pure (Answer n (T.replicate 1000000 (T.singleton 'x')))
    beside (submitWith (inBatches 1 1000) engine (rows "rows") (counting total)) $ \submitted ->
      beside (workerWith eager engine (rows "rows") f) $ \worked -> do
        waitUntil "some results" ((>= 5) . statusStored <$> status engine)
        let next k c = pure (k + either (const 0) length (collectedResults c))
        got <- collect engine (rows "rows") next 0
        n <- submitted
        w <- worked
        pure $ conjoin [got === 40, n === total, workedBatches w === total]
  where
    total = 40 :: Int64

-- The collector waits for it then.
lastSpace :: IO Property
lastSpace = withServer $ \server ->
  withRedis (hurried server) {redisPatience = 8000000} $ \redis -> connected server $ \c -> do
    let engine = redisEngine redis "rows"
        result run = do
          stored <- engineResult engine run 0
          case stored of
            NotYet _ -> result run
            _ -> pure stored
        refused = either (const False) (C.isInfixOf "errorstat_OOM") <$> R.infoSection "errorstats"
    (run, p) <- engineOpen engine "about"
    _ <- engineAdd engine run (NewBatch (progressSession p) 8 0 1 "batch")
    beside (thrownBy (result run)) $ \found -> do
      _ <- R.runRedis c (R.configSet "maxmemory" "1")
      waitUntil "a command that is refused" (R.runRedis c refused)
      _ <- R.runRedis c $ do
        _ <- R.configSet "maxmemory" "0"
        R.multiExec $ do
          _ <- R.rpush ("ashlar-jobs:{rows}:" <> runId run <> ":result:0") ["result"]
          R.configSet "maxmemory" "1"
      got <- found
      pure (got === Right (show (Stored p {progressBatches = 1, progressRecords = 1} "result")))

evicts :: IO Property
evicts = withServerOf ["--maxmemory", "4mb", "--maxmemory-policy", "allkeys-random"] $ \server ->
  withRedis (hurried server) $ \redis -> do
    let engine = redisEngine redis "rows"
        f (Row n _ _) = pure (Answer n (T.replicate 100000 (T.singleton 'x')))
        quiet = (inBatches 1 1000) {submitWarn = const (pure ())}
        said r = case r of
          Left (DataLost _) -> True
          _ -> False
    s <- thrownBy (submitWith quiet engine (rows "rows") (counting 100))
    w <- thrownBy (workerWith eager engine (rows "rows") f)
    c <-
      if said s || said w
        then pure (Right "")
        else thrownBy (length <$> results engine (rows "rows"))
    pure . counterexample (take 500 (show (s, w, c))) $
      any said [s, w, c] || (s, c) == (Right "100", Right "100")

begunMeanwhile :: IO Property
begunMeanwhile = withServer $ \server ->
  withRedis (hurried server) $ \redis -> connected server $ \c -> do
    let engine = redisEngine redis "rows"
        old n = "ashlar-jobs:{rows}:" <> C.replicate 32 '0' <> ":result:" <> C.pack (show n)
        keys = R.runRedis c R.dbsize >>= either (fail . show) pure
    _ <- R.runRedis c (R.mset [(old n, "") | n <- [1 .. left]])
    n <- beside (forget engine) $ \forgotten -> do
      waitUntil "the first to be deleted" ((< left) <$> keys)
      submitWith small engine (rows "rows") (counting 100) <* forgotten
    _ <- worker engine (rows "rows") (pure . answer)
    got <- results engine (rows "rows")
    forget engine
    rest <- keys
    -- One says that the run was forgotten.
    pure (conjoin [n === 100, complete 100 got, rest === 1])
  where
    left = 100000

leftOvers :: IO Property
leftOvers = withServer $ \server ->
  withRedis (hurried server) $ \redis ->
    connected server $ \c -> do
      let name = "r*w[s]?\\"
          engine = redisEngine redis name
          other = redisEngine redis "rows"
      _ <- submitWith small engine (rows name) (counting 100)
      _ <- submitWith small other (rows "rows") (counting 100)
      _ <- worker engine (rows name) (pure . answer)
      _ <- R.runRedis c (R.del [C.pack ("ashlar-jobs:{" ++ T.unpack name ++ "}:state")])
      forget engine
      keys <- R.runRedis c (R.keys "*") >>= either (fail . show) pure
      _ <- worker other (rows "rows") (pure . answer)
      got <- results other (rows "rows")
      pure $
        conjoin
          [ counterexample (show keys) (all ("ashlar-jobs:{rows}:" `C.isPrefixOf`) keys),
            complete 100 got
          ]

connected :: Server -> (R.Connection -> IO a) -> IO a
connected server = bracket (R.connect (redisConnect (optionsFor server))) R.disconnect
