-- |
-- Module      : Ashlar.Cli.Options
-- Description : The command line
module Ashlar.Cli.Options
  ( Command (..),
    From (..),
    commandLine,
    commandNames,
  )
where

import Ashlar.Cli.Convert (Old (..))
import Ashlar.Cli.Export (TextTo (..))
import Ashlar.Cli.Import (TextFrom (..))
import Ashlar.Cli.Input (Selection (..), everything)
import Ashlar.Cli.Path
import Ashlar.Cli.Schemas (SchemaStyle (..))
import Ashlar.Cli.Show (Style (..))
import Ashlar.Cli.Split (SplitBy (..))
import Ashlar.Schema.Compat (Format (..))
import Data.Int (Int64)
import qualified Data.Text as T
import Options.Applicative hiding (style)

-- | What to do.
data Command
  = SchemaCommand SchemaStyle FilePath
  | -- | With the schema of bare values.
    ShowCommand Style Selection (Maybe FilePath) FilePath
  | QueryCommand Style Selection (Maybe FilePath) FilePath Path
  | -- | With the most bytes of a block and a value, as in all that follow.
    VerifyCommand Selection (Maybe FilePath) [FilePath]
  | DiffCommand FilePath FilePath
  | -- | Also: may the target exist, and may types differ?
    CatCommand Selection Bool Bool (Maybe FilePath) FilePath [FilePath]
  | -- | Also: may the target exist, and is part of it wanted after damage? With the schema, without
    -- which it fails.
    ConvertCommand Selection Bool Bool From (Maybe FilePath) FilePath FilePath
  | -- | With the schema of bare values. Also: may the target exist?
    ExportCommand Selection Bool TextTo (Maybe FilePath) FilePath FilePath
  | RepairCommand Selection Bool (Maybe FilePath) FilePath FilePath
  | -- | Also: may the files exist? With the prefix of their names.
    SplitCommand Selection Bool SplitBy FilePath FilePath
  | StatCommand Selection (Maybe FilePath) FilePath

-- | What is converted.
data From
  = FromOld Old
  | FromText TextFrom
  | -- | CSV, and @--list@, which it does not have.
    FromCsvList

-- | The parser of the command line.
commandLine :: ParserInfo Command
commandLine =
  info
    (helper <*> versionOption <*> hsubparser (foldMap toCommand commands))
    ( fullDesc
        <> header "ashlar - show, check, compare, copy, convert and mend files of records"
        <> footer (streams ++ " " ++ exitCodes)
    )
  where
    toCommand (name, what, parser) = command name (info parser (progDesc what <> footer exitCodes))
    versionOption =
      infoOption "ashlar 0.1.0.0" (long "version" <> help "Show the version of the tool")

streams :: String
streams =
  "FILE may be -, the standard input, or a pipe, but not for repair, split and stat, and without a \
  \schema neither for verify and cat."

exitCodes :: String
exitCodes =
  "Exit codes: 0 if all is well; 1 if something is damaged, or different; 2 if the command is \
  \wrong, or something cannot be opened, read as it was asked for, or written."

-- | The names of all commands.
commandNames :: [String]
commandNames = [name | (name, _, _) <- commands]

commands :: [(String, String, Parser Command)]
commands =
  [ ( "schema",
      "Show the type of the records of FILE, or a schema that is stored alone",
      SchemaCommand <$> schemaStyle <*> file "FILE"
    ),
    ( "show",
      "Show values, one in a line",
      ShowCommand <$> style <*> selection <*> schemaOption <*> file "FILE"
    ),
    ( "query",
      "Show parts of values, one in a line: .items[].price, .items[0], .shape.Circle, .stock{}, \
      \.stock{\"brick\"}, .stock{42}, .stock{Red}. A Maybe has no step",
      QueryCommand <$> style <*> selection <*> schemaOption <*> file "FILE" <*> pathArgument
    ),
    ( "verify",
      "Check structure, checksums and values, and say what is damaged",
      VerifyCommand <$> limited <*> schemaOption <*> some (file "FILE...")
    ),
    ( "diff",
      "Show what is different between the types of two files, or between two schemas",
      DiffCommand <$> file "A" <*> file "B"
    ),
    ( "cat",
      "Copy the records of all files to one. With --schema, the files have values one after \
      \another",
      CatCommand
        <$> limited
        <*> force
        <*> switch (long "mixed" <> help "Allow records of different types")
        <*> schemaOption
        <*> output
        <*> some (file "FILE...")
    ),
    ( "convert",
      "Turn JSON, CSV, or what binary, cereal or store have written into a file of records; or \
      \records into JSON, CSV or Avro",
      convertCommand
    ),
    ( "repair",
      "Copy what is readable of a damaged file, and say what was lost",
      RepairCommand
        <$> limited
        <*> force
        <*> schemaFor "The type of the records, if the header of FILE is lost"
        <*> output
        <*> file "FILE"
    ),
    ( "split",
      "Copy the records of FILE to several: PREFIX.0001, PREFIX.0002 and so on",
      SplitCommand
        <$> limited
        <*> force
        <*> splitBy
        <*> strOption
          ( short 'o' <> long "output" <> metavar "PREFIX" <> action "file"
              <> help "How the names of the files begin"
          )
        <*> file "FILE"
    ),
    ( "stat",
      "Show how many records and bytes there are, which parts take them, and what packing saves",
      StatCommand <$> selection <*> schemaOption <*> file "FILE"
    )
  ]

