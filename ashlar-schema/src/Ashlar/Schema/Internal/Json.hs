{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Json
-- Description : Schemas as JSON
module Ashlar.Schema.Internal.Json
  ( schemaToJson,

    -- * The syntax
    object,
    array,
    string,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Escape (jsonEscaping, textUtf8Escaped)
import Ashlar.Schema.Internal.Scalar (commas)
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Data.Text (Text)
import qualified Data.Vector as V

-- | A schema as JSON, in UTF-8, for other programs. @format.md@ of the package has all names.
--
-- >>> toStrictByteString (schemaToJson (schema @(Maybe Text)))
-- "{\"root\":{\"type\":\"maybe\",\"of\":{\"type\":\"utf8\"}},\"definitions\":[]}"
--
-- Whole numbers may have more digits than fit into a 'Double'.
schemaToJson :: Schema -> Builder
schemaToJson s =
  object
    [ ("root", shapeToJson (schemaRoot s)),
      ("definitions", array (map definitionToJson (V.toList (schemaDefinitions s))))
    ]

definitionToJson :: Definition -> Builder
definitionToJson d =
  object
    [ ("name", string (definitionName d)),
      ( "form",
        case definitionForm d of
          Newtype -> "\"newtype\""
          Record -> "\"record\""
          Sum -> "\"sum\""
      ),
      ( "order",
        case definitionOrder d of
          Unordered -> "\"unknown\""
          ByParts -> "\"byParts\""
      ),
      ("constructors", array (map constructorToJson (definitionConstructors d)))
    ]

constructorToJson :: Constructor -> Builder
constructorToJson c =
  object $
    [("name", string (constructorName c))]
      ++ [("retired", "true") | constructorRetired c]
      ++ [("fields", array (map fieldToJson (constructorFields c)))]

fieldToJson :: Field -> Builder
fieldToJson f = object [("name", string (fieldName f)), ("shape", shapeToJson (fieldShape f))]

shapeToJson :: Shape -> Builder
shapeToJson shape = object $ case shape of
  Leaf l -> leafMembers l
  Between low high l -> leafMembers l ++ [("from", integerDec low), ("to", integerDec high)]
  Ratio inner -> [kind "ratio", ("of", shapeToJson inner)]
  Optional inner -> [kind "maybe", ("of", shapeToJson inner)]
  Tuple ss -> [kind "tuple", ("of", array (map shapeToJson ss))]
  List len inner -> kind "list" : counted len [("of", shapeToJson inner)]
  NonEmpty len inner -> kind "nonEmpty" : counted len [("of", shapeToJson inner)]
  Set len inner -> kind "set" : counted len [("of", shapeToJson inner)]
  Map len k v -> kind "map" : counted len [("key", shapeToJson k), ("value", shapeToJson v)]
  Array i inner -> [kind "array", ("index", shapeToJson i), ("of", shapeToJson inner)]
  Constant bs -> [kind "constant", ("bytes", char7 '"' <> byteStringHex bs <> char7 '"')]
  Reference i -> [kind "reference", ("to", intDec i)]
  Opaque name version size ->
    [kind "opaque", ("name", string name), ("version", intDec version)]
      ++ [("size", intDec n) | Just n <- [size]]
  Irregular name -> [kind "irregular", ("name", string name)]
  Packed inner -> [kind "packed", ("of", shapeToJson inner)]
  Unpacked inner -> [kind "unpacked", ("of", shapeToJson inner)]

leafMembers :: Leaf -> [(Builder, Builder)]
leafMembers l = case l of
  Unit -> [kind "unit"]
  Number n -> [kind (numberName n)]
  BigEndian n -> [kind (numberName n), ("encoding", "\"bigEndian\"")]
  Varint n -> [kind (numberName n), ("encoding", "\"varint\"")]
  Zigzag n -> [kind (numberName n), ("encoding", "\"zigzag\"")]
  Float32 -> [kind "float32"]
  Float64 -> [kind "float64"]
  Float32BE -> [kind "float32", ("encoding", "\"bigEndian\"")]
  Float64BE -> [kind "float64", ("encoding", "\"bigEndian\"")]
  Boolean -> [kind "bool"]
  Character -> [kind "char"]
  ScalarCharacter -> [kind "scalarValue"]
  BigInteger -> [kind "integer"]
  BigNatural -> [kind "natural"]
  FixedPoint n -> [kind "fixedPoint", ("unitsPerOne", naturalDec n)]
  Date -> [kind "date"]
  Duration -> [kind "duration"]
  Bytes len -> kind "bytes" : counted len []
  ByteArray len -> kind "byteArray" : counted len []
  Utf8 len -> kind "utf8" : counted len []
  Utf16 -> [kind "utf16"]

numberName :: Number -> Builder
numberName n = case n of
  W8 -> "word8"
  W16 -> "word16"
  W32 -> "word32"
  W64 -> "word64"
  I8 -> "int8"
  I16 -> "int16"
  I32 -> "int32"
  I64 -> "int64"

-- The default is a length of eight bytes.
counted :: Length -> [(Builder, Builder)] -> [(Builder, Builder)]
counted len members = case len of
  Length64 -> members
  LengthVarint -> ("length", "\"varint\"") : members

kind :: Builder -> (Builder, Builder)
kind name = ("type", char7 '"' <> name <> char7 '"')

-- | An object. Its names are written as they are.
object :: [(Builder, Builder)] -> Builder
object members =
  char7 '{' <> commas (char7 ',') [quoted k <> char7 ':' <> v | (k, v) <- members] <> char7 '}'
  where
    quoted k = char7 '"' <> k <> char7 '"'

-- | An array.
array :: [Builder] -> Builder
array elements = char7 '[' <> commas (char7 ',') elements <> char7 ']'

-- | A string.
string :: Text -> Builder
string t = char7 '"' <> textUtf8Escaped jsonEscaping t <> char7 '"'
