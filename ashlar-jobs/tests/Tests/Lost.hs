{-# LANGUAGE OverloadedStrings #-}
-- Each use of 'submit', 'worker' and 'collect' is specialised, which takes long.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Lost
-- Description : Engines that have lost data
module Tests.Lost (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory (Loss (..), memoryEngine, newMemory)
import qualified Ashlar.Jobs.Engine.Memory as Memory
import Control.Concurrent.MVar
import Control.Exception (SomeException, catch, try)
import Control.Monad (forM_, void, when)
import Data.IORef
import Data.Int (Int64)
import Data.List (isInfixOf)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (again, collect, total)
import Tests.Both
import Tests.Server (waitUntil)
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "lost data"
    [ testGroup
        "everything is gone"
        [ onBoth "a submitter finds out with its next batch" submitterAll,
          onBoth "a submitter finds out at its end" submitterEnd,
          onBoth "a submitter that waits for space finds out" submitterFull,
          onBoth "a worker that waits finds out" workerWaits,
          onBoth "a worker that works finds out, though the submitter has ended" workerWorks,
          onBoth "a collector that waits finds out, though the submitter has ended" collectorWaits,
          onBoth "and was submitted again: nobody takes the one for the other" anotherRun
        ],
      testGroup
        "some of it is gone"
        [ onBoth "waiting batches: all three find out, and the status counts them" tasksGone,
          onBoth "a result: the collector says which" resultGone,
          onBoth "schemas: those who need them say so" schemasGone,
          onBoth "what was set aside: failures says how many" asideGone
        ],
      testGroup
        "an old copy comes back"
        [ onBoth "without the last batches: all three find out" batchesBack,
          onBoth "without the end: workers and collectors find out" endBack,
          onBoth "without some results: all are computed, none is collected twice" resultsBack
        ],
      onBoth "whatever is lost, the status has possible numbers" possible,
      testGroup
        "nothing was lost"
        [ testProperty "where nobody submits, workers and collectors say so" (once nobody),
          onBoth "a forgotten job: workers return, the others are told" forgotten
        ]
    ]

whole :: JobException
whole = DataLost "the whole job"

submitterAll :: Faulty -> IO Property
submitterAll (Faulty engine losing' _) = do
  r <- thrownBy . submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 49]
    losing' LoseEverything
    mapM_ (give . rowOf) [50 .. 99]
  s <- status engine
  pure (r === Left whole .&&. s === nothing)

nothing :: Status
nothing = Status (Progress 0 0 0 False) 0 0 0 0 0 []

submitterEnd :: Faulty -> IO Property
submitterEnd (Faulty engine losing' _) = do
  r <- thrownBy . submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 49]
    losing' LoseEverything
  pure (r === Left whole)

submitterFull :: Faulty -> IO Property
submitterFull (Faulty engine losing' _) =
  beside (thrownBy (submitWith few engine (rows "rows") (counting 1000))) $ \end -> do
    waitUntil "two batches" ((== 2) . statusTasks <$> status engine)
    losing' LoseEverything
    r <- end
    pure (r === Left whole)
  where
    few = small {submitLimit = 2}

-- A submission that goes on until an action has run.
unfinished :: Faulty -> Int64 -> IO a -> IO a
unfinished (Faulty engine _ _) n action = do
  result <- newEmptyMVar
  _ <- try' . submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. n - 1]
    action >>= putMVar result
  takeMVar result
  where
    try' :: IO Int64 -> IO (Either JobException Int64)
    try' = try

-- Until all batches that were submitted are done.
allDone :: Engine -> IO ()
allDone engine = waitUntil "all to be done" $ do
  s <- status engine
  pure (statusStored s > 0 && statusTasks s == 0)

workerWaits :: Faulty -> IO Property
workerWaits f@(Faulty engine losing' _) =
  unfinished f 100 $
    beside (thrownBy (worker engine (rows "rows") (pure . answer))) $ \end -> do
      allDone engine
      losing' LoseEverything
      r <- end
      pure (r === Left whole)

workerWorks :: Faulty -> IO Property
workerWorks (Faulty engine losing' _) = do
  _ <- submitWith small engine (rows "rows") (counting 100)
  r <- thrownBy . worker engine (rows "rows") $ \row@(Row n _ _) -> do
    when (n == 50) (losing' LoseEverything)
    pure (answer row)
  s <- status engine
  pure (r === Left whole .&&. s === nothing)

collectorWaits :: Faulty -> IO Property
collectorWaits (Faulty engine losing' _) = do
  _ <- submitWith small engine (rows "rows") (counting 100)
  begun <- newEmptyMVar
  let watched = engine {engineResult = \r n -> tryPutMVar begun () >> engineResult engine r n}
  beside (thrownBy (results watched (rows "rows"))) $ \end -> do
    takeMVar begun
    losing' LoseEverything
    r <- end
    pure (r === Left whole)

anotherRun :: Faulty -> IO Property
anotherRun (Faulty engine losing' _) = do
  _ <- submitWith small engine (rows "rows") (counting 100)
  let first (Row n _ _) = do
        when (n == 0) $ do
          losing' LoseEverything
          void (submitWith small engine (rows "rows") (counting 50))
        pure (Answer n "of the first run")
  r <- thrownBy (worker engine (rows "rows") first)
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ r === Left (DataLost "the whole job, which has been submitted again since"),
        complete 50 got
      ]

tasksGone :: Faulty -> IO Property
tasksGone f@(Faulty engine losing' _) = do
  (w, c, s) <- unfinished f 100 $ do
    losing' LoseTasks
    w <- thrownBy (worker engine (rows "rows") (pure . answer))
    c <- thrownBy (results engine (rows "rows"))
    s <- thrownBy (submit engine (rows "rows") (counting 200))
    pure (w, c, s)
  end <- status engine
  let batches = progressBatches (statusProgress end)
  pure $
    conjoin
      [ [w, c, s] === replicate 3 (Left (DataLost "the batches that were waiting or in work")),
        (statusLost end, statusTasks end, statusStored end) === (batches, 0, 0),
        property (batches > 1)
      ]

resultGone :: Faulty -> IO Property
resultGone (Faulty engine losing' _) = do
  _ <- submitWith small engine (rows "rows") (counting 100)
  _ <- worker engine (rows "rows") (pure . answer)
  losing' (LoseResult 1)
  seen <- newIORef []
  r <- thrownBy (collect engine (rows "rows") (\() c -> modifyIORef' seen (collectedBatch c :)) ())
  got <- readIORef seen
  pure (r === Left (DataLost "batch 1 or its result") .&&. got === [0])

schemasGone :: Faulty -> IO Property
schemasGone (Faulty engine losing' _) = do
  _ <- submitWith small engine (job "rows" :: Job OldRow Answer) $ \_ give ->
    mapM_ (give . oldRowOf) [0 .. 99]
  losing' LoseSchemas
  (watched, attempts) <- noting engine
  r <- thrownBy (worker watched (rows "rows") (pure . answer))
  s <- thrownBy (submit engine (rows "rows") (counting 200))
  _ <- worker watched (job "rows" :: Job OldRow Answer) (\_ -> pure (Answer 0 ""))
  c <- thrownBy (collect engine (job "rows" :: Job OldRow OtherAnswer) (\() _ -> pure ()) ())
  tried <- attempts
  pure $
    conjoin
      [ [r, s] === replicate 2 (Left (DataLost "the schema of the arguments")),
        c === Left (DataLost "the schema of the results"),
        property (not (null tried))
      ]

asideGone :: Faulty -> IO Property
asideGone (Faulty engine losing' _) = do
  _ <- submitWith (inBatches 1 100) engine (rows "rows") (counting 3)
  _ <- workerWith eager engine (rows "rows") (failingWith (const (Just "no")))
  before <- length <$> failures engine (rows "rows")
  losing' LoseAside
  r <- thrownBy (failures engine (rows "rows"))
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ before === 3,
        r === Left (DataLost "3 of the 3 batches that were set aside"),
        length got === 3
      ]

batchesBack :: Faulty -> IO Property
batchesBack (Faulty engine _ copy) = do
  back <- newEmptyMVar
  waiting <- newEmptyMVar
  let watched = engine {engineResult = \r n -> note r n >> engineResult engine r n}
      note _ n = when (n == 15) (void (tryPutMVar waiting ()))
  s <- thrownBy . submitWith (inBatches 1 100) engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 4]
    copy >>= putMVar back
    mapM_ (give . rowOf) [5 .. 14]
    (w, c) <- beside (thrownBy (worker engine (rows "rows") (pure . answer))) $ \w ->
      beside (thrownBy (results watched (rows "rows"))) $ \c -> do
        takeMVar waiting
        allDone engine
        takeMVar back >>= id
        (,) <$> w <*> c
    when ((w, c) /= (Left five, Left five)) (fail (show (w, c)))
    mapM_ (give . rowOf) [15 .. 19]
  pure (s === Left five)
  where
    five = DataLost "the batches from number 5 on"

endBack :: Faulty -> IO Property
endBack (Faulty engine _ copy) = do
  back <- newIORef (pure ())
  let keep = copy >>= writeIORef back
      atEnd = engine {engineClose = \r a b -> keep >> engineClose engine r a b}
      restore = readIORef back >>= id
  _ <- submitWith (inBatches 1 100) atEnd (rows "rows") (counting 3)
  -- Another worker has a batch, so this one waits when it has seen the end.
  run <- engineJoin engine Nothing
  _ <- engineTake engine run "another" 1000000000
  seen <- newEmptyMVar
  let told e =
        e
          { engineTake = \r n i -> do
              taken <- engineTake e r n i
              case taken of
                NothingYet p | progressClosed p -> taken <$ tryPutMVar seen ()
                _ -> pure taken
          }
  w <- beside (thrownBy (worker (told engine) (rows "rows") (pure . answer))) $ \w -> do
    takeMVar seen
    restore
    w
  -- The collector has seen the end with the first result.
  forget engine
  _ <- submitWith (inBatches 1 100) atEnd (rows "rows") (counting 3)
  _ <- worker engine (rows "rows") (pure . answer)
  c <- thrownBy (collect engine (rows "rows") (\() x -> when (collectedBatch x == 1) restore) ())
  pure ([w, c] === replicate 2 (Left (DataLost "the note that the job was submitted to its end")))

resultsBack :: Faulty -> IO Property
resultsBack (Faulty engine _ copy) = do
  _ <- submitWith (inBatches 1 100) engine (rows "rows") (counting 20)
  restore <- copy
  _ <- worker engine (rows "rows") (pure . answer)
  seen <- newIORef []
  let next () c = do
        modifyIORef' seen (collectedBatch c :)
        when (collectedBatch c == 10) $ do
          restore
          -- Some of them are computed again before the collector goes on.
          run <- engineJoin engine Nothing
          forM_ [0 .. 4 :: Int] $ \_ -> do
            taken <- engineTake engine run "another" 1000000000
            case taken of
              Taken d -> do
                _ <- engineStore engine run "another" (deliveryNumber d) "x" Nothing
                engineAcknowledge engine run d
              _ -> fail "nothing to do"
  (end, w) <- beside (collect engine (rows "rows") next ()) $ \collected -> do
    waitUntil "the collector" ((>= 11) . statusCollected <$> status engine)
    w <- worker engine (rows "rows") (pure . answer)
    collected
    (,) <$> status engine <*> pure w
  got <- readIORef seen
  pure $
    conjoin
      [ reverse got === [0 .. 19],
        w === Worked 9 0,
        (statusStored end, statusCollected end, statusTasks end, statusLost end) === (20, 20, 0, 0)
      ]

possible :: Faulty -> IO Property
possible (Faulty engine losing' copy) = do
  dice <- newIORef (12345 :: Int)
  back <- newIORef (pure ())
  let roll n = do
        modifyIORef' dice (\x -> (x * 1103515245 + 12345) `mod` 2147483648)
        (\x -> (x `div` 65536) `mod` n) <$> readIORef dice
      quietly :: IO a -> IO ()
      quietly act = void act `catch` \ex -> const (pure ()) (ex :: SomeException)
      given action = quietly $ do
        found <- engineCurrent engine
        forM_ found (action . fst)
      step = do
        k <- roll 12
        n <- fromIntegral <$> roll 6
        case k of
          0 -> do
            let hasty = engine {engineAdd = notFull engine}
            quietly (submitWith (inBatches 1 4) hasty (rows "rows") (counting 5))
          1 -> given $ \run -> engineStore engine run "w" n "x" Nothing
          2 -> given $ \run -> engineStore engine run "v" n "x" (Just (Aside n "b" "f"))
          3 -> given $ \run -> engineRelease engine run n
          4 -> given $ \run -> do
            p <- fmap snd <$> engineCurrent engine
            forM_ p $ \q -> engineAdd engine run (NewBatch (progressSession q) 9 n (n + 1) "x")
          5 -> quietly (losing' LoseTasks)
          6 -> copy >>= writeIORef back
          7 -> readIORef back >>= id
          8 -> given $ \run -> do
            p <- fmap snd <$> engineCurrent engine
            forM_ p $ \q -> engineClose engine run (progressSession q) n
          9 -> quietly (engineOpen engine "about")
          10 -> given $ \run -> do
            s <- status engine
            when (statusTasks s > 0) $
              engineTake engine run "w" 0 >>= \t -> case t of
                Taken d -> engineAcknowledge engine run d
                _ -> pure ()
          _ -> do
            m <- roll 5
            when (m == 0) (losing' LoseEverything)
        s <- status engine
        pure (counterexample (show (k, s)) (sane s))
  conjoin <$> mapM (const step) [1 .. 400 :: Int]
  where
    notFull e r n = do
      s <- engineStatus e
      if statusTasks s >= newLimit n then pure Superseded else engineAdd e r n

sane :: Status -> Bool
sane s =
  and
    [ 0 <= statusCollected s,
      statusCollected s <= statusStored s,
      statusStored s <= batches,
      fromIntegral (statusTasks s) <= batches,
      0 <= statusLost s,
      statusLost s + statusStored s <= batches,
      statusLost s + statusStored s + fromIntegral (statusTasks s) >= batches,
      fromIntegral (statusAside s) <= batches,
      sum (map snd (statusWorkers s)) <= statusStored s,
      all ((> 0) . snd) (statusWorkers s)
    ]
  where
    batches = progressBatches (statusProgress s)

nobody :: Property
nobody = ioProperty $ do
  engine <- memoryEngine <$> newMemory Memory.ReturnAtOnce
  w <- thrownBy (worker engine (rows "rows") (pure . answer))
  c <- thrownBy (results engine (rows "rows"))
  f <- failures engine (rows "rows")
  pure ([w, c] === replicate 2 (Left NotSubmitted) .&&. length f === 0)

forgotten :: Faulty -> IO Property
forgotten f@(Faulty engine _ _) = do
  begun <- newEmptyMVar
  let watched = engine {engineResult = \r n -> tryPutMVar begun () >> engineResult engine r n}
  told <- newIORef []
  s <- thrownBy . submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 99]
    r <- beside (thrownBy (worker engine (rows "rows") (pure . answer))) $ \w -> do
      allDone engine
      _ <- try' (collect engine (rows "rows") (\() _ -> fail "enough") ())
      beside (thrownBy (results watched (rows "rows"))) $ \c -> do
        takeMVar begun
        forget (faulty f)
        (,) <$> w <*> c
    writeIORef told [r]
    mapM_ (give . rowOf) [100 .. 199]
  r <- readIORef told
  pure $ case r of
    [(w, c)] ->
      conjoin
        [ counterexample (show w) (either (const False) ("Worked" `isInfixOf`) w),
          c === Left Forgotten,
          s === Left Forgotten
        ]
    _ -> counterexample (show (r, s)) False
  where
    try' :: IO () -> IO (Either IOError ())
    try' = try