-- What both directions have is outside of the choice between them: an option that belongs to both
-- would choose the first.
convertCommand :: Parser Command
convertCommand =
  (\within forced direction -> direction within forced)
    <$> limited
    <*> force
    <*> (convertFrom <|> convertTo)
    <*> schemaFor
      "The type of the values: a schema, or a file of records that has it. Needed with --from, and \
      \with --to if FILE has values one after another"
    <*> output
    <*> file "FILE"

-- Given what both directions have.
convertFrom,
  convertTo ::
    Parser (Selection -> Bool -> Maybe FilePath -> FilePath -> FilePath -> Command)
convertFrom =
  (\partial from within forced -> ConvertCommand within forced partial from)
    <$> switch
      (long "partial" <> help "If FILE is damaged, write OUT with the values before the damage")
    <*> (fromOption <*> listOption)
convertTo =
  (\goOn text within forced -> ExportCommand within {selectKeepGoing = goOn} forced text)
    <$> keepGoing
    <*> toOption

-- Given whether the file is one list.
fromOption :: Parser (Bool -> From)
fromOption =
  formatOption
    "from"
    "What FILE is: json, csv, or written by binary, cereal or store"
    [ ("json", \list -> FromText (if list then FromJsonArray else FromJsonValues)),
      ("csv", \list -> if list then FromCsvList else FromText FromCsv),
      ("binary", FromOld . Old Binary),
      ("cereal", FromOld . Old Cereal),
      ("store", FromOld . Old Store)
    ]

toOption :: Parser TextTo
toOption =
  formatOption
    "to"
    "What OUT is: json, one value in a line, csv, or avro"
    [("json", ToJson), ("csv", ToCsv), ("avro", ToAvro)]

formatOption :: String -> String -> [(String, a)] -> Parser a
formatOption name what formats =
  option (maybeReader (`lookup` formats)) $
    long name <> metavar "FORMAT" <> completeWith (map fst formats) <> help what

listOption :: Parser Bool
listOption =
  switch $
    long "list"
      <> help "FILE is one list or array. If not given, the values stand alone"

file :: String -> Parser FilePath
file name = strArgument (metavar name <> action "file")

output :: Parser FilePath
output =
  strOption
    ( short 'o' <> long "output" <> metavar "OUT" <> action "file"
        <> help "The file to write, or - for the standard output"
    )

force :: Parser Bool
force = switch (short 'f' <> long "force" <> help "Replace OUT if it exists")

schemaOption :: Parser (Maybe FilePath)
schemaOption =
  schemaFor "FILE has values one after another: of this schema, or of the type of this file"

-- An option for a schema, given the help about it.
schemaFor :: String -> Parser (Maybe FilePath)
schemaFor what =
  optional . strOption $ long "schema" <> metavar "SCHEMA" <> action "file" <> help what

schemaStyle :: Parser SchemaStyle
schemaStyle =
  flag' SchemaJson (long "json" <> help "As JSON")
    <|> flag' SchemaRaw (long "raw" <> help "In bytes, for --schema")
    <|> flag' SchemaPython (long "python" <> help "As Python source: dataclasses for the types")
    <|> flag'
      SchemaTypeScript
      (long "typescript" <> help "As TypeScript: interfaces and unions for the types")
    <|> pure SchemaText

style :: Parser Style
style = flag AsText AsJson (long "json" <> help "As JSON, with all digits of each number")

selection :: Parser Selection
selection =
  Selection
    <$> option
      natural
      ( long "from" <> metavar "N" <> value 0
          <> help
            "Begin with record N, \
            \counted from 0"
      )
    <*> optional (option natural (long "count" <> metavar "M" <> help "At most M records"))
    <*> keepGoing
    <*> limit

keepGoing :: Parser Bool
keepGoing =
  switch (short 'k' <> long "keep-going" <> help "Go on after damage, with the next whole block")

-- Everything, up to a limit.
limited :: Parser Selection
limited = (\n -> everything {selectLimit = n}) <$> limit

limit :: Parser Int
limit =
  option
    (fromIntegral . min 2147483647 <$> size)
    ( long "limit" <> metavar "SIZE" <> value 67108864
        <> help
          "Refuse values and blocks of more bytes than SIZE, which is 64M if not given. A value \
          \usually takes up to 200 times its bytes in memory, a packed one up to 1,000 times, and \
          \one of a schema that somebody made to do harm up to 12,000 times"
    )

splitBy :: Parser SplitBy
splitBy =
  EachRecords
    <$> option
      (positive natural)
      (long "records" <> metavar "N" <> help "N records in each file but the last")
    <|> EachBytes
      <$> option
        (positive size)
        ( long "bytes" <> metavar "SIZE"
            <> help "At most SIZE bytes in each file, or one block: 1000000, 512K, 100M, 2G"
        )
    <|> flag'
      EachFile
      (long "files" <> help "Files that were joined to one, each with its header")
  where
    positive reads' = reads' >>= \n -> if n > 0 then pure n else readerError "not positive"

-- | A number of bytes.
size :: ReadM Int64
size = eitherReader $ \s -> case reads s of
  [(n, suffix)]
    | Just unit <- lookup suffix units,
      n >= 0 && n * unit <= toInteger (maxBound :: Int64) ->
      Right (fromInteger (n * unit))
  _ -> Left ("not a number of bytes: " ++ s)
  where
    units = [("", 1), ("K", 1024), ("M", 1048576), ("G", 1073741824)] :: [(String, Integer)]

natural :: ReadM Int64
natural = eitherReader $ \s -> case reads s of
  [(n, "")] | n >= 0 && n <= toInteger (maxBound :: Int64) -> Right (fromInteger n)
  _ -> Left ("not a number of records: " ++ s)

pathArgument :: Parser Path
pathArgument = argument (eitherReader (parsePath . T.pack)) (metavar "PATH")
