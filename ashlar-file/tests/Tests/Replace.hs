{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Replace
-- Description : Files that are replaced, and readers of files that others change
module Tests.Replace (tests) where

import Ashlar.File
import Ashlar.File.Blocks (Event (..), blockHeader, foldBlocks)
import qualified Ashlar.File.Blocks as Blocks
import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (ErrorCall (..), IOException, SomeException, evaluate, throwIO, try)
import Control.Monad (forM, replicateM_, void, when)
import qualified Data.ByteString as S
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Maybe (fromMaybe)
import GHC.IO.Encoding (setFileSystemEncoding, utf8)
import System.Directory (createDirectory, listDirectory, renameFile)
import System.FilePath ((</>))
import System.IO (IOMode (ReadWriteMode), withBinaryFile)
import System.Posix.Files
import System.Posix.User (getEffectiveUserID)
import System.Process (spawnProcess, waitForProcess)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "replacing"
    [ testProperty "an exception in the middle leaves the old file and no other" (once exception),
      testProperty "an interruption leaves the old file and no other" (once interrupted),
      testProperty "a limit on the size leaves the old file" (once refusedHeader),
      testProperty "the old file is read until the new one is whole" (once untilWhole),
      testProperty "mode and owner are kept" (once modeKept),
      testProperty "a symbolic link stays, and what it refers to is replaced" (once linkFollowed),
      testProperty "another name keeps the old file" (once otherName),
      testProperty "names of the longest that there may be" (once longName),
      testProperty "an old file is locked while it is replaced" (once locked),
      testProperty "some append while another replaces: the file is always whole" (once appenders),
      testProperty "a file that comes to be before it is opened is not cut off" (once comesToBe),
      testProperty "in place: the file stays the same one" (once inPlace),
      testProperty "an empty file is written directly" (once emptyFile),
      testProperty "a FIFO is written directly" (once fifo),
      testProperty "who waits for the reader of a FIFO can be interrupted" (once fifoInterrupted),
      testProperty "/dev/full throws, and /dev/null does not" (once devices),
      testProperty "a reader never answers Right with a mixture: in place" (mixture replaceInPlace),
      testProperty "a reader never answers Right with a mixture: beside" (mixture replaceBeside),
      testProperty "a reader never answers Right with a mixture: cut off" (mixture cutOff),
      testProperty "a reader of a file that grows sees a beginning" (mixture grow)
    ]

numbers :: RecordType Int64
numbers = fixedType "numbers"

allOf :: FilePath -> IO (Outcome () [Int64])
allOf = readAll defaultReadOptions numbers

alone :: FilePath -> FilePath -> IO Property
alone directory path = do
  names <- listDirectory directory
  pure (map (directory </>) names === [path])

withOld :: (FilePath -> FilePath -> IO Property) -> Property
withOld act = ioProperty . inDirectory $ \directory -> do
  let path = directory </> "records"
  writeRecords numbers path [1 .. 5000]
  act directory path

old :: Outcome () [Int64]
old = Ended 5000 [1 .. 5000]

exception :: Property
exception = withOld $ \directory path -> do
  a <- try (writeRecords numbers path ([7 .. 9000] ++ error "stop"))
  b <- try (withWriter defaultWriteOptions numbers path (\w -> write w 1 >> sync w >> fail "no"))
  got <- allOf path
  none <- alone directory path
  pure $
    conjoin
      [ either (\(ErrorCall m) -> m) (const "") a === "stop",
        property (either (\(_ :: IOException) -> True) (\() -> False) b),
        got === old,
        none
      ]

interrupted :: Property
interrupted = withOld $ \directory path -> do
  rs <- forM [0, 100, 1000, 5000] $ \n -> timeout n (writeRecords numbers path [1 ..])
  got <- allOf path
  none <- alone directory path
  pure (rs === map (const Nothing) rs .&&. got === old .&&. none)

-- The header would have more than 16 MiB.
refusedHeader :: Property
refusedHeader = withOld $ \directory path -> do
  r <- try (writeRecords numbers {typeSchema = S.replicate 16777216 0} path [1])
  got <- allOf path
  none <- alone directory path
  pure (either (\(_ :: Damage) -> True) (const False) r .&&. got === old .&&. none)

untilWhole :: Property
untilWhole = withOld $ \directory path -> do
  withReader
    defaultReadOptions
    numbers
    path
    ( \r -> do
        during <- withWriter defaultWriteOptions numbers path $ \w -> do
          writeMany w [10 .. 20]
          sync w
          allOf path
        after' <- allOf path
        -- The reader has the old file.
        n <- recordCount r
        x <- readAt r 4999
        none <- alone directory path
        pure $
          conjoin
            [ during === old,
              after' === Ended 11 [10 .. 20],
              (n, x) === (5000, Right (Just 5000)),
              none
            ]
    )
    >>= either (\d -> pure (counterexample (show d) False)) pure

modeKept :: Property
modeKept = withOld $ \_ path -> do
  user <- getEffectiveUserID
  setFileMode path 0o640
  -- Only root may give files away.
  when (user == 0) $ setOwnerAndGroup path 12345 23456 >> setFileMode path 0o4640
  before <- getFileStatus path
  writeRecords numbers path [1]
  after' <- getFileStatus path
  let like s = (fileMode s `intersectFileModes` 0o7777, fileOwner s, fileGroup s)
  pure (like after' === like before .&&. property (fileID after' /= fileID before))

