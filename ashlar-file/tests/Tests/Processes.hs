{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Processes
-- Description : Writers that are killed, full disks, and many readers
--
-- The writers are other processes: this program, with the arguments @child@ and what to do.
module Tests.Processes (tests, child) where

import Ashlar.File
import Ashlar.File.Blocks
import Ashlar.Get (handleSource)
import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (IOException, bracket, finally, try)
import Control.Monad (forM, forM_, replicateM_, unless, void, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.Text as T
import System.Directory (doesFileExist, getFileSize)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..), exitWith)
import System.FilePath ((</>))
import System.IO (IOMode (ReadMode), withBinaryFile)
import System.IO.Unsafe (unsafePerformIO)
import System.Posix.Resource
import System.Posix.Signals (Handler (Ignore), installHandler, sigKILL, signalProcess)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "processes"
    [ testProperty "killed at any moment: all whole blocks are read, and appended to" (once killed),
      testProperty "one writes and many read: they see a beginning" (once manyReaders),
      testProperty "a writer takes the place of an index that was read" indexReplaced,
      testProperty "one writer at a time, also in one process" (once oneWriter),
      testProperty "a limit on the size: no whole block is lost" (once fullLimit),
      testProperty "a full disk: no whole block is lost" (once fullDisk),
      testProperty "many threads with one writer" (once manyThreads),
      testProperty "interrupted at any moment: whole records are written, in order" interrupted,
      testProperty "closing is interrupted while another thread writes" (once interruptedClose),
      testProperty "a file of 10 MB, in constant memory" (once constantMemory)
    ]

-- | What another process does.
child :: [String] -> IO ()
child args = case args of
  ["write", path, size] -> writeForever path (read size)
  ["limit", directory] -> underLimit directory
  ["disk", directory] -> onSmallDisk directory
  ["memory", directory] -> inLittleMemory directory
  _ -> exitWith (ExitFailure 3)

start :: [String] -> IO ProcessHandle
start args = do
  self <- getExecutablePath
  spawnProcess self ("child" : args)

-- The size of a file, if there is one.
sizeOf :: FilePath -> IO Integer
sizeOf path = doesFileExist path >>= \there -> if there then getFileSize path else pure 0

-- Wait until a file has 5,000 bytes more than that, for two minutes at most.
grown :: FilePath -> Integer -> IO ()
grown path size = void (timeout 120000000 wait)
  where
    wait = do
      now <- sizeOf path
      unless (now > size + 5000) (threadDelay 1000 >> wait)

-- The record with a number. Its size depends on the number.
rowOf :: Int64 -> Row
rowOf i = Row n (T.replicate (n `mod` 50) "x") [1 .. fromIntegral (n `mod` 7)] (Just (even n))
  where
    n = fromIntegral i

-- Records with ascending numbers, from that of the file's end on.
writeForever :: FilePath -> Int -> IO ()
writeForever path size =
  withAppender defaultWriteOptions {writeBlockSize = size} rowType path $ \w -> do
    n <- written w
    forM_ [n ..] $ \i -> do
      write w (rowOf i)
      when (i `mod` 97 == 0) (flush w)
      when (i `mod` 1009 == 0) (sync w)
      -- A file of some megabytes is enough.
      when (i > n + 20000) (threadDelay 1000000)

killWriter :: ProcessHandle -> IO ()
killWriter p = do
  pid <- getPid p
  forM_ pid (signalProcess sigKILL)
  void (waitForProcess p)

whole :: ReadOptions
whole = defaultReadOptions {readWholeTail = False}

