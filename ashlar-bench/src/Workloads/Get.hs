{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Workloads.Get
-- Description : Decoders: structures, alternatives, text, and running them
module Workloads.Get (getWorkloads) where

import qualified Ashlar.Get as A
import qualified Ashlar.Get.Parse as P
import Control.Applicative
import Control.Monad (replicateM)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Reader (ReaderT (..))
import Control.Monad.Trans.State.Strict (StateT (..))
import qualified Data.Attoparsec.ByteString as T
import qualified Data.Attoparsec.ByteString.Char8 as T (decimal, double, endOfLine)
import qualified Data.Attoparsec.ByteString.Lazy as TL
import qualified Data.Binary.Get as B
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C8
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize.Get as C
import qualified Data.Vector.Unboxed as U
import Data.Word (Word64, Word8)
import Input (chunksOf, right)
import Workload
import Workloads.Pushed (pushed, pushedBinary)

-- | All of them.
getWorkloads :: [Workload]
getWorkloads = structs ++ alternatives ++ texts ++ around

atto :: T.Parser a -> S.ByteString -> a
atto p = right . T.parseOnly p
{-# INLINE atto #-}

attoLazy :: T.Parser a -> L.ByteString -> a
attoLazy p = right . TL.eitherResult . TL.parse p
{-# INLINE attoLazy #-}

-- * Structures

data Struct4 = Struct4 !Word8 !Word8 !Word8 !Word8

structs :: [Workload]
structs =
  [ of4
      "10000 structs of four Word8, Applicative, in a list"
      (listOf (applicative A.getWord8))
      (listOf (applicative B.getWord8))
      (listOf (applicative C.getWord8))
      (listOf (applicative T.anyWord8)),
    of4
      "10000 structs of four Word8, Monad, in a list"
      (listOf (monadic A.getWord8))
      (listOf (monadic B.getWord8))
      (listOf (monadic C.getWord8))
      (listOf (monadic T.anyWord8)),
    of4
      "10000 structs of four Word8, Applicative, added up"
      (sumOf (applicative A.getWord8))
      (sumOf (applicative B.getWord8))
      (sumOf (applicative C.getWord8))
      (sumOf (applicative T.anyWord8)),
    of4
      "10000 structs of four Word8, Monad, added up"
      (sumOf (monadic A.getWord8))
      (sumOf (monadic B.getWord8))
      (sumOf (monadic C.getWord8))
      (sumOf (monadic T.anyWord8))
  ]
  where
    of4 name a b c t =
      Workload
        name
        [ ("ashlar", apply (right . A.runGet a) input),
          ("binary", apply (B.runGet b) (L.fromStrict input)),
          ("cereal", apply (right . C.runGet c) input),
          ("attoparsec", apply (atto t) input)
        ]
    input = S.replicate 40000 7

applicative :: Applicative m => m Word8 -> m Struct4
applicative g = Struct4 <$> g <*> g <*> g <*> g
{-# INLINE applicative #-}

monadic :: Monad m => m Word8 -> m Struct4
monadic g = do
  a <- g
  b <- g
  c <- g
  d <- g
  pure (Struct4 a b c d)
{-# INLINE monadic #-}

-- As in binary's own benchmark, in reverse order.
listOf :: Monad m => m Struct4 -> m Int
listOf g = go (10000 :: Int) []
  where
    go n acc
      | n == 0 = pure (length acc)
      | otherwise = g >>= \s -> s `seq` go (n - 1) (s : acc)
{-# INLINE listOf #-}

sumOf :: Monad m => m Struct4 -> m Int
sumOf g = go (10000 :: Int) 0
  where
    go n acc
      | n == 0 = pure acc
      | otherwise =
        g >>= \(Struct4 a b c d) ->
          let acc' = acc + fromIntegral (a + b + c + d) in acc' `seq` go (n - 1) acc'
{-# INLINE sumOf #-}

-- * Alternatives

alternatives :: [Workload]
alternatives =
  [ Workload
      "brackets, 100 KB, one chunk"
      [ ("ashlar", apply (right . A.runGet ours) bracketText),
        ("ashlar, manyWhile", apply (right . A.runGet decided) bracketText),
        ("binary", apply (B.runGet binarys) (L.fromStrict bracketText)),
        ("cereal", apply (right . C.runGet cereals) bracketText),
        ("attoparsec", apply (atto attos) bracketText)
      ],
    Workload
      "brackets, 100 KB, chunks of 100 bytes"
      [ ("ashlar", apply (right . A.runGetLazy ours) bracketChunks),
        ("ashlar, manyWhile", apply (right . A.runGetLazy decided) bracketChunks),
        ("binary", apply (B.runGet binarys) bracketChunks),
        ("cereal", apply (right . C.runGetLazy cereals) bracketChunks),
        ("attoparsec", apply (attoLazy attos) bracketChunks)
      ],
    Workload
      "many with an alternative, 10000 elements"
      [ ("ashlar", apply (right . A.runGet (length <$> many (oneOrTwo A.getWord8))) tagged),
        ("binary", apply (B.runGet (length <$> many (oneOrTwo B.getWord8))) (L.fromStrict tagged)),
        ("cereal", apply (right . C.runGet (length <$> many (oneOrTwo C.getWord8))) tagged),
        ("attoparsec", apply (atto (length <$> many (oneOrTwo T.anyWord8))) tagged)
      ]
  ]
  where
    ours = brackets P.word8
    binarys = brackets (\w -> B.getWord8 >>= \b -> if b == w then pure b else empty)
    cereals = brackets (\w -> C.getWord8 >>= \b -> if b == w then pure b else empty)
    attos = brackets T.word8
    tagged = S.replicate 10000 1 <> "\0"
    oneOrTwo g =
      (g >>= \w -> if w == 1 then pure w else empty)
        <|> (g >>= \w -> if w == 2 then pure w else empty)

-- The number of pairs.
brackets :: (Monad m, Alternative m) => (Word8 -> m Word8) -> m Int
brackets word = go
  where
    go = many pair >>= \ns -> pure $! sum ns
    pair = word 40 *> go >>= \n -> word 41 *> (pure $! n + 1)
{-# INLINE brackets #-}

decided :: A.Get Int
decided = P.manyWhile (== 40) pair >>= \ns -> pure $! sum ns
  where
    pair = A.getWord8 *> decided >>= \n -> P.word8 41 *> (pure $! n + 1)

bracketText :: S.ByteString
bracketText = S.concat (replicate 1000 (nested (5 :: Int)))
  where
    -- 100 bytes, 6 levels deep.
    nested n
      | n == 0 = "()"
      | n == 5 =
        S.concat ["(", nested 4, nested 3, nested 4, "()()()()()", "(()())", "(()(()()))", ")"]
      | otherwise = S.concat ["(", nested (n - 1), nested (max 0 (n - 2)), ")"]
{-# NOINLINE bracketText #-}

bracketChunks :: L.ByteString
bracketChunks = chunksOf 100 bracketText
{-# NOINLINE bracketChunks #-}

-- * Text

texts :: [Workload]
texts =
  [ Workload
      "1000 HTTP request heads"
      [ ("ashlar", apply (right . A.runGet (replicateM 1000 requestOurs)) requests),
        ("attoparsec", apply (atto (replicateM 1000 requestAtto)) requests)
      ],
    Workload
      "CSV of integers, 1 MB, sepBy"
      [ ( "ashlar",
          apply
            (total . right . A.runGet (P.sepBy (P.sepBy1 P.decimal (P.word8 44)) (P.word8 10)))
            csv
        ),
        ( "attoparsec",
          apply (total . atto (T.sepBy (T.sepBy1 T.decimal (T.word8 44)) (T.word8 10))) csv
        )
      ],
    Workload
      "CSV of integers, 1 MB, rows added up"
      [ ( "ashlar",
          apply
            ( right
                . A.runGet
                  ( P.manyFold
                      (+)
                      (0 :: Int)
                      (sum <$> P.sepBy1 P.decimal (P.word8 44) <* P.word8 10)
                  )
            )
            csv
        ),
        ( "attoparsec",
          apply (added . atto (T.many' (sum <$> T.sepBy1 T.decimal (T.word8 44) <* T.word8 10))) csv
        )
      ],
    Workload
      "CSV of integers, 1 MB, by the next byte"
      [ ("ashlar", apply (total . right . A.runGet rowsOurs) csv),
        ("attoparsec", apply (total . atto rowsAtto) csv)
      ],
    Workload
      "CSV of decimal fractions, 1 MB, sepBy"
      [ ( "ashlar",
          apply
            (fractions . right . A.runGet (P.sepBy (P.sepBy1 P.double (P.word8 44)) (P.word8 10)))
            csvDouble
        ),
        ( "attoparsec",
          apply (fractions . atto (T.sepBy (T.sepBy1 T.double (T.word8 44)) (T.word8 10))) csvDouble
        )
      ]
  ]
  where
    total = sum . map sum :: [[Int]] -> Int
    added = sum :: [Int] -> Int
    fractions = sum . map sum :: [[Double]] -> Double

data Request = Request !S.ByteString !S.ByteString !S.ByteString [(S.ByteString, S.ByteString)]

instance Show Request where
  show (Request a b c hs) = show (a, b, c, hs)

isToken :: Word8 -> Bool
isToken w = w > 32 && w < 127 && w /= 58
{-# INLINE isToken #-}

requestOurs :: A.Get Request
requestOurs = do
  method <- P.takeWhile1 isToken <* P.word8 32
  path <- P.takeTillByte 32 <* P.word8 32
  version <- P.bytes "HTTP/" *> P.takeWhile (\w -> w == 46 || w - 48 < 10) <* P.endOfLine
  headers <- P.manyWhile isToken header <* P.endOfLine
  pure (Request method path version headers)
  where
    header = do
      name <- P.takeWhile1 isToken <* P.word8 58 <* P.skipWhile (== 32)
      value <- P.takeTillByte 13 <* P.endOfLine
      pure (name, value)

requestAtto :: T.Parser Request
requestAtto = do
  method <- T.takeWhile1 isToken <* T.word8 32
  path <- T.takeTill (== 32) <* T.word8 32
  version <- T.string "HTTP/" *> T.takeWhile (\w -> w == 46 || w - 48 < 10) <* T.endOfLine
  headers <- many header <* T.endOfLine
  pure (Request method path version headers)
  where
    header = do
      name <- T.takeWhile1 isToken <* T.word8 58 <* T.skipWhile (== 32)
      value <- T.takeTill (== 13) <* T.endOfLine
      pure (name, value)

rowsOurs :: A.Get [[Int]]
rowsOurs = P.manyWhile (const True) rowOurs

rowOurs :: A.Get [Int]
rowOurs = (:) <$> P.decimal <*> P.manyWhile (== 44) (A.skip 1 *> P.decimal) <* P.word8 10

rowsAtto :: T.Parser [[Int]]
rowsAtto = many rowAtto

rowAtto :: T.Parser [Int]
rowAtto = row <* T.word8 10
  where
    row = (:) <$> T.decimal <*> rest
    rest =
      T.peekWord8' >>= \w ->
        if w == 44 then T.anyWord8 *> row else pure []

requests :: S.ByteString
requests =
  S.concat . replicate 1000 $
    S.intercalate
      "\r\n"
      [ "GET /projects/ashlar/index.html?page=2 HTTP/1.1",
        "Host: www.example.org",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:102.0) Gecko/20100101 Firefox/102.0",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,\
        \*/*;q=0.8",
        "Accept-Language: en-GB,en;q=0.5",
        "Accept-Encoding: gzip, deflate, br",
        "Referer: https://www.example.org/projects/",
        "Connection: keep-alive",
        "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark",
        "Cache-Control: max-age=0",
        "",
        ""
      ]
{-# NOINLINE requests #-}

csv :: S.ByteString
csv = C8.unlines (take 16000 (cycle [C8.intercalate "," (map (C8.pack . show) row) | row <- rows]))
  where
    rows =
      [ [i, i * 7919, i * i, 1000000 - i, 3 * i, i `mod` 7, 12345, 987654321, 5, i * 31]
        | i <- [1 .. 1000 :: Int]
      ]
{-# NOINLINE csv #-}

csvDouble :: S.ByteString
csvDouble =
  C8.unlines (take 12000 (cycle [C8.intercalate "," (map (C8.pack . show) row) | row <- rows]))
  where
    rows =
      [ [ fromIntegral i / 8,
          fromIntegral (i * 7919) / 64,
          0.5,
          fromIntegral (1000000 - i) / 100,
          -3.25 * fromIntegral i,
          12.345,
          98765.4321,
          fromIntegral i
        ]
        | i <- [1 .. 1000 :: Int]
      ] ::
        [[Double]]
{-# NOINLINE csvDouble #-}

-- * Running decoders

around :: [Workload]
around =
  [ Workload
      "one run of a decoder that reads nothing"
      [ ("ashlar", apply (right . A.runGet (pure ())) sixteen),
        ("cereal", apply (right . C.runGet (pure ())) sixteen)
      ],
    Workload
      "one run on 16 bytes, in the monad"
      [ ( "ashlar",
          apply (right . A.runGet (A.getWord64le >>= \a -> (+ a) <$> A.getWord64be)) sixteen
        ),
        ( "binary",
          apply
            (B.runGet (B.getWord64le >>= \a -> (+ a) <$> B.getWord64be))
            (L.fromStrict sixteen)
        ),
        ( "cereal",
          apply (right . C.runGet (C.getWord64le >>= \a -> (+ a) <$> C.getWord64be)) sixteen
        )
      ],
    Workload
      "one run on 16 bytes"
      [ ("ashlar", apply (right . A.runGet two) sixteen),
        ( "binary",
          apply (B.runGet ((+) <$> B.getWord64le <*> B.getWord64be)) (L.fromStrict sixteen)
        ),
        ("cereal", apply (right . C.runGet ((+) <$> C.getWord64le <*> C.getWord64be)) sixteen)
      ],
    Workload
      "sum of 100000 Word64, under StateT Int"
      [ ( "ashlar, StateT Int",
          apply (fst . right . A.runGet (runStateT (sums (lift A.getWord64le)) (0 :: Int))) megabyte
        ),
        ("ashlar", apply (right . A.runGet (sums A.getWord64le)) megabyte),
        ( "binary, StateT Int",
          apply
            (fst . B.runGet (runStateT (sums (lift B.getWord64le)) (0 :: Int)))
            (L.fromStrict megabyte)
        )
      ],
    Workload
      "sum of 100000 Word64, under ReaderT Int"
      [ ( "ashlar, ReaderT Int",
          apply (right . A.runGet (runReaderT (sums (lift A.getWord64le)) (0 :: Int))) megabyte
        ),
        ("ashlar", apply (right . A.runGet (sums A.getWord64le)) megabyte),
        ( "binary, ReaderT Int",
          apply
            (B.runGet (runReaderT (sums (lift B.getWord64le)) (0 :: Int)))
            (L.fromStrict megabyte)
        )
      ],
    Workload
      "sum of 100000 Word64, pushed in chunks of 4 KiB"
      [ ("ashlar", apply (pushed (sums A.getWord64le)) inChunks),
        ("ashlar, strict", apply (right . A.runGet (sums A.getWord64le)) megabyte),
        ("binary", apply (pushedBinary (sums B.getWord64le)) inChunks)
      ],
    Workload
      "unboxed vector of 100000 Word64, little-endian"
      [ ( "ashlar",
          apply (right . A.runGet (A.getVectorLE 100000 :: A.Get (U.Vector Word64))) megabyte
        ),
        ("binary", apply (B.runGet (U.replicateM 100000 B.getWord64le)) (L.fromStrict megabyte)),
        ("cereal", apply (right . C.runGet (U.replicateM 100000 C.getWord64le)) megabyte)
      ],
    Workload
      "unboxed vector of 100000 Word64, big-endian"
      [ ( "ashlar",
          apply (right . A.runGet (A.getVectorBE 100000 :: A.Get (U.Vector Word64))) megabyte
        ),
        ("binary", apply (B.runGet (U.replicateM 100000 B.getWord64be)) (L.fromStrict megabyte)),
        ("cereal", apply (right . C.runGet (U.replicateM 100000 C.getWord64be)) megabyte)
      ]
  ]
  where
    sixteen = S.pack [1 .. 16]
    two = (+) <$> A.getWord64le <*> A.getWord64be
    megabyte = S.replicate 800000 3
    inChunks = L.toChunks (chunksOf 4096 megabyte)

sums :: Monad m => m Word64 -> m Word64
sums g = go (100000 :: Int) 0
  where
    go n acc
      | n == 0 = pure acc
      | otherwise = g >>= \x -> let acc' = acc + x in acc' `seq` go (n - 1) acc'
{-# INLINE sums #-}
