{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.Characters
-- Description : convert, lists of characters from and to JSON and CSV
module Tests.Characters (tests) where

import Ashlar.Codec (Codec)
import qualified Ashlar.Codec.Packed as P (Packed (..))
import Ashlar.File hiding (Outcome)
import Ashlar.File.Described
import Ashlar.Schema (Described)
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Map as M
import qualified Data.Vector as V
import GHC.Generics (Generic)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Exchange hiding (tests)
import Tests.Run

tests :: TestTree
tests =
  testGroup
    "lists of characters"
    [ testProperty "to text and back" strings,
      testCase "as others write them" otherStrings
    ]

data Strings = Strings
  { string :: String,
    perhaps :: Maybe String,
    many :: NonEmpty Char,
    small :: P.Packed String,
    letters :: V.Vector Letter
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

newtype Letter = Letter Char
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Described)

-- Also those that look like JSON, or like nothing.
strings :: Property
strings = forAll (listOf each) $ \xs -> ioProperty . withSchema @Strings $ \folder -> do
  writeRecords described (folder </> "records") xs
  checks <- mapM (through folder xs) ["json", "csv"]
  pure (conjoin checks)
  where
    through folder xs form = do
      there <- to folder form "records" "text"
      back <- from folder form [] "text" "new"
      found <- if outcomeCode back == ExitSuccess then contents (folder </> "new") else pure []
      pure . counterexample (show (there, back)) $ found === xs
    each =
      Strings <$> characters <*> liftArbitrary characters <*> ((:|) <$> letter <*> characters)
        <*> (P.Packed <$> characters)
        <*> (V.fromList . map Letter <$> characters)
    characters = oneof [listOf letter, elements alike]
    alike = ["", "[]", "[\"a\"]", "\"a\"", "null", "1", "{}", " "]
    letter = oneof [elements "[]\",{} \n\xD800\xDC00", arbitrary]

otherStrings :: Assertion
otherStrings = do
  let whole a b = Strings a b ('x' :| "") (P.Packed "yz") (V.fromList (map Letter "é"))
      others = "\"many\":\"x\",\"small\":\"yz\",\"letters\":\"\\u00e9\""
  reads'
    "json"
    []
    ( "{\"string\":\"ab\",\"perhaps\":\"\"," <> others <> "}"
        <> "{\"string\":[\"a\",\"b\"],\"perhaps\":null,"
        <> others
        <> "}{\"string\":\"\\ud800\","
        <> others
        <> "}"
    )
    [whole "ab" (Just ""), whole "ab" Nothing, whole "\xD800" Nothing]
  -- As the names of an object, too.
  reads' "json" [] "{\"a\":1,\"\":2}" [M.fromList [("a", 1), ("", 2 :: Int)] :: M.Map String Int]
  reads'
    "csv"
    []
    "string,perhaps,many,small,letters\n\
    \\"a,b\",,x,yz,\xc3\xa9\n\
    \\"[]\",\"\",x,\"[\"\"y\"\",\"\"z\"\"]\",\xc3\xa9\n\
    \\"[1, 2]\",[],x,yz,\xc3\xa9\n\
    \\"[\"\"ab\"\"]\",[,x,yz,\"[\"\"\xc3\xa9\"\"]\"\n\
    \\"\"\"a\"\"\",null,x,yz,\xc3\xa9\n"
    [ whole "a,b" Nothing,
      whole "" (Just ""),
      whole "[1, 2]" (Just ""),
      whole "[\"ab\"]" (Just "["),
      whole "\"a\"" (Just "null")
    ]
  refuses @String "json" [("3", "a string or an array of characters expected, not 3")]
  refuses @String "json" [("[\"ab\"]", "[0]: a character expected")]
  refuses @(NonEmpty Char) "json" [("\"\"", "no elements"), ("[]", "no elements")]
