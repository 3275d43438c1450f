{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Schemas
-- Description : schema and diff
module Ashlar.Cli.Schemas
  ( SchemaStyle (..),
    showSchema,
    diffFiles,
  )
where

import Ashlar.Builder (char7, toStrictByteString)
import Ashlar.Cli.Console
import Ashlar.Cli.Files (readOnce)
import Ashlar.Cli.Load
import Ashlar.Cli.Python
import Ashlar.Cli.TypeScript
import Ashlar.Schema
import Ashlar.Schema.Internal.Scalar (escaped)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import System.Exit (ExitCode (..))

-- | How to show a schema.
data SchemaStyle = SchemaText | SchemaJson | SchemaRaw | SchemaPython | SchemaTypeScript

-- | Show the schema of a file of records, or a schema that a file has. A file whose type has
-- changed has several: they are shown as text, and the last one in other styles.
showSchema :: Handles -> SchemaStyle -> FilePath -> IO ExitCode
showSchema hs style path = do
  found <- schemaFile path
  case (style, found) of
    (SchemaText, InRecords schemas) -> allOf schemas
    (SchemaText, AllOf bytes) -> readable bytes >>= putSchema
    (SchemaJson, _) ->
      readable (lastSchema found) >>= putLine hs . printable . toStrictByteString . schemaToJson
    (SchemaPython, _) -> readable (lastSchema found) >>= putSource . pythonSource
    (SchemaTypeScript, _) -> readable (lastSchema found) >>= putSource . typescriptSource
    (SchemaRaw, InRecords _) -> putBytes hs (lastSchema found)
    (SchemaRaw, AllOf bytes) -> readable bytes >> putBytes hs bytes
  pure ExitSuccess
  where
    -- All that is not ASCII stands in strings.
    printable = foldMap (\c -> if c < '\DEL' then char7 c else escaped c) . T.unpack . T.decodeUtf8
    putSource = putBytes hs . T.encodeUtf8
    putSchema s = putLines hs (T.lines (describeSchema s))
    allOf found = case found of
      [one] -> readable (fileSchemaBytes one) >>= putSchema
      _ -> mapM_ (\one -> heading one >> (readable (fileSchemaBytes one) >>= putSchema)) found
    heading one =
      putLines
        hs
        [inColour hs Yellow (T.pack ("-- from record " ++ show (fileSchemaFrom one) ++ " on"))]
    readable = either (\e -> failed (path ++ ": " ++ e)) pure . schemaOf

-- | Show what is different between the schemas of two files.
diffFiles :: Handles -> FilePath -> FilePath -> IO ExitCode
diffFiles hs old new = do
  readOnce [old, new]
  differences <- diffSchemas <$> loadSchema old <*> loadSchema new
  mapM_ (\d -> putLines hs [inColour hs (colourOf d) (line d)]) differences
  pure (if null differences then ExitSuccess else ExitFailure 1)
  where
    line = T.pack . oneLine . T.unpack . describeDifference
    colourOf d = case differenceWhat d of
      FieldAdded _ _ -> Green
      ConstructorAdded _ -> Green
      FieldDropped _ _ -> Red
      ConstructorDropped _ -> Red
      _ -> Yellow
