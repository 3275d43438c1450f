{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Internal.Get.Error
-- Description : Errors of decoders, and how they are shown
module Ashlar.Internal.Get.Error
  ( DecodeError (..),
    summarizeError,
    reasonText,
    Reason (..),
    Excerpt (..),
    noExcerpt,
    excerptRange,
    hexAndText,
  )
where

import Control.Exception (Exception (..))
import Data.Bits (shiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Char (GeneralCategory (..), generalCategory, intToDigit)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word8)

-- | Where and why a decoder failed.
--
-- Of all alternatives that were tried, the error is about the one that got farthest in the input.
-- If some got equally far, 'errorExpected' has what each of them expected at its offset. The other
-- fields are from the last of them, but missing bytes come before unexpected ones, and a message of
-- 'fail' before both. Different messages at the same offset and with the same labels are joined.
--
-- An error is small, however large the input and however deeply the decoder was nested. Labels,
-- names and messages are cut off after 1,000 characters, which @..@ shows. Only the excerpt depends
-- on how the input was cut into chunks.
--
-- 'displayException' shows it in a few lines, 'summarizeError' in one:
--
-- >>> let constant w name = satisfy (== w) <?> name
-- >>> let colour = label "colour" (constant 1 "red" <|> constant 2 "green")
-- >>> let order = label "order" (getInt32be *> colour)
-- >>> either (putStrLn . displayException) print (runGet order "\0\0\0\xFF\x03z")
-- at byte 4, in order / colour: expected red or green
--   00000000  00 00 00 ff 03 7a                                 |.....z|
--                         ^^
data DecodeError = DecodeError
  { -- | Bytes from the start of the stream to the point of failure.
    errorOffset :: !Int64,
    -- | The labels around that point ('Ashlar.Get.label'), innermost first. Instances of @Codec@
    -- give the path to the field, such as @Order.items[3].price@, as one label. The index in a
    -- container that is decoded by itself may be a label of its own: @[3]@ around @Item.price@.
    --
    -- Of more than 32 nested labels and values, only the innermost 24 and the outermost 8 are here,
    -- with @..@ for the others.
    errorLabels :: [String],
    -- | What was wrong there.
    errorReason :: !Reason,
    -- | If bytes are missing, or the budget is used up, inside a list, vector or map of a @Codec@:
    -- the number of elements that the innermost of these announced.
    errorAnnounced :: !(Maybe Int),
    -- | The names of what was expected there ('Ashlar.Get.<?>'), each once, in the order in which
    -- the alternatives were tried. A run remembers 32 failures at one offset. Of more names than
    -- that, the first ones and the last are here.
    errorExpected :: [String],
    -- | The bytes there that the decoder examined, at most 16. Not every decoder says which, so it
    -- may be empty.
    errorFound :: !ByteString,
    -- | The bytes around that point that were still in memory.
    errorExcerpt :: !Excerpt
  }
  deriving stock (Eq, Show)

-- | What was wrong.
data Reason
  = -- | The input ends, or the bytes of an 'Ashlar.Get.isolate' do: how many bytes were needed, and
    -- how many were left.
    MissingInput !Int !Int
  | -- | An offset ('Ashlar.Get.atOffset') is after the end: the offset, and the number of bytes
    -- from where it counts to the end.
    BadOffset !Int64 !Int64
  | -- | The decoder called 'fail', or found a value that is not allowed.
    Invalid String
  | -- | The bytes are not those that were expected.
    Unexpected
  | -- | There was no alternative left ('Control.Applicative.empty').
    NoAlternative
  | -- | The input should have ended here.
    TrailingInput
  | -- | A budget was used up ('Ashlar.Get.Budget'): a message with the limit.
    OverBudget String
  | -- | The error is in bytes that are not part of the input ('Ashlar.Get.ownBytes'). The offset of
    -- the inner error counts in these. Of bytes within bytes, an error has the outermost level and
    -- the seven innermost ones.
    InOwnBytes DecodeError
  deriving stock (Eq, Show)

-- | Some bytes of the input, and the offset of the first. They are a copy of at most 48 bytes, so
-- that an error does not keep the input in memory.
--
-- Any two excerpts are equal, so that equality of errors does not depend on the chunks of the
-- input, which decide how many bytes are still in memory.
data Excerpt = Excerpt !Int64 !ByteString
  deriving stock (Show)

instance Eq Excerpt where
  _ == _ = True

-- | No bytes.
noExcerpt :: Excerpt
noExcerpt = Excerpt 0 S.empty

-- | The offsets at which the excerpt of an error begins and ends: whole lines of 16 bytes.
excerptRange ::
  -- | The offset of the error.
  Int64 ->
  -- | How many bytes were found there.
  Int ->
  (Int64, Int64)
excerptRange offset found =
  (max 0 (line - 16), line + (if within + found > 16 then 32 else 16))
  where
    line = offset - fromIntegral within
    within = fromIntegral (offset .&. 15) :: Int

instance Exception DecodeError where
  displayException e =
    List.intercalate "\n" (placed e (reasonText e) : map ("  " ++) (details e))

-- The lines after the first: what was expected, and the bytes.
details :: DecodeError -> [String]
details e = case errorReason e of
  InOwnBytes inner -> details inner
  TrailingInput -> shown
  Unexpected -> shown
  NoAlternative -> shown
  _ -> ["expected " ++ alternatives names | not (null names)] ++ shown
  where
    names = errorExpected e
    shown = case excerptLines e of
      [] -> ["found " ++ hexAndText found | not (S.null found)]
      ls -> ls
    found = errorFound e

-- | An error in one line, for logs: the offset, the labels, and the reason. It contains no bytes of
-- the input, unless a message quotes some. Control characters are escaped as by 'show'.
--
-- >>> let unprivileged n = if n < 1024 then fail "privileged" else pure n
-- >>> let address = label "address" (getWord32be *> label "port" (getWord16be >>= unprivileged))
-- >>> either (putStrLn . summarizeError) print (runGet address "\127\0\0\1\0\80")
-- at byte 6, in address / port: privileged
summarizeError :: DecodeError -> String
summarizeError e = concatMap escaped (placed e (reasonText e))
  where
    escaped c
      | generalCategory c `elem` [Control, LineSeparator, ParagraphSeparator] =
        drop 1 (init (show [c]))
      | otherwise = [c]

-- A message, after the offset and the path of the error.
placed :: DecodeError -> String -> String
placed e what = "at byte " ++ show (errorOffset e) ++ path ++ ": " ++ what
  where
    path
      | null (errorLabels e) = ""
      | otherwise = ", in " ++ List.intercalate " / " (reverse (errorLabels e))

-- | What was wrong, in a phrase that does not say where.
reasonText :: DecodeError -> String
reasonText e = case errorReason e of
  MissingInput needed left ->
    bytes needed ++ " needed, " ++ show left ++ " left" ++ maybe "" announced (errorAnnounced e)
  BadOffset to size ->
    "offset " ++ show to ++ " leads out of the " ++ bytes size ++ " that there are"
  Invalid message -> message
  OverBudget message -> message
  InOwnBytes inner -> "in bytes of their own, " ++ placed inner (reasonText inner)
  TrailingInput -> expectedOr "the input should end here"
  Unexpected -> expectedOr "unexpected input"
  NoAlternative -> expectedOr "no alternative left"
  where
    -- The names of what was expected, if there are any, or else a message.
    expectedOr message
      | null (errorExpected e) = message
      | otherwise = "expected " ++ alternatives (errorExpected e)
    bytes :: Integral n => n -> String
    bytes 1 = "1 byte"
    bytes n = show (toInteger n) ++ " bytes"
    announced 1 = " (1 element announced)"
    announced n = " (" ++ show n ++ " elements announced)"

-- The names of what was expected, as one phrase.
alternatives :: [String] -> String
alternatives names = case reverse names of
  lastName : others@(_ : _) -> List.intercalate ", " (reverse others) ++ " or " ++ lastName
  _ -> concat names

-- The lines of an excerpt, with carets below the bytes that were found. None if the offset of the
-- error is neither in the excerpt nor at its end.
excerptLines :: DecodeError -> [String]
excerptLines e
  | S.null bytes || at < from || at > from + fromIntegral (S.length bytes) = []
  | otherwise = concatMap dumped (linesOf from bytes)
  where
    Excerpt from bytes = errorExcerpt e
    at = errorOffset e
    found = max 1 (S.length (errorFound e))
    end = from + fromIntegral (S.length bytes)
    dumped (start, row) =
      (offsetHex start ++ "  " ++ padded (columns start row) ++ " |" ++ text row ++ "|") :
      carets start (S.length row)
    columns start row =
      replicate (3 * fromIntegral (start .&. 15)) ' '
        ++ concatMap (\w -> hexByte w ++ " ") (S.unpack row)
    padded s = take 49 (s ++ repeat ' ')
    -- The carets are below the row that has the offset, or that ends just before it.
    carets start n
      | at >= start && at < start + fromIntegral n
          || at == end && start + fromIntegral n == end =
        -- There is at least one caret, even after a full row.
        [ replicate (length (offsetHex start) + 2 + 3 * column) ' '
            ++ unwords (replicate (max 1 (min found (16 - column))) caret)
        ]
      | otherwise = []
      where
        column = min 16 (fromIntegral (start .&. 15) + fromIntegral (at - start)) :: Int
        caret = if at == end then "^" else "^^"

-- Cut bytes into rows at the offsets that are multiples of 16.
linesOf :: Int64 -> ByteString -> [(Int64, ByteString)]
linesOf from bytes
  | S.null bytes = []
  | otherwise = (from, row) : linesOf (from + fromIntegral (S.length row)) rest
  where
    (row, rest) = S.splitAt (16 - fromIntegral (from .&. 15)) bytes

-- | Bytes in hexadecimal and as text, as the excerpt of an error has them.
hexAndText :: ByteString -> String
hexAndText bytes = unwords (map hexByte (S.unpack bytes)) ++ " |" ++ text bytes ++ "|"

hexByte :: Word8 -> String
hexByte w = [digit (w `shiftR` 4), digit (w .&. 15)]
  where
    digit = intToDigit . fromIntegral

-- Eight digits, or more from 4 GiB on.
offsetHex :: Int64 -> String
offsetHex n =
  [ intToDigit (fromIntegral ((n `shiftR` k) .&. 15))
    | k <- [60, 56 .. 0],
      k < 32 || n `shiftR` k /= 0
  ]

-- Printable ASCII as it is, all else as dots.
text :: ByteString -> String
text = map (\w -> if w >= 32 && w < 127 then toEnum (fromIntegral w) else '.') . S.unpack