killed :: Property
killed = withMaxSuccess 1 . ioProperty . inFile $ \path -> do
  let rounds n = forM [1 .. n :: Int] $ \i -> do
        size <- sizeOf path
        p <- start ["write", path, show (100 + 300 * (i `mod` 9))]
        -- The first rounds may end in the header. The others have records, however slow the
        -- machine.
        if i < 8
          then threadDelay (2500 * i)
          else grown path size >> threadDelay (3000 * (i `mod` 11))
        killWriter p
        there <- doesFileExist path
        if there then check i path else pure (property True)
  checks <- rounds 25
  appendRecords rowType path [rowOf (-1)]
  end <- readAll defaultReadOptions rowType path
  pure $
    conjoin checks .&&. case end of
      Ended n xs ->
        counterexample "no records" (n > 100)
          .&&. property (xs == map rowOf [0 .. n - 2] ++ [rowOf (-1)])
      other -> counterexample (take 1000 (show (snd (strictly other)))) False
  where
    check i path = do
      got <- readAll whole rowType path
      strict <- readAll defaultReadOptions rowType path
      n <- withReader defaultReadOptions rowType path recordCount
      size <- getFileSize path
      pure . counterexample ("round " ++ show i) $ case got of
        Ended k xs ->
          conjoin
            [ counterexample "records" (xs == map rowOf [0 .. k - 1]),
              counterexample "count" (n === Right k),
              case snd (strictly strict) of
                Nothing -> property True
                Just d -> case damageCause d of
                  Truncated _ _ -> property True
                  other -> counterexample (show other) False
            ]
        -- It was killed before it had written the header.
        other -> counterexample (take 1000 (show (snd (strictly other)))) (size == 0)

manyReaders :: Property
manyReaders = ioProperty . inFile $ \path -> do
  writeRecords rowType path []
  bracket (start ["write", path, "2000"]) killWriter $ \_ -> do
    readers <- forM [1 .. 3 :: Int] $ \_ -> do
      result <- newEmptyMVar
      _ <- forkIO (reader path >>= putMVar result)
      pure result
    conjoin <$> mapM takeMVar readers
  where
    reader path = do
      least <- newIORef 0
      results <- forM [1 .. 12 :: Int] $ \_ -> do
        threadDelay 3000
        got <- foldRecordsWith whole rowType path next 0 :: IO (Outcome Int64 Int64)
        before <- readIORef least
        single <- withReader whole rowType path $ \r -> do
          n <- recordCount r
          (,,) n <$> readAt r (n - 1) <*> readAt r (n `div` 2)
        pure' <- case got of
          Ended n m -> writeIORef least n >> pure (n === m .&&. property (n >= before))
          other -> pure (counterexample (show other) False)
        pure $
          pure' .&&. case single of
            Right (n, Right x, Right y)
              | n > 0 -> x === Just (rowOf (n - 1)) .&&. y === Just (rowOf (n `div` 2))
              | otherwise -> property True
            other -> counterexample (show other) False
      pure (conjoin results)
    next n x = pure (if x == rowOf n then Right (n + 1) else Left n)

-- A writer opens the file when a reader has passed over the index at its end. The reader finds what
-- is in the index's place, be it nothing, a part of a block, or as many bytes as the index had.
indexReplaced :: NonNegative (Small Int64) -> NonNegative (Small Int64) -> Positive Int -> Property
indexReplaced (NonNegative (Small n)) (NonNegative (Small m)) (Positive size) =
  ioProperty . inFile $ \path -> do
    let options = defaultWriteOptions {writeBlockSize = 30 * size}
        rows = map rowOf [n .. n + m - 1]
        -- The appender stays open until the fold has ended.
        fold append =
          foldBlocks defaultReadOptions path (\acc e -> (e : acc) <$ indexRead append e) []
        indexRead append e = case e of
          WholeBlock b | blockKind (blockHeader b) == Index -> append
          _ -> pure ()
        counted blocks = sum [blockCount (blockHeader b) | WholeBlock b <- blocks]
    withWriter options rowType path (\w -> mapM_ (write w . rowOf) [0 .. n - 1])
    once' <- newIORef True
    held <- newEmptyMVar
    ended <- newEmptyMVar
    let appendOnce = do
          first <- readIORef once'
          when first $ do
            writeIORef once' False
            _ <- forkIO $ do
              withAppender options rowType path $ \w -> do
                mapM_ (write w) rows
                flush w
                putMVar held ()
                takeMVar ended
              putMVar held ()
            takeMVar held
    open <- fold appendOnce
    -- The number of records does not become smaller by the index.
    single <- withReader defaultReadOptions rowType path $ \r ->
      (,) <$> recordCount r <*> readAt r (n + m)
    putMVar ended ()
    takeMVar held
    closed <- fold (pure ())
    pure $
      fmap counted open === Right (fromIntegral (n + m))
        .&&. fmap counted closed === Right (fromIntegral (n + m))
        .&&. single === Right (n + m, Right Nothing)

