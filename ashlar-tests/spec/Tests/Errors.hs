{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Errors
-- Description : The contents of errors
module Tests.Errors (tests) where

import Ashlar.Codec (decode, encode)
import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Ashlar.Get.Stream
import Control.Applicative
import Control.Exception (displayException, evaluate)
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.List (isInfixOf)
import Data.Map (Map)
import qualified Data.Text as T
import Data.Word (Word8)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Actions hiding (Seen (..))
import Tests.Failures
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "errors"
    [ testCase "displayException" display,
      testProperty "displayException: every error, in few lines, without a call stack" displayAny,
      testCase "summarizeError" summaries,
      testProperty "summarizeError: one line that displayException begins with" summaryAny,
      testProperty "the labels of nested decoders, shortened" manyLabels,
      testProperty "texts of any length, shortened" longTexts,
      testCase "an error is short, however deeply the decoder is nested" shortErrors,
      testProperty "the excerpt is taken from the input" excerpts,
      testCase "the names expected, across alternatives" expectations,
      testCase "names that are not needed are not forced" namesLazy,
      testCase "the failure that got farthest" farthest,
      testCase "failures inside of look-ahead do not count" lookedAt,
      testCase "a message about bytes already read" messagesAfterwards,
      testCase "an infinite label" infiniteLabel,
      testCase "failures of an earlier run do not count" earlierRuns,
      testCase "the bytes found" found,
      testCase "any number of failures at one offset" manyFailures,
      testCase "a forced error does not retain the input" notKept,
      testCase "a decoder that runs itself on what is left" runsItself,
      testCase "runGetStream: values on demand, and errors" streams
    ]

-- 64 levels, each of which fails if the one inside of it does. If each ran twice, the test would
-- not terminate.
runsItself :: Assertion
runsItself = do
  r <- timeout 120000000 (evaluate (either displayException show (runGet envelope input)))
  fmap (takeWhile (/= ':')) r @?= Just "at byte 65"
  d <- timeout 120000000 (evaluate (either displayException show (runGet (deeper wrapped) input)))
  fmap (takeWhile (/= ':')) d @?= Just "at byte 65"
  where
    input = S.replicate 64 1 <> S.pack [9]
    envelope = inside envelope
    wrapped = inside (deeper wrapped)
    inside g =
      getWord8 >>= \t ->
        if t == 1
          then
            getRemainingByteString >>= \bs ->
              either (fail . displayException) (pure . (+ 1)) (runGet g bs)
          else if t == 0 then pure (0 :: Int) else fail "neither 0 nor 1"

word :: Word8 -> String -> Get ()
word w name = () <$ satisfy (== w) <?> name

shown :: Get a -> S.ByteString -> String
shown g bs = either displayException (const "no error") (runGet g bs)

display :: Assertion
display = do
  shown (label "order" (skip 2 *> label "price" getInt32be)) "abc"
    @?= "at byte 2, in order / price: 4 bytes needed, 1 left\n\
        \  00000000  61 62 63                                          |abc|\n\
        \                  ^^"
  shown (getWord8 *> endOfInput) "ab"
    @?= "at byte 1: expected the end of the input\n\
        \  00000000  61 62                                             |ab|\n\
        \               ^^"
  shown (isolate 1 (pure ())) "a"
    @?= "at byte 0: isolate: 1 of 1 bytes were not read\n\
        \  00000000  61                                                |a|\n\
        \            ^^"
  -- At the end of the input, and without any input.
  shown (getWord8 *> fail "message" :: Get ()) "a"
    @?= "at byte 1: message\n\
        \  00000000  61                                                |a|\n\
        \               ^"
  shown (skip 16 *> getWord8) (S.replicate 16 97)
    @?= "at byte 16: 1 byte needed, 0 left\n\
        \  00000000  61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61   |aaaaaaaaaaaaaaaa|\n\
        \                                                            ^"
  shown (fail "message" :: Get ()) "" @?= "at byte 0: message"
  shown (empty :: Get ()) "" @?= "at byte 0: no alternative left"
  shown (getWord8 <?> "a byte") "" @?= "at byte 0: 1 byte needed, 0 left\n  expected a byte"
  shown (word 1 "x" <|> word 2 "y" <|> word 3 "z") "\0"
    @?= "at byte 0: expected x, y or z\n\
        \  00000000  00                                                |.|\n\
        \            ^^"
  shown (notFollowedBy getWord8) "\255"
    @?= "at byte 0: unexpected input\n\
        \  00000000  ff                                                |.|\n\
        \            ^^"
  -- The line before, and the line after if the bytes found extend into it.
  shown (skip 40 *> getByteString 20) (S.pack [0 .. 57])
    @?= "at byte 40: 20 bytes needed, 18 left\n\
        \  00000010  10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f   |................|\n\
        \  00000020  20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f   | !\"#$%&'()*+,-./|\n\
        \                                    ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^\n\
        \  00000030  30 31 32 33 34 35 36 37 38 39                     |0123456789|"
  -- The input is gone, except for the bytes found.
  displayException ((failure 3 [] (MissingInput 3 2) ["digit"] "1\n") {errorExcerpt = Excerpt 0 ""})
    @?= "at byte 3: 3 bytes needed, 2 left\n  expected digit\n  found 31 0a |1.|"
  -- Offsets of more than eight digits.
  displayException
    (failure 0 [] (MissingInput 3 2) [] "1\n")
      { errorOffset = 4299161601,
        errorExcerpt = Excerpt 4299161600 "01\n"
      }
    @?= "at byte 4299161601: 3 bytes needed, 2 left\n\
        \  100400000  30 31 0a                                          |01.|\n\
        \                ^^ ^^"

displayAny :: Action -> [Word8] -> Property
displayAny a bytes = case runGet (runAction a) (S.pack bytes) of
  Right _ -> property ()
  Left e ->
    let s = displayException e
     in counterexample s $
          (length (lines s) <= 6)
            .&&. all (\c -> c >= ' ' && c < '\DEL' || c == '\n') s
            .&&. not (any (`isInfixOf` s) ["CallStack", "Empty", "error, called at"])

summaries :: Assertion
summaries = do
  let summary g bs = either summarizeError (const "decoded") (runGet g bs)
  summary (label "point" (getWord8 *> label "y" getInt32be)) "\0\0\0"
    @?= "at byte 1, in point / y: 4 bytes needed, 2 left"
  summary (word 1 "x" <|> word 2 "y") "\0" @?= "at byte 0: expected x or y"
  -- Messages and labels do not break the line.
  summary (label "a\nb" (fail "one\r\n\ttwo\x85 \x2028\&three \955" :: Get ())) ""
    @?= "at byte 0, in a\\nb: one\\r\\n\\ttwo\\133 \\8232three \955"

summaryAny :: Action -> [Word8] -> Property
summaryAny a bytes = case runGet (runAction a) (S.pack bytes) of
  Right _ -> property ()
  Left e -> take 1 (lines (displayException e)) === [summarizeError e]

manyLabels :: Property
manyLabels = forAll (choose (0, 100)) $ \n ->
  let names = map show [n, n - 1 .. 1 :: Int]
      shortened = if n <= 32 then names else take 24 names ++ [".."] ++ drop (n - 8) names
      g = foldl (flip label) (fail "no") names :: Get ()
   in brief (runGet g "") === Left (0, shortened, Invalid "no")
        .&&. brief (runGetLazy g "") === Left (0, shortened, Invalid "no")

shortErrors :: Assertion
shortErrors = do
  short (foldr label getWord8 (map show [1 .. 200000 :: Int]))
  -- Labels and names, nested in one another.
  short
    ( foldr
        (\i g -> if even i then label (show i) g else g <?> show i)
        getWord8
        [1 .. 200000 :: Int]
    )
  short (nestedLevels 50000)
  where
    short g = do
      check (runGet g "")
      check (runGetLazy g "")
    check r = case r of
      Left e -> do
        assertBool "labels" (length (errorLabels e) <= 33)
        assertBool "all of the labels" (length (concat (errorLabels e)) < 1000)
        assertBool "expected" (length (errorExpected e) <= 32)
        assertBool "displayException" (length (displayException e) < 2000)
        assertBool "summarizeError" (length (summarizeError e) < 1000)
      Right _ -> assertFailure "decoded"
    nestedLevels n = if n == (0 :: Int) then getWord8 else label "m" (deeper (nestedLevels (n - 1)))

-- On strict input the excerpt is complete. In chunks it may be shorter, but its bytes are the same.
excerpts :: Action -> [Word8] -> Property
excerpts a bytes = case runGet g input of
  Right _ -> property ()
  Left e ->
    let Excerpt from shownBytes = errorExcerpt e
        at = fromIntegral (errorOffset e)
        -- The line of the error, and the line before.
        start = max 0 (at - at `mod` 16 - 16)
        lines' = at - at `mod` 16 + 16 - start
     in (from === fromIntegral start)
          .&&. (S.take lines' shownBytes === S.take lines' (S.drop start input))
          .&&. conjoin
            ( map
                (inChunks . filter (not . S.null))
                [map S.singleton (S.unpack input), [S.take 17 input, S.drop 17 input]]
            )
  where
    g = runAction (Then (Bytes 5) (Or a (Then (Many Byte) Failing)))
    input = S.pack (bytes ++ bytes ++ [0 .. 40])
    inChunks chunks = case runGetLazy g (L.fromChunks chunks) of
      Right _ -> counterexample "decoded" False
      Left e ->
        let Excerpt from part = errorExcerpt e
         in counterexample
              (show (from, part))
              (S.take (S.length part) (S.drop (fromIntegral from) input) === part)
              .&&. counterexample
                "found"
                ( S.take (S.length (errorFound e)) (S.drop (fromIntegral (errorOffset e)) input)
                    === errorFound e
                )

expectations :: Assertion
expectations = do
  names (word 1 "x" <|> word 2 "y") "\0" ["x", "y"]
  -- Each name once.
  names (word 1 "x" <|> word 2 "y" <|> word 1 "x") "\0" ["x", "y"]
  -- The names of an optional decoder before it count too.
  names (many (word 1 "x") *> word 2 "y") "\1\1\0" ["x", "y"]
  names (many (word 1 "x") *> endOfInput) "\1\1\0" ["x", "the end of the input"]
  -- An outer name replaces inner names, but only those at the same offset.
  names ((word 1 "x" <|> word 2 "y") <?> "z") "\0" ["z"]
  names ((word 1 "x" *> word 2 "y") <?> "z") "\1\0" ["y"]
  names ((word 1 "x" *> word 2 "y") <?> "z") "\0" ["z"]
  names (((word 1 "x" <?> "y") <?> "z") <|> word 1 "x") "\0" ["z", "x"]
  names (optional (word 1 "x") *> word 2 "y" <?> "z") "\0" ["z"]
  -- Missing input, or a message.
  names (getWord32be <?> "number") "ab" ["number"]
  names ((() <$ getWord8 <?> "any") <|> endOfInput *> empty) "" ["any"]
  names ((fail "message" <?> "x") <|> word 1 "y" :: Get ()) "\0" ["x", "y"]
  where
    names g bs ns = either errorExpected (const []) (runGet g bs) @?= ns

namesLazy :: Assertion
namesLazy = do
  runGet (getWord8 <?> error "forced") "a" @?= Right 97
  runGet ((word 1 (error "forced") <|> word 2 (error "forced")) <|> word 97 (error "forced")) "a"
    @?= Right ()
  -- An error does not force them either, unless they are forced themselves.
  errorOffset <$> either Right Left (runGet (getWord8 *> word 1 (error "forced")) "ab") @?= Right 1

-- The fault is inside of the third record, although the decoder fails after the second.
farthest :: Assertion
farthest = do
  let record =
        label
          "record"
          ( word 1 "tag" *> label "length" getWord8 >>= \n ->
              label "body" (getByteString (fromIntegral n))
          )
      three = "\1\1a\1\2bc\1\9abc"
  brief (runGet (many record <* endOfInput) three)
    @?= Left (9, ["body", "record"], MissingInput 9 3)
  brief (runGet (many record <* endOfInput) (S.take 7 three <> "\2"))
    @?= Left (7, [], TrailingInput)
  -- A message, even if other failures have more labels.
  brief (runGet (many (word 1 "x") *> fail "no") "\1\1\0" :: Either DecodeError ())
    @?= Left (2, [], Invalid "no")
  -- At the same offset, all of them; but those with other labels than the latest.
  brief (runGet (fail "one" <|> fail "two" <|> fail "one" :: Get ()) "")
    @?= Left (0, [], Invalid "one; two")
  brief (runGet (label "a" (fail "one") <|> label "b" (fail "two") :: Get ()) "")
    @?= Left (0, ["b"], Invalid "two")
  brief (runGet (getWord8 *> fail "one" <|> fail "two" :: Get ()) "a")
    @?= Left (1, [], Invalid "one")
  -- The input left begins where the decoder failed in the end, which may be before the error.
  case runGetOrFail
    ( (getWord8 *> getWord8 *> fail "far")
        <|> getWord8 *> (fail "near" :: Get ())
    )
    "abc" of
    Left (rest, at, e) -> (rest, at, errorOffset e) @?= ("bc", 1, 2)
    Right _ -> assertFailure "decoded"

lookedAt :: Assertion
lookedAt = do
  -- 'many' fails at the end of the input, but inside of the look-ahead.
  brief (runGet (lookAhead (many getWord8) *> getWord8 *> fail "here" :: Get ()) "abc")
    @?= Left (1, [], Invalid "here")
  brief (runGet (lookAheadM (Nothing <$ many getWord8) *> getWord8 *> empty :: Get ()) "abc")
    @?= Left (1, [], NoAlternative)
  brief
    ( runGet
        ( lookAheadE (Left () <$ many getWord8) *> getWord8 *> empty ::
            Get (Either () ())
        )
        "abc"
    )
    @?= Left (1, [], NoAlternative)
  brief (runGet (notFollowedBy (getWord8 *> getWord8 *> word 1 "x") *> empty :: Get ()) "abc")
    @?= Left (0, [], NoAlternative)
  -- If the look-ahead itself fails, its failure counts.
  brief (runGet (lookAhead (getWord8 *> getWord16be)) "ab") @?= Left (1, [], MissingInput 2 1)

infiniteLabel :: Assertion
infiniteLabel =
  brief (runGet (label (cycle "ab") (fail "x")) "" :: Either DecodeError ())
    @?= Left (0, [take 1000 (cycle "ab") ++ ".."], Invalid "x")

-- The error has the offset of the fault, although the decoder got farther.
messagesAfterwards :: Assertion
messagesAfterwards = do
  -- The failure that ends the elements lies farther, but is not the error.
  let twice = encode [(T.pack "b", 1 :: Int), (T.pack "a", 2)]
  brief (decode twice :: Either DecodeError (Map T.Text Int))
    @?= Left (25, ["[1]"], Invalid "keys that do not ascend")
  let bad = encode ("ab\xFFmore" :: S.ByteString)
  case decode bad :: Either DecodeError T.Text of
    Left e -> e @?= failure 10 [] (Invalid "invalid UTF-8") [] "\xFFmore"
    Right _ -> assertFailure "decoded"
  -- A valid text leaves no failure.
  brief (decode (encode (T.pack "good") <> "x") :: Either DecodeError T.Text)
    @?= Left (12, [], TrailingInput)

earlierRuns :: Assertion
earlierRuns = do
  source <- newSource (pure "abcdefgh")
  r <- getFrom source ((skip 5 *> fail "far") <|> fail "near" :: Get ())
  brief r @?= Left (5, [], Invalid "far")
  r' <- getFrom source (skip 1 *> fail "second" :: Get ())
  brief r' @?= Left (1, [], Invalid "second")

found :: Assertion
found = do
  finds (getByteString 100) (C.replicate 40 'x') (C.replicate 16 'x')
  finds (getByteString 10) "abcdefghi" "abcdefghi"
  finds (getByteString 8) "abcdefg" "abcdefg"
  finds (getLazyByteString 100) (C.replicate 40 'y') (C.replicate 16 'y')
  finds (isolate 3 (getByteString 9)) "abcdef" "abc"
  finds (notFollowedBy (skip 20)) (C.replicate 40 'z') (C.replicate 16 'z')
  finds (notFollowedBy (skip 2)) "abc" "ab"
  finds endOfInput "abc" "a"
  -- No byte was read.
  finds (skip 10) "abc" ""
  finds (fail "x" :: Get ()) "abc" ""
  where
    finds :: Get a -> S.ByteString -> S.ByteString -> Assertion
    finds g bs f = do
      either errorFound (const "decoded") (runGet g bs) @?= f
      forM_ (take 60 (splits bs)) $ \chunks ->
        either errorFound (const "decoded") (runGetLazy g (L.fromChunks chunks)) @?= f

-- What users say may have any length, also if it is made of the input.
longTexts :: Property
longTexts = forAll (choose (0, 3000)) $ \n ->
  let long = replicate n 'x'
      short = if n <= 1000 then long else replicate 1000 'x' ++ ".."
      constant = S.replicate (n + 1) 120
   in conjoin
        [ brief (runGet (label long (fail long)) "" :: Either DecodeError ())
            === Left (0, [short], Invalid short),
          fmap errorExpected (flipped (runGet (empty <?> long) "" :: Either DecodeError ()))
            === Right [short],
          fmap (all ((< 200) . length) . errorExpected) (flipped (runGet (P.bytes constant) "y"))
            === Right True,
          -- Also without end.
          fmap errorReason (flipped (runGet (fail (cycle "x")) "" :: Either DecodeError ()))
            === Right (Invalid (replicate 1000 'x' ++ ".."))
        ]
  where
    flipped = either Right Left

-- The number of names is limited, and a message is not lost.
manyFailures :: Assertion
manyFailures = do
  let failures = msum [empty <?> ("name " ++ show n) | n <- [1 .. 1000 :: Int]] :: Get ()
  brief (runGet (failures <|> fail "message") "") @?= Left (0, [], Invalid "message")
  brief (runGet (fail "message" <|> failures) "") @?= Left (0, [], Invalid "message")
  case runGet failures "" of
    Left e -> do
      take 3 (errorExpected e) @?= ["name 1", "name 2", "name 3"]
      length (errorExpected e) <= 32 @? "all of them are held"
    Right () -> assertFailure "decoded"
  -- This takes constant memory.
  runGet (replicateM_ 1000000 (optional (word 1 "x")) *> pure 'a') "b" @?= Right 'a'

-- 40 errors from inputs of 32 MiB, under the suite's heap limit.
notKept :: Assertion
notKept = do
  errors <- forM [1 .. 40 :: Int] $ \i -> do
    let bs = S.replicate 33554432 (fromIntegral i)
    either
      evaluate
      (const (assertFailure "decoded"))
      (runGet (label "x" (skip 33554400 *> getByteString 100)) bs)
  map errorFound errors @?= [S.replicate 16 i | i <- [1 .. 40]]
  sum (map (length . displayException) errors) > 0 @? "shown"

streams :: Assertion
streams = do
  let values = runGetStream getWord16be
  values "" @?= End
  streamToEither (values "\0\1\0\2") @?= Right [1, 2]
  streamToEither (values "\0\1\0") @?= Left (failure 2 [] (MissingInput 2 1) [] "\0")
  sum (values "\0\1\0\2\0") @?= 3
  -- Values are decoded on demand.
  case values (L.fromChunks ["\0\1", error "forced"]) of
    Next 1 _ -> pure ()
    _ -> assertFailure "not lazy"
  let many' = L.fromChunks (replicate 600 (S.replicate 1048576 7)) :: L.ByteString
      count = foldl (\acc n -> acc `seq` acc + n) 0 (1 <$ runGetStream (skip 65536) many') :: Int64
  count @?= 600 * 16
