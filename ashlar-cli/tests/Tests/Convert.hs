{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- |
-- Module      : Tests.Convert
-- Description : convert, on files that binary, cereal and store have written
module Tests.Convert (tests) where

import Ashlar.Cli (newHandles, runCli)
import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Wrappers (UTF16)
import Ashlar.File hiding (Outcome, written)
import Ashlar.File.Described
import Ashlar.Schema (Described (..), schema)
import Control.Exception (bracket)
import Control.Monad (forM_)
import qualified Data.Binary as Binary
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16)
import Data.IntMap (IntMap)
import qualified Data.IntMap as IntMap
import Data.List (isInfixOf, isSuffixOf, permutations, sort)
import Data.Map (Map)
import qualified Data.Map as Map
import qualified Data.Serialize as Cereal
import Data.Set (Set)
import qualified Data.Store as Store
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Time.Calendar (Day)
import Data.Word (Word8)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)
import System.Directory (doesFileExist, listDirectory, removeFile)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO
import System.Posix.IO (createPipe, fdToHandle)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Run

data Order = Order {number :: Int, items :: [Item], channel :: Channel, note :: Maybe Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary.Binary, Cereal.Serialize, Store.Store)

data Item = Item {name :: Text, price :: Double}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary.Binary, Cereal.Serialize, Store.Store)

data Channel = Web | Shop Word8 | Both [Channel]
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Codec, Described, Binary.Binary, Cereal.Serialize, Store.Store)

-- | All containers.
data Stock = Stock
  { byName :: Map Text (Int16, Char),
    byNumber :: IntMap Channel,
    open :: Set Bool,
    letters :: String,
    halves :: Either B.ByteString Float
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Binary.Binary, Cereal.Serialize, Store.Store)

-- | As in the package cereal-text.
instance Cereal.Serialize Text where
  put t = Cereal.put (T.encodeUtf8 t)
  get = Cereal.get >>= either (fail . show) pure . T.decodeUtf8'

instance Arbitrary Order where
  arbitrary = Order <$> arbitrary <*> resize 4 arbitrary <*> arbitrary <*> liftArbitrary text

instance Arbitrary Item where
  arbitrary = Item <$> text <*> arbitrary

instance Arbitrary Channel where
  arbitrary = sized $ \n ->
    oneof [pure Web, Shop <$> arbitrary, Both <$> resize (n `div` 3) arbitrary]

instance Arbitrary Stock where
  arbitrary =
    Stock
      <$> (Map.fromList <$> resize 6 (listOf ((,) <$> text <*> arbitrary)))
      <*> (IntMap.fromList <$> resize 6 arbitrary)
      <*> arbitrary
      <*> arbitrary
      <*> oneof [Left . B.pack <$> arbitrary, Right <$> arbitrary]

text :: Gen Text
text = T.filter (`notElem` ['\xD800' .. '\xDFFF']) . T.pack <$> resize 12 arbitrary

orders :: [Order]
orders =
  [ Order 1 [Item "brick" 0.75, Item "mortar" 4.5] (Shop 7) Nothing,
    Order 2 [Item "sand" 12] (Both [Web, Shop 1]) (Just "urgent")
  ]

tests :: TestTree
tests =
  testGroup
    "convert"
    [ testCase "values one after another, and a list" converted,
      testCase "options in any order" anyOrder,
      testProperty "random values" (random @Order),
      testProperty "random containers" (random @Stock),
      testCase "damage, at each byte" damaged,
      testCase "a list with another length" lengths,
      testCase "a list of values of no bytes" ofNoBytes,
      testCase "a type that cannot be read" refused,
      testCase "the standard input" piped,
      testCase "limits" limited,
      testCase "progress" watched
    ]

-- What each library writes.
data Library a = Library String (a -> B.ByteString) ([a] -> B.ByteString)

libraries ::
  (Binary.Binary a, Cereal.Serialize a, Store.Store a) => [Library a]
libraries =
  [ Library "binary" (L.toStrict . Binary.encode) (L.toStrict . Binary.encode),
    Library "cereal" Cereal.encode Cereal.encode,
    Library "store" Store.encode Store.encode
  ]

