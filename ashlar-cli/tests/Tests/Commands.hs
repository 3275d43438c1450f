{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Commands
-- Description : Each command, on files without damage
module Tests.Commands (tests) where

import Ashlar.Builder (hPutBuilder)
import Ashlar.Codec (encode, put)
import Ashlar.Codec.Packed (Packed (..))
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (Described, schema)
import Control.Monad (forM_)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.List (permutations, subsequences)
import qualified Data.Map as M
import System.Directory (listDirectory)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Run
import Tests.Types

tests :: TestTree
tests =
  testGroup
    "commands"
    [ testCase "schema" schemas,
      testCase "show" shown,
      testCase "show: a range" ranges,
      testCase "show: a type that changed" changed,
      testCase "query" queries,
      testCase "query: a part that does not exist" noSuchPart,
      testCase "verify" verified,
      testCase "verify: goes on after a file that cannot be opened" verifiedOn,
      testCase "diff" differences,
      testCase "cat" concatenated,
      testCase "stat" statistics,
      testCase "stat: packed values" ofPacked,
      testCase "stat: a type that changed" changedParts,
      testCase "stat: a recursive type" recursive,
      testCase "files of values without a schema" bare,
      testCase "a file whose schema cannot be read" undescribed,
      testCase "colours" colours
    ]

withOrders :: (FilePath -> (String -> FilePath) -> ([String] -> IO Outcome) -> IO a) -> IO a
withOrders act = inFolder $ \folder -> do
  writeRecords described (folder </> "orders") orders
  act (folder </> "orders") (folder </>) (ashlar folder)

schemaText :: [String]
schemaText =
  [ "Order",
    "",
    "data Order = Order { number :: Int64, channel :: Channel, items :: [Item], note :: Maybe \
    \Text }",
    "",
    "data Channel = Web | Shop { town :: Text, till :: Word8 }",
    "",
    "data Item = Item { name :: Text, price :: Double }"
  ]

schemas :: Assertion
schemas = withOrders $ \path inside run -> do
  run ["schema", path] `gives` (0, schemaText, [])
  B.writeFile (inside "schema") (encode (schema @Order))
  run ["schema", inside "schema"] `gives` (0, schemaText, [])
  raw <- run ["schema", "--raw", inside "schema"]
  raw' <- run ["schema", "--raw", path]
  raw @?= raw'
  json <- printed (run ["schema", "--json", path])
  take 59 (concat json)
    @?= "{\"root\":{\"type\":\"reference\",\"to\":0},\"definitions\":[{\"n\
        \ame\":"
  B.writeFile (inside "none") "no schema"
  run ["schema", inside "none"]
    `gives` ( 2,
              [],
              [ "ashlar: none: no schema that can be read: at byte 0, in Schema.schemaRoot: \
                \constructor tag 110, but Shape has 16 constructors (tags 0 to 15)"
              ]
            )

-- A type that reads all others as this value, so that files can have both.
reading :: forall a. Described a => a -> RecordType a
reading x = (described :: RecordType a) {typeEvolved = \_ _ -> Right (evolvedBy (pure x))}

shown :: Assertion
shown = withOrders $ \path _ run -> do
  run ["show", path]
    `gives` ( 0,
              [ "Order {number = 1, channel = Shop {town = \"Graz\", till = 7}, items = [Item \
                \{name = \"brick\", price = 0.75}, Item {name = \"mortar\", price = 4.5}], \
                \note = Nothing}",
                "Order {number = 2, channel = Web, items = [], note = Just \"urgent\"}",
                "Order {number = -3, channel = Web, items = [Item {name = \"s\\u001b[31md\", \
                \price = 1.0e9}], note = Nothing}"
              ],
              []
            )
  run ["show", path, "--json"]
    `gives` ( 0,
              [ "{\"number\":1,\"channel\":{\"Shop\":{\"town\":\"Graz\",\"till\":7}},\"items\
                \\":[{\"name\":\"brick\",\"price\":0.75},{\"name\":\"mortar\",\"price\":4.5}],\
                \\"note\":null}",
                "{\"number\":2,\"channel\":\"Web\",\"items\":[],\"note\":\"urgent\"}",
                "{\"number\":-3,\"channel\":\"Web\",\"items\":[{\"name\":\"s\\u001b[31md\",\"p\
                \rice\":1.0e9}],\"note\":null}"
              ],
              []
            )

ranges :: Assertion
ranges = inFolder $ \folder -> do
  let path = folder </> "numbers"
      shows' args = printed (ashlar folder (["show", path] ++ args))
  writeRecords described path [0 .. 20000 :: Int64]
  got <- shows' ["--from", "19999"]
  got @?= ["19999", "20000"]
  some <- shows' ["--from", "12345", "--count", "2"]
  some @?= ["12345", "12346"]
  none <- shows' ["--count", "0"]
  none @?= []
  after' <- shows' ["--from", "20001"]
  after' @?= []
  all' <- shows' []
  all' @?= map show [0 .. 20000 :: Int]

changed :: Assertion
changed = inFolder $ \folder -> do
  let path = folder </> "changing"
  writeRecords described path olderOrders
  appendRecords (reading (Order 0 Web [] Nothing)) path (take 1 (drop 1 orders))
  lines' <- printed (ashlar folder ["show", path])
  lines'
    @?= [ "Order' {number' = 1, note' = \"one\"}",
          "Order' {number' = 2, note' = \"two\"}",
          "Order {number = 2, channel = Web, items = [], note = Just \"urgent\"}"
        ]
  found <- printed (ashlar folder ["schema", path])
  found
    @?= [ "-- from record 0 on",
          "Older",
          "",
          "data Older = Order' { number' :: Int64, note' \
          \:: Text }",
          "-- from record 2 on"
        ]
      ++ schemaText
  ashlar folder ["query", path, ".note"]
    `gives` ( 0,
              ["Just \"urgent\""],
              [ "ashlar: changing: records of another schema do not \
                \have .note"
              ]
            )
  -- The last one counts.
  writeRecords described (folder </> "orders") orders
  ashlar folder ["diff", path, folder </> "orders"] `gives` (0, [], [])
  ashlar folder ["cat", "--mixed", path, folder </> "orders", "-o", folder </> "all"]
    `gives` (0, [], [])
  both <- printed (ashlar folder ["show", folder </> "all"])
  length both @?= 6
  take 3 both @?= lines'

queries :: Assertion
queries = withOrders $ \path _ run -> do
  let query steps = printed (run ["query", path, steps])
      is steps wanted = query steps >>= (@?= wanted)
  ".number" `is` ["1", "2", "-3"]
  "number" `is` ["1", "2", "-3"]
  ".items[].price" `is` ["0.75", "4.5", "1.0e9"]
  ".items[1].name" `is` ["\"mortar\""]
  ".channel.Web" `is` ["Web", "Web"]
  ".channel.Shop" `is` ["Shop {town = \"Graz\", till = 7}"]
  ".channel.Shop.till" `is` ["7"]
  ".channel.till" `is` ["7"]
  ".note" `is` ["Nothing", "Just \"urgent\"", "Nothing"]
  refusal <- run ["query", path, ".note.Just"]
  outcomeErr refusal
    @?= "ashlar: orders: there is no .note.Just: a Maybe has no step of its own\n"
  json <- printed (run ["query", "--json", path, ".items[]", "--from", "1"])
  json @?= ["{\"name\":\"s\\u001b[31md\",\"price\":1.0e9}"]

noSuchPart :: Assertion
noSuchPart = withOrders $ \path inside run -> do
  run ["query", path, ".items[].cost"]
    `gives` (2, [], ["ashlar: orders: there is no .items[].cost; there is .name, .price"])
  run ["query", path, ".itemz[].price"]
    `gives` ( 2,
              [],
              [ "ashlar: orders: there is no .itemz; there is .number, .channel, .items, \
                \.note"
              ]
            )
  -- Keys that are no texts cannot be looked up.
  writeRecords described (inside "by number") [M.fromList [(1 :: Int, True)]]
  run ["query", inside "by number", "{\"1\"}"]
    `gives` (2, [], ["ashlar: by number: there is no {\"1\"}; there is {}, {key}"])
  -- What only an earlier schema has is there.
  writeRecords described (inside "changing") orders
  appendRecords (reading (Order' 0 "")) (inside "changing") olderOrders
  run ["query", inside "changing", ".channel.Shop[0]"]
    `gives` ( 2,
              [],
              ["ashlar: changing: there is no .channel.Shop[0]; there is .town, .till"]
            )

verified :: Assertion
verified = withOrders $ \path inside run -> do
  writeRecords described (inside "none") ([] :: [Order])
  run ["verify", path, inside "none"]
    `gives` (0, ["orders: ok, 3 records in 2 blocks", "none: ok, 0 records in 1 block"], [])

-- Whatever is wrong with a file, those after it are checked, and the worst code counts.
verifiedOn :: Assertion
verifiedOn = withOrders $ \path inside run -> do
  stored <- B.readFile path
  B.writeFile (inside "cut") (B.take (B.length stored - 300) stored)
  B.writeFile (inside "text") "no records"
  let names = ["cut", "text", "missing", "orders"]
      verifyOne file = run ["verify", inside file]
  codes <- map outcomeCode <$> mapM verifyOne names
  codes @?= [ExitFailure 1, ExitFailure 2, ExitFailure 2, ExitSuccess]
  forM_ (filter (not . null) (concatMap permutations (subsequences names))) $ \files -> do
    alone <- mapM verifyOne files
    together <- run ("verify" : map inside files)
    together
      @?= Outcome
        (maximum (map outcomeCode alone))
        (concatMap outcomeOut alone)
        (concatMap outcomeErr alone)
  -- A schema that cannot be read is no fault of a file.
  Outcome code out err <- run ["verify", "--schema", inside "missing", path, path]
  (code, out, length (lines err)) @?= (ExitFailure 2, "", 1)

differences :: Assertion
differences = withOrders $ \path inside run -> do
  run ["diff", path, path] `gives` (0, [], [])
  writeRecords described (inside "older") olderOrders
  run ["diff", inside "older", path]
    `gives` ( 1,
              [ "Older: constructor Order' renamed to Order?",
                "Older: field number' renamed to number?",
                "Older: field note' dropped: Text",
                "Older: field channel added: Channel",
                "Older: field items added: [Item]",
                "Older: field note added: Maybe Text"
              ],
              []
            )

concatenated :: Assertion
concatenated = withOrders $ \path inside run -> do
  run ["cat", path, path, "-o", inside "two"] `gives` (0, [], [])
  once <- printed (run ["show", path])
  twice' <- printed (run ["show", inside "two"])
  twice' @?= once ++ once
  last' <- printed (run ["show", inside "two", "--from", "5"])
  last' @?= drop 2 once
  got <- foldRecords described (inside "two") (\xs x -> pure (x : xs)) []
  fmap reverse got @?= Right (orders ++ orders)
  appendRecords described (inside "two") orders
  run ["verify", inside "two"] `gives` (0, ["two: ok, 9 records in 4 blocks"], [])
  run ["cat", path, "-o", inside "two"]
    `gives` (2, [], ["ashlar: two: exists; say --force to replace it"])
  run ["cat", path, "--force", "-o", inside "two"] `gives` (0, [], [])
  run ["cat", path, "--force", "-o", path] `gives` (2, [], ["ashlar: orders: is an input, too"])
  writeRecords described (inside "older") olderOrders
  before <- listDirectory (inside "")
  run ["cat", path, inside "older", "-o", inside "three"]
    `gives` (2, [], ["ashlar: older: of another type than orders; say --mixed to allow it"])
  afterwards <- listDirectory (inside "")
  afterwards @?= before

statistics :: Assertion
statistics = withOrders $ \path _ run ->
  run ["stat", path]
    `gives` ( 0,
              [ "  3  records",
                "  1  blocks of records",
                "703  bytes in the file",
                "147  bytes of records",
                "",
                "bytes    share  values  path",
                "  147  100.0 %       3  .",
                "   24   16.3 %       3  .number",
                "   16   10.9 %       3  .channel",
                "    0    0.0 %       2  .channel.Web",
                "   13    8.8 %       1  .channel.Shop",
                "   12    8.2 %       1  .channel.Shop.town",
                "    1    0.7 %       1  .channel.Shop.till",
                "   90   61.2 %       3  .items",
                "   66   44.9 %       3  .items[]",
                "   42   28.6 %       3  .items[].name",
                "   24   16.3 %       3  .items[].price",
                "   17   11.6 %       3  .note",
                "",
                "packed: 67 bytes, 45.6 %"
              ],
              []
            )

-- What is said of the packed format is what a file of packed values takes.
ofPacked :: Assertion
ofPacked = withOrders $ \path inside run -> do
  writeRecords described (inside "packed") (map Packed orders)
  plain <- printed (run ["stat", path])
  small <- printed (run ["stat", inside "packed"])
  let n = sum (map (B.length . encode . Packed) orders)
  drop 3 (take 4 small) @?= [" " ++ show n ++ "  bytes of records"]
  take 2 (words (last small)) @?= ["packed:", show n]
  drop 4 small @?= drop 4 plain

-- Where a type has changed, a path has one row for all schemas.
changedParts :: Assertion
changedParts = inFolder $ \folder -> do
  let path = folder </> "changing"
  writeRecords described path [(1 :: Int, True)]
  appendRecords (reading (0, 0)) path [(2 :: Int, 3 :: Int), (4, 5), (6, 7)]
  rows <- printed (ashlar folder ["stat", path])
  drop 5 rows
    @?= [ "bytes    share  values  path",
          "   57  100.0 %       4  .",
          "   32   56.1 %       4  .1",
          "   25   43.9 %       4  .2",
          "",
          "packed: 8 bytes, 14.0 %"
        ]
  writeRecords described (folder </> "orders") orders
  appendRecords (reading (Order' 0 "")) (folder </> "orders") olderOrders
  appendRecords (reading (Order 0 Web [] Nothing)) (folder </> "orders") orders
  found <- printed (ashlar folder ["stat", folder </> "orders"])
  let paths = map (last . words) (takeWhile (/= "") (drop 6 found))
  paths
    @?= words
      ". .number .number' .channel .channel.Web .channel.Shop .channel.Shop.town \
      \.channel.Shop.till .note' .items .items[] .items[].name .items[].price .note"

recursive :: Assertion
recursive = inFolder $ \folder -> do
  let path = folder </> "trees"
  writeRecords described path [Node (Node Leaf 1 Leaf) 2 (Node Leaf 3 Leaf), Leaf]
  lines' <- printed (ashlar folder ["stat", path])
  drop 5 lines'
    @?= [ "bytes    share  values  path",
          "   32  100.0 %       2  ."
        ]
      ++ drop 7 lines'
  ashlar folder ["query", path, ".Node.1.Node.2"] `gives` (0, ["1"], [])

bare :: Assertion
bare = inFolder $ \folder -> do
  let values = folder </> "values"
      ty = folder </> "schema"
      run args = ashlar folder (args ++ ["--schema", ty])
  withBinaryFile values WriteMode (\h -> hPutBuilder h (foldMap put orders))
  B.writeFile ty (encode (schema @Order))
  run ["query", values, ".number"] `gives` (0, ["1", "2", "-3"], [])
  run ["query", values, ".number", "--from", "1", "--count", "1"] `gives` (0, ["2"], [])
  run ["verify", values] `gives` (0, ["values: ok, 3 values"], [])
  run ["cat", values, values, "-o", folder </> "orders"] `gives` (0, [], [])
  run ["cat", values, "--force", "-o", values]
    `gives` (2, [], ["ashlar: values: is an input, too"])
  got <- foldRecords described (folder </> "orders") (\xs x -> pure (x : xs)) []
  fmap reverse got @?= Right (orders ++ orders)
  stated <- printed (run ["stat", values])
  take 4 stated
    @?= [ "147  bytes in the file",
          "",
          "bytes    share  values  path",
          "  147  100\
          \.0 %       3  ."
        ]
  ashlar folder ["show", values]
    `gives` ( 2,
              [],
              [ "ashlar: values: not a file of records; say --schema FILE if it has values one \
                \after another"
              ]
            )
  B.appendFile values "x"
  run ["verify", values]
    `gives` ( 1,
              ["values: damaged, 3 values readable"],
              [ "ashlar: values: value 3, which begins at byte 147, cannot be decoded: at byte \
                \147, in Order.number: 8 bytes needed, 1 left"
              ]
            )

undescribed :: Assertion
undescribed = inFolder $ \folder -> do
  let path = folder </> "fixed"
      why =
        "no schema that can be read: at byte 0, in Schema.schemaRoot: constructor tag \
        \110, but Shape has 16 constructors (tags 0 to 15)"
  writeRecords (fixedType "numbers") path [1, 2 :: Int64]
  ashlar folder ["verify", path]
    `gives` (0, ["fixed: values were not checked: " ++ why, "fixed: ok, 2 records in 1 block"], [])
  ashlar folder ["show", path]
    `gives` (2, [], ["ashlar: fixed: at byte 0, from record 0 on: another type: " ++ why])
  ashlar folder ["cat", path, path, "-o", folder </> "two"] `gives` (0, [], [])
  got <- foldRecords (fixedType "numbers") (folder </> "two") (\xs x -> pure (x : xs)) []
  got @?= Right [2, 1, 2, 1 :: Int64]

colours :: Assertion
colours = inFolder $ \folder -> do
  writeRecords described (folder </> "orders") orders
  ashlarColoured folder ["verify", folder </> "orders"]
    `gives` (0, ["orders: \ESC[32mok\ESC[0m, 3 records in 2 blocks"], [])
