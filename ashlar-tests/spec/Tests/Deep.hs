{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Deep
-- Description : Computations that are suspended with a deep stack
--
-- They go on in a thread of their own: Note [Deep computations] in "Ashlar.Internal.Coroutine".
module Tests.Deep (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert)
import Ashlar.Get
import Ashlar.Get.Feed
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Maybe (isNothing)
import Data.Word (Word8)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Lazy (collected)

tests :: TestTree
tests =
  testGroup
    "deep stacks"
    [ testCase "a list by recursion, in single bytes" fedInBytes,
      testCase "the same, where each state is used twice" usedTwice,
      testCase "values, and decoders that are used once" otherDrivers,
      testCase "inserts that are nested to the left" insertsNested,
      testCase "an exception of a value" exceptions,
      testCase "interrupted at any time, a decoder goes on" decoderInterrupted,
      testCase "interrupted at any time, a builder goes on" builderInterrupted,
      testCase "forced by many threads" byMany,
      testCase "under a mask nothing interrupts" masked,
      testCase "a value that is interrupted goes on" frozen,
      testCase "a value that swallows an interruption" swallowed,
      testCase "a value that keeps an interruption" kept,
      testCase "a value that waits for ever, and goes on" deadlocked,
      testCase "what is dropped is collected" dropped
    ]

-- A frame for each byte, up to a 0. The function is applied to each.
listOf :: (Word8 -> a) -> Get [a]
listOf f = do
  w <- getWord8
  if w == 0
    then pure []
    else do
      let !x = f w
      (x :) <$> listOf f
{-# NOINLINE listOf #-}

input :: Int -> [S.ByteString]
input n = map (S.singleton . fromIntegral . (+ 1) . (`mod` 255)) [0 .. n - 1] ++ [S.singleton 0]

values :: Int -> [Word8]
values n = map S.head (take n (input n))

-- Frames to the left, and a chunk for each.
nestedTo :: (Int -> S.ByteString) -> Int -> Builder
nestedTo f n = if n == 0 then mempty else nestedTo f (n - 1) <> byteStringInsert (f n)
{-# NOINLINE nestedTo #-}

-- The same, with the chunks on the way down.
insertsTo :: Int -> Builder
insertsTo n = if n == 0 then mempty else byteStringInsert "x" <> insertsTo (n - 1) <> word8 1
{-# NOINLINE insertsTo #-}

result :: Decoder a -> Either Reason a
result d = case d of
  Done _ _ a -> Right a
  Fail _ _ e -> Left (errorReason e)
  Partial resume -> result (resume Nothing)

fedInBytes :: Assertion
fedInBytes =
  forM_ [10, 1000, 100000] $ \n ->
    result (foldl pushChunk (runGetIncremental (listOf id)) (input n)) @?= Right (values n)

usedTwice :: Assertion
usedTwice = do
  let before = foldl pushChunk (runGetIncremental (listOf id)) (take 3000 (input 5000))
      goingOn rest = result (foldl pushChunk before rest)
  goingOn ["\0"] @?= Right (values 3000)
  goingOn ["\7", "\0"] @?= Right (values 3000 ++ [7])

otherDrivers :: Assertion
otherDrivers = do
  let go state [] = pure state
      go state (bs : more) = feed state bs >>= \next -> go next more
  fed <- newFeed (listOf id) >>= \state -> go state (input 5000)
  case fed of
    FeedDone rest at xs -> (rest, at, xs) @?= ("", 5001, values 5000)
    _ -> assertFailure "no result"
  let (found, end) = feeding (runGetValues (listOf id)) (input 3000 ++ input 10 ++ input 4000)
      feeding state chunks = case chunks of
        [] -> ([], state)
        bs : more ->
          let (xs, next) = feedValues state bs
              (ys, final) = feeding next more
           in (xs ++ ys, final)
  found @?= [values 3000, values 10, values 4000]
  case feedValuesEnd end of
    ([], ValuesDone at) -> at @?= 7013
    _ -> assertFailure "no end"

insertsNested :: Assertion
insertsNested = do
  toLazyByteString (insertsTo 3000) @?= L.replicate 3000 120 <> L.replicate 3000 1
  toLazyByteString (nestedTo (S.singleton . fromIntegral) 3000)
    @?= L.pack (map fromIntegral [1 .. 3000 :: Int])

exceptions :: Assertion
exceptions = do
  let thrower w = if w == 7 then throw Overflow else w
      bytes = map S.singleton (replicate 5000 1 ++ [7])
      states = scanl pushChunk (runGetIncremental (listOf thrower)) bytes
  forM_ (init states) evaluate
  forM_ [1, 2 :: Int] $ \_ -> do
    thrown <- try (evaluate (last states))
    either (@?= Overflow) (\_ -> assertFailure "no exception") thrown
  let chunks = L.toChunks (toLazyByteString (insertsTo 5000 <> byteString (throw Underflow)))
  take 4000 chunks @?= replicate 4000 "x"
  thrown <- try (evaluate (length chunks))
  thrown @?= Left Underflow

-- Run an evaluation again and again, each time interrupted a little later, until it ends. It is of
-- this size, or larger: on a busy machine it may end before an interruption comes.
insisting :: Int -> (Int -> a) -> IO (Int, a)
insisting size made = go (0 :: Int) 1
  where
    x = made size
    go n micros = do
      done <- timeout micros (evaluate x)
      if
          | isNothing done -> go (n + 1) (micros + micros `quot` 8 + 1)
          | n > 5 -> pure (size, x)
          | size > 100000 -> assertFailure (show n ++ " interruptions")
          | otherwise -> insisting (4 * size) made

decoderInterrupted :: Assertion
decoderInterrupted = do
  let decoder = runGetIncremental (listOf (busy 300))
  (n, decoded) <- insisting 3000 (\n -> result (foldl pushChunk decoder (input n)))
  decoded @?= Right (map (busy 300) (values n))

builderInterrupted :: Assertion
builderInterrupted = do
  let chunksTo n = toLazyByteString (nestedTo (\i -> S.singleton (busy 300 (fromIntegral i))) n)
  (n, chunks) <- insisting 3000 (\n -> let chunks = chunksTo n in L.length chunks `seq` chunks)
  chunks @?= L.pack (map (busy 300 . fromIntegral) [1 .. n])

-- The same number, after some work.
busy :: Int -> Word8 -> Word8
busy n w = if n == 0 then w else busy (n - 1) (w * 3) * 171
{-# NOINLINE busy #-}

byMany :: Assertion
byMany = do
  let decoded = result (foldl pushChunk (runGetIncremental (listOf (busy 100))) (input 5000))
  dones <- forM [1 .. 8 :: Int] $ \_ -> do
    done <- newEmptyMVar
    done <$ forkIO (evaluate (decoded == Right (map (busy 100) (values 5000))) >>= putMVar done)
  mapM takeMVar dones >>= (@?= replicate 8 True)

-- An exception is thrown to the thread while the computation runs, and arrives after it.
masked :: Assertion
masked = do
  begun <- newEmptyMVar
  gate <- newEmptyMVar
  outcome <- newEmptyMVar
  let waits w = if w == 255 then unsafePerformIO (w <$ (putMVar begun () >> readMVar gate)) else w
      bytes = map S.singleton (replicate 3000 1 ++ [255, 0])
      decoded = result (foldl pushChunk (runGetIncremental (listOf waits)) bytes)
  thread <- forkIO . mask_ $ do
    right <- evaluate (fmap length decoded)
    later <- try allowInterrupt
    putMVar outcome (right, later)
  takeMVar begun
  _ <- forkIO (killThread thread)
  threadDelay 20000
  putMVar gate ()
  takeMVar outcome >>= (@?= (Right 3001, Left ThreadKilled))

-- A decoder of many bytes and, deep inside, a value that waits, made by the function of an action
-- that waits. The thread that evaluates it is interrupted then. Afterwards the value need not wait.
interruptedWith :: (IO Word8 -> IO Word8) -> (Either AsyncException Word8 -> Assertion) -> Assertion
interruptedWith value check = do
  begun <- newEmptyMVar
  gate <- newEmptyMVar
  outcome <- newEmptyMVar
  let waiting = putMVar begun () >> 5 <$ readMVar gate
      decoded = withValue (value waiting)
  thread <- forkIO (try (evaluate decoded) >>= putMVar outcome)
  takeMVar begun
  threadDelay 1000
  throwTo thread UserInterrupt
  takeMVar outcome >>= (@?= Left UserInterrupt)
  putMVar gate ()
  _ <- tryTakeMVar begun
  try (evaluate decoded) >>= check

-- A value after 3,000 others, decoded from single bytes.
withValue :: IO Word8 -> Word8
withValue act = case result (foldl pushChunk (runGetIncremental (listOf waits)) bytes) of
  Right ws | length ws == 3101, [w] <- filter (/= 1) ws -> w
  other -> error ("decoded " ++ show (fmap length other))
  where
    waits w = if w == 255 then unsafePerformIO act else w
    bytes = map S.singleton (replicate 3000 1 ++ [255] ++ replicate 100 1 ++ [0])

frozen, swallowed, kept :: Assertion
frozen = interruptedWith id (@?= Right 5)
swallowed = interruptedWith (`catch` \e -> 7 <$ pure (e :: SomeException)) (@?= Right 7)
kept = interruptedWith (bracket_ (pure ()) (pure ())) (@?= Left UserInterrupt)

deadlocked :: Assertion
deadlocked = do
  gate <- newEmptyMVar
  outcome <- newEmptyMVar
  let decoded = withValue (5 <$ readMVar gate)
  _ <- forkIO $ do
    first <- try (evaluate decoded)
    -- GHC has told this thread that it waits for ever.
    putMVar gate ()
    second <- try (evaluate decoded)
    putMVar outcome (either (\e -> show (e :: SomeException)) show first, second)
  (first, second) <- takeMVar outcome
  first @?= show BlockedIndefinitelyOnMVar
  either (\e -> assertFailure (show (e :: SomeException))) (@?= 5) second

dropped :: Assertion
dropped = do
  ref <- newIORef ()
  weak <- mkWeakIORef ref (pure ())
  let refers w = if w == 255 then unsafePerformIO (w <$ readIORef ref) else w
  _ <- evaluate (foldl pushChunk (runGetIncremental (listOf refers)) (replicate 3000 "\1"))
  collected 100 weak >>= (@?= True)
