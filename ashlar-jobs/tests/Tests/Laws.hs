{-# LANGUAGE OverloadedStrings #-}
-- Each use of 'submit', 'worker' and 'collect' is specialised, which takes long.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Laws
-- Description : Names, second submissions, and sizes, on each engine
module Tests.Laws (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Job (aboutJob)
import Control.Concurrent (threadDelay)
import Control.Exception
import Control.Monad (forM_, void, when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.IORef
import Data.Int (Int64)
import Data.List (isInfixOf)
import qualified Data.Text as T
import Test.Tasty
import Test.Tasty.QuickCheck hiding (again, collect, total)
import Tests.Both
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "laws of each engine"
    [ testGroup
        "names"
        [ onBoth "a worker with another job's name takes nothing, and is told both names" otherName,
          onBoth "a batch of another job is given back, and that was no attempt" otherBatch,
          onBoth "a collector and a submitter of another name change nothing" otherRoles
        ],
      testGroup
        "a second submission"
        [ onBoth "of a finished job is refused, and its action does not run" finished,
          onBoth "of a job that was submitted empty is refused" emptyJob,
          onBoth "of another type is refused with the path, and supersedes nobody" otherType,
          onBoth "of a newer type continues" newerType,
          onBoth "with submitAgain begins anew, but not before all results are collected" again,
          onBoth "is done by workers that stay, and what the first run left changes nothing" stays,
          onBoth "after forget has no result of the first run" straggler,
          onBoth "may begin as soon as the last result has been released" atTheEnd,
          onBoth "is needed after a record that throws, even if that is caught" throwingRecord
        ],
      onBoth "a sign of life that fails is not the last one" failingSign,
      testGroup
        "what the engine cannot hold"
        [ onBoth "a record that is too large is refused, with its size, and alone" largeRecord,
          onBoth
            "a result that is too large is set aside alone and at once, with its size"
            largeResult,
          onBoth "results that are too large together: those that fit are kept" largeTogether,
          onBoth "a batch that would be too large is two" largeBatch,
          onBoth "an error that is long, endless or fails itself is set aside shortened" longErrors
        ]
    ]

otherName :: Faulty -> IO Property
otherName (Faulty engine _ _) = do
  _ <- submitWith small engine (rows "rows") (counting 30)
  refused <- thrownBy (worker engine (rows "rosw") (pure . answer))
  (watched, attempts) <- noting engine
  _ <- worker watched (rows "rows") (pure . answer)
  tried <- attempts
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ refused === Left (OtherJob "rows" "rosw"),
        counterexample "both names" $
          both (displayException (OtherJob "rows" "rosw")),
        property (all (== 1) tried),
        complete 30 got
      ]
  where
    both text = "\"rows\"" `isInfixOf` text && "\"rosw\"" `isInfixOf` text

-- As if the name were not checked before a batch is taken.
otherBatch :: Faulty -> IO Property
otherBatch (Faulty engine _ _) = do
  _ <- submitWith small engine (rows "rows") (counting 30)
  let lying = engine {engineJoin = fmap lie . engineJoin engine}
      lie run = run {runAbout = aboutJob (rows "rosw")}
  refused <- thrownBy (worker lying (rows "rosw") (pure . answer))
  (watched, attempts) <- noting engine
  _ <- worker watched (rows "rows") (pure . answer)
  tried <- attempts
  collecting <- thrownBy (results lying (rows "rosw"))
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ refused === Left (OtherJob "rows" "rosw"),
        collecting === Left (OtherJob "rows" "rosw"),
        counterexample (show tried) (all (== 1) tried),
        complete 30 got
      ]

otherRoles :: Faulty -> IO Property
otherRoles (Faulty engine _ _) = do
  refused <- newIORef []
  let other = rows "rosw"
      note action = thrownBy action >>= \r -> modifyIORef' refused (r :)
  n <- submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 9]
    note (submit engine other (\_ _ -> pure ()))
    mapM_ (give . rowOf) [10 .. 29]
  note (results engine other)
  note (failures engine other)
  note (submitWith small {submitAgain = True} engine other (\_ _ -> pure ()))
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  told <- readIORef refused
  pure $
    conjoin
      [ n === 30,
        told === replicate 4 (Left (OtherJob "rows" "rosw")),
        complete 30 got
      ]

