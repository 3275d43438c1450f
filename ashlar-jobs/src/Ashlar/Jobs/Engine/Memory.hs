{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Engine.Memory
-- Description : An engine in this process
--
-- An engine for tests of jobs. Nothing of it is kept when the process ends, and its time passes
-- only when a test says so, by 'passTime'.
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
  )
where

import Ashlar.Jobs.Engine
import Control.Concurrent.STM
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import qualified Data.Map.Strict as M
import Data.Text (Text)
import GHC.Fingerprint (Fingerprint)

-- | The state of an engine in this process. Threads may share it.
--
-- @since 0.1.0.0
data Memory = Memory Waiting (TVar State)

-- | What a function does when there is nothing yet.
--
-- @since 0.1.0.0
data Waiting
  = -- | It waits until another thread has changed that.
    WaitForOthers
  | -- | It says so, for tests of one thread. A worker that finds nothing else to do gets back a
    -- batch that it had, as if the time until it is tried again had passed. So a worker whose
    -- function throws comes to an end. What a worker had that has died goes to others after
    -- 'passTime'. A worker of a job that is not submitted to its end would ask without end.
    ReturnAtOnce
  deriving stock (Eq, Show)

data State = State
  { stateSchemas :: !(M.Map Fingerprint ByteString),
    stateProgress :: !Progress,
    -- Batches that nobody has had, and those that somebody has.
    stateWaiting :: !(M.Map Int64 ByteString),
    stateTaken :: !(M.Map Int64 Holder),
    stateResults :: !(M.Map Int64 ByteString),
    stateStored :: !Int64,
    stateCollected :: !Int64,
    stateAside :: !(M.Map Int64 Aside),
    stateWorkers :: !(M.Map Text Int64),
    -- In microseconds.
    stateTime :: !Int
  }

-- Who has a batch, since when, and how many times it was delivered.
data Holder = Holder !Text !Int !Int !ByteString

empty :: State
empty = State M.empty (Progress 0 0 0 False) M.empty M.empty M.empty 0 0 M.empty M.empty 0

-- | An engine that has nothing.
--
-- @since 0.1.0.0
newMemory :: Waiting -> IO Memory
newMemory waiting = Memory waiting <$> newTVarIO empty

