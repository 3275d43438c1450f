{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Exceptions
-- Description : Pure values that are interrupted, or that throw, by every kind of exception
--
-- An asynchronous exception leaves no trace in a pure value: whoever forces the value again gets
-- it. An exception that the value throws is thrown each time. Neither depends on the exception's
-- type, on who forces the value, or where.
--
-- No test relies on time. A value is interrupted when it waits for one of its bytes, which comes
-- when the test says so.
module Tests.Exceptions (tests) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import Data.Word (Word8)
import System.Exit (ExitCode (..))
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Exceptions.Subjects

tests :: TestTree
tests =
  testGroup
    "exceptions that are not ours"
    [ testGroup "other libraries" (map (subjectTest [Interrupted, Throws]) others),
      testGroup "our values" (map (subjectTest [Interrupted, InterruptedInSTM, Throws]) subjects)
    ]

-- What is tested of a value.
data Aspect
  = -- | It is interrupted at each of its bytes.
    Interrupted
  | -- | It is interrupted within a transaction, at its first byte.
    InterruptedInSTM
  | -- | Its first byte throws.
    Throws

subjectTest :: [Aspect] -> Subject -> TestTree
subjectTest aspects subject = testCase (subjectName subject) (mapM_ tested aspects)
  where
    tested aspect = case aspect of
      Interrupted -> sequence_ $ do
        interrupted <- interruptedTwice subject <$> asynchronous <*> [Plainly, Masked]
        interrupted <$> allWays <*> [SameThread, OtherThread]
      InterruptedInSTM ->
        sequence_ $
          interruptedInSTM subject <$> asynchronous <*> allWays <*> [SameThread, OtherThread]
      Throws -> sequence_ (throwsAlways subject <$> synchronous <*> allWays)

-- Exceptions.

-- A plain type: the instance is the default.
data Stop = Stop
  deriving stock (Show)

instance Exception Stop

-- The same in the hierarchy of asynchronous exceptions.
data StopAsynchronously = StopAsynchronously
  deriving stock (Show)

instance Exception StopAsynchronously where
  toException = asyncExceptionToException
  fromException = asyncExceptionFromException

data Type = PlainType | AsynchronousType
  deriving stock (Eq, Show)

-- The types do not say how an exception is thrown: each of these is thrown either way.
exceptions :: [(Type, SomeException)]
exceptions =
  [ (PlainType, toException Stop),
    (PlainType, toException (ExitFailure 3)),
    (PlainType, toException (userError "stop")),
    (PlainType, toException BlockedIndefinitelyOnMVar),
    (AsynchronousType, toException StopAsynchronously),
    (AsynchronousType, toException StackOverflow),
    (AsynchronousType, toException ThreadKilled)
  ]

-- How a thread is interrupted.
data Interruption
  = ThrowTo Type SomeException
  | TimeOut
  deriving stock (Show)

asynchronous :: [Interruption]
asynchronous = TimeOut : map (uncurry ThrowTo) exceptions

synchronous :: [(Type, SomeException)]
synchronous = exceptions

-- Bytes that come when the test says so.

data Slow = Slow
  { slowByte :: Word8,
    -- | Filled when the byte is forced for the first time.
    slowReached :: MVar (),
    -- | What it then waits for: an action to perform.
    slowGo :: MVar (IO ())
  }

newSlow :: Word8 -> IO Slow
newSlow w = do
  reached <- newEmptyMVar
  go <- newEmptyMVar
  byte <- unsafeInterleaveIO (tryPutMVar reached () >> join (readMVar go) >> pure w)
  pure (Slow byte reached go)

-- Threads that force values.

data Way = Plainly | Masked | Uninterruptibly | InSTM
  deriving stock (Eq, Show)

allWays :: [Way]
allWays = [Plainly, Masked, Uninterruptibly, InSTM]

data Result = Result
  { resultValue :: Either String S.ByteString,
    -- | Has 'catchSTM' seen its exception?
    resultCaughtInSTM :: Bool,
    -- | The masking state of the thread afterwards.
    resultMasked :: MaskingState
  }
  deriving stock (Eq, Show)

right :: Subject -> Result
right subject = Result (Right (subjectExpected subject)) False Unmasked

force :: Way -> S.ByteString -> IO Result
force way value = do
  (r, caught) <- case way of
    Plainly -> outside evaluated
    Masked -> outside (mask_ evaluated)
    Uninterruptibly -> outside (uninterruptibleMask_ evaluated)
    InSTM -> either (\e -> (Left e, False)) id <$> try (atomically inside)
  Result (either (\e -> Left (show (e :: SomeException))) Right r) caught <$> getMaskingState
  where
    evaluated = try (evaluate value)
    outside act = (\r -> (r, False)) <$> act
    inside = (value `seq` pure (Right value, False)) `catchSTM` \e -> pure (Left e, True)

data Worker = Worker ThreadId (MVar (IO ()))

-- A thread that performs one action after another.
withWorker :: (Worker -> IO r) -> IO r
withWorker = bracket start (\(Worker thread _) -> killThread thread)
  where
    start = do
      jobs <- newEmptyMVar
      thread <- forkIOWithUnmask (\unmask -> unmask (forever (join (takeMVar jobs))))
      pure (Worker thread jobs)

-- Give it an action. The variable gets the result.
give :: Worker -> IO a -> IO (MVar a)
give (Worker _ jobs) act = do
  done <- newEmptyMVar
  done <$ putMVar jobs (act >>= putMVar done)

-- Give it an action, and wait for the result.
by :: Worker -> IO a -> IO a
by worker act = give worker act >>= takeMVar

-- Let it force a value, and interrupt it at a slow byte. The value goes on afterwards.
interruptAt :: Slow -> Interruption -> Worker -> Way -> S.ByteString -> Assertion
interruptAt slow interruption worker@(Worker thread jobs) way value = do
  case interruption of
    TimeOut -> do
      r <- by worker (timeout 1000 (force way value))
      -- It may strike before the value is forced.
      mapM_ (@?= Result (Left "<<timeout>>") False Unmasked) r
    ThrowTo kind e -> do
      let reached = void (tryPutMVar (slowReached slow) ())
      done <- give worker (force way value)
      -- Should it not get to the byte, the test fails, and does not wait for ever.
      putMVar jobs reached
      takeMVar (slowReached slow)
      early <- tryReadMVar done
      early @?= Nothing
      throwTo thread e
      -- Within a transaction a plain type may have to wait for the value.
      when (way == InSTM && kind == PlainType) $ putMVar (slowGo slow) (pure ())
      takeMVar done >>= (@?= Result (Left (show e)) False Unmasked)
  void (tryPutMVar (slowGo slow) (pure ()))

-- The tests. They name what they do in the message of a failure.

data Resumption = SameThread | OtherThread
  deriving stock (Eq, Show)

withSlow :: Subject -> (Slow -> Slow -> S.ByteString -> IO r) -> IO r
withSlow subject use = do
  a <- newSlow 7
  b <- newSlow 8
  subjectWith subject (slowByte a) (slowByte b) (use a b)

interruptedTwice :: Subject -> Interruption -> Way -> Way -> Resumption -> Assertion
interruptedTwice subject interruption way finally' resumption =
  inContext (show (interruption, way, finally', resumption)) $
    withSlow subject $ \a b value -> withWorker $ \one -> withWorker $ \two -> do
      interruptAt a interruption one way value
      interruptAt b interruption (if resumption == SameThread then one else two) way value
      by one (force finally' value) >>= (@?= right subject)

interruptedInSTM :: Subject -> Interruption -> Way -> Resumption -> Assertion
interruptedInSTM subject interruption finally' resumption =
  inContext (show (interruption, InSTM, finally', resumption)) $
    withSlow subject $ \a b value -> withWorker $ \one -> withWorker $ \two -> do
      putMVar (slowGo b) (pure ())
      interruptAt a interruption one InSTM value
      let resuming = if resumption == SameThread then one else two
      by resuming (force finally' value) >>= (@?= right subject)

throwsAlways :: Subject -> (Type, SomeException) -> Way -> Assertion
throwsAlways subject (kind, e) way = inContext (show (e, way)) $
  withSlow subject $ \a _ value -> withWorker $ \one -> withWorker $ \two -> do
    putMVar (slowGo a) (throwIO e)
    let throwsIn worker w = inContext (show w) $ do
          r <- by worker (force w value)
          -- 'catchSTM' may miss an asynchronous type.
          let seen = if kind == PlainType then w == InSTM else resultCaughtInSTM r
          r @?= Result (Left (show e)) seen Unmasked
    throwsIn one way
    mapM_ (throwsIn one) allWays
    mapM_ (throwsIn two) allWays

inContext :: String -> IO a -> IO a
inContext context act =
  act `catch` \(HUnitFailure location message) ->
    throwIO (HUnitFailure location (context ++ ": " ++ message))