oneWriter :: Property
oneWriter = ioProperty . inFile $ \path -> do
  inside <- withWriter defaultWriteOptions rowType path $ \w -> do
    write w (rowOf 0)
    a <- try (appendRecords rowType path [rowOf 9])
    b <- try (writeRecords rowType path [rowOf 9])
    flush w
    -- Nobody else has changed it, and it can be read.
    got <- readAll defaultReadOptions rowType path
    pure (a, b, got)
  afterwards <- try (appendRecords rowType path [rowOf 1])
  size <- sizeOf path
  p <- start ["write", path, "100"]
  -- It has opened the file.
  other <- (grown path size >> try (appendRecords rowType path [])) `finally` killWriter p
  pure $
    inside === (Left (FileLocked path), Left (FileLocked path), Ended 1 [rowOf 0])
      .&&. afterwards === (Right () :: Either FileLocked ())
      .&&. other === (Left (FileLocked path) :: Either FileLocked ())

-- The child says by its exit code what it found.
fullLimit :: Property
fullLimit = ioProperty . inDirectory $ \directory -> do
  code <- start ["limit", directory] >>= waitForProcess
  pure (code === ExitSuccess)

-- The same, on a small disk of its own. To mount it takes root, or a namespace of users.
fullDisk :: Property
fullDisk = ioProperty . inDirectory $ \directory -> do
  self <- getExecutablePath
  let unshared how command =
        readProcessWithExitCode "unshare" ("--mount" : how ++ ["sh", "-c", mounted command]) ""
      mounted command =
        "mount -t tmpfs -o size=300k tmpfs '" ++ directory ++ "' || exit; "
          ++ command
          ++ "; code=$?; umount '"
          ++ directory
          ++ "'; exit $code"
      withFirst [] refused =
        pure (counterexample ("a tmpfs takes root or a user namespace:\n" ++ refused) False)
      withFirst (how : others) _ = do
        (can, _, refused) <- unshared how "true"
        case can of
          ExitFailure _ -> withFirst others refused
          ExitSuccess -> do
            let command = "'" ++ self ++ "' child disk '" ++ directory ++ "'"
            (code, out, err) <- unshared how command
            pure (counterexample (out ++ err) (code === ExitSuccess))
  -- The last one is for a chroot, whose root is no mount point.
  withFirst [[], ["--map-root-user"], ["--propagation", "unchanged"]] ""

-- No file may have more than 200 KB. Later, there is no such limit.
underLimit :: FilePath -> IO ()
underLimit directory = do
  -- SIGXFSZ.
  _ <- installHandler 25 Ignore Nothing
  limits <- getResourceLimit ResourceFileSize
  setResourceLimit ResourceFileSize limits {softLimit = ResourceLimit 200000}
  fillUp (directory </> "records") (setResourceLimit ResourceFileSize limits)

onSmallDisk :: FilePath -> IO ()
onSmallDisk directory = do
  let filler = directory </> "filler"
  S.writeFile filler (S.replicate 100000 0)
  fillUp (directory </> "records") (S.writeFile filler "")

-- Write until there is no space left. Make space, and go on.
fillUp :: FilePath -> IO () -> IO ()
fillUp path makeSpace = do
  let options = defaultWriteOptions {writeBlockSize = 3000}
  n <- withAppender options rowType path $ \w -> do
    first <- writeUntilFull w 0
    -- It fails again, and nothing is lost.
    second <- writeUntilFull w first
    third <- written w
    check 1 (first == third && second == first)
    onDisk <- readAll defaultReadOptions rowType path
    check 2 $ case onDisk of
      Ended k xs -> k <= first && k > first - 300 && k > 500 && xs == map rowOf [0 .. k - 1]
      _ -> False
    makeSpace
    writeMany w (map rowOf [first .. first + 99])
    pure (first + 100)
  got <- readAll defaultReadOptions rowType path
  check 3 (got == Ended n (map rowOf [0 .. n - 1]))
  where
    check code ok = unless ok (exitWith (ExitFailure code))
    writeUntilFull w i = do
      r <- try (write w (rowOf i))
      case r of
        Right () -> writeUntilFull w (i + 1)
        Left e -> i <$ void (pure (e :: IOException))