-- | Let time pass, in microseconds.
--
-- @since 0.1.0.0
passTime :: Memory -> Int -> IO ()
passTime (Memory _ var) n = atomically (modifyTVar' var (\s -> s {stateTime = stateTime s + n}))

-- | The engine with this state.
--
-- @since 0.1.0.0
memoryEngine :: Memory -> Engine
memoryEngine (Memory waiting var) =
  Engine
    { engineSaveSchema = \key schema ->
        change (\s -> s {stateSchemas = M.insert key schema (stateSchemas s)}),
      engineSchema = \key -> M.lookup key . stateSchemas <$> readTVarIO var,
      engineOpen = atomically $ do
        s <- readTVar var
        let p = stateProgress s
            p' = p {progressSession = progressSession p + 1}
        p' <$ writeTVar var s {stateProgress = p'},
      engineAdd = \new -> waitingFor Full (add new),
      engineClose = \session number -> atomically $ do
        s <- readTVar var
        let p = stateProgress s
        if progressSession p /= session
          then pure Superseded
          else
            if progressBatches p /= number
              then pure Missing
              else Added <$ writeTVar var s {stateProgress = p {progressClosed = True}},
      engineTake = \name idle -> waitingFor NothingYet (takeNext waiting name idle),
      engineSetIdle = \name d idle attempt ->
        let set s (Holder who _ _ bytes)
              | who == name = Holder who (stateTime s - idle) attempt bytes
            set _ holder = holder
         in change (\s -> s {stateTaken = M.adjust (set s) (deliveryNumber d) (stateTaken s)}),
      engineStore = \name number bytes -> atomically $ do
        s <- readTVar var
        let new = number >= stateCollected s && M.notMember number (stateResults s)
        when new $
          writeTVar
            var
            s
              { stateResults = M.insert number bytes (stateResults s),
                stateStored = stateStored s + 1,
                stateWorkers = M.insertWith (+) name 1 (stateWorkers s)
              }
        pure new,
      engineSetAside = \a ->
        change (\s -> s {stateAside = M.insert (asideNumber a) a (stateAside s)}),
      engineAcknowledge = \d ->
        change $ \s ->
          s
            { stateTaken = M.delete (deliveryNumber d) (stateTaken s),
              stateWaiting = M.delete (deliveryNumber d) (stateWaiting s)
            },
      engineCollected = stateCollected <$> readTVarIO var,
      engineResult = \number -> waitingFor NotYet (result number),
      engineRelease = \number ->
        change $ \s ->
          s
            { stateCollected = max (number + 1) (stateCollected s),
              stateResults = snd (M.split number (stateResults s))
            },
      engineAside = M.elems . stateAside <$> readTVarIO var,
      engineStatus = status <$> readTVarIO var,
      engineForget = change (\s -> empty {stateTime = stateTime s})
    }
  where
    change = atomically . modifyTVar' var
    waitingFor nothing try = atomically $ do
      s <- readTVar var
      case try s of
        Just (answer, s') -> answer <$ writeTVar var s'
        Nothing
          | waiting == WaitForOthers -> retry
          | otherwise -> pure nothing

-- What an engine answers and changes. 'Nothing' if it has to wait.

add :: NewBatch -> State -> Maybe (Added, State)
add new s
  | progressSession p /= newSession new = Just (Superseded, s)
  | newNumber new < progressBatches p = Just (Added, s)
  | newNumber new > progressBatches p = Just (Missing, s)
  | statusTasks (status s) >= newLimit new = Nothing
  | otherwise =
    Just
      ( Added,
        s
          { stateProgress =
              p {progressBatches = newNumber new + 1, progressRecords = newRecords new},
            stateWaiting = M.insert (newNumber new) (newBytes new) (stateWaiting s)
          }
      )
  where
    p = stateProgress s

takeNext :: Waiting -> Text -> Int -> State -> Maybe (Taken, State)
takeNext waiting name idle s
  | Just (number, holder) <- firstOf isIdle = Just (again number holder)
  | Just ((number, bytes), rest) <- M.minViewWithKey (stateWaiting s) =
    Just (give number 1 bytes s {stateWaiting = rest})
  | waiting == ReturnAtOnce, Just (number, holder) <- firstOf isOwn = Just (again number holder)
  | progressClosed (stateProgress s) && M.null (stateTaken s) = Just (Finished, s)
  | otherwise = Nothing
  where
    firstOf is = M.lookupMin (M.filter is (stateTaken s))
    isIdle (Holder _ since _ _) = stateTime s - since >= idle
    -- Who asks for a batch works on none.
    isOwn (Holder who _ _ _) = who == name
    again number (Holder _ _ attempt bytes) = give number (attempt + 1) bytes s
    give number attempt bytes s' =
      ( Taken (Delivery (C.pack (show number)) number attempt bytes),
        s' {stateTaken = M.insert number (Holder name (stateTime s) attempt bytes) (stateTaken s')}
      )

result :: Int64 -> State -> Maybe (Stored, State)
result number s
  | number < stateCollected s = Just (Released, s)
  | Just bytes <- M.lookup number (stateResults s) = Just (Stored bytes, s)
  | progressClosed p && number >= progressBatches p = Just (Ended, s)
  | otherwise = Nothing
  where
    p = stateProgress s

status :: State -> Status
status s =
  Status
    { statusProgress = stateProgress s,
      statusTasks = M.size (stateWaiting s) + M.size (stateTaken s),
      statusStored = stateStored s,
      statusCollected = stateCollected s,
      statusAside = M.size (stateAside s),
      statusWorkers = M.toList (stateWorkers s)
    }
