{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Csv
-- Description : Values as rows of CSV, and back
--
-- Note [Values in cells]
-- ~~~~~~~~~~~~~~~~~~~~~~
-- Each field of a record is a column, and so is each field of a record in it, with the names of
-- both. Any other type is one column, @value@.
--
-- What is a string in JSON is its text in a cell. Everything else is its JSON. An optional value
-- that is missing is an empty cell. If it is an empty text, the cell has quotes.
--
-- A list of characters is written as such, in JSON: @["a","b"]@, or @[]@. A cell that is no JSON
-- array of characters is the string itself. So what is written is read back, and so are strings as
-- other programs write them, except for those that look like such an array.
module Ashlar.Cli.Csv
  ( Table,
    tableOf,
    putNames,
    putRow,
    plainText,

    -- * Reading
    Cell,
    getNames,
    getNextRow,
    Layout,
    layoutOf,
    fromRow,
  )
where

import Ashlar.Builder (Builder, byteString, char7, toStrictByteString)
import Ashlar.Builder.Escape (Escaping, byteStringEscaped, escaping)
import Ashlar.Cli.FromJson
import Ashlar.Cli.Json
import Ashlar.Get
import Ashlar.Get.Parse (endOfLine, optionBytes, runScanner, skipMany, takeTill)
import Ashlar.Schema hiding (part, recordOf)
import Ashlar.Schema.Internal.Check (doubled, shortened)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Scalar (commas)
import Ashlar.Schema.Internal.Value (fromFormats)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.IntSet as IS
import qualified Data.Map.Strict as M
import Data.Maybe (isNothing)
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import Data.Word (Word8)

-- | The columns of a schema.
data Table
  = -- | The name, how an optional value is made if it may be missing, and how values are written
    -- and read.
    Column Text (Maybe (Maybe Value -> Value)) (Value -> Builder) (Json -> Either Wrong Value)
  | -- | The fields of a record, and what is around it: is it packed?
    Columns (Value -> Value) Constructor [Table]

-- | Made once for a schema. Fails if that has too many columns, or two of one name.
tableOf :: Schema -> Either Wrong Table
tableOf s
  | null (drop mostColumns names) =
    maybe (Right table) (wrong . twoNamed) (doubled names)
  | otherwise = wrong ("more than " ++ show mostColumns ++ " columns")
  where
    table = go IS.empty [] (schemaRoot s)
    names = columnsOf table
    shapes = shapesOf s
    -- A record that contains itself is no group of columns.
    go seen path shape = case bareShape shapes shape of
      Reference i
        | IS.notMember i seen,
          Just c <- recordOf (schemaDefinitions s V.! i) ->
          let under f = go (IS.insert i seen) (fieldName f : path) (fieldShape f)
           in Columns id c (map under (constructorFields c))
      Packed inner -> within InPacked path shape (go seen path inner)
      Unpacked inner -> within InPlain path shape (go seen path inner)
      Optional inner
        | mayBeNull shapes inner -> column path Nothing shape
        | otherwise -> column path (Just Perhaps) inner
      _ -> column path Nothing shape
    within wrap path shape inner = case inner of
      Columns f c fields -> Columns (wrap . f) c fields
      Column name (Just perhaps) write reader -> Column name (Just (wrap . perhaps)) write reader
      _ -> column path Nothing shape
    column path optional shape = Column (title path) optional (toJson shape) (ofJson shape)
    title path = if null path then "value" else T.intercalate "." (reverse path)
    toJson = jsonOf shapes
    ofJson = fromJson shapes
    recordOf d = case (definitionForm d, definitionConstructors d) of
      (Record, [c]) | not (null (constructorFields c)), not (isPositional c) -> Just c
      _ -> Nothing

-- The names of records in records are long, and a schema may have two in each of many others.
mostColumns :: Int
mostColumns = 10000

twoNamed :: Text -> String
twoNamed name = "two columns named " ++ show (shortened name)

-- Their names.
columnsOf :: Table -> [Text]
columnsOf table = case table of
  Column name _ _ _ -> [name]
  Columns _ _ inner -> concatMap columnsOf inner

-- | The row of the names.
putNames :: Table -> Builder
putNames = row . map (quotedCell False . T.encodeUtf8) . columnsOf

-- | The row of a value: Note [Values in cells].
putRow :: Table -> Value -> Builder
putRow table = row . cells alone table
  where
    alone = length (columnsOf table) == 1

row :: [Builder] -> Builder
row bs = commas (char7 ',') bs <> char7 '\n'

-- Given whether there is one column: then an empty text has quotes, because readers of CSV skip
-- empty lines.
cells :: Bool -> Table -> Value -> [Builder]
cells alone table value = case (table, fromFormats value) of
  (Columns _ _ inner, Fields _ xs) -> concat (zipWith (cells alone) inner (V.toList xs))
  (Columns _ _ inner, _) -> concatMap (\t -> cells alone t value) inner
  (Column _ (Just _) write _, Perhaps m) -> [maybe mempty (cell write True) m]
  (Column _ _ write _, _) -> [cell write alone value]

-- A cell, and whether it must not look missing.
cell :: (Value -> Builder) -> Bool -> Value -> Builder
cell write present = quotedCell present . plainText write

-- | A value as text, given how it is JSON: its string, if that is one.
plainText :: (Value -> Builder) -> Value -> ByteString
plainText write value = case value of
  Written _ t -> T.encodeUtf8 t
  Tagged _ _ c xs | V.null xs -> T.encodeUtf8 (constructorName c)
  _
    | C.take 1 json == "\"", Right (JString t) <- runGetWhole getJson json -> T.encodeUtf8 t
    | otherwise -> json
    where
      json = toStrictByteString (write value)

quotedCell :: Bool -> ByteString -> Builder
quotedCell present bytes
  | B.any isSpecial bytes || (present && B.null bytes) =
    char7 '"' <> byteStringEscaped inQuotes bytes <> char7 '"'
  | otherwise = byteString bytes

inQuotes :: Escaping
inQuotes = escaping (\w -> if w == 0x22 then Just "\"\"" else Nothing)

isSpecial :: Word8 -> Bool
isSpecial w = w == 0x22 || w == 0x2C || w == 0x0A || w == 0x0D

-- | The bytes of a cell, and whether it had quotes.
data Cell = Cell Bool ByteString

-- | Read the names of the columns.
getNames :: Get [Cell]
getNames = getRow mostColumns

-- | Read a row by RFC 4180, up to the end of its line or of the input. The end of a line may be a
-- line feed alone. Fails if it has more cells than this.
getRow :: Int -> Get [Cell]
getRow most = go 1 []
  where
    go n before = do
      cells' <- (: before) <$> getCell
      more <- optionBytes ","
      if more
        then if n == most then fail ("more than " ++ show most ++ " cells") else go (n + 1) cells'
        else do
          end <- isEmpty
          reverse cells' <$ if end then pure () else endOfLine <?> "a comma, or the end of a line"

getCell :: Get Cell
getCell = do
  isQuoted <- optionBytes "\""
  if isQuoted
    then do
      -- With the quote at its end.
      (inside', closed) <- runScanner False mayClose
      if closed
        then pure (Cell True (B.intercalate "\"" (halves (B.init inside'))))
        else fail "a cell without its closing quote"
    else Cell False <$> takeTill isSpecial
  where
    -- The state: is the byte before a quote that may close the cell?
    mayClose closing w
      | w == 0x22 = Just (not closing)
      | closing = Nothing
      | otherwise = Just False
    -- What is between pairs of quotes.
    halves text = case B.breakSubstring "\"\"" text of
      (before, after)
        | B.null after -> [before]
        | otherwise -> before : halves (B.drop 2 after)

-- | Which column has which of the names of a file.
data Layout = Layout !Int [Text]

-- | Read a row of a file, unless none follows. Lines that are empty do not count, unless there is
-- one column.
getNextRow :: Layout -> Get (Maybe [Cell])
getNextRow (Layout n _) = do
  when (n > 1) $ () <$ skipMany endOfLine
  end <- isEmpty
  if end then pure Nothing else Just <$> getRow n

-- | The layout of a file whose first row this is, or why it is none of the table.
layoutOf :: Table -> [Cell] -> Either String Layout
layoutOf table found = do
  names <- mapM nameOf found
  case (filter (`Set.notMember` known) names, doubled names) of
    (name : _, _) -> Left (noColumn name)
    (_, Just name) -> Left (twoNamed name)
    _ -> case filter (`Set.notMember` Set.fromList names) (needed table) of
      name : _ -> Left ("the column " ++ show (shortened name) ++ " is missing")
      [] -> Right (Layout (length names) names)
  where
    known = Set.fromList (columnsOf table)
    needed t = case t of
      Column name optional _ _ -> [name | isNothing optional]
      Columns _ _ inner -> concatMap needed inner
    noColumn name = "the type has no field " ++ show (shortened name) ++ oneOf (columnsOf table)
    nameOf (Cell _ bs) = either (const (Left "a name that is no UTF-8")) Right (T.decodeUtf8' bs)

-- | The value of a row.
fromRow :: Table -> Layout -> [Cell] -> Either Wrong Value
fromRow table (Layout n names) found
  | length found /= n = wrong ("fewer than " ++ show n ++ " cells")
  | otherwise = go table
  where
    cellsOf = M.fromList (zip names found)
    go t = case t of
      Columns f c inner -> f . Fields c . V.fromList <$> mapM go inner
      Column name optional _ reader -> inside (T.unpack name) $
        case (optional, M.lookup name cellsOf) of
          (Just perhaps, Nothing) -> Right (perhaps Nothing)
          (Just perhaps, Just (Cell False "")) -> Right (perhaps Nothing)
          (Just perhaps, Just (Cell _ bs)) -> perhaps . Just <$> read' reader bs
          (Nothing, Just (Cell _ bs)) -> read' reader bs
          (Nothing, Nothing) -> wrong "the column is missing"
    -- As an array, as a string, or else as JSON. (Only lists of characters are read from both.)
    read' reader bs = case T.decodeUtf8' bs of
      Left _ -> wrong "no UTF-8"
      Right t
        | isArray, Right json <- parsed, Right v <- reader json -> Right v
        | otherwise -> case (reader (JString t), parsed) of
          (Right v, _) -> Right v
          (Left _, Right json) -> reader json
          (Left w, Left e)
            | isArray || C.take 1 bs == "{" -> wrong (summarizeError e)
            | otherwise -> Left w
      where
        isArray = C.take 1 bs == "["
        parsed = runGetWhole getJson bs