finished :: Faulty -> IO Property
finished (Faulty engine _ _) = do
  _ <- submitWith small engine (rows "rows") (counting 30)
  ran <- newIORef False
  let second = submit engine (rows "rows") (\_ _ -> writeIORef ran True)
  early <- thrownBy second
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  late <- thrownBy second
  didRun <- readIORef ran
  pure $
    conjoin
      [ [early, late] === replicate 2 (Left (AlreadySubmitted 30)),
        didRun === False,
        complete 30 got
      ]

emptyJob :: Faulty -> IO Property
emptyJob (Faulty engine _ _) = do
  n <- submit engine (rows "rows") (\_ _ -> pure ())
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  second <- thrownBy (submit engine (rows "rows") (counting 30))
  m <- submitWith small {submitAgain = True} engine (rows "rows") (counting 30)
  _ <- worker engine (rows "rows") (pure . answer)
  got' <- results engine (rows "rows")
  pure $
    conjoin
      [ (n, got) === (0, []),
        second === Left (AlreadySubmitted 0),
        m === 30,
        complete 30 got'
      ]

otherType :: Faulty -> IO Property
otherType (Faulty engine _ _) = do
  refused <- newIORef []
  let wrong = job "rows" :: Job OtherRow Answer
      wrong' = job "rows" :: Job Row OtherAnswer
      try' :: Codec a => Job a b -> IO ()
      try' j = do
        r <- thrownBy (submitWith small {submitAgain = True} engine j (\_ _ -> pure ()))
        modifyIORef' refused (r :)
  n <- submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 9]
    try' wrong
    try' wrong'
    mapM_ (give . rowOf) [10 .. 29]
  try' wrong
  try' wrong'
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  told <- reverse <$> readIORef refused
  let with path r = case r of
        Left (OtherTypes why) -> counterexample why (path `isInfixOf` why)
        _ -> counterexample (show r) False
  pure $
    conjoin
      [ n === 30,
        conjoin (zipWith with (cycle ["rowName", "answerText"]) told),
        complete 30 got
      ]

newerType :: Faulty -> IO Property
newerType (Faulty engine _ _) = do
  stopped <- try . submitWith small engine (job "rows" :: Job OldRow Answer) $ \_ give -> do
    mapM_ (give . oldRowOf) [0 .. 99]
    throwIO (ErrorCall "stopped")
  n <- submitWith small engine (rows "rows") (counting 130)
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  let answers = concatMap (either (const []) id . collectedResults) got
      number (Answer k _) = k
  pure $
    conjoin
      [ stopped === Left (ErrorCall "stopped"),
        n === 130,
        map number answers === [k * k | k <- [0 .. 129]]
      ]

again :: Faulty -> IO Property
again (Faulty engine _ _) = do
  let options = small {submitAgain = True}
      work = worker engine (rows "rows") (pure . answer)
  _ <- submitWith options engine (rows "rows") (counting 30)
  unworked <- thrownBy (submitWith options engine (rows "rows") (counting 50))
  _ <- work
  uncollected <- thrownBy (submitWith options engine (rows "rows") (counting 50))
  got <- results engine (rows "rows")
  n <- submitWith options engine (rows "rows") (counting 50)
  _ <- work
  got' <- results engine (rows "rows")
  pure $
    conjoin
      [ [unworked, uncollected] === replicate 2 (Left (AlreadySubmitted 30)),
        n === 50,
        complete 30 got,
        complete 50 got'
      ]

stays :: Faulty -> IO Property
stays (Faulty engine _ _) = do
  let options = eager {workerStays = True}
      run n = do
        _ <- submitWith small engine (rows "rows") (counting n)
        results engine (rows "rows") <* forget engine
  beside (workerWith options engine (rows "rows") (pure . answer)) $ \_ -> do
    got <- run 30
    got' <- run 50
    got'' <- run 0
    got''' <- run 20
    pure $ conjoin [complete 30 got, complete 50 got', got'' === [], complete 20 got''']

