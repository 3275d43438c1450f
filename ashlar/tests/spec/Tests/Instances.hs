-- |
-- Module      : Tests.Instances
-- Description : Every instance: its laws, and its bytes
--
-- For each ("Tests.Instances.All") there are values at random, for the laws
-- (INV-C1, INV-C2, INV-C3), and values whose bytes are written down twice: in
-- tests/golden, which tells when the format has changed, and in docs/format.md, which
-- tells users.
--
-- With ASHLAR_GOLDEN=write in the environment the golden files are written, and not
-- compared.
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
            [ testProperties name (codecLawsFor xs)
              | Golden name xs _ <- sectionInstances s
            ]
          | s <- sections
        ],
      testGroup "golden bytes" [testCase (sectionName s) (goldenFile s) | s <- sections],
      testCase "docs/format.md has these bytes" documented
    ]

-- The file has the bytes that we make, and from these come the values.
goldenFile :: Section -> Assertion
goldenFile s = do
  how <- lookupEnv "ASHLAR_GOLDEN"
  if how == Just "write"
    then writeGolden file (sectionInstances s)
    else compareGolden file (sectionInstances s) >>= (@?= [])
  where
    file = "tests/golden/" ++ map plain (sectionName s) ++ ".txt"
    plain c = if isAlphaNum c then toLower c else '-'

-- The tables in the documentation are these rows, in this order and no others, up to
-- the part on other packages.
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
