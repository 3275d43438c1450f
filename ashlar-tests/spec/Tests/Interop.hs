{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Interop
-- Description : Conversions between Ashlar's builders and bytestring's
module Tests.Interop (tests) where

import Ashlar.Builder
import Ashlar.Builder.Bytestring
import qualified Ashlar.Builder.Extra as A
import qualified Ashlar.Builder.Prim as P
import Control.Concurrent
import Control.Concurrent.STM (atomically, newTVarIO, readTVar, writeTVar)
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Builder.Prim.Internal as BP
import qualified Data.ByteString.Internal as I
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.IORef
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Text.Lazy as TL
import qualified Data.Text.Lazy.Encoding as TL
import Data.Word (Word64, Word8)
import Foreign (ForeignPtr, Ptr, castPtr, fillBytes, mallocForeignPtrBytes, withForeignPtr)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (again, collect, output)
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "bytestring's builders"
    [ testGroup
        "ours as theirs"
        [ testProperty "runBuilder, at every buffer size" $ \p ->
            throughSteps (A.runBuilder (build p)) p,
          testProperty "between builders of theirs" $ \p -> ioProperty $ do
            out <-
              driven
                16
                ( B.runBuilder
                    ( B.word8 1
                        <> toBytestringBuilder (build p)
                        <> B.word64LE 2
                        <> toBytestringBuilder (build p)
                    )
                )
            pure
              ( out
                  === S.concat
                    [S.singleton 1, bytesOf p, S.pack [2, 0, 0, 0, 0, 0, 0, 0], bytesOf p]
              ),
          testProperty "toLazyByteString" $ \p -> forAll (choose (1, 100)) $ \n ->
            L.toStrict
              ( B.toLazyByteStringWith
                  (B.untrimmedStrategy n n)
                  L.empty
                  (toBytestringBuilder (build p))
              )
              === bytesOf p,
          testCase "hPutBuilder" handleOutput,
          testCase "insertions and ends of chunks arrive" insertions,
          testProperty "every step twice" everyStepTwice,
          testCase "by two threads at once" atOnce,
          testCase "under another masking state" otherMasking,
          testCase "an interrupted step runs again" interruptedSteps,
          testCase "lazy output interrupted by timeouts" interruptedChunks,
          testCase "under atomically" inAtomically,
          testCase "an exception surfaces where it is reached" exceptionTo,
          testCase "an infinite builder" $
            L.take 1000000 (B.toLazyByteString (toBytestringBuilder ones))
              @?= L.replicate 1000000 1,
          testCase
            "nothing is evaluated before it is needed"
            ( onDemand
                ( B.toLazyByteStringWith (B.untrimmedStrategy 16 16) L.empty
                    . toBytestringBuilder
                )
            ),
          testCase "the beginning is not kept" notKeptTo,
          testCase "chunks keep their size, however much is allocated between them" chunkSizes
        ],
      testGroup
        "theirs as ours"
        [ testProperty "at every buffer size" $
            withMaxSuccess 40 $ \p ->
              conjoin
                [ counterexample
                    (show n)
                    (L.toStrict (lazily n (fromBytestringBuilder (theirs p))) === bytesOf p)
                  | n <- sizes
                ],
          testProperty "between builders of ours" $ \p ->
            let b = fromBytestringBuilder (theirs p)
             in toStrictByteString (word8 1 <> b <> b)
                  === S.concat [S.singleton 1, bytesOf p, bytesOf p],
          testProperty "into memory of just that size" $ \p -> ioProperty $ do
            (memory, _) <-
              guarded
                (S.length (bytesOf p))
                (\at n -> (\k -> (k, ())) <$> pokeBuilder at n (fromBytestringBuilder (theirs p)))
            out <- contents memory
            pure (out === bytesOf p),
          testCase "a step gets the free space that it asks for" largeSteps,
          testCase "an exception surfaces where it is reached" exceptionFrom,
          testCase "an infinite builder" $
            L.take 1000000 (toLazyByteString (fromBytestringBuilder onesB))
              @?= L.replicate 1000000 1,
          testCase "the beginning is not kept" notKeptFrom
        ],
      testGroup
        "there and back"
        [ testProperty "our builders in bytestring's, and back" $
            withMaxSuccess 30 $ \p ->
              conjoin
                [ L.toStrict (lazily n (fromBytestringBuilder (toBytestringBuilder (build p))))
                    === bytesOf p
                  | n <- sizes
                ],
          testProperty "bytestring's builders in ours" $ \p ->
            throughSteps (A.runBuilder (fromBytestringBuilder (theirs p))) p,
          testProperty "primitives, in both directions" primitives
        ]
    ]

sizes :: [Int]
sizes = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 4096]

