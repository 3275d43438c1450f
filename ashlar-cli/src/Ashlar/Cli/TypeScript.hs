{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.TypeScript
-- Description : TypeScript of the types of a schema
--
-- The package @ashlar@ for TypeScript reads and writes values of the types. Its README says what
-- the source looks like, and its @typescriptSource@ prints the same.
module Ashlar.Cli.TypeScript
  ( typescriptSource,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli.Names (allUnlike)
import Ashlar.Codec (encode)
import Ashlar.Schema hiding (Set)
import qualified Ashlar.Schema as Schema
import Ashlar.Schema.Internal.Json.Values (Shapes (..), isPositional, shapesOf)
import Ashlar.Schema.Internal.Scalar (hexadecimal)
import Ashlar.Schema.Internal.Unwrap (recursiveNewtypes)
import Data.Char (isAlphaNum, isAscii, isDigit, ord)
import qualified Data.IntSet as IS
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V
import Numeric (showHex)

-- | Interfaces and types for a schema, a name for its root, and the bytes of the schema. A value is
-- the same whether it is packed or not.
typescriptSource :: Schema -> Text
typescriptSource written =
  T.intercalate "\n" $
    ["// The types of an Ashlar schema.\n"]
      ++ V.toList (V.imap (declared names) (schemaDefinitions s))
      ++ [T.concat ["export type Root = ", typeOf names (schemaRoot s), ";\n"], bytes]
  where
    s = plainSchema written
    names = namesOf s
    digits = T.chunksOf 80 (T.decodeLatin1 (toStrictByteString (hexadecimal (encode written))))
    bytes =
      T.concat
        [ "export const schemaHex =\n",
          T.intercalate " +\n" [T.concat ["  \"", ds, "\""] | ds <- digits],
          ";\n"
        ]

-- What types need to know: the identifiers of the definitions, the shapes, and the newtypes that
-- wrap themselves by way of newtypes only.
data Names = Names (V.Vector Text) Shapes IS.IntSet

namesOf :: Schema -> Names
namesOf s = Names (V.fromList identifiers) (shapesOf s) (recursiveNewtypes (schemaDefinitions s))
  where
    identifiers = allUnlike (map (identifier . definitionName) (V.toList (schemaDefinitions s)))

-- The declaration of a definition.
declared :: Names -> Int -> Definition -> Text
declared names@(Names identifiers _ recursive) i d =
  case (definitionForm d, definitionConstructors d) of
    (Sum, cs)
      | null (inUse cs) -> alias "never"
      | otherwise ->
        T.concat
          [ T.intercalate "\n" (T.concat ["export type ", name, " ="] : map alternative (inUse cs)),
            ";\n"
          ]
    (Newtype, [Constructor _ _ [f]])
      | IS.member i recursive -> alias "unknown"
      | otherwise -> alias (typeOf names (fieldShape f))
    (_, [c])
      | isPositional c -> alias (fieldsOf names c)
      | null (constructorFields c) -> T.concat ["export interface ", name, " {}\n"]
      | otherwise ->
        T.concat
          [ T.concat ["export interface ", name, " {\n"],
            T.concat [T.concat ["  ", field names f, ";\n"] | f <- constructorFields c],
            "}\n"
          ]
    _ -> alias "never"
  where
    name = identifiers V.! i
    alias t = T.concat ["export type ", name, " = ", t, ";\n"]
    inUse = filter (not . constructorRetired)
    alternative c
      | null (constructorFields c) = T.concat ["  | { tag: ", tag, " }"]
      | otherwise = T.concat ["  | { tag: ", tag, "; value: ", fieldsOf names c, " }"]
      where
        tag = quoted (constructorName c)

-- The fields of a constructor in one line. There are some.
fieldsOf :: Names -> Constructor -> Text
fieldsOf names c
  | isPositional c = tuple (map (typeOf names . fieldShape) (constructorFields c))
  | otherwise =
    T.concat ["{ ", T.intercalate "; " (map (field names) (constructorFields c)), " }"]

field :: Names -> Field -> Text
field names f = T.concat [key, ": ", typeOf names (fieldShape f)]
  where
    name = fieldName f
    key = if isPlain then name else quoted name
    isPlain =
      not (T.null name) && not (isDigit (T.head name))
        && T.all (\c -> isWord c || c == '$') name

tuple :: [Text] -> Text
tuple ts = T.concat ["[", T.intercalate ", " ts, "]"]

-- The type of the values of a shape.
typeOf :: Names -> Shape -> Text
typeOf (Names identifiers shapes _) = go
  where
    go shape = case shape of
      Leaf l -> leaf l
      Between _ _ l -> leaf l
      Ratio inner -> T.concat ["{ numerator: ", go inner, "; denominator: ", go inner, " }"]
      Optional inner
        | mayBeNull shapes inner -> T.concat ["{ just: ", go inner, " } | null"]
        | otherwise -> T.concat [go inner, " | null"]
      Tuple ss -> tuple (map go ss)
      List _ inner -> array (go inner)
      NonEmpty _ inner -> array (go inner)
      Schema.Set _ inner -> array (go inner)
      Map _ k x -> array (tuple [go k, go x])
      Array i inner ->
        T.concat ["{ from: ", go i, "; to: ", go i, "; elements: ", array (go inner), " }"]
      Constant _ -> "Uint8Array"
      Opaque _ _ (Just _) -> "Uint8Array"
      Opaque _ _ Nothing -> "never"
      Irregular _ -> "never"
      Packed inner -> go inner
      Unpacked inner -> go inner
      Reference i -> identifiers V.! i
    array t = T.concat ["Array<", t, ">"]

leaf :: Leaf -> Text
leaf l = case l of
  Unit -> "[]"
  Number n -> sized n
  BigEndian n -> sized n
  Varint n -> sized n
  Zigzag n -> sized n
  Float32 -> "number"
  Float64 -> "number"
  Float32BE -> "number"
  Float64BE -> "number"
  Boolean -> "boolean"
  Character -> "string"
  ScalarCharacter -> "string"
  Utf8 _ -> "string"
  Utf16 -> "string"
  Bytes _ -> "Uint8Array"
  ByteArray _ -> "Uint8Array"
  BigInteger -> "bigint"
  BigNatural -> "bigint"
  FixedPoint _ -> "bigint"
  Date -> "bigint"
  Duration -> "bigint"
  where
    sized n = if n == W64 || n == I64 then "bigint" else "number"

-- A name as TypeScript has it.
identifier :: Text -> Text
identifier name
  | text `elem` reserved = T.snoc text '_'
  | otherwise = text
  where
    clean = T.map (\c -> if isWord c then c else '_') name
    text
      | T.null clean || isDigit (T.head clean) = T.cons '_' clean
      | otherwise = clean

isWord :: Char -> Bool
isWord c = isAscii c && (isAlphaNum c || c == '_')

reserved :: [Text]
reserved =
  T.words
    "Root Array Uint8Array any unknown never undefined string number bigint boolean symbol object \
    \null true false void break case catch class const continue debugger default delete do else \
    \enum export extends finally for function if import in instanceof new return super switch this \
    \throw try typeof var while with yield let static await implements interface package private \
    \protected public keyof readonly unique infer as"

-- A string of JSON, in ASCII.
quoted :: Text -> Text
quoted t = T.concat ["\"", T.concatMap escaped t, "\""]
  where
    escaped c
      | c == '"' = "\\\""
      | c == '\\' = "\\\\"
      | c >= ' ' && c <= '~' = T.singleton c
      | Just short <- lookup c shorts = T.pack ['\\', short]
      | ord c < 0x10000 = unit (ord c)
      | otherwise = T.append (unit (0xD800 + n `quot` 0x400)) (unit (0xDC00 + n `rem` 0x400))
      where
        n = ord c - 0x10000
    shorts = zip "\b\t\n\f\r" "btnfr"
    unit n = T.append "\\u" (T.justifyRight 4 '0' (T.pack (showHex n "")))
