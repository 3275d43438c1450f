{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Engines
-- Description : The rules of an engine, step by step, on each engine
module Tests.Engines (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Engine.Redis
import Control.Exception (ArithException (..), throw, try)
import Control.Monad (void)
import Data.IORef (modifyIORef', newIORef, readIORef)
import GHC.Fingerprint (fingerprintString)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (collect)
import Tests.Server
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "engines"
    [ testProperty "memory" . once . ioProperty $
        newMemory ReturnAtOnce >>= rules . memoryEngine,
      testProperty "memory, one thread, a function that throws" (once throwing),
      testProperty "an accumulator that throws later" (once lazyAccumulator),
      testProperty "Redis" . once . ioProperty . withServer $ \server ->
        withRedis (optionsFor server) (\redis -> rules (redisEngine redis "rules"))
    ]

-- Each line is a call, and what it must return.
rules :: Engine -> IO Property
rules e = do
  none <- engineCurrent e
  (run0, old) <- engineOpen e "about"
  (run, p) <- engineOpen e "something else"
  there <- engineCurrent e
  joined <- engineJoin e Nothing
  let session = progressSession p
      new n = NewBatch session 2 n (10 * (n + 1))
      no = fingerprintString "no"
      idleFor n = Hold n (Just 7) Nothing
      waits = NothingYet (Progress session 2 20 False)
      lost action = either (\x -> show (x :: JobException)) (const "not lost") <$> try action
  engineSaveSchema e run no "schema"
  outdated <- engineAdd e run (NewBatch (progressSession old) 2 0 10 "x")
  gap <- lost (engineAdd e run (new 1 "x"))
  first <- engineAdd e run (new 0 "a")
  again' <- engineAdd e run (new 0 "x")
  next <- engineAdd e run (new 1 "b")
  full <- engineAdd e run (new 2 "c")
  known <- (,) <$> engineSchema e run no <*> engineSchema e run (fingerprintString "other")
  d0 <- engineTake e run "one" 1000000000 >>= taken
  d1 <- engineTake e run "two" 1000000000 >>= taken
  -- Another worker's delivery stays as it is.
  held0 <- engineHold e run "two" d0 (idleFor 2000000000)
  nothing1 <- engineTake e run "three" 1000000000
  held1 <- engineHold e run "one" d0 (idleFor 2000000000) {holdNote = Just "note"}
  d0' <- engineTake e run "two" 1000000000 >>= taken
  -- The one who had it before has lost it.
  held2 <- engineHold e run "one" d0 (idleFor 2000000000)
  nothing2 <- engineTake e run "three" 1000000000
  -- A sign of life leaves all else as it is.
  held3 <- engineHold e run "two" d0' (Hold 2000000000 Nothing Nothing)
  d0'' <- engineTake e run "two" 1000000000 >>= taken
  stored <- engineStore e run "two" 0 "A" Nothing
  stored' <- engineStore e run "one" 0 "B" (Just (Aside 0 "x" "not kept"))
  result <- engineResult e run 0
  notYet <- engineResult e run 1
  engineAcknowledge e run d0
  engineAcknowledge e run d0''
  room <- engineAdd e run (new 2 "c")
  before <- engineCollected e run
  engineRelease e run 0
  engineRelease e run 0
  stored'' <- engineStore e run "one" 0 "C" Nothing
  released <- engineResult e run 0
  after' <- engineCollected e run
  early <- lost (engineClose e run session 2)
  closed <- engineClose e run session 3
  closed' <- engineClose e run session 3
  tooLate <- engineClose e run (progressSession old) 3
  end <- engineResult e run 3
  d2 <- engineTake e run "three" 1000000000 >>= taken
  kept <- engineStore e run "three" 2 "D" (Just (Aside 2 "c" "why"))
  aside <- engineAside e run
  mapM_ (engineAcknowledge e run) [d1, d2, d1]
  finished <- engineTake e run "three" 1000000000
  s <- engineStatus e
  engineForget e (Just run {runId = "another"})
  s' <- engineStatus e
  engineForget e (Just run)
  empty <- engineStatus e
  forgotten <- mapM lost (uses run d2)
  (run2, p2) <- engineOpen e "again"
  other <- engineJoin e (Just run)
  stragglers <- mapM lost (uses run d2)
  s2 <- engineStatus e
  pure $
    conjoin
      [ none === Nothing,
        run === run0,
        runAbout run === "about",
        (there, joined) === (Just (run, p), run),
        [outdated, first, again', next, full] === [Superseded, Added, Added, Added, Full],
        [gap, early]
          === [show (DataLost ("the batches from number " ++ n ++ " on")) | n <- ["0", "3"]],
        [held0, held1, held2, held3] === [False, True, False, True],
        known === (Just "schema", Nothing),
        map shown [d0, d1, d0', d0'', d2]
          === [ (0, 1, "a", ""),
                (1, 1, "b", ""),
                (0, 8, "a", "note"),
                (0, 9, "a", "note"),
                (2, 1, "c", "")
              ],
        [nothing1, nothing2, finished]
          === [waits, waits, Finished],
        [stored, stored', stored'', kept] === [True, False, False, True],
        [result, notYet, released, end]
          === [ Stored (Progress session 2 20 False) "A",
                NotYet (Progress session 2 20 False),
                Released,
                Ended
              ],
        [room, closed, closed', tooLate] === [Added, Added, Added, Superseded],
        (before, after') === (0, 1),
        aside === [Aside 2 "c" "why"],
        -- The second batch was acknowledged without a result.
        s === Status (Progress session 3 30 True) 0 2 1 1 1 [("three", 1), ("two", 1)],
        s' === s,
        empty === Status (Progress 0 0 0 False) 0 0 0 0 0 [],
        forgotten === map (const "Forgotten") forgotten,
        stragglers === forgotten,
        counterexample "another run" (runId run2 /= runId run),
        other === run2,
        s2 === Status p2 0 0 0 0 0 []
      ]
  where
    taken (Taken d) = pure d
    taken other = fail (show other)
    shown d = (deliveryNumber d, deliveryAttempt d, deliveryBytes d, deliveryNote d)
    -- Each function that needs a run.
    uses run d =
      [ engineSaveSchema e run (fingerprintString "x") "x",
        void (engineSchema e run (fingerprintString "x")),
        void (engineAdd e run (NewBatch 9 9 0 9 "x")),
        void (engineClose e run 9 0),
        void (engineTake e run "x" 0),
        void (engineHold e run "x" d (Hold 0 Nothing (Just "x"))),
        void (engineStore e run "x" 0 "x" (Just (Aside 0 "x" "x"))),
        engineAcknowledge e run d,
        void (engineCollected e run),
        void (engineResult e run 0),
        engineRelease e run 0,
        void (engineAside e run)
      ]

-- What the accumulator throws is thrown before the batch is released.
lazyAccumulator :: Property
lazyAccumulator = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  _ <- submitWith (inBatches 1 1000) engine (rows "rows") $ \_ give -> mapM_ (give . rowOf) [1 .. 3]
  _ <- worker engine (rows "rows") (pure . answer)
  let failing n c = pure (if collectedBatch c == 1 then throw Overflow else n + 1)
  first <- try (collect engine (rows "rows") failing (0 :: Int))
  second <- collect engine (rows "rows") (\ns c -> pure (collectedBatch c : ns)) []
  pure (conjoin [first === Left Overflow, second === [2, 1]])

-- One record always fails, and one the first two times. Each batch has one record.
throwing :: Property
throwing = ioProperty $ do
  engine <- memoryEngine <$> newMemory ReturnAtOnce
  calls <- newIORef []
  let f row@(Row n _ _) = do
        before <- length . filter (== n) <$> readIORef calls
        modifyIORef' calls (n :)
        let failing = n == 7 || n == 9 && before < 2
        failingWith (const (if failing then Just "not now" else Nothing)) row
  _ <- submitWith (inBatches 1 1000) engine (rows "rows") $ \_ give ->
    mapM_ (give . rowOf) [1 .. 20]
  worked <- worker engine (rows "rows") f
  got <- collect engine (rows "rows") (\l c -> pure (collectedResults c : l)) []
  times <- readIORef calls
  pure $
    conjoin
      [ worked === Worked 19 1,
        [n | (n, Left _) <- zip [1 :: Int ..] (reverse got)] === [7],
        concat [answers | Right answers <- reverse got]
          === [answer (rowOf n) | n <- [1 .. 20], n /= 7],
        [length (filter (== n) times) | n <- [6, 7, 8, 9]] === [1, 5, 1, 3]
      ]
