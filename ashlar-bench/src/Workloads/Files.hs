{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Workloads.Files
-- Description : Files of records, and records of an older type
--
-- They are compared with the same work where there are no blocks, no checksums and no older type.
module Workloads.Files (fileWorkloads) where

import Ashlar.Builder (hPutBuilder)
import Ashlar.Codec (Codec, decode, encode, get, hEncode, put)
import Ashlar.File
import Ashlar.File.Crc32c (crc32c)
import Ashlar.File.Described (described)
import Ashlar.Get (hFoldGet, runGetWhole)
import Ashlar.Schema (Described, schema)
import Ashlar.Schema.Evolution (plan)
import Ashlar.View (View, decodeView, position)
import Control.Exception (evaluate)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import Data.Text (Text)
import qualified Data.Text as T
import Input (right)
import System.Directory (doesFileExist, getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import Versions
import qualified Versions.Moves as Today
import Workload

-- | All of them.
fileWorkloads :: [Workload]
fileWorkloads =
  [ items 100000 $
      Workload
        "fold 100000 records of a file"
        [ ("ashlar, file", applyIO (foldedAs @Old) "ashlar-bench-records"),
          ("ashlar, hFoldGet", applyIO foldedBare "ashlar-bench-values")
        ],
    items 100000 $
      Workload
        "write 100000 records to a file"
        [ ("ashlar, file", applyIO appended 100000),
          ("ashlar, hEncode", applyIO encoded 100000)
        ],
    items 100000 $
      Workload
        "write a kept list of 100000 records"
        [ ("ashlar, file", applyIO appendedKept kept),
          ("ashlar, hEncode", applyIO encodedKept kept)
        ],
    items 100000 $
      Workload
        "a field was added: fold 100000 records of a file"
        [ ("ashlar, planned", applyIO (foldedAs @WithField) "ashlar-bench-records"),
          ("ashlar, equal type", applyIO (foldedAs @Old) "ashlar-bench-records")
        ],
    items 100000 $
      Workload
        "all fields are reordered: fold 100000 records of a file"
        [ ("ashlar, planned", applyIO (foldedAs @Reordered) "ashlar-bench-records"),
          ("ashlar, equal type", applyIO (foldedAs @Old) "ashlar-bench-records")
        ],
    items 10000 $
      Workload
        "read 10000 of 1000000 records of a file"
        [ ("ashlar, file", applyIO (picked named evaluated) "ashlar-bench-million"),
          ("ashlar, views", applyIO (picked (viewed named) number) "ashlar-bench-million"),
          ("ashlar, views in memory", applyIO pickedInMemory "ashlar-bench-million"),
          ("calibration, 32 KiB each", applyIO blocksRead "ashlar-bench-million")
        ],
    bytesOfText 16777216 $
      Workload
        "CRC-32C of 16 MiB"
        [ ("ashlar", apply crc32c zeros),
          ("memcpy", apply S.copy zeros)
        ],
    evolved @Old @WithField "a field was added" (oldOrders 10000),
    evolved @Old @WithoutField "a field was dropped" (oldOrders 10000),
    evolved @Old @Wider "a number is wider" (oldOrders 10000),
    evolved @Old @Reordered "all fields are reordered" (oldOrders 10000),
    evolved @Move @Today.Move "sums of a few bytes" (moves 50000)
  ]
  where
    zeros = S.replicate 16777216 0

-- Values of an old type, and the same values of today's.
evolved ::
  forall a b. (Described a, Described b) => String -> [a] -> Workload
evolved name olds =
  items (length olds) $
    Workload
      (name ++ ": " ++ show (length olds) ++ " records")
      [ ("ashlar, planned", apply (count . runGetWhole planned) old),
        ("ashlar, derived", apply (count . decode) new)
      ]
  where
    planned = either (error . show) id (plan @[b] (schema @[a]))
    old = encode olds
    new = either (error . show) (encode :: [b] -> S.ByteString) (runGetWhole planned old)
    count :: Either e [b] -> Int
    count = length . right
{-# INLINE evolved #-}

-- Files in the folder for temporary ones, which are written when they are first needed.
made :: FilePath -> (FilePath -> IO ()) -> IO FilePath
made name writing = do
  folder <- getTemporaryDirectory
  let path = folder </> name
  there <- doesFileExist path
  if there then pure path else path <$ writing path

-- A file of old records, as records of this type.
foldedAs :: forall a. Described a => FilePath -> IO ()
foldedAs name = do
  path <- made name (\p -> writeRecords described p (oldOrders 100000))
  result <- foldRecords described path (\n (_ :: a) -> pure $! n + 1) (0 :: Int)
  either (error . show) (\n -> () <$ evaluate n) result
{-# INLINE foldedAs #-}

foldedBare :: FilePath -> IO ()
foldedBare name = do
  path <- made name $ \p ->
    withBinaryFile p WriteMode (`hPutBuilder` foldMap put (oldOrders 100000))
  result <- withBinaryFile path ReadMode $ \h ->
    hFoldGet h (get @Old) (\n _ -> pure $! n + 1) (0 :: Int)
  either (error . show) (\n -> () <$ evaluate n) result

small :: Int -> [(Int, Double)]
small n = [(i, fromIntegral i) | i <- [1 .. n]]

kept :: [(Int, Double)]
kept = small 100000
{-# NOINLINE kept #-}

appended :: Int -> IO ()
appended n = inTemporary "ashlar-bench-written" $ \path ->
  writeRecords (fixedType "pairs") path (small n)

encoded :: Int -> IO ()
encoded n = inTemporary "ashlar-bench-encoded" $ \path ->
  withBinaryFile path WriteMode (`hEncode` small n)

appendedKept :: [(Int, Double)] -> IO ()
appendedKept xs = inTemporary "ashlar-bench-written" $ \path ->
  writeRecords (fixedType "pairs") path xs

encodedKept :: [(Int, Double)] -> IO ()
encodedKept xs = inTemporary "ashlar-bench-encoded" $ \path ->
  withBinaryFile path WriteMode (`hEncode` xs)

inTemporary :: FilePath -> (FilePath -> IO a) -> IO a
inTemporary name act = getTemporaryDirectory >>= \folder -> act (folder </> name)

million :: FilePath -> IO FilePath
million name = made name $ \p ->
  writeRecords named p [(i, T.pack ("record " ++ show i)) | i <- [1 .. 1000000]]

named :: RecordType (Int, Text)
named = fixedType "numbers and names"

-- The numbers of records, in no order.
numbers :: [Int]
numbers = take 10000 (iterate (\i -> (i * 7919 + 104729) `mod` 1000000) 1)

-- The index is read anew each time.
picked :: Codec a => RecordType a -> (a -> IO ()) -> FilePath -> IO ()
picked ty use name = do
  path <- million name
  withReader defaultReadOptions ty path (pickFrom use) >>= either (error . show) pure
{-# INLINE picked #-}

pickedInMemory :: FilePath -> IO ()
pickedInMemory name =
  bytesReader defaultReadOptions (viewed named) name millionBytes
    >>= either (error . show) (pickFrom number)

pickFrom :: (a -> IO ()) -> Reader a -> IO ()
pickFrom use reader = forM_ numbers $ \i ->
  readAt reader (fromIntegral i) >>= either (error . show) (maybe (error "no record") use)

evaluated :: a -> IO ()
evaluated x = () <$ evaluate x

number :: View (Int, Text) -> IO ()
number v = () <$ evaluate (right (decodeView (position @1 v)))

millionBytes :: S.ByteString
millionBytes = unsafePerformIO (million "ashlar-bench-million" >>= S.readFile)
{-# NOINLINE millionBytes #-}

-- What a block takes.
blocksRead :: FilePath -> IO ()
blocksRead name = do
  path <- million name
  withBinaryFile path ReadMode $ \h -> do
    size <- hFileSize h
    forM_ numbers $ \i -> do
      hSeek h AbsoluteSeek ((toInteger i * (size - 32768)) `div` 1000000)
      S.hGet h 32768
