{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Python
-- Description : Python source of the types of a schema
--
-- The package @ashlar@ for Python reads and writes values of the classes. Its README says what the
-- source looks like, and its @python_source@ prints the same.
module Ashlar.Cli.Python
  ( pythonSource,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Cli.Names
import Ashlar.Codec (encode)
import Ashlar.Schema hiding (Set)
import qualified Ashlar.Schema as Schema
import Ashlar.Schema.Internal.Costs (isOrdered, unorderedIn)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Scalar (hexadecimal)
import Ashlar.Schema.Internal.Unwrap (unwrapped, unwrapping)
import Data.Char (isAlphaNum, isAscii, isDigit)
import qualified Data.IntSet as IS
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V

-- | Dataclasses for the types of a schema, a name for its root, and the bytes of the schema. A
-- value is the same whether it is packed or not.
pythonSource :: Schema -> Text
pythonSource written
  | null classes = T.concat [header, "\n", end]
  | otherwise = T.intercalate "\n\n" ([header] ++ classes ++ [end])
  where
    s = plainSchema written
    names = namesOf s
    each f = concat (zipWith f (namesTypes names) (V.toList (schemaDefinitions s)))
    classes = each $ \(name, constructors) d -> case definitionForm d of
      Newtype -> []
      Record -> [dataclass names name c | c <- definitionConstructors d]
      Sum -> [dataclass names n c | (n, c) <- inUse constructors d]
    aliases = each $ \(name, constructors) d -> case definitionForm d of
      Sum -> [T.concat [name, " = ", union (map fst (inUse constructors d))]]
      _ -> []
    inUse constructors d =
      [(n, c) | (n, c) <- zip constructors (definitionConstructors d), not (constructorRetired c)]
    union alternatives
      | null alternatives = "NoReturn"
      | otherwise = generic "Union" alternatives
    root = T.append "Root = " (annotation names (schemaRoot s))
    digits = T.chunksOf 80 (T.decodeLatin1 (toStrictByteString (hexadecimal (encode written))))
    end =
      T.unlines
        ( aliases
            ++ [root, "", "SCHEMA = bytes.fromhex("]
            ++ [T.concat ["    \"", ds, "\""] | ds <- digits]
            ++ [")"]
        )

header :: Text
header =
  T.unlines
    [ "\"\"\"The types of an Ashlar schema.\"\"\"",
      "",
      "from __future__ import annotations",
      "",
      "from dataclasses import dataclass",
      "from fractions import Fraction",
      "from typing import Any, Dict, List, NoReturn, Optional, Tuple, Union",
      "",
      "import ashlar"
    ]

dataclass :: Names -> Text -> Constructor -> Text
dataclass names name c =
  T.unlines (["@dataclass", T.concat ["class ", name, ":"]] ++ body)
  where
    body = if null fields then ["    pass"] else fields
    fields =
      [ T.concat ["    ", member, ": ", annotation names (fieldShape f)]
        | (member, f) <- zip (members c) (constructorFields c)
      ]

-- The attributes for the fields of a constructor.
members :: Constructor -> [Text]
members c
  | isPositional c = [T.pack ("field" ++ show i) | i <- [1 .. length (constructorFields c)]]
  | otherwise = allUnlike (map (identifier . fieldName) (constructorFields c))

-- What the source itself uses, and the attribute that all classes have.
reserved :: [Text]
reserved =
  T.words
    "Any Dict Fraction List NoReturn Optional Root SCHEMA Tuple Union annotations ashlar bool \
    \bytes dataclass float int mro str"

-- | A name as Python has it.
identifier :: Text -> Text
identifier name
  | text `elem` keywords || text `elem` reserved = T.snoc text '_'
  | otherwise = text
  where
    clean = T.map (\c -> if isAscii c && (isAlphaNum c || c == '_') then c else '_') name
    text
      | T.null clean || isDigit (T.head clean) || "__" `T.isPrefixOf` clean = T.cons 'f' clean
      | otherwise = clean

keywords :: [Text]
keywords =
  T.words
    "False None True and as assert async await break class continue def del elif else except \
    \finally for from global if import in is lambda nonlocal not or pass raise return try while \
    \with yield"

-- What annotations need to know.
data Names = Names
  { -- | The name of each definition, and those of its constructors. That of a newtype is not used.
    namesTypes :: [(Text, [Text])],
    namesByNumber :: V.Vector (Maybe Text),
    namesSchema :: Schema,
    namesShapes :: Shapes,
    namesBare :: V.Vector Shape,
    namesUnordered :: IS.IntSet
  }

namesOf :: Schema -> Names
namesOf s =
  Names
    { namesTypes = found,
      namesByNumber = V.fromList (zipWith byNumber found definitions),
      namesSchema = s,
      namesShapes = shapesOf s,
      namesBare = unwrapping (schemaDefinitions s),
      namesUnordered = unorderedIn s
    }
  where
    definitions = V.toList (schemaDefinitions s)
    found = snd (List.mapAccumL ofDefinition (used []) (zip (repeated definitions) definitions))
    ofDefinition taken (name, d) = case definitionForm d of
      Newtype -> (taken, (name, []))
      Record -> let (taken', own) = unlike taken (identifier name) in (taken', (own, []))
      Sum ->
        let (taken', own) = unlike taken (identifier name)
            (taken'', cs) = List.mapAccumL (ofConstructor own) taken' (definitionConstructors d)
         in (taken'', (own, cs))
    ofConstructor own taken c
      | constructorRetired c = (taken, T.empty)
      | otherwise = unlike taken (T.concat [own, "_", identifier (constructorName c)])
    byNumber (name, _) d = case definitionForm d of
      Newtype -> Nothing
      _ -> Just name

generic :: Text -> [Text] -> Text
generic name args = T.concat [name, "[", T.intercalate ", " args, "]"]

-- The type of the values of a shape.
annotation :: Names -> Shape -> Text
annotation names = go
  where
    go shape = case bareShape (namesShapes names) shape of
      Leaf l -> leaf l
      Between {} -> "int"
      Ratio _ -> "Fraction"
      Optional inner
        | mayBeNull (namesShapes names) inner -> generic "Optional" [generic "Tuple" [go inner]]
        | otherwise -> generic "Optional" [go inner]
      Tuple ss -> generic "Tuple" (map go ss)
      List _ inner -> generic "List" [go inner]
      NonEmpty _ inner -> generic "List" [go inner]
      Schema.Set _ inner -> generic "List" [go inner]
      Map _ k x
        | isHashable k -> generic "Dict" [go k, go x]
        | otherwise -> generic "List" [generic "Tuple" [go k, go x]]
      Array i inner -> generic "ashlar.Array" [go i, go inner]
      Constant _ -> "bytes"
      Opaque _ _ (Just _) -> "bytes"
      Reference i | Just (Just name) <- namesByNumber names V.!? i -> name
      _ -> "Any"
    isHashable k =
      isOrdered (namesUnordered names) k && isPlain (unwrapped (namesBare names) k)
    isPlain shape = case shape of
      Ratio s -> isPlain s
      Optional s -> isPlain s
      Tuple ss -> all isPlain ss
      Leaf _ -> True
      Between {} -> True
      Constant _ -> True
      _ -> False

leaf :: Leaf -> Text
leaf l = case l of
  Unit -> "Tuple[()]"
  Float32 -> "float"
  Float64 -> "float"
  Float32BE -> "float"
  Float64BE -> "float"
  Boolean -> "bool"
  Character -> "str"
  ScalarCharacter -> "str"
  Utf8 _ -> "str"
  Utf16 -> "str"
  Bytes _ -> "bytes"
  ByteArray _ -> "bytes"
  _ -> "int"