written :: Described a => FilePath -> (a -> B.ByteString) -> [a] -> IO ()
written folder write' (xs :: [a]) = do
  B.writeFile (folder </> "old") (foldMap write' xs)
  B.writeFile (folder </> "schema") (encode (schema @a))

from :: FilePath -> String -> [String] -> IO Outcome
from folder library more =
  ashlar folder $
    ["convert", "--from", library, "--schema", folder </> "schema", "-o", folder </> "new"]
      ++ [folder </> "old"]
      ++ more

contents :: Described a => FilePath -> IO [a]
contents path = do
  found <- foldRecords described path (\xs x -> pure (x : xs)) []
  either (assertFailure . show) (pure . reverse) found

converted :: Assertion
converted = inFolder $ \folder -> forM_ libraries $ \(Library library one list) -> do
  let said bytes = [unwords ["old: 2 records from", show (B.length bytes), "bytes"]]
  written folder one orders
  from folder library ["-f"] `gives` (0, said (foldMap one orders), [])
  contents (folder </> "new") >>= (@?= orders)
  ashlar folder ["verify", folder </> "new"] `gives` (0, ["new: ok, 2 records in 2 blocks"], [])
  ashlar folder ["query", folder </> "new", ".items[].name"]
    `gives` (0, ["\"brick\"", "\"mortar\"", "\"sand\""], [])
  from folder library []
    `gives` (2, [], ["ashlar: new: exists; say --force to replace it"])
  B.writeFile (folder </> "old") (list orders)
  Outcome _ _ err <- from folder library ["-f"]
  assertBool err ("; say --list if the file is one list\n" `isSuffixOf` err)
  from folder library ["-f", "--list"] `gives` (0, said (list orders), [])
  contents (folder </> "new") >>= (@?= orders)
  -- Appended to by the type's program.
  appendRecords described (folder </> "new") (take 1 orders)
  contents (folder </> "new") >>= (@?= orders ++ take 1 orders)

-- Also those that both directions have, and the file, before the one that chooses the direction.
anyOrder :: Assertion
anyOrder = inFolder $ \folder -> do
  written folder (L.toStrict . Binary.encode) orders
  let old = folder </> "old"
      new = folder </> "new"
      json = folder </> "text"
      type' = ["--schema", folder </> "schema"]
      works parts =
        forM_ (permutations parts) $ \shuffled -> do
          Outcome code _ err <- ashlar folder ("convert" : concat shuffled)
          (shuffled, code, err) @?= (shuffled, ExitSuccess, "")
  works [["--from", "binary"], type', ["-o", new], ["-f"], [old]]
  works [["--to", "json"], ["-k"], ["-o", json], ["--force"], [new]]
  works [["--from", "json"], type', ["--limit", "1M"], ["-f"], ["-o", new, json]]
  ashlar folder ["convert", "--from", "json", json, "-f", "-o", new]
    `gives` (2, [], ["ashlar: convert --from needs the type of the values: --schema"])
  contents new >>= (@?= orders)

random ::
  forall a.
  (Eq a, Show a, Described a, Binary.Binary a, Cereal.Serialize a, Store.Store a) =>
  [a] ->
  Property
random xs = forAll (choose (0, 2)) $ \which isList -> ioProperty . inFolder $ \folder -> do
  Library library one list <- pure (libraries !! which)
  written folder one xs
  if isList then B.writeFile (folder </> "old") (list xs) else pure ()
  outcome <- from folder library ["--list" | isList]
  found <- contents (folder </> "new")
  pure . counterexample (library ++ show outcome) $
    found === xs .&&. outcomeCode outcome === ExitSuccess

damaged :: Assertion
damaged = inFolder $ \folder -> forM_ libraries $ \(Library library one _) -> do
  written folder one orders
  bytes <- B.readFile (folder </> "old")
  let first = B.length (foldMap one (take 1 orders))
      new = folder </> "new"
  before <- names folder
  forM_ [n | n <- [1 .. B.length bytes - 1], n /= first] $ \n -> do
    B.writeFile (folder </> "old") (B.take n bytes)
    Outcome code out err <- from folder library []
    (code, out) @?= (ExitFailure 1, "")
    let (which, at) = if n < first then ("0", 0) else ("1", first)
    assertBool err $
      unwords ["value", which ++ ", which begins at byte", show at ++ ", cannot be decoded"]
        `isInfixOf` err
    assertBool err ("in Order." `isInfixOf` err)
    names folder >>= (@?= before)
  -- The last is still there.
  from folder library ["--partial"] >>= \outcome -> do
    outcomeCode outcome @?= ExitFailure 1
    outcomeOut outcome @?= unwords ["old: 1 record from", show first, "bytes\n"]
  contents new >>= (@?= take 1 orders)
  -- A file that is to be replaced stays.
  whole <- B.readFile new
  outcome <- from folder library ["-f"]
  outcomeCode outcome @?= ExitFailure 1
  B.readFile new >>= (@?= whole)
  B.writeFile (folder </> "old") bytes
  removeFile new
  where
    names folder = filter (`notElem` [".out", ".err"]) . sort <$> listDirectory folder

lengths :: Assertion
lengths = inFolder $ \folder -> forM_ libraries $ \(Library library one list) -> do
  written folder one orders
  let run bytes = B.writeFile (folder </> "old") bytes >> from folder library ["--list"]
      first = B.length (list (take 1 orders))
  run (B.take first (list orders))
    `gives` (1, [], ["ashlar: old: a list of 2 values ends after 1"])
  forM_ [list orders <> "x", list orders <> foldMap one (take 1 orders)] $ \bytes ->
    run bytes
      `gives` ( 1,
                [],
                [ unwords
                    [ "ashlar: old: bytes after the list of 2 values, from byte",
                      show (B.length (list orders)),
                      "on"
                    ]
                ]
              )
  Outcome code _ err <- run "\0\0"
  code @?= ExitFailure 1
  assertBool err ("old: the length of the list cannot be decoded" `isInfixOf` err)
  run (list [])
    `gives` (0, [unwords ["old: 0 records from", show (B.length (list [])), "bytes"]], [])
  removeFile (folder </> "new")

-- The input ends with the length, or has other bytes after it.
ofNoBytes :: Assertion
ofNoBytes = inFolder $ \folder -> forM_ libraries $ \(Library library one list) -> do
  written folder one [()]
  let run bytes = B.writeFile (folder </> "old") bytes >> from folder library ["--list", "-f"]
      three = list [(), (), ()]
      length' = B.length three
      huge = case library of
        "store" -> B.replicate 7 0 <> "\1"
        _ -> "\1" <> B.replicate 7 0
  run three `gives` (0, [unwords ["old: 3 records from", show length', "bytes"]], [])
  contents (folder </> "new") >>= (@?= [(), (), ()])
  run (three <> "x")
    `gives` ( 1,
              [],
              [ unwords
                  [ "ashlar: old: bytes after the list of 3 values, from byte",
                    show length',
                    "on"
                  ]
              ]
            )
  forM_ [huge, huge <> "x"] $ \bytes ->
    run bytes
      `gives` ( 1,
                [],
                [ "ashlar: old: a list of 72057594037927936 values of no bytes, where 1048576"
                    <> " are allowed"
                ]
              )

data Dated = Dated {day :: Day, count :: Natural}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

refused :: Assertion
refused = inFolder $ \folder -> do
  B.writeFile (folder </> "old") "x"
  B.writeFile (folder </> "schema") (encode (schema @Dated))
  from folder "store" []
    `gives` ( 2,
              [],
              [ "ashlar: Dated.day: the bytes of dates in store are not known",
                "ashlar: Dated.count: the bytes of Natural in store are not known"
              ]
            )
  from folder "binary" []
    `gives` (2, [], ["ashlar: Dated.day: the bytes of dates in binary are not known"])
  doesFileExist (folder </> "new") >>= (@?= False)
  wrong <- from folder "flat" []
  outcomeCode wrong @?= ExitFailure 2

piped :: Assertion
piped = inFolder $ \folder -> do
  written folder Cereal.encode orders
  let run = ["convert", "--from=cereal", "--schema", folder </> "schema", "-o", folder </> "new"]
      size = sum (map (B.length . Cereal.encode) orders)
      ended args =
        ashlar folder (run ++ args)
          `gives` (0, [unwords ["-: 2 records from", show size, "bytes"]], [])
  withBinaryFile (folder </> "old") ReadMode (`withStdin` ended ["-"])
  (readEnd, writeEnd) <- createPipe
  bytes <- B.readFile (folder </> "old")
  bracket (fdToHandle readEnd) hClose $ \h -> do
    -- A pipe holds that much.
    bracket (fdToHandle writeEnd) hClose (`B.hPut` bytes)
    withStdin h (ended ["-", "-f"])
  contents (folder </> "new") >>= (@?= orders)

limited :: Assertion
limited = inFolder $ \folder -> do
  written folder Cereal.encode [T.replicate 100000 "x"]
  few <- from folder "cereal" ["--limit", "64K"]
  outcomeCode few @?= ExitFailure 2
  assertBool (show few) ("65536" `isInfixOf` outcomeErr few)
  enough <- from folder "cereal" ["--limit", "1M"]
  outcomeCode enough @?= ExitSuccess
  -- Today's format may be longer.
  written folder Cereal.encode [T.replicate 34000000 "x"]
  B.writeFile (folder </> "schema") (encode (schema @UTF16))
  long <- from folder "cereal" ["-f"]
  outcomeCode long @?= ExitFailure 2
  assertBool (show long) ("value 0: Ashlar.File: a record of at least" `isInfixOf` outcomeErr long)
  contents (folder </> "new") >>= (@?= [T.replicate 100000 "x"])

-- Also of values that stand alone, and of records.
watched :: Assertion
watched = inFolder $ \folder -> do
  let large = replicate 200 (B.replicate 65536 1)
      given = ["--schema", folder </> "schema"]
  written folder Cereal.encode large
  B.writeFile (folder </> "values") (foldMap encode large)
  forM_
    [ ["convert", "--from", "cereal", "-o", folder </> "new", folder </> "old"] ++ given,
      ["verify", folder </> "values"] ++ given,
      ["cat", "-o", folder </> "copy", folder </> "values"] ++ given,
      ["convert", "--to", "json", "-o", folder </> "json", folder </> "values"] ++ given,
      ["convert", "--to", "json", "-o", folder </> "again", folder </> "new"]
    ]
    $ \command -> do
      withBinaryFile (folder </> "err") WriteMode $ \err ->
        withBinaryFile (folder </> "out") WriteMode $ \out -> do
          hs <- newHandles out err False True
          code <- runCli hs command
          code @?= ExitSuccess
      said <- B.readFile (folder </> "err")
      assertBool (unwords command) ("\r50 %\r51 %" `B.isInfixOf` said)
