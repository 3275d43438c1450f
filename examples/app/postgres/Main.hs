{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Main
-- Description : A copy into PostgreSQL, and a prepared query
--
-- > postgres-example /run/postgresql/.s.PGSQL.5432 "$USER" postgres
module Main (main) where

import Ashlar.Builder
import Ashlar.Get (getDoublebe, getInt32be, getRemainingTextUtf8)
import Control.Exception (Exception (..))
import qualified Data.ByteString.Char8 as C
import Data.Int (Int32)
import Data.Text (Text)
import Postgres
import System.Environment (getArgs)
import System.Exit (die)

main :: IO ()
main = do
  args <- getArgs
  case args of
    [path, user, database] ->
      withPostgres (Settings path (C.pack user) (C.pack database)) session
    _ -> die "usage: postgres-example SOCKET USER DATABASE"

type Item = (Text, Int32, Double)

session :: Postgres -> IO ()
session postgres = do
  _ <- orDie (simpleQuery postgres "CREATE TEMP TABLE items (name text, count int4, price float8)")
  tag <-
    orDie . copyIn postgres "COPY items FROM STDIN (FORMAT binary)" $
      binaryRows (map cells [("brick", 12, 0.75), ("mortar", 3, 4.5)])
  C.putStrLn tag
  dear <- orDie (prepare postgres "dear" "SELECT * FROM items WHERE price > $1")
  orDie (query postgres dear [Just (doubleBE 1)] item) >>= mapM_ print

cells :: Item -> [Maybe Builder]
cells (name, count, price) = [Just (textUtf8 name), Just (int32BE count), Just (doubleBE price)]

item :: Row Item
item = (,,) <$> column getRemainingTextUtf8 <*> column getInt32be <*> column getDoublebe

orDie :: IO (Either Problem a) -> IO a
orDie = (>>= either (die . displayException) pure)
