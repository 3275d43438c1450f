{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Replies
-- Description : What Redis replies, without Redis
module Tests.Replies (tests) where

import Ashlar.Jobs.Engine
import Ashlar.Jobs.Internal.Replies
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import qualified Data.Map.Strict as M
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "replies of Redis"
    [ testProperty "pauses between attempts grow to a second, and stay there" (once pauses),
      testProperty "what was set aside has its batch and its errors, by number" aside,
      testProperty "200,000 batches that were set aside are read within a minute" (once many)
    ]

pauses :: Property
pauses = take 7 all' === growing .&&. take 1000 (drop 6 all') === replicate 1000 1000000
  where
    all' = iterate longerPause 0
    growing = [0, 20000, 60000, 140000, 300000, 620000, 1000000]

-- Some have no errors, because these were lost.
aside :: M.Map Int64 (String, Maybe String) -> Property
aside batches =
  forAll (shuffle fields) $ \shuffled ->
    asideOf shuffled
      === [ Aside n (C.pack batch) (maybe "" C.pack failure)
            | (n, (batch, failure)) <- M.toAscList batches
          ]
  where
    fields =
      concat
        [ (dec n <> ":batch", C.pack batch) :
            [(dec n <> ":failure", C.pack text) | Just text <- [failure]]
          | (n, (batch, failure)) <- M.toAscList batches
        ]

-- With a search in all fields for each batch, this takes some minutes.
many :: Property
many = within 60000000 (map asideNumber (asideOf fields) === [0 .. 199999])
  where
    fields = [(dec n <> what, "") | n <- [0 .. 199999 :: Int64], what <- [":batch", ":failure"]]