-- A worker still has a batch of a run that has been forgotten.
straggler :: Faulty -> IO Property
straggler (Faulty engine _ _) = do
  begun <- newIORef (0 :: Int)
  let wrong (Row n _ _) = do
        k <- atomicModifyIORef' begun (\k -> (k + 1, k))
        when (k == 0) $ do
          forget engine
          void (submitWith small engine (rows "rows") (counting 50))
        pure (Answer (negate n) "of the first run")
  _ <- submitWith small engine (rows "rows") (counting 30)
  done <- worker engine (rows "rows") wrong
  before <- status engine
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ done === Worked 0 0,
        statusStored before === 0,
        complete 50 got
      ]

-- Somebody submits again between the last release and whatever the collector does next.
atTheEnd :: Faulty -> IO Property
atTheEnd (Faulty engine _ _) = do
  n <- submitWith small engine (rows "rows") (counting 30)
  _ <- worker engine (rows "rows") (pure . answer)
  let options = small {submitAgain = True}
      sudden r k = do
        engineRelease engine r k
        void . thrownBy $ submitWith options engine (rows "rows") (counting 50)
  got <- results engine {engineRelease = sudden} (rows "rows")
  begun <- status engine
  pure (conjoin [n === 30, complete 30 got, submitted begun === 50])
  where
    submitted = progressRecords . statusProgress

throwingRecord :: Faulty -> IO Property
throwingRecord (Faulty engine _ _) = do
  later <- newIORef []
  stopped <- try . submitWith small engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 9]
    let attempt row = try (give row) >>= \r -> modifyIORef' later (r :)
    attempt (throw Overflow)
    mapM_ (attempt . rowOf) [10, 11]
  told <- readIORef later
  n <- submitWith small engine (rows "rows") (counting 30)
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ stopped === Left Overflow,
        told === replicate 3 (Left Overflow),
        n === 30,
        complete 30 got
      ]

failingSign :: Faulty -> IO Property
failingSign (Faulty engine _ _) = do
  signs <- newIORef (0 :: Int)
  _ <- submitWith small engine (rows "rows") (counting 1)
  let flaky r w d h = do
        k <- atomicModifyIORef' signs (\k -> (k + 1, k))
        if k == 0 then ioError (userError "one failure") else engineHold engine r w d h
      -- As long as it takes until two more have come.
      f row = waitFor 2000 >> pure (answer row)
      waitFor k = do
        n <- readIORef signs
        if n >= 3 || k == (0 :: Int) then pure () else threadDelay 5000 >> waitFor (k - 1)
  done <- workerWith eager {workerIdle = 30000} engine {engineHold = flaky} (rows "rows") f
  n <- readIORef signs
  pure (done === Worked 1 0 .&&. counterexample (show n) (n >= 3))

-- The smallest limit.
limited :: Engine -> Engine
limited engine = engine {engineMaxBytes = 65536}

named :: Int64 -> Int -> Row
named n size = Row n (T.replicate size "x") Nothing

large :: Int64 -> Int -> Answer
large n size = Answer n (T.replicate size "y")

-- What an engine is given is never larger than it says.
watchingSizes :: Engine -> IO (Engine, IO [Int])
watchingSizes e = do
  sizes <- newIORef []
  let note bytes = modifyIORef' sizes (S.length bytes :)
  pure
    ( e
        { engineAdd = \r n -> note (newBytes n) >> engineAdd e r n,
          engineStore = \r w n bytes a -> do
            note bytes
            mapM_ (note . asideFailure) a
            engineStore e r w n bytes a,
          engineHold = \r w d h -> mapM_ note (holdNote h) >> engineHold e r w d h
        },
      filter (> engineMaxBytes e) <$> readIORef sizes
    )

largeRecord :: Faulty -> IO Property
largeRecord (Faulty engine0 _ _) = do
  (engine, tooLarge) <- watchingSizes (limited engine0)
  refused <- newIORef []
  n <- submit engine (rows "rows") $ \_ give -> do
    mapM_ (give . rowOf) [0 .. 9]
    r <- thrownBy (give (named 10 70000))
    modifyIORef' refused (r :)
    mapM_ (give . rowOf) [10 .. 19]
  _ <- worker engine (rows "rows") (pure . answer)
  got <- results engine (rows "rows")
  told <- readIORef refused
  over <- tooLarge
  let sizes r = case r of
        Left (TooLarge why) ->
          counterexample why $
            all
              (`isInfixOf` why)
              ["record 10 has at least 6", " bytes, where engineMaxBytes allows 65444"]
        _ -> counterexample (show r) False
  pure $
    conjoin
      [ n === 20,
        conjoin (map sizes told),
        length told === 1,
        over === [],
        concatMap (either (const []) id . collectedResults) got === map (answer . rowOf) [0 .. 19]
      ]