linkFollowed :: Property
linkFollowed = withOld $ \directory path -> do
  createDirectory (directory </> "d")
  let link = directory </> "d" </> "link"
      second = directory </> "d" </> "second"
      dangling = directory </> "d" </> "dangling"
  createSymbolicLink "../records" link
  createSymbolicLink "link" second
  createSymbolicLink "new" dangling
  writeRecords numbers second [1]
  writeRecords numbers dangling [2]
  links <- mapM (fmap isSymbolicLink . getSymbolicLinkStatus) [link, second, dangling]
  got <- mapM allOf [path, link, second, directory </> "d" </> "new"]
  inside <- listDirectory (directory </> "d")
  pure $
    links === [True, True, True]
      .&&. got === [Ended 1 [1], Ended 1 [1], Ended 1 [1], Ended 1 [2]]
      .&&. List.sort inside === ["dangling", "link", "new", "second"]

otherName :: Property
otherName = withOld $ \directory path -> do
  let other = directory </> "other"
  createLink path other
  writeRecords numbers path [1]
  got <- mapM allOf [path, other]
  withWriter defaultWriteOptions {writeInPlace = True} numbers other (`write` 2)
  createLink other (directory </> "third")
  withWriter defaultWriteOptions {writeInPlace = True} numbers other (`write` 3)
  both <- mapM allOf [other, directory </> "third"]
  pure (got === [Ended 1 [1], old] .&&. both === [Ended 1 [3], Ended 1 [3]])

longName :: Property
longName = ioProperty . inDirectory $ \directory -> do
  -- (A character of four bytes.)
  setFileSystemEncoding utf8
  got <- forM [replicate 255 'x', replicate 63 '\x1F600'] $ \name -> do
    let path = directory </> name
    writeRecords numbers path [1]
    writeRecords numbers path [2]
    allOf path
  pure (got === [Ended 1 [2], Ended 1 [2]])

locked :: Property
locked = withOld $ \_ path -> do
  r <- withWriter defaultWriteOptions numbers path $ \w -> do
    write w 1
    a <- try (appendRecords numbers path [1])
    b <- try (writeRecords numbers path [1])
    pure (a, b)
  free <- try (appendRecords numbers path [2])
  inside <-
    withAppender defaultWriteOptions numbers path $ \_ -> try (writeRecords numbers path [1])
  got <- allOf path
  pure $
    conjoin
      [ r === (Left (FileLocked path), Left (FileLocked path)),
        free === (Right () :: Either FileLocked ()),
        inside === Left (FileLocked path),
        got === Ended 2 [1, 2]
      ]