lazily :: Int -> Builder -> L.ByteString
lazily n = A.toLazyByteStringWith (A.safeStrategy n n) L.empty

bytesOf :: Program -> S.ByteString
bytesOf = S.pack . model

ones :: Builder
ones = word8 1 <> ones

onesB :: B.Builder
onesB = B.word8 1 <> onesB

-- | The program as a builder of bytestring.
theirs :: Program -> B.Builder
theirs p = case p of
  Nothing' -> mempty
  Append a b -> theirs a <> theirs b
  Concat ps -> mconcat (map theirs ps)
  Byte x -> B.word8 x
  Little x -> B.word16LE x
  Big x -> B.int32BE x
  Wide x -> B.word64LE x
  Fields x y z -> B.word8 x <> B.int32BE y <> B.word64LE z
  Copied bs -> B.byteStringCopy bs
  Plain bs -> B.byteString bs
  Inserted bs -> B.byteStringInsert bs
  Chunks bss -> B.lazyByteString (L.fromChunks bss)
  Short bs -> B.shortByteString (SBS.toShort bs)
  Character c -> B.charUtf8 c
  Characters s -> B.stringUtf8 s
  TextOf s -> T.encodeUtf8Builder (T.pack s)
  LazyTextOf ss -> TL.encodeUtf8Builder (TL.fromChunks (map T.pack ss))
  Flushed -> B.flush
  Times n a -> mconcat (replicate n (theirs a))

-- The buffer of a step: all its bytes when the step returned, and the number of bytes that the step
-- reported.
data Memory = Memory (ForeignPtr Word8) S.ByteString Int

-- Run a step on a fresh buffer of n bytes. The 16 bytes after the buffer must not change.
guarded :: Int -> (Ptr Word8 -> Int -> IO (Int, a)) -> IO (Memory, a)
guarded n act = do
  fp <- mallocForeignPtrBytes (n + 16)
  withForeignPtr fp $ \p -> do
    fillBytes p 0x55 (n + 16)
    (k, x) <- act p n
    assertBool ("wrote " ++ show k ++ " of " ++ show n) (k >= 0 && k <= n)
    whole <- S.packCStringLen (castPtr p, n + 16)
    S.drop n whole @?= S.replicate 16 0x55
    pure (Memory fp whole k, x)

-- The bytes that the step wrote. The buffer must not have changed since.
contents :: Memory -> IO S.ByteString
contents (Memory fp whole k) = withForeignPtr fp $ \p -> do
  now <- S.packCStringLen (castPtr p, S.length whole)
  assertBool "memory was written after the step had returned" (now == whole)
  pure (S.take k whole)

-- All the bytes, and the steps, each with the offset at which it began. Buffers have n bytes, or
-- more if a step asks for more. Each step runs inside of the wrapper, which gets the number of the
-- step.
driveWith ::
  (forall a. Int -> IO a -> IO a) ->
  Int ->
  A.BufferWriter ->
  IO (S.ByteString, [(Int, A.BufferWriter)])
