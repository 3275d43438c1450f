-- |
-- Module      : Tests.Large
-- Description : Records that are nearly as large as is allowed, or larger
module Tests.Large (tests) where

import Ashlar.File
import Control.Exception (try)
import qualified Data.ByteString as S
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "large records"
    [ testProperty "no block is larger than a record may be" allowed,
      testProperty "appending does not cut off a block that is too large" (once kept)
    ]

ty :: RecordType S.ByteString
ty = fixedType "byte strings"

bytesOf :: Int -> S.ByteString
bytesOf n = S.replicate n 7

-- (The length of a record takes 8 bytes.)
allowed :: Property
allowed = forAll sizes $ \ns -> ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeBlockSize = 100, writeRecordLimit = limit}
      limit = 5000
  withWriter options ty path (`writeMany` map bytesOf ns)
  outcome <- readAll defaultReadOptions {readBlockLimit = limit} ty path
  pure (fmap (map S.length) (strictly' outcome) === Just ns)
  where
    sizes = listOf (frequency [(3, choose (0, 150)), (1, choose (4700, 4992))])
    strictly' outcome = case strictly outcome of
      (xs, Nothing) -> Just xs
      _ -> Nothing

kept :: Property
kept = ioProperty . inFile $ \path -> do
  let options = defaultWriteOptions {writeIndex = False, writeRecordLimit = 100000000}
  withWriter options ty path (`writeMany` [bytesOf 1, bytesOf 70000000])
  before <- S.readFile path
  refused <- try (appendRecords ty path [bytesOf 2])
  between <- S.readFile path
  withAppender options ty path (`writeMany` [bytesOf 3])
  outcome <- readAll defaultReadOptions {readBlockLimit = 100000000} ty path
  pure $
    conjoin
      [ either damageCause (const NotAFile) refused === TooLarge 70000008 67108864,
        property (before == between),
        map S.length (fst (strictly outcome)) === [1, 70000000, 3]
      ]
