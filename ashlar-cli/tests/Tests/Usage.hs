-- |
-- Module      : Tests.Usage
-- Description : Help, wrong commands, completion, and the page of the manual
module Tests.Usage (tests) where

import Ashlar.Cli (commandNames, newHandles, runCli)
import Ashlar.Cli.Console (progress, withProgress)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Control.Exception (bracket)
import Control.Monad (forM_)
import Data.Char (isAlpha, isLower)
import Data.Int (Int64)
import Data.List (isInfixOf, isSubsequenceOf, nub, sort)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO
import System.Posix.IO (closeFd, createPipe, fdToHandle)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Run

tests :: TestTree
tests =
  testGroup
    "usage"
    [ testCase "help" help,
      testCase "the page of the manual has every command and option" manual,
      testCase "wrong commands" wrong,
      testCase "completion" completion,
      testCase "files that are not there" missing,
      testCase "nobody reads the output" closed,
      testCase "progress" watching
    ]

help :: Assertion
help = inFolder $ \folder -> do
  top <- printed (ashlar folder ["--help"])
  forM_ commandNames $ \name -> do
    assertBool name (any (("  " ++ name ++ " ") `isInfixOf`) top)
    one <- printed (ashlar folder [name, "--help"])
    assertBool (unlines one) (("Usage: ashlar " ++ name ++ " ") `isInfixOf` unlines one)
    assertBool (unlines one) ("Exit codes: 0" `isInfixOf` unlines one)

manual :: Assertion
manual = inFolder $ \folder -> do
  page <- readFile "man/ashlar.1"
  let helpOf args = unlines <$> printed (ashlar folder (args ++ ["--help"]))
  texts <- mapM helpOf ([] : map (: []) commandNames)
  let options = nub (filter isOption (concatMap (words . map blank) texts))
  -- All of them are found in the first place.
  assertBool (show options) (all (`elem` options) some')
  forM_ (commandNames ++ map escapedDash options) $ \word ->
    assertBool (word ++ " is missing in man/ashlar.1") (word `isInfixOf` page)
  where
    some' = words "--json --raw --from --count -k -o --mixed --schema --version"
    blank c = if c `elem` "[](),|" then ' ' else c
    isOption w = case w of
      '-' : '-' : c : _ -> isLower c
      ['-', c] -> isAlpha c
      _ -> False
    escapedDash = concatMap (\c -> if c == '-' then "\\-" else [c])

wrong :: Assertion
wrong = inFolder $ \folder ->
  forM_
    [ [],
      ["frobnicate"],
      ["show"],
      ["show", "a", "b"],
      ["show", "--from", "-1", "a"],
      ["show", "--from", "x", "a"],
      ["query", "a", ".items["],
      ["diff", "a"],
      ["cat", "a"],
      ["schema", "--json", "--raw", "a"],
      ["repair", "a"]
    ]
    $ \args -> do
      Outcome code out err <- ashlar folder args
      (code, out) @?= (ExitFailure 2, "")
      assertBool err ("Usage: ashlar" `isInfixOf` err)

completion :: Assertion
completion = inFolder $ \folder -> do
  script <- printed (ashlar folder ["--bash-completion-script", "ashlar"])
  assertBool (unlines script) ("complete" `isInfixOf` unlines script)
  words' <-
    printed . ashlar folder . words $
      "--bash-completion-index 1 --bash-completion-word ashlar --bash-completion-word s"
  sort words' @?= ["schema", "show", "split", "stat"]

missing :: Assertion
missing = inFolder $ \folder ->
  forM_ ["show X", "verify X", "diff X X", "cat X -o Y", "stat X", "schema X"] $ \args -> do
    let inside word = if word `elem` ["X", "Y"] then folder </> word else word
    Outcome code out err <- ashlar folder (map inside (words args))
    (code, out) @?= (ExitFailure 2, "")
    assertBool err ("does not exist" `isInfixOf` err)

-- As with @ashlar show file | head -1@.
closed :: Assertion
closed = inFolder $ \folder -> do
  let path = folder </> "numbers"
  writeRecords described path [0 .. 50000 :: Int64]
  (readEnd, writeEnd) <- createPipe
  first <- withBinaryFile (folder </> "err") WriteMode $ \err ->
    bracket (fdToHandle writeEnd) hClose' $ \out -> do
      closeFd readEnd
      newHandles out err False False >>= \hs -> runCli hs ["show", path]
  messages <- readFile (folder </> "err")
  (first, messages) @?= (ExitSuccess, "")
  where
    -- What is left in its buffer cannot be written.
    hClose' h = hSetBinaryMode h True

-- To somebody who watches, and for long files only.
watching :: Assertion
watching = inFolder $ \folder -> do
  let shown total = do
        withBinaryFile (folder </> "err") WriteMode $ \err ->
          newHandles err err False True >>= \hs -> withProgress hs total $ \p ->
            mapM_ (progress p) [total `div` 4, total `div` 4 + 1, total `div` 2, total]
        readFile (folder </> "err")
  short <- shown 1000
  short @?= ""
  long <- shown 100000000
  long @?= "\r25 %\r50 %\r100 %\r      \r"
  -- Of all files together.
  let paths = [folder </> "a", folder </> "b"]
  forM_ paths $ \path -> writeRecords described path [0 .. 1000000 :: Int64]
  code <- withBinaryFile (folder </> "err") WriteMode $ \err ->
    newHandles err err False True >>= \hs ->
      runCli hs (["cat", "-o", folder </> "out"] ++ paths)
  copied <- lines . map (\c -> if c == '\r' then '\n' else c) <$> readFile (folder </> "err")
  code @?= ExitSuccess
  assertBool (show copied) (["49 %", "51 %", "100 %", "      "] `isSubsequenceOf` copied)
