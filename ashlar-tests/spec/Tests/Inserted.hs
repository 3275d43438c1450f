{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Inserted
-- Description : Lazy output of inserted ByteStrings
module Tests.Inserted (tests) where

import Ashlar.Builder
import Ashlar.Builder.Bytestring (toBytestringBuilder)
import Ashlar.Builder.Extra
import Control.Concurrent
import Control.Concurrent.STM (atomically, catchSTM)
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Internal as I
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Semigroup (stimes)
import Data.Word (Word8)
import qualified Foreign.Concurrent
import Foreign.ForeignPtr (withForeignPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "inserted ByteStrings"
    [ testProperty "chunks end at inserted ByteStrings and flushes, and nowhere else" chunksOfModel,
      testProperty "an exception comes after all chunks before it" exceptionsInOrder,
      testProperty "nothing after a flush runs before it is needed" flushesHold,
      testCase "nothing after an inserted one runs before it is needed" insertedHolds,
      testCase "chunks that were handed out are not kept" notKept,
      testCase "interrupted by timeouts at any moment" interrupted,
      testCase "interrupted and resumed by other threads" resumedElsewhere,
      testCase "forced by many threads at once" raced,
      testCase "under mask, begun outside" masked,
      testCase "catchSTM sees the exception" inCatchSTM,
      testCase "by way of bytestring's builder" throughBytestring
    ]

-- A part of a builder.
data Item
  = Short [Word8]
  | Inserted Int
  | Flushed
  deriving stock (Show)

newtype Items = Items [Item]
  deriving stock (Show)

-- Long runs of inserted ones are likely.
instance Arbitrary Items where
  arbitrary = Items . concat <$> listOf run
    where
      run =
        frequency
          [ (2, (: []) . Short <$> arbitrary),
            (1, pure [Flushed]),
            (1, (\n -> [Inserted n]) <$> size),
            (1, choose (0, 700) >>= \n -> replicate n . Inserted <$> size),
            (1, choose (0, 100) >>= \n -> pure (concat (replicate n [Inserted 9, Short [1]])))
          ]
      size = frequency [(1, pure 0), (5, choose (1, 20)), (1, choose (10000, 90000))]
  shrink (Items items) = Items <$> shrinkList (const []) items

building :: Items -> Builder
building (Items items) = foldMap item items
  where
    item i = case i of
      Short ws -> foldMap word8 ws
      Inserted n -> byteStringInsert (S.take n longString)
      Flushed -> flush

longString :: S.ByteString
longString = S.replicate 90000 7
{-# NOINLINE longString #-}

-- With buffers that never fill.
chunked :: Items -> [S.ByteString]
chunked (Items items) = filter (not . S.null) (go [] items)
  where
    go open [] = [S.pack open]
    go open (i : rest) = case i of
      Short ws -> go (open ++ ws) rest
      Inserted 0 -> go open rest
      Inserted n -> S.pack open : S.take n longString : go [] rest
      Flushed -> S.pack open : go [] rest

-- Output in buffers that never fill.
chunksOf :: Builder -> L.ByteString
chunksOf = toLazyByteStringWith (safeStrategy 100000 100000) L.empty

chunksOfModel :: Items -> Property
chunksOfModel items =
  L.toChunks (chunksOf b) === chunked items
    .&&. L.toChunks (toLazyByteStringWith (untrimmedStrategy 100000 9) L.empty b) === chunked items
    .&&. toLazyByteString b === L.fromChunks (chunked items)
  where
    b = building items

-- What follows the last inserted ByteString or flush was in the open buffer. It is lost.
exceptionsInOrder :: Items -> Property
exceptionsInOrder (Items items) = ioProperty $ do
  r1 <- readUntilThrown lazy
  r2 <- readUntilThrown lazy
  pure (r1 === expected .&&. r2 === expected)
  where
    lazy = chunksOf (building (Items items) <> word8 (throw (userError "value")))
    expected = (chunked (Items complete), "user error (value)")
    complete = reverse (dropWhile isShort (reverse items))
    isShort i = case i of
      Short _ -> True
      Inserted n -> n == 0
      Flushed -> False

-- The chunks before an exception, and the exception.
readUntilThrown :: L.ByteString -> IO ([S.ByteString], String)
readUntilThrown = go []
  where
    go before lazy = do
      next <- try (evaluate (L.toChunks lazy `seq` lazy))
      case next of
        Left e -> pure (reverse before, show (e :: IOException))
        Right _ -> case L.toChunks lazy of
          [] -> pure (reverse before, "no exception")
          bs : _ -> go (bs : before) (L.drop (fromIntegral (S.length bs)) lazy)

-- A byte that counts how often it is asked for.
counted :: IORef Int -> Word8 -> Word8
counted ref w = unsafePerformIO (w <$ modifyIORef' ref (+ 1))
{-# NOINLINE counted #-}

flushesHold :: Items -> Property
flushesHold items = ioProperty $ do
  reached <- newIORef 0
  let lazy = chunksOf (building items <> word8 1 <> flush <> word8 (counted reached 2))
      before = L.fromChunks (chunked items) <> "\1"
  start <- evaluate (L.take (L.length before) lazy)
  same <- evaluate (start == before)
  early <- readIORef reached
  len <- evaluate (L.length lazy)
  late <- readIORef reached
  pure (same .&&. early === 0 .&&. len === L.length before + 1 .&&. late === 1)

insertedHolds :: Assertion
insertedHolds = forM_ [mempty, word8 1, word8 1 <> flush, many] $ \start -> do
  reached <- newIORef 0
  let lazy = toLazyByteString (start <> byteStringInsert "one" <> word8 (counted reached 2))
      n = L.length (toLazyByteString start) + 3
  L.drop (n - 3) (L.take n lazy) @?= "one"
  readIORef reached >>= (@?= 0)
  L.length lazy @?= n + 1
  readIORef reached >>= (@?= 1)

notKept :: Assertion
notKept = do
  freed <- newIORef (0 :: Int)
  let chunk i = do
        fp <- I.mallocByteString 10
        owned <- withForeignPtr fp $ \p ->
          Foreign.Concurrent.newForeignPtr p (count >> withForeignPtr fp touched)
        pure (I.fromForeignPtr owned 0 (10 - i `mod` 2))
      touched _ = pure ()
      count = atomicModifyIORef' freed (\n -> (n + 1, ()))
  lazy <-
    evaluate . toLazyByteString
      . foldMap (\i -> byteStringInsert (unsafePerformIO (chunk i)))
      =<< evaluate [1 .. 1000 :: Int]
  rest <- evaluate (L.drop 5000 lazy)
  -- Finalizers run in threads of their own, after a garbage collection.
  let finalized tries = do
        performMajorGC
        threadDelay 10000
        n <- readIORef freed
        if n > 500 || tries == (0 :: Int) then pure n else finalized (tries - 1)
  n <- finalized 50
  assertBool (show n) (n > 500)
  -- It holds the rest up to here.
  assertBool "the rest" (L.length rest > 4000)

many :: Builder
many = stimes (100 :: Int) (byteStringInsert "1")

-- Pairs of inserted bytes, with a byte after each pair.
pairs :: Int -> Builder
pairs n = foldMap (\i -> byteStringInsert (S.pack [fromIntegral i, 1]) <> word8 2) [1 .. n]
{-# NOINLINE pairs #-}

pairsBytes :: Int -> L.ByteString
pairsBytes n = L.pack (concatMap (\i -> [fromIntegral i, 1, 2]) [1 .. n])

interrupted :: Assertion
interrupted = forM_ [10, 50, 100 :: Int] $ \limit -> do
  -- (Each try walks over the chunks so far, so with more of them most tries would not get further.)
  let n = 20000
      lazy = toLazyByteString (pairs n)
      go tries
        | tries > (100000 :: Int) = assertFailure "no progress"
        | otherwise = do
          r <- timeout (limit * (1 + tries `div` 100)) (evaluate (L.length lazy))
          maybe (go (tries + 1)) (@?= 3 * fromIntegral n) r
  go 0
  lazy @?= pairsBytes n

resumedElsewhere :: Assertion
resumedElsewhere = do
  let lazy = toLazyByteString (pairs 100000)
  forM_ [1 .. 60 :: Int] $ \i -> do
    done <- newEmptyMVar
    t <- forkFinally (evaluate (L.length lazy)) (\_ -> putMVar done ())
    threadDelay (10 * i)
    killThread t
    takeMVar done
  lazy @?= pairsBytes 100000

raced :: Assertion
raced = forM_ [1 .. 20 :: Int] $ \_ -> do
  let lazy = toLazyByteString (pairs 20000)
  results <- forM [1 .. 4 :: Int] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (evaluate (digest lazy) >>= putMVar done)
    pure done
  sums <- mapM takeMVar results :: IO [Int]
  sums @?= replicate 4 (digest (pairsBytes 20000))
  where
    digest = L.foldl' (\acc w -> acc * 31 + fromIntegral w) 7

masked :: Assertion
masked = forM_ [mask_, uninterruptibleMask_] $ \wrapper -> do
  let lazy = toLazyByteString (pairs 20000)
  _ <- evaluate (L.length (L.take 10000 lazy))
  wrapper $ do
    before <- getMaskingState
    lazy @?= pairsBytes 20000
    getMaskingState >>= (@?= before)
  getMaskingState >>= (@?= Unmasked)

inCatchSTM :: Assertion
inCatchSTM = do
  let lazy = toLazyByteString (pairs 1000 <> word8 (throw (userError "value")))
  r <-
    atomically
      ((L.length lazy `seq` pure "none") `catchSTM` \e -> pure (show (e :: IOException)))
  r @?= "user error (value)"
  getMaskingState >>= (@?= Unmasked)
  -- All chunks up to the last inserted one. The byte after it was in the open buffer.
  (chunks, message) <- readUntilThrown lazy
  L.fromChunks chunks @?= L.init (pairsBytes 1000)
  message @?= "user error (value)"

throughBytestring :: Assertion
throughBytestring = do
  let b = pairs 100000
  B.toLazyByteString (toBytestringBuilder b) @?= pairsBytes 100000
  let failing = toBytestringBuilder (b <> word8 (throw (userError "value")))
  -- The last of them were in bytestring's buffer.
  (chunks, message) <- readUntilThrown (B.toLazyByteString failing)
  let before = L.fromChunks chunks
  before @?= L.take (L.length before) (pairsBytes 100000)
  assertBool (show (L.length before)) (L.length before > 250000)
  message @?= "user error (value)"
