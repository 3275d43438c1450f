{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Instances
-- Description : Every instance: its laws, and its bytes
--
-- The one list of instances. For each there are values at random, for the laws
-- (INV-C1, INV-C2, INV-C3), and values whose bytes are written down twice: in
-- tests/golden, which tells when the format has changed, and in docs/format.md, which
-- tells users.
--
-- With ASHLAR_GOLDEN=write in the environment the golden files are written, and not
-- compared.
module Tests.Instances (tests) where

import Ashlar.Codec (decode, encode)
import Ashlar.Codec.Laws (Samples (..), codecLawsFor)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import Data.Char (isAlphaNum, toLower)
import Data.List (intercalate, isPrefixOf, (\\))
import Data.Word (Word8)
import Numeric (readHex, showHex)
import System.Environment (lookupEnv)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck (testProperties)
import qualified Tests.Instances.Base as Base
import qualified Tests.Instances.Containers as Containers
import qualified Tests.Instances.Derived as Derived
import qualified Tests.Instances.Time as Time
import Tests.Instances.Type
import qualified Tests.Instances.Wrappers as Wrappers

sections :: [Section]
sections =
  [ Base.numbers,
    Base.characters,
    Base.data',
    Base.tuples,
    Base.newtypes,
    Containers.strings,
    Containers.containers,
    Containers.vectors,
    Containers.arrays,
    Time.times,
    Derived.derived,
    Wrappers.wrappers
  ]

tests :: TestTree
tests =
  testGroup
    "instances"
    [ testGroup
        "laws"
        [ testGroup (sectionName s) [testProperties name (codecLawsFor xs) | Instance name xs _ <- sectionInstances s]
          | s <- sections
        ],
      testGroup "golden bytes" [testCase (sectionName s) (golden s) | s <- sections],
      testCase "docs/format.md has these bytes" documented
    ]

-- A value, its type, and its bytes in hexadecimal.
data Row = Row String String String
  deriving stock (Eq, Show)

rows :: Section -> [Row]
rows s = [Row name (sampleShow xs x) (hex (encode x)) | Instance name xs vs <- sectionInstances s, x <- vs]

hex :: S.ByteString -> String
hex = unwords . map byte . S.unpack
  where
    byte w = if w < 16 then '0' : showHex w "" else showHex w ""

unHex :: String -> S.ByteString
unHex = S.pack . map (fst . head . (readHex :: ReadS Word8)) . words

-- The file has the rows that we make, and from its bytes come the values.
golden :: Section -> Assertion
golden s = do
  how <- lookupEnv "ASHLAR_GOLDEN"
  let file = "tests/golden/" ++ map plain (sectionName s) ++ ".txt"
  if how == Just "write"
    then withFile file WriteMode $ \h -> hSetEncoding h utf8 >> hPutStr h (unlines (concatMap line (rows s)))
    else do
      written <- parse . lines <$> readUtf8 file
      written @?= rows s
      let bytes = [b | Row _ _ b <- written]
      forM_ (zip (values s) bytes) (\(check, b) -> check (unHex b))
  where
    plain c = if isAlphaNum c then toLower c else '-'
    line (Row t x b) = [t, "  " ++ x, "  " ++ b]
    parse (t : x : b : more) = Row t (drop 2 x) (drop 2 b) : parse more
    parse _ = []

-- For each value: does it come from these bytes?
values :: Section -> [S.ByteString -> Assertion]
values s = [decodes xs x | Instance _ xs vs <- sectionInstances s, x <- vs]
  where
    decodes xs x bs = case decode bs of
      Right y | sampleEq xs x y -> pure ()
      Right y -> assertFailure (sampleShow xs y ++ " instead of " ++ sampleShow xs x)
      Left e -> assertFailure (show e)

-- The tables in the documentation are the rows, in this order and no others.
documented :: Assertion
documented = do
  text <- lines <$> readUtf8 "format.md"
  let found = [line | line <- text, "| `" `isPrefixOf` line]
      wanted = concatMap (map tableRow . rows) sections
  forM_ sections $ \s -> assertBool ("no section " ++ sectionName s) (("## " ++ sectionName s) `elem` text)
  found \\ wanted @?= []
  wanted \\ found @?= []
  found @?= wanted
  where
    tableRow (Row t x b) = "| " ++ intercalate " | " (map code [t, x, b]) ++ " |"
    code x = if null x then "no bytes" else "`" ++ concatMap escaped x ++ "`"
    escaped c = if c == '|' then "\\|" else [c]

readUtf8 :: FilePath -> IO String
readUtf8 file = do
  h <- openFile file ReadMode
  hSetEncoding h utf8
  text <- hGetContents h
  length text `seq` hClose h
  pure text
