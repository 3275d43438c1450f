-- |
-- Module      : Tests.Status
-- Description : Commands, situations, and exit statuses
--
-- The executable runs in a child for each of them.
module Tests.Status (tests) where

import Control.Monad (forM_, when)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as B8
import Data.List (isInfixOf, isPrefixOf, sort)
import System.Directory (listDirectory)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Child
import Tests.Run (inFolder)

tests :: TestTree
tests =
  testGroup
    "exit status"
    [ testGroup
        "by command: with a standard output that is fine, full, closed, not read"
        [testCase command (outputs command statuses) | (command, statuses) <- table],
      testGroup
        "a limit that is too small for a file without damage is 2, and a large one is 0"
        [testCase command (limits command) | command <- limited],
      testCase "damage is 1, also where a length says more than the limit" damagedLengths,
      testCase "a file that cannot be read by its type is 2" otherTypes,
      testCase "messages that cannot be written do not change the status" messages,
      testCase "a standard input that is closed is 2, and nothing is written" closedInput,
      testCase "an output is finished although nobody reads what is said about it" finished,
      testCase "a closed standard output does not get into the file that is written" notInFile,
      testCase "a full disk: the message has the name of the output, and nothing is left" fullDisk,
      testCase "no folder for temporary files: the message has its name" noFolder
    ]

-- A command, and its status with a standard output that is fine, full, closed, and not read.
table :: [(String, (Int, Int, Int, Int))]
table =
  [ ("--version", printing),
    ("--help", printing),
    ("stat --help", printing),
    ("--bash-completion-script ashlar", printing),
    ("", wrong),
    ("frobnicate", wrong),
    ("show", wrong),
    ("show good --count x", wrong),
    ("schema good", printing),
    ("schema --json good", printing),
    ("schema --raw good", printing),
    ("schema order.schema", printing),
    ("schema values", wrong),
    ("schema missing", wrong),
    ("schema directory", wrong),
    ("show good", printing),
    ("show --json good", printing),
    ("show long", printing),
    ("show --json long", printing),
    -- What was wrong is known before anything has been written.
    ("show damaged", finding),
    ("show -k damaged", finding),
    -- There is more to write after it than any buffer holds.
    ("show -k long.damaged", finding),
    ("query -k long.damaged .", finding),
    ("show missing", wrong),
    ("show directory", wrong),
    ("show values", wrong),
    ("show --schema order.schema values", printing),
    ("show --schema order.schema values.damaged", finding),
    ("show --schema missing values", wrong),
    ("query good .number", printing),
    ("query long .", printing),
    ("query good .x", wrong),
    ("query good .items[", wrong),
    ("query damaged .", finding),
    ("verify good", printing),
    ("verify good long", printing),
    ("verify damaged", finding),
    ("verify good damaged good", finding),
    ("verify damaged missing good", wrong),
    ("verify directory", wrong),
    ("verify --schema order.schema values", printing),
    ("verify --schema order.schema values.damaged", finding),
    ("diff good good", silent 0),
    ("diff good order.schema", silent 0),
    ("diff good long", finding),
    ("diff good values", wrong),
    ("diff good missing", wrong),
    ("cat -f -o out good good", silent 0),
    ("cat -f -o out damaged", silent 1),
    ("cat -f -o out good long", wrong),
    ("cat -f -o out --mixed good long", silent 0),
    ("cat -f -o out values", wrong),
    ("cat -o good long", wrong),
    ("cat -f -o missing/out good", wrong),
    ("cat -f -o directory good", wrong),
    ("cat -f -o /dev/full good", wrong),
    ("cat -f -o good good", wrong),
    ("cat -o - good", printing),
    ("cat -o - long", printing),
    ("cat -o - damaged", silent 1),
    ("cat -f -o out --schema order.schema values", silent 0),
    ("cat -f -o out --schema order.schema values.damaged", silent 1),
    ("cat -o - --schema order.schema values", printing),
    ("convert -f -o out --from binary --schema number.schema old", printing),
    ("convert -f -o out --from binary --schema number.schema old.damaged", silent 1),
    ("convert -f --partial -o out --from binary --schema number.schema old.damaged", finding),
    ("convert -f -o out --from binary --schema number.schema --list old", silent 1),
    ("convert -f -o out --from binary --schema missing old", wrong),
    ("convert -o - --from binary --schema number.schema old", printing),
    ("convert -o - --partial --from binary --schema number.schema old.damaged", finding),
    ("repair -f -o out good", printing),
    ("repair -f -o out damaged", finding),
    ("repair -f -o out missing", wrong),
    ("repair -f -o out directory", wrong),
    ("repair -o - good", printing),
    ("repair -o - damaged", finding),
    ("split -f -o part --records 100 long", printing),
    ("split -f -o part --bytes 64K long", printing),
    ("split -f -o part --records 5 damaged", silent 1),
    ("split -f -o missing/part --records 5 good", wrong),
    ("split -o - --records 5 good", wrong),
    ("split -o - --files joined", wrong),
    ("split -f -o part --files joined", printing),
    ("split -f -o part --files joined.types", printing),
    ("split -f -o part --files joined.damaged", silent 1),
    ("split -f -o part --files joined.cut", silent 1),
    ("split -f -o part --files joined.later", wrong),
    ("split -f -o missing/part --files joined", wrong),
    ("split --files joined", wrong),
    ("show joined", printing),
    ("show - <joined", printing),
    ("show joined.types", printing),
    ("show joined.damaged", finding),
    ("show -k joined.damaged", finding),
    ("show joined.later", wrong),
    ("show -k joined.unknown", wrong),
    ("show -k - <joined.unknown", wrong),
    ("schema joined.types", printing),
    ("schema - <joined.types", printing),
    ("verify joined", printing),
    ("verify joined.types", printing),
    ("verify joined.damaged", finding),
    ("verify joined.cut", finding),
    ("cat -f -o out joined", silent 0),
    ("cat -f -o out joined.types", wrong),
    ("cat -f -o out --mixed joined.types", silent 0),
    ("cat -o - --mixed joined.types", printing),
    ("cat -f -o out joined.damaged", silent 1),
    ("cat -f -o out joined.unknown", wrong),
    ("repair -f -o out joined", printing),
    ("repair -f -o out joined.types", printing),
    ("repair -o - joined.types", printing),
    ("repair -f -o out joined.damaged", finding),
    ("repair -f -o out joined.cut", finding),
    -- What is not damaged is not left out.
    ("repair -f -o out joined.later", wrong),
    ("repair -f -o out joined.unknown", wrong),
    ("split -f -o part --files joined.unknown", printing),
    ("stat joined.types", printing),
    ("stat joined.damaged", finding),
    ("stat good", printing),
    ("stat damaged", finding),
    ("stat missing", wrong),
    ("stat directory", wrong),
    ("stat --schema order.schema values", printing),
    ("stat --schema order.schema values.damaged", finding)
  ]
  where
    printing = (0, 2, 2, 0)
    finding = (1, 2, 2, 1)
    wrong = silent 2
    silent n = (n, n, n, n)

