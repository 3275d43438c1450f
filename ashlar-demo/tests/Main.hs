{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : Tests of the parser, and of the records' formats
module Main (main) where

import Ashlar.Codec (decode, encode)
import Ashlar.Get (DecodeError (..), newSource)
import Control.Exception (displayException)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.IORef (atomicModifyIORef', newIORef)
import qualified Data.Map.Strict as Map
import Package
import Parse
import System.Directory (doesFileExist)
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main = defaultMain (testGroup "ashlar-demo" [records, errors, realDatabase])

-- | Parse input that arrives in chunks of this size.
parseBy :: Int -> ByteString -> IO (Either DecodeError [Package])
parseBy n input = do
  rest <- newIORef input
  newSource (atomicModifyIORef' rest (\bs -> (S.drop n bs, S.take n bs))) >>= packagesFrom

-- | The result is the same, however the input is cut.
parsesTo :: ByteString -> Either DecodeError [Package] -> Assertion
parsesTo input expected =
  mapM_
    (\n -> parseBy n input >>= assertEqual ("in chunks of " ++ show n) expected)
    [1, 2, 3, 7, 64, 4096]

records :: TestTree
records =
  testGroup
    "records"
    [ testCase "all fields" $ sample `parsesTo` Right [expectedSample],
      testCase "two records, and empty lines around them" $
        "\n\nPackage: a\n\n\nPackage: b\nVersion: 1\n\n\n"
          `parsesTo` Right [namedPackage "a", (namedPackage "b") {packageVersion = Just "1"}],
      testCase "an empty input has no records" $ "" `parsesTo` Right [],
      testCase "a value that begins on the next line" $
        "Package: a\nTags:\n x,\n\ty\n"
          `parsesTo` Right [(namedPackage "a") {packageOther = Map.singleton "Tags" "\n x,\n\ty"}],
      testCase "dependencies over several lines" $
        "Package: a\nDepends: b,\n c\n"
          `parsesTo` Right
            [ (namedPackage "a")
                { packageDepends =
                    [[Dependency "b" Nothing Nothing], [Dependency "c" Nothing Nothing]]
                }
            ]
    ]

sample :: ByteString
sample =
  "Package: sample\n\
  \Status: install ok installed\n\
  \Priority: optional\n\
  \Section: misc\n\
  \Installed-Size: 686\n\
  \Maintainer: J\195\182rg <joerg@example.org>\n\
  \Architecture: amd64\n\
  \Multi-Arch: same\n\
  \Version: 1:3.1-4\n\
  \Depends: libc6 (>= 2.34), python3:any | perl (<<5.36), zlib1g\n\
  \Conffiles:\n\
  \ /etc/sample.conf cc3493ecd2d09837ffdcc3e25fdfff18\n\
  \ /etc/sample.old 11a06baf8245fd8d690b99024d228c1f obsolete\n\
  \Description: a sample\n\
  \ It has two\n\
  \ .\n\
  \  paragraphs.\n\
  \Homepage: https://example.org/\n"

expectedSample :: Package
expectedSample =
  Package
    { packageName = "sample",
      packageVersion = Just "1:3.1-4",
      packageStatus = Just (Status Install Ok Installed),
      packagePriority = Just Optional,
      packageSection = Just "misc",
      packageMaintainer = Just "J\246rg <joerg@example.org>",
      packageArchitecture = Just "amd64",
      packageInstalledSize = Just 686,
      packageDepends =
        [ [Dependency "libc6" Nothing (Just (Constraint LaterOrEqual "2.34"))],
          [ Dependency "python3" (Just "any") Nothing,
            Dependency "perl" Nothing (Just (Constraint Earlier "5.36"))
          ],
          [Dependency "zlib1g" Nothing Nothing]
        ],
      packageConffiles =
        [ Conffile "/etc/sample.conf" "cc3493ecd2d09837ffdcc3e25fdfff18" [],
          Conffile "/etc/sample.old" "11a06baf8245fd8d690b99024d228c1f" ["obsolete"]
        ],
      packageDescription = Just (Description "a sample" "It has two\n.\n paragraphs."),
      packageOther = Map.fromList [("Multi-Arch", "same"), ("Homepage", "https://example.org/")]
    }

errors :: TestTree
errors =
  testGroup
    "errors"
    [ failing "no field" "\DEL\NUL" "at byte 0: the name of a field expected",
      failing "no colon" "Package a\n" "at byte 7: ':' expected, not ' '",
      failing
        "the first field"
        "\nVersion: 1\n"
        "at byte 1: a record begins with the field Package",
      failing "no name" "Package:\n" "at byte 8, in Package: a name expected",
      failing
        "more than a name"
        "Package: a b\n"
        "at byte 11, in Package: the value should end here",
      failing
        "a second record"
        "Package: a\n\nPackage: b\nVersion: 1\nVersion: 2\n"
        "at byte 34, in package b: a second field Version",
      failing
        "the end within a line"
        "Package: a\nVersion: 1"
        "at byte 21, in package a: the input ends within a line",
      failing "the end within a name" "Package: a\nVers" "at byte 15, in package a: ':' expected",
      failing
        "UTF-8"
        "Package: a\nVersion: \255\n"
        "at byte 20, in package a / Version: invalid UTF-8",
      failing
        "a number"
        "Package: a\nInstalled-Size: 12x\n"
        "at byte 27, in package a / Installed-Size: a number expected, not \"12x\"",
      failing
        "a number too large"
        "Package: a\nInstalled-Size: 9999999999999999999\n"
        "at byte 27, in package a / Installed-Size: a number expected, not \"9999999999999999999\"",
      failing
        "a status"
        "Package: a\nStatus: install well installed\n"
        "at byte 27, in package a / Status: a flag expected, not \"well\"",
      failing
        "a digest"
        "Package: a\nConffiles:\n /etc/a 123\n"
        "at byte 30, in package a / Conffiles: an MD5 expected, not \"123\"",
      failing
        "an empty dependency"
        "Package: a\nDepends: b, , c\n"
        "at byte 23, in package a / Depends: the name of a package expected",
      failing
        "an operator"
        "Package: a\nDepends: b (=> 1)\n"
        "at byte 23, in package a / Depends: one of << <= = >= >> expected, not \"=>\"",
      failing
        "a version"
        "Package: a\nDepends: b (= )\n"
        "at byte 25, in package a / Depends: a version expected",
      failing
        "a parenthesis"
        "Package: a\nDepends: b (= 1\n"
        "at byte 26, in package a / Depends: ')' expected",
      failing
        "two names"
        "Package: a\nDepends: b c\n"
        "at byte 22, in package a / Depends: the value should end here"
    ]
  where
    failing name input message = testCase name $ do
      parsed <- parseBy (S.length input) input
      -- The first line is the message. The others show the input.
      either (takeWhile (/= '\n') . displayException) show parsed @?= message
      -- However the input is cut.
      input `parsesTo` parsed

-- | The database of this machine, if it has one.
realDatabase :: TestTree
realDatabase = testCaseSteps "the database of this machine" $ \step -> do
  exists <- doesFileExist path
  if not exists
    then step "there is none"
    else do
      database <- S.readFile path
      packages <- parseBy 32768 database >>= either (assertFailure . displayException) pure
      length packages @?= length (filter ("Package:" `S.isPrefixOf`) (C.lines database))
      decode (encode packages) @?= Right packages
  where
    path = "/var/lib/dpkg/status"
