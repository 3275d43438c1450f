-- |
-- Module      : Ashlar.Cli.Json
-- Description : A decoder of JSON
--
-- Why not aeson's: the input is untrusted, and may be nested a million times; and a user wants to
-- know at which byte it is wrong.
module Ashlar.Cli.Json
  ( Json (..),
    getJson,
    isBlank,
    escape,
  )
where

import Ashlar.Builder (byteString, charUtf8, toStrictByteString)
import Ashlar.Get
import Ashlar.Get.Parse (bytes, peekWord8', scan, sepBy, skipWhile, takeWhile1)
import Ashlar.Schema.Internal.Check (doubled, shortened)
import Control.Monad (unless)
import Data.Bits (shiftL, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Char (chr, digitToInt, isDigit, isHexDigit)
import Data.Text (Text)
import qualified Data.Text.Encoding as T
import Data.Word (Word8)

-- | A value. Numbers are as they are written. Members are in their order, and have different names.
data Json
  = JNull
  | JBool Bool
  | JNumber ByteString
  | JString Text
  | -- | A string of one surrogate, which is no text.
    JSurrogate Char
  | JArray [Json]
  | JObject [(Text, Json)]
  | -- | An object with names that are no text: a map whose keys are characters.
    JEntries [(Either Text Char, Json)]

-- | Read a value by RFC 8259, and the white space around it. Fails if an object has two members of
-- one name, or a string has a surrogate alone.
getJson :: Get Json
getJson = blank *> value

value :: Get Json
value = do
  first <- peekWord8'
  case toEnum (fromIntegral first) of
    '"' -> either JString JSurrogate <$> string
    '[' -> JArray <$> within '[' ']' getJson
    '{' -> within '{' '}' member >>= distinct
    't' -> JBool True <$ word (C.pack "true")
    'f' -> JBool False <$ word (C.pack "false")
    'n' -> JNull <$ word (C.pack "null")
    _ -> number
  where
    word w = bytes w <* blank

-- What is between two brackets, with commas.
within :: Char -> Char -> Get a -> Get [a]
within open close inner =
  punctuation open *> deeper (inner `sepBy` punctuation ',') <* punctuation close

punctuation :: Char -> Get ()
punctuation c = bytes (C.singleton c) *> blank

member :: Get (Either Text Char, Json)
member = (,) <$> string <*> (punctuation ':' *> getJson)

distinct :: [(Either Text Char, Json)] -> Get Json
distinct members
  | Just name <- doubled (map fst members) =
    fail ("two members of one name: " ++ either (show . shortened) show name)
  | [] <- [c | (Right c, _) <- members] = pure (JObject [(name, x) | (Left name, x) <- members])
  | otherwise = pure (JEntries members)

blank :: Get ()
blank = skipWhile isBlank

-- | Is it white space?
isBlank :: Word8 -> Bool
isBlank w = w == 0x20 || w == 0x0A || w == 0x0D || w == 0x09

number :: Get Json
number = do
  n <- takeWhile1 isPart <?> "a value"
  if isNumber (C.unpack n)
    then JNumber n <$ blank
    else fail ("no number: " ++ C.unpack (B.take 40 n))
  where
    isPart w = w - 0x30 < 10 || C.elem (toEnum (fromIntegral w)) (C.pack "+-.eE")

-- By the grammar of JSON.
isNumber :: String -> Bool
isNumber s = case span isDigit (if take 1 s == "-" then drop 1 s else s) of
  ("0", rest) -> fraction rest
  (c : _, rest) | c /= '0' -> fraction rest
  _ -> False
  where
    fraction rest = case rest of
      '.' : more | (_ : _, after) <- span isDigit more -> power after
      _ -> power rest
    power rest = case rest of
      e : s' : more | e `elem` "eE" -> digits (if s' `elem` "+-" then more else s' : more)
      _ -> null rest
    digits ds = not (null ds) && all isDigit ds

-- A text, or a surrogate. An error is where the character or the escape is.
string :: Get (Either Text Char)
string = do
  inside <- quote *> lookAhead (scan False step)
  case unescaped inside of
    Left (at, why) -> skip at *> fail why
    Right t -> t <$ skip (B.length inside) <* quote <* blank
  where
    quote = bytes (C.singleton '"')
    step isEscaped w
      | isEscaped = Just False
      | w == 0x22 || w < 0x20 = Nothing
      | otherwise = Just (w == 0x5C)

-- What stands between quotes, or where and why it is no text. (If there are escapes, all of it is
-- checked, and then written. A list of its parts would take more than a hundred times the memory.)
unescaped :: ByteString -> Either (Int, String) (Either Text Char)
unescaped inside = case C.unpack (B.take 2 inside) of
  "\\u"
    | B.length inside == 6, Just (c, _) <- unit (B.drop 2 inside), isSurrogate c -> Right (Right c)
  _
    | B.notElem 0x5C inside -> Left <$> plainAt inside inside
    | otherwise -> Left (T.decodeUtf8 (toStrictByteString (write inside))) <$ check inside
  where
    plainAt rest =
      either (const (Left (B.length inside - B.length rest, "no UTF-8"))) Right . T.decodeUtf8'
    check rest = do
      let (plain, more) = B.break (== 0x5C) rest
      _ <- plainAt rest plain
      unless (B.null more) $ case escape (B.drop 1 more) of
        Left why -> Left (B.length inside - B.length more, why)
        Right (_, after) -> check after
    write rest = case B.break (== 0x5C) rest of
      (plain, more)
        | Right (c, after) <- escape (B.drop 1 more),
          not (B.null more) ->
          byteString plain <> charUtf8 c <> write after
        | otherwise -> byteString plain

-- | A character whose escape stood after a backslash, and what follows it.
escape :: ByteString -> Either String (Char, ByteString)
escape rest = case C.uncons rest of
  Just ('u', digits) -> case unit digits of
    Just (a, after)
      | not (isSurrogate a) -> Right (a, after)
      | a < '\xDC00',
        Just ('\\', more) <- C.uncons after,
        Just ('u', digits') <- C.uncons more,
        Just (b, after') <- unit digits',
        b >= '\xDC00' && isSurrogate b ->
        Right (chr (0x10000 + (fromEnum a .&. 0x3FF) `shiftL` 10 + fromEnum b .&. 0x3FF), after')
      | otherwise -> Left "a surrogate alone"
    Nothing -> Left "four hexadecimal digits expected"
  Just (c, after) | Just x <- lookup c simple -> Right (x, after)
  _ -> Left "no escape of JSON"
  where
    simple = zip "\"\\/bfnrt" "\"\\/\b\f\n\r\t"

-- Four hexadecimal digits.
unit :: ByteString -> Maybe (Char, ByteString)
unit bs
  | B.length digits == 4 && C.all isHexDigit digits =
    Just (chr (C.foldl' (\n d -> n `shiftL` 4 + digitToInt d) 0 digits), after)
  | otherwise = Nothing
  where
    (digits, after) = B.splitAt 4 bs

isSurrogate :: Char -> Bool
isSurrogate c = c >= '\xD800' && c <= '\xDFFF'