manyThreads :: Property
manyThreads = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 300}
  withWriter options rowType path $ \w -> do
    dones <- forM [0 .. 3] $ \t -> do
      done <- newEmptyMVar
      _ <- forkIO $ do
        forM_ [0 .. 499] $ \i -> write w (rowOf (1000 * t + i))
        putMVar done ()
      pure done
    replicateM_ 20 (flush w)
    mapM_ takeMVar dones
  got <- readAll defaultReadOptions rowType path
  pure $ case got of
    Ended 2000 xs ->
      conjoin
        [ property ([x | x <- xs, rowNumber x `div` 1000 == t] == map rowOf (numbers t))
          | t <- [0 .. 3]
        ]
    other -> counterexample (take 300 (show other)) False
  where
    numbers t = [fromIntegral (1000 * t) .. fromIntegral (1000 * t + 499)]

-- After each interruption, the writer says which record comes next.
interrupted :: [NonNegative Int] -> Property
interrupted waits = withMaxSuccess 30 . ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 1000}
  n <- withWriter options rowType path $ \w -> do
    forM_ waits $ \(NonNegative k) -> do
      next <- written w
      void (timeout (20 * k) (writeMany w (map rowOf [next ..])))
      after' <- written w
      void (timeout k (write w (rowOf after')))
    written w
  got <- readAll defaultReadOptions rowType path
  pure $ case got of
    Ended m xs -> m === n .&&. property (xs == map rowOf [0 .. n - 1])
    other -> counterexample (take 1000 (show (snd (strictly other)))) False

-- The file stays locked while the thread writes, and is closed after it.
interruptedClose :: Property
interruptedClose = ioProperty . inFile $ \path -> do
  begun <- newEmptyMVar
  gate <- newEmptyMVar
  ended <- newEmptyMVar
  let text = unsafePerformIO ("text" <$ (putMVar begun () >> takeMVar gate))
  closed <- timeout 20000 . withWriter defaultWriteOptions rowType path $ \w -> do
    _ <- forkIO (write w (Row 0 text [] Nothing) `finally` putMVar ended ())
    takeMVar begun
  busy <- try (appendRecords rowType path [rowOf 1])
  putMVar gate ()
  takeMVar ended
  free <- soon (1000 :: Int) (appendRecords rowType path [rowOf 1])
  pure $
    conjoin
      [ closed === Nothing,
        property (either (const True) (const False) (busy :: Either FileLocked ())),
        property free
      ]
  where
    soon n act =
      try act >>= \r -> case r of
        Right () -> pure True
        Left (_ :: FileLocked)
          | n == 0 -> pure False
          | otherwise -> threadDelay 10000 >> soon (n - 1) act

-- The child has a heap of 6 MB.
constantMemory :: Property
constantMemory = ioProperty . inDirectory $ \directory -> do
  self <- getExecutablePath
  p <- spawnProcess self ["child", "memory", directory, "+RTS", "-M6m", "-A1m"]
  code <- waitForProcess p
  pure (code === ExitSuccess)

inLittleMemory :: FilePath -> IO ()
inLittleMemory directory = do
  let path = directory </> "records"
      n = 100000 :: Int64
      large i = Row (fromIntegral i) "some text of a few words, which is always the same" [] Nothing
      right i x = pure (if x == large i then Right (i + 1) else Left i)
      ended outcome = outcome == Ended n (n :: Int64)
  writeRecords rowType path (map large [0 .. n - 1])
  folded <- foldRecordsWith defaultReadOptions rowType path right 0
  unless (ended folded) (exitWith (ExitFailure 1))
  fromSource <- withBinaryFile path ReadMode $ \h -> do
    source <- handleSource h
    foldSourceWith defaultReadOptions rowType path source right 0
  unless (ended fromSource) (exitWith (ExitFailure 2))
  stream <- lazyRecords defaultReadOptions rowType path
  let go !i s = case s of
        NextRecord x rest -> if x == large i then go (i + 1) rest else i
        _ -> i
  unless (go 0 stream == n) (exitWith (ExitFailure 3))
