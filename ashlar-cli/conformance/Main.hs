{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : The cases of the folder conformance
--
-- They say what other implementations of the formats must do. The suite makes them anew, and
-- compares them with the files. With ASHLAR_GOLDEN=write in the environment, it writes the files.
module Main (main) where

import Conformance.Case
import Conformance.Evolution.Leaves (leafChanges, shapeChanges)
import Conformance.Evolution.Nested (nestedChanges)
import Conformance.Evolution.Packed (packedChanges)
import Conformance.Evolution.Types (typeChanges)
import Conformance.Files (files)
import Conformance.Messages (messages)
import Conformance.Schemas (schemas)
import Conformance.Sources (sources)
import Conformance.Values.Derived (derived)
import Conformance.Values.Keys (keyed)
import Conformance.Values.Leaves (leaves)
import Conformance.Values.Packed (packed)
import Conformance.Values.Shapes (shapes)
import Control.Monad (when)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.List as List
import System.Environment (lookupEnv)
import System.FilePath ((<.>), (</>))
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main =
  defaultMain $
    testGroup
      "conformance"
      [ casesOf "values" (pure (leaves ++ shapes ++ keyed ++ derived ++ packed)),
        casesOf "schemas" (pure schemas),
        casesOf "files" files,
        casesOf "messages" messages,
        casesOf "sources" (pure sources),
        casesOf "evolution" . pure $
          leafChanges ++ shapeChanges ++ typeChanges ++ nestedChanges ++ packedChanges
      ]

-- | The cases of a file, and those that are made.
casesOf :: String -> IO [Entry] -> TestTree
casesOf name made = testCase name $ do
  cases <- made
  let names = map entryName cases
  names List.\\ List.nub names @?= []
  how <- lookupEnv "ASHLAR_GOLDEN"
  when (how == Just "write") $ B.writeFile path (rendered cases)
  committed <- B.readFile path
  -- (A line at a time, so that a failure is short.)
  mapM_ (uncurry (@?=)) (zip (C.lines committed) (C.lines (rendered cases)))
  committed == rendered cases @? "another number of cases"
  where
    path = "conformance" </> "cases" </> name <.> "json"
