{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Joined
-- Description : Files that were joined to one
module Tests.Joined (tests) where

import Ashlar.Codec (encode)
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (schema)
import Ashlar.Zlib.File (zlibBlocks)
import Control.Monad (zipWithM)
import qualified Data.ByteString as B
import Data.Int (Int64)
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Run

tests :: TestTree
tests =
  testGroup
    "joined files"
    [ testCase "of one type: every command reads them as one file" oneType,
      testCase "of several types: repair and split --files have all records" severalTypes,
      testCase "cat refuses another type, unless --mixed allows it" catMixed,
      testCase "compressed or not: repair and split have all records" compressed,
      testCase "compressed, the header damaged: repair expands all records" compressedHeaderless,
      localOption (QuickCheckTests 40) $
        testProperty "a file is cut off or damaged: repair has all else" anyDamage
    ]

numbers :: FilePath -> [Int64] -> IO ()
numbers path xs =
  withWriter defaultWriteOptions {writeBlockSize = 80} described path (`writeMany` xs)

texts :: FilePath -> [Text] -> IO ()
texts path xs =
  withWriter defaultWriteOptions {writeBlockSize = 80} described path (`writeMany` xs)

joined :: FilePath -> [FilePath] -> IO ()
joined path parts = mapM B.readFile parts >>= B.writeFile path . B.concat

oneType :: Assertion
oneType = inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
  numbers (file "a") [0 .. 24]
  numbers (file "b") [25 .. 39]
  joined (file "ab") [file "a", file "b"]
  size <- B.length <$> B.readFile (file "a")
  run ["show", file "ab"] `gives` (0, map show [0 .. 39 :: Int], [])
  run ["show", file "ab", "--from", "30"] `gives` (0, map show [30 .. 39 :: Int], [])
  run ["schema", file "ab"] `gives` (0, ["Int64"], [])
  run ["verify", file "ab"]
    `gives` ( 0,
              [ "ab: another file begins at byte " ++ show size,
                "ab: ok, 40 records in 5 blocks of 2 files"
              ],
              []
            )
  rows <- printed (run ["stat", file "ab"])
  map words (take 3 rows)
    @?= map words ["2 files that were joined", "40 records", "5 blocks of records"]
  run ["repair", file "ab", "-o", file "one"]
    `gives` (0, ["ab: 40 records of 2 files kept, none lost"], [])
  run ["verify", file "one"] `gives` (0, ["one: ok, 40 records in 6 blocks"], [])
  run ["show", file "one"] `gives` (0, map show [0 .. 39 :: Int], [])
  run ["cat", file "ab", "-o", file "two"] `gives` (0, [], [])
  run ["show", file "two"] `gives` (0, map show [0 .. 39 :: Int], [])
  run ["split", "--files", file "ab", "-o", file "part"]
    `gives` (0, ["ab: 40 records in 2 files"], [])
  run ["show", file "part.0001"] `gives` (0, map show [0 .. 24 :: Int], [])
  run ["show", file "part.0002"] `gives` (0, map show [25 .. 39 :: Int], [])
  run ["split", "--records", "30", file "ab", "-o", file "count"]
    `gives` (0, ["ab: 40 records in 2 files"], [])
  run ["show", file "count.0002"] `gives` (0, map show [30 .. 39 :: Int], [])

severalTypes :: Assertion
severalTypes = inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
      shown = map show [0 .. 9 :: Int] ++ ["\"x\"", "\"y\""] ++ map show [10 .. 19 :: Int]
  numbers (file "a") [0 .. 9]
  texts (file "b") ["x", "y"]
  numbers (file "c") [10 .. 19]
  numbers (file "d") []
  joined (file "abc") (map file ["a", "b", "c", "d"])
  at <- B.length <$> B.readFile (file "a")
  run ["show", file "abc"] `gives` (0, shown, [])
  Outcome verified lines' _ <- run ["verify", file "abc"]
  verified @?= ExitSuccess
  take 1 (lines lines')
    @?= ["abc: another file begins at byte " ++ show at ++ ", of another type"]
  Outcome _ schemas _ <- run ["schema", file "abc"]
  filter ("-- " `List.isPrefixOf`) (lines schemas)
    @?= ["-- from record 0 on", "-- from record 10 on", "-- from record 12 on"]
  run ["repair", file "abc", "-o", file "one"]
    `gives` (0, ["abc: 22 records of 4 files kept, none lost"], [])
  run ["show", file "one"] `gives` (0, shown, [])
  run ["split", "--files", file "abc", "-o", file "part"]
    `gives` (0, ["abc: 22 records in 4 files"], [])
  parts <- mapM (\i -> printed (run ["show", file ("part.000" ++ i)])) ["1", "2", "3", "4"]
  concat parts @?= shown
  map length parts @?= [10, 2, 10, 0]
  -- Each has its own type.
  got <- foldRecords described (file "part.0002") (\acc t -> pure (acc ++ [t])) []
  got @?= Right ["x", "y" :: Text]
  refused <- foldRecords described (file "abc") (\n x -> pure (n + x)) (0 :: Int64)
  either (show . damageOffset) show refused @?= show at

catMixed :: Assertion
catMixed = inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
  numbers (file "a") [0, 1]
  texts (file "b") ["x"]
  joined (file "ab") [file "a", file "b"]
  at <- B.length <$> B.readFile (file "a")
  run ["cat", file "ab", "-o", file "out"]
    `gives` ( 2,
              [],
              [ "ashlar: ab: the file at byte " ++ show at
                  ++ " is of another type; say --mixed to allow it"
              ]
            )
  run ["cat", "--mixed", file "ab", "-o", file "out"] `gives` (0, [], [])
  run ["show", file "out"] `gives` (0, ["0", "1", "\"x\""], [])

compressed :: Assertion
compressed = inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
      long = [T.replicate 200 "x", T.replicate 300 "y"]
      options = defaultWriteOptions {writeCompression = Just (zlibBlocks 6)}
      shown = concat (replicate 2 (map show (long ++ ["z"])))
  withWriter options described (file "a") (`writeMany` long)
  texts (file "b") ["z"]
  joined (file "abab") (map file ["a", "b", "a", "b"])
  joined (file "baba") (map file ["b", "a", "b", "a"])
  run ["repair", file "abab", "-o", file "one"]
    `gives` (0, ["abab: 6 records of 4 files kept, none lost"], [])
  run ["show", file "one"] `gives` (0, shown, [])
  run ["repair", file "baba", "-o", file "other"]
    `gives` (0, ["baba: 6 records of 4 files kept, none lost"], [])
  Outcome _ out _ <- run ["show", file "other"]
  List.sort (lines out) @?= List.sort shown
  Outcome _ split _ <- run ["split", "--bytes", "400", file "baba", "-o", file "part"]
  let n = read (words split !! 4) :: Int
  parts <- mapM (\i -> printed (run ["show", file ("part.000" ++ show i)])) [1 .. n]
  sizes <- mapM (\i -> B.length <$> B.readFile (file ("part.000" ++ show i))) [1 .. n]
  -- Those with more have one block.
  assertBool (show sizes) (n > 1 && n < 9 && all (< 800) sizes)
  List.sort (concat parts) @?= List.sort shown
  run ["split", "--files", file "abab", "-o", file "each"]
    `gives` (0, ["abab: 6 records in 4 files"], [])
  each <- mapM (\i -> printed (run ["show", file ("each.000" ++ i)])) ["1", "2", "3", "4"]
  concat each @?= shown

compressedHeaderless :: Assertion
compressedHeaderless = inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
      long = [T.replicate 200 "x", T.replicate 300 "y"]
  withWriter defaultWriteOptions {writeCompression = Just (zlibBlocks 6)} described (file "a") $
    \w -> writeMany w long
  texts (file "b") ["z"]
  flipAt (file "a") 30
  joined (file "ba") [file "b", file "a"]
  B.writeFile (file "schema") (encode (schema @Text))
  _ <- run ["repair", file "a", "--schema", file "schema", "-o", file "one"]
  run ["verify", file "one"] `gives` (0, ["one: ok, 2 records in 2 blocks"], [])
  run ["show", file "one"] `gives` (0, map show long, [])
  _ <- run ["repair", file "ba", "-o", file "both"]
  run ["verify", file "both"] `gives` (0, ["both: ok, 3 records in 3 blocks"], [])
  run ["show", file "both"] `gives` (0, map show ("z" : long), [])

-- Blocks of 10 numbers. The block in which something is damaged is lost, or those from there on.
anyDamage :: [(Positive Int, Maybe (Bool, NonNegative Int))] -> Property
anyDamage files = ioProperty . inFolder $ \folder -> do
  let file = (folder </>)
      run = ashlar folder
      part i (Positive n, harm) = do
        numbers (file (show i)) (xs i n)
        bytes <- B.readFile (file (show i))
        -- After the header.
        let at k = 63 + k `mod` (B.length bytes - 63)
        pure $ case harm of
          Nothing -> (bytes, xs i n)
          Just (True, NonNegative k) ->
            (B.take (at k) bytes, take ((at k - 63) `div` 152 * 10) (xs i n))
          Just (False, NonNegative k) ->
            let (before, rest) = B.splitAt (at k) bytes
                block = (at k - 63) `div` 152
             in ( B.concat [before, B.map (+ 1) (B.take 1 rest), B.drop 1 rest],
                  [x | (x, j) <- zip (xs i n) [0 ..], j `div` 10 /= block]
                )
      xs i n = map (+ 1000 * i) [0 .. fromIntegral n * 10 - 1]
  made <- zipWithM part [0 ..] ((Positive 2, Nothing) : files)
  B.writeFile (file "all") (B.concat (map fst made))
  outcome <- run ["repair", file "all", "-o", file "repaired"]
  Outcome code out _ <- run ["show", file "repaired"]
  checked <- run ["verify", file "repaired"]
  let kept = concatMap snd made
      sizes = map (B.length . fst) made
      -- What is missing of a block has as many bytes as the files after it: they may be its end.
      ambiguous =
        or
          [ 152 - (n - 63) `mod` 152 `elem` drop 1 (scanl (+) 0 later)
            | n : later <- List.tails sizes
          ]
  pure . (not ambiguous ==>) . counterexample (show outcome) $
    conjoin
      [ code === ExitSuccess,
        outcomeCode checked === ExitSuccess,
        lines out === map show kept,
        last (lines (outcomeOut outcome))
          === "all: "
          ++ show (length kept)
          ++ " record"
          ++ of' (length made)
          ++ " kept"
          ++ (if outcomeCode outcome == ExitSuccess then ", none lost" else "")
      ]
  where
    of' n = if n > 1 then "s of " ++ show n ++ " files" else "s"
