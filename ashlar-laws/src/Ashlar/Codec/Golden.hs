{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Ashlar.Codec.Golden
-- Description : Bytes that must stay what they are
--
-- The laws do not notice a change of a format, because the decoder changes with the encoder. For
-- formats in files or between programs, keep the bytes of some values in a file with the sources,
-- and compare:
--
-- > testCase "format" (compareGolden "tests/orders.txt" orders >>= (@?= []))
-- >   where orders = [golden "Order" [Order "brick" 12]]
--
-- 'writeGolden' writes the file. It has three lines for each value: its type, the shown value, and
-- its bytes in hexadecimal.
module Ashlar.Codec.Golden
  ( Golden (..),
    golden,
    compareGolden,
    writeGolden,
    goldenRows,
    markdownRow,
    Row (..),
  )
where

import Ashlar.Codec
import Ashlar.Codec.Laws (Samples (..))
import qualified Data.ByteString as S
import Data.List (intercalate)
import Data.Word (Word8)
import Numeric (readHex, showHex)
import System.IO
import Test.QuickCheck (elements)

-- | The name of a type, how to generate, show and compare its values, and some values.
data Golden = forall a. Codec a => Golden String (Samples a) [a]

-- | The name of a type, and some of its values.
golden :: (Codec a, Show a, Eq a) => String -> [a] -> Golden
golden name xs = Golden name (Samples (elements xs) (const []) show (==)) xs

-- | The name of a type, a value of it, and its bytes in hexadecimal.
data Row = Row String String String
  deriving stock (Eq, Show)

-- | The rows of the file.
goldenRows :: [Golden] -> [Row]
goldenRows gs = [rowOf name s x | Golden name s xs <- gs, x <- xs]

rowOf :: Codec a => String -> Samples a -> a -> Row
rowOf name s x = Row name (oneLine (sampleShow s x)) (hex (encode x))
  where
    oneLine = concatMap (\c -> if c == '\n' then "\\n" else [c])

-- | The mismatches: values whose bytes are not those in the file, and values that these bytes do
-- not decode to. The order of the values does not matter.
compareGolden :: FilePath -> [Golden] -> IO [String]
compareGolden file gs = do
  written <- parse . lines <$> readUtf8 file
  let rows = goldenRows gs
      alone = filter (`notElem` rows) written
      -- The bytes that the file has for the value of a row: the same, or else others.
      kept row@(Row t x bytes)
        | row `elem` written = [bytes]
        | otherwise = [other | Row t' x' other <- alone, t' == t, x' == x]
  pure $
    [show r ++ " is not in " ++ file | r <- rows, r `notElem` written]
      ++ [show r ++ " is in " ++ file ++ " alone" | r <- alone]
      ++ [ why
           | Golden name s xs <- gs,
             x <- xs,
             bytes <- kept (rowOf name s x),
             why <- problem s x bytes
         ]
  where
    parse (t : x : b : more) = Row t (drop 2 x) (drop 2 b) : parse more
    parse _ = []
    problem s x bytes = case decode (unHex bytes) of
      Right y | sampleEq s x y -> []
      Right y -> [bytes ++ " is " ++ sampleShow s y ++ ", not " ++ sampleShow s x]
      Left e -> [bytes ++ ": " ++ show e]

-- | Write the file.
writeGolden :: FilePath -> [Golden] -> IO ()
writeGolden file gs = withFile file WriteMode $ \h -> do
  hSetEncoding h utf8
  hPutStr h (unlines (concat [[t, "  " ++ x, "  " ++ b] | Row t x b <- goldenRows gs]))

-- | A row of a table in Markdown.
markdownRow :: Row -> String
markdownRow (Row t x b) = "| " ++ intercalate " | " (map code [t, x, b]) ++ " |"
  where
    code s = if null s then "no bytes" else "`" ++ concatMap escaped s ++ "`"
    escaped c = if c == '|' then "\\|" else [c]

hex :: S.ByteString -> String
hex = unwords . map byte . S.unpack
  where
    byte w = if w < 16 then '0' : showHex w "" else showHex w ""

unHex :: String -> S.ByteString
unHex s = S.pack [w | digits <- words s, (w, "") <- (readHex :: ReadS Word8) digits]

readUtf8 :: FilePath -> IO String
readUtf8 file = do
  h <- openFile file ReadMode
  hSetEncoding h utf8
  text <- hGetContents h
  length text `seq` hClose h
  pure text
