{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Jobs.Engine.Memory
-- Description : An engine in this process
--
-- An engine for tests of jobs. Nothing of it is kept when the process ends, its time passes only
-- when a test says so, by 'passTime', and it loses data if a test wants that, by 'lose'.
--
-- >>> import Ashlar.Jobs
-- >>> engine <- memoryEngine <$> newMemory ReturnAtOnce
-- >>> let square = job "square" :: Job Int Integer
-- >>> submit engine square (\n give -> mapM_ give (drop (fromIntegral n) [1 .. 1000]))
-- 1000
-- >>> worker engine square (\n -> pure (toInteger n ^ (2 :: Int)))
-- Worked {workedBatches = 1, workedAside = 0}
-- >>> let add total c = pure (total + either (const 0) sum (collectedResults c))
-- >>> collect engine square add 0
-- 333833500
module Ashlar.Jobs.Engine.Memory
  ( Memory,
    newMemory,
    Waiting (..),
    memoryEngine,
    passTime,

    -- * Losing data
    lose,
    Loss (..),
    snapshot,
  )
where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Exception
import Control.Concurrent.STM
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import qualified Data.Map.Strict as M
import Data.Text (Text)
import GHC.Fingerprint (Fingerprint)
import System.Timeout (timeout)

-- | The state of an engine in this process. Threads may share it.
data Memory = Memory Waiting (TVar State)

-- | What a function does when there is nothing yet.
data Waiting
  = -- | It waits until another thread has changed that, or some 50 ms have passed. Whoever waits
    -- for a submitter waits without end.
    WaitForOthers
  | -- | It says so, for tests of one thread. A worker that finds nothing else to do gets back a
    -- batch that it had, as if the time until it is tried again had passed. So a worker whose
    -- function throws comes to an end. What a worker had that has died goes to others after
    -- 'passTime'. A worker of a job that is not submitted to its end would ask without end.
    -- 'NotSubmitted' is thrown at once.
    ReturnAtOnce
  deriving stock (Eq, Show)

data State = State
  { -- In microseconds.
    stateTime :: !Int,
    stateRun :: !(Maybe Kept),
    -- How many runs there were, and those that were forgotten.
    stateRuns :: !Int,
    stateForgotten :: ![ByteString]
  }

-- What there is of a run.
data Kept = Kept
  { keptRun :: !Run,
    keptSchemas :: !(M.Map Fingerprint ByteString),
    keptProgress :: !Progress,
    keptTasks :: !(Maybe Tasks),
    keptResults :: !(M.Map Int64 ByteString),
    keptStored :: !Int64,
    keptCollected :: !Int64,
    keptAside :: !(M.Map Int64 Aside),
    -- How many were set aside.
    keptAsideCount :: !Int,
    keptWorkers :: !(M.Map Text Int64)
  }

-- Batches that nobody has had, and those that somebody has.
data Tasks = Tasks !(M.Map Int64 ByteString) !(M.Map Int64 Holder)

-- Who has a batch, since when, how many times it was delivered, its bytes, and the note.
data Holder = Holder !Text !Int !Int !ByteString !ByteString

-- | An engine that has nothing.
newMemory :: Waiting -> IO Memory
newMemory waiting = Memory waiting <$> newTVarIO (State 0 Nothing 0 [])

-- | Let time pass, in microseconds.
passTime :: Memory -> Int -> IO ()
passTime (Memory _ var) n = atomically (modifyTVar' var (\s -> s {stateTime = stateTime s + n}))

-- | What an engine can lose.
data Loss
  = LoseEverything
  | -- | The batches that wait or are in work.
    LoseTasks
  | -- | The result with this number.
    LoseResult !Int64
  | LoseSchemas
  | -- | What was set aside.
    LoseAside
  deriving stock (Eq, Show)

-- | Lose something, as a server may.
lose :: Memory -> Loss -> IO ()
lose (Memory _ var) loss = atomically . modifyTVar' var $ \s ->
  s {stateRun = if loss == LoseEverything then Nothing else lost <$> stateRun s}
  where
    lost k = case loss of
      LoseEverything -> k
      LoseTasks -> k {keptTasks = Nothing}
      LoseResult n -> k {keptResults = M.delete n (keptResults k)}
      LoseSchemas -> k {keptSchemas = M.empty}
      LoseAside -> k {keptAside = M.empty}

-- | Keep the present state. The action that is returned brings it back, as if the engine had been
-- restarted from an old copy.
snapshot :: Memory -> IO (IO ())
snapshot (Memory _ var) = do
  old <- stateRun <$> readTVarIO var
  pure (atomically (modifyTVar' var (\s -> s {stateRun = old})))

-- | The engine with this state.
memoryEngine :: Memory -> Engine
memoryEngine (Memory waiting var) =
  Engine
    { engineMaxBytes = maxBound,
      engineCurrent = fmap ((,) <$> keptRun <*> keptProgress) . stateRun <$> readTVarIO var,
      engineOpen = \about -> atomically $ do
        s <- readTVar var
        k <- maybe (pure (newRun about s)) (\k -> k <$ tasksOf k) (stateRun s)
        let p = (keptProgress k) {progressSession = progressSession (keptProgress k) + 1}
            new = maybe 1 (const 0) (stateRun s)
        writeTVar var s {stateRun = Just k {keptProgress = p}, stateRuns = stateRuns s + new}
        pure (keptRun k, p),
      engineJoin = \old -> atomically $ do
        s <- readTVar var
        case keptRun <$> stateRun s of
          Just run | fmap runId old /= Just (runId run) -> pure run
          _
            | waiting == WaitForOthers -> retry
            | otherwise -> throwSTM NotSubmitted,
      engineSaveSchema = \run key schema ->
        change run (\k -> k {keptSchemas = M.insert key schema (keptSchemas k)}),
      engineSchema = \run key -> M.lookup key . keptSchemas <$> looking run,
      engineAdd = \run new -> orElseNothing (const Full) (at run (add new)),
      engineClose = \run session number -> atomically . at run $ \_ k -> do
        let p = keptProgress k
        _ <- tasksOf k
        case compare (progressSession p) session of
          GT -> pure (Superseded, k)
          LT -> throwSTM (lostFrom (progressBatches p))
          EQ
            | progressBatches p /= number -> throwSTM (lostFrom (progressBatches p))
            | otherwise -> pure (Added, k {keptProgress = p {progressClosed = True}}),
      engineTake = \run name idle ->
        orElseNothing (NothingYet . keptProgress) (at run (takeNext waiting name idle)),
      engineHold = \run name d hold -> atomically (at run (holding name d hold)),
      engineStore = \run name number bytes aside ->
        atomically (at run (store name number bytes aside)),
      engineAcknowledge = \run d ->
        let without (Tasks a b) = Tasks (M.delete n a) (M.delete n b)
            n = deliveryNumber d
         in change run (\k -> k {keptTasks = without <$> keptTasks k}),
      engineCollected = fmap keptCollected . looking,
      engineResult = \run number -> orElseNothing (NotYet . keptProgress) (at run (result number)),
      engineRelease = \run number -> atomically (at run (release number)),
      engineAside = \run -> do
        k <- looking run
        let n = M.size (keptAside k)
        if n < keptAsideCount k
          then atomically (throwSTM (lostAside n (keptAsideCount k)))
          else pure (M.elems (keptAside k)),
      engineStatus = maybe nothing status . stateRun <$> readTVarIO var,
      engineForget = \expected -> atomically . modifyTVar' var $ \s ->
        case keptRun <$> stateRun s of
          Just run
            | maybe True (\r -> runId r == runId run) expected ->
              s {stateRun = Nothing, stateForgotten = runId run : stateForgotten s}
          _ -> s,
      engineWarnings = pure []
    }
  where
    at :: Run -> (Int -> Kept -> STM (a, Kept)) -> STM a
    at run act = do
      s <- readTVar var
      case stateRun s of
        Just k | runId (keptRun k) == runId run -> do
          (a, k') <- act (stateTime s) k
          a <$ writeTVar var s {stateRun = Just k'}
        other
          | runId run `elem` stateForgotten s -> throwSTM Forgotten
          | otherwise -> throwSTM (maybe lostJob (const lostToAnother) other)
    change run f = atomically (at run (\_ k -> pure ((), f k)))
    looking run = atomically (at run (\_ k -> pure (k, k)))
    -- What waits may be told that there is nothing.
    orElseNothing :: (Kept -> a) -> STM a -> IO a
    orElseNothing nothingOf act = do
      done <- case waiting of
        WaitForOthers -> timeout 50000 (atomically act)
        ReturnAtOnce -> pure Nothing
      let orNothing = act `orElse` (maybe retry (pure . nothingOf) . stateRun =<< readTVar var)
      maybe (atomically orNothing) pure done

-- A run that has nothing.
newRun :: ByteString -> State -> Kept
newRun about s =
  Kept
    (Run (C.pack (show (stateRuns s))) about)
    M.empty
    (Progress 0 0 0 False)
    (Just (Tasks M.empty M.empty))
    M.empty
    0
    0
    M.empty
    0
    M.empty

tasksOf :: Kept -> STM Tasks
tasksOf = maybe (throwSTM lostTasks) pure . keptTasks

-- What an engine answers and changes, given the time. It retries if it has to wait.

add :: NewBatch -> Int -> Kept -> STM (Added, Kept)
add new _ k = do
  tasks@(Tasks waiting taken) <- tasksOf k
  case compare (progressSession p) (newSession new) of
    GT -> pure (Superseded, k)
    LT -> throwSTM (lostFrom (progressBatches p))
    EQ
      | newNumber new < progressBatches p -> pure (Added, k)
      | newNumber new > progressBatches p -> throwSTM (lostFrom (progressBatches p))
      | taskCount tasks >= newLimit new -> retry
      | otherwise ->
        pure
          ( Added,
            k
              { keptProgress =
                  p {progressBatches = newNumber new + 1, progressRecords = newRecords new},
                keptTasks = Just (Tasks (M.insert (newNumber new) (newBytes new) waiting) taken)
              }
          )
  where
    p = keptProgress k

takeNext :: Waiting -> Text -> Int -> Int -> Kept -> STM (Taken, Kept)
takeNext how name idle time k = do
  Tasks waiting taken <- tasksOf k
  let firstOf is = M.lookupMin (M.filter is taken)
      give number attempt bytes note rest =
        ( Taken (Delivery (C.pack (show number)) number attempt bytes note),
          let holder = Holder name time attempt bytes note
           in k {keptTasks = Just (Tasks rest (M.insert number holder taken))}
        )
      again number (Holder _ _ attempt bytes note) = give number (attempt + 1) bytes note waiting
      next
        | Just (number, holder) <- firstOf isIdle = pure (again number holder)
        | Just ((number, bytes), rest) <- M.minViewWithKey waiting =
          pure (give number 1 bytes C.empty rest)
        | how == ReturnAtOnce, Just (number, holder) <- firstOf isOwn = pure (again number holder)
        | progressClosed (keptProgress k) && M.null taken = pure (Finished, k)
        | otherwise = retry
  next
  where
    isIdle (Holder _ since _ _ _) = time - since >= idle
    -- Who asks for a batch works on none.
    isOwn (Holder who _ _ _ _) = who == name

holding :: Text -> Delivery -> Hold -> Int -> Kept -> STM (Bool, Kept)
holding name d hold time k = do
  Tasks waiting taken <- tasksOf k
  pure $ case M.lookup (deliveryNumber d) taken of
    Just (Holder who _ attempt bytes note)
      | who == name ->
        let holder =
              Holder
                who
                (time - holdIdle hold)
                (maybe attempt id (holdAttempt hold))
                bytes
                (maybe note id (holdNote hold))
         in (True, k {keptTasks = Just (Tasks waiting (M.insert (deliveryNumber d) holder taken))})
    _ -> (False, k)

store :: Text -> Int64 -> ByteString -> Maybe Aside -> Int -> Kept -> STM (Bool, Kept)
store name number bytes aside _ k
  | number >= progressBatches (keptProgress k) =
    throwSTM (lostFrom (progressBatches (keptProgress k)))
  | number < keptCollected k || M.member number (keptResults k) = pure (False, k)
  | otherwise =
    pure
      ( True,
        counted
          k
            { keptResults = M.insert number bytes (keptResults k),
              keptAside = maybe id (M.insert number) aside (keptAside k),
              keptAsideCount =
                keptAsideCount k
                  + maybe 0 (const (if M.member number (keptAside k) then 0 else 1)) aside
            }
      )
  where
    -- One that was lost may be stored again.
    counted k'
      | keptStored k' >= progressBatches (keptProgress k') = k'
      | otherwise =
        k'
          { keptStored = keptStored k' + 1,
            keptWorkers = M.insertWith (+) name 1 (keptWorkers k')
          }

result :: Int64 -> Int -> Kept -> STM (Stored, Kept)
result number _ k
  | number < keptCollected k = pure (Released, k)
  | Just bytes <- M.lookup number (keptResults k) = pure (Stored p bytes, k)
  | number > progressBatches p = throwSTM (lostFrom (progressBatches p))
  | number == progressBatches p = if progressClosed p then pure (Ended, k) else retry
  | otherwise = do
    Tasks waiting taken <- tasksOf k
    if M.member number waiting || M.member number taken then retry else throwSTM (lostBatch number)
  where
    p = keptProgress k

-- Results that are missing were there before an old state came back.
release :: Int64 -> Int -> Kept -> STM ((), Kept)
release number _ k
  | number >= progressBatches (keptProgress k) =
    throwSTM (lostFrom (progressBatches (keptProgress k)))
  | number < keptCollected k = pure ((), k)
  | otherwise =
    pure
      ( (),
        k
          { keptCollected = number + 1,
            keptResults = after (keptResults k),
            keptStored = min (progressBatches (keptProgress k)) (keptStored k + missing),
            keptTasks = without <$> keptTasks k
          }
      )
  where
    after m = snd (M.split number m)
    without (Tasks a b) = if missing > 0 then Tasks (after a) (after b) else Tasks a b
    missing =
      number + 1 - keptCollected k
        - fromIntegral (M.size (keptResults k) - M.size (after (keptResults k)))

status :: Kept -> Status
status k =
  Status
    { statusProgress = keptProgress k,
      statusTasks = tasks,
      statusStored = keptStored k,
      statusCollected = keptCollected k,
      statusAside = keptAsideCount k,
      statusLost = max 0 (progressBatches (keptProgress k) - keptStored k - fromIntegral tasks),
      statusWorkers = M.toList (keptWorkers k)
    }
  where
    tasks = maybe 0 taskCount (keptTasks k)

nothing :: Status
nothing = Status (Progress 0 0 0 False) 0 0 0 0 0 []

taskCount :: Tasks -> Int
taskCount (Tasks waiting taken) = M.size waiting + M.size taken
