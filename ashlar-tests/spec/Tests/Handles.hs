{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Handles
-- Description : Output to Handles
module Tests.Handles (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringCopy, byteStringInsert, flush)
import qualified Ashlar.Builder.Prim as P
import Ashlar.Builder.Section (lengthPrefixedWithin)
import Ashlar.Builder.Unsafe (atCursor)
import Control.Concurrent
  ( forkIO,
    killThread,
    newEmptyMVar,
    putMVar,
    readMVar,
    takeMVar,
    threadDelay,
    tryPutMVar,
  )
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import Data.IORef (modifyIORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Ptr (nullPtr, plusPtr)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Error (isIllegalOperation)
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performMajorGC)
import System.Process (createPipe)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Loop

tests :: TestTree
tests =
  testGroup
    "Handles"
    [ testCase "sizes around every threshold, counted" sizes,
      testCase "strings around every threshold" aroundThresholds,
      testCase "in order with other output" inOrder,
      testCase "a Handle that cannot be written is an error, if nothing is written, too" cannot,
      testCase "an exception leaves a prefix and a usable Handle" prefix,
      testCase "bytes before a value that is known to throw" knownToThrow,
      testCase "a value throws, and the bytes before it have to wait" waiting,
      testCase "a section is written in the buffer that is handed over" reserved,
      testCase "a value may use the same Handle" reentrant,
      testCase "lines of several threads: 32 KiB in one piece" onePiece,
      testCase "runs within a run have buffers of their own" within,
      testCase "an interrupted run keeps its buffer" interruptedRun,
      testCase "runs of several threads at once" severalThreads
    ]

-- The contents of a file after an action on it.
written :: (Handle -> IO ()) -> IO S.ByteString
written act = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      act h
      hClose h
      S.readFile path

thresholds :: [Int]
thresholds = [0, 1] ++ concat [[n - 1, n, n + 1] | n <- [128, 4096, 8192, 32768, 65536, 1048576]]

sizes :: Assertion
sizes = forEach thresholds $ \n -> do
  let bs = S.pack (take n (cycle [0 .. 250]))
      builders =
        [byteString bs, byteStringCopy bs, byteStringInsert bs, foldMap word8 (S.unpack bs)]
  forM_ (if n > 100000 then take 3 builders else builders) $ \b -> do
    out <- written (\h -> hPutBuilderLen h b >>= (@?= n))
    assertBool ("size " ++ show n) (out == bs)

aroundThresholds :: Assertion
aroundThresholds = forM_ thresholds $ \n -> do
  let bs = S.replicate n 3
      b = word8 1 <> byteString bs <> word32LE 0 <> byteStringCopy bs <> word8 2
      whole = toStrictByteString b
  out <- written (\h -> hPutBuilderLen h b >>= (@?= S.length whole))
  assertBool ("size " ++ show n) (out == whole)

inOrder :: Assertion
inOrder = do
  out <- written $ \h -> do
    hPutStr h "a"
    hPutBuilder h "b"
    S.hPut h "c"
    hPutBuilder h (byteString (S.replicate 40000 100))
    hPutStr h "e"
  out @?= "abc" <> S.replicate 40000 100 <> "e"

-- bytestring throws for the same builders.
cannot :: Assertion
cannot = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      hClose h
      refusedBy h
      withBinaryFile path ReadMode refusedBy
      withBinaryFile path WriteMode $ \good -> mapM_ (hPutBuilder good) empties
  where
    empties = [mempty, flush, byteString "", byteStringInsert "", mconcat []]
    -- They are not evaluated.
    throwing = [word8 1 <> throw (userError "value"), throw (userError "builder")]
    refusedBy h = do
      forM_ (["1", byteStringInsert "1"] ++ throwing ++ empties) $ \b -> do
        try (hPutBuilder h b) >>= refused
        try (hPutBuilderLen h b) >>= refused
      try (B.hPutBuilder h mempty) >>= refused
      try (B.hPutBuilder h (throw (userError "builder"))) >>= refused
    refused :: Either IOException a -> Assertion
    refused = either (\e -> isIllegalOperation e @?= True) (const (assertFailure "no exception"))

prefix :: Assertion
prefix = do
  let before = foldMap word8 (replicate 100000 7)
  out <- written $ \h -> do
    r <- try (hPutBuilder h (before <> word8 (throw (userError "value"))))
    either
      (\e -> show (e :: IOException) @?= "user error (value)")
      (const (assertFailure "no exception"))
      r
    S.hPut h "end"
  let (start, end) = S.span (== 7) out
  end @?= "end"
  assertBool (show (S.length start)) (S.length start <= 100000 && S.length start > 60000)

-- If the builder ran while the Handle's lock is held, this would never end.
reentrant :: Assertion
reentrant = do
  out <- written $ \h -> do
    let value = unsafePerformIO (S.hPut h "inner" >> pure 65)
    hPutBuilder h (word8 value <> byteString (S.replicate 100000 66))
  out @?= "innerA" <> S.replicate 100000 66

-- At -O1, GHC finds that the value always throws. The bytes before it are written all the same.
-- (bytestring's last buffer is lost.)
knownToThrow :: Assertion
knownToThrow = forM_ [200, 1500, 20000, 70000] $ \n -> do
  out <- written $ \h -> do
    result <- try (hPutBuilder h (foldMap word8 (replicate n 7) <> word8 failing))
    result @?= Left (ErrorCall "value")
  out @?= S.replicate n 7

-- Known to throw, also where it is used.
failing :: Word8
failing = errorWithoutStackTrace "value"

-- The pipe is full. Meanwhile the collector runs, and other memory is allocated. The bytes must not
-- have been freed.
waiting :: Assertion
waiting = forM_ [200, 1500, 20000] $ \n -> do
  (r, w) <- createPipe
  hSetBinaryMode r True
  hSetBinaryMode w True
  hSetBuffering w NoBuffering
  let full = 65536
  S.hPut w (S.replicate full 1)
  result <- newEmptyMVar
  let line = foldMap word8 (replicate n 7) <> word8 failing
  _ <- forkIO (try (hPutBuilder w line) >>= putMVar result)
  threadDelay 20000
  performMajorGC
  others <- forM [1 .. 200] $ \i -> evaluate (S.replicate (n + i) 0xEE)
  out <- S.hGet r (full + n)
  takeMVar result >>= either (\e -> ErrorCall "value" @?= e) (\() -> assertFailure "no exception")
  assertBool ("size " ++ show n) (S.drop full out == S.replicate n 7)
  assertBool "alive" (all ((0xEE ==) . S.head) others)
  hClose w
  hClose r

-- The bound of a section is announced with its request. So the buffer grows to have it, and the
-- body is written where it will be handed over.
reserved :: Assertion
reserved = do
  begun <- newIORef nullPtr
  ends <- newIORef []
  let noted = atCursor (\p -> p <$ writeIORef begun p)
      body = noted <> foldMap word8 (replicate 4000 2)
  n <-
    toBufferIOWith 32768 (\p n -> modifyIORef ends ((p, n) :)) $
      word8 1 <> lengthPrefixedWithin 4000 (P.liftFixedToBounded P.word16BE) body
  n @?= 4003
  p <- readIORef begun
  readIORef ends >>= (@?= [(p `plusPtr` (-3), 4003)])

-- A value in the middle writes to another Handle. Any of the runs may have the kept buffer.
within :: Assertion
within = forM_ [1, 100, 600, 20000, 40000] $ \n ->
  replicateM_ 3 $ do
    box <- newIORef S.empty
    out <- written $ \h -> do
      let value = unsafePerformIO $ do
            inner <- written (\h' -> hPutBuilder h' (filled 2 n))
            67 <$ writeIORef box inner
          {-# NOINLINE value #-}
      hPutBuilder h (filled 1 n <> word8 value <> filled 3 n)
    inner <- readIORef box
    (inner == filledBytes 2 n, out == filledBytes 1 n <> "C" <> filledBytes 3 n) @?= (True, True)

-- Many bytes, one by one.
filled :: Word8 -> Int -> Builder
filled w n = foldMap word8 (replicate n w)

filledBytes :: Word8 -> Int -> S.ByteString
filledBytes w n = S.replicate n w

-- The run is resumed when others have used the kept buffer.
interruptedRun :: Assertion
interruptedRun = forM_ [1, 600, 20000] $ \n -> do
  hPutBuilder stdout mempty
  (entered, gate) <- (,) <$> newEmptyMVar <*> newEmptyMVar
  out <- written $ \h -> do
    let value = unsafePerformIO (tryPutMVar entered () >> readMVar gate)
        {-# NOINLINE value #-}
        run = unsafePerformIO (hPutBuilder h (filled 1 n <> word8 value <> filled 3 n))
        {-# NOINLINE run #-}
    t <- forkIO (evaluate run)
    takeMVar entered
    killThread t
    others <- replicateM 3 (written (\h' -> hPutBuilder h' (filled 2 n)))
    others @?= replicate 3 (filledBytes 2 n)
    putMVar gate 67
    evaluate run
  assertBool (show (S.length out)) (out == filledBytes 1 n <> "C" <> filledBytes 3 n)

severalThreads :: Assertion
severalThreads = do
  done <- forM [1 .. 8] $ \w -> do
    box <- newEmptyMVar
    _ <- forkIO $ do
      outs <- forM [0, 1, 500, 3000] $ \n -> do
        out <- written (\h -> replicateM_ 200 (hPutBuilder h (filled w n)))
        pure (out == filledBytes w (200 * n))
      putMVar box (and outs)
    pure box
  mapM takeMVar done >>= (@?= replicate 8 True)

-- A value at the end writes to the Handle itself. Nothing has come there before.
onePiece :: Assertion
onePiece = forM_ lengths $ \n ->
  forM_ (pieces (n - 1)) $ \before -> do
    out <- written $ \h -> do
      let value = unsafePerformIO (S.hPut h "inner" >> pure 65)
          {-# NOINLINE value #-}
      hPutBuilderLen h (before <> word8 value) >>= (@?= n)
    assertBool ("size " ++ show n) (out == "inner" <> S.replicate (n - 1) 66 <> "A")
  where
    lengths =
      [1, 2, 511, 512, 513, 514, 2047, 2048, 2049, 2050, 4096]
        ++ [8191, 8192, 8193, 20000, 32767, 32768]
    -- By bytes, and by strings of which the first one has many sizes.
    pieces n =
      [ foldMap word8 (replicate n 66),
        byteString (S.replicate (n `mod` 100) 66)
          <> mconcat (replicate (n `div` 100) (byteString (S.replicate 100 66)))
      ]