outputs :: String -> (Int, Int, Int, Int) -> Assertion
outputs command (fine, full, closed, notRead) = withSamples $ \folder -> do
  let check label expected child = do
        assertEqual (label ++ ": " ++ show child) expected (childStatus child)
        plain child
  Child status out err <- shell folder call
  assertEqual (call ++ ": " ++ err) fine status
  plain (Child status out err)
  check ">/dev/full" full =<< shell folder (call ++ " >/dev/full")
  check ">&-" closed =<< shell folder (call ++ " >&-")
  check "not read" notRead =<< unread folder call
  where
    call = "ashlar " ++ command

-- A status of 2 comes with a message of the tool, or with how to use it, and no message has a
-- temporary name.
plain :: Child -> Assertion
plain (Child status _ err) = do
  assertBool err (not (".part" `isInfixOf` err))
  when (status == 2) . assertBool err $
    any ("ashlar: " `isPrefixOf`) (lines err) || "Usage: ashlar" `isInfixOf` err

withSamples :: (FilePath -> Assertion) -> Assertion
withSamples act = inFolder (\folder -> samples folder >> act folder)

-- Commands that take a limit. The record has 100,000 bytes.
limited :: [String]
limited =
  [ "show big",
    "show -k big",
    "query big .",
    "verify big",
    "stat big",
    "cat -f -o out big",
    "cat -o - big",
    "repair -f -o out big",
    "split -f -o part --records 1 big",
    "show --schema text.schema values.big",
    "query --schema text.schema values.big .",
    "verify --schema text.schema values.big",
    "stat --schema text.schema values.big",
    "cat -f -o out --schema text.schema values.big",
    "show - <big",
    "query - . <big",
    "show --schema text.schema - <values.big",
    "convert -f -o out --from binary --schema text.schema old.big"
  ]

limits :: String -> Assertion
limits command = withSamples $ \folder -> do
  small <- shell folder ("ashlar " ++ put "--limit 64K" command)
  assertEqual (show small) 2 (childStatus small)
  -- It says why.
  assertBool (show small) ("65536" `isInfixOf` (childErr small ++ B8.unpack (childOut small)))
  large <- shell folder ("ashlar " ++ put "--limit 1M" command)
  assertEqual (show large) 0 (childStatus large)
  where
    put option c = let (name, rest) = break (== ' ') c in name ++ " " ++ option ++ rest

damagedLengths :: Assertion
damagedLengths = withSamples $ \folder ->
  forM_ ["values.short", "- <values.short"] $ \input ->
    forM_ ["show", "verify", "query"] $ \command ->
      forM_ ["", "--limit 64K"] $ \option -> do
        let path = if command == "query" then " ." else ""
            (name, redirection) = break (== '<') input
        child <-
          shell folder . unwords $
            ["ashlar", command, option, "--schema text.schema", name, path, redirection]
        assertEqual (show (command, input, option, child)) 1 (childStatus child)