largeResult :: Faulty -> IO Property
largeResult (Faulty engine0 _ _) = do
  (engine, tooLarge) <- watchingSizes (limited engine0)
  calls <- newIORef []
  let f (Row n _ _) = modifyIORef' calls (n :) >> pure (large n (if n == 4 then 70000 else 5))
  _ <- submit engine (rows "rows") (counting 10)
  done <- workerWith eager engine (rows "rows") f
  got <- results engine (rows "rows")
  called <- readIORef calls
  set <- failures engine (rows "rows")
  over <- tooLarge
  pure $
    conjoin
      [ done === Worked 0 1,
        called === reverse [0 .. 9],
        map (either (const Nothing) Just . collectedResults) got
          === [Just [large n 5 | n <- [0 .. 3]], Nothing, Just [large n 5 | n <- [5 .. 9]]],
        conjoin
          [ counterexample (show x) $
              (failedFirst x, failedCount x) === (4, 1)
                .&&. all
                  (`T.isInfixOf` failedError x)
                  [ "record 4: its result has at least 6",
                    " bytes, where engineMaxBytes allows 65444"
                  ]
            | Left x <- map collectedResults got
          ],
        map snd set === [Right [rowOf 4]],
        over === []
      ]

largeTogether :: Faulty -> IO Property
largeTogether (Faulty engine0 _ _) = do
  (engine, tooLarge) <- watchingSizes (limited engine0)
  _ <- submit engine (rows "rows") (counting 10)
  _ <- workerWith eager engine (rows "rows") (\(Row n _ _) -> pure (large n 20000))
  got <- results engine (rows "rows")
  over <- tooLarge
  let kept = concatMap (either (const []) id . collectedResults) got
      lost = [f | Left f <- map collectedResults got]
  pure $
    conjoin
      [ kept === [large (fromIntegral n) 20000 | n <- [0 .. length kept - 1]],
        length kept + sum (map failedCount lost) === 10,
        counterexample (show lost) $
          not (null lost) && not (null kept)
            && all ("engineMaxBytes" `T.isInfixOf`) (map failedError lost),
        over === []
      ]

largeBatch :: Faulty -> IO Property
largeBatch (Faulty engine0 _ _) = do
  (engine, tooLarge) <- watchingSizes (limited engine0)
  n <- submitWith (inBatches 1000000 1000) engine (rows "rows") $ \_ give ->
    forM_ [0 .. 9] (\k -> give (named k 40000))
  _ <- worker engine (rows "rows") (\(Row k _ _) -> pure (large k 1))
  got <- results engine (rows "rows")
  over <- tooLarge
  pure $
    conjoin
      [ n === 10,
        concatMap (either (const []) id . collectedResults) got === [large k 1 | k <- [0 .. 9]],
        over === []
      ]

longErrors :: Faulty -> IO Property
longErrors (Faulty engine0 _ _) = do
  (engine, tooLarge) <- watchingSizes (limited engine0)
  let f row@(Row n _ _) = case n of
        2 -> throwIO (ErrorCall (replicate 1000000 'e'))
        4 -> throwIO (ErrorCall (cycle "endless "))
        6 -> throwIO (ErrorCall ("first " ++ error "second"))
        8 -> throwIO (ErrorCall (throw ThreadKilled))
        _ -> pure (answer row)
  _ <- submit engine (rows "rows") (counting 10)
  _ <- workerWith eager {workerAttempts = 2} engine (rows "rows") f
  got <- results engine (rows "rows")
  over <- tooLarge
  let lost = [f' | Left f' <- map collectedResults got]
  pure $
    conjoin
      [ map failedFirst lost === [2, 4, 6, 8],
        map failedCount lost === [1, 1, 1, 1],
        counterexample (show lost) (all ((< 2001) . T.length . failedError) lost),
        map (C.unpack . C.take 9 . C.pack . T.unpack . failedError) (take 2 lost)
          === ["record 2:", "record 4:"],
        map failedError (drop 2 lost) === replicate 2 "an error that cannot be shown",
        over === []
      ]
