{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Schedules
-- Description : Random schedules against map
--
-- One thread plays a submitter, four workers, a collector, and time. Each call of the engine has a
-- fate: it works, it is done twice because a reply was lost, or its caller dies, before or after
-- it. Workers overlap: in the middle of one's step, others take theirs. Who dies is started again.
module Tests.Schedules (tests) where

import Ashlar.Jobs
import Ashlar.Jobs.Engine
import Ashlar.Jobs.Engine.Memory
import Ashlar.Jobs.Internal.Worker (Step (..), newStep)
import Control.Exception
import Control.Monad (forM_, unless, when)
import Data.IORef
import Data.Int (Int64)
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import qualified Data.Map.Strict as M
import qualified Data.Text as T
import Test.QuickCheck hiding (collect, reason, total)
import Test.Tasty
import Test.Tasty.QuickCheck (testProperty)
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "schedules"
    [ testProperty "whoever dies, the results are those of map" (withMaxSuccess 1000 anySchedule),
      testProperty "without deaths, nothing is set aside but what fails" (withMaxSuccess 200 calm)
    ]

data Plan = Plan
  { planSeed :: Int,
    planRecords :: [Int64],
    planBytes :: Int,
    planLimit :: Int,
    planAttempts :: Int,
    planPoison :: [Int64],
    -- These fail this number of times.
    planFlaky :: [(Int64, Int)],
    planCompressed :: Bool,
    planDeaths :: Bool
  }
  deriving stock (Show)

instance Arbitrary Plan where
  arbitrary = do
    records <- listOf (choose (0, 200))
    let some = if null records then pure [] else listOf (elements records)
    poison <- oneof [pure [], take 3 <$> some]
    flaky <- oneof [pure [], take 3 <$> some]
    Plan
      <$> arbitrary
      <*> pure records
      <*> oneof [choose (1, 300), choose (-1500, 0)]
      <*> choose (1, 4)
      <*> (if null poison then elements [2, 3, 1000] else choose (1, 3))
      <*> pure poison
      <*> pure (map (\n -> (n, 1 + fromIntegral n `mod` 3)) flaky)
      <*> arbitrary
      <*> pure True
  shrink p =
    [p {planRecords = r} | r <- shrinkList (const []) (planRecords p)]
      ++ [p {planPoison = []} | not (null (planPoison p))]
      ++ [p {planFlaky = []} | not (null (planFlaky p))]

-- A caller is dead. It cannot be caught as an error of the function.
data Died = Died deriving stock (Show)

instance Exception Died where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

-- What a run of the plan has seen.
data World = World
  { memory :: Memory,
    dice :: IORef Int,
    depth :: IORef Int,
    calls :: IORef (M.Map Int64 Int),
    steps :: IORef (IM.IntMap (IORef Bool, IO Step))
  }

roll :: World -> Int -> IO Int
roll w n = do
  modifyIORef' (dice w) (\x -> (x * 6364136223846793005 + 1442695040888963407) `mod` 2 ^ bits)
  x <- readIORef (dice w)
  pure ((x `div` 65536) `mod` n)
  where
    bits = 62 :: Int

-- An engine whose calls have fates, for one life of a caller.
fated :: Plan -> World -> IORef Bool -> Engine -> Engine
fated p w dead e =
  e
    { engineCurrent = call (engineCurrent e),
      engineOpen = call . engineOpen e,
      engineJoin = call . engineJoin e,
      engineSaveSchema = \r f s -> call (engineSaveSchema e r f s),
      engineSchema = \r -> call . engineSchema e r,
      engineAdd = \r n -> between (call (engineAdd e r n)),
      engineClose = \r s n -> call (engineClose e r s n),
      engineTake = \r n i -> call (engineTake e r n i),
      engineHold = \r n d h -> between (call (engineHold e r n d h)),
      engineStore = \r n k b a -> between (call (engineStore e r n k b a)),
      engineAcknowledge = \r -> between . call . engineAcknowledge e r,
      engineCollected = call . engineCollected e,
      engineResult = \r -> between . call . engineResult e r,
      engineRelease = \r -> call . engineRelease e r
    }
  where
    call :: IO a -> IO a
    call action = do
      isDead <- readIORef dead
      when isDead (throwIO Died)
      fate <- roll w 40
      case fate of
        0 | planDeaths p -> die w dead
        1 | planDeaths p -> action >> die w dead
        2 | planDeaths p -> action >> action
        _ -> action
    between :: IO a -> IO a
    between action = others p w >> action

die :: World -> IORef Bool -> IO a
die _ dead = writeIORef dead True >> throwIO Died

-- Others do something, and time passes, but not without end.
others :: Plan -> World -> IO ()
others p w = do
  level <- readIORef (depth w)
  k <- roll w 3
  when (level < 4 && k > 0) $ do
    writeIORef (depth w) (level + 1)
    forM_ [1 .. k] (const (anybody p w))
    writeIORef (depth w) level

-- A worker takes a step, or time passes.
anybody :: Plan -> World -> IO ()
anybody p w = do
  who <- roll w 5
  if who < 4
    then workerStep p w who
    else do
      -- Signs of life are left out. So in a calm world, nobody is that slow.
      busy <- mapM (readIORef . fst) . IM.elems =<< readIORef (steps w)
      unless (or busy && not (planDeaths p)) $
        roll w 1000 >>= passTime (memory w) . (+ 1)

-- One that is in the middle of a step is left alone.
workerStep :: Plan -> World -> Int -> IO ()
workerStep p w who = do
  there <- IM.lookup who <$> readIORef (steps w)
  (busy, step) <- maybe (fresh p w who) pure there
  isBusy <- readIORef busy
  unless isBusy $ do
    writeIORef busy True
    result <- try step
    writeIORef busy False
    case result of
      Right _ -> pure ()
      Left ex
        | Just Died <- fromException ex -> modifyIORef' (steps w) (IM.delete who)
        -- It was too early.
        | Just NotSubmitted <- fromException ex -> pure ()
        | otherwise -> throwIO ex

fresh :: Plan -> World -> Int -> IO (IORef Bool, IO Step)
fresh p w who = do
  dead <- newIORef False
  current <- newIORef Nothing
  busy <- newIORef False
  let engine = fated p w dead (memoryEngine (memory w))
      options =
        defaultWorkerOptions
          { workerIdle = 1000,
            workerAttempts = planAttempts p,
            workerCuts = 1000,
            workerRetry = 100
          }
      f row = do
        fate <- roll w 50
        when (fate == 0 && planDeaths p) (die w dead)
        when (fate < 8) (others p w)
        modifyIORef' (calls w) (M.insertWith (+) (rowNumberOf row) 1)
        n <- M.findWithDefault 0 (rowNumberOf row) <$> readIORef (calls w)
        failingWith (why n) row
      why n row
        | rowNumberOf row `elem` planPoison p = Just "poison"
        | Just k <- lookup (rowNumberOf row) (planFlaky p), n <= k = Just "flaky"
        | otherwise = Nothing
  step <- newStep options (T.pack ("worker " ++ show who)) current engine (planJob p) f
  modifyIORef' (steps w) (IM.insert who (busy, step))
  pure (busy, step)

rowNumberOf :: Row -> Int64
rowNumberOf (Row n _ _) = n

planJob :: Plan -> Job Row Answer
planJob p = (rows "plan") {jobCompression = if planCompressed p then Just zeros else Nothing}

-- Until it is not interrupted by its own death.
immortal :: IO a -> IO a
immortal action = try action >>= either (\Died -> immortal action) pure

calm :: Plan -> Property
calm p = anySchedule p {planDeaths = False}

anySchedule :: Plan -> Property
anySchedule p = ioProperty $ do
  mem <- newMemory ReturnAtOnce
  seed <- newIORef (planSeed p * 7919 + 1)
  w <- World mem seed <$> newIORef 0 <*> newIORef M.empty <*> newIORef IM.empty
  let input = map rowOf (planRecords p)
      life run = immortal $ do
        dead <- newIORef False
        run dead (fated p w dead (memoryEngine mem))
      options = inBatches (planBytes p) (planLimit p)
  mostTasks <- newIORef 0
  seen <- newIORef M.empty
  order <- newIORef True
  -- Results come while batches are submitted, too.
  let submitting = life $ \dead engine -> handle already $
        submitWith options (observed mostTasks engine) (planJob p) $ \n give ->
          forM_ (List.genericDrop n input) $ \x -> do
            fate <- roll w 100
            when (fate == 0 && planDeaths p) (die w dead)
            give x
      collecting = life $ \dead engine -> do
        let next () c = do
              fate <- roll w 20
              when (fate == 0 && planDeaths p) (die w dead)
              before <- readIORef seen
              -- The next records, or some of the last batch again.
              let next' = maybe 0 (\(k, l) -> k + fromIntegral (count l)) (M.lookupMax before)
                  lastBatch = collectedBatch . snd <$> M.lookupMax before
              unless (collectedFirst c == next' || lastBatch == Just (collectedBatch c)) $
                writeIORef order False
              writeIORef seen (M.insert (collectedFirst c) c before)
              when (fate == 1 && planDeaths p) (die w dead)
        collect engine (planJob p) next ()
  total <- submitting
  collecting
  -- What dead workers have is done, too, and changes nothing.
  let drain :: Int -> IO ()
      drain n = do
        left <- statusTasks <$> engineStatus (memoryEngine mem)
        when (left > 0 && n < 100000) (anybody p w >> drain (n + 1))
  drain 0
  got <- readIORef seen
  inOrder <- readIORef order
  most <- readIORef mostTasks
  end <- engineStatus (memoryEngine mem)
  set <- failures (memoryEngine mem) (planJob p)
  let failed = [f | Collected {collectedResults = Left f} <- M.elems got]
      right c = case collectedResults c of
        Right answers -> answers === map answer (slice (collectedFirst c) (length answers))
        Left f -> conjoin [failedFirst f === collectedFirst c, reason f]
      recordsOf f = slice (failedFirst f) (failedCount f)
      slice from n = take n (List.genericDrop from input)
      reason f =
        counterexample (show f) $
          T.isInfixOf "has died or lost it" (failedError f)
            && planDeaths p
            && planAttempts p < 1000
            || or
              [ T.isPrefixOf (T.pack ("record " ++ show i ++ ": ")) (failedError f)
                  && (n `elem` planPoison p || n `elem` map fst (planFlaky p))
                | (i, n) <- zip [failedFirst f ..] (map rowNumberOf (recordsOf f))
              ]
  pure . counterexample (show (M.elems got)) $
    conjoin
      [ total === List.genericLength input,
        counterexample "in order" inOrder,
        counterexample "no gaps, no repetition" $
          map collectedFirst (M.elems got)
            === map fromIntegral (take (M.size got) (scanl (+) 0 (map count (M.elems got)))),
        sum (map count (M.elems got)) === length input,
        conjoin (map right (M.elems got)),
        counterexample "each result is stored once" $
          statusStored end === progressBatches (statusProgress end),
        counterexample "nothing is left" (statusTasks end === 0),
        counterexample "the limit" (most <= planLimit p),
        counterexample "what is collected as a failure is what is set aside" $
          failed === map fst set,
        counterexample "only the records that fail are set aside" $
          counterexample (show failed) $
            planDeaths p
              || and
                [ failedCount f == 1
                    && all (mayFail . rowNumberOf) (recordsOf f)
                  | f <- failed
                ],
        counterexample "with their records" $
          conjoin
            [ records === Right (slice (failedFirst f) (failedCount f))
              | (f, records) <- set
            ],
        counterexample "what always fails has no result" . property $
          and
            [ n `notElem` map rowNumberOf (slice (collectedFirst c) (length answers))
              | c@Collected {collectedResults = Right answers} <- M.elems got,
                n <- planPoison p
            ]
      ]
  where
    mayFail n = n `elem` planPoison p || n `elem` map fst (planFlaky p)
    -- It died when it had submitted everything.
    already ex = case ex of
      AlreadySubmitted n -> pure n
      _ -> throwIO ex
    count c = either failedCount length (collectedResults c)
    observed ref e =
      e
        { engineAdd = \r n -> do
            added <- engineAdd e r n
            tasks <- statusTasks <$> engineStatus e
            modifyIORef' ref (max tasks)
            pure added
        }
