{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Ashlar.Cli.Load
-- Description : The schemas that a file has
module Ashlar.Cli.Load
  ( loadSchema,
    SchemaFile (..),
    schemaFile,
    lastSchema,
    schemaOf,
    isSchema,
    FileSchema (..),
    schemasOf,
  )
where

import Ashlar.Cli.Console
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Codec (decode, summarizeError)
import Ashlar.File
import Ashlar.File.Blocks (BlockHeader (..), FileHeader (..), Kind (..))
import Ashlar.File.Internal.After
import Ashlar.File.Internal.Input (inputFetch)
import qualified Ashlar.File.Internal.Input as F
import Ashlar.File.Internal.Layout (magic)
import Ashlar.File.Internal.Scan
import Ashlar.Schema (Schema)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Either (isRight)
import Data.Int (Int64)
import qualified Data.List as List
import GHC.Fingerprint (Fingerprint (..))

-- | What a file or a stream has that a command takes for schemas.
data SchemaFile
  = -- | A file of records has them.
    InRecords [FileSchema]
  | -- | All of its bytes are one.
    AllOf ByteString

-- | Read the schemas of a file of records, or a schema that is stored alone.
schemaFile :: FilePath -> IO SchemaFile
schemaFile path = withBlocks path $ \input -> do
  start <- inputFetch input 0 (B.length magic)
  if start == magic
    then InRecords <$> schemasFrom input
    else do
      bytes <- inputFetch input 0 (schemaLimit + 1)
      when (B.length bytes > schemaLimit) $ failed (path ++ ": too large for a schema")
      pure (AllOf bytes)

-- | The bytes of a schema: of the last one, if the type of the records has changed.
lastSchema :: SchemaFile -> ByteString
lastSchema found = case found of
  InRecords schemas -> List.foldl' (\_ one -> fileSchemaBytes one) B.empty schemas
  AllOf bytes -> bytes

-- | The schema of a file, which is one of records or just a schema.
loadSchema :: FilePath -> IO Schema
loadSchema path = do
  found <- schemaFile path
  either (failed . ((path ++ ": ") ++)) pure (schemaOf (lastSchema found))

-- | A schema from its bytes, or why it is none.
schemaOf :: ByteString -> Either String Schema
schemaOf bytes = case decode bytes of
  Right s -> Right s
  Left e -> Left ("no schema that can be read: " ++ summarizeError e)

-- | Is a file, which is no stream, a schema and nothing else?
isSchema :: FilePath -> IO Bool
isSchema path = do
  size <- fileSizeOf path
  if maybe True (> fromIntegral schemaLimit) size
    then pure False
    else isRight . schemaOf <$> B.readFile path

-- The most bytes of a schema that is stored alone.
schemaLimit :: Int
schemaLimit = 16777216

-- | A schema of a file of records.
data FileSchema = FileSchema
  { -- | The number of the first record that may have it.
    fileSchemaFrom :: !Int64,
    fileSchemaFingerprint :: !Fingerprint,
    fileSchemaBytes :: !ByteString
  }

-- | The schemas of a file of records, in order. Only the headers of blocks are read. What is
-- damaged is passed over. It fails if they have more than 64 MiB.
schemasOf :: FilePath -> IO [FileSchema]
schemasOf path = withBlocks path schemasFrom

schemasFrom :: F.Input -> IO [FileSchema]
schemasFrom input = do
  header <- readFileHeader input
  case header of
    Left cause -> stoppedBy (Damage path 0 Nothing 0 cause)
    Right h -> do
      let scan = scanOf input (readBlockLimit defaultReadOptions) (fileMarker h) (Just h)
      inFileOf (67108864 :: Int) scan (firstIn (startAt 0 0) 0 h) []
  where
    path = F.inputName input
    inFileOf left scan pos found = case scanHeader scan of
      -- (Files of one type have been joined.)
      Just h
        | latest : _ <- found,
          fileSchemaFingerprint latest == fileFingerprint h ->
          go left scan pos found
        | otherwise -> do
          let one = FileSchema (recordIn scan 0) (fileFingerprint h) (fileSchema h)
          left' <- afford left (fileSchema h)
          go left' scan pos (one : found)
      Nothing -> go left scan pos found
    go !left scan !pos found = do
      step <- skimBlock scan pos
      case step of
        StepBlock b next
          | blockKind (blockHeader b) == Schema -> do
            whole <- nextBlock scan pos {posAhead = B.empty}
            case whole of
              StepBlock s _ -> do
                let h = blockHeader s
                    one = FileSchema (blockRecord s) (blockFingerprint h) (blockBody s)
                left' <- afford left (blockBody s)
                go left' scan next (one : found)
              _ -> go left scan next {posGap = True} found
          | otherwise -> go left scan next found
        StepFile scan' pos' -> inFileOf left scan' pos' found
        StepEnd -> pure (reverse found)
        StepDamaged _ resume -> do
          next <- passOver scan pos resume
          case next of
            NextEnd _ -> pure (reverse found)
            Next scan' pos'
              | isSameFile scan scan' -> go left scan' pos' found
              | otherwise -> inFileOf left scan' pos' found
    -- One of no bytes takes some memory, too.
    afford left bytes
      | cost > left = failed (path ++ ": schemas of more than 64 MiB")
      | otherwise = pure (left - cost)
      where
        cost = B.length bytes + 1024
