{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Case
-- Description : Cases, and how a file has them
module Conformance.Case
  ( Entry,
    entryName,
    entry,
    rendered,

    -- * Members
    Json,
    text,
    bytes,
    line,
    number,
    truth,
    list,
    object,
    asIs,
    nothing,
    firstLine,
    refusal,
    fingerprintOf,

    -- * Bytes
    hex,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Escape (jsonEscaping, textUtf8Escaped)
import Ashlar.Codec (DecodeError (..), summarizeError)
import Control.Exception (Exception (..))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Char (digitToInt, isHexDigit)
import qualified Data.List as List
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.Fingerprint (Fingerprint)
import Numeric (showHex)

-- | A name, and the other members.
data Entry = Entry String [(String, Json)]

-- | A case with this name.
entry :: String -> [(String, Json)] -> Entry
entry = Entry

-- | No two cases of a file have the same.
entryName :: Entry -> String
entryName (Entry name _) = name

-- | The text of a file: a case in each line.
rendered :: [Entry] -> ByteString
rendered cases =
  toStrictByteString $
    "{\"cases\": [\n" <> separated ",\n" (map one cases) <> "\n]}\n"
  where
    one (Entry name members) = object (("name", text name) : members)

-- | A value of JSON.
type Json = Builder

-- | A string.
text :: String -> Json
text s = char7 '"' <> textUtf8Escaped jsonEscaping (T.pack s) <> char7 '"'

-- | Bytes in hexadecimal.
bytes :: ByteString -> Json
bytes bs = char7 '"' <> foldMap word8HexFixed (B.unpack bs) <> char7 '"'

-- | A line of JSON as a string, without its newline.
line :: ByteString -> Json
line bs = text (T.unpack (T.decodeUtf8 (if "\n" `B.isSuffixOf` bs then B.init bs else bs)))

-- | A whole number.
number :: Integral n => n -> Json
number = integerDec . toInteger

truth :: Bool -> Json
truth b = if b then "true" else "false"

list :: [Json] -> Json
list xs = char7 '[' <> separated ", " xs <> char7 ']'

object :: [(String, Json)] -> Json
object members =
  char7 '{' <> separated ", " [text key <> ": " <> x | (key, x) <- members] <> char7 '}'

-- | JSON that is there already.
asIs :: ByteString -> Json
asIs = byteString

nothing :: Json
nothing = "null"

separated :: Builder -> [Builder] -> Builder
separated between = mconcat . List.intersperse between

-- | The first line of what is shown of an exception.
firstLine :: Exception e => e -> String
firstLine = takeWhile (/= '\n') . displayException

-- | Why bytes are refused, and where.
refusal :: DecodeError -> Json
refusal e =
  object
    [ ("offset", number (errorOffset e)),
      ("path", text (List.intercalate " / " (reverse (errorLabels e)))),
      ("message", text (summarizeError e))
    ]

-- | A fingerprint in hexadecimal.
fingerprintOf :: Fingerprint -> Json
fingerprintOf = text . show

-- | Bytes from hexadecimal digits. All other characters are passed over.
hex :: String -> ByteString
hex = C.pack . pairs . filter isHexDigit
  where
    pairs digits = case digits of
      a : b : rest -> toEnum (16 * digitToInt a + digitToInt b) : pairs rest
      [] -> []
      [a] -> error ("an odd number of digits, the last of which is " ++ showHex (digitToInt a) "")
