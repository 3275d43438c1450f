-- |
-- Module      : Main
-- Description : Properties of optimised code
--
-- There are three kinds of tests. While "Subjects" is compiled, inspection-testing checks that no
-- generic representation is left in derived instances. The Core of "Subjects", "Puts" and
-- "Decoders" shows how often the free space, or the input left, is checked. The Core of "Literals"
-- and "LiteralTable" shows that literals are bytes.
module Main (main) where

import Control.Monad (filterM)
import Data.Char (isDigit, isSpace)
import Data.List (isInfixOf, isPrefixOf, isSuffixOf, tails)
import Data.Version (makeVersion)
import Decoders ()
import LiteralTable (table)
import Literals ()
import Puts ()
import Subjects
import System.Directory (doesDirectoryExist, listDirectory)
import System.Environment (getExecutablePath)
import System.FilePath (takeDirectory, (</>))
import System.Info (compilerVersion)
import Test.Inspection (Result (..))
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main = do
  core <- readFile =<< findCore "Subjects"
  literals <- readFile =<< findCore "Literals"
  decoders <- readFile =<< findCore "Decoders"
  puts <- readFile =<< findCore "Puts"
  literalTable <- readFile =<< findCore "LiteralTable"
  defaultMain $
    testGroup
      "Core"
      [ testGroup
          "checks of the free space"
          [ counts core "adjacent" 1,
            counts core "leftNested" 1,
            counts core "beforeUnknown" 1,
            counts core "bytesBetween" 2,
            counts core "manyFields" 1,
            counts core "tooMany" 2,
            counts core "textFields" 1,
            counts core "listed" 1,
            counts core "folded" 1,
            counts core "mixedFields" 2,
            counts core "oneOfSome" 3,
            counts core "ofVariableLength" 1,
            counts core "asInMemory" 1,
            counts core "asPrimitives" 1,
            counts core "combinedPrimitives" 1,
            counts core "byMethods" 1,
            counts core "byOwnName" 1,
            counts core "pointFree" 1,
            counts core "byteOrders" 1,
            counts core "byteStrings" 1
          ],
        testGroup
          "ByteStrings that are literals"
          -- Before 9.6, bytestring makes them when the program runs.
          [absent core "byteStrings" "copyOrInsert" | compilerVersion >= makeVersion [9, 6]],
        testGroup "no generic representation is left" (map (uncurry holds) withoutGenerics),
        testGroup
          "checks of the free space, in the monad"
          [ counts puts "fiveWrites" 1,
            counts puts "aroundUnknown" 2,
            counts puts "valuesBetween" 1,
            counts puts "inLoop" 1,
            counts puts "literalWithin" 1,
            counts puts "asMonoid" 1,
            counts puts "asBuilder" 2,
            counts puts "combined" 3
          ],
        testGroup
          "checks of the bytes left, in decoders"
          [ counts decoders "record" 1,
            counts decoders "ofNumbers" 1,
            counts decoders "recordsAdded" 1,
            counts decoders "numberLeftOut" 1,
            counts decoders "afterUnknown" 1,
            counts decoders "ofThreeBytes" 1,
            counts decoders "inSomeOrder" 1,
            -- Literals are compared in place.
            counts decoders "keywords" 2
          ],
        testGroup
          "string literals"
          [ counts literals "beside" 1,
            counts literals "between" 1,
            counts literals "twoOfThem" 1,
            counts literals "long" 2,
            counts literals "byHand" 1,
            counts literals "named" 1,
            testCase "no list of characters, no Text" (noStrings literals),
            testCase "the terms for each, standing alone" (fewTerms literalTable)
          ]
      ]

holds :: String -> Result -> TestTree
holds name result = testCase name $ case result of
  Success _ -> pure ()
  Failure message -> assertFailure message

-- Every function that makes a list or a text from a literal at run time has one of these names. The
-- compiler computes the length of a literal.
noStrings :: String -> Assertion
noStrings core =
  [ t | t <- words core, any (`isPrefixOf` t) ["unpack", "pack", "$wunpack", "$wpack", "Text", "C#"]
                           || "strlen" `isInfixOf` t
  ]
    @?= []

-- Written in place, each literal would take about a hundred terms.
fewTerms :: String -> Assertion
fewTerms core = do
  let terms = takeWhile isDigit (drop 1 (dropWhile (/= ' ') (dropWhile (/= '{') core)))
      number = length table
  assertBool terms (read terms > 5 * number && read terms <= 20 * number)

-- A check compares the difference of two addresses with a number. In Core, the definition of a
-- function extends to the next empty line, and so do those of helpers with its name and a number.
counts :: String -> String -> Int -> TestTree
counts core name n =
  testCase (name ++ ": " ++ show n) $ do
    own <- coreOf core name
    length (filter (">=# (minusAddr#" `isPrefixOf`) (tails own)) @?= n

-- The Core of a function does not name another.
absent :: String -> String -> String -> TestTree
absent core name other =
  testCase (name ++ ": no " ++ other) $ do
    own <- coreOf core name
    assertBool own (not (other `isInfixOf` own))

-- The Core of a function and its helpers, on one line.
coreOf :: String -> String -> IO String
coreOf core name = do
  let own = filter defines (paragraphs (lines core))
  assertBool ("no Core of " ++ name) (not (null own))
  pure (unwords (words (unwords (concat own))))
  where
    defines p = case dropWhile comment p of
      first : _ ->
        takeWhile (`notElem` "0123456789") (takeWhile (not . isSpace) (withoutWorker first)) == name
      [] -> False
    comment l = "--" `isPrefixOf` l || "Rec {" `isPrefixOf` l
    withoutWorker s = if "$w" `isPrefixOf` s then drop 2 s else s

paragraphs :: [String] -> [[String]]
paragraphs ls = case break null (dropWhile null ls) of
  ([], _) -> []
  (p, rest) -> p : paragraphs rest

-- The compiler's dump is somewhere below the directory of this program.
findCore :: String -> IO FilePath
findCore name = do
  here <- takeDirectory <$> getExecutablePath
  found <-
    filter (\p -> ("/" ++ name ++ ".dump-simpl") `isSuffixOf` p && "inspect" `isInfixOf` p)
      <$> filesBelow here
  case found of
    [path] -> pure path
    _ ->
      errorWithoutStackTrace
        ("one dump of the Core of " ++ name ++ " expected below " ++ here ++ ", not " ++ show found)

filesBelow :: FilePath -> IO [FilePath]
filesBelow dir = do
  entries <- map (dir </>) <$> listDirectory dir
  dirs <- filterM doesDirectoryExist entries
  (filter (`notElem` dirs) entries ++) . concat <$> mapM filesBelow dirs
