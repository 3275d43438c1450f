-- |
-- Module      : Tests.Instances
-- Description : The laws and the bytes of every instance
--
-- "Tests.Instances.All" lists the instances. The laws (INV-C1, INV-C2, INV-C3) run on random
-- values. The bytes of some values are recorded twice: in golden, so that a change of the
-- format fails a test, and in docs/format.md, for users.
--
-- With ASHLAR_GOLDEN=write in the environment, the golden files are written instead of compared.
module Tests.Instances (tests) where

import Ashlar.Codec.Golden
import Ashlar.Codec.Laws (codecLawsFor)
import Control.Monad (forM_)
import Data.Char (isAlphaNum, toLower)
import Data.List (isPrefixOf, (\\))
import System.Environment (lookupEnv)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperties)
import Tests.Instances.All
import Tests.Instances.Type

tests :: TestTree
tests =
  testGroup
    "instances"
    [ testGroup
        "laws"
        [ testGroup
            (sectionName s)
            [ testProperties name (filter (affordable name . fst) (codecLawsFor xs))
              | Golden name xs _ <- sectionInstances s
            ]
          | s <- sections
        ],
      testGroup "golden bytes" [testCase (sectionName s) (goldenFile s) | s <- sections],
      testCase "docs/format.md has these bytes" documented
    ]

-- Most inputs of two bytes are lists of thousands of units. To decode and encode all 65,536 takes a
-- minute. Other lists have the same lengths.
affordable :: String -> String -> Bool
affordable name law =
  not (name `elem` ["Compact [()]", "Packed [()]"] && "short inputs" `isPrefixOf` law)

-- The file has the bytes that the instances write, and decodes to the values.
goldenFile :: Section -> Assertion
goldenFile s = do
  how <- lookupEnv "ASHLAR_GOLDEN"
  if how == Just "write"
    then writeGolden file (sectionInstances s)
    else compareGolden file (sectionInstances s) >>= (@?= [])
  where
    file = "golden/" ++ map plain (sectionName s) ++ ".txt"
    plain c = if isAlphaNum c then toLower c else '-'

-- The tables in the documentation have exactly these rows, in this order, up to the section on
-- other packages.
documented :: Assertion
documented = do
  h <- openFile "format.md" ReadMode
  hSetEncoding h utf8
  text <- takeWhile (/= "## Other packages") . lines <$> hGetContents h
  let found = [line | line <- text, "| `" `isPrefixOf` line]
      wanted = concatMap (map markdownRow . goldenRows . sectionInstances) sections
  forM_ sections $ \s ->
    assertBool ("no section " ++ sectionName s) (("## " ++ sectionName s) `elem` text)
  found \\ wanted @?= []
  wanted \\ found @?= []
  found @?= wanted
  hClose h
