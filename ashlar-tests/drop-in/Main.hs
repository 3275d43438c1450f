-- |
-- Module      : Main
-- Description : A program written for bytestring's builders
--
-- This program imports "Data.ByteString.Builder" and its two submodules, and no other builders. It
-- is compiled twice: as it is, and with this library's modules under those names (see @mixins@ in
-- the cabal file). Both must produce the bytes that are given here.
module Main (main) where

import Control.Monad (unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import Data.ByteString.Builder.Prim ((>$<), (>*<))
import qualified Data.ByteString.Builder.Prim as P
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Char8 as LC
import Data.ByteString.Short (toShort)
import Data.List (intersperse)
import Data.Word (Word8)
import Foreign (Ptr, allocaBytes, castPtr)
import System.Exit (exitFailure)

main :: IO ()
main = do
  stepwise <- throughSteps table
  let wrong = [name | (name, out, expected) <- results stepwise, out /= expected]
  unless (null wrong) $ do
    mapM_ (\name -> putStrLn ("wrong: " ++ name)) wrong
    exitFailure

-- The output of each builder, and the expected output.
results :: L.ByteString -> [(String, L.ByteString, L.ByteString)]
results stepwise =
  [ ("table", B.toLazyByteString table, tableBytes),
    ( "table, small buffers",
      B.toLazyByteStringWith (B.untrimmedStrategy 5 3) L.empty table,
      tableBytes
    ),
    ("table, step by step", stepwise, tableBytes),
    ( "numbers",
      run numbers,
      L.pack
        [ 1,
          255,
          2,
          0,
          0,
          3,
          4,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          5,
          255,
          255,
          254,
          255,
          255,
          255,
          0,
          0,
          0,
          0,
          0,
          0,
          240,
          63,
          63,
          192,
          0,
          0
        ]
    ),
    ( "text",
      run text,
      LC.pack
        "-128 4294967295 -9223372036854775808 1000000000000000000000 ff 00ff \
        \3ff0000000000000 0aff 1.5 -0.25 z\228\&7 1f"
    ),
    ("strings", run strings, LC.pack "a\195\164\226\130\172bcde"),
    ( "escaped",
      run (P.primMapByteStringBounded escaped (S.pack [34, 97, 92])),
      LC.pack "\\\"a\\\\"
    ),
    ( "squares",
      run (P.primUnfoldrFixed P.word16BE (\n -> if n > 3 then Nothing else Just (n * n, n + 1)) 0),
      L.pack [0, 0, 0, 1, 0, 4, 0, 9]
    ),
    ( "before more",
      B.toLazyByteStringWith (B.safeStrategy 16 16) (LC.pack "more") (B.byteString (S.pack [1, 2])),
      L.pack [1, 2] <> LC.pack "more"
    )
  ]

run :: B.Builder -> L.ByteString
run = B.toLazyByteString

-- Lines of cells with commas between them, as in bytestring's own example.
table :: B.Builder
table = mconcat [line row <> B.charUtf8 '\n' | row <- [["a", "b,c"], [], ["\228", "\"\""]]]
  where
    line [] = mempty
    line (c : cs) = cell c <> mconcat [B.charUtf8 ',' <> cell c' | c' <- cs]
    cell :: String -> B.Builder
    cell c = quote <> P.primMapListBounded quoted c <> quote
    quote = B.charUtf8 '"'

tableBytes :: L.ByteString
tableBytes = LC.pack "\"a\",\"b,c\"\n\n\"\195\164\",\"\"\"\"\"\"\n"

-- A quotation mark is written twice.
quoted :: P.BoundedPrim Char
quoted = P.condB (== '"') ((\c -> (c, c)) >$< P.charUtf8 >*< P.charUtf8) P.charUtf8

numbers :: B.Builder
numbers =
  B.word8 1 <> B.int8 (-1) <> B.word16LE 2 <> B.word16BE 3 <> B.word64LE 4
    <> P.primFixed (P.word8 >*< P.int16LE) (5, -1)
    <> P.primBounded
      (P.eitherB (P.liftFixedToBounded P.int32LE) P.emptyB)
      (Left (-2) `asTypeOf` Right 'x')
    <> B.doubleLE 1
    <> B.floatBE 1.5

text :: B.Builder
text =
  mconcat . intersperse (B.char7 ' ') $
    [ B.int8Dec minBound,
      B.word32Dec maxBound,
      B.int64Dec minBound,
      B.integerDec (10 ^ (21 :: Int)),
      B.word8Hex 255,
      B.word16HexFixed 255,
      B.doubleHexFixed 1,
      B.byteStringHex (S.pack [10, 255]),
      B.floatDec 1.5,
      B.doubleDec (-0.25),
      B.string7 "z" <> B.char8 '\228' <> P.primBounded P.intDec 7,
      P.primMapListBounded P.wordHex [1, 15]
    ]

strings :: B.Builder
strings =
  mconcat
    [ B.stringUtf8 "a\228\8364",
      B.byteStringCopy (S.pack [98]),
      B.flush,
      B.byteStringInsert (S.pack [99]),
      B.lazyByteStringThreshold 10 (L.pack [100]),
      B.shortByteString (toShort (S.pack [101]))
    ]

escaped :: P.BoundedPrim Word8
escaped =
  P.condB
    (`elem` [34, 92])
    (P.liftFixedToBounded ((\x -> (92, x)) >$< P.word8 >*< P.word8))
    (P.liftFixedToBounded P.word8)

-- The output through one buffer of 8 bytes.
throughSteps :: B.Builder -> IO L.ByteString
throughSteps b = allocaBytes 8 (\p -> L.fromChunks <$> go p (B.runBuilder b))
  where
    go :: Ptr Word8 -> B.BufferWriter -> IO [S.ByteString]
    go p writer = do
      (n, next) <- writer p 8
      out <- S.packCStringLen (castPtr p, n)
      case next of
        B.Done -> pure [out]
        B.More least writer' | least <= 8 -> (out :) <$> go p writer'
        B.More _ _ -> fail "asks for too much"
        B.Chunk bs writer' -> ([out, bs] ++) <$> go p writer'
