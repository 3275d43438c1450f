-- |
-- Module      : Main
-- Description : Ashlar's functions beside those that they replace
--
-- A row is a function of another library and ours. Each row is tried with all samples of its
-- argument, under all circumstances ("Builders", "Decoders"). A user must see the same of both.
-- @docs\/porting.md@ lists what differs. Rows and circumstances leave out only that.
module Main (main) where

import qualified Builders
import Data.List (isPrefixOf)
import qualified Decoders
import Exports
import Instances
import qualified Rows.BinaryBuilder
import qualified Rows.BinaryGet
import qualified Rows.BinaryPut
import qualified Rows.Bytestring
import qualified Rows.CerealGet
import qualified Rows.CerealPut
import qualified Rows.Differences
import qualified Rows.Prim
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main =
  defaultMain $
    testGroup
      "side by side"
      [ testGroup "Data.ByteString.Builder" (map builder Rows.Bytestring.rows),
        testGroup "Data.ByteString.Builder.Prim" (map builder Rows.Prim.rows),
        testGroup "Data.Binary.Put" (map builder Rows.BinaryPut.rows),
        testGroup "Data.Binary.Builder" (map builder Rows.BinaryBuilder.rows),
        testGroup "Data.Binary.Get" (map decoder Rows.BinaryGet.rows),
        testGroup "Data.Serialize.Put" (map builder Rows.CerealPut.rows),
        testGroup "Data.Serialize.Get" (map decoder Rows.CerealGet.rows),
        Rows.Differences.tests,
        testCase "every function has a row" (nothing =<< complete tables),
        testCase "each instance of the originals is there, or listed" (nothing =<< differences),
        testCase "docs/porting.md lists the instances that are left out" $ do
          page <- lines <$> readFile "side-by-side/porting.md"
          let section = drop 1 (dropWhile (/= "### Instances that are left out") page)
              table = takeWhile (not . isPrefixOf "#") section
          filter (isPrefixOf "| `") table @?= leftOutTable
      ]
  where
    -- The tree of tests lives to the end. So each test makes its samples when it runs.
    builder r = testCase (Builders.rowName r) (pure r >>= Builders.differences >>= nothing)
    decoder r = testCase (Decoders.rowName r) (pure r >>= Decoders.differences >>= nothing)

-- | The first of the differences.
nothing :: [String] -> Assertion
nothing found = case found of
  [] -> pure ()
  _ -> assertFailure (show (length found) ++ " differences\n" ++ unlines (take 20 found))

tables :: [Table]
tables =
  [ Table
      [ "Data.ByteString.Builder",
        "Data.ByteString.Builder.Extra",
        "Data.ByteString.Builder.RealFloat"
      ]
      (map Builders.rowName Rows.Bytestring.rows)
      ( everyRow
          [ "toLazyByteString",
            "toLazyByteStringWith",
            "hPutBuilder",
            "runBuilder",
            "safeStrategy",
            "untrimmedStrategy"
          ]
          ++ [ (f, "an argument of formatDouble")
               | f <- ["standard", "standardDefaultPrecision", "scientific", "generic"]
             ]
      ),
    Table
      ["Data.ByteString.Builder.Prim"]
      (map Builders.rowName Rows.Prim.rows)
      ( everyRow
          [ "primBounded",
            "primFixed",
            "primMapListBounded",
            "primMapListFixed",
            "primUnfoldrBounded",
            "primUnfoldrFixed",
            "liftFixedToBounded"
          ]
      ),
    Table
      ["Data.Binary.Put"]
      (map Builders.rowName Rows.BinaryPut.rows)
      (everyRow ["runPut", "execPut"]),
    Table ["Data.Binary.Builder"] (map Builders.rowName Rows.BinaryBuilder.rows) [],
    Table
      ["Data.Binary.Get"]
      (map Decoders.rowName Rows.BinaryGet.rows)
      ( everyRow
          [ "runGet",
            "runGetOrFail",
            "runGetIncremental",
            "runGetState",
            "pushChunk",
            "pushChunks",
            "pushEndOfInput"
          ]
      ),
    Table
      ["Data.Serialize.Put"]
      (map Builders.rowName Rows.CerealPut.rows)
      (everyRow ["runPutLazy", "execPut"]),
    Table
      ["Data.Serialize.Get"]
      (map Decoders.rowName Rows.CerealGet.rows)
      ( everyRow
          [ "runGet",
            "runGetLazy",
            "runGetState",
            "runGetLazyState",
            "runGetPartial",
            "runGetChunk"
          ]
      ),
    Table
      ["Data.Serialize.IEEE754"]
      (map Builders.rowName Rows.CerealPut.rows ++ map Decoders.rowName Rows.CerealGet.rows)
      []
  ]
  where
    everyRow fs = [(f, "every row uses it") | f <- fs]
