{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- Each use of 'submit', 'worker' and 'collect' is specialised, which takes long.
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Tests.Poison
-- Description : Records that fail, or kill their workers
module Tests.Poison (tests) where

import Ashlar.Codec (Codec, HasFormat (..), derivedFormat, satisfying)
import Ashlar.Jobs
import Ashlar.Jobs.Internal.Parts
import Ashlar.Schema (Described)
import Control.Concurrent
  ( forkIO,
    killThread,
    myThreadId,
    newEmptyMVar,
    putMVar,
    takeMVar,
    threadDelay,
  )
import Control.Exception
import Control.Monad (when)
import qualified Data.ByteString as S
import Data.Either (isLeft)
import Data.IORef
import Data.Int (Int64)
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Text as T
import GHC.Generics (Generic)
import System.Exit (ExitCode (..))
import Test.Tasty
import Test.Tasty.QuickCheck hiding (collect, total)
import Tests.Both
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "poison"
    [ onBoth "only the record that fails is set aside, after exactly its attempts" oneOfMany,
      onBoth "a record that fails sometimes gets its attempts, wherever others fail" flaky,
      onBoth "a record whose decoder throws is set aside alone" unreadable,
      onBoth "when everything fails, the attempts of a batch are bounded" everything,
      onBoth "a record that kills its workers is set aside alone, after a bounded number" killer,
      onBoth "two records that kill their workers are set aside alone" killers,
      onBoth "an exception of the function is an attempt, of whatever type" exceptions,
      onBoth "a function that waits for ever for itself is an attempt" waitsForEver,
      onBoth "a function that catches all exceptions ends with its record" catchesAll,
      testProperty "parts: whatever happens, no record is lost or doubled" anyFate,
      testProperty "parts: in the end all are done or set aside" ends,
      testProperty "parts: get . put" roundTrip,
      testProperty "parts: hostile bytes are an error, or canonical" hostile
    ]

-- What was collected: the results of each record, or the error.
outcomes :: [Collected Answer] -> [Either Failed Answer]
outcomes = concatMap (either failed (map Right) . collectedResults)
  where
    failed f = replicate (failedCount f) (Left f)

oneOfMany :: Faulty -> IO Property
oneOfMany (Faulty engine _ _) = do
  calls <- newIORef M.empty
  let f row@(Row n _ _) = do
        modifyIORef' calls (M.insertWith (+) n (1 :: Int))
        when (n == 777) (ioError (userError "poison"))
        pure (answer row)
  _ <- submit engine (rows "rows") (counting 1000)
  done <- workerWith eager engine (rows "rows") f
  got <- results engine (rows "rows")
  called <- readIORef calls
  set <- failures engine (rows "rows")
  let failed = Failed 777 1 5 "record 777: user error (poison)"
  pure $
    conjoin
      [ done === Worked 0 1,
        outcomes got
          === [if n == 777 then Left failed else Right (answer (rowOf n)) | n <- [0 .. 999]],
        map collectedFirst got === [0, 777, 778],
        set === [(failed, Right [rowOf 777])],
        -- What was done before it is not done again.
        M.filter (/= 1) called === M.fromList [(777, 5)]
      ]

-- Some are decoded at a time.
newtype Readable = Readable Int64
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

instance HasFormat Readable where
  format = satisfying "readable" (\(Readable n) -> n /= 777 || throw Overflow) derivedFormat

unreadable :: Faulty -> IO Property
unreadable (Faulty engine _ _) = do
  let numbers = job "numbers" :: Job Readable Answer
  _ <- submit engine numbers (\_ give -> mapM_ (give . Readable) [0 .. 999])
  done <- workerWith eager engine numbers (\(Readable n) -> pure (Answer n T.empty))
  got <- results engine numbers
  set <- failures engine numbers
  pure $
    conjoin
      [ done === Worked 0 1,
        [either failedFirst (\(Answer n _) -> n) outcome | outcome <- outcomes got] === [0 .. 999],
        map collectedFirst got === [0, 777, 778],
        [(failedFirst f, failedCount f, isLeft records) | (f, records) <- set] === [(777, 1, True)]
      ]

-- It catches the exception that ends the worker. The next record is not begun.
catchesAll :: Faulty -> IO Property
catchesAll (Faulty engine _ _) = do
  calls <- newIORef (0 :: Int)
  begun <- newEmptyMVar
  let f row = do
        modifyIORef' calls (+ 1)
        putMVar begun ()
        threadDelay 60000000 `catch` \(SomeException _) -> pure ()
        pure (answer row)
  _ <- submit engine (rows "rows") (counting 1000)
  done <- newEmptyMVar
  thread <- forkIO (try (workerWith eager engine (rows "rows") f) >>= putMVar done)
  takeMVar begun
  killThread thread
  ended <- takeMVar done
  n <- readIORef calls
  pure (either (\e -> show (e :: AsyncException)) show ended === "thread killed" .&&. n === 1)

flaky :: Faulty -> IO Property
flaky (Faulty engine _ _) = do
  calls <- newIORef M.empty
  let f row@(Row n _ _) = do
        k <- M.findWithDefault (0 :: Int) n <$> readIORef calls
        modifyIORef' calls (M.insertWith (+) n 1)
        when (n `mod` 10 == 3 && k < 4) (ioError (userError "not yet"))
        pure (answer row)
  _ <- submit engine (rows "rows") (counting 80)
  done <- workerWith eager {workerCuts = 32} engine (rows "rows") f
  got <- results engine (rows "rows")
  pure (done === Worked 1 0 .&&. complete 80 got)

everything :: Faulty -> IO Property
everything (Faulty engine _ _) = do
  calls <- newIORef (0 :: Int)
  let f :: Row -> IO Answer
      f _ = modifyIORef' calls (+ 1) >> ioError (userError "out of order")
  _ <- submit engine (rows "rows") (counting 1000)
  done <- workerWith eager {workerAttempts = 3, workerCuts = 7} engine (rows "rows") f
  got <- results engine (rows "rows")
  n <- readIORef calls
  set <- failures engine (rows "rows")
  pure $
    conjoin
      [ done === Worked 0 1,
        n === 10,
        length (outcomes got) === 1000,
        [collectedFirst c | c <- got] === [0, 1, 2, 3],
        map (either failedCount (const 0) . collectedResults) got === [1, 1, 1, 997],
        map (fmap length . snd) set === [Right 1, Right 1, Right 1, Right 997]
      ]

killedBy ::
  [Int64] -> Int64 -> Faulty -> IO ([Collected Answer], Int, [(Failed, Either String [Row])])
killedBy bad total (Faulty engine _ _) = do
  _ <- submit engine (rows "rows") (counting total)
  deaths <- runAlone eager engine (rows "rows") $ \die row@(Row n _ _) -> do
    when (n `elem` bad) (die >> throwIO ThreadKilled)
    pure (answer row)
  (,,) <$> results engine (rows "rows") <*> pure deaths <*> failures engine (rows "rows")

killer :: Faulty -> IO Property
killer faulty' = do
  (got, deaths, set) <- killedBy [1234] 2048 faulty'
  pure $
    conjoin
      [ [n | (n, Left _) <- zip [0 :: Int64 ..] (outcomes got)] === [1234],
        [a | Right a <- outcomes got] === [answer (rowOf n) | n <- [0 .. 2047], n /= 1234],
        -- Five for all, one for each half of more than one record, two for the one.
        deaths === 5 + 10 + 2,
        map (fmap (map rowNumberOf) . snd) set === [Right [1234]],
        map (failedError . fst) set === ["each worker that took it has died or lost it"]
      ]
  where
    rowNumberOf (Row n _ _) = n

killers :: Faulty -> IO Property
killers faulty' = do
  (got, deaths, _) <- killedBy [3, 90] 128 faulty'
  pure $
    conjoin
      [ [n | (n, Left _) <- zip [0 :: Int64 ..] (outcomes got)] === [3, 90],
        length (outcomes got) === 128,
        counterexample (show deaths) (deaths <= 37)
      ]

newtype Odd = Odd Int deriving stock (Show)

instance Exception Odd where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

exceptions :: Faulty -> IO Property
exceptions (Faulty engine _ _) = do
  calls <- newIORef M.empty
  let f row@(Row n _ _) = do
        modifyIORef' calls (M.insertWith (+) n (1 :: Int))
        case n of
          0 -> throwIO ThreadKilled
          1 -> throwIO UserInterrupt
          2 -> throwIO StackOverflow
          3 -> throwIO HeapOverflow
          4 -> throwIO (Odd 4)
          5 -> throwIO (ExitFailure 1)
          6 -> myThreadId >>= killThread >> pure (answer row)
          7 -> throwIO (OtherTypes "not those of this job")
          8 -> throwIO Forgotten
          9 -> pure (Answer n (throw (Odd 9)))
          10 -> throwIO (DataLost "something else")
          _ -> pure (answer row)
  _ <- submitWith (inBatches 1 1000) engine (rows "rows") (counting 13)
  done <- workerWith eager {workerAttempts = 3} engine (rows "rows") f
  got <- results engine (rows "rows")
  called <- readIORef calls
  pure $
    conjoin
      [ done === Worked 2 11,
        called === M.fromList [(n, if n < 11 then 3 else 1) | n <- [0 .. 12]],
        [failedAttempts x | Left x <- map collectedResults got] === replicate 11 3,
        [collectedFirst c | c@Collected {collectedResults = Right _} <- got] === [11, 12]
      ]

waitsForEver :: Faulty -> IO Property
waitsForEver (Faulty engine _ _) = do
  let f row@(Row n _ _) = do
        when (n == 5) (newEmptyMVar >>= takeMVar)
        pure (answer row)
  _ <- submit engine (rows "rows") (counting 10)
  done <- workerWith eager {workerAttempts = 2} engine (rows "rows") f
  got <- results engine (rows "rows")
  pure $
    conjoin
      [ done === Worked 0 1,
        [n | (n, Left _) <- zip [0 :: Int ..] (outcomes got)] === [5],
        conjoin
          [ counterexample (show x) ("blocked indefinitely" `T.isInfixOf` failedError x)
            | Left x <- map collectedResults got
          ]
      ]

-- What happens to a batch of some records.
data Fates = Fates Int [Fate]
  deriving stock (Show)

data Fate = Completes | Fails Int Bool Bool | Dies Int
  deriving stock (Show)

instance Arbitrary Fates where
  arbitrary = Fates <$> choose (1, 100) <*> listOf fate
    where
      fate =
        frequency
          [ (2, pure Completes),
            (3, Fails <$> choose (0, 30) <*> rarely 9 <*> rarely 19),
            (3, Dies <$> choose (0, 6))
          ]
      rarely k = frequency [(1, pure True), (k, pure False)]
  shrink (Fates n fs) =
    [Fates n fs' | fs' <- shrinkList (const []) fs] ++ [Fates m fs | m <- [1 .. n - 1]]

limits :: Limits
limits = Limits 3 35

-- Each result is a byte that says which record it is of.
fated :: Int -> [Fate] -> Cut
fated n = List.foldl' next (whole n)
  where
    next cut fate = case nextPart cut of
      Nothing -> cut
      Just (from, m, _) ->
        let bytes k = S.pack (map fromIntegral [from .. from + k - 1])
         in case fate of
              Completes -> completed (bytes m) cut
              Fails k final more ->
                let k' = min k m
                 in failedAt limits k' (bytes k') (Trouble "why" final more) cut
              Dies d -> maybe cut id (killed limits d cut)