driveWith around n = go 0 n [] [] 0
  where
    go i size written ran before writer = do
      (memory@(Memory _ _ k), next) <- around i (guarded size writer)
      let written' = contents memory : written
          ran' = (before, writer) : ran
      case next of
        A.Done -> do
          out <- S.concat . reverse <$> sequence written'
          pure (out, reverse ran')
        A.More least writer' -> do
          assertBool "asked for nothing" (least > 0)
          go (i + 1) (max n least) written' ran' (before + k) writer'
        A.Chunk bs writer' ->
          go (i + 1) n (pure bs : written') ran' (before + k + S.length bs) writer'

driven :: Int -> A.BufferWriter -> IO S.ByteString
driven n writer = fst <$> driveWith (const id) n writer

throughSteps :: A.BufferWriter -> Program -> Property
throughSteps writer p = forAll size $ \n -> ioProperty ((=== bytesOf p) <$> driven n writer)
  where
    -- Long output through tiny buffers takes too long.
    size = if S.length (bytesOf p) < 1000 then choose (1, 64) else choose (16, 300)

-- 8 bytes for each number. Not inlined, so that GHC shares nothing between runs.
numbers :: Word64 -> Word64 -> Builder
numbers from to
  | from >= to = mempty
  | otherwise = word64LE from <> numbers (from + 1) to
{-# NOINLINE numbers #-}

expected :: Word64 -> Word64 -> S.ByteString
expected from to =
  L.toStrict (B.toLazyByteString (BP.primMapListFixed BP.word64LE (takeWhile (< to) [from ..])))

-- After the run, some of the steps run again, with other buffers.
everyStepTwice :: Property
everyStepTwice = forAll (choose (8, 300)) $ \n -> forAll (choose (1, 300)) $ \m ->
  forAllBlind output $ \(b, what) -> ioProperty $ do
    (out, ran) <- driveWith (const id) n (A.runBuilder b)
    again <- forM (each (1 + length ran `div` 8) ran) $ \(before, writer) -> do
      rest <- driven m writer
      pure (counterexample ("again from byte " ++ show before) (rest == S.drop before what))
    pure (counterexample "first" (out == what) .&&. conjoin again)
  where
    output =
      frequency
        [ (20, (\p -> (build p, bytesOf p)) <$> arbitrary),
          -- After 128 KiB, steps are of another kind.
          (1, (\i -> (numbers i (i + 20000), expected i (i + 20000))) <$> choose (0, 99))
        ]

-- Every k-th element.
each :: Int -> [a] -> [a]
each _ [] = []
each k (x : xs) = x : each k (drop (k - 1) xs)

-- The results of an action that n threads run at once.
inThreads :: forall a. Int -> IO a -> IO [a]
inThreads n act = do
  results <- forM [1 .. n] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (try act >>= putMVar done)
    pure done
  mapM (takeMVar >=> either (throwIO :: SomeException -> IO a) pure) results

atOnce :: Assertion
atOnce = forM_ [1 .. 6] $ \i -> do
  let b = toBytestringBuilder (numbers i 8000)
      lazy = B.toLazyByteStringWith (B.untrimmedStrategy 8 (16 + fromIntegral i)) L.empty b
      what = expected i 8000
  outs <- inThreads 4 (evaluate (lazy == L.fromStrict what))
  outs @?= replicate 4 True
  -- All threads run the second step.
  (_, next) <- guarded 100 (A.runBuilder (numbers i 8000))
  case next of
    A.More _ writer -> do
      rests <- inThreads 3 (driven 1000 writer)
      assertBool "rests" (all (== S.drop 96 what) rests)
    _ -> assertFailure "it does not ask for more"

otherMasking :: Assertion
otherMasking = forM_ [100, 5000] $ \n -> do
  let writer = A.runBuilder (numbers 0 50000)
      what = expected 0 50000
      alternating :: Bool -> Int -> IO a -> IO a
      alternating first i = if even i == first then id else mask_
  (unmaskedFirst, _) <- driveWith (alternating True) n writer
  assertBool "masked second" (unmaskedFirst == what)
  (maskedFirst, ran) <- driveWith (alternating False) n writer
  assertBool "masked first" (maskedFirst == what)
  forM_ (take 3 (reverse (each 50 ran))) $ \(before, again) -> do
    rest <- mask_ (driven 3000 again)
    assertBool "again" (rest == S.drop before what)
  getMaskingState >>= (@?= Unmasked)

-- Timeouts interrupt steps at any point. Each step runs again from its beginning until it
-- completes. On a busy machine the first attempts may not be interrupted at all.
interruptedSteps :: Assertion
interruptedSteps = attempt (100 :: Int)
  where
    -- Each attempt has values of its own, which are not evaluated yet.
    attempt left = do
      n <- interruptionsFrom (fromIntegral left)
      if n == 0 && left > 0 then attempt (left - 1) else assertBool "never interrupted" (n > 0)

-- The numbers differ each time. Otherwise GHC would share the builder, and its numbers would be
-- evaluated already.
interruptionsFrom :: Word64 -> IO Int
interruptionsFrom first = do
  interruptions <- newIORef 0
  let retried :: Int -> IO a -> IO a
      retried tries act =
        timeout (1 + tries * tries) act
          >>= maybe (modifyIORef interruptions (+ 1) >> retried (tries + 1) act) pure
  (out, _) <- driveWith (const (retried 0)) 8000 (A.runBuilder (slowly first 20000))
  assertBool "output" (out == expected first 20000)
  readIORef interruptions

-- As 'numbers', but each number takes about a microsecond.
slowly :: Word64 -> Word64 -> Builder
slowly from to
  | from >= to = mempty
  | otherwise = word64LE (spin 1000 from) <> slowly (from + 1) to
  where
    spin :: Int -> Word64 -> Word64
    spin n x = if n <= 0 then x else spin (n - 1) (if n == 77777 then x + 1 else x)
{-# NOINLINE slowly #-}

interruptedChunks :: Assertion
interruptedChunks = forM_ [10, 50, 100 :: Int] $ \limit -> do
  let lazy =
        B.toLazyByteStringWith
          (B.untrimmedStrategy 64 256)
          L.empty
          (toBytestringBuilder (numbers 0 100000))
      go tries
        | tries > (100000 :: Int) = assertFailure "no progress"
        | otherwise =
          timeout (limit * (1 + tries `div` 100)) (evaluate (L.length lazy))
            >>= maybe (go (tries + 1)) (@?= 800000)
  go 0
  assertBool "output" (lazy == L.fromStrict (expected 0 100000))

inAtomically :: Assertion
inAtomically = do
  let lazy = B.toLazyByteString (toBytestringBuilder (numbers 0 50000))
  _ <- evaluate (L.length (L.take 100000 lazy))
  var <- newTVarIO 0
  n <- atomically (writeTVar var (L.length lazy) >> readTVar var)
  n @?= 400000

handleOutput :: Assertion
handleOutput = do
  let big = S.replicate 9000 7
      b = numbers 0 5000 <> byteString big <> A.flush <> numbers 5000 40000
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      B.hPutBuilder h (toBytestringBuilder b)
      hClose h
      out <- S.readFile path
      assertBool "output" (out == S.concat [expected 0 5000, big, expected 5000 40000])

-- In both directions, a large string is shared, and a flush ends a chunk.
insertions :: Assertion
insertions = do
  let big = S.replicate 9000 7
      sameMemory a b = S.length a == S.length b && I.toForeignPtr a == I.toForeignPtr b
      to b = L.toChunks (B.toLazyByteString (toBytestringBuilder b))
      from b = L.toChunks (toLazyByteString (fromBytestringBuilder b))
      check chunks = case chunks of
        [a, b, c] -> do
          (a, c) @?= (S.singleton 1, S.singleton 2)
          assertBool "shared" (sameMemory b big)
        _ -> assertFailure (show (map S.length chunks))
  check (to (word8 1 <> byteString big <> word8 2))
  check (from (B.word8 1 <> B.byteString big <> B.word8 2))
  map S.unpack (to (word8 1 <> A.flush <> word8 2)) @?= [[1], [2]]
  map S.unpack (from (B.word8 1 <> B.flush <> B.word8 2)) @?= [[1], [2]]
  map S.unpack (from (B.flush <> B.flush <> B.byteStringInsert S.empty)) @?= []

exceptionTo :: Assertion
exceptionTo = do
  let b = numbers 0 100 <> word8 (throw (userError "value")) <> numbers 0 100
      go writer = do
        result <- try (guarded 64 writer)
        case result of
          Left e -> [writer] <$ (show (e :: IOException) @?= "user error (value)")
          Right (_, A.More _ next) -> (writer :) <$> go next
          Right _ -> assertFailure "neither more nor an exception"
  ran <- go (A.runBuilder b)
  -- Each step fills its 64 bytes. The 13th fails, and fails again when it runs again.
  length ran @?= 13
  again <- go (last ran)
  length again @?= 1
  -- From an earlier step, a prefix arrives. Another computation runs it.
  chunks <- newIORef S.empty
  let collect writer = do
        (memory, next) <- guarded 64 writer
        out <- contents memory
        modifyIORef chunks (<> out)
        case next of
          A.More _ w -> collect w
          A.Chunk bs w -> modifyIORef chunks (<> bs) >> collect w
          A.Done -> pure ()
  result <- try (collect (ran !! 4))
  either
    (\e -> show (e :: IOException) @?= "user error (value)")
    (const (assertFailure "no exception"))
    result
  out <- readIORef chunks
  assertBool "a prefix" (out `S.isPrefixOf` S.drop 256 (expected 0 100))

exceptionFrom :: Assertion
exceptionFrom = do
  let b = foldMap B.word64LE [0 .. 99] <> B.word8 (throw (userError "value")) <> B.word8 1
      lazy = lazily 64 (fromBytestringBuilder b)
  L.take 768 lazy @?= L.take 768 (L.fromStrict (expected 0 100))
  replicateM_ 2 $ do
    result <- try (evaluate (L.length lazy))
    either
      (\e -> show (e :: IOException) @?= "user error (value)")
      (const (assertFailure "no exception"))
      result

-- The buffers have 16 bytes.
onDemand :: (Builder -> L.ByteString) -> Assertion
onDemand run = do
  reached <- newIORef (0 :: Int)
  let mark i = unsafePerformIO (writeIORef reached i >> pure 1)
      lazy = run (foldMap (\i -> word8 (mark i)) [1 .. 1000])
  _ <- evaluate (L.head lazy)
  readIORef reached >>= \n -> assertBool (show n) (n <= 17)
  _ <- evaluate (L.index lazy 500)
  readIORef reached >>= \n -> assertBool (show n) (n <= 520)

-- More bytes than the heap limit allows. They must not be retained while they are consumed.
huge :: Word8 -> L.ByteString
huge x = L.fromChunks (map (\i -> S.replicate 32000 (x + fromIntegral i)) [1 .. 20000 :: Int])
{-# NOINLINE huge #-}

-- An action, so that GHC does not make it a constant, which would be retained.
hugeNow :: IO L.ByteString
hugeNow = huge <$> (newIORef 1 >>= readIORef)

notKeptTo :: Assertion
notKeptTo = do
  chunks <- L.length . B.toLazyByteString . toBytestringBuilder . lazyByteString <$> hugeNow
  chunks @?= 640000000
  -- Here all bytes pass through the caller's buffers.
  let count n writer = do
        (_, next) <- guarded 32768 writer
        case next of
          A.Done -> pure n
          A.More _ w -> count (n + 1) w
          A.Chunk _ w -> count (n + 1) w
  steps <- hugeNow >>= count (0 :: Int) . A.runBuilder . A.lazyByteStringCopy
  assertBool (show steps) (steps >= 15000)

chunkSizes :: Assertion
chunkSizes = do
  let lazy = B.toLazyByteString (toBytestringBuilder (numbers 0 100000))
  -- After 128 KiB, the chunks are made by Ashlar.
  forM_ [100000, 160000, 200000, 300000] $ \n -> do
    _ <- evaluate (L.length (L.take n lazy))
    evaluate (sum [1 .. 200000 :: Integer])
  let sizes' = map S.length (L.toChunks lazy)
  assertBool (show sizes') (maximum sizes' <= 32768 && length sizes' <= 30)

notKeptFrom :: Assertion
notKeptFrom = do
  chunks <- L.length . toLazyByteString . fromBytestringBuilder . B.lazyByteStringCopy <$> hugeNow
  chunks @?= 640000000

-- A step that asks for n bytes of free space gets them.
largeSteps :: Assertion
largeSteps = do
  let n = 1048576 + 5
      large = BP.primFixed (BP.fixedPrim n (\w p -> fillBytes p (w :: Word8) n))
      b = B.word8 1 <> large 2 <> B.word8 3 <> large 4
      what = S.concat [S.singleton 1, S.replicate n 2, S.singleton 3, S.replicate n 4]
  assertBool "strict" (toStrictByteString (fromBytestringBuilder b) == what)
  assertBool "lazy" (lazily 10 (fromBytestringBuilder b) == L.fromStrict what)
  out <- driven 10 (A.runBuilder (fromBytestringBuilder b))
  assertBool "steps" (out == what)

primitives :: [(Char, Word64)] -> Property
primitives xs =
  theirBytes (BP.primMapListBounded (toBytestringBoundedPrim ours) xs) === expected'
    .&&. theirBytes (BP.primMapListFixed (toBytestringFixedPrim P.word64BE) (map snd xs))
      === toStrictByteString (P.primMapListFixed P.word64BE (map snd xs))
    .&&. toStrictByteString (P.primMapListBounded (fromBytestringBoundedPrim theirs') xs)
      === expected'
    .&&. toStrictByteString (P.primMapListFixed (fromBytestringFixedPrim BP.word64BE) (map snd xs))
      === theirBytes (BP.primMapListFixed BP.word64BE (map snd xs))
  where
    theirBytes = L.toStrict . B.toLazyByteString
    ours = P.charUtf8 P.>*< P.liftFixedToBounded P.word64LE
    theirs' = BP.charUtf8 BP.>*< BP.liftFixedToBounded BP.word64LE
    expected' = theirBytes (BP.primMapListBounded theirs' xs)
