-- |
-- Module      : Tests.Pipes
-- Description : Streams in the place of files, for each command
module Tests.Pipes (tests) where

import Control.Monad (forM_)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as B8
import Data.List (isPrefixOf, sort)
import qualified Data.Text as T
import System.Directory (listDirectory)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Child
import Tests.Run (inFolder)

tests :: TestTree
tests =
  testGroup
    "pipes"
    [ testGroup
        "a stream is read as a file is"
        [testCase command (alike input command) | (input, command) <- reading],
      testGroup
        "a stream is refused by its name where a file is needed"
        [testCase command (refused command) | command <- needing],
      testCase "the writer of a FIFO is waited for" late,
      testGroup
        "what a live stream has sent is shown while it goes on"
        [testCase command (live input command) | (input, command) <- showing],
      testCase "a program that waits for a writer can be interrupted" interrupted,
      testCase "a program that is ended by a signal has written its results" results,
      testCase "a program that is ended by a signal leaves no file behind" ended,
      testCase "two streams at once" two,
      testCase "a stream that would be read twice is refused" once,
      testCase "-o - has the bytes that a file would have" standardOutput,
      testCase "what is damaged does not get into the next program" nothing
    ]

-- Commands that read a stream, and what it has. X is its name.
reading :: [(String, String)]
reading =
  [ ("good", "schema X"),
    ("good", "schema --json X"),
    ("good", "schema --raw X"),
    ("order.schema", "schema X"),
    ("order.schema", "schema --raw X"),
    ("values", "schema X"),
    ("good", "show X"),
    ("long", "show --json X"),
    ("damaged", "show X"),
    ("damaged", "show -k X"),
    ("values", "show X"),
    ("empty", "show X"),
    ("empty", "query X ."),
    ("empty", "schema X"),
    ("empty", "show --schema order.schema X"),
    ("good", "query X .number"),
    ("good", "query X .x"),
    ("values", "show --schema order.schema X"),
    ("values.damaged", "show --schema order.schema X"),
    ("values", "query --schema order.schema X .items[].price"),
    ("values", "verify --schema order.schema X"),
    ("values.damaged", "verify --schema order.schema X"),
    ("order.schema", "show --schema X values"),
    ("good", "show --schema X values"),
    ("long", "diff X good"),
    ("long", "diff good X"),
    ("values", "cat --schema order.schema -f -o out X; ashlar show out"),
    ("values.damaged", "cat --schema order.schema -f -o out X"),
    ("old", "convert --from binary --schema number.schema -f -o out X; ashlar show out"),
    ("number.schema", "convert --from binary --schema X -f -o out old; ashlar show out"),
    ("order.schema", "repair --schema X -f -o out good; ashlar show out")
  ]

-- The same with each way to give it.
alike :: FilePath -> String -> Assertion
alike input command = inFolder $ \folder -> do
  samples folder
  let call name = "ashlar " ++ replaced "X" name command
      outcome name child =
        (childStatus child, map (withoutName name) [B8.unpack (childOut child), childErr child])
      -- At the beginning of a message.
      withoutName name = replaced (name ++ ": ") ": "
      into name = "cat " ++ input ++ " | { " ++ call name ++ "; }"
  expected <- outcome input <$> shell folder (call input)
  forM_
    [ ("-", "{ " ++ call "-" ++ "; } <" ++ input),
      ("-", into "-"),
      ("/dev/stdin", into "/dev/stdin"),
      ("/dev/fd/9", into "/dev/fd/9" ++ " 9<&0 </dev/null"),
      ("fifo", "mkfifo fifo; cat " ++ input ++ " >fifo & " ++ call "fifo")
    ]
    $ \(name, script) -> do
      child <- shell folder script
      assertEqual script expected (outcome name child)

replaced :: String -> String -> String -> String
replaced old new = T.unpack . T.replace (T.pack old) (T.pack new) . T.pack

