{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Lazy
-- Description : Lazy output: on demand, in odd places, interrupted
module Tests.Lazy (tests, collected) where

import Ashlar.Builder
import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith)
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.IORef (mkWeakIORef, newIORef, readIORef, writeIORef)
import Data.List (isInfixOf)
import Data.Maybe (isNothing)
import Data.Word (Word64)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import System.Mem.Weak (Weak, deRefWeak)
import System.Process (readProcessWithExitCode)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "lazy output"
    [ testCase "an infinite builder" infinite,
      testCase "chunks have the sizes promised" chunkSizes,
      testCase "ByteStrings of 8 KiB and more are shared, and the open buffer used on" insertShares,
      testCase "an exception surfaces where it is reached" exceptionInTheMiddle,
      testCase "nothing is evaluated before it is needed" onDemand,
      testGroup
        "in odd places"
        [ testCase "under mask, begun outside" (oddly mask_),
          testCase "under uninterruptibleMask" (oddly uninterruptibleMask_),
          testCase "mask stays in force" maskStays,
          testCase "under atomically" inAtomically,
          testCase "catchSTM sees an exception of a value" inCatchSTM,
          testCase "nested in one another" nested,
          testCase "in a bound thread" (inThread forkOS),
          testCase "in an unbound thread" (inThread forkIO),
          testCase "forced by many threads at once" raced,
          testCase "interrupted by timeouts at any moment" interrupted,
          testCase "interrupted and resumed by other threads" resumedElsewhere
        ],
      testCase "chunks keep their size under mask" maskedSizes,
      testCase "deep builders are produced in linear time" deep,
      testCase "what is dropped is collected" dropped,
      testCase "with the compacting collector" compacting
    ]

-- 8 n bytes. Written so that GHC cannot share it between tests.
numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

expected :: Word64 -> Word64 -> L.ByteString
expected from to = B.toLazyByteString (foldMap B.word64LE (takeWhile (< to) [from ..]))

infinite :: Assertion
infinite = L.length (L.take 10000000 (toLazyByteString ones)) @?= 10000000
  where
    ones = word8 1 <> ones

chunkSizes :: Assertion
chunkSizes = do
  let sizes = map S.length (L.toChunks (toLazyByteString (numbers 0 100000)))
      first = take 1 sizes
      middle = drop 1 (init sizes)
  assertBool (show first) (all (\n -> n <= 4096 && n > 4000) first)
  assertBool (show middle) (length middle > 20 && all (\n -> n <= 32768 && n > 32000) middle)

insertShares :: Assertion
insertShares = do
  let big = S.replicate 8192 5
      chunks = L.toChunks (toLazyByteString (mconcat (replicate 100 (word8 1 <> byteString big))))
  length chunks @?= 200
  map S.length chunks @?= concat (replicate 100 [1, 8192])

exceptionInTheMiddle :: Assertion
exceptionInTheMiddle = do
  let lazy = lazilyWith 64 64 (numbers 0 100 <> word8 (throw (userError "value")) <> numbers 0 100)
  -- Every chunk that was full has arrived.
  L.take 768 lazy @?= L.take 768 (expected 0 100)
  result <- try (evaluate (L.length lazy))
  assertUserError "value" result
  -- The same when it is forced again.
  again <- try (evaluate (L.length lazy))
  assertUserError "value" again

assertUserError :: Show a => String -> Either IOException a -> Assertion
assertUserError message =
  either
    (\e -> show e @?= "user error (" ++ message ++ ")")
    (\a -> assertFailure ("no exception, but " ++ show a))

onDemand :: Assertion
onDemand = do
  reached <- newIORef (0 :: Int)
  let mark i = unsafePerformIO (writeIORef reached i >> pure 1)
      lazy = lazilyWith 16 16 (foldMap (\i -> word8 (mark i)) [1 .. 1000])
  _ <- evaluate (L.head lazy)
  readIORef reached >>= \n -> assertBool (show n) (n <= 17)
  _ <- evaluate (L.index lazy 500)
  readIORef reached >>= \n -> assertBool (show n) (n <= 520)

-- Starts here and finishes under a wrapper.
oddly :: (IO () -> IO ()) -> Assertion
oddly wrapper = do
  let lazy = toLazyByteString (numbers 0 50000)
  _ <- evaluate (L.length (L.take 100000 lazy))
  wrapper (lazy @?= expected 0 50000)
  let whole = toLazyByteString (numbers 7 50000)
  wrapper (whole @?= expected 7 50000)
  let reversed = toLazyByteString (numbers 9 50000)
  wrapper (void (evaluate (L.length (L.take 100000 reversed))))
  reversed @?= expected 9 50000

maskStays :: Assertion
maskStays = do
  let lazy = toLazyByteString (numbers 0 50000)
  _ <- evaluate (L.length (L.take 100000 lazy))
  mask_ $ do
    _ <- evaluate (L.length lazy)
    getMaskingState >>= (@?= MaskedInterruptible)
  getMaskingState >>= (@?= Unmasked)

inAtomically :: Assertion
inAtomically = do
  let lazy = toLazyByteString (numbers 0 50000)
  _ <- evaluate (L.length (L.take 100000 lazy))
  var <- newTVarIO 0
  n <- atomically $ do
    writeTVar var (L.length lazy)
    readTVar var
  n @?= 400000
  lazy @?= expected 0 50000

