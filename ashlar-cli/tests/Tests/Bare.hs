{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Bare
-- Description : What is no file of values one after another, and what is no file of records
module Tests.Bare (tests) where

import Ashlar.Codec (encode)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (schema)
import Control.Monad (forM_)
import qualified Data.ByteString as B
import Data.Word (Word8)
import System.Directory (doesPathExist)
import System.FilePath ((</>))
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Run
import Tests.Types (Order, orders)

tests :: TestTree
tests =
  testGroup
    "files of values, of records, and of a schema"
    [ testCase "a file of records is none of values" ofRecords,
      testCase "a file of records is not one of another library, nor of text" already,
      testCase "values that begin like a file of records" likeRecords,
      testCase "a schema is no file of records" ofSchema
    ]

withOrders :: (FilePath -> ([String] -> IO Outcome) -> IO a) -> IO a
withOrders act = inFolder $ \folder -> do
  writeRecords described (folder </> "orders") orders
  B.writeFile (folder </> "order.schema") (encode (schema @Order))
  act folder (ashlar folder)

-- Commands that read a file, given it, and a file to write.
commands :: FilePath -> FilePath -> [[String]]
commands path out =
  [ ["show", path],
    ["query", path, ".number"],
    ["verify", path],
    ["stat", path],
    ["convert", "--to", "json", path, "-o", out]
  ]

-- Whether the schema is that of the same file or lies alone, and also in a stream.
ofRecords :: Assertion
ofRecords = withOrders $ \folder run -> do
  let path = folder </> "orders"
      out = folder </> "out"
      values p = ["cat", p, "-o", out] : commands p out
      refused = "is a file of records, which has a schema of its own; leave out --schema"
  forM_ [path, folder </> "order.schema"] $ \given -> do
    forM_ (values path) $ \command ->
      run (command ++ ["--schema", given]) `gives` (2, [], ["ashlar: orders: " ++ refused])
    forM_ (filter ((/= ["stat"]) . take 1) (values "-")) $ \command ->
      withBinaryFile path ReadMode . flip withStdin $
        run (command ++ ["--schema", given]) `gives` (2, [], ["ashlar: -: " ++ refused])
  -- Others are still checked.
  B.writeFile (folder </> "values") (foldMap encode orders)
  run ["verify", "--schema", path, path, folder </> "values"]
    `gives` (2, ["values: ok, 3 values"], ["ashlar: orders: " ++ refused])
  doesPathExist out >>= (@?= False)

already :: Assertion
already = withOrders $ \folder run -> do
  let path = folder </> "orders"
  forM_ ["binary", "cereal", "store", "json", "csv"] $ \from ->
    run ["convert", "--from", from, "--schema", path, path, "-o", folder </> "out"]
      `gives` (2, [], ["ashlar: orders: is a file of records already"])
  doesPathExist (folder </> "out") >>= (@?= False)

-- What has no whole header is as good as any other values.
likeRecords :: Assertion
likeRecords = withOrders $ \folder run -> do
  let path = folder </> "orders"
      values = folder </> "values"
  B.writeFile (folder </> "byte.schema") (encode (schema @Word8))
  whole <- B.readFile path
  let prefixes = [B.take n whole | n <- [1 .. 60]]
  flipAt path 20
  wrongSum <- B.readFile path
  forM_ (wrongSum : prefixes) $ \bytes -> do
    B.writeFile values bytes
    run ["show", "--schema", folder </> "byte.schema", values]
      `gives` (0, map show (B.unpack bytes), [])
    withBinaryFile values ReadMode . flip withStdin $
      run ["verify", "--schema", folder </> "byte.schema", "-"]
        `gives` (0, ["-: ok, " ++ several (B.length bytes)], [])
  where
    several n = show n ++ (if n == 1 then " value" else " values")

ofSchema :: Assertion
ofSchema = withOrders $ \folder run -> do
  let said = "a schema, not a file of records; ashlar schema order.schema shows it"
  forM_ (commands (folder </> "order.schema") (folder </> "out")) $ \command ->
    run command `gives` (2, [], ["ashlar: order.schema: " ++ said])