needing :: [String]
needing =
  [ "verify X",
    "cat -f -o out X",
    "repair -f -o out X",
    "split -f -o out --records 1 X",
    "stat X",
    "stat --schema order.schema X"
  ]

refused :: String -> Assertion
refused command = inFolder $ \folder -> do
  samples folder
  before <- sort <$> listDirectory folder
  forM_ [("-", "<good"), ("/dev/stdin", "<&9"), ("fifo", "")] $ \(name, redirection) -> do
    -- Nobody writes to it: it is not opened.
    child <-
      shell folder $
        "mkfifo -m 600 fifo; sleep 0 | { ashlar " ++ replaced "X" name command ++ " "
          ++ redirection
          ++ "; } 9<&0"
    (childStatus child, childOut child) @?= (2, B.empty)
    childErr child
      @?= "ashlar: " ++ name ++ ": " ++ takeWhile (/= ' ') command
        ++ " needs a file, not a stream; save it to a file first\n"
    _ <- shell folder "rm fifo"
    pure ()
  now <- sort <$> listDirectory folder
  filter (`notElem` [".err", ".out"]) now @?= before

late :: Assertion
late = inFolder $ \folder -> do
  samples folder
  whole <- shell folder "ashlar show good"
  child <- shell folder "mkfifo fifo; { sleep 0.3; cat good >fifo; } & ashlar show fifo"
  child @?= whole
  -- It stops and goes on.
  slow <-
    shell
      folder
      "mkfifo slow; { head -c 100 good; sleep 0.3; tail -c +101 good; } >slow & ashlar show slow"
  slow @?= whole

-- Commands that show records as they read them.
showing :: [(String, String)]
showing =
  [ ("good", "show X"),
    ("good", "query X .number"),
    ("values", "show --schema order.schema X"),
    ("values", "query --schema order.schema X .number")
  ]

-- It has half a minute for that.
live :: FilePath -> String -> Assertion
live input command = forM_ ["-", "fifo"] $ \name -> inFolder $ \folder -> do
  samples folder
  whole <- shell folder ("ashlar " ++ replaced "X" input command)
  B.writeFile (folder </> "whole") (childOut whole)
  child <-
    shell folder . concat $
      [ "mkfifo fifo; { cat " ++ input ++ "; exec sleep 60; } >fifo & writer=$!; ",
        "\"$TOOL\" " ++ replaced "X" name command ++ " <fifo >shown & ",
        "n=0; until cmp -s shown whole || [ $n = 300 ]; do sleep 0.1; n=$((n + 1)); done; ",
        "cat shown; kill $! $writer"
      ]
  childOut child @?= childOut whole

-- The second stream has no writer.
results :: Assertion
results = forM_ ["INT", "TERM", "HUP"] $ \signal -> inFolder $ \folder -> do
  samples folder
  child <-
    shell folder $
      "mkfifo fifo; timeout -k 20 -s " ++ signal
        ++ " 2 \"$TOOL\" verify --schema order.schema values fifo"
  child @?= Child 124 (B8.pack "values: ok, 3 values\n") ""

-- By the signal of Ctrl-C. It ends by the same signal.
interrupted :: Assertion
interrupted = inFolder $ \folder -> do
  samples folder
  -- (It would be killed after 20 seconds, for which the status is 137.)
  child <- shell folder "mkfifo fifo; timeout -k 20 -s INT 0.5 \"$TOOL\" show fifo"
  childStatus child @?= 124

ended :: Assertion
ended = forM_ [("TERM", 143), ("HUP", 129)] $ \(signal, status) -> inFolder $ \folder -> do
  samples folder
  child <-
    shell folder . concat $
      [ "mkfifo fifo; { head -c 100 good; exec sleep 10; } >fifo & writer=$!; ",
        "\"$TOOL\" convert --to json -o out fifo & sleep 1; ls >before; ",
        "kill -" ++ signal ++ " $!; ",
        "wait $!; status=$?; kill $writer; ls; exit $status"
      ]
  before <- B.readFile (folder </> "before")
  assertBool "nothing was begun" (B8.pack ".part" `B.isInfixOf` before)
  (childStatus child, B.isInfixOf (B8.pack ".part") (childOut child)) @?= (status, False)

