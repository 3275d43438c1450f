{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Main
-- Description : Decoders under a limit on the heap
--
-- @scripts/faults memory@ runs this once for each way to decode, with a limit on the heap.
module Main (main) where

import Ashlar.Builder (toLazyByteString)
import Ashlar.Codec
import Ashlar.File
import Ashlar.File.Blocks (blockCount, blockHeader, foldBlocks)
import qualified Ashlar.File.Blocks as Blocks
import Ashlar.File.Described (described)
import Ashlar.Get (hFoldGet, runGet)
import Ashlar.Get.Stream (Stream (..), runGetStream)
import Ashlar.Schema (Described, getValue, putValue, schema)
import Ashlar.View (View, decodeView, elements, field, view)
import Control.Exception (evaluate)
import Control.Monad (forM_, unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import qualified Data.Text as T
import GHC.Generics (Generic)
import System.Environment (getArgs)
import System.Exit (die)
import System.IO

data Order = Order {number :: Int64, name :: T.Text, prices :: [Double], urgent :: Maybe Bool}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

orderOf :: Int64 -> Order
orderOf i = Order i (T.pack ("order " ++ show i)) [0.5, 1.25, fromIntegral i, 8, 9] (Just (even i))

main :: IO ()
main = do
  args <- getArgs
  case args of
    -- Files of this number of records, and of as many values one after another. One list of
    -- values, as a value, and as a record. One string of bytes as a record.
    ["make", path, n] -> writeRecords described path (map orderOf [1 .. read n])
    ["values", path, n] -> withBinaryFile path WriteMode $ \h ->
      forM_ [1 .. read n] $ \i -> S.hPut h (encode (orderOf i))
    ["long", path, n] -> encodeFile path (map orderOf [1 .. read n])
    ["record", path, n] -> writeRecords described path [map orderOf [1 .. read n]]
    ["bytes", path, n] -> writeRecords described path [S.replicate (read n) 7]
    [way, path, n] -> do
      found <- decoded way path
      unless (found == read n) $ die (show found ++ " records")
    _ -> die "usage: make|values|record|bytes|WAY FILE COUNT"

-- How many records there are, or elements, or bytes.
decoded :: String -> FilePath -> IO Int64
decoded way path = case way of
  "fold" -> foldRecords orders path counted 0 >>= right
  "views" -> foldRecords (viewed orders) path viewedOne 0 >>= right
  "list" -> lazyRecords defaultReadOptions orders path >>= count 0
  "blocks" -> foldBlocks defaultReadOptions path blocks 0 >>= right
  "single" -> withReader defaultReadOptions orders path single >>= right
  "pipe" -> do
    source <- handleSource stdin
    outcome <- foldSourceWith defaultReadOptions orders path source next 0
    case outcome of
      Ended n m | n == m -> pure n
      Damaged _ _ d -> die (show d)
      _ -> die "stopped"
  "stream" -> L.readFile path >>= streamed 0 . runGetStream (get :: Get Order)
  "handle" -> withBinaryFile path ReadMode $ \h -> hFoldGet h get counted 0 >>= right
  "schema" -> L.readFile path >>= streamed 0 . runGetStream (getValue (schema @Order))
  -- Those that have one value in memory.
  "strict" -> S.readFile path >>= right . decode @[Order] >>= long
  "lazy" -> L.readFile path >>= right . decodeLazy @[Order] >>= long
  "value" -> do
    v <- S.readFile path >>= right . runGet (getValue (schema @[Order]))
    evaluate (L.length (toLazyByteString (putValue v)))
  "view" -> do
    v <- S.readFile path >>= right . view :: IO (View [Order])
    long [n | Right n <- map (decodeView . field @"number") (elements v)]
  "one-record" -> foldRecords described path (\n xs -> (n +) <$> long (xs :: [Order])) 0 >>= right
  "one-string" -> foldRecords described path string 0 >>= right
  _ -> die ("unknown: " ++ way)
  where
    orders = described :: RecordType Order
    counted :: Int64 -> Order -> IO Int64
    counted n o = evaluate (n + if number o > 0 then 1 else 0)
    viewedOne :: Int64 -> View Order -> IO Int64
    viewedOne n v = evaluate (either (const n) (const (n + 1)) (decodeView (field @"number" v)))
    string n s = pure (n + fromIntegral (S.length s))
    next n o = Right <$> counted n o
    blocks n e = evaluate $ case e of
      Blocks.WholeBlock b -> n + fromIntegral (blockCount (blockHeader b))
      _ -> n
    count n rest = case rest of
      NextRecord o more -> counted n o >>= \m -> count m more
      EndOfRecords -> pure n
      BrokenRecords d -> die (show d)
    single reader = do
      n <- recordCount reader
      forM_ [0, 100003 .. n - 1] $ \i -> readAt reader i >>= either (die . show) pure
      pure n
    streamed n rest = case rest of
      Next _ more -> let m = n + 1 in m `seq` streamed m more
      End -> pure (n :: Int64)
      Broken e -> die (show e)
    long :: [a] -> IO Int64
    long xs = evaluate (fromIntegral (length xs))
    right :: Show e => Either e a -> IO a
    right = either (die . show) pure
