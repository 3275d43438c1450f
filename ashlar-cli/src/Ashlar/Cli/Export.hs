-- |
-- Module      : Ashlar.Cli.Export
-- Description : convert, to JSON, CSV and Avro
module Ashlar.Cli.Export
  ( TextTo (..),
    exportText,
  )
where

import Ashlar.Builder (Builder, byteString, hPutBuilder, toStrictByteString)
import Ashlar.Cli.Avro
import Ashlar.Cli.Console
import Ashlar.Cli.Csv
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.FromJson
import Ashlar.Cli.Input
import Ashlar.File.Internal.System (randomWord)
import Ashlar.Get (Get)
import Ashlar.Schema (Schema, getJsonLine, getPlainValue, getValue, plainSchema)
import Ashlar.Schema.Internal.Json.Values (shapesOf)
import Control.Exception (bracket, throwIO)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import System.Exit (ExitCode)
import System.IO

-- | The form of the output.
data TextTo
  = -- | Values in lines.
    ToJson
  | ToCsv
  | ToAvro

-- How records are written.
data Output = Output
  { -- | What comes before those of a schema, and each of them, if it can be written.
    outputRows :: Schema -> Either Wrong (ByteString, Get (Either Wrong ByteString)),
    -- | As many of them, which are these bytes.
    outputBlock :: Int -> ByteString -> Builder,
    -- | Does something come before the first, even if there is none?
    outputBegins :: Bool
  }

outputOf :: TextTo -> IO Output
outputOf form = case form of
  ToJson -> pure (Output (\s -> Right (B.empty, Right <$> getJsonLine s)) (const byteString) False)
  ToCsv -> pure (Output csv (const byteString) True)
  ToAvro -> do
    sync <- syncOf <$> randomWord <*> randomWord
    pure (Output (avro sync) (putBlock sync) True)
  where
    csv s = do
      table <- tableOf s
      let line = Right . toStrictByteString . putRow table
      Right (toStrictByteString (putNames table), line <$> getValue s)
    avro sync s = do
      let shapes = shapesOf (plainSchema s)
          line = fmap toStrictByteString . avroOf shapes
      json <- toStrictByteString <$> avroSchema shapes
      Right (toStrictByteString (putFileHeader sync json), line <$> getPlainValue s)

-- What has not been written yet: how many records, and their bytes, the last first.
data Held = Held !Int !Int [ByteString]

-- | Turn records into text or Avro. If they are damaged there is no new file, unless reading is to
-- go on.
exportText :: Handles -> Selection -> Target -> TextTo -> Input -> IO ExitCode
exportText hs selection target form input = do
  output <- outputOf form
  -- (withBinaryFile would give exceptions of the input the name of the output.)
  let opened out = openBinaryFile out WriteMode
  making target [inputPath input] $ \out -> bracket (opened out) hClose $ \h -> do
    begun <- newIORef Nothing
    held <- newIORef (Held 0 0 [])
    let -- The first bytes, unless they are there.
        begin header = do
          before <- readIORef begun
          case before of
            Nothing -> writeIORef begun (Just header) >> B.hPut h header
            Just first ->
              unless (first == header) . failed $
                inputPath input ++ ": records of another schema have other fields"
        put n found = do
          (header, line) <- either refused pure (inside ("record " ++ show n) found)
          begin header
          Held k size ls <- readIORef held
          writeIORef held $! Held (k + 1) (size + B.length line) (line : ls)
          -- (A record of Avro may take no bytes.)
          when (size > 65536 || k >= 4096) settle
          pure (n + 1)
        settle = do
          Held k _ ls <- readIORef held
          writeIORef held (Held 0 0 [])
          unless (k == 0) $ hPutBuilder h (outputBlock output k (B.concat (reverse ls)))
        prepare s = case outputRows output s of
          Left w -> Left w <$ getValue s
          Right (header, line) -> fmap ((,) header) <$> line
    (n, end) <- foldInput hs selection input prepare put (0 :: Int64)
    when (n == 0 && outputBegins output) $ do
      schemas <- schemasIn input
      case schemas of
        s : _ -> either refused (begin . fst) (outputRows output s)
        -- The type of a stream is gone when it has been read.
        [] -> failed (inputPath input ++ ": a stream without records")
    settle
    unless (end == Fine || selectKeepGoing selection) . throwIO $
      Failure (exitOf end) (targetPath target ++ ": not written")
    pure (exitOf end)
  where
    refused :: Wrong -> IO a
    refused w = failed (inputPath input ++ ": " ++ wrongText w)
