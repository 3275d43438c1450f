-- |
-- Module      : Ashlar.Cli.Export
-- Description : convert, to JSON and CSV
module Ashlar.Cli.Export
  ( TextTo (..),
    exportText,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli.Console
import Ashlar.Cli.Csv
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.Input
import Ashlar.Get (Get)
import Ashlar.Schema (Schema, getJsonLine, getValue)
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

-- | Turn records into text. If they are damaged there is no new file, unless reading is to go on.
exportText :: Handles -> Selection -> Target -> TextTo -> Input -> IO ExitCode
exportText hs selection target text input =
  making target [inputPath input] $ \out -> withBinaryFile out WriteMode $ \h -> do
    hSetBuffering h (BlockBuffering (Just 65536))
    total <- recordsIn selection input
    begun <- newIORef Nothing
    let -- The first row, unless it is there.
        begin header = do
          before <- readIORef begun
          case before of
            Nothing -> writeIORef begun (Just header) >> B.hPut h header
            Just first ->
              unless (first == header) . failed $
                inputPath input ++ ": records of another schema have other columns"
        put watched n (header, line) = do
          begin header
          B.hPut h line
          (n + 1) <$ progress watched (n + 1)
    (n, end) <- withProgress hs (fromMaybe 0 total) $ \watched ->
      foldInput hs selection input prepare (put watched) 0
    when (n == 0) $ schemasIn input >>= mapM_ (begin . fst . rows) . take 1
    unless (end == Fine || selectKeepGoing selection) . throwIO $
      Failure (exitOf end) (targetPath target ++ ": not written")
    pure (exitOf end)
  where
    prepare :: Schema -> Get (ByteString, ByteString)
    prepare s = case rows s of (header, line) -> (,) header <$> line
    rows s = case text of
      ToJson -> (B.empty, getJsonLine s)
      ToCsv ->
        let table = tableOf s
         in (toStrictByteString (putNames table), toStrictByteString . putRow table <$> getValue s)
