{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Aeson
-- Description : The JSON of aeson's types, by builders
--
-- JSON as "Data.Aeson" writes it, byte for byte, as a 'Builder'. So it goes wherever builders go: a
-- ByteString, a Handle, a socket, the middle of another format.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Aeson
-- >>> import Ashlar.Builder
-- >>> import Data.Aeson (object, (.=))
-- >>> import qualified Data.ByteString.Char8 as C
-- >>> import Data.Text (Text)
-- >>> let order = object ["item" .= ("6\" slate" :: Text), "count" .= (12 :: Int)]
-- >>> C.putStrLn (toStrictByteString ("data: " <> jsonValue order))
-- data: {"count":12,"item":"6\" slate"}
--
-- 'jsonValue' takes less time than @encode@ (benchmarks "aeson's Value"). 'json' is for any type
-- with an instance of 'ToJSON', and runs the builder of bytestring that its 'toEncoding' makes. So
-- it takes as long as @encode@, but its bytes need not be copied into another output.
--
-- To write JSON without aeson, see 'Ashlar.Builder.Escape.jsonEscaping'. It has the short forms
-- @\\b@ and @\\f@, for which aeson, and so this module, writes @\\u0008@ and @\\u000c@.
module Ashlar.Aeson
  ( -- * Whole documents
    json,
    jsonValue,
    jsonEncoding,

    -- * Parts
    jsonText,
    jsonKey,
    jsonScientific,
  )
where

import Ashlar.Aeson.Internal.Number (jsonScientific)
import Ashlar.Builder
import Ashlar.Builder.Bytestring (fromBytestringBuilder)
import Ashlar.Builder.Escape (Escaping, escaping, textUtf8Escaped)
import Data.Aeson (Encoding, Key, ToJSON (toEncoding), Value (..), fromEncoding)
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import qualified Data.ByteString.Char8 as C
import Data.Text (Text)
import qualified Data.Vector as V
import Text.Printf (printf)

-- | Any value that has a JSON form: the bytes of @encode@.
--
-- Law: @toLazyByteString (json x) == encode x@.
--
-- With optimisation, a rewrite rule writes a 'Value' by 'jsonValue'.
--
-- >>> toStrictByteString (json [Just 0.5, Nothing])
-- "[0.5,null]"
json :: ToJSON a => a -> Builder
json x = jsonEncoding (toEncoding x)
{-# NOINLINE [1] json #-}

{-# RULES
"json/Value" json = jsonValue
  #-}

-- | The bytes of an 'Encoding', such as 'toEncoding' makes. Its builder of bytestring runs in the
-- buffer of ours.
jsonEncoding :: Encoding -> Builder
jsonEncoding x = fromBytestringBuilder (fromEncoding x)

-- | A JSON value: the bytes of @encode@. Members come in the order of
-- 'Data.Aeson.KeyMap.toList'.
--
-- Nested values take stack, as many levels as there are.
jsonValue :: Value -> Builder
jsonValue value = case value of
  Object members -> case KeyMap.toList members of
    [] -> "{}"
    first : rest ->
      char7 '{'
        <> member first
        <> foldr (\m more -> char7 ',' <> member m <> more) (char7 '}') rest
  Array elements
    | V.null elements -> "[]"
    | otherwise ->
      char7 '['
        <> jsonValue (V.head elements)
        <> V.foldr (\v more -> char7 ',' <> jsonValue v <> more) (char7 ']') (V.tail elements)
  String text -> jsonText text
  Number number -> jsonScientific number
  Bool True -> "true"
  Bool False -> "false"
  Null -> "null"
  where
    member (key, v) = jsonKey key <> char7 ':' <> jsonValue v

-- | A JSON string, with its quotation marks. Quotation mark, backslash and control characters below
-- 32 are escaped (RFC 8259, section 7), no others.
--
-- >>> toStrictByteString (jsonText "a\"b\n\b\DEL")
-- "\"a\\\"b\\n\\u0008\DEL\""
jsonText :: Text -> Builder
jsonText text = char7 '"' <> textUtf8Escaped escapes text <> char7 '"'

-- | The key of an object, with its quotation marks.
jsonKey :: Key -> Builder
jsonKey key = jsonText (Key.toText key)

escapes :: Escaping
escapes = escaping $ \w -> case w of
  0x22 -> Just "\\\""
  0x5C -> Just "\\\\"
  0x09 -> Just "\\t"
  0x0A -> Just "\\n"
  0x0D -> Just "\\r"
  _
    | w < 0x20 -> Just (C.pack (printf "\\u%04x" w))
    | otherwise -> Nothing
{-# NOINLINE escapes #-}
