{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Tests.Thunks
-- Description : What became of a thunk, whatever kind of closure it leads to
module Tests.Thunks (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert, flush)
import Ashlar.Internal.Coroutine.Thunk
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Maybe (isJust)
import GHC.Conc (ThreadId (..))
import GHC.Exts
import GHC.IO (IO (..))
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Mem (performMajorGC)
import System.Process (readProcessWithExitCode)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what a thunk leads to"
    [ testGroup
        "every kind"
        [ testCase "values of the runtime system have not thrown, and are not frozen" kinds,
          testCase "thunks that others evaluate have not thrown, and are not frozen" busy,
          testCase "a thunk that has thrown has" thrown,
          testCase "a frozen thunk is frozen, before and after a collection" frozen,
          testCase "lazy output is interrupted where it waits for a value of another thread" blocked
        ],
      testCase "nothing is printed" silent
    ]

-- Has it thrown, and is it frozen?
seen :: Thunk a -> IO (Bool, Bool)
seen thunk = (,) <$> hasThrown thunk <*> (isJust <$> frozenStack thunk)

-- It is never evaluated.
leadingTo :: Any -> Thunk ()
leadingTo x = Thunk (unsafeCoerce# x)
{-# NOINLINE leadingTo #-}

made :: (State# RealWorld -> (# State# RealWorld, Any #)) -> IO (Thunk ())
made f = IO (\s0 -> case f s0 of (# s1, x #) -> (# s1, leadingTo x #))

kinds :: Assertion
kinds = do
  ThreadId thread <- myThreadId
  let lifted = [leadingTo (unsafeCoerce# thread), Thunk (), Thunk (length "abc" `seq` ())]
      functions =
        [ leadingTo (unsafeCoerce# not),
          leadingTo (unsafeCoerce# (zipWith (&&))),
          leadingTo (unsafeCoerce# (Just 'a')),
          leadingTo (unsafeCoerce# constant)
        ]
  others <-
    mapM
      made
      [ \s -> case newByteArray# 8# s of (# s', a #) -> (# s', unsafeCoerce# a #),
        -- Larger than a megabyte.
        \s -> case newByteArray# 4000000# s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newPinnedByteArray# 8# s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newArray# 1000000# () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newArray# 3# () s of
          (# s', a #) -> case unsafeFreezeArray# a s' of (# s'', b #) -> (# s'', unsafeCoerce# b #),
        \s -> case newSmallArray# 3# () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newMutVar# () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newMVar# s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case newTVar# () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case makeStableName# () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case mkWeakNoFinalizer# () () s of (# s', a #) -> (# s', unsafeCoerce# a #),
        \s -> case compactNew# 1000## s of (# s', a #) -> (# s', unsafeCoerce# a #)
      ]
  forM_ (lifted ++ functions ++ others) $ \thunk -> do
    seen thunk >>= (@?= (False, False))
    performMajorGC
    seen thunk >>= (@?= (False, False))

-- A thunk of the whole program.
constant :: Int
constant = sum [1 .. 1000]
{-# NOINLINE constant #-}

-- A thread evaluates it, and then others wait for it, too.
busy :: Assertion
busy = do
  begun <- newEmptyMVar
  go <- newEmptyMVar
  thunk@(Thunk x) <- newThunk (putMVar begun () >> readMVar go)
  threads <- forM [1 .. 3 :: Int] $ \_ -> do
    done <- newEmptyMVar
    done <$ forkIO (evaluate x >>= putMVar done)
  takeMVar begun
  forM_ [1 .. 3 :: Int] $ \_ -> do
    seen thunk >>= (@?= (False, False))
    performMajorGC
    yield
  putMVar go 'a'
  forM_ threads $ \done -> takeMVar done >>= (@?= 'a')
  seen thunk >>= (@?= (False, False))

thrown :: Assertion
thrown = do
  thunk@(Thunk x) <- newThunk (throwIO Overflow)
  r <- try (evaluate x)
  r @?= (Left Overflow :: Either ArithException ())
  seen thunk >>= (@?= (True, False))
  performMajorGC
  seen thunk >>= (@?= (True, False))

frozen :: Assertion
frozen = do
  reached <- newEmptyMVar
  go <- newEmptyMVar
  thunk@(Thunk x) <- newThunk (forM_ [1 .. 3 :: Int] (\_ -> putMVar reached () >> takeMVar go))
  -- Each time more is frozen.
  forM_ [1 .. 3 :: Int] $ \_ -> do
    ended <- newEmptyMVar
    thread <- forkFinally (evaluate x) (\_ -> putMVar ended ())
    takeMVar reached
    killThread thread
    takeMVar ended
    seen thunk >>= (@?= (False, True))
    performMajorGC
    seen thunk >>= (@?= (False, True))
    putMVar go ()
  Just (Thunk y) <- frozenStack thunk
  evaluate y
  seen thunk >>= (@?= (False, False))

-- A thread that forces lazy output waits for a value that another thread evaluates, and is
-- interrupted there.
blocked :: Assertion
blocked = do
  begun <- newEmptyMVar
  go <- newEmptyMVar
  value <- unsafeInterleaveIO (putMVar begun () >> readMVar go >> pure 7)
  _ <- forkIO (() <$ evaluate value)
  takeMVar begun
  let start = word8 1 <> flush <> byteStringInsert (S.pack [1])
      chunks = toLazyByteString (start <> word8 value)
  forM_ [1 .. 40 :: Int] $ \_ -> do
    ended <- newEmptyMVar
    thread <- forkFinally (evaluate (L.length chunks)) (putMVar ended)
    yield
    killThread thread
    r <- takeMVar ended
    either (\e -> show e @?= "thread killed") (const (assertFailure "an end")) r
  putMVar go ()
  L.unpack chunks @?= [1, 1, 7]

-- Runs this program again with the tests above.
silent :: Assertion
silent = do
  self <- getExecutablePath
  (code, out, err) <-
    readProcessWithExitCode self ["-p", "/what a thunk leads to/ && /every kind/"] ""
  assertEqual out (ExitSuccess, "") (code, err)