-- Some threads append, and one replaces the file. What has the name is always a whole file.
appenders :: Property
appenders = withOld $ \_ path -> do
  dones <- forM [1 .. 3 :: Int64] $ \i -> do
    done <- newEmptyMVar
    _ <- forkIO $ do
      ns <- forM [1 .. 60 :: Int64] $ \k -> do
        r <- try (appendRecords numbers path [i * 1000 + k])
        case r of
          Right () -> do
            got <- allOf path
            pure (Just (either' got))
          Left (FileLocked _) -> pure Nothing
      putMVar done ns
    pure done
  replicateM_ 60 . void $ (try (writeRecords numbers path [1 .. 10]) :: IO (Either FileLocked ()))
  results <- mapM takeMVar dones
  final <- allOf path
  pure (property (all (fromMaybe True) (concat results)) .&&. property (either' final))
  where
    either' outcome = case outcome of
      Ended _ (x : _) -> x == 1
      _ -> False

-- The writer finds a FIFO, and waits for its reader. Then another writer's file has the name.
comesToBe :: Property
comesToBe = ioProperty . inDirectory $ \directory -> do
  let path = directory </> "records"
      other = directory </> "other"
  createNamedPipe path 0o600
  writeRecords numbers other [1 .. 5000]
  during <- newEmptyMVar
  done <- newEmptyMVar
  _ <- forkIO $ do
    r <- try . withWriter defaultWriteOptions numbers path $ \w -> do
      writeMany w [7 .. 9000]
      allOf path >>= putMVar during
      fail "no"
    putMVar done (either (\(_ :: IOException) -> True) (\() -> False) r)
  threadDelay 50000
  renameFile other path
  seen <- takeMVar during
  failed <- takeMVar done
  got <- allOf path
  none <- alone directory path
  pure ((failed, seen, got) === (True, old, old) .&&. none)

inPlace :: Property
inPlace = withOld $ \_ path -> do
  before <- getFileStatus path
  withWriter defaultWriteOptions {writeInPlace = True} numbers path (`writeMany` [1 .. 9])
  after' <- getFileStatus path
  got <- allOf path
  r <- try . withWriter defaultWriteOptions {writeInPlace = True} numbers path $ \w ->
    writeMany w [4, 5] >> fail "no"
  left <- allOf path
  pure $
    conjoin
      [ fileID after' === fileID before,
        got === Ended 9 [1 .. 9],
        property (either (\(_ :: IOException) -> True) (\() -> False) r),
        left === Ended 2 [4, 5]
      ]

emptyFile :: Property
emptyFile = ioProperty . inFile $ \path -> do
  S.writeFile path ""
  before <- getFileStatus path
  writeRecords numbers path [1]
  after' <- getFileStatus path
  got <- allOf path
  pure (fileID after' === fileID before .&&. got === Ended 1 [1])

fifo :: Property
fifo = ioProperty . inDirectory $ \directory -> do
  let path = directory </> "fifo"
      copy = directory </> "copy"
  createNamedPipe path 0o600
  rs <- forM [writeRecords numbers path, appendRecords numbers path] $ \put -> do
    reader <- spawnProcess "sh" ["-c", "cat \"$0\" > \"$1\"", path, copy]
    put [1 .. 100000]
    _ <- waitForProcess reader
    allOf copy
  status <- getFileStatus path
  pure (rs === replicate 2 (Ended 100000 [1 .. 100000]) .&&. isNamedPipe status)

devices :: Property
devices = ioProperty $ do
  full <- try (writeRecords numbers "/dev/full" [1 .. 10])
  appended <- try (appendRecords numbers "/dev/full" [1])
  none <- try (writeRecords numbers "/dev/null" [1 .. 10])
  let threw r = property (either (\(_ :: IOException) -> True) (\() -> False) r)
  pure $
    threw full
      .&&. threw appended
      .&&. either (\(e :: IOException) -> show e) show none === "()"

-- What happens to a file while it is read: given its path, and a number that differs each time. The
-- records of version v are v * 1000000 and so on: 'replacing' is how many such files there may be.
type Change = FilePath -> Int64 -> IO ()

replaceInPlace, replaceBeside, cutOff, grow :: Change
replaceInPlace path v =
  withWriter defaultWriteOptions {writeInPlace = True, writeBlockSize = 800} numbers path $ \w ->
    writeMany w (version v)
replaceBeside path v =
  withWriter defaultWriteOptions {writeBlockSize = 800} numbers path (`writeMany` version v)
cutOff path v = do
  size <- fileSize <$> getFileStatus path
  let now = fromIntegral size :: Int64
  setFileSize path (fromIntegral ((now * 7 + v * 131) `mod` (now + 1)))
  when (v `mod` 3 == 0) $ replaceInPlace path v
grow path v = do
  r <- withReader defaultReadOptions {readWholeTail = False} numbers path recordCount
  let first = either (const 0) id r
  withAppender defaultWriteOptions {writeBlockSize = 800} numbers path $ \w ->
    writeMany w [first .. first + 50 + 13 * v]

-- 20 to 3,000 records.
version :: Int64 -> [Int64]
version v = [v * 1000000 .. v * 1000000 + 20 + ((v + 1) * 7919) `mod` 3000]

-- The change is made after a reader has read some records, and again. (A file grows by as many
-- records as the version says, so that is small.)
mixture :: Change -> Positive (Small Int64) -> NonNegative Int -> Property
mixture change (Positive (Small v)) (NonNegative k) =
  withMaxSuccess 12 . ioProperty . inFile $ \path -> do
    let fresh = replaceInPlace path 0
        options = defaultReadOptions
        wait = k * 37 `mod` 900 `div` (if even k then 1 else 50)
        changing changed = do
          seen <- readIORef changed
          -- (A block is read at once: foldBlocks has some hundred for 3,000 records.)
          when (seen == wait || seen == wait + 101) $ change path (v + fromIntegral seen)
          writeIORef changed (seen + 1)
        step changed acc x = Right (x : acc) <$ changing changed
        -- What was read, and what the file has afterwards.
        folded how = do
          fresh
          changed <- newIORef (0 :: Int)
          result <- how changed
          (,) result . fst . strictly <$> allOf path
        with how = folded (\c -> foldRecordsWith how numbers path (step c) [])
    fold <- with options
    resync <- with options {readResync = Just (const (pure ()))}
    lenient <- with options {readWholeTail = False}
    strict <- folded (\c -> foldRecords numbers path (\acc x -> (x : acc) <$ changing c) [])
    blocks <- folded (\c -> foldBlocks options path (\acc e -> (e : acc) <$ changing c) [])
    fresh
    stream <- lazyRecords options numbers path
    some <- evaluate (takeSome wait stream)
    change path v
    rest <- evaluate (recordsToEither stream)
    afterLazy <- fst . strictly <$> allOf path
    single <- do
      fresh
      withReader options numbers path $ \r -> do
        first <- forM [0, fromIntegral wait, 3] (readAt r)
        change path v
        later <- forM [0 .. 3200] (readAt r)
        n <- try (recordCount r)
        pure (first ++ later, n :: Either Damage Int64)
    let whole (outcome, now) = case (outcome :: Outcome () [Int64]) of
          Ended n xs -> oneOf now (reverse xs) .&&. n === List.genericLength xs
          _ -> property True
        -- All of the old file, or all that the file has now.
        oneOf now xs = counterexample (show (take 3 xs, length xs)) (xs == version 0 || xs == now)
        size now events =
          sum [Blocks.blockCount (blockHeader b) | WholeBlock b <- events]
            `elem` [length (version 0), length now]
    pure $
      conjoin
        [ counterexample "fold" (whole fold),
          counterexample "resync" (property (notMixed (fst resync))),
          counterexample "lenient" (whole lenient),
          counterexample "strict" $
            either (const (property True)) (oneOf (snd strict) . reverse) (fst strict),
          counterexample "blocks" $
            either
              (const (property True))
              ( \events ->
                  property (oneMarker events && (any isLost events || size (snd blocks) events))
              )
              (fst blocks),
          counterexample "lazy" $
            property (some <= wait) .&&. either (const (property True)) (oneOf afterLazy) rest,
          counterexample "single" $ case single of
            Left _ -> property True
            Right (found, _) ->
              let xs = [x | Right (Just x) <- found]
               in property (length (List.nub (map (`div` 1000000) xs)) <= 1)
        ]
  where
    -- What is reported as lost is missing.
    notMixed outcome = case (outcome :: Outcome () [Int64]) of
      Ended _ xs -> length (List.nub (map (`div` 1000000) xs)) <= 1
      _ -> True
    isLost event = case event of
      LostBlocks _ -> True
      _ -> False
    oneMarker events =
      length (List.nub [Blocks.blockMarker (blockHeader b) | WholeBlock b <- events]) <= 1
    takeSome n stream = case stream of
      NextRecord _ rest | n > 0 -> 1 + takeSome (n - 1) rest
      _ -> 0 :: Int

fifoInterrupted :: Property
fifoInterrupted = ioProperty . inDirectory $ \directory -> do
  let path = directory </> "fifo"
  createNamedPipe path 0o600
  nobody <- timeout 50000 (writeRecords numbers path [1])
  -- A reader that does not read.
  withBinaryFile path ReadWriteMode $ \h -> do
    outcome <- newEmptyMVar
    full <- timeout 200000 . withWriter defaultWriteOptions numbers path $ \w -> do
      stopped <- try (writeMany w [1 ..])
      late <- try (write w 1 >> flush w)
      putMVar outcome (late :: Either IOException ())
      either (throwIO :: SomeException -> IO ()) pure stopped
    late <- takeMVar outcome
    arrived <- S.hGetNonBlocking h 1000000
    pure . conjoin $
      [ (nobody, full) === (Nothing, Nothing),
        counterexample (show late) (either (const True) (const False) late),
        -- What a pipe takes, of which the last block is not whole.
        counterexample (show (S.length arrived)) (S.length arrived >= 4096)
      ]
