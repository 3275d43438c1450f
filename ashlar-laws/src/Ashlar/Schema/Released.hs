{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE Trustworthy #-}
{-# LANGUAGE TypeApplications #-}
-- Newer versions of System.Directory are not Safe.
{-# OPTIONS_GHC -Wno-trustworthy-safe #-}

-- |
-- Module      : Ashlar.Schema.Released
-- Description : Types that must read the data of earlier releases
--
-- Keep the schema of each release in a file with the sources, and compare today's type with it.
-- Then a change that breaks old data fails the tests before it is released:
--
-- > testCase "orders of release 3" (compatible @Order Backward "schemas/Order.v3" >>= (@?= []))
--
-- (With tasty-hunit and @TypeApplications@. Paths are relative to the folder in which the tests
-- run: that of the package, under cabal.)
--
-- For a new release, add such a line, and run the tests once with
--
-- > ASHLAR_RECORD_SCHEMAS=1 cabal test
--
-- which writes the files that are missing. Commit them. A file has what @ashlar schema --raw@
-- writes. So @ashlar schema schemas/Order.v3@ shows it, and @ashlar diff@ compares two of them.
--
-- "Ashlar.Schema.Evolution" lists what may change, and what to write beside the type.
module Ashlar.Schema.Released
  ( compatible,
    Direction (..),
    recordSchema,
    SchemaRecorded (..),
  )
where

import Ashlar.Codec (decode, encode, summarizeError)
import Ashlar.Schema (Described, Schema, schema)
import Ashlar.Schema.Evolution (Direction (..), describeMismatch, summarizeMismatch)
import qualified Ashlar.Schema.Evolution as Evolution
import Control.Exception (Exception (..), finally, onException, throwIO)
import Control.Monad (unless)
import qualified Data.ByteString as S
import qualified Data.Text as T
import System.Directory (createDirectoryIfMissing, doesFileExist, removeFile, renameFile)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, takeFileName)
import System.IO (hClose, openBinaryTempFileWithDefaultPermissions)

-- | What today's type breaks: nothing, or a message for each direction in which data cannot be
-- read. 'Full' is both directions.
--
-- A file that is missing, or is no schema, is a message, too. But if a file is missing and the
-- environment variable @ASHLAR_RECORD_SCHEMAS@ is set and not empty, 'recordSchema' writes it.
-- Throws 'Control.Exception.IOException' if the file cannot be read or written.
--
-- Of the released program only the schema is known, and not what it says of its own evolution.
-- 'Evolution.compatibleSchema' is this for a schema that is a value.
compatible ::
  forall a.
  Described a =>
  -- | Who must be able to read the other's data.
  Direction ->
  -- | The file with the schema of a release.
  FilePath ->
  IO [String]
compatible direction path = do
  there <- doesFileExist path
  recording <- maybe False (not . null) <$> lookupEnv variable
  case (there, recording) of
    (True, _) -> either (pure . unreadable) broken . decode <$> S.readFile path
    (_, True) -> [] <$ recordSchema @a path
    _ -> pure [path ++ ": no such schema; it is written if " ++ variable ++ " is set"]
  where
    variable = "ASHLAR_RECORD_SCHEMAS"
    unreadable e = path ++ ": not a schema: " ++ summarizeError e
    broken :: Schema -> [String]
    broken old =
      [ path ++ ": " ++ who one ++ ": " ++ T.unpack (said one m)
        | one <- case direction of
            Full -> [Backward, Forward]
            _ -> [direction],
          Left m <- [Evolution.compatibleSchema @a one old]
      ]
    -- What is released cannot be told how to read anything.
    said one = case one of
      Forward -> summarizeMismatch
      _ -> describeMismatch
    who one = case one of
      Forward -> "that release cannot read today's data"
      _ -> "today's type cannot read its data"

-- | Write the schema of today's type to a file, and make its folder. Nothing happens if the file
-- has this schema already.
--
-- The file has another name until it is whole, so nobody finds a part of it.
--
-- Throws 'SchemaRecorded' if the file has anything else: the schema of a release never changes.
-- Throws 'IOException' if the file cannot be written.
--
-- > ghci> recordSchema @Order "schemas/Order.v3"
recordSchema :: forall a. Described a => FilePath -> IO ()
recordSchema path = do
  there <- doesFileExist path
  if there
    then do
      old <- S.readFile path
      unless (old == bytes) (throwIO (SchemaRecorded path))
    else do
      createDirectoryIfMissing True (takeDirectory path)
      (temporary, h) <-
        openBinaryTempFileWithDefaultPermissions (takeDirectory path) (takeFileName path ++ ".part")
      ((S.hPut h bytes `finally` hClose h) >> renameFile temporary path)
        `onException` removeFile temporary
  where
    bytes = encode (schema @a)

-- | A file has another schema than the one that is to be recorded.
newtype SchemaRecorded = SchemaRecorded FilePath
  deriving stock (Eq, Show)

instance Exception SchemaRecorded where
  displayException (SchemaRecorded path) =
    path ++ ": has another schema, and that of a release never changes; choose another name"
