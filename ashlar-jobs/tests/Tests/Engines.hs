{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Engines
-- Description : The rules of an engine, step by step, on each engine
module Tests.Engines (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Engine.Redis
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
      testProperty "Redis" . once . ioProperty . withServer $ \server ->
        withRedis (optionsFor server) (\redis -> rules (redisEngine redis "rules"))
    ]

-- Each line is a call, and what it must return.
rules :: Engine -> IO Property
rules e = do
  old <- progressSession <$> engineOpen e
  p <- engineOpen e
  let session = progressSession p
      new n = NewBatch session 2 n (10 * (n + 1))
      no = fingerprintString "no"
  engineSaveSchema e no "schema"
  outdated <- engineAdd e (NewBatch old 2 0 10 "x")
  gap <- engineAdd e (new 1 "x")
  first <- engineAdd e (new 0 "a")
  again' <- engineAdd e (new 0 "x")
  next <- engineAdd e (new 1 "b")
  full <- engineAdd e (new 2 "c")
  known <- (,) <$> engineSchema e no <*> engineSchema e (fingerprintString "other")
  d0 <- engineTake e "one" 1000000000 >>= taken
  d1 <- engineTake e "two" 1000000000 >>= taken
  -- Another worker's delivery stays as it is.
  engineSetIdle e "two" d0 2000000000 7
  nothing1 <- engineTake e "three" 1000000000
  engineSetIdle e "one" d0 2000000000 7
  d0' <- engineTake e "two" 1000000000 >>= taken
  -- The one who had it before has lost it.
  engineSetIdle e "one" d0 2000000000 3
  nothing2 <- engineTake e "three" 1000000000
  stored <- engineStore e "two" 0 "A"
  stored' <- engineStore e "one" 0 "B"
  result <- engineResult e 0
  notYet <- engineResult e 1
  engineAcknowledge e d0
  engineAcknowledge e d0'
  room <- engineAdd e (new 2 "c")
  before <- engineCollected e
  engineRelease e 0
  engineRelease e 0
  stored'' <- engineStore e "one" 0 "C"
  released <- engineResult e 0
  after' <- engineCollected e
  early <- engineClose e session 2
  closed <- engineClose e session 3
  closed' <- engineClose e session 3
  tooLate <- engineClose e old 3
  end <- engineResult e 3
  d2 <- engineTake e "three" 1000000000 >>= taken
  engineSetAside e (Aside 2 "c" "why")
  aside <- engineAside e
  _ <- engineStore e "three" 2 "D"
  mapM_ (engineAcknowledge e) [d1, d2, d1]
  finished <- engineTake e "three" 1000000000
  s <- engineStatus e
  engineForget e
  empty <- engineStatus e
  pure $
    conjoin
      [ [outdated, gap, first, again', next, full]
          === [Superseded, Missing, Added, Added, Added, Full],
        known === (Just "schema", Nothing),
        map shown [d0, d1, d0', d2] === [(0, 1, "a"), (1, 1, "b"), (0, 8, "a"), (2, 1, "c")],
        [nothing1, nothing2, finished] === [NothingYet, NothingYet, Finished],
        [stored, stored', stored''] === [True, False, False],
        [result, notYet, released, end] === [Stored "A", NotYet, Released, Ended],
        [room, early, closed, closed', tooLate] === [Added, Missing, Added, Added, Superseded],
        (before, after') === (0, 1),
        aside === [Aside 2 "c" "why"],
        s === Status (Progress session 3 30 True) 0 2 1 1 [("three", 1), ("two", 1)],
        empty === Status (Progress 0 0 0 False) 0 0 0 0 []
      ]
  where
    taken (Taken d) = pure d
    taken other = fail (show other)
    shown d = (deliveryNumber d, deliveryAttempt d, deliveryBytes d)

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
  _ <- submitWith (SubmitOptions 1 1000) engine (rows "rows") $ \_ give ->
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
