{-# LANGUAGE BangPatterns #-}

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
import Ashlar.File (RecordTooLarge, write)
import Ashlar.Get (attemptFrom, bytesRead, endOfInput, isEmpty, runGetWhole)
import Ashlar.Get.Parse (bytes, optionBytes, skipWhile)
import Ashlar.Schema hiding (part, schema)
import Ashlar.Schema.Internal.Json.Values (shapesOf)
import Control.Exception (catch)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Int (Int64)
import System.Exit (ExitCode)

-- | The form of the input.
data TextFrom
  = -- | One value after another.
    FromJsonValues
  | -- | One array of them.
    FromJsonArray
  | FromCsv

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
  making target [path] $ \out -> do
    (n, found) <- withValues hs "is a file of records already" path $ \values -> do
      let attempt g = attemptFrom (valuesSource values) (within selection g)
      -- There may be a mark of UTF-8 first, as spreadsheets write it.
      _ <- attempt (optionBytes (B.pack [0xEF, 0xBB, 0xBF]))
      -- A decoder of the next value, if there is one, given whether it is the first; and where that
      -- begins.
      (next, start) <- case text of
        FromCsv -> do
          table <- either (failed . wrongText) pure (tableOf schema)
          header <- attempt ((,) <$> getNames <*> bytesRead)
          (names, end) <- either (noHeader . summarizeError) pure header
          layout <- either noHeader pure (layoutOf table names)
          pure (\_ -> fmap ((,) False . fromRow table layout) <$> getNextRow layout, end)
        FromJsonArray -> pure (inArray, 0)
        FromJsonValues -> pure (\_ -> nextValue, 0)
      writingValues selection schema out $ \w ->
        let go !n !at = do
              found <- attempt ((,) <$> next (n == 0) <*> bytesRead)
              case found of
                Left e -> (,) n <$> brokenValue selection values path n at e
                Right (Nothing, _) -> pure (n, (Fine, ""))
                Right (Just (isArray, made), to) -> case made >>= checkedBytes of
                  Left why ->
                    let hint = if n == 0 && isArray then maybeList else ""
                     in pure (n, (WithDamage, valueAt path n at ++ ": " ++ wrongText why ++ hint))
                  Right bs ->
                    (write w (Encoded (byteString bs)) `catch` tooLarge n at) >> go (n + 1) to
         in go (0 :: Int64) start
    unlessPartial hs partial found
    say hs (path ++ ": " ++ count n "record")
    pure (exitOf (fst found))
  where
    -- If an array of all values is read as single values, it is the first.
    mayBeAll json = case (text, json) of
      (FromJsonValues, JArray _) -> True
      _ -> False
    maybeList = "; say --list if the file is one list"
    fromValue = fromJson (shapesOf schema) (schemaRoot schema)
    tooLarge :: Int64 -> Int64 -> RecordTooLarge -> IO ()
    tooLarge n at _ =
      failed $
        valueAt path n at ++ ", has more than " ++ show (selectLimit selection)
          ++ " bytes; say --limit to write it"
    noHeader :: String -> IO a
    noHeader why = damaged (path ++ ": at byte 0: " ++ why)
    -- What is not one of the schema, its decoder refuses.
    checkedBytes made =
      let bs = toStrictByteString (putValue made)
       in either (wrong . summarizeError) (const (Right bs)) (runGetWhole decoder bs)
    decoder = getValue schema

    nextValue = do
      end <- blank *> isEmpty
      if end then pure Nothing else value
    value = (\json -> Just (mayBeAll json, fromValue json)) <$> getJson
    blank = skipWhile isBlank
    inArray isFirst = do
      if isFirst then blank <* bytes (C.pack "[") <* blank else pure ()
      closed <- optionBytes (C.pack "]")
      if closed
        then Nothing <$ blank <* endOfInput
        else if isFirst then value else bytes (C.pack ",") *> value
