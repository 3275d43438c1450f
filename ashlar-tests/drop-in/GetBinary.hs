-- |
-- Module      : Main
-- Description : A program written for binary's decoders
--
-- A reader of small archives. It imports "Data.Binary.Get" and no other decoders. It is compiled
-- twice: as it is, and with this library's module under that name (see @mixins@ in the cabal file).
-- Both must read what is written here.
module Main (main) where

import Control.Applicative (many, (<|>))
import Control.Exception (ErrorCall, evaluate, try)
import Control.Monad (replicateM, unless, when)
import Data.Binary.Get
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Char8 as LC
import Data.Int (Int16)
import Data.Word (Word16, Word32)
import System.Exit (exitFailure)

data Archive = Archive {entries :: [Entry], comment :: L.ByteString}
  deriving (Eq, Show)

data Entry = Entry L.ByteString Content
  deriving (Eq, Show)

data Content
  = Raw S.ByteString
  | Doubles [Double]
  | -- | Each number has an even offset in the entry.
    Aligned [(Char, Int16)]
  | Other Int
  deriving (Eq, Show)

-- The second byte tells the byte order.
data Order = Order {word16 :: Get Word16, word32 :: Get Word32, double :: Get Double}

getArchive :: Get Archive
getArchive = label "archive" $ do
  magic <- getByteString 1
  when (magic /= C.pack "A") $ fail "not an archive"
  order <- label "byte order" $ big <|> little
  n <- word16 order
  es <- replicateM (fromIntegral n) (getEntry order)
  Archive es <$> getRemainingLazyByteString
  where
    big = tagged 'B' >> pure (Order getWord16be getWord32be getDoublebe)
    little = tagged 'L' >> pure (Order getWord16le getWord32le getDoublele)

tagged :: Char -> Get ()
tagged c = getInt8 >>= \w -> unless (fromIntegral w == fromEnum c) (fail ("expected " ++ [c]))

getEntry :: Order -> Get Entry
getEntry order = label "entry" $ do
  name <- getLazyByteStringNul
  kind <- lookAhead getWord8
  size <- skip 1 >> word32 order
  Entry name <$> isolate (fromIntegral size) (content kind (fromIntegral size))
  where
    content kind size = case kind of
      0 -> Raw <$> getByteString size
      1 -> Doubles <$> many (double order)
      2 -> Aligned <$> toEnd aligned
      _ -> Other size <$ skip size
    aligned = do
      c <- toEnum . fromIntegral <$> getWord8
      at <- bytesRead
      skip (fromIntegral (at `mod` 2))
      (,) c . fromIntegral <$> word16 order
    toEnd p = isEmpty >>= \end -> if end then pure [] else (:) <$> p <*> toEnd p

archive :: L.ByteString
archive =
  L.concat
    [ LC.pack "AL\4\0",
      LC.pack "one\0\0\5\0\0\0hello",
      LC.pack "numbers\0\1\16\0\0\0"
        <> L.pack [0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0],
      LC.pack "\0\2\8\0\0\0" <> L.pack [97, 0, 1, 0, 98, 0, 0xFE, 0xFF],
      LC.pack "?\0\9\3\0\0\0...",
      LC.pack "the rest"
    ]

expected :: Archive
expected =
  Archive
    [ Entry (LC.pack "one") (Raw (C.pack "hello")),
      Entry (LC.pack "numbers") (Doubles [1.5, -2]),
      Entry L.empty (Aligned [('a', 1), ('b', -2)]),
      Entry (LC.pack "?") (Other 3)
    ]
    (LC.pack "the rest")

-- Reads in chunks of this size. Returns how much is left over, and the offset where it starts.
stepwise :: Int -> Get a -> L.ByteString -> Either (Int, ByteOffset, String) (Int, ByteOffset, a)
stepwise size g = go (runGetIncremental g)
  where
    go d input = case d of
      Done rest at a -> Right (S.length rest, at, a)
      Fail rest at e -> Left (S.length rest, at, e)
      Partial k
        | L.null input -> go (k Nothing) input
        | otherwise -> case L.splitAt (fromIntegral size) input of
          (chunk, more) -> go (k (Just (L.toStrict chunk))) more

main :: IO ()
main = do
  thrown <- try (evaluate (runGet getArchive (L.take 10 archive)))
  let whole = L.length archive
      results =
        [ ("runGet", runGet getArchive archive == expected),
          ("runGetOrFail", runGetOrFail getArchive archive == Right (L.empty, whole, expected)),
          ( "an error",
            either
              (\(rest, at, e) -> Left (rest, at, e))
              Right
              (runGetOrFail (label "archive" (tagged 'B')) (LC.pack "A."))
              == Left (LC.pack ".", 1, "expected B\narchive")
          ),
          ( -- (The first line differs: see docs/porting.md, "the text of errors".)
            "an error of alternatives",
            either
              (\(rest, at, e) -> Left (rest, at, drop 1 (lines e)))
              Right
              (runGetOrFail getArchive (LC.pack "AX"))
              == Left (LC.pack "", 2, ["byte order", "archive"])
          ),
          ( "in chunks",
            all (\n -> stepwise n getArchive archive == Right (0, whole, expected)) [1 .. 20]
          ),
          ( "left over",
            stepwise 30 (fst <$> ((,) <$> getWord16be <*> lookAhead getWord8)) archive
              == Right (28, 2, 0x414C)
          ),
          ( "cut off",
            all
              (\n -> stepwise n getWord64be (L.take 5 archive) == Left (5, 0, "not enough bytes"))
              [1 .. 5]
          ),
          ("thrown", either (\e -> (e :: ErrorCall) `seq` True) (const False) thrown)
        ]
      wrong = [name | (name, ok) <- results, not ok]
  unless (null wrong) $ do
    mapM_ (\name -> putStrLn ("wrong: " ++ name)) wrong
    exitFailure