otherTypes :: Assertion
otherTypes = withSamples $ \folder -> do
  -- The version of the format is in bytes 8 and 9.
  bytes <- B.readFile (folder </> "good")
  B.writeFile (folder </> "later") (B.take 8 bytes <> B.pack [9] <> B.drop 9 bytes)
  forM_ commands $ \c -> do
    child <- shell folder ("ashlar " ++ c)
    assertEqual (show (c, child)) 2 (childStatus child)
  where
    commands =
      ["verify joined.later", "stat joined.later", "stat joined.unknown"]
        ++ [ name ++ " later"
             | name <- ["show", "verify", "cat -f -o out", "repair -f -o out", "stat", "schema"]
           ]

messages :: Assertion
messages = withSamples $ \folder ->
  forM_ ["2>&-", "2>/dev/full"] $ \redirection ->
    forM_ commands $ \(command, status) -> do
      child <- shell folder (unwords ["ashlar", command, redirection])
      assertEqual (show (command, redirection, child)) status (childStatus child)
  where
    commands =
      [ ("show good", 0),
        ("show damaged", 1),
        ("show missing", 2),
        ("frobnicate", 2),
        ("repair -f -o out damaged", 1),
        ("repair -o - damaged", 1),
        ("repair -f -o out good >&-", 2)
      ]

closedInput :: Assertion
closedInput = withSamples $ \folder ->
  forM_ commands $ \command -> do
    before <- sort <$> listDirectory folder
    child <- shell folder ("ashlar " ++ command ++ " <&-")
    assertEqual (show (command, child)) (2, B.empty) (childStatus child, childOut child)
    assertBool (childErr child) ("ashlar: -: " `isPrefixOf` childErr child)
    now <- sort <$> listDirectory folder
    filter (`notElem` [".err", ".out"]) now @?= filter (`notElem` [".err", ".out"]) before
  where
    commands =
      [ "show -",
        "show --schema order.schema -",
        "schema -",
        "query - .",
        "verify --schema order.schema -",
        "cat --schema order.schema -o new -",
        "convert --from binary --schema number.schema -o new -",
        "show --schema - values"
      ]

finished :: Assertion
finished = withSamples $ \folder ->
  forM_ [("repair", 1, "damaged"), ("repair", 0, "long")] $ \(command, status, input) -> do
    let call = unwords ["ashlar", command, "-f -o out", input]
    whole <- shell folder call
    shown <- childOut <$> shell folder "ashlar show out"
    ignored <- unread folder call
    assertEqual (show ignored) (status, status) (childStatus whole, childStatus ignored)
    again <- shell folder "ashlar show out"
    (childStatus again, childOut again) @?= (0, shown)
    full <- shell folder (call ++ " >/dev/full")
    childStatus full @?= 2
    third <- shell folder "ashlar show out"
    (childStatus third, childOut third) @?= (0, shown)

-- Nor does any other that is closed.
notInFile :: Assertion
notInFile = withSamples $ \folder -> do
  whole <- shell folder "ashlar repair -f -o out damaged; ashlar show out"
  let shown = B8.unlines (filter (B8.all (`elem` "0123456789")) (B8.lines (childOut whole)))
  forM_ [">&-", "2>&-", "<&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"] $ \closed -> do
    _ <- shell folder ("rm out; ashlar repair -o out damaged " ++ closed)
    checked <- shell folder "ashlar verify out"
    assertEqual (show (closed, checked)) 0 (childStatus checked)
    again <- shell folder "ashlar show out"
    childOut again @?= shown

-- (A limit on the size of files fails as a full disk does.)
fullDisk :: Assertion
fullDisk = withSamples $ \folder -> do
  before <- B.readFile (folder </> "good")
  names <- entries folder
  forM_ commands $ \(command, name) -> do
    child <- shell folder ("trap '' XFSZ; ulimit -f 8; ashlar " ++ command ++ " 2>&1 | cat >&2")
    assertBool (show (command, child)) $
      ("ashlar: " ++ (if name == "tmp" then folder </> name else name) ++ ": ")
        `isPrefixOf` childErr child
    plain child {childStatus = 2}
    status <- shell folder ("trap '' XFSZ; ulimit -f 8; ashlar " ++ command ++ " 2>/dev/null")
    childStatus status @?= 2
    B.readFile (folder </> "good") >>= (@?= before)
    entries folder >>= (@?= names)
    listDirectory (folder </> "tmp") >>= (@?= [])
  where
    entries folder = sort . filter (`notElem` [".err", ".out"]) <$> listDirectory folder
    commands =
      [ ("cat -f -o good long", "good"),
        ("cat -o new long", "new"),
        ("cat -f -o good --schema text.schema values.big", "good"),
        ("convert -f -o good --from binary --schema text.schema old.big", "good"),
        ("repair -f -o good long", "good"),
        ("split -f -o new --bytes 1G long", "new.0001"),
        ("split -f -o new --files long.joined", "new.0001"),
        ("repair -f -o good long.joined", "good"),
        ("cat -o - long", "tmp")
      ]

noFolder :: Assertion
noFolder = withSamples $ \folder -> do
  child <- shell folder "TMPDIR=$PWD/none ashlar cat -o - good"
  childStatus child @?= 2
  assertBool (show child) ("/none: " `isInfixOf` childErr child)
  plain child
