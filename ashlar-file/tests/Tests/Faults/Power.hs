{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Faults.Power
-- Description : Power failures
--
-- A program writes to one file for some sessions, each of which appends or replaces it. The power
-- fails at some moment, what the disk has is read and appended to, and the program begins again.
module Tests.Faults.Power (tests, child, rowOf) where

import Ashlar.File
import Control.Exception (IOException, SomeException, try)
import Control.Monad (forM_, unless)
import qualified Data.ByteString as S
import qualified Data.List as List
import qualified Data.Map.Strict as Map
import Data.Maybe (catMaybes, fromMaybe, isJust, mapMaybe)
import qualified Data.Text as T
import System.Directory
import System.Environment (getEnvironment, getExecutablePath)
import System.Exit (ExitCode (..), exitFailure, exitSuccess)
import System.FilePath ((</>))
import System.IO
import System.Process
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Faults.Disk
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  withResource compiled removeFile $ \library ->
    adjustOption (\(QuickCheckTests n) -> QuickCheckTests (n `div` 5))
      . testProperty "a power failure: what was synced is read and appended to"
      $ forAllShrink (choose (1, 4) >>= vector) shrink $ \lives ->
        ioProperty (library >>= \l -> lived l lives)

-- The library that records what a program does.
compiled :: IO FilePath
compiled = do
  temporary <- getTemporaryDirectory
  (path, h) <- openTempFile temporary "faults.so"
  hClose h
  path <$ callProcess "gcc" ["-O1", "-shared", "-fPIC", "-o", path, "tests/faults/record.c", "-ldl"]

-- | From the start of the program to a power failure.
data Life = Life
  { lifeSessions :: [Session],
    -- | Which sync fails, if any.
    lifeFailingSync :: Maybe Int,
    lifeShort :: Bool,
    -- | Is the file written by the name of a link to it, in another folder?
    lifeLinked :: Bool,
    -- | The moment of the power failure, in thousandths of what the program does.
    lifeCut :: Int,
    -- | What chooses among the states that the disk may be in.
    lifeSeed :: Int
  }
  deriving stock (Show)

data Session = Session
  { sessionReplaces :: Bool,
    sessionBlock :: Int,
    sessionSteps :: [Step]
  }
  deriving stock (Read, Show)

data Step = Put Int | Flush | Sync
  deriving stock (Eq, Read, Show)

instance Arbitrary Life where
  arbitrary =
    Life
      <$> (choose (1, 3) >>= vector)
      <*> frequency [(4, pure Nothing), (1, Just <$> choose (1, 3))]
      <*> arbitrary
      <*> arbitrary
      <*> frequency [(4, choose (0, 1000)), (1, pure 1000)]
      <*> choose (0, 1000000)
  shrink life =
    [life {lifeSessions = ss} | ss <- shrink (lifeSessions life)]
      ++ [life {lifeFailingSync = Nothing} | isJust (lifeFailingSync life)]
      ++ [life {lifeShort = False} | lifeShort life]
      ++ [life {lifeLinked = False} | lifeLinked life]

instance Arbitrary Session where
  arbitrary = Session <$> ((== (0 :: Int)) <$> choose (0, 3)) <*> choose (1, 1500) <*> arbitrary
  shrink (Session r b steps) = [Session r b steps' | steps' <- shrink steps]

instance Arbitrary Step where
  arbitrary = frequency [(4, Put <$> choose (1, 30)), (1, pure Flush), (3, pure Sync)]
  shrink s = [Put 1 | s `notElem` [Put 1, Flush, Sync]]

-- | Which life and which session wrote a record.
type Writer' = (Int, Int)

rowOf :: Writer' -> Int -> Row
rowOf (life, k) i =
  Row i (T.replicate (i `mod` 50) (T.pack "x")) [fromIntegral life, fromIntegral k] Nothing

-- | The number of a record, and who wrote it. It must be as it was written.
keyOf :: Row -> Maybe (Int, Writer')
keyOf row = case rowNotes row of
  [life, k] | row == rowOf key (rowNumber row) -> Just (rowNumber row, key)
    where
      key = (fromIntegral life, fromIntegral k)
  _ -> Nothing

-- | What a file may have: records that must be there, and all that may.
data Expected = Expected {must, may :: Map.Map Int Writer'}
  deriving stock (Show)

-- | What the program does in a life: it says in 'marksFile' how far it is.
child :: [String] -> IO ()
child args = case args of
  [folder, path, life, sessions] ->
    withFile (folder </> marksFile) AppendMode $ \h -> do
      hSetBuffering h LineBuffering
      forM_ (zip [0 ..] (read sessions)) $ \(k, s) -> do
        ok <- session (hPutStrLn h . unwords) path (read life, k) s
        unless ok exitSuccess
  _ -> exitFailure

-- Does it go on after this session?
session :: ([String] -> IO ()) -> FilePath -> Writer' -> Session -> IO Bool
session mark path key (Session replaces block steps) = do
  there <- doesFileExist path
  size <- if there then getFileSize path else pure 0
  mark (if replaces && size > 0 then ["replace"] else ["append"])
  let with = if replaces then withWriter else withAppender
  done <- try . with defaultWriteOptions {writeBlockSize = block} rowType path $ \w -> do
    first <- written w
    mark ["from", show first]
    forM_ steps $ \s -> case s of
      Put n -> do
        i <- fromIntegral <$> written w
        writeMany w (map (rowOf key) [i .. i + n - 1])
      Flush -> flush w
      Sync -> do
        synced <- try (sync w)
        n <- written w
        mark (either (\e -> ["failed", show (e :: IOException)]) (const ["synced", show n]) synced)
  case done of
    Right () -> True <$ mark ["done"]
    Left e -> False <$ mark ["stopped", show (e :: IOException)]

-- What the file may be, given what it may have been, and what the program said.
expectedAfter :: Int -> [Session] -> [Expected] -> [String] -> [Expected]
expectedAfter life sessions old = go (zip [0 ..] sessions) False old . map words
  where
    go ss replacing es said = case (said, ss) of
      (["append"] : rest, _) -> go ss False es rest
      (["replace"] : rest, (k, s) : _) -> go ss True (whole k s : es) rest
      (["from", n] : rest, (k, s) : _)
        | replacing -> go ss True es rest
        | otherwise -> go ss False (map (adding (read n) k s) es) rest
      (["synced", n] : rest, _)
        | replacing -> go ss True es rest
        | otherwise -> go ss False (map (synced (read n)) es) rest
      (["done"] : rest, _ : ss') -> go ss' False (if replacing then take 1 es else es) rest
      (("failed" : _) : rest, _) -> go ss replacing es rest
      -- (The last line may be cut off.)
      _ -> es
    puts s = sum [n | Put n <- sessionSteps s]
    records first k s = Map.fromList [(i, (life, k)) | i <- [first .. first + puts s - 1]]
    whole k s = let rs = records 0 k s in Expected rs rs
    adding first k s e = e {may = Map.union (may e) (records first k s)}
    synced n e = e {must = Map.filterWithKey (\i _ -> i < n) (may e)}

lived :: FilePath -> [Life] -> IO Property
lived library lives = go 0 lives [] [Expected Map.empty Map.empty] True
  where
    go _ [] _ _ _ = pure (property True)
    go n (life : rest) files expected intact = do
      (left, said) <- run library n life files
      let expected' = expectedAfter n (lifeSessions life) expected said
      result <- afterwards n expected' intact left
      case result of
        Left failed ->
          pure
            . counterexample (unlines said)
            . counterexample (show (n, map (\e -> (Map.size (must e), Map.size (may e))) expected'))
            $ failed
        Right (bytes, rows, intact', refused) -> do
          let all' = Map.fromList rows
          classify refused "refused, and nothing had been synced"
            <$> go (n + 1) rest bytes [Expected all' all'] intact'

-- Let the program run on a disk with these files, until the power fails.
run ::
  FilePath ->
  Int ->
  Life ->
  [(FilePath, S.ByteString)] ->
  IO ([(FilePath, S.ByteString)], [String])
run library n life files = inDirectory $ \temporary -> do
  directory <- canonicalizePath temporary
  let folder = directory </> "folder"
      record = directory </> "record"
      link = directory </> "link"
      path = if lifeLinked life then link else folder </> "records"
  createDirectory folder
  createFileLink (folder </> "records") link
  forM_ files $ \(name, bytes) -> S.writeFile (folder </> name) bytes
  self <- getExecutablePath
  environment <- getEnvironment
  let settings =
        [("LD_PRELOAD", library), ("FAULTS_LOG", record), ("FAULTS_FOLDER", folder)]
          ++ [("FAULTS_SYNC", show k) | Just k <- [lifeFailingSync life]]
          ++ [("FAULTS_SHORT", "1") | lifeShort life]
  code <-
    withCreateProcess
      (proc self ["child", "power", folder, path, show n, show (lifeSessions life)])
        { env = Just (settings ++ environment)
        }
      (\_ _ _ p -> waitForProcess p)
  unless (code == ExitSuccess) $ fail ("the program ended with " ++ show code)
  entries <- readEntries <$> S.readFile record
  let cut = length entries * lifeCut life `div` 1000
      generated = do
        disk <- replay folder (diskWith files) (take cut entries)
        left <- powerFailure disk
        pure (left, marks disk)
  pure (unGen generated (mkQCGen (lifeSeed life)) 30)

-- Read what is left, and append to it. The result is the files, the records, whether it has no
-- damage before its tail, and whether appending was refused.
afterwards ::
  Int ->
  [Expected] ->
  Bool ->
  [(FilePath, S.ByteString)] ->
  IO (Either Property ([(FilePath, S.ByteString)], [(Int, Writer')], Bool, Bool))
afterwards life expected intact left = inDirectory $ \folder -> do
  forM_ left $ \(name, bytes) -> S.writeFile (folder </> name) bytes
  let path = folder </> "records"
      none = any (Map.null . must) expected
      fails why = pure (Left (counterexample why False))
  there <- doesFileExist path
  if not there
    then if none then pure (Right ([], [], True, False)) else fails "the file is gone"
    else do
      (rows, _) <- strictly . fst <$> resynced defaultReadOptions rowType path
      let some = everyNth (length rows `div` 8 + 1) rows
      (begins, damage) <- strictly <$> readAll defaultReadOptions rowType path
      single <-
        withReader defaultReadOptions {readResync = Just (const (pure ()))} rowType path $ \r ->
          mapM (readAt r . fromIntegral . rowNumber) some
      let keys = map keyOf rows
          found = Map.fromList (catMaybes keys)
          ascending = and (zipWith (<) (map rowNumber rows) (drop 1 (map rowNumber rows)))
          fits e = Map.isSubmapOf found (may e) && Map.isSubmapOf (must e) found
          required = minimum (map (Map.size . must) expected)
      appended <- try (appending path)
      after' <- strictly . fst <$> resynced defaultReadOptions rowType path
      now <- S.readFile path
      let new = map (rowOf (life, 999)) . take 3 . enumFrom
          failure
            | Nothing `elem` keys = Just "a wrong record"
            | not ascending = Just "not in order"
            | not (any fits expected) = Just ("missing, or mixed: " ++ show (length rows))
            | not (begins `List.isPrefixOf` rows) = Just "another beginning"
            | intact && length begins < required = Just "damage before what was synced"
            | not (null rows) && single /= Right (map (Right . Just) some) =
              Just ("single records: " ++ take 300 (show single))
            | otherwise = case appended of
              Right first
                | fst after' /= rows ++ new first ->
                  Just ("after appending: " ++ show (length rows, first, length (fst after')))
              Left e
                | not none -> Just ("appending: " ++ show (e :: SomeException))
                | now /= fromMaybe S.empty (lookup "records" left) -> Just "refused, and changed"
              _ -> Nothing
      case failure of
        Just why -> fails (why ++ "\n" ++ show (fmap damageCause damage))
        Nothing -> case appended of
          -- Who has synced nothing may remove it.
          Left _ -> pure (Right ([], [], True, True))
          Right _ -> do
            strict <- strictly <$> readAll defaultReadOptions rowType path
            let all' = mapMaybe keyOf (fst after')
            pure (Right ([("records", now)], all', null (snd strict), False))
  where
    everyNth n xs = case xs of
      [] -> []
      x : _ -> x : everyNth n (drop n xs)
    appending path = withAppender defaultWriteOptions rowType path $ \w -> do
      first <- fromIntegral <$> written w
      first <$ (writeMany w (map (rowOf (life, 999)) [first .. first + 2]) >> sync w)
