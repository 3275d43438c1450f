{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Streams
-- Description : split, compressed files, the standard input, limits
module Tests.Streams (tests) where

import Ashlar.Codec (encode)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Blocks
import Ashlar.File.Described
import Ashlar.Schema (schema)
import Ashlar.Zlib.File (zlibBlocks)
import Control.Monad (forM, forM_)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Data.List (isPrefixOf, sort)
import Data.Text (Text)
import qualified Data.Text as T
import System.Directory (listDirectory, removeFile)
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
    "streams"
    [ testCase "split" parted,
      testCase "split --bytes: each file has as many at most, or one block" sized,
      testCase "zlib" compressed,
      testCase "the standard input" piped,
      testCase "limits" limited
    ]

withOrders :: (FilePath -> (String -> FilePath) -> ([String] -> IO Outcome) -> IO a) -> IO a
withOrders act = inFolder $ \folder -> do
  writeRecords described (folder </> "orders") orders
  act (folder </> "orders") (folder </>) (ashlar folder)

parted :: Assertion
parted = inFolder $ \folder -> do
  let path = folder </> "numbers"
      inside = (folder </>)
      run = ashlar folder
      small = defaultWriteOptions {writeBlockSize = 64}
      parts = map (\i -> inside ("part.000" ++ show (i :: Int)))
      valuesOf file = concat <$> printed (run ["show", file])
  withWriter small described path (`writeMany` [1 .. 20 :: Int64])
  entire <- concat <$> printed (run ["show", path])
  -- Blocks have eight records.
  run ["split", path, "--records", "7", "-o", inside "part"]
    `gives` (0, ["numbers: 20 records in 3 files"], [])
  numbers <- mapM (\file -> length <$> printed (run ["show", file])) (parts [1 .. 3])
  numbers @?= [7, 7, 6]
  joined <- mapM valuesOf (parts [1 .. 3])
  concat joined @?= entire
  verified' <- printed (run ("verify" : parts [1 .. 3]))
  length verified' @?= 3
  run ["split", path, "--records", "20", "-o", inside "part"]
    `gives` (2, [], ["ashlar: part.0001: exists; say --force to replace it"])
  run ["split", path, "--force", "--bytes", "1", "-o", inside "part"]
    `gives` (0, ["numbers: 20 records in 3 files"], [])
  again <- mapM valuesOf (parts [1 .. 3])
  concat again @?= entire
  run ["split", path, "--force", "--bytes", "1M", "-o", inside "part"]
    `gives` ( 0,
              [ "numbers: 20 records in 1 file",
                "part.0002: it was there before, and is none of these"
              ],
              []
            )
  writeRecords described (inside "none") ([] :: [Int64])
  run ["split", inside "none", "--records", "1", "-o", inside "empty"]
    `gives` (0, ["none: 0 records in 1 file"], [])
  printed (run ["show", inside "empty.0001"]) >>= (@?= [])

-- The second half of the records is of another type, so a block with its schema is written, too.
sized :: Assertion
sized = inFolder $ \folder -> do
  let inside = (folder </>)
      run = ashlar folder
      small = defaultWriteOptions {writeBlockSize = 64}
  withWriter small described (inside "numbers") (`writeMany` [1 .. 20 :: Int64])
  withWriter small described (inside "pairs") (`writeMany` [(n, n) | n <- [1 .. 10 :: Int64]])
  run ["cat", "--mixed", inside "numbers", inside "pairs", "-o", inside "both"]
    `gives` (0, [], [])
  entire <- printed (run ["show", inside "both"])
  forM_ [200, 208 .. 1200 :: Int] $ \most -> do
    outcome <- run ["split", inside "both", "--bytes", show most, "-o", inside "part"]
    outcomeCode outcome @?= ExitSuccess
    files <- sort . filter ("part." `isPrefixOf`) <$> listDirectory folder
    parts <- forM files $ \file -> do
      size <- B.length <$> B.readFile (inside file)
      headers <- blocksOf (inside file)
      assertBool (show (most, file, size)) (size <= most || length headers == 1)
      printed (run ["show", inside file]) <* removeFile (inside file)
    concat parts @?= entire
  where
    blocksOf file = do
      found <- foldBlocks defaultReadOptions file (\acc e -> pure (e : acc)) []
      pure [h | Right es <- [found], WholeBlock b <- es, let h = blockHeader b, isRecords h]
    isRecords h = blockKind h == Records

compressed :: Assertion
compressed = inFolder $ \folder -> do
  let path = folder </> "texts"
      texts = replicate 1000 (T.replicate 20 "brick ")
      options = defaultWriteOptions {writeCompression = Just (zlibBlocks 6)}
  withWriter options described path (`writeMany` texts)
  size <- B.length <$> B.readFile path
  assertBool (show size) (size < 10000)
  shown' <- printed (ashlar folder ["show", path])
  shown' @?= map show texts
  ashlar folder ["verify", path] `gives` (0, ["texts: ok, 1000 records in 5 blocks"], [])
  ashlar folder ["split", path, "--records", "999", "-o", folder </> "part"]
    `gives` (0, ["texts: 1000 records in 2 files"], [])
  printed (ashlar folder ["show", folder </> "part.0002"]) >>= (@?= take 1 (map show texts))

piped :: Assertion
piped = withOrders $ \path inside run -> do
  entire <- printed (run ["show", path])
  fromStdin path (printed (run ["show", "-"])) >>= (@?= entire)
  fromStdin path (printed (run ["show", "-", "--from", "1", "--count", "1"]))
    >>= (@?= take 1 (drop 1 entire))
  B.writeFile (inside "values") (B.concat (map encode orders))
  B.writeFile (inside "schema") (encode (schema @Order))
  let bare' = ["--schema", inside "schema", "-"]
  fromStdin (inside "values") (printed (run ("show" : bare'))) >>= (@?= entire)
  fromStdin (inside "values") (run ("verify" : bare')) `gives` (0, ["-: ok, 3 values"], [])
  fromStdin path (run ["verify", "-"])
    `gives` ( 2,
              [],
              ["ashlar: -: verify needs a file, not a stream; save it to a file first"]
            )
  where
    fromStdin file act = withBinaryFile file ReadMode (`withStdin` act)

limited :: Assertion
limited = inFolder $ \folder -> do
  let path = folder </> "text"
  writeRecords described path [T.replicate 100000 "x"]
  few <- ashlar folder ["show", path, "--limit", "64K"]
  outcomeCode few @?= ExitFailure 2
  printed (ashlar folder ["show", path, "--limit", "1M"]) >>= (@?= 1) . length
  B.writeFile (folder </> "value") (encode (T.replicate 100000 "x"))
  B.writeFile (folder </> "schema") (encode (schema @Text))
  let bare' = ["show", "--schema", folder </> "schema", folder </> "value", "--limit"]
  small <- ashlar folder (bare' ++ ["64K"])
  outcomeCode small @?= ExitFailure 2
  printed (ashlar folder (bare' ++ ["1M"])) >>= (@?= 1) . length
