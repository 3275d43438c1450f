-- |
-- Module      : Tests.Readers
-- Description : Readers of a file that is cut off, and of what is no file
module Tests.Readers (tests) where

import Ashlar.File
import Control.Exception (IOException, try)
import Data.Int (Int64)
import System.FilePath ((</>))
import System.Posix.Files (createNamedPipe, fileSize, getFileStatus, setFileSize)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Files

tests :: TestTree
tests =
  testGroup
    "readers"
    [ testProperty "records are missing since a reader was opened: it says so" missing,
      testProperty "an index is missing since a reader was opened: it answers" (once indexMissing),
      testProperty "reading a FIFO is an error at once" (once fifo)
    ]

numbers :: RecordType Int64
numbers = fixedType "numbers"

-- The first argument says what the reader was asked before.
missing :: [NonNegative Int64] -> NonNegative Int64 -> Positive Int64 -> Property
missing before (NonNegative i) (Positive n) = ioProperty . inFile $ \path -> do
  withWriter defaultWriteOptions {writeBlockSize = 200} numbers path (`writeMany` [0 .. 999])
  size <- fromIntegral . fileSize <$> getFileStatus path
  asked <- withReader defaultReadOptions numbers path $ \reader -> do
    mapM_ (readAt reader . (`mod` 1000) . getNonNegative) before
    -- At least the last block.
    setFileSize path (fromIntegral (max 0 (size - 300 - n * 97 `mod` size)))
    found <- readAt reader i
    count <- try (recordCount reader)
    pure (found, count)
  pure $ case asked of
    Left damage -> counterexample (show damage) False
    Right (found, count) ->
      conjoin
        [ counterexample (show found) (either (const True) (== Just i) found),
          counterexample (show count) $
            either ((== Replaced) . damageCause) (const False) (count :: Either Damage Int64)
        ]

indexMissing :: Property
indexMissing = ioProperty . inFile $ \path -> do
  let writing index =
        withWriter defaultWriteOptions {writeIndex = index} numbers path (`writeMany` [0 .. 99])
  writing False
  size <- fileSize <$> getFileStatus path
  writing True
  answers <- withReader defaultReadOptions numbers path $ \reader -> do
    setFileSize path size
    (,) <$> readAt reader 100 <*> recordCount reader
  pure (answers === Right (Right Nothing, 100))

fifo :: Property
fifo = ioProperty . inDirectory $ \directory -> do
  let path = directory </> "fifo"
  createNamedPipe path 0o600
  outcome <- timeout 5000000 (try (foldRecords numbers path (\n _ -> pure (n + 1)) (0 :: Int)))
  pure $ case outcome of
    Just (Left e) -> counterexample (show (e :: IOException)) True
    other -> counterexample (show other) False
