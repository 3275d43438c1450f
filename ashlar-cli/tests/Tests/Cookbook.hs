{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Cookbook
-- Description : What the cookbook shows of the tool is what it prints
module Tests.Cookbook (tests) where

import Ashlar.Codec (Codec)
import Ashlar.File
import Ashlar.File.Described
import Ashlar.Schema (Described)
import Control.Monad (forM_)
import qualified Data.ByteString as B
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.Generics (Generic)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
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
  B.writeFile (folder </> "damaged") (before <> B.map (+ 1) (B.take 1 rest) <> B.drop 1 rest)
  let shown = commands (console page)
  assertBool "no commands" (length shown >= 5)
  forM_ shown $ \(command, output) -> do
    outcome <- ashlar folder (map (inside folder) (arguments command))
    (command, lines (outcomeOut outcome), outcomeErr outcome) @?= (command, output, "")
  where
    inside folder w = if w `elem` ["orders", "damaged"] then folder </> w else w

-- The lines of what is typed and shown.
console :: [T.Text] -> [String]
console = map T.unpack . takeWhile (/= "```") . drop 1 . dropWhile (/= "```console")

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