two :: Assertion
two = inFolder $ \folder -> do
  samples folder
  whole <- shell folder "ashlar show good"
  child <-
    shell
      folder
      "mkfifo a b; cat values >a & cat order.schema >b & ashlar show --schema b a"
  child @?= whole
  same <- shell folder "mkfifo c d; cat good >c & cat good >d & ashlar diff c d"
  same @?= Child 0 B.empty ""

once :: Assertion
once = inFolder $ \folder -> do
  samples folder
  forM_ commands $ \command -> do
    child <- shell folder ("ashlar " ++ command ++ " <values")
    child @?= Child 2 B.empty "ashlar: -: a stream can be read only once\n"
  -- Under another name, too.
  forM_ ["- /dev/stdin", "/dev/stdin -", "/dev/stdin /dev/fd/0"] $ \names -> do
    child <- shell folder ("cat values | ashlar verify --schema order.schema " ++ names)
    childStatus child @?= 2
    childErr child @?= "ashlar: " ++ last (words names) ++ ": a stream can be read only once\n"
  fifo <- shell folder "mkfifo fifo; ashlar diff fifo $PWD/fifo"
  childStatus fifo @?= 2
  where
    commands =
      [ "show --schema - -",
        "query --schema - - .",
        "verify --schema - -",
        "verify --schema order.schema - -",
        "diff - -",
        "cat --schema order.schema -o out - -",
        "convert --from binary --schema - -o out -"
      ]

-- But for the marker, which is of random choice.
standardOutput :: Assertion
standardOutput = inFolder $ \folder -> do
  samples folder
  forM_ commands $ \(command, status) -> do
    toFile <- shell folder (unwords ["ashlar", command, "-f -o out"])
    shown <- shell folder "ashlar show out"
    -- What is said about it goes to the messages.
    toPipe <- shell folder (unwords ["ashlar", command, "-o - >piped"])
    childStatus toPipe @?= status
    childStatus toFile @?= status
    childErr toPipe @?= childErr toFile ++ B8.unpack (childOut toFile)
    again <- shell folder "ashlar verify piped >&2 && ashlar show piped"
    childOut again @?= childOut shown
    size <- B.length <$> B.readFile (folder </> "out")
    size' <- B.length <$> B.readFile (folder </> "piped")
    size' @?= size
    listDirectory (folder </> "tmp") >>= (@?= [])
  through <- shell folder "ashlar cat -o - long | ashlar show -"
  direct <- shell folder "ashlar show long"
  through @?= direct
  several <- shell folder "ashlar split --records 1 -o - good"
  (childStatus several, childOut several) @?= (2, B.empty)
  assertBool (childErr several) ("ashlar: -: split " `isPrefixOf` childErr several)
  where
    commands =
      [ ("cat good good", 0),
        ("cat --schema order.schema values", 0),
        ("convert --from binary --schema number.schema old", 0),
        ("convert --partial --from binary --schema number.schema old.damaged", 1),
        ("repair good", 0),
        ("repair damaged", 1)
      ]

nothing :: Assertion
nothing = inFolder $ \folder -> do
  samples folder
  forM_ commands $ \command -> do
    child <- shell folder ("ashlar " ++ command)
    (childStatus child, childOut child) @?= (1, B.empty)
    listDirectory (folder </> "tmp") >>= (@?= [])
  where
    commands =
      [ "cat -o - damaged",
        "cat -o - good damaged --mixed",
        "cat -o - --schema order.schema values.damaged",
        "convert -o - --from binary --schema number.schema old.damaged"
      ]