anyFate :: Fates -> Property
anyFate (Fates n fs) =
  conjoin
    [ sum (map partCount parts) === n,
      property (all ((> 0) . partCount) parts),
      conjoin
        [ S.unpack bytes === map fromIntegral [at .. at + m - 1]
          | (at, Part m (Done bytes)) <- zip (scanl (+) 0 (map partCount parts)) parts
        ]
    ]
  where
    parts = cutParts (fated n fs)

-- After as many failed attempts as are allowed, nothing waits.
ends :: Fates -> Property
ends (Fates n fs) = counterexample (show cut) (cutFailed cut < limitFailed limits || null waiting)
  where
    cut = fated n (fs ++ concat (replicate 40 [Fails 0 False False]))
    waiting = [() | Part _ (Waiting _ _) <- cutParts cut]

roundTrip :: Fates -> Property
roundTrip (Fates n fs) = getParts n (putParts parts) === Right parts
  where
    parts = cutParts (fated n fs)

hostile :: Fates -> [Positive Int] -> NonNegative Int -> Property
hostile (Fates n fs) changes (NonNegative end) =
  either (const (property True)) ((=== bytes) . putParts) (getParts n bytes)
  where
    good = putParts (cutParts (fated n fs))
    bytes = S.take (max 1 (S.length good - end `mod` 9 + 4)) (List.foldl' change good changes)
    change b (Positive k) =
      let (x, y) = S.splitAt (k `mod` S.length b) b
       in S.concat [x, S.map (+ 1) (S.take 1 y), S.drop 1 y]
