{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Parts
-- Description : Builders in one stream of chunks, and what must not be mixed
module Tests.Parts (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert, flush)
import Ashlar.Builder.Parts
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Either (lefts, rights)
import qualified Data.List as List
import Data.Maybe (maybeToList)
import Data.Word (Word64, Word8)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Loop
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "builders in one stream"
    [ testProperty "the chunks are the bytes of all" . withMaxSuccess 50 $
        \programs -> ioProperty $ do
          parts <- newParts
          chunks <- (++) <$> foldMap (chunksOf parts . build) (programs :: [Program]) <*> end parts
          pure $
            S.concat chunks === S.pack (concatMap model programs)
              .&&. property (not (any S.null chunks)),
      testCase "a lazy string is passed on chunk by chunk" passesOn,
      testCase "a value that throws: what others have written stays" throwing,
      testCase "a chunk is followed once" once',
      testCase "a chunk is followed by one of many threads" oneOfMany,
      testCase "nothing follows a builder that has thrown" afterThrowing,
      testCase "a builder that is not finished is not mixed with another" unfinished,
      testCase "one thread at a time" oneThread,
      testCase "a value does not use the parts that its builder is in" fromWithin,
      testCase "interrupted: what others have written stays" interrupted,
      testCase "a part of a pure value, interrupted at any moment" resumed,
      testCase "a part of a pure value, interrupted, and the parts used since" late
    ]

-- | All chunks that a builder completes.
chunksOf :: Parts -> Builder -> IO [S.ByteString]
chunksOf parts b = append parts b >>= following

following :: Made -> IO [S.ByteString]
following AllMade = pure []
following (Made bs rest) = (bs :) <$> (rest >>= following)

end :: Parts -> IO [S.ByteString]
end parts = maybeToList <$> takeLast parts

-- | What an action returns must be these bytes.
gives :: IO [S.ByteString] -> S.ByteString -> Assertion
gives act bytes = act >>= \chunks -> S.concat chunks @?= bytes

refuses :: PartsMisused -> IO a -> Assertion
refuses why act = try act >>= either (@?= why) (const (assertFailure "not refused"))

-- | The first chunk of a builder, and what follows.
firstOf :: Parts -> Builder -> IO (S.ByteString, IO Made)
firstOf parts b = append parts b >>= step

step :: Made -> IO (S.ByteString, IO Made)
step (Made bs rest) = pure (bs, rest)
step AllMade = assertFailure "no chunk"

passesOn :: Assertion
passesOn = do
  parts <- newParts
  chunks <- chunksOf parts ("<" <> lazyByteString (L.fromChunks [large 1, "a", large 2]) <> ">")
  chunks @?= ["<", large 1, "a", large 2]
  end parts `gives` ">"
  where
    large = S.replicate 10000

-- (The compiler must not see that it throws.)
bad :: Builder
bad = byteString badBytes

badBytes :: S.ByteString
badBytes = unsafePerformIO (throwIO (userError "bad"))
{-# NOINLINE badBytes #-}

fails :: IO a -> Assertion
fails act = do
  r <- try act
  either
    (\e -> show (e :: IOException) @?= "user error (bad)")
    (const (assertFailure "no exception"))
    r

throwing :: Assertion
throwing = do
  parts <- newParts
  chunksOf parts "brick" `gives` ""
  fails (append parts ("dropped" <> bad))
  chunksOf parts ", mortar" `gives` ""
  (bs, rest) <- firstOf parts (" and" <> flush <> "dropped" <> bad)
  bs @?= "brick, mortar and"
  fails rest
  chunksOf parts " sand" `gives` ""
  (bs', rest') <- firstOf parts (lazyByteString (L.fromChunks [S.replicate 9000 1, badBytes]))
  bs' @?= " sand"
  (_, rest'') <- rest' >>= step
  fails rest''
  chunksOf parts "!" `gives` ""
  end parts `gives` "!"

once' :: Assertion
once' = do
  parts <- newParts
  (bs, rest) <- firstOf parts ("a" <> flush <> "b" <> flush <> "c")
  (bs', rest') <- rest >>= step
  refuses ChunkPassed rest
  rest' >>= \made -> following made `gives` ""
  refuses ChunkPassed rest
  refuses ChunkPassed rest'
  (bs, bs') @?= ("a", "b")
  -- Of the next builder, too, it is none.
  (_, rest'') <- firstOf parts ("d" <> flush <> "e")
  refuses ChunkPassed rest'
  rest'' >>= \made -> following made `gives` ""
  end parts `gives` "e"

oneOfMany :: Assertion
oneOfMany = forM_ [1 .. 200 :: Int] $ \_ -> do
  parts <- newParts
  (_, rest) <- firstOf parts (flush' <> foldMap word64LE [1 .. 1000])
  gate <- newEmptyMVar
  results <- replicateM 4 $ do
    done <- newEmptyMVar
    _ <- forkIO (readMVar gate >> try rest >>= putMVar done)
    pure done
  putMVar gate ()
  outcomes <- mapM takeMVar results
  length (rights outcomes) @?= 1
  all (`elem` [ChunkPassed, PartsInUse]) (lefts outcomes) @? show (lefts outcomes)
  end parts `gives` toStrictByteString (foldMap word64LE [1 .. 1000])
  where
    flush' = "a" <> flush

afterThrowing :: Assertion
afterThrowing = do
  parts <- newParts
  (_, rest) <- firstOf parts ("a" <> flush <> bad)
  fails rest
  refuses ChunkPassed rest
  end parts `gives` ""

unfinished :: Assertion
unfinished = do
  parts <- newParts
  (bs, rest) <- firstOf parts ("a" <> flush <> "b" <> byteStringInsert "c" <> "d")
  refuses BuilderUnfinished (append parts "x")
  refuses BuilderUnfinished (takeLast parts)
  (bs', rest') <- rest >>= step
  refuses BuilderUnfinished (append parts "x")
  refuses BuilderUnfinished (takeLast parts)
  (bs'', rest'') <- rest' >>= step
  rest'' >>= \made -> following made `gives` ""
  chunksOf parts "e" `gives` ""
  end parts `gives` "de"
  [bs, bs', bs''] @?= ["a", "b", "c"]

-- A byte that says when it is evaluated, and waits.
waiting :: MVar () -> MVar () -> Word8
waiting entered go = unsafePerformIO (65 <$ (putMVar entered () >> takeMVar go))
{-# NOINLINE waiting #-}

oneThread :: Assertion
oneThread = do
  parts <- newParts
  entered <- newEmptyMVar
  go <- newEmptyMVar
  done <- newEmptyMVar
  let meanwhile act others = do
        _ <- forkIO (try act >>= putMVar done)
        takeMVar entered
        () <- others
        putMVar go ()
        takeMVar done >>= either (throwIO :: SomeException -> IO a) pure
      misuse = do
        refuses PartsInUse (append parts "x")
        refuses PartsInUse (takeLast parts)
  made <- meanwhile (append parts (word8 (waiting entered go) <> flush <> value entered go)) misuse
  (bs, rest) <- step made
  last' <- meanwhile rest (misuse >> refuses PartsInUse rest)
  following last' `gives` ""
  bs @?= "A"
  end parts `gives` "A"
  where
    -- (Another thunk than the first one.)
    value entered go = word8 (waiting entered go)
    {-# NOINLINE value #-}

fromWithin :: Assertion
fromWithin = do
  parts <- newParts
  chunksOf parts "a" `gives` ""
  refuses PartsInUse (append parts ("x" <> byteString (appending parts)))
  end parts `gives` "a"

-- Bytes that use the parts.
appending :: Parts -> S.ByteString
appending parts = unsafePerformIO (S.concat <$> chunksOf parts "b")
{-# NOINLINE appending #-}

-- (Of numbers that are allocated: a loop that allocates nothing cannot be interrupted.)
sumOf :: [Integer] -> Word64
sumOf = fromInteger . List.foldl' (+) 0
{-# NOINLINE sumOf #-}

interrupted :: Assertion
interrupted = do
  parts <- newParts
  chunksOf parts "a" `gives` ""
  forM_ [1 .. 20] $ \i -> do
    r <- timeout (100 * i) (append parts (endless i))
    maybe (pure ()) (const (assertFailure "an end")) r
    (bs, rest) <- firstOf parts ("b" <> flush <> endless i)
    bs @?= (if i == 1 then "ab" else "b")
    r' <- timeout (100 * i) rest
    maybe (pure ()) (const (assertFailure "an end")) r'
    refuses ChunkPassed rest
  end parts `gives` ""
  where
    -- It writes, and does not fill the buffer.
    endless i = word64LE (fromIntegral i) <> word64LE (sumOf [toInteger i ..])

-- Force a value under time limits until it is evaluated.
insisting :: a -> IO a
insisting a = go (1 :: Int)
  where
    go tries
      | tries > 100000 = assertFailure "no progress"
      | otherwise = timeout (10 + tries) (evaluate a) >>= maybe (go (tries + 1)) pure

resumed :: Assertion
resumed = forEach [1 .. 5] $ \i -> do
  let piece n = foldMap word64LE [i .. i + n] <> flush <> foldMap word64LE [1 .. n]
      out = unsafePerformIO $ do
        parts <- newParts
        chunks <- concat <$> mapM (chunksOf parts . piece) [1, 10, 1000, 10000, 1]
        S.concat . (chunks ++) <$> end parts
  bytes <- insisting out
  bytes @?= toStrictByteString (foldMap piece [1, 10, 1000, 10000, 1])

late :: Assertion
late = do
  parts <- newParts
  chunksOf parts "a" `gives` ""
  gate <- newEmptyMVar
  let slow = word64LE (unsafePerformIO (readMVar gate))
      pure' = unsafePerformIO (S.concat <$> chunksOf parts ("x" <> slow))
      {-# NOINLINE pure' #-}
  r <- timeout 1000 (evaluate pure')
  r @?= Nothing
  putMVar gate 1
  chunksOf parts "b" `gives` ""
  refuses PartsInUse (evaluate pure')
  end parts `gives` "ab"
