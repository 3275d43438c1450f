{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Interrupted
-- Description : Builders that throw, are interrupted, or run in several threads
--
-- "Tests.Lazy" has the tests of this kind for lazy output.
module Tests.Interrupted (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (flush)
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.IORef
import qualified Data.List as List
import Data.Word (Word64)
import Foreign (castPtr)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Loop

tests :: TestTree
tests =
  testGroup
    "ended, interrupted, raced"
    [ testCase "a value that throws: the chunks before it arrive" chunksBefore,
      testCase "a consumer that throws gets nothing twice" consumerThrows,
      testCase "strict output fails again and again" strictFails,
      testCase "strict output, interrupted at any moment" strictInterrupted,
      testCase "output in a pure value, interrupted at any moment" pureInterrupted,
      testCase "Handle output, interrupted: a prefix, and a usable Handle" handleInterrupted,
      testCase "Handle output, killed: a prefix, and a usable Handle" handleKilled,
      testCase "one builder, run by many threads" oneBuilder,
      testCase "one strict result, forced by many threads" oneResult
    ]

-- 8 bytes for each number. Not inlined, so that GHC shares nothing between runs.
numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

expected :: Word64 -> Word64 -> S.ByteString
expected from to = L.toStrict (B.toLazyByteString (foldMap B.word64LE (takeWhile (< to) [from ..])))

-- A builder that throws in the middle.
failing :: Builder
failing = numbers 0 1000 <> word64LE (throw (userError "value")) <> numbers 0 1000

assertThrown :: Show a => String -> Either IOException a -> Assertion
assertThrown message =
  either
    (\e -> show e @?= "user error (" ++ message ++ ")")
    (\a -> assertFailure ("no exception, but " ++ show a))

-- All buffers but the open one arrive, which may be full. They do so again, since the run left
-- nothing in a bad state.
chunksBefore :: Assertion
chunksBefore = forM_ [1 .. 3 :: Int] $ \_ -> do
  ref <- newIORef []
  r <- try (toByteStringIOWith 64 (\bs -> modifyIORef ref (bs :)) failing)
  assertThrown "value" r
  chunks <- S.concat . reverse <$> readIORef ref
  chunks @?= S.take (S.length chunks) (expected 0 1000)
  assertBool (show (S.length chunks)) (S.length chunks >= 8000 - 64)
  handed <- newIORef []
  r' <-
    try
      ( toBufferIOWith
          64
          (\p n -> S.packCStringLen (castPtr p, n) >>= \bs -> modifyIORef handed (bs :))
          failing
      )
  assertThrown "value" r'
  out <- S.concat . reverse <$> readIORef handed
  out @?= chunks

-- Its exception ends the run.
consumerThrows :: Assertion
consumerThrows = forM_ [0 .. 40] $ \k -> do
  let b = numbers 0 30 <> byteString (S.replicate 8192 9) <> flush <> numbers 30 60
      thrower :: IORef [S.ByteString] -> S.ByteString -> IO ()
      thrower ref bs = do
        seen <- readIORef ref
        writeIORef ref (bs : seen)
        when (length seen == k) $ throwIO (userError "consumer")
      right = expected 0 30 <> S.replicate 8192 9 <> expected 30 60
      check run = do
        ref <- newIORef []
        r <- try (run (thrower ref)) :: IO (Either IOException ())
        seen <- readIORef ref
        let out = S.concat (reverse seen)
        out @?= S.take (S.length out) right
        if length seen == k + 1 then assertThrown "consumer" r else (r, out) @?= (Right (), right)
  check (\consume -> toByteStringIOWith 64 consume b)
  check
    ( \consume ->
        void (toBufferIOWith 64 (\p n -> S.packCStringLen (castPtr p, n) >>= consume) b)
    )

strictFails :: Assertion
strictFails = do
  let bs = toStrictByteString failing
  forM_ [1 .. 3 :: Int] $ \_ -> try (evaluate (S.length bs)) >>= assertThrown "value"

-- Force a value under time limits until it is evaluated.
insisting :: a -> IO a
insisting a = go (1 :: Int)
  where
    go tries
      | tries > 100000 = assertFailure "no progress"
      | otherwise = timeout (10 + tries) (evaluate a) >>= maybe (go (tries + 1)) pure

-- Timeouts also interrupt a value inside of the builder.
strictInterrupted :: Assertion
strictInterrupted = forEach [1 .. 5] $ \i -> do
  let value = List.foldl' (+) i [1 .. 200000] :: Word64
      bs = toStrictByteString (numbers i 100000 <> word64LE value <> numbers 0 100000)
  out <- insisting bs
  assertBool
    "all of it, once"
    ( out
        == expected i 100000 <> expected value (value + 1) <> expected 0 100000
    )

-- A consumer with a state, in a pure value. An interrupted run resumes where it was.
pureInterrupted :: Assertion
pureInterrupted = forEach [1 .. 5] $ \i -> do
  let chunks = unsafePerformIO $ do
        ref <- newIORef []
        toByteStringIOWith 100 (\bs -> modifyIORef' ref (bs :)) (numbers i 100000)
        readIORef ref
      parts = unsafePerformIO $ do
        ref <- newIORef []
        n <-
          toBufferIOWith
            100
            (\p n -> S.packCStringLen (castPtr p, n) >>= \bs -> modifyIORef' ref (bs :))
            (numbers i 100000)
        (,) n <$> readIORef ref
  out <- insisting chunks
  assertBool "all of it, once" (S.concat (reverse out) == expected i 100000)
  (n, out') <- insisting parts
  n @?= 8 * (100000 - fromIntegral i)
  assertBool "all of it, once" (S.concat (reverse out') == expected i 100000)

inFile :: (Handle -> IO ()) -> IO S.ByteString
inFile act = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      act h
      hClose h
      S.readFile path

twoHundredThousand :: S.ByteString
twoHundredThousand = expected 0 200000

-- The bytes before the end mark are a prefix of the numbers.
assertPrefix :: S.ByteString -> Assertion
assertPrefix out = do
  let (start, end) = S.splitAt (S.length out - 3) out
  end @?= "end"
  assertBool "a prefix" (start `S.isPrefixOf` twoHundredThousand)

handleInterrupted :: Assertion
handleInterrupted = forEach [1, 20, 50, 100, 200, 400, 800, 100000 :: Int] $ \limit -> do
  out <- inFile $ \h -> do
    _ <- timeout limit (hPutBuilder h (numbers 0 200000))
    S.hPut h "end"
  assertPrefix out

handleKilled :: Assertion
handleKilled = forEach [0, 20 .. 500] $ \delay -> do
  out <- inFile $ \h -> do
    done <- newEmptyMVar
    t <- forkFinally (hPutBuilder h (numbers 0 200000)) (putMVar done)
    threadDelay delay
    killThread t
    _ <- takeMVar done
    S.hPut h "end"
  assertPrefix out

-- The results of actions that run at once.
together :: [IO a] -> IO [a]
together acts = do
  waiting <- forM acts $ \act -> do
    done <- newEmptyMVar
    _ <- forkIO (try act >>= putMVar done)
    pure done
  forM waiting $ takeMVar >=> either (throwIO :: SomeException -> IO a) pure

oneBuilder :: Assertion
oneBuilder = do
  let b =
        numbers 0 20000
          <> byteString (S.replicate 9000 7)
          <> stringUtf8 "abc\0\228"
          <> flush
          <> numbers 0 20000
      right = expected 0 20000 <> S.replicate 9000 7 <> "abc\0\xC3\xA4" <> expected 0 20000
      chunked n = do
        ref <- newIORef []
        toByteStringIOWith n (\bs -> modifyIORef ref (bs :)) b
        S.concat . reverse <$> readIORef ref
  forEach [1 .. 10 :: Int] $ \_ -> do
    outs <-
      together
        [ evaluate (toStrictByteString b),
          evaluate (L.toStrict (toLazyByteString b)),
          chunked 64,
          chunked 4096,
          inFile (`hPutBuilder` b),
          evaluate (toStrictByteString b)
        ]
    forM_ outs $ \out -> assertBool "the same bytes" (out == right)

oneResult :: Assertion
oneResult = forEach [1 .. 8] $ \i -> do
  let bs = toStrictByteString (numbers i 50000)
  outs <- together (replicate 4 (evaluate bs))
  forM_ outs $ \out -> assertBool "the same bytes" (out == expected i 50000)
