{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Cookbook
-- Description : What the cookbook shows of the tool is what it prints
module Tests.Cookbook (tests) where

import Ashlar.Codec (Codec, encode)
import Ashlar.File
import Ashlar.File.Described
import Ashlar.Schema (Described, schema)
import Control.Monad (forM_)
import qualified Data.Binary as Binary
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.Generics (Generic)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import qualified Tests.Cookbook.Old as Old
import Tests.Run

-- As on the page.
data Order = Order {number :: Int, items :: [Item], note :: Maybe Text}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Item = Item {name :: Text, price :: Double}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

tests :: TestTree
tests = testCase "the page files.md of the cookbook" . inFolder $ \folder -> do
  page <- T.lines . T.decodeUtf8 <$> B.readFile "tests/files.md"
  let append order = appendRecords described (folder </> "orders") [order]
  append (Order 1 [Item "brick" 0.75, Item "mortar" 4.5] Nothing)
  append (Order 2 [Item "sand" 12] (Just "urgent"))
  whole <- B.readFile (folder </> "orders")
  -- A byte of the second block of records.
  let (before, rest) = B.splitAt 460 whole
  B.writeFile (folder </> "joined") (whole <> whole)
  B.writeFile (folder </> "damaged") (before <> B.map (+ 1) (B.take 1 rest) <> B.drop 1 rest)
  L.writeFile (folder </> "orders.bin") $
    foldMap Binary.encode [Old.Order "brick" 12, Old.Order "mortar" 3]
  B.writeFile (folder </> "order.schema") (encode (schema @Old.Order))
  let shown = concatMap commands (consoles page)
  assertBool "no commands" (length shown >= 7)
  forM_ shown $ \(command, output) -> do
    outcome <- ashlar folder (map (inside folder) (arguments command))
    (command, lines (outcomeOut outcome), outcomeErr outcome) @?= (command, output, "")
  where
    inside folder w
      | w `elem` names = folder </> w
      | otherwise = w
    names =
      [ "orders",
        "damaged",
        "joined",
        "orders.bin",
        "orders.csv",
        "order.schema",
        "new",
        "one",
        "again"
      ]

-- The lines of what is typed and shown, in each place.
consoles :: [T.Text] -> [[String]]
consoles page = case dropWhile (/= "```console") page of
  [] -> []
  _ : rest -> map T.unpack (takeWhile (/= "```") rest) : consoles rest

-- Each command, and its output, which an empty line ends before the next command.
commands :: [String] -> [(String, [String])]
commands ls = case ls of
  [] -> []
  command : rest ->
    let (output, more) = break ((== "$ ") . take 2) rest
     in (command, if null more then output else take (length output - 1) output) : commands more

-- Without the name of the tool, and without quotation marks.
arguments :: String -> [String]
arguments = map (filter (/= '\'')) . drop 2 . words
