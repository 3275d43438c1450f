{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Files
-- Description : Files of records, whole and damaged
module Conformance.Files (files) where

import Ashlar.File
import Ashlar.Zlib.File (zlibBlocks)
import Conformance.Case
import Conformance.Files.Make
import Conformance.Line
import Control.Exception (try)
import Control.Monad (join)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import qualified Data.List as List
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)

files :: IO [Entry]
files = withSystemTempDirectory "conformance" $ \folder -> do
  made <- madeFiles folder
  mapM (uncurry (fileCase (folder </> "FILE"))) made

-- | What is read of a file.
fileCase :: FilePath -> String -> ByteString -> IO Entry
fileCase path title contents = do
  B.writeFile path contents
  inOrder <- foldRecordsWith options anyRecords path collected []
  resynced <- afterDamage path
  number' <- countOf path
  single <-
    mapM
      (recordAt path)
      ( maybe
          [0]
          ( \n ->
              List.nub
                [ 0,
                  n `quot` 2,
                  max 0 (n - 1),
                  n
                ]
          )
          number'
      )
  pure $
    entry
      title
      [ ("file", bytes contents),
        ( "read",
          case inOrder of
            Damaged _ ls d -> object [("lines", linesOf ls), ("end", damageText d)]
            Ended _ ls -> object [("lines", linesOf ls), ("end", nothing)]
            Stopped _ () -> error "nothing stops it"
        ),
        ("resync", resynced),
        ("count", maybe nothing number number'),
        ("at", list single)
      ]
  where
    linesOf ls = list [line l | Line l <- reverse ls]
    collected ls l = pure (Right (l : ls)) :: IO (Either () [Line])

options :: ReadOptions
options = defaultReadOptions {readCompressions = [zlibBlocks 6]}

damageText :: Damage -> Json
damageText d = text (firstLine d {damageFile = "FILE"})

-- The number of each record is that of the one before and one, or the one that a loss tells.
afterDamage :: FilePath -> IO Json
afterDamage path = do
  next <- newIORef (0 :: Int64)
  lost <- newIORef []
  let report l = do
        modifyIORef' lost (damageText (lostDamage l) :)
        mapM_ (writeIORef next) (lostNext l)
      step ls (Line l) = do
        n <- readIORef next
        writeIORef next (n + 1)
        pure (Right (list [number n, line l] : ls)) :: IO (Either () [Json])
  outcome <- foldRecordsWith options {readResync = Just report} anyRecords path step []
  damages <- readIORef lost
  pure $ case outcome of
    Ended _ ls -> object [("lines", list (reverse ls)), ("damages", list (reverse damages))]
    Damaged _ ls d ->
      object [("lines", list (reverse ls)), ("damages", list (reverse (damageText d : damages)))]
    Stopped _ () -> error "nothing stops it"

countOf :: FilePath -> IO (Maybe Int64)
countOf path = do
  outcome <- try (withReader options anyRecords path recordCount)
  pure (either none (either none Just) outcome)
  where
    none :: Damage -> Maybe Int64
    none _ = Nothing

recordAt :: FilePath -> Int64 -> IO Json
recordAt path n = do
  outcome <- withReader options anyRecords path (`readAt` n)
  pure . list . (number n :) $ case join outcome of
    Right (Just (Line l)) -> [line l]
    Right Nothing -> [nothing]
    Left d -> [nothing, damageText d]
