{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Dialogue
-- Description : What has been built is handed over before anything after it is evaluated
module Tests.Dialogue (tests) where

import Ashlar.Builder
import Ashlar.Builder.Bytestring
import Ashlar.Builder.Extra
import Ashlar.Builder.Http
import Control.Concurrent.MVar
import Control.Monad (forM_, replicateM)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.IORef
import Foreign.Ptr (castPtr)
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (again)
import Tests.Prompt

tests :: TestTree
tests =
  testGroup
    "what has been built is handed over"
    [ testGroup
        "before anything after it is evaluated"
        [ testProperty "by toLazyByteString" (prompt (fromLazy toLazyByteString)),
          testProperty "by toLazyByteStringWith, at every buffer size" $ \p ->
            forAll sizes $ \m -> forAll sizes $ \n ->
              prompt (fromLazy (toLazyByteStringWith (safeStrategy m n) L.empty)) p
                .&&. prompt (fromLazy (toLazyByteStringWith (untrimmedStrategy m n) L.empty)) p,
          testProperty "by bytestring's lazy output" $ \p -> forAll sizes $ \n ->
            prompt (fromLazy (B.toLazyByteString . toBytestringBuilder)) p
              .&&. prompt
                ( fromLazy
                    (B.toLazyByteStringWith (B.untrimmedStrategy n n) L.empty . toBytestringBuilder)
                )
                p,
          testProperty "by bytestring's lazy output, after more than its steps keep" $
            prompt afterLong,
          testProperty "by toByteStringIOWith" $ \p -> forAll sizes $ \n ->
            prompt (toByteStringIOWith n) p,
          testProperty "by toBufferIOWith" $ \p -> forAll sizes $ \n ->
            prompt (\consume b -> () <$ toBufferIOWith n (given consume) b) p
        ],
      testProperty "just as by bytestring, if no buffer is full" sameAsBytestring,
      testGroup
        "so output may depend on its beginning"
        [ testCase "a chunk that is inserted again and again" again,
          testCase "a chunk that is inserted again and again, with a flush between" againFlushed,
          testCase "chunks that are inserted for their length, again and again" againLong,
          testCase "a number that depends on the first chunk" dependent,
          testCase "bytestring's builders, as ours" theirsAsOurs,
          testCase "ours, as bytestring's" oursAsTheirs
        ],
      testCase "a lazy string that waits for an answer to its last chunk goes on" dialogue,
      testCase "a builder that waits for an answer to an inserted string goes on" dialogueStrict,
      testCase "chunked transfer coding hands over what has been built" dialogueChunked,
      testCase "a lazy string that is passed on is not kept" notKept,
      testCase "an infinite builder is run no further than it is consumed" noFurther
    ]
  where
    sizes = frequency [(3, choose (1, 200)), (1, choose (4000, 40000))]
    given consume p n = S.packCStringLen (castPtr p, n) >>= consume

-- The part before is not counted.
afterLong :: Driver Builder
afterLong consume b = do
  leftRef <- newIORef (S.length long)
  let rest bs = do
        left <- readIORef leftRef
        let k = min left (S.length bs)
        writeIORef leftRef (left - k)
        consume (S.drop k bs)
  fromLazy (B.toLazyByteString . toBytestringBuilder . (byteStringInsert long <>)) rest b
  where
    long = S.replicate 200000 1

-- What 'toBytestringBuilder' makes after 128 KiB is chunks of its own, the last of them too.
sameAsBytestring :: Property
sameAsBytestring =
  forAllShrink (arbitrary `suchThat` short) (filter short . shrink) $ \p -> ioProperty $ do
    ours <- outcome (fromLazy (toLazyByteStringWith (untrimmedStrategy big big) L.empty)) p
    theirs <- outcome (fromLazy (B.toLazyByteStringWith (B.untrimmedStrategy big big) L.empty)) p
    pure (ours === theirs .&&. ours === fst (promised p))
  where
    short p = snd (promised p) <= 131072
    big = 1000000

again :: Assertion
again = do
  let x = toLazyByteString (byteStringInsert "ab" <> lazyByteStringInsert x)
  takes 6 x "ababab"

againFlushed :: Assertion
againFlushed = do
  let x = toLazyByteString (word8 97 <> flush <> word8 98 <> flush <> lazyByteStringInsert x)
  takes 6 x "ababab"
  let y = toLazyByteString (byteStringInsert "ab" <> flush <> word8 99 <> flush <> lazyByteString y)
  -- What is copied waits for a whole buffer, so only its beginning is there.
  takes 3 y "abc"

againLong :: Assertion
againLong = do
  let long = S.replicate 9000 1
      x = toLazyByteString (byteString long <> lazyByteString x)
  takes 100000 x (L.replicate 100000 1)

dependent :: Assertion
dependent = do
  let number = intDec (firstLength x)
      x = toLazyByteString (byteStringInsert "abc" <> number <> flush <> word8 (last' x))
      firstLength chunks = case chunks of
        L.Chunk bs _ -> S.length bs
        L.Empty -> 0
      last' chunks = L.index chunks 3
  takes 5 x "abc33"

theirsAsOurs :: Assertion
theirsAsOurs = do
  let x =
        toLazyByteString . fromBytestringBuilder $
          B.byteStringInsert "ab" <> B.word8 99 <> B.flush <> B.lazyByteStringInsert x
  takes 6 x "abcabc"

oursAsTheirs :: Assertion
oursAsTheirs = do
  let x =
        B.toLazyByteString . toBytestringBuilder $
          byteStringInsert "ab" <> word8 99 <> flush <> lazyByteStringInsert x
  takes 6 x "abcabc"

-- The first bytes, which come without waiting.
takes :: Int -> L.ByteString -> L.ByteString -> Assertion
takes n x expected = do
  r <- timeout 20000000 (L.take (fromIntegral n) x @?= expected)
  r @?= Just ()

-- Each string waits until the one before it has been answered.
answered :: Int -> (MVar () -> IO a) -> IO a
answered n act = do
  answer <- newEmptyMVar
  r <- timeout 20000000 (act answer)
  maybe (assertFailure ("no end after " ++ show n ++ " chunks")) pure r

dialogue :: Assertion
dialogue = answered 20 $ \answer -> do
  let source n
        | n == (0 :: Int) = pure L.Empty
        | otherwise = unsafeInterleaveIO $ do
          takeMVar answer
          L.Chunk (S.replicate 10000 1) <$> source (n - 1)
  lazy <- source 20
  got <- newIORef (0 :: Int)
  putMVar answer ()
  fromLazy toLazyByteString (\bs -> modifyIORef' got (+ S.length bs) >> putMVar answer ()) $
    lazyByteString lazy
  readIORef got >>= (@?= 200000)

dialogueStrict :: Assertion
dialogueStrict = answered 20 $ \answer -> do
  let string = unsafeInterleaveIO (S.replicate 10000 1 <$ takeMVar answer)
  strings <- replicateM 20 string
  got <- newIORef (0 :: Int)
  putMVar answer ()
  let counted bs = modifyIORef' got (+ S.length bs) >> putMVar answer ()
  fromLazy (B.toLazyByteString . toBytestringBuilder) counted (foldMap byteString strings)
  readIORef got >>= (@?= 200000)

-- The chunk's header comes with it, and its end with the next.
dialogueChunked :: Assertion
dialogueChunked = answered 20 $ \answer -> do
  let string = unsafeInterleaveIO (S.replicate 10000 1 <$ takeMVar answer)
  strings <- replicateM 20 string
  got <- newIORef (0 :: Int)
  putMVar answer ()
  let counted bs
        | S.length bs == 10000 = modifyIORef' got (+ 1) >> putMVar answer ()
        | otherwise = pure ()
  fromLazy toLazyByteString counted (chunkedTransferEncoding (foldMap byteString strings))
  readIORef got >>= (@?= 20)

noFurther :: Assertion
noFurther = do
  made <- newIORef (0 :: Int)
  let endless i = do
        rest <- unsafeInterleaveIO (endless (i + 1))
        bs <- unsafeInterleaveIO (S.pack [1, 2] <$ writeIORef made i)
        pure (byteStringInsert bs <> rest)
  lazy <- toLazyByteString <$> endless 1
  L.length (L.take 200 lazy) @?= 200
  readIORef made >>= (@?= 100)

-- 1200 chunks of 1 MiB, made on demand. If they were kept, they would exceed the suite's heap
-- limit.
notKept :: Assertion
notKept = do
  ref <- newIORef 1200
  forM_ [lazyByteString, lazyByteStringInsert] $ \build -> do
    n <- readIORef ref
    L.length (toLazyByteString (build (huge n))) @?= fromIntegral n * 1048576
    consumed <- newIORef (0 :: Int)
    toByteStringIO (\bs -> modifyIORef' consumed (+ S.length bs)) (build (huge n))
    readIORef consumed >>= (@?= n * 1048576)
  where
    huge :: Int -> L.ByteString
    huge n = L.fromChunks [S.replicate 1048576 (fromIntegral i) | i <- [1 .. n]]
    {-# NOINLINE huge #-}
