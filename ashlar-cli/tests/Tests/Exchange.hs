{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Exchange
-- Description : convert, from and to JSON and CSV
module Tests.Exchange
  ( tests,

    -- * For other modules
    to,
    from,
    withSchema,
    contents,
    reads',
    refuses,
  )
where

import Ashlar.Codec (Codec, encode)
import Ashlar.Codec.Packed (Pack)
import qualified Ashlar.Codec.Packed as P (Packed (..), Unpacked (..))
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema
  ( Constructor (..),
    Definition (..),
    Described,
    Field (..),
    Form (..),
    Leaf (..),
    Number (..),
    Schema (..),
    Shape (..),
    ValueOrder (..),
    schema,
  )
import Control.Monad (forM_)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Fixed (Centi)
import Data.List (isInfixOf)
import qualified Data.Map as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Generics (Generic)
import System.Directory (doesFileExist)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO (IOMode (..), withBinaryFile)
import Test.Tasty hiding (after)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Json (Sample (..))
import Tests.Run
import Tests.Types (All, Channel (..), Item (..), Order (..), olderOrders, orders)

tests :: TestTree
tests =
  testGroup
    "exchange"
    [ localOption (QuickCheckTests 50) . localOption (QuickCheckMaxSize 30) $
        testProperty "random values, to text and back" roundTrip,
      testCase "rows" rows,
      testCase "JSON as others write it" otherJson,
      testCase "CSV as others write it" otherCsv,
      testCase "a missing text, and an empty one" missing,
      testCase "a missing value that is packed, or in what is packed" missingPacked,
      testCase "a newtype that contains itself" recursive,
      testCase "columns that are none" noColumns,
      testCase "a stream without records" emptyStream,
      testCase "values that are not of the type" wrongValues,
      testCase "text that is no JSON" noJson,
      testCase "text that is no CSV" noCsv,
      testCase "partial" partial,
      testCase "damage" damage,
      testCase "records of two types" twoTypes,
      testCase "no records" noRecords,
      testCase "limits" limited
    ]

-- Convert a file, in the folder, to another.
to :: FilePath -> String -> FilePath -> FilePath -> IO Outcome
to folder form old new =
  ashlar folder ["convert", "--to", form, "-f", "-o", folder </> new, folder </> old]

from :: FilePath -> String -> [String] -> FilePath -> FilePath -> IO Outcome
from folder form more old new =
  ashlar folder $
    ["convert", "--from", form, "--schema", folder </> "schema", "-f", "-o", folder </> new]
      ++ more
      ++ [folder </> old]

withSchema :: forall a b. Described a => (FilePath -> IO b) -> IO b
withSchema act = inFolder $ \folder -> do
  B.writeFile (folder </> "schema") (encode (schema @a))
  act folder

contents :: Described a => FilePath -> IO [a]
contents path = do
  found <- foldRecords described path (\xs x -> pure (x : xs)) []
  either (assertFailure . show) (pure . reverse) found

-- (NaNs differ from themselves, so bytes are compared.)
roundTrip :: [Sample] -> Property
roundTrip samples = ioProperty . withSchema @All $ \folder -> do
  let xs = [x | Sample x <- samples]
  writeRecords described (folder </> "records") xs
  checks <- mapM (through folder xs) [("json", []), ("csv", [])]
  pure (conjoin checks)
  where
    through folder xs (form, more) = do
      there <- to folder form "records" "text"
      back <- from folder form more "text" "new"
      text <- C.readFile (folder </> "text")
      found <- if outcomeCode back == ExitSuccess then contents (folder </> "new") else pure []
      pure . counterexample (show (there, back, text)) $
        map encode (found :: [All]) === map encode xs
          .&&. outcomeCode there === ExitSuccess

-- Read text, which has these values.
reads' :: (Described a, Eq a, Show a) => String -> [String] -> B.ByteString -> [a] -> Assertion
reads' form more text (xs :: [a]) = withSchema @a $ \folder -> do
  B.writeFile (folder </> "text") text
  from folder form more "text" "new" >>= \outcome -> outcomeErr outcome @?= ""
  contents (folder </> "new") >>= (@?= xs)

rows :: Assertion
rows = inFolder $ \folder -> do
  writeRecords described (folder </> "records") orders
  to folder "csv" "records" "text" `gives` (0, [], [])
  text <- B.readFile (folder </> "text")
  text
    @?= C.unlines
      [ "number,channel,items,note",
        "1,\"{\"\"Shop\"\":{\"\"town\"\":\"\"Graz\"\",\"\"till\"\":7}}\",\"[{\"\"name\"\":\
        \\"\"brick\"\",\"\"price\"\":0.75},{\"\"name\"\":\"\"mortar\"\",\"\"price\"\":4.5}]\",",
        "2,Web,[],urgent",
        "-3,Web,\"[{\"\"name\"\":\"\"s\\u001b[31md\"\",\"\"price\"\":1.0e9}]\","
      ]

otherJson :: Assertion
otherJson = do
  let item = "{\"price\": 1, \"name\": \"a\\u00e9\\ud83d\\ude00\\/\\n\" }"
      order = Order 7 Web [Item "a\233\128512/\n" 1] Nothing
      one = " {\"items\":[" <> item <> " ] , \"channel\":\"Web\", \"number\": 7}\n"
  reads' "json" [] (one <> "\r\n\t" <> one) [order, order]
  reads' "json" [] (C.filter (/= '\n') (one <> one)) [order, order]
  reads' "json" ["--list"] ("\n[" <> one <> "," <> one <> "] ") [order, order]
  reads' "json" ["--list"] "[ ]" ([] :: [Order])
  reads' "json" [] "  \n" ([] :: [Order])
  reads' "json" [] "3 -2.50e1 0" [3, -25, 0 :: Double]
  -- Whole numbers as other programs write them.
  reads' "json" [] "1.0 -25.00e1 1E2 0e9999999999 120e-1" [1, -250, 100, 0, 12 :: Int]
  reads' "json" [] "1.5 2.5e0 25e-1 1e2" [1.5, 2.5, 2.5, 100 :: Centi]
  let why = "ashlar: text: value 0, which begins at byte 0: a whole number expected, not "
  forM_ ["1.5", "1e-1", "1e9999999", "1e99999999999999999999"] $ \t ->
    withSchema @Integer $ \folder -> do
      B.writeFile (folder </> "text") t
      outcome <- from folder "json" [] "text" "new"
      outcomeErr outcome @?= why ++ C.unpack t ++ "\n"
  -- After the mark of UTF-8, as some programs write it.
  reads' "json" [] "\xEF\xBB\xBF 1 2" [1, 2 :: Int]
  reads' "json" ["--list"] "\xEF\xBB\xBF[1]" [1 :: Int]
  -- As it is written.
  reads' "json" [] "{\"a\":2,\"\\ud800\":1}" [M.fromList [('\xD800', 1), ('a', 2 :: Int)]]

otherCsv :: Assertion
otherCsv = do
  let text =
        "\xEF\xBB\xBFprice,\"name\"\r\n1.5,\"say \"\"hi\"\",\r\n you\"\r\n\"2\",\"\"\n0,brick"
  reads' "csv" [] text [Item "say \"hi\",\r\n you" 1.5, Item "" 2, Item "brick" 0]
  reads' "csv" [] "\xEF\xBB\xBF\"price\",\"name\"\n1,x\n\n\r\n" [Item "x" 1]
  reads' "csv" [] "value\n7\n8.0\n" [7, 8 :: Int]
  reads' "csv" [] "value\n\n" [T.empty]
  reads' "csv" [] "items,number,channel\n[],3,Web\n" [Order 3 Web [] Nothing]

missing :: Assertion
missing = forM_ [Nothing, Just "", Just "null", Just "\"", Just " x"] $ \m ->
  inFolder $ \folder -> do
    let xs = [Order 1 Web [] (m :: Maybe Text)]
    B.writeFile (folder </> "schema") (encode (schema @Order))
    writeRecords described (folder </> "records") xs
    forM_ ["json", "csv"] $ \form -> do
      to folder form "records" "text" `gives` (0, [], [])
      from folder form [] "text" "new" `gives` (0, ["text: 1 record"], [])
      contents (folder </> "new") >>= (@?= xs)

data Sack = Sack {packed :: P.Packed (Maybe Text), plain :: P.Unpacked (Maybe Text)}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

data Bag = Bag {open :: Bool, count :: P.Unpacked (Maybe Word8), size' :: Word8, sizes :: [Word8]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described, Pack)

missingPacked :: Assertion
missingPacked = do
  withSchema @Sack $ \folder -> do
    let texts = [Nothing, Just "", Just "null", Just "brick"]
        xs = [Sack (P.Packed m) (P.Unpacked n) | m <- texts, n <- texts]
    writeRecords described (folder </> "records") xs
    forM_ ["json", "csv"] $ \form -> do
      to folder form "records" "text" `gives` (0, [], [])
      from folder form [] "text" "new" `gives` (0, ["text: 16 records"], [])
      contents (folder </> "new") >>= (@?= xs)
  reads'
    "json"
    []
    "{\"open\":false,\"size'\":0,\"sizes\":[1,7]}"
    [P.Packed (Bag False (P.Unpacked Nothing) 0 [1, 7])]

newtype Nested = Nested (Maybe Nested)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

recursive :: Assertion
recursive = withSchema @Nested $ \folder -> do
  let xs = take 4 (iterate (Nested . Just) (Nested Nothing))
  writeRecords described (folder </> "records") xs
  forM_ ["json", "csv"] $ \form -> do
    to folder form "records" "text" `gives` (0, [], [])
    from folder form [] "text" "new" `gives` (0, ["text: 4 records"], [])
    contents (folder </> "new") >>= (@?= xs)
  ashlar folder ["show", "--json", folder </> "records"]
    `gives` (0, ["null", "[null]", "[[null]]", "[[[null]]]"], [])

-- Types by hand: two columns would have one name, and there would be a million; and a type without
-- values.
noColumns :: Assertion
noColumns = inFolder $ \folder -> do
  let refusesAll s why = do
        B.writeFile (folder </> "schema") (encode s)
        B.writeFile (folder </> "text") "1"
        outcome <- from folder "csv" [] "text" "new"
        (outcomeCode outcome, outcomeErr outcome) @?= (ExitFailure 2, "ashlar: " ++ why ++ "\n")
      record n fields = Definition n Record Unordered [Constructor n False fields]
      int = Leaf (Number I32)
      both shape = [Field "a" shape, Field "b" shape]
  refusesAll
    ( Schema (Reference 0) . V.fromList $
        [record "A" [Field "a.b" int, Field "a" (Reference 1)], record "B" [Field "b" int]]
    )
    "two columns named \"a.b\""
  refusesAll
    ( Schema (Reference 0) . V.fromList $
        [ record (T.pack ('R' : show i)) (both (Reference (i + 1)))
          | i <- [0 .. 59]
        ]
          ++ [record "R" [Field "c" int]]
    )
    "more than 10000 columns"
  let self = Schema (Reference 0) (V.fromList [Definition "N" Newtype Unordered [only]])
      only = Constructor "N" False [Field "1" (Reference 0)]
  B.writeFile (folder </> "schema") (encode self)
  Outcome code _ err <- from folder "json" [] "text" "new"
  code @?= ExitFailure 1
  assertBool err ("the type has no values" `isInfixOf` err)

emptyStream :: Assertion
emptyStream = inFolder $ \folder -> do
  writeRecords described (folder </> "records") ([] :: [Order])
  forM_ [("csv", 2), ("avro", 2), ("json", 0)] $ \(form, code) ->
    withBinaryFile (folder </> "records") ReadMode $ \h -> do
      let command = ["convert", "--to", form, "-o", folder </> form, "-"]
          message = ["ashlar: -: a stream without records" | code == 2]
      withStdin h (ashlar folder command) `gives` (code, [], message)
      doesFileExist (folder </> form) >>= (@?= code == 0)

-- Refused, with this message, and no file.
refuses :: forall a. Described a => String -> [(B.ByteString, String)] -> Assertion
refuses form cases = withSchema @a $ \folder -> forM_ cases $ \(text, why) -> do
  B.writeFile (folder </> "text") text
  Outcome code out err <- from folder form [] "text" "new"
  (code, out) @?= (ExitFailure 1, "")
  assertBool (err ++ " has no " ++ why) (why `isInfixOf` err)
  doesFileExist (folder </> "new") >>= (@?= False)

wrongValues :: Assertion
wrongValues = do
  refuses @Order
    "json"
    [ ("{}", "the field number is missing"),
      ("[]", "an object expected, not an array; say --list if the file is one list\n"),
      (order "1" "Web" <> "[]", "an object expected, not an array\n"),
      (order "1.5" "Web", ".number: a whole number expected, not 1.5"),
      (order "1" "Net", ".channel: no constructor Net; there is Shop, Web"),
      (order "1" "Shop", ".channel: the constructor Shop has fields"),
      ( "{\"number\":1,\"channel\":\"Web\",\"items\":[{\"name\":\"a\",\"price\":0},\
        \{\"name\":3,\"price\":0}]}",
        "at byte 0: .items[1].name: a text expected, not 3"
      ),
      ( "{\"number\":1,\"channel\":\"Web\",\"items\":[],\"more\":0}",
        "no field more; there is number, channel, items, note"
      )
    ]
  refuses @Channel
    "json"
    [("{\"Shop\":{\"town\":\"a\",\"till\":256}}", ".Shop.till: 256 is out of range")]
  refuses @Double "json" [("1e400", "1e400 is out of range"), ("-1e999999999", "is out of range")]
  refuses @Bool
    "json"
    [("true false 1", "value 2, which begins at byte 11: true or false expected")]
  refuses @Item
    "csv"
    [("name,price\na,1\nb,x\n", "value 1, which begins at byte 15: price: a number expected")]
  where
    order n c = "{\"number\":" <> n <> ",\"channel\":\"" <> c <> "\",\"items\":[]}"

noJson :: Assertion
noJson = do
  refuses @Int
    "json"
    [(text, "cannot be decoded") | text <- C.words "01 1. - +1 1e .5 tru nul { [1 1,2 \" '1'"]
  refuses @Text
    "json"
    [ ("\"\\ud800\"", "a text expected, not a surrogate"),
      ("\"a\\ud800\"", "a surrogate alone"),
      ("\"\\udc00\\ud800\"", "a surrogate alone"),
      ("\"\\u12g4\"", "four hexadecimal digits"),
      ("\"\\x\"", "no escape"),
      ("\"\n\"", "cannot be decoded"),
      ("\"\xff\"", "no UTF-8")
    ]
  refuses @Item "json" [("{\"name\":\"a\",\"name\":\"b\",\"price\":1}", "two members of one name")]
  refuses @[Int] "json" [(C.replicate 1000000 '[', "nested more than 100000 levels deep")]

noCsv :: Assertion
noCsv = do
  withSchema @Item $ \folder -> do
    B.writeFile (folder </> "text") "name,price\na,1\n"
    Outcome code _ err <- from folder "csv" ["--list"] "text" "new"
    (code, err) @?= (ExitFailure 2, "ashlar: csv knows no --list: a file is one table\n")
  refuses @Item
    "csv"
    [ ("name,price\na\n", "fewer than 2 cells"),
      ("name,price\na,1,\n", "more than 2 cells"),
      ("name,price\n\"a,1\n", "without its closing quote"),
      ("name,price\n\"a\"\"", "without its closing quote"),
      ("name,price\n\"a\"b,1\n", "expected a comma, or the end of a line"),
      ("name,price\na\"b,1\n", "expected a comma, or the end of a line"),
      ("name,price\n\xff,1\n", "name: no UTF-8"),
      ("name\na\n", "the column \"price\" is missing"),
      ("name,price,name\na,1,b\n", "two columns named \"name\""),
      ("name,cost\na,1\n", "no field \"cost\"; there is name, price"),
      (C.replicate 100000 ',', "more than 10000 cells"),
      ("", "the type has no field \"\"")
    ]

partial :: Assertion
partial = withSchema @Int $ \folder -> do
  B.writeFile (folder </> "text") "1 2 x"
  Outcome code out err <- from folder "json" ["--partial"] "text" "new"
  (code, out) @?= (ExitFailure 1, "text: 2 records\n")
  assertBool err ("value 2, which begins at byte 4" `isInfixOf` err)
  contents (folder </> "new") >>= (@?= [1, 2 :: Int])

damage :: Assertion
damage = inFolder $ \folder -> do
  let records = folder </> "records"
      options = defaultWriteOptions {writeBlockSize = 1}
  withWriter options described records $ \w -> mapM_ (write w) [1 .. 3 :: Int]
  bytes <- B.readFile records
  -- The last block of records.
  let (before, after) = B.splitAt (B.length bytes `div` 2) bytes
  B.writeFile records (before <> B.map (+ 1) (B.take 1 after) <> B.drop 1 after)
  Outcome code _ err <- to folder "csv" "records" "text"
  code @?= ExitFailure 1
  assertBool err ("text: not written" `isInfixOf` err)
  doesFileExist (folder </> "text") >>= (@?= False)
  kept <- ashlar folder ["convert", "--to", "csv", "-k", "-o", folder </> "text", records]
  outcomeCode kept @?= ExitFailure 1
  text <- C.lines <$> B.readFile (folder </> "text")
  take 1 text @?= ["value"]
  assertBool (show text) (length text < 4 && all (`elem` ["value", "1", "2", "3"]) text)

twoTypes :: Assertion
twoTypes = inFolder $ \folder -> do
  writeRecords described (folder </> "a") orders
  writeRecords described (folder </> "b") olderOrders
  a <- B.readFile (folder </> "a")
  b <- B.readFile (folder </> "b")
  B.writeFile (folder </> "both") (a <> b)
  to folder "csv" "both" "text"
    `gives` (2, [], ["ashlar: both: records of another schema have other fields"])
  doesFileExist (folder </> "text") >>= (@?= False)
  to folder "json" "both" "text" `gives` (0, [], [])
  text <- C.lines <$> B.readFile (folder </> "text")
  length text @?= length orders + length olderOrders

noRecords :: Assertion
noRecords = inFolder $ \folder -> do
  writeRecords described (folder </> "records") ([] :: [Order])
  to folder "csv" "records" "text" `gives` (0, [], [])
  B.readFile (folder </> "text") >>= (@?= "number,channel,items,note\n")
  to folder "json" "records" "text" `gives` (0, [], [])
  B.readFile (folder </> "text") >>= (@?= "")

limited :: Assertion
limited = withSchema @Text $ \folder -> do
  B.writeFile (folder </> "text") (C.pack (show (T.replicate 2000 "x")))
  Outcome code _ err <- from folder "json" ["--limit", "1K"] "text" "new"
  code @?= ExitFailure 2
  assertBool err ("has more than 1024 bytes; say --limit" `isInfixOf` err)
