{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Paths
-- Description : Paths are read as they are written
module Tests.Paths (tests) where

import Ashlar.Cli.Path
import Data.Either (isLeft)
import qualified Data.Text as T
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "paths"
    [ testProperty "parsePath . showPath" (forAll path (\p -> parsePath (showPath p) === Right p)),
      testCase "examples" $ do
        parsePath ".items[].price" @?= Right [Named "items", Each, Named "price"]
        parsePath "items[0]" @?= Right [Named "items", At 0]
        parsePath "." @?= Right []
        parsePath ".[].a" @?= Right [Each, Named "a"]
        parsePath ".stock{\"a\\\"b\"}{}{key}"
          @?= Right [Named "stock", ValueOf "a\"b", EachValue, EachKey],
      testCase "invalid paths: refused" . mapM_ (\t -> assertBool (show t) (isLeft (parsePath t))) $
        [".items[", ".items[x]", "..", ".items]", ".a{b}", ".\"a", ".a[99999999999]", ".a{", ".a."]
    ]
  where
    path = listOf step
    step =
      oneof
        [ Named <$> name,
          pure Each,
          At <$> choose (0, 1000),
          pure EachValue,
          pure EachKey,
          ValueOf <$> name
        ]
    name = T.pack <$> listOf (elements "ab'1.[]{}\"\\ \955")
