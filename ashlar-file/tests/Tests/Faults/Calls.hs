{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Faults.Calls
-- Description : System calls that fail
--
-- A program writes or reads, and strace lets one of its system calls fail, or one and all of the
-- same name after it.
module Tests.Faults.Calls (tests, child) where

import Ashlar.File
import Ashlar.File.Blocks
import Control.Exception (IOException, SomeException, catch, displayException, evaluate, try)
import Control.Monad (forM)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Either (isRight)
import Data.IORef (modifyIORef', newIORef, readIORef)
import qualified Data.List as List
import System.Directory (doesPathExist, listDirectory)
import System.Environment (getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..), exitFailure)
import System.FilePath (takeDirectory, (</>))
import System.Posix.Files (readSymbolicLink)
import System.Process
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Faults.Power (rowOf)
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "system calls that fail"
    [testProperty (show scenario) (once (allPoints scenario)) | scenario <- [minBound .. maxBound]]

data Scenario = New | Append | Patient | Replace | Fold | Single | Lazy
  deriving stock (Bounded, Enum, Eq, Read, Show)

-- | A call that fails: its name, which one of this name, if all after it fail, too, and the error.
data Point = Point String Int Bool String
  deriving stock (Show)

-- Every one if the environment has ASHLAR_FAULTS=all, and otherwise some of them.
allPoints :: Scenario -> Property
allPoints scenario = ioProperty $ do
  points <- pointsOf scenario
  wanted <- lookupEnv "ASHLAR_FAULTS"
  let chosen = if wanted == Just "all" then points else everyNth (length points `div` 15 + 1) points
  broken <- concat <$> mapM (failing scenario) chosen
  pure . label (show (length chosen) ++ " calls") . counterexample (unlines broken) $
    not (null chosen) && null broken
  where
    everyNth n xs = case drop (n - 1) xs of
      [] -> []
      x : rest -> x : everyNth n rest

-- The calls that the program makes between two marks.
pointsOf :: Scenario -> IO [Point]
pointsOf scenario = inDirectory $ \directory -> do
  prepared scenario directory
  (code, out, err) <- traced directory ["-e", "trace=%file,%desc"] scenario
  trace <- lines . C.unpack <$> S.readFile (directory </> "trace")
  let calls = map (takeWhile (/= '(')) trace
  case (code, List.findIndices (List.isInfixOf mark) trace) of
    (ExitSuccess, [from, to]) ->
      pure
        [ Point name n onwards e
          | name <- List.nub (take (to - from - 1) (drop (from + 1) calls)),
            name `notElem` ["mmap", "poll", "select"],
            n <-
              [ length (filter (== name) (take (i + 1) calls))
                | i <- [from + 1 .. to - 1],
                  calls !! i == name
              ],
            (e, onwards) <-
              [(e, False) | e <- ["EIO", "ENOSPC", "EINTR"]]
                ++ [("EIO", True) | name `elem` ["pwrite64", "ftruncate", "fsync", "fdatasync"]]
        ]
    _ -> fail (show code ++ out ++ err)

mark :: String
mark = "/faults/mark"

traced :: FilePath -> [String] -> Scenario -> IO (ExitCode, String, String)
traced directory options scenario = do
  self <- getExecutablePath
  let program = [self, "child", "calls", show scenario, directory </> "folder" </> "records"]
  readProcessWithExitCode
    "timeout"
    (["20", "strace", "-qq", "-o", directory </> "trace"] ++ options ++ program)
    ""

prepared :: Scenario -> FilePath -> IO ()
prepared scenario directory = do
  callProcess "mkdir" [directory </> "folder"]
  if scenario == New
    then pure ()
    else appendRecords rowType (directory </> "folder" </> "records") (rows 0 100)

rows :: Int -> Int -> [Row]
rows session n = map (rowOf (0, session)) [0 .. n - 1]

-- | What the program does, with a report: what it got, and each exception.
child :: [String] -> IO ()
child args = case args of
  [scenario, path] -> do
    report <- newIORef []
    _ <- doesPathExist mark
    let say line = modifyIORef' report (line :)
        attempt act = do
          r <- try act
          case r of
            Right x -> pure (Just x)
            Left e -> Nothing <$ say ("failed " ++ unwords (lines (told e)))
        told e = displayException (e :: SomeException)
    _ <- attempt (perform (read scenario) path say attempt)
    _ <- doesPathExist mark
    numbers <- listDirectory "/proc/self/fd"
    files <- forM numbers $ \n ->
      readSymbolicLink ("/proc/self/fd" </> n) `catch` gone
    readIORef report >>= mapM_ putStrLn . reverse
    mapM_ (putStrLn . ("open " ++)) (filter (takeDirectory path `List.isPrefixOf`) files)
  _ -> exitFailure
  where
    gone :: IOException -> IO FilePath
    gone _ = pure ""

perform ::
  Scenario -> FilePath -> (String -> IO ()) -> (IO () -> IO (Maybe ())) -> IO ()
perform scenario path say attempt = case scenario of
  New -> appending id
  Append -> appending id
  Patient -> appending (\act -> () <$ attempt act)
  Replace -> do
    withWriter options rowType path (`writeMany` rows 1 150)
    say "replaced"
  Fold -> do
    r <- foldRecords rowType path (\xs x -> pure (x : xs)) []
    right (fmap reverse r == Right (rows 0 100))
    n <- foldBlocks defaultReadOptions path counted 0
    right (n == Right 100)
  Single -> do
    r <- withReader defaultReadOptions rowType path $ \reader ->
      (,) <$> mapM (readAt reader) [0, 99, 50, 100] <*> recordCount reader
    right (r == Right (map (Right . Just . rowOf (0, 0)) [0, 99, 50] ++ [Right Nothing], 100))
  Lazy -> do
    r <- recordsToEither <$> lazyRecords defaultReadOptions rowType path
    right (r == Right (rows 0 100))
  where
    options = defaultWriteOptions {writeBlockSize = 1500}
    right ok = evaluate ok >>= \yes -> say (if yes then "right" else "wrong")
    counted n e = pure (case e of WholeBlock b -> n + blockCount (blockHeader b); _ -> n)
    appending careful = do
      withAppender options rowType path $ \w -> do
        let add = do
              i <- fromIntegral <$> written w
              writeMany w (map (rowOf (0, 0)) [i .. i + 59])
            synced = sync w >> written w >>= \n -> say ("synced " ++ show n)
        mapM_ careful [add, flush w, synced, add, synced, add]
        written w >>= \n -> say ("written " ++ show n)
      say "ended"

-- | Let this call fail. What was confirmed must be there afterwards, and the error must be told.
-- The result says what does not hold.
--
-- Threads of the runtime make calls, too, before the first mark, and not always as many. So it may
-- be another call that fails. Then the program runs again.
failing :: Scenario -> Point -> IO [String]
failing scenario point = attempts (20 :: Int)
  where
    attempts 0 = pure [show point ++ ": this call never failed"]
    attempts n = failingOnce scenario point >>= maybe (attempts (n - 1)) pure

-- 'failing', unless a call has failed that is not between the marks.
failingOnce :: Scenario -> Point -> IO (Maybe [String])
failingOnce scenario point@(Point name n onwards e) = inDirectory $ \directory -> do
  prepared scenario directory
  let folder = directory </> "folder"
      path = folder </> "records"
      injection = name ++ ":error=" ++ e ++ ":when=" ++ show n ++ (if onwards then "+" else "")
  (code, out, err) <-
    traced directory ["-e", "trace=%file,%desc", "-e", "inject=" ++ injection] scenario
  trace <- lines . C.unpack <$> S.readFile (directory </> "trace")
  names <- listDirectory folder
  later <- try (appendRecords rowType path (rows 2 3))
  (got, damage) <- strictly <$> readAll defaultReadOptions rowType path
  let said = map words (lines out)
      failures = [unwords what | "failed" : what <- said]
      confirmed = maximum (0 : [read k | ["synced", k] <- said])
      promised = maximum (0 : [read k | ["written", k] <- said])
      old = take (length got - 3) got
      ended = ["ended"] `elem` said
      checks =
        [ ("the program ended", code == ExitSuccess),
          -- (strace does not make a call that fails, so a file stays open if it is close.)
          ("files are closed", name == "close" || all ((/= ["open"]) . take 1) said),
          ("no other file", List.null (names List.\\ ["records"])),
          ("the error has a path", all (List.isInfixOf "/") failures),
          ("a later run appends", isRight (later :: Either SomeException ())),
          ("the file is whole", null damage && drop (length old) got == rows 2 3)
        ]
          ++ case scenario of
            Replace
              | ["replaced"] `elem` said -> [("the new records", old == rows 1 150)]
              | otherwise ->
                [ ("an error is told", not (null failures)),
                  ("the old records, or the new", old `elem` [rows 0 100, rows 1 150])
                ]
            _
              | scenario `elem` [New, Append, Patient] ->
                [ ("a beginning", old == rows 0 (length old)),
                  ("what was synced", length old >= confirmed),
                  ("what was there", scenario == New || length old >= 100),
                  ("all or an error", not (null failures) || (ended && length old == promised)),
                  ("an end or an error", ended || not (null failures))
                ]
              | otherwise ->
                [ ("nothing wrong", ["wrong"] `notElem` said),
                  ("all or an error", not (null failures) || ["right"] `elem` said),
                  ("unchanged", old == rows 0 100)
                ]
      wrong = [what | (what, ok) <- checks, not ok]
      found text = List.findIndices (List.isInfixOf text) trace
      between = case (found mark, found "(INJECTED)") of
        (from : to, first : _) -> from < first && all (first <) to
        _ -> False
  pure $
    if between
      then Just [show point ++ ": " ++ show wrong ++ "\n" ++ out ++ err | not (null wrong)]
      else Nothing
