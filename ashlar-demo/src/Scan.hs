{-# LANGUAGE BangPatterns #-}

-- |
-- Module      : Scan
-- Description : Decoders for text: words and single characters
--
-- What a parser of text needs besides "Ashlar.Get". Every error is at the first wrong byte.
module Scan
  ( taking,
    takingSome,
    remaining,
    utf8,
    peek,
    byte,
    spaces,
    blanks,
    isSpace,
    isBlank,
    ascii,
  )
where

import Ashlar.Get
import Control.Monad (void)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Char (chr, ord)
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8')
import Data.Word (Word8)

-- | Take bytes while they satisfy a condition, and convert them. If the conversion fails, the error
-- is where they start.
taking :: (Word8 -> Bool) -> (ByteString -> Either String a) -> Get a
taking p convert = do
  n <- lookAhead (countWhile p)
  bs <- lookAhead (getByteString n)
  either fail (<$ skip n) (convert bs)
{-# INLINE taking #-}

-- | 'taking' at least one byte. If there is none, the error names what was expected.
takingSome :: String -> (Word8 -> Bool) -> (ByteString -> Either String a) -> Get a
takingSome what p convert = taking p $ \bs ->
  if S.null bs then Left (what ++ " expected") else convert bs
{-# INLINE takingSome #-}

countWhile :: (Word8 -> Bool) -> Get Int
countWhile p = go 0
  where
    go !n = do
      end <- isEmpty
      if end
        then pure n
        else getWord8 >>= \w -> if p w then go (n + 1) else pure n
{-# INLINE countWhile #-}

-- | Everything up to the end of the input, or of the 'isolate'.
remaining :: Get Text
remaining = taking (const True) utf8

-- | A conversion for 'taking'. The text is a copy.
utf8 :: ByteString -> Either String Text
utf8 = either (const (Left "invalid UTF-8")) Right . decodeUtf8'

-- | The next byte, which stays in the input.
peek :: Get (Maybe Word8)
peek = do
  end <- isEmpty
  if end then pure Nothing else Just <$> lookAhead getWord8

-- | This character and no other.
byte :: Char -> Get ()
byte c = do
  next <- peek
  if next == Just (ascii c) then skip 1 else fail (show c ++ " expected" ++ maybe "" instead next)
  where
    instead w = ", not " ++ show (chr (fromIntegral w))

-- | Skip white space.
spaces :: Get ()
spaces = skipWhile isSpace

-- | Skip white space within a line.
blanks :: Get ()
blanks = skipWhile isBlank

skipWhile :: (Word8 -> Bool) -> Get ()
skipWhile p = void (taking p Right)

-- | Spaces, tabs and the ends of lines.
isSpace :: Word8 -> Bool
isSpace w = isBlank w || w == ascii '\n'

-- | Spaces and tabs.
isBlank :: Word8 -> Bool
isBlank w = w == ascii ' ' || w == ascii '\t'

-- | The number of a character below 128.
ascii :: Char -> Word8
ascii = fromIntegral . ord
