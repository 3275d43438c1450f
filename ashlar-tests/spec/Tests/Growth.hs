{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Tests.Growth
-- Description : What input costs, at n, 2n, 4n and 8n bytes
--
-- The cost is what decoding allocates, which is the same each time. No test measures time. Each
-- family is an input of which the decoder is likely to make the most work, continued to any size.
module Tests.Growth (tests) where

import Ashlar.Codec (encode)
import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Binary.Get as B (remaining, runGet)
import Ashlar.Get
import Ashlar.Get.Combinators (choice, skipMany)
import Ashlar.Get.Feed
import Control.Applicative (empty, (<|>))
import Control.Exception (evaluate)
import Control.Monad (foldM, replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Either (isRight)
import Data.Int (Int64)
import Data.Ratio ((%))
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Fuzz.Getters
import Tests.Fuzz.Instances
import Tests.Fuzz.Target

tests :: TestTree
tests =
  testGroup
    "what input costs grows with its size"
    $ testCase "pushed far inside" farInside :
    testGroup
      "failing at the end of chunks, again and again"
      [ testCase "getByteString" (failsAtEnd (() <$ getByteString far)),
        testCase "getLazyByteString" (failsAtEnd (() <$ getLazyByteString (fromIntegral far))),
        testCase "isolate" (failsAtEnd (isolate far (pure ()))),
        testCase "isolate, where the end is not known" endNotKnown,
        testCase "binary's remaining" remainingInChunks
      ] :
    testCase "many alternatives, deeply nested" alternatives :
    testCase "bytes of their own within bytes of their own" ownWithin :
      [ testCase (name ++ ways run) (grows name run family)
        | (name, runs, family) <- families,
          run <- runs
      ]
  where
    ways run = if run == InMemory then "" else ", byte by byte"

-- A frozen stack of more than a megabyte once ended the program.
farInside :: Assertion
farInside = do
  start <- newFeed (withBudget defaultBudget {budgetSteps = maxBound} levels)
  state <- foldM feed start (opened : replicate 40 ".")
  end <- feed state (C.replicate depth ')')
  case end of
    FeedDone _ at () -> at @?= fromIntegral (2 * depth + 40)
    _ -> assertFailure "not done"
  where
    depth = 60000
    opened = C.replicate depth '('
    levels :: Get ()
    levels = deeper $ do
      w <- getWord8
      if w == 40 then levels <* getWord8 else skipMany (satisfy (== 46))

-- A decoder allocates in proportion to its input, which is given to it in chunks of 7 bytes.
inSevens :: (L.ByteString -> Bool) -> Assertion
inSevens succeeds =
  allocatesLinearly
    (assertBool "fails" . succeeds)
    (\n -> let input = chunks n in input <$ evaluate (L.length input))
  where
    chunks n = L.fromChunks (replicate (n `div` 7) (C.replicate 7 'a'))

-- A length that no input has.
far :: Int
far = 60000000

-- A decoder that fails at the end of the input, tried before each byte.
failsAtEnd :: Get () -> Assertion
failsAtEnd g = inSevens $ isRight . runGetLazy (skipMany (g <|> (() <$ getWord8)))

-- Each isolate ends 14 bytes after the one before, and reads nothing.
endNotKnown :: Assertion
endNotKnown = inSevens $ \input ->
  isRight (runGetLazy (mapM_ tried [14, 28 .. fromIntegral (L.length input) - 14]) input)
  where
    tried n = isolate n (pure ()) <|> pure ()

remainingInChunks :: Assertion
remainingInChunks = inSevens $ \input ->
  B.runGet (replicateM_ (fromIntegral (L.length input)) (B.remaining <* getWord8)) input == ()

-- Each level tries 40 alternatives, each of which has a name.
alternatives :: Assertion
alternatives = do
  let levels = 60000
      nest :: Get ()
      nest = deeper ((satisfy (== 40) *> nest) <|> skipMany (choice named <|> (() <$ getWord8)))
      named = [label ("name " ++ show i) empty | i <- [1 .. 40 :: Int]]
  -- Looking for names in the contexts of all failures would take 40 * 60,000 * 60,000 steps. (It
  -- would not allocate.)
  ended <-
    timeout 120000000 . evaluate $
      runGetLazy nest (L.fromChunks (replicate levels "(" ++ replicate levels "a"))
  ended @?= Just (Right ())

ownWithin :: Assertion
ownWithin = do
  let go bs = inSpan (ownBytes bs) $ getWord8 *> if S.length bs < 2 then empty else go (S.tail bs)
  case runGet (go (C.replicate 1000 'a')) "" of
    Left e -> assertBool (show (length (show e))) (length (show e) < 10000)
    Right () -> assertFailure "no error"

-- The name of a target, ways to run it, and an input of about n bytes.
type Family = (String, [Run], Int -> S.ByteString)

grows :: String -> Run -> (Int -> S.ByteString) -> Assertion
grows name run family = case [t | t <- instances ++ getters, targetName t == name] of
  [t] -> allocatesLinearly (decodeFully run t) (evaluate . family)
  found -> assertFailure (show (length found) ++ " targets")

-- An action allocates in proportion to its input, given how to make an input of about n bytes.
allocatesLinearly :: (a -> IO ()) -> (Int -> IO a) -> Assertion
allocatesLinearly act inputOf = do
  atN <- costOf 500
  at2N <- costOf 1000
  at4N <- costOf 2000
  at8N <- costOf 4000
  -- Some of it does not depend on the input, and buffers grow by steps. So the test is on all
  -- doublings together.
  assertBool
    ("bytes that are allocated at n, 2n, 4n, 8n: " ++ show [atN, at2N, at4N, at8N])
    (fromIntegral at8N <= 2.2 * 2.2 * (2.2 :: Double) * fromIntegral atN + 2000)
  where
    costOf :: Int -> IO Int64
    costOf n = do
      input <- inputOf n
      setAllocationCounter 0
      act input
      negate <$> getAllocationCounter

families :: [Family]
families =
  [ -- Containers: an announced number that is far too large, and elements until the input ends.
    anyway "Maybe, Either, lists: [Word16]" (announcing (S.replicate 2 7)),
    anyway "Maybe, Either, lists: [Text]" (announcing (encode (0 :: Int))),
    anyway "Maybe, Either, lists: [[Bool]]" (announcing (encode (0 :: Int))),
    anyway "Maybe, Either, lists: String" (announcing "a\0\0\0"),
    anyway "Maybe, Either, lists: Version" (announcing (encode (1 :: Int))),
    anyway "Maps, sets, sequences, trees: IntMap Word8" (ascending 1),
    anyway "Maps, sets, sequences, trees: IntSet" (ascending 0),
    anyway "Maps, sets, sequences, trees: Map Text Word8" keyedByText,
    anyway "Maps, sets, sequences, trees: Seq Text" (announcing (encode (0 :: Int))),
    anyway "Maps, sets, sequences, trees: Seq Word8" (announcing "a"),
    anyway "Maps, sets, sequences, trees: Tree Word8" $
      ("\1" <>) . announcing ("\1" <> encode (0 :: Int)),
    anyway "Vectors: Vector Text" (announcing (encode (0 :: Int))),
    anyway "Vectors: Vector Word16" (announcing (S.replicate 2 7)),
    anyway "Vectors: Unboxed.Vector (Word8, Bool)" (announcing "\0\1"),
    anyway "Vectors: Storable.Vector Char" (announcing "a\0\0\0"),
    anyway "Arrays: SmallArray Word16" (announcing (S.replicate 2 7)),
    anyway "Arrays: Primitive.Array Text" (announcing (encode (0 :: Int))),
    anyway "Derived instances: Rose Text" roses,
    anyway "Derived instances: Shape" shapes,
    anyway "Wrappers: Compact [Int16]" (\n -> "\255\255\255\255\15" <> C.replicate n 'a'),
    anyway "Wrappers: Compact (Vector Text)" (\n -> "\255\255\255\255\15" <> C.replicate n '\0'),
    anyway "Wrappers: Compact (Set Word8)" $
      \n -> "\128\2" <> S.pack [0 .. 255] <> C.replicate n '\0',
    -- Strings and numbers of any length.
    anyway "Strings: Text" (announced (C.replicate 1 'a')),
    anyway "Strings: Text" (announced "\xE2\x82\xAC"),
    anyway "Strings: Lazy.Text" (announced "\xF0\x9F\x98\x80"),
    anyway "Strings: ByteString" (announced "a"),
    anyway "Strings: Lazy.ByteString" (announced "a"),
    anyway "Strings: ShortByteString" (announced "a"),
    anyway "Wrappers: UTF16" (announced "a\0"),
    anyway "Numbers: Integer" wholeNumber,
    anyway "Numbers: Rational" (\n -> wholeNumber n <> wholeNumber n),
    anyway "Numbers: Rational" (\n -> encode (neighbours n)),
    anyway "Binary: Rational" (\n -> L.toStrict (B.encode (neighbours n))),
    -- Levels, in memory: pushed byte by byte, each byte pays for the levels around it.
    (,,) "Derived instances: Tree Word8" [InMemory] (`C.replicate` '\1'),
    (,,) "Maybe, Either, lists: [[Bool]]" [InMemory] (repeated (encode (1 :: Int))),
    (,,) "brackets" [InMemory] (`C.replicate` '('),
    (,,) "brackets" [InMemory] (\n -> C.replicate (n `div` 2) '(' <> C.replicate (n `div` 2) ')'),
    (,,) "json" [InMemory] (`C.replicate` '['),
    (,,) "frames in frames" [InMemory, InBytes] (repeated "\4\3\2\1\0"),
    -- Numbers as text.
    anyway "decimal Integer" (`C.replicate` '9'),
    anyway "decimal Int" (`C.replicate` '9'),
    anyway "decimal Int" (`C.replicate` '0'),
    anyway "hexadecimal Integer" (`C.replicate` 'f'),
    anyway "double" (\n -> "0." <> C.replicate n '1'),
    anyway "double" (\n -> C.replicate n '1' <> "e-" <> C.replicate 20 '9'),
    anyway "double" (\n -> "1e" <> C.replicate n '9'),
    anyway "fixed Pico" (`C.replicate` '9'),
    anyway "fixed Pico" (\n -> "0." <> C.replicate n '0'),
    anyway "scaled" (\n -> C.replicate n '9' <> "." <> C.replicate n '9'),
    anyway "scaled" (\n -> "1e" <> C.replicate n '9'),
    anyway "day" (\n -> C.replicate n '9' <> "-01-01"),
    anyway "utcTime" (\n -> "2024-01-01T00:00:00." <> C.replicate n '9' <> "Z"),
    -- Text formats, and alternatives that fail late.
    anyway "json" (\n -> "[" <> repeated "1," n),
    anyway "json" (\n -> "[" <> repeated "tru," n),
    anyway "json" (\n -> "{" <> repeated "\"\":0," n),
    anyway "expression" (repeated "1+"),
    anyway "expression" (repeated "2*1^1-"),
    anyway "bytes" (repeated "abcd"),
    anyway "bytes" (repeated "abcdefg"),
    anyway "separated" (repeated "1,"),
    anyway "many" (\n -> "abc" <> repeated "1" n),
    anyway "till" (`C.replicate` 'a'),
    anyway "scan" (`C.replicate` '('),
    anyway "commit" (repeated "ab"),
    anyway "satisfy" (`C.replicate` 'b'),
    anyway "takeBase64" (`C.replicate` 'A'),
    anyway "takeHex" (`C.replicate` 'A'),
    anyway "decodeBase64Lenient" (repeated "A\n"),
    anyway "getByteStringNul" (`C.replicate` '\0'),
    anyway "prefixVarInt" (`C.replicate` '\1'),
    anyway "frames" (`C.replicate` '\0'),
    anyway "getRemainingTextUtf8" (repeated "\xF0\x9F\x98\x80"),
    -- The classes of other libraries.
    anyway "Binary: Integer" (\n -> "\1\1" <> announcedBE "\255" n),
    anyway "Binary: Text" (announcedBE "a"),
    anyway "Binary: list of Bool" (announcedBE "\1"),
    anyway "Binary: IntMap" (announcedBE "\1"),
    anyway "Serialize: Integer" (\n -> "\1\1" <> announcedBE "\255" n),
    anyway "Serialize: list of lists" (\n -> "\0\0\1\0\0\0\0\0" <> C.replicate n '\0'),
    anyway "Serialize: Seq" (\n -> "\0\0\1\0\0\0\0\0" <> C.replicate n '\0'),
    anyway "Store: list of Word64" (announcing (encode (1 :: Int))),
    anyway "Store: Text" (announced "a\0"),
    anyway "Store: Seq" (announcing (encode (0 :: Int)))
  ]
  where
    anyway name family = (name, [InMemory, InBytes], family)
    repeated unit n = S.concat (replicate (n `div` S.length unit) unit)
    announcing unit n = encode (2 ^ (40 :: Int) :: Int) <> repeated unit n
    announced unit n = encode (S.length (repeated unit n)) <> repeated unit n
    announcedBE unit n = S.reverse (encode (S.length (repeated unit n))) <> repeated unit n
    ascending size n =
      encode (n `div` (8 + size))
        <> S.concat [encode i <> S.replicate size 0 | i <- [1 .. n `div` (8 + size)]]
    -- The length in bytes, doubled, in groups of seven bits.
    wholeNumber n =
      S.pack [fromIntegral (2 * n `mod` 128) + 128, fromIntegral (2 * n `div` 128)]
        <> S.replicate n 255
    -- Of all numbers of their size, Euclid's algorithm takes longest for neighbours in Fibonacci's
    -- sequence.
    neighbours n = uncurry (%) (fibonacci (6 * n))
    keyedByText n =
      encode (n `div` 13)
        <> S.concat [encode (4 :: Int) <> C.pack (show (1000 + i)) <> "\0" | i <- [1 .. n `div` 13]]
    roses n = encode (0 :: Int) <> announcing (encode (0 :: Int, 0 :: Int)) n
    shapes n = "\2" <> announcing (S.replicate 16 0) n

-- The n-th and the next of Fibonacci's numbers.
fibonacci :: Int -> (Integer, Integer)
fibonacci n
  | n == 0 = (0, 1)
  | even n = (c, d)
  | otherwise = (d, c + d)
  where
    (a, b) = fibonacci (n `div` 2)
    c = a * (2 * b - a)
    d = a * a + b * b
