{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Jobs.Internal.Apply
-- Description : The function on some records
--
-- Note [A thread for the function]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Exceptions that are for the worker end it, and its batch goes to another one. Those that the
-- function throws are attempts that failed. The type does not tell them apart: a function may throw
-- ThreadKilled, because something that it waited for was killed. So the function runs in a thread
-- of its own. What ends that thread is the function's, unless the worker has passed it on.
module Ashlar.Jobs.Internal.Apply
  ( Output,
    newOutput,
    Ran (..),
    apply,
    inItsOwnThread,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.File.Internal.Block (RecordTooLarge (..))
import Ashlar.Jobs.Internal.Job
import Ashlar.Jobs.Internal.Parts
import Control.Concurrent (forkIO, mkWeakThreadId)
import Control.Concurrent.MVar
import Control.Exception
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import qualified Data.Text as T
import System.Mem.Weak (deRefWeak)

-- | Where results are written.
data Output = Output
  { outputBody :: !OpenBlock,
    outputWritten :: !(IORef Written)
  }

-- | How many more bytes there may be, how many results there are, and their bytes, the last first.
data Written = Written !Int !Int [ByteString]

-- | The results are too large together: how many bytes they would have at least.
newtype TooMuch = TooMuch Int
  deriving stock (Show)

instance Exception TooMuch

-- | Space for results, given the most bytes of a body.
newOutput :: Int -> IO Output
newOutput limit = do
  written <- newIORef (Written limit 0 [])
  -- What is too large together is found out for each of these.
  body <- newBody (min 262144 (limit `div` 16)) limit $ \bytes n -> do
    Written left m parts <- readIORef written
    if S.length bytes > left
      then throwIO (TooMuch (sum (map S.length parts) + S.length bytes))
      else do
        -- At once: the bytes do not stay.
        part <- evaluate (S.copy bytes)
        writeIORef written (Written (left - S.length bytes) (m + fromIntegral n) (part : parts))
  pure (Output body written)

-- | What has become of some records.
data Ran
  = -- | The results of all.
    Ran !ByteString
  | -- | One has none: how many are before it, their results, and why.
    Stopped !Int !ByteString !Trouble

-- | Apply a function to some records, and write the results at once, so that exceptions inside of
-- them belong to their records. Only exceptions that are for this thread are thrown.
apply ::
  Codec b =>
  -- | Where results are written, if this has been used before.
  IORef (Maybe Output) ->
  -- | The most bytes of a body, always the same, and what sets it.
  (Int, String) ->
  -- | The most bytes of these results.
  Int ->
  -- | The most characters of an error.
  Int ->
  (a -> IO b) ->
  -- | The number of the first record.
  Int64 ->
  -- | Runs an action on each record.
  ((a -> IO ()) -> IO (Maybe Undecodable)) ->
  IO Ran
apply ref (limit, name) space characters f first eachRecord = do
  -- After an exception for this thread, it has the results of some records, so it is not used
  -- again.
  output <- atomicModifyIORef' ref ((,) Nothing) >>= maybe (newOutput limit) pure
  let body = outputBody output
  writeIORef (outputWritten output) (Written space 0 [])
  result <- inItsOwnThread $ \ends -> eachRecord (\x -> ends >> f x >>= writeRecord body)
  rest <- try (flushOpen body)
  Written _ n parts <- readIORef (outputWritten output)
  let bytes = S.concat (reverse parts)
      stopped final more why =
        Stopped n bytes . (\t -> Trouble t final more) <$> shown why
      shown why = either (const unshown) id <$> inItsOwnThread (\_ -> text why)
      unshown = T.pack "an error that cannot be shown"
      text why = evaluate (T.pack (take characters why))
      recordAt = "record " ++ show (first + fromIntegral n)
      refused ex
        | Just (TooMuch m) <- fromException ex =
          stopped True True $
            recordAt ++ ": the results up to here have " ++ show m ++ " bytes, where " ++ name
              ++ " leaves "
              ++ show space
        | Just (RecordTooLarge m l) <- fromException ex,
          l == limit =
          stopped True False $
            recordAt ++ ": its result has at least " ++ show m ++ " bytes, where " ++ name
              ++ " allows "
              ++ show l
        | SomeException inner <- ex =
          -- (The outer one would add a backtrace, from GHC 9.10 on.)
          stopped False False (recordAt ++ ": " ++ displayException inner)
  case (rest, result) of
    (Left overflow, _) -> refused (toException (overflow :: TooMuch))
    (_, Left ex) -> refused ex
    (_, Right (Just u)) -> do
      writeIORef ref (Just output)
      stopped False (undecodableAll u) (undecodableText u)
    (_, Right Nothing) -> Ran bytes <$ writeIORef ref (Just output)
{-# INLINE apply #-}

-- | Run an action in a thread of its own, and return what it throws. An exception for this thread
-- ends the other one, and is then thrown here. See Note [A thread for the function].
--
-- The user's function may catch that exception. So the action is given one that throws it again.
inItsOwnThread :: (IO () -> IO a) -> IO (Either SomeException a)
inItsOwnThread act = mask $ \restore -> do
  done <- newEmptyMVar
  stopped <- newIORef Nothing
  -- If the other one waits for ever, it is told so, unless this one holds it, and this one is not.
  let go = try (restore (act (readIORef stopped >>= mapM_ throwIO))) >>= putMVar done
  child <- forkIO go >>= mkWeakThreadId
  let wait = readMVar done `catch` \BlockedIndefinitelyOnMVar -> wait
  restore wait `catch` \ex -> do
    writeIORef stopped (Just (ex :: SomeException))
    running <- deRefWeak child
    ended <- uninterruptibleMask_ $ do
      mapM_ (`throwTo` ex) running
      readMVar done
    case fromException ex of
      -- The runtime tells the main thread, whoever it was.
      Just HeapOverflow -> pure (ended >> Left ex)
      _ -> throwIO ex
