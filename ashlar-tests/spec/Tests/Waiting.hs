{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- The chunks must not become a constant, which would be retained.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- |
-- Module      : Tests.Waiting
-- Description : What waiting decoders retain, and what joining chunks costs
module Tests.Waiting (tests) where

import Ashlar.Get
import Ashlar.Get.Feed
import Control.Applicative
import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import Data.IORef
import GHC.Exts (deRefWeak#, mkWeakNoFinalizer#)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..))
import System.Mem (getAllocationCounter, performMajorGC)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "input that has been passed is not kept while a decoder waits"
    [ inBoth "a choice has been closed" ((1 <$ skip (64 * size)) <|> pure 2) (replicate 64 size),
      inBoth
        "a place to go back to has been closed"
        (1 <$ lookAheadM (Just <$> skip (64 * size)))
        (replicate 64 size),
      inBoth
        "a choice has been given up"
        ((skip (63 * size + 1) *> commit *> (1 <$ skip (size - 1))) <|> pure 2)
        (replicate 64 size),
      inBoth "at the end of a chunk" (1 <$ skip size) [size],
      inBoth
        "at the end of what was brought together"
        (1 <$ (getByteString (3 * size) >>= \bs -> if S.length bs == 0 then empty else pure ()))
        (replicate 3 size),
      testCase "errors still show what stood before" excerpts,
      testCase "a window that is moved by little is not copied each time" window
    ]

size :: Int
size = 4096

-- A chunk, and whether it is still alive.
tracked :: Int -> IO (S.ByteString, IO Bool)
tracked n = do
  bs <- evaluate (S.replicate n 7)
  case B.toForeignPtr bs of
    (ForeignPtr _ (PlainPtr bytes), _, _) -> IO $ \s0 -> case mkWeakNoFinalizer# bytes () s0 of
      (# s1, weak #) -> (# s1, (bs, alive weak) #)
    _ -> fail "not memory of the heap"
  where
    alive weak = IO $ \s0 -> case deRefWeak# weak s0 of
      (# s1, 0#, _ #) -> (# s1, False #)
      (# s1, _, _ #) -> (# s1, True #)

-- The decoder, then one byte, on chunks of these sizes: fed, and from a source that waits.
inBoth :: String -> Get Int -> [Int] -> TestTree
inBoth name g sizes =
  testGroup
    name
    [ testCase "Feed" $ do
        ref <- newIORef []
        f <- newFeed getter >>= \f -> foldM (\s n -> make ref n >>= feed s) f sizes
        noneAlive ref
        end <- feed f (S.singleton 9)
        case end of
          FeedDone rest at r -> (rest, at, r) @?= (S.empty, fromIntegral (sum sizes) + 1, (1, 9))
          _ -> assertFailure "not done",
      testCase "Source" $ do
        ref <- newIORef []
        left <- newIORef sizes
        asked <- newEmptyMVar
        go <- newEmptyMVar
        done <- newEmptyMVar
        source <- newSource $ do
          ns <- readIORef left
          case ns of
            n : more -> writeIORef left more >> make ref n
            [] -> putMVar asked () >> takeMVar go >> pure (S.singleton 9)
        _ <- forkIO (getFrom source getter >>= putMVar done)
        takeMVar asked
        noneAlive ref
        putMVar go ()
        takeMVar done >>= (@?= Right (1, 9))
    ]
  where
    getter = (,) <$> g <*> getWord8
    make ref n = do
      (bs, alive) <- tracked n
      modifyIORef ref (alive :)
      pure bs
    -- (A thread that has just run may still hold something, so there are several tries. What is
    -- kept for good stays.)
    noneAlive ref = tries (20 :: Int)
      where
        tries k = do
          performMajorGC
          kept <- readIORef ref >>= filterM id
          if null kept || k == 0 then length kept @?= 0 else yield >> tries (k - 1)

-- The bytes before the end, after their chunk has been released.
excerpts :: Assertion
excerpts = do
  let chunk = S.pack (map fromIntegral [1 .. 2000 :: Int])
      excerpt = either errorExcerpt (const (Excerpt (-1) S.empty))
      g = skip 2000 *> getWord8
  case excerpt (runGetLazy g (L.fromStrict chunk)) of
    Excerpt from bytes -> (from, bytes) @?= (1984, S.drop 1984 chunk)
  excerpt (runGetLazy g (L.fromStrict chunk)) @?= excerpt (runGet g chunk)

-- A window from each byte on, across the ends of two chunks.
window :: Assertion
window = do
  small <- allocated 1024
  large <- allocated 16384
  -- Copying the large window each time would allocate 500 MB more. Without optimisation, both
  -- allocate more than that.
  assertBool (show (small, large)) (large < small + 100000000)
  where
    chunks = replicate 3 (S.replicate 32768 5)
    allocated bytes = do
      before <- getAllocationCounter
      n <-
        evaluate
          ( runGetLazy
              (length <$> many (lookAhead (getByteString bytes) *> getWord8))
              (L.fromChunks chunks)
          )
      after <- getAllocationCounter
      n @?= Right (3 * 32768 - bytes + 1)
      pure (before - after)