inCatchSTM :: Assertion
inCatchSTM = do
  let lazy = lazilyWith 64 64 (numbers 0 100 <> word8 (throw (userError "value")))
  _ <- evaluate (L.head lazy)
  r <-
    atomically
      ( (Just <$> (evaluate' (L.length lazy))) `catchSTM` \e ->
          const (pure Nothing) (e :: IOException)
      )
  assertBool (show r) (isNothing r)
  where
    evaluate' x = x `seq` pure x

nested :: Assertion
nested = do
  let inner = lazilyWith 8 8 (numbers 0 1000)
      middle =
        lazilyWith
          16
          24
          (lazyByteString inner <> lazyByteString (lazilyWith 1 9 (numbers 1000 2000)))
      outer = lazilyWith 32 32 (lazyByteString middle <> word64LE (fromIntegral (L.length inner)))
  outer @?= expected 0 2000 <> expected 8000 8001

inThread :: (IO () -> IO ThreadId) -> Assertion
inThread fork = do
  done <- newEmptyMVar
  let lazy = toLazyByteString (numbers 0 50000)
  _ <- evaluate (L.length (L.take 100000 lazy))
  _ <- fork (try (lazy @?= expected 0 50000) >>= putMVar done)
  takeMVar done >>= either (throwIO :: SomeException -> IO ()) pure

raced :: Assertion
raced = forM_ [1 .. 20 :: Int] $ \i -> do
  let lazy = lazilyWith 8 (16 + i) (numbers 0 20000)
  results <- forM [1 .. 4 :: Int] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (evaluate (L.foldl' (\acc w -> acc * 31 + fromIntegral w) 7 lazy) >>= putMVar done)
    pure done
  sums <- mapM takeMVar results :: IO [Word64]
  let right = L.foldl' (\acc w -> acc * 31 + fromIntegral w) 7 (expected 0 20000)
  sums @?= replicate 4 right

-- Timeouts strike at random points, again and again. Nothing is lost or duplicated.
interrupted :: Assertion
interrupted = forM_ [10, 50, 100 :: Int] $ \limit -> do
  let lazy = lazilyWith 64 256 (numbers 0 300000)
      go tries
        | tries > (100000 :: Int) = assertFailure "no progress"
        | otherwise = do
          r <- timeout (limit * (1 + tries `div` 100)) (evaluate (L.length lazy))
          maybe (go (tries + 1)) (@?= 2400000) r
  go 0
  lazy @?= expected 0 300000

-- Threads that force the same output are killed one after the other. The exception that suspends
-- the computation must not hit a bystander.
resumedElsewhere :: Assertion
resumedElsewhere = do
  let lazy = lazilyWith 64 128 (numbers 0 200000)
  bystander <- newEmptyMVar
  watching <- mask (\unmasked -> forkIO (try (unmasked (forever yield)) >>= putMVar bystander))
  forM_ [1 .. 60 :: Int] $ \i -> do
    done <- newEmptyMVar
    -- forkFinally, because the thread may be killed before it starts.
    t <- forkFinally (evaluate (L.length lazy)) (\_ -> putMVar done ())
    threadDelay (10 * i)
    killThread t
    takeMVar done
  lazy @?= expected 0 200000
  killThread watching
  r <- takeMVar bystander :: IO (Either AsyncException ())
  either (@?= ThreadKilled) (const (assertFailure "it ended")) r

-- No matter how much the first thread has allocated.
maskedSizes :: Assertion
maskedSizes = do
  _ <- evaluate (length [1 .. 2000000 :: Integer])
  let lazy = toLazyByteString (numbers 3 200000)
  _ <- evaluate (L.length (L.take 10000 lazy))
  sizes <- mask_ (evaluate (map S.length (L.toChunks lazy)) >>= \s -> s <$ evaluate (sum s))
  assertBool (show sizes) (maximum sizes <= 32768)

-- Left-nested appends make a deep stack, which is copied at each suspension. The number of chunks
-- shows that chunks grow with the stack.
deep :: Assertion
deep = do
  let lazy = toLazyByteString (foldl (<>) mempty (map word64LE [0 .. 299999]))
      chunks = length (L.toChunks lazy)
  L.length lazy @?= 2400000
  assertBool (show chunks) (chunks < 20)
  lazy @?= expected 0 300000

-- When the rest of the output is dropped, so is what the builder refers to.
dropped :: Assertion
dropped = do
  ref <- newIORef ()
  weak <- mkWeakIORef ref (pure ())
  let lazy =
        toLazyByteString (numbers 0 10000 <> word64LE (unsafePerformIO (readIORef ref >> pure 0)))
  _ <- evaluate (L.length (L.take 10000 lazy))
  -- What another test's thread runs may delay it once (seen on GHC 9.10, at -O0).
  collected 10 weak >>= (@?= True)

-- | Collect garbage until a weak pointer leads nowhere, but not more often than n times more.
collected :: Int -> Weak a -> IO Bool
collected n weak = do
  performMajorGC
  done <- isNothing <$> deRefWeak weak
  if done || n == 0 then pure done else threadDelay 1000 >> collected (n - 1) weak

-- Lazy output with buffers of these sizes.
lazilyWith :: Int -> Int -> Builder -> L.ByteString
lazilyWith first next = toLazyByteStringWith (safeStrategy first next) L.empty

-- Runs this program again with one of the tests above. See Note [Tags of two words].
compacting :: Assertion
compacting = do
  self <- getExecutablePath
  (code, out, err) <-
    readProcessWithExitCode
      self
      ["-p", "/lazy output/ && /nested in one another/", "+RTS", "-c", "-A256k"]
      ""
  code @?= ExitSuccess
  assertBool (out ++ err) ("All 1 tests passed" `isInfixOf` out)
