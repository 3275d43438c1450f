-- |
-- Module      : Tests.Targets
-- Description : The files that are written, and limits of those that are read
module Tests.Targets (tests) where

import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Control.Monad (forM_)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.List (isInfixOf, sort)
import qualified Data.Text as T
import System.Directory (listDirectory)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Posix.Files
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Run

tests :: TestTree
tests =
  testGroup
    "targets"
    [ testCase "a file is replaced as a whole, or not at all" replaced,
      testCase "permissions and symbolic links stay" kept,
      testCase "what is no file is not replaced" devices,
      testCase "a file that is being written is not replaced" locked,
      testCase "limits of blocks" limited
    ]

numbers :: FilePath -> [Int64] -> IO ()
numbers = writeRecords described

-- A file, another one, and the other one with its last block damaged.
withFiles :: (FilePath -> FilePath -> FilePath -> FilePath -> IO ()) -> Assertion
withFiles act = inFolder $ \folder -> do
  let (old, new, broken) = (folder </> "old", folder </> "new", folder </> "broken")
  numbers old [1, 2]
  numbers new [3 .. 100]
  withWriter defaultWriteOptions {writeBlockSize = 64} described broken $ \w ->
    writeMany w [1 .. 98 :: Int64]
  bytes <- B.readFile broken
  B.writeFile broken (B.take (B.length bytes - 1) bytes <> B.pack [B.last bytes + 1])
  act folder old new broken

replaced :: Assertion
replaced = withFiles $ \folder old new broken -> do
  before <- B.readFile old
  names <- sort <$> listDirectory folder
  forM_ [["cat", broken], ["split", broken, "--records", "10"]] $ \command -> do
    Outcome code _ _ <- ashlar folder (command ++ ["--force", "-o", old])
    code @?= ExitFailure 1
    B.readFile old >>= (@?= before)
  -- What split had before the damage is there.
  rest <- filter (`notElem` [".out", ".err"]) <$> listDirectory folder
  filter (`notElem` names) (sort rest)
    @?= ["old.00" ++ drop 1 (show (100 + i)) | i <- [1 .. 10 :: Int]]
  shown <- printed (ashlar folder ["show", new])
  ashlar folder ["cat", new, "--force", "-o", old] `gives` (0, [], [])
  printed (ashlar folder ["show", old]) >>= (@?= shown)
  repaired <- ashlar folder ["repair", broken, "--force", "-o", old]
  outcomeCode repaired @?= ExitFailure 1
  left <- listDirectory folder
  filter (`notElem` [".out", ".err"]) (sort left) @?= sort rest

kept :: Assertion
kept = withFiles $ \folder old new _ -> do
  let link = folder </> "link"
  setFileMode old 384
  createSymbolicLink old link
  shown <- printed (ashlar folder ["show", new])
  ashlar folder ["cat", new, "--force", "-o", link] `gives` (0, [], [])
  printed (ashlar folder ["show", old]) >>= (@?= shown)
  mode <- fileMode <$> getFileStatus old
  intersectFileModes mode accessModes @?= 384
  status <- getSymbolicLinkStatus link
  isSymbolicLink status @?= True

devices :: Assertion
devices = withFiles $ \folder _ new _ -> do
  ashlar folder ["cat", new, "--force", "-o", "/dev/null"]
    `gives` (2, [], ["ashlar: /dev/null: is not a regular file; say -o - for the standard output"])
  Outcome code _ _ <- ashlar folder ["cat", new, "--force", "-o", folder]
  code @?= ExitFailure 2

locked :: Assertion
locked = withFiles $ \folder old new _ -> do
  withAppender defaultWriteOptions described old $ \w -> do
    write w (3 :: Int64)
    ashlar folder ["cat", new, "--force", "-o", old]
      `gives` (2, [], ["ashlar: old: another writer has this file open"])
  printed (ashlar folder ["show", old]) >>= (@?= ["1", "2", "3"])

limited :: Assertion
limited = inFolder $ \folder -> do
  let path = folder </> "text"
      written' command = command ++ ["-f", "-o", folder </> "out"]
      commands =
        ["verify"] : map written' [["cat"], ["repair"], ["split", "--records", "1"]]
  writeRecords described path [T.replicate 100000 (T.pack "x")]
  forM_ commands $ \command -> do
    Outcome code said err <- ashlar folder (command ++ ["--limit", "64K", path])
    code @?= ExitFailure 2
    assertBool (said ++ err) ("65536" `isInfixOf` (said ++ err))
    Outcome fine _ _ <- ashlar folder (command ++ ["--limit", "1M", path])
    fine @?= ExitSuccess
