-- |
-- Module      : Ashlar.Cli.Export
-- Description : convert, to JSON, CSV and Avro
module Ashlar.Cli.Export
  ( TextTo (..),
    exportText,
  )
where

import Ashlar.Builder (byteString, hPutBuilder, toStrictByteString)
import Ashlar.Cli.Avro
import Ashlar.Cli.Console
import Ashlar.Cli.Csv
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.FromJson
import Ashlar.Cli.Input
import Ashlar.File.Internal.System (randomWord)
import Ashlar.Get (Get)
import Ashlar.Schema (getJsonLine, getValue)
import Ashlar.Schema.Internal.Json.Values (shapesOf)
import Control.Exception (throwIO)
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import System.Exit (ExitCode)
import System.IO

-- | The form of the output.
data TextTo
  = -- | Values in lines.
    ToJson
  | ToCsv
  | ToAvro

-- How records of a schema are written: what comes first, and each, if it can be.
data Rows = Rows ByteString (Get (Either Wrong ByteString))

-- What has not been written yet: how many records, and their bytes, the last first.
data Held = Held !Int !Int [ByteString]

-- | Turn records into text or Avro. If they are damaged there is no new file, unless reading is to
-- go on.
exportText :: Handles -> Selection -> Target -> TextTo -> Input -> IO ExitCode
exportText hs selection target form input = do
  sync <- syncOf <$> randomWord <*> randomWord
  making target [inputPath input] $ \out -> withBinaryFile out WriteMode $ \h -> do
    total <- recordsIn selection input
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
        put watched n found = do
          (header, line) <- either refused pure (inside ("record " ++ show n) found)
          begin header
          Held k size ls <- readIORef held
          writeIORef held $! Held (k + 1) (size + B.length line) (line : ls)
          when (size > 65536) settle
          (n + 1) <$ progress watched (n + 1)
        settle = do
          Held k _ ls <- readIORef held
          writeIORef held (Held 0 0 [])
          unless (k == 0) $ hPutBuilder h (block sync k (B.concat (reverse ls)))
    (n, end) <- withProgress hs (fromMaybe 0 total) $ \watched ->
      foldInput hs selection input (prepare sync) (put watched) 0
    when (n == 0) $ do
      schemas <- schemasIn input
      case schemas of
        s : _ -> either refused (\(Rows header _) -> begin header) (rowsOf sync s)
        -- The type of a stream is gone when it has been read.
        [] -> unless (isJson form) . failed $ inputPath input ++ ": a stream without records"
    settle
    unless (end == Fine || selectKeepGoing selection) . throwIO $
      Failure (exitOf end) (targetPath target ++ ": not written")
    pure (exitOf end)
  where
    isJson to = case to of
      ToJson -> True
      _ -> False
    refused :: Wrong -> IO a
    refused w = failed (inputPath input ++ ": " ++ wrongText w)
    prepare sync s = case rowsOf sync s of
      Left w -> Left w <$ getValue s
      Right (Rows header line) -> fmap ((,) header) <$> line
    rowsOf sync s = case form of
      ToJson -> Right (Rows B.empty (Right <$> getJsonLine s))
      ToCsv -> do
        table <- tableOf s
        let line = Right . toStrictByteString . putRow table
        Right (Rows (toStrictByteString (putNames table)) (line <$> getValue s))
      ToAvro -> do
        let shapes = shapesOf s
            line = fmap toStrictByteString . avroOf shapes
        json <- toStrictByteString <$> avroSchema shapes
        Right (Rows (toStrictByteString (putFileHeader sync json)) (line <$> getValue s))
    block sync n bytes = case form of
      ToAvro -> putBlock sync n bytes
      _ -> byteString bytes
