-- |
-- Module      : Ashlar.Cli.Import
-- Description : convert, from JSON and CSV
module Ashlar.Cli.Import
  ( TextFrom (..),
    importText,
  )
where

import Ashlar.Builder (byteString, toStrictByteString)
import Ashlar.Cli.Console
import Ashlar.Cli.Copy (Encoded (..), writingValues)
import Ashlar.Cli.Csv
import Ashlar.Cli.Ending
import Ashlar.Cli.Files
import Ashlar.Cli.FromJson
import Ashlar.Cli.Input
import Ashlar.Cli.Json
import Ashlar.Codec (summarizeError)
import Ashlar.File (write)
import Ashlar.Get (Get, attemptFrom, bytesRead, endOfInput, getFrom, isEmpty, runGetWhole)
import Ashlar.Get.Parse (bytes, optionBytes, skipWhile)
import Ashlar.Schema hiding (part, schema)
import Ashlar.Schema.Internal.Json.Values (shapesOf)
import Control.Exception (throwIO)
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import System.Exit (ExitCode)

-- | The form of the input.
data TextFrom
  = -- | One value after another.
    FromJsonValues
  | -- | One array of them.
    FromJsonArray
  | FromCsv

-- How to read a value: given whether it is the first, a decoder of the next one, if there is one.
newtype Rows = Rows (Bool -> Get (Maybe (Either Wrong Value)))

-- | Turn values in text into a file of records. If one of them is none of the schema there is no
-- new file, unless those before it are wanted.
importText ::
  Handles ->
  -- | The most bytes of a value.
  Selection ->
  Target ->
  -- | Are the values before a wrong one wanted?
  Bool ->
  TextFrom ->
  Schema ->
  FilePath ->
  IO ExitCode
importText hs selection target partial text schema path =
  making target [path] $ \out -> withInput path $ \h -> do
    size <- fromMaybe 0 <$> fileSizeOf path
    values <- valuesOf h
    let source = valuesSource values
        attempt g = attemptFrom source (within selection g)
    Rows next <- case text of
      FromCsv -> do
        table <- either (failed . wrongText) pure (tableOf schema)
        header <- attempt getNames
        either (bad 0 . summarizeError) (either (bad 0) (pure . rows table) . layoutOf table) header
      _ -> pure json
    (n, end) <- withProgress hs size $ \watched ->
      writingValues selection schema out $ \w ->
        let go n at = do
              found <- attempt ((,) <$> next (n == 0) <*> bytesRead)
              case found of
                Left e -> brokenValue selection values path n at e >>= uncurry (stop n)
                Right (Nothing, _) -> pure (n, Fine)
                Right (Just made, to) -> case made >>= checkedBytes of
                  Left why -> stop n WithDamage (valueAt n at ++ wrongText why)
                  Right bs -> do
                    write w (Encoded (byteString bs))
                    progress watched to
                    go (n + 1) to
         in getFrom source bytesRead >>= either (const (pure 0)) pure >>= go (0 :: Int64)
    say hs (path ++ ": " ++ count n "record")
    pure (exitOf end)
  where
    fromValue = fromJson (shapesOf schema) (schemaRoot schema)
    bad :: Int64 -> String -> IO a
    bad at why = damaged (path ++ ": at byte " ++ show at ++ ": " ++ why)
    valueAt n at = path ++ ": value " ++ show n ++ ", which begins at byte " ++ show at ++ ": "
    stop n end message
      | partial = (n, end) <$ complain hs message
      | otherwise = throwIO (Failure (exitOf end) message)
    -- What is not one of the schema, its decoder refuses.
    checkedBytes made =
      let bs = toStrictByteString (putValue made)
       in either (wrong . summarizeError) (const (Right bs)) (runGetWhole decoder bs)
    decoder = getValue schema

    rows table layout = Rows $ \_ -> fmap (fromRow table layout) <$> getNextRow layout

    json = Rows $ case text of
      FromJsonArray -> inArray
      _ -> \_ -> do
        end <- blank *> isEmpty
        if end then pure Nothing else value
    value = Just . fromValue <$> getJson
    blank = skipWhile isBlank
    inArray isFirst = do
      if isFirst then blank <* bytes (C.pack "[") <* blank else pure ()
      closed <- optionBytes (C.pack "]")
      if closed
        then Nothing <$ blank <* endOfInput
        else if isFirst then value else bytes (C.pack ",") *> value
