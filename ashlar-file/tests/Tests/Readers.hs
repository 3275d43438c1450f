-- |
-- Module      : Tests.Readers
-- Description : Readers of a file that is cut off or grows, and of what is no file
module Tests.Readers (tests) where

import Ashlar.File
import Ashlar.File.Blocks (blockHeaderBytes)
import Ashlar.File.Internal.Fold (Fold (..), begin, foldOn)
import Ashlar.File.Internal.Input hiding (inFile)
import Ashlar.File.Internal.Open (openInput, readingOf)
import Ashlar.File.Internal.System (closeFile, openToRead)
import Control.Exception (IOException, bracket, throwIO, try)
import qualified Data.ByteString as S
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Tuple (swap)
import System.FilePath ((</>))
import System.Posix.Files (createNamedPipe, fileSize, getFileStatus, setFileSize)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Damaged (File (..), with)
import Tests.Files
import Tests.Random hiding (writing)

tests :: TestTree
tests =
  testGroup
    "readers"
    [ testProperty "records are missing since a reader was opened: it says so" missing,
      testProperty "a reader that goes on after damage loses nothing of a file that grows" growing,
      testProperty "a file that is opened while it is made is the same afterwards" beingMade,
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

-- Each time that bytes are fetched, the file has some more.
growing :: Settings -> [Row] -> [NonNegative Int] -> Property
growing settings xs steps = with settings xs $ \f -> do
  let most = S.length (fileBytes f)
      grown = scanl (+) (fileStart f) (cycle (1 : map ((* 7) . getNonNegative) steps))
  sizes <- newIORef (takeWhile (< most) grown)
  lost <- newIORef []
  let fetch offset n = do
        size <- atomicModifyIORef' sizes (maybe ([], most) swap . List.uncons)
        inputBytes (bytesInput "" (S.take size (fileBytes f))) offset n
      input = (bytesInput "" (fileBytes f)) {inputBytes = fetch, inputAhead = blockHeaderBytes}
      options =
        reading {readWholeTail = False, readResync = Just (\l -> modifyIORef' lost (l :))}
      how = readingOf options rowType
      fold = Fold how (\acc x -> pure (Right (x : acc))) :: Fold Row () [Row]
  opened <- openInput how input
  outcome <- either throwIO (\o -> begin fold o Nothing [] >>= foldOn fold) opened
  reported <- readIORef lost
  let (got, damage) = strictly outcome
  pure ((reported, damage) === ([], Nothing) .&&. reverse got === take (length got) xs)

-- The reader finds this number of bytes at first. Then the file is written, and written over.
beingMade :: NonNegative Int -> Property
beingMade (NonNegative n) = ioProperty . inFile $ \path -> do
  writeRecords numbers path [1, 2, 3]
  bytes <- S.readFile path
  S.writeFile path (S.take n bytes)
  bracket (openToRead path) closeFile $ \fd -> do
    input <- fileInput path fd
    S.writeFile path bytes
    header <- inputFetch input 0 (S.length bytes)
    same <- inputSame input (fromIntegral (S.length bytes))
    withWriter defaultWriteOptions {writeInPlace = True} numbers path (`writeMany` [1, 2, 3])
    other <- inputSame input 0
    pure (header === bytes .&&. (same, other) === (True, False))

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
