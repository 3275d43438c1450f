{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Scalar
-- Description : Numbers, strings and bytes, as both kinds of output show them
module Ashlar.Schema.Internal.Scalar
  ( quoted,
    quotedChar,
    escaped,
    name,
    wholeNumber,
    isExact,
    decimal,
    hexadecimal,
    date,
    commas,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Escape (charUtf8Escaped, jsonEscaping, textUtf8Escaped)
import Data.Bits (shiftL, shiftR, (.&.))
import Data.ByteString (ByteString)
import Data.Char (isAlphaNum, isPrint, ord)
import qualified Data.List as List
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Calendar (Day (ModifiedJulianDay), showGregorian)
import Data.Word (Word16, Word64)

-- | A string as JSON has it. Everything that is not printable is escaped, so it is safe to show on
-- a terminal.
quoted :: Text -> Builder
quoted t
  | T.all usual t = char7 '"' <> textUtf8Escaped jsonEscaping t <> char7 '"'
  | otherwise = char7 '"' <> foldMap escaped (T.unpack t) <> char7 '"'
  where
    usual c = c < '\DEL' || (c > '\x9F' && isPrint c)

-- | A character, as a string.
quotedChar :: Char -> Builder
quotedChar c = char7 '"' <> escaped c <> char7 '"'

-- | A character inside of a string.
escaped :: Char -> Builder
escaped c
  | c < '\DEL' = charUtf8Escaped jsonEscaping c
  | isPrint c = charUtf8 c
  | ord c < 0x10000 = unit (ord c)
  | otherwise = unit (0xD800 + (n `shiftR` 10)) <> unit (0xDC00 + (n .&. 0x3FF))
  where
    n = ord c - 0x10000
    unit u = "\\u" <> word16HexFixed (fromIntegral u :: Word16)

-- | The name of a constructor or field. An odd one is quoted.
name :: Text -> Builder
name t
  | T.all usual t && not (T.null t) = textUtf8 t
  | otherwise = quoted t
  where
    usual c = isPrint c && (isAlphaNum c || c `elem` ("_':!#$%&*+/<=>?@\\^|-~" :: String))

-- | A whole number: in decimal, or in hexadecimal if it is too large to be converted in linear
-- time.
wholeNumber :: Integer -> Builder
wholeNumber n
  | isExact n = integerDec n
  | n < 0 = char7 '-' <> large (negate n)
  | otherwise = large n

-- | Is it written in decimal?
isExact :: Integer -> Bool
isExact n = abs n < largest

largest :: Integer
largest = 1 `shiftL` 4096

large :: Integer -> Builder
large n = "0x" <> digits (widthOf 64) n
  where
    -- A power of two that is enough bits.
    widthOf k = if n `shiftR` k == 0 then k else widthOf (2 * k)
    digits :: Int -> Integer -> Builder
    digits k m
      | k <= 64 = word64HexFixed (fromInteger m :: Word64)
      | otherwise =
        let half = k `div` 2
            high = m `shiftR` half
         in digits half high <> digits half (m - (high `shiftL` half))

-- | A number of units, given how many make 1: a decimal, if that is a power of 10.
decimal :: Integer -> Integer -> Maybe Builder
decimal n units
  | units == 1, isExact n = Just (integerDec n)
  | isExact n,
    Just k <- List.elemIndex units (take 40 (iterate (10 *) 1)) =
    let (q, r) = abs n `quotRem` units
        digits = show r
        fraction = replicate (k - length digits) '0' ++ digits
     in Just (sign <> integerDec q <> char7 '.' <> string7 fraction)
  | otherwise = Nothing
  where
    sign = if n < 0 then char7 '-' else mempty

-- | Bytes.
hexadecimal :: ByteString -> Builder
hexadecimal = byteStringHex

-- | A Modified Julian Day, if its year has at most 6 digits.
date :: Integer -> Maybe Builder
date n
  | abs n < 300000000 = Just (string7 (showGregorian (ModifiedJulianDay n)))
  | otherwise = Nothing

-- | Builders with something between.
commas :: Builder -> [Builder] -> Builder
commas between bs = case bs of
  [] -> mempty
  b : rest -> b <> foldMap (between <>) rest
