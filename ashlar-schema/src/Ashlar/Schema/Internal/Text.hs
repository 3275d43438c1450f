{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Text
-- Description : Schemas for people
module Ashlar.Schema.Internal.Text
  ( describeSchema,
    describeShape,
    definitionNames,
  )
where

import Ashlar.Builder (byteStringHex, toStrictByteString)
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import qualified Data.ByteString as B
import Data.Char (isPrint, showLitChar)
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import qualified Data.Vector as V

-- | A schema for people: the root, and the definitions as Haskell has them. Takes linear time, and
-- is safe to print whatever names an untrusted schema has: characters that are not printable are
-- escaped.
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> :{
-- data Shape = Point | Circle { centre :: (Int, Int), radius :: Double }
--   deriving (Generic, Codec, Described)
-- :}
--
-- >>> import qualified Data.Text.IO as T
-- >>> T.putStr (describeSchema (schema @[Shape]))
-- [Shape]
-- <BLANKLINE>
-- data Shape = Point | Circle { centre :: (Int64, Int64), radius :: Double }
--
-- Whole numbers have the names of Haskell's types of the same bytes: 'Int' is an @Int64@. Where two
-- definitions have one name, each has its number after it: @Tree#0@.
describeSchema :: Schema -> Text
describeSchema s =
  T.unlines (describe (schemaRoot s) : concatMap declaration (V.toList (V.zip names definitions)))
  where
    definitions = schemaDefinitions s
    names = definitionNames s
    describe = describeShape names
    declaration (name, d) = "" : declarationLines describe name d

-- | The names of the definitions, with their numbers where a name occurs more than once.
definitionNames :: Schema -> V.Vector Text
definitionNames s = V.imap name (schemaDefinitions s)
  where
    name i d
      | M.findWithDefault (0 :: Int) (definitionName d) counts > 1 =
        T.concat [clean (definitionName d), "#", shown i]
      | otherwise = clean (definitionName d)
    counts = M.fromListWith (+) [(definitionName d, 1) | d <- V.toList (schemaDefinitions s)]

declarationLines :: (Shape -> Text) -> Text -> Definition -> [Text]
declarationLines describe name d = case constructors of
  [] -> [header]
  [con]
    | null (constructorFields con) || fits -> [oneLine]
    | otherwise -> broken ("= " <> clean (constructorName con)) con
  _
    | fits -> [oneLine]
    | otherwise -> header : concat (zipWith alternative ("= " : repeat "| ") constructors)
  where
    constructors = definitionConstructors d
    header = T.unwords [keyword, name]
    keyword = case definitionForm d of
      Newtype -> "newtype"
      _ -> "data"
    oneLine = header <> " = " <> T.intercalate " | " (map inLine constructors)
    fits = T.length oneLine <= 96
    broken start con = (header <> " " <> start) : fieldLines con
    alternative start con
      | T.length line <= 96 = [line]
      | otherwise = ("  " <> start <> clean (constructorName con)) : map ("  " <>) (fieldLines con)
      where
        line = "  " <> start <> inLine con
    inLine con
      | constructorRetired con = "{- retired: " <> clean (constructorName con) <> " -}"
      | null fields = clean (constructorName con)
      | all isPositional (zip [1 :: Int ..] fields) =
        T.unwords (clean (constructorName con) : map (argument . fieldShape) fields)
      | otherwise =
        clean (constructorName con) <> " { " <> T.intercalate ", " (map fieldText fields) <> " }"
      where
        fields = constructorFields con
    fieldLines con =
      zipWith (<>) ("  { " : repeat "  , ") (map fieldText (constructorFields con)) ++ ["  }"]
    fieldText f = clean (fieldName f) <> " :: " <> describe (fieldShape f)
    isPositional (i, f) = fieldName f == shown i
    argument shape = parenthesised (isCompound shape) (describe shape)

-- | The type of a shape, given the names of the definitions.
describeShape :: V.Vector Text -> Shape -> Text
describeShape names = go
  where
    go shape = case shape of
      Leaf l -> leafName l
      Between low high l -> T.concat [leafName l, " from ", shown low, " to ", shown high]
      Ratio inner -> apply "Ratio" [inner]
      Optional inner -> apply "Maybe" [inner]
      Tuple ss -> T.concat ["(", T.intercalate ", " (map go ss), ")"]
      List len inner -> counted len (T.concat ["[", go inner, "]"])
      NonEmpty len inner -> sized len (apply "NonEmpty" [inner])
      Set len inner -> sized len (apply "Set" [inner])
      Map len k v -> sized len (apply "Map" [k, v])
      Array i inner -> apply "Array" [i, inner]
      Constant bs -> T.concat ["always ", hexOf bs]
      Reference i -> fromMaybe (T.concat ["#", shown i]) (names V.!? i)
      Opaque name version size ->
        T.unwords $
          ["opaque", T.pack (show name), "version", shown version]
            ++ maybe [] (\n -> ["of", shown n, "bytes"]) size
      Irregular name -> T.unwords ["irregular", T.pack (show name)]
      Packed inner -> apply "Packed" [inner]
      Unpacked inner -> apply "Unpacked" [inner]
    apply con inner = T.unwords (con : map argument inner)
    argument inner = parenthesised (isCompound inner) (go inner)
    counted len t = case len of
      Length64 -> t
      LengthVarint -> "Compact " <> t
    sized len t = case len of
      Length64 -> t
      LengthVarint -> T.concat ["Compact (", t, ")"]

parenthesised :: Bool -> Text -> Text
parenthesised yes t = if yes then T.concat ["(", t, ")"] else t

-- Does its name need parentheses as an argument?
isCompound :: Shape -> Bool
isCompound shape = case shape of
  Leaf l -> T.any (== ' ') (leafName l)
  Tuple _ -> False
  List len _ -> len /= Length64
  Reference _ -> False
  _ -> True

leafName :: Leaf -> Text
leafName l = case l of
  Unit -> "()"
  Number n -> numberName n
  BigEndian n -> "BigEndian " <> numberName n
  Varint n -> "Varint " <> numberName n
  Zigzag n -> "Zigzag " <> numberName n
  Float32 -> "Float"
  Float64 -> "Double"
  Float32BE -> "BigEndian Float"
  Float64BE -> "BigEndian Double"
  Boolean -> "Bool"
  Character -> "Char"
  ScalarCharacter -> "ScalarValue"
  BigInteger -> "Integer"
  BigNatural -> "Natural"
  FixedPoint n -> "Fixed " <> shown n
  Date -> "Day"
  Duration -> "DiffTime"
  Bytes len -> counted len "ByteString"
  ByteArray len -> counted len "ByteArray"
  Utf8 len -> counted len "Text"
  Utf16 -> "UTF16"
  where
    counted len t = case len of
      Length64 -> t
      LengthVarint -> "Compact " <> t

numberName :: Number -> Text
numberName n = case n of
  W8 -> "Word8"
  W16 -> "Word16"
  W32 -> "Word32"
  W64 -> "Word64"
  I8 -> "Int8"
  I16 -> "Int16"
  I32 -> "Int32"
  I64 -> "Int64"

-- The first bytes in hexadecimal.
hexOf :: B.ByteString -> Text
hexOf bs = T.concat ["0x", T.decodeLatin1 (toStrictByteString (byteStringHex start)), rest]
  where
    (start, more) = B.splitAt 32 bs
    rest = if B.null more then "" else T.concat ["... (", shown (B.length bs), " bytes)"]

-- Escape what is not printable: names may be those of an untrusted schema.
clean :: Text -> Text
clean = T.concatMap (\c -> if isPrint c then T.singleton c else T.pack (showLitChar c ""))

shown :: Show a => a -> Text
shown x = T.pack (show x)
