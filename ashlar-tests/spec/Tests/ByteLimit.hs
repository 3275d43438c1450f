{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.ByteLimit
-- Description : Limits on the bytes of a value
--
-- The model of random decoders ("Tests.Model") has budgets of bytes, too.
module Tests.ByteLimit (tests) where

import Ashlar.Codec
import qualified Ashlar.Compat.Binary.Get as B
import qualified Ashlar.Compat.Cereal.Get as C
import Ashlar.Get
import Ashlar.Get.Combinators (skipMany)
import Ashlar.Get.Feed
import Ashlar.Get.Parse (decimal, skipWhile, takeWhile)
import Ashlar.Get.Stream
import Control.Applicative
import Control.Monad (forM_, unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L
import Data.IORef
import Data.Int (Int64)
import Data.Map (Map)
import qualified Data.Vector.Unboxed as U
import Data.Word (Word64)
import System.IO (IOMode (..), withBinaryFile)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Failures
import Tests.Files
import Tests.Splits (nothingAfter)
import Prelude hiding (takeWhile)

tests :: TestTree
tests =
  testGroup
    "budgets of bytes"
    [ testCase "a length that is too long is refused when so much input has come" announced,
      testCase "a length that is too long for input that ends" announcedAndEnded,
      testCase "all that is held of input that is not in memory has a limit" streamsAreLimited,
      testCase "what a decoder has passed is not held" passedIsNotHeld,
      testCase "what a choice or a look-ahead goes back to is held" goneBackIsHeld,
      testCase "a value of a Codec is held as a whole" valuesAreHeld,
      testCase "a strict ByteString has no limit" strictIsNot,
      testCase "withBudget raises the limit" raised,
      testCase "exactly as many bytes as the budget allows" exactly,
      testCase "scanners fail at the limit if the input goes on" scanners,
      testCase "each value of a stream has a limit of its own" eachValue,
      testCase "a budget within a budget" nestedBudgets,
      testCase "an isolated part that ends with the budget" isolatedParts,
      testCase "an inner budget without a limit on bytes keeps the outer one" otherBudgets,
      testCase "what an inner budget has taken beyond the limit" beyond,
      testCase "lazy input of one chunk" oneChunk,
      testCase "limits of 0, minBound and maxBound" extremes,
      testCase "the modules of Ashlar.Compat have no limit" compatHasNone
    ]

bytes :: Int -> Budget
bytes n = defaultBudget {budgetBytes = Just n}

-- The default.
most :: Int
most = 67108864

megabyte :: S.ByteString
megabyte = S.replicate 1048576 7

-- A source of endless input, and how many bytes it has given.
endless :: S.ByteString -> IO (IO S.ByteString, IORef Int)
endless start = do
  given <- newIORef 0
  let next = do
        n <- readIORef given
        let bs = if n == 0 then start else megabyte
        bs <$ writeIORef given (n + S.length bs)
  pure (next, given)

-- Decoders that announce this many bytes.
announcing :: Int -> [(S.ByteString, Get ())]
announcing n =
  [(encode n, () <$ g) | g <- [getStrict, getLazy, get :: Get S.ByteString]]
    -- Elements take eight bytes each.
    ++ [ (encode (n `quot` 8), g)
         | g <- [() <$ list, () <$ (get :: Get (U.Vector Int)), () <$ (count >>= vector)]
       ]
    -- These take sixteen.
    ++ [(encode (n `quot` 16), () <$ (get :: Get (Map Int Int)))]
  where
    list = get :: Get [Int]
    vector m = getVectorLE m :: Get (U.Vector Word64)
    getStrict = count >>= getByteString
    getLazy = L.toStrict <$> (count >>= getLazyByteString . fromIntegral)

count :: Get Int
count = fromIntegral <$> getInt64le

-- So much is asked for, and no more.
announced :: Assertion
announced =
  forM_ (announcing gigabyte) $ \(start, g) -> do
    (next, given) <- endless (start <> "abc")
    source <- newSource next
    r <- getFrom source g
    offsetAndReason r @?= Just (8, tooManyHeld (Just gigabyte))
    n <- readIORef given
    assertBool (show n) (n > most && n <= most + S.length megabyte + 11)

-- It is as if it were not too long.
announcedAndEnded :: Assertion
announcedAndEnded = inTemporaryFile $ \file ->
  forM_ (announcing gigabyte ++ announcing (most + 16)) $ \(start, g) ->
    forM_ ["", "\1", S.replicate 40 1] $ \end -> do
      let input = start <> end
          said = either (\e -> Just (errorOffset e, errorLabels e, errorReason e)) (const Nothing)
      forM_ (zip [0 :: Int ..] (limitedRuns file g)) $ \(i, run) ->
        forM_ [L.fromStrict input, L.fromChunks (map S.singleton (S.unpack input))] $ \lbs -> do
          r <- run lbs
          (i, said r) @?= (i, said (runGet g input))

gigabyte :: Int
gigabyte = 2 ^ (30 :: Int)

-- Every way to run a decoder on such input.
limitedRuns :: FilePath -> Get a -> [L.ByteString -> IO (Either DecodeError ())]
limitedRuns file g =
  [ \lbs -> pure (() <$ runGetLazy g lbs),
    \lbs -> pure (() <$ runGetLazyWhole g lbs),
    \lbs -> pure (either (\(_, _, e) -> Left e) (const (Right ())) (runGetOrFail g lbs)),
    \lbs -> pure (() <$ streamToEither (runGetStream g lbs)),
    \lbs -> chunks lbs >>= \next -> (() <$) <$> runGetIO next g,
    \lbs -> chunks lbs >>= newSource >>= \s -> (() <$) <$> attemptFrom s g,
    \lbs -> chunks lbs >>= newSource >>= \s -> foldFrom s g (\_ _ -> pure ()) (),
    \lbs -> pure $ case pushEndOfInput (runGetIncremental g `pushChunks` lbs) of
      Fail _ _ e -> Left e
      _ -> Right (),
    \lbs -> do
      end <- newFeed g >>= \f -> foldl (\m bs -> m >>= (`feed` bs)) (pure f) (L.toChunks lbs)
      end' <- feedEndOfInput end
      pure $ case end' of FeedFail _ _ e -> Left e; _ -> Right (),
    \lbs -> do
      next <- chunks lbs
      (_, end) <- foldValues next (\_ _ -> pure ()) () (runGetValues g)
      pure $ case end of ValuesFail _ _ e -> Left e; _ -> Right (),
    \lbs -> do
      L.writeFile file lbs
      (() <$) <$> runGetFile file g,
    \lbs -> do
      L.writeFile file lbs
      withBinaryFile file ReadMode $ \h -> hFoldGet h g (\_ _ -> pure ()) ()
  ]
  where
    chunks lbs = do
      ref <- newIORef (L.toChunks lbs)
      pure (atomicModifyIORef' ref (\l -> (drop 1 l, S.concat (take 1 l))))

streamsAreLimited :: Assertion
streamsAreLimited = inTemporaryFile $ \file -> do
  let lbs = L.fromChunks (replicate 65 megabyte)
      whole = S.length <$> getRemainingByteString
  forM_ (zip [0 :: Int ..] (limitedRuns file whole)) $ \(i, run) -> do
    r <- run lbs
    (i, offsetAndReason r) @?= (i, Just (fromIntegral most, tooManyHeld Nothing))

large :: L.ByteString
large = L.fromChunks (replicate 70 megabyte)

-- Decoders that go through all of the input, and keep nothing.
passedIsNotHeld :: Assertion
passedIsNotHeld = inTemporaryFile $ \file -> do
  let n = fromIntegral (L.length large)
      numbers :: Int -> Get Int
      numbers !m = isEmpty >>= \end -> if end then pure m else number *> numbers (m + 1)
      number = getWord64le *> skip 248
      alternatives !m = (skip 1048576 *> alternatives (m + 1)) <|> (m <$ endOfInput)
      tokens !m = isEmpty >>= \end -> if end then pure m else takeWhileAtMost >>= tokens . (m +)
      takeWhileAtMost = isolateAtMost 5000000 (S.length <$> takeWhile (== 7))
      decoders =
        [ (n `quot` 256, numbers 0),
          (0, 0 <$ skip n),
          (0, 0 <$ skipWhile (== 7)),
          (70, length <$> many (skip 1048576)),
          (0, 0 <$ isolate n (skip n)),
          (n `quot` 256, isolate n (numbers 0)),
          (n, tokens 0),
          (0, 0 <$ (skip n <* endOfInput)),
          (1, skip n *> (1 <$ endOfInput)),
          -- After a part that may take any number of bytes, it counts from where that ended.
          (1, withBudget (bytes maxBound) (skip (n - 9)) *> skip 9 *> (1 <$ endOfInput))
        ]
  L.writeFile file large
  forM_ (zip [0 :: Int ..] decoders) $ \(i, (expected, g)) -> do
    fromFile <- runGetFile file g
    (i, "file", fromFile) @?= (i, "file" :: String, Right expected)
    (i, "lazy", runGetLazy g large) @?= (i, "lazy" :: String, Right expected)
    let pushed = pushEndOfInput (runGetIncremental g `pushChunks` large)
    case pushed of
      Done _ _ m -> (i, m) @?= (i, expected)
      _ -> assertFailure ("pushed: " ++ show i)
  -- Here each choice is within the one before.
  r <- runGetFile file (alternatives (0 :: Int))
  offsetAndReason r @?= Just (fromIntegral most, tooManyHeld Nothing)

goneBackIsHeld :: Assertion
goneBackIsHeld =
  forM_ [held, ahead, matched, kept, tokens, budgets] $ \g -> do
    offsetAndReason (runGetLazy g large) @?= Just (fromIntegral most + 8, tooManyHeld Nothing)
    let pushed = pushEndOfInput (runGetIncremental g `pushChunks` large)
    case pushed of
      Fail _ _ e -> (errorOffset e, errorReason e) @?= (fromIntegral most + 8, tooManyHeld Nothing)
      _ -> assertFailure "pushed"
  where
    -- After eight bytes that are passed.
    held = skip 8 *> ((skip (most + 1) *> empty) <|> pure ())
    ahead = skip 8 *> lookAhead (skip (most + 1))
    matched = skip 8 *> (() <$ match (skip (most + 1)))
    kept = skip 8 *> origin (skip (most + 1))
    -- Also part by part.
    tokens = skip 8 *> lookAhead (skipMany (isolateAtMost 4096 getRemainingByteString))
    budgets = skip 8 *> lookAhead (skipMany (withBudget (bytes 1024) (skip 1024)))

valuesAreHeld :: Assertion
valuesAreHeld = inTemporaryFile $ \file -> do
  let strings = replicate 70 megabyte
      lbs = encodeLazy strings
      refused r = reasonOf r @?= Just (tooManyHeld Nothing)
  L.writeFile file lbs
  refused (decodeLazy lbs :: Either DecodeError [S.ByteString])
  refused (decodeLazyWith defaultBudget lbs :: Either DecodeError [S.ByteString])
  decodeFile file >>= refused . fmap (id @[S.ByteString])
  withBinaryFile file ReadMode hDecode >>= refused . fmap (id @[S.ByteString])
  folded <- withBinaryFile file ReadMode $ \h ->
    hFoldGet h (get :: Get [S.ByteString]) (\_ _ -> pure ()) ()
  refused folded
  refused (streamToEither (runGetStream (get :: Get [S.ByteString]) lbs))
  fmap (map S.length) (decodeLazyWith (bytes maxBound) lbs)
    @?= Right (map S.length strings)
  -- Where it is in memory it has none.
  fmap length (decodeLazy (L.fromStrict (L.toStrict lbs)) :: Either DecodeError [S.ByteString])
    @?= Right 70
  -- So has the first chunk of several.
  let one = encode (L.toStrict large)
      (start, end) = S.splitAt (most + 1000) one
  decodeLazy (L.fromStrict one) @?= (decode one :: Either DecodeError S.ByteString)
  decodeLazy (L.Chunk one (nothingAfter one)) @?= (decode one :: Either DecodeError S.ByteString)
  offsetAndReason (decodeLazy (L.fromChunks [start, end]) :: Either DecodeError S.ByteString)
    @?= Just (8, tooManyHeld (Just (fromIntegral (L.length large))))

strictIsNot :: Assertion
strictIsNot =
  runGet (S.length <$> getRemainingByteString) (S.replicate (most + 1) 7) @?= Right (most + 1)

raised :: Assertion
raised = do
  let lbs = L.fromChunks (replicate 65 megabyte)
      whole = withBudget (bytes maxBound) (S.length <$> getRemainingByteString)
  runGetLazy whole lbs @?= Right (65 * S.length megabyte)
  S.length <$> decodeLazyWith (bytes maxBound) (encodeLazy (S.concat (L.toChunks lbs)))
    @?= Right (65 * S.length megabyte)

offsetAndReason :: Either DecodeError a -> Maybe (Int64, Reason)
offsetAndReason = either (\e -> Just (errorOffset e, errorReason e)) (const Nothing)

exactly :: Assertion
exactly = do
  let four = withBudget (bytes 4)
      three = getByteString 3
      byte = getWord8
  forM_ [(<>) <$> three <*> getByteString 1, getRemainingByteString, three <* byte <* endOfInput] $
    \g -> () <$ runEach (four g) "abcd" @?= Right ()
  -- One byte more.
  runEach (four (three *> getWord8 *> getWord8)) "abcde" `failsAt` (4, tooManyBytes 4 Nothing)
  runEach (four (three *> getWord16le)) "abcde" `failsAt` (3, tooManyBytes 4 Nothing)
  runEach (four (three *> skip 2)) "abcde" `failsAt` (4, tooManyBytes 4 Nothing)
  runEach (four getWord64be) "abcde" `failsAt` (0, tooManyBytes 4 (Just 8))
  runEach (four getWord64be) "abcd" `failsAt` (0, MissingInput 8 4)
  runEach (four (skip 8)) "abcde" `failsAt` (4, tooManyBytes 4 Nothing)
  runEach (four (skip 8)) "abcd" `failsAt` (0, MissingInput 8 4)
  -- Where the input ends first, that is what is missing.
  runEach (four (three *> getWord16le)) "abcd" `failsAt` (3, MissingInput 2 1)
  runEach (four (three *> getWord8 *> getWord8)) "abcd" `failsAt` (4, MissingInput 1 0)
  -- Numbers side by side fail as one by one.
  runEach (four ((,) <$> getWord16le <*> getWord32le)) "abcdefgh"
    `failsAt` (2, tooManyBytes 4 Nothing)

-- The same on strict input and in chunks of every size.
runEach :: Eq a => Get a -> S.ByteString -> Either DecodeError a
runEach g bs
  | all (same strict) others = strict
  | otherwise = error "runs differ"
  where
    strict = runGet g bs
    others = [runGetLazy g (L.fromChunks (cut n)) | n <- [1 .. S.length bs]]
    cut n = takeChunks bs
      where
        takeChunks rest
          | S.null rest = []
          | otherwise = S.take n rest : takeChunks (S.drop n rest)
    same (Left e) (Left e') = errorOffset e == errorOffset e' && errorReason e == errorReason e'
    same (Right a) (Right b) = a == b
    same _ _ = False

failsAt :: Either DecodeError a -> (Int64, Reason) -> Assertion
failsAt r expected = offsetAndReason r @?= Just expected

scanners :: Assertion
scanners = do
  let six = withBudget (bytes 6)
  -- A token may end with the budget only if the input does.
  runEach (six (takeWhile (/= 0))) "abcdef" @?= Right "abcdef"
  runEach (six (takeWhile (/= 0))) "abcdefg" `failsAt` (6, tooManyBytes 6 Nothing)
  runEach (six (takeWhile (/= 102))) "abcdefg" @?= Right "abcde"
  runEach (six decimal) "123456" @?= Right (123456 :: Int)
  runEach (six decimal :: Get Int) "1234567" `failsAt` (6, tooManyBytes 6 Nothing)
  runEach (six decimal) "12345 7" @?= Right (12345 :: Int)
  runEach (six getRemainingLazyByteString) "abcdefg" `failsAt` (6, tooManyBytes 6 Nothing)
  -- Also where the failure is caught.
  runEach (six (many getWord8)) "abcdef" @?= Right [97 .. 102]
  runEach (six (many getWord8)) "abcdefg" `failsAt` (6, tooManyBytes 6 Nothing)
  runEach (six (many (withBudget levels getWord8))) "abcdefg" `failsAt` (6, tooManyBytes 6 Nothing)
  runEach (six (getByteString 7 <|> getByteString 2)) "abcdefg"
    `failsAt` (0, tooManyBytes 6 (Just 7))
  runEach (six (withBudget (bytes 2) (getByteString 3) <|> getByteString 2)) "abcdefg"
    @?= Right "ab"

eachValue :: Assertion
eachValue = do
  let g = withBudget (bytes 3) (getByteString 3)
  streamToEither (runGetStream g "abcdefghi") @?= Right ["abc", "def", "ghi"]
  -- The default is for each value, too.
  let most40 = getByteString 40000000
      input = L.fromChunks (replicate 40 (S.replicate 3000000 1))
  map S.length <$> streamToEither (runGetStream most40 input) @?= Right (replicate 3 40000000)
  case foldl pushed (0, runGetValues most40) (L.toChunks input) of
    (n, state) -> case feedValuesEnd state of
      (_, ValuesDone at) -> (n, at) @?= (3 :: Int, 120000000)
      _ -> assertFailure "not ended"
  where
    pushed (n, state) bs = let (as, state') = state `feedValues` bs in (n + length as, state')

-- An inner budget may allow more, and what it takes counts outside.
nestedBudgets :: Assertion
nestedBudgets = do
  let outer = withBudget (bytes 4)
      inner n = withBudget (bytes n) (getByteString n)
  runEach (outer (inner 6)) "abcdef" @?= Right "abcdef"
  runEach (outer (inner 6 *> getWord8)) "abcdefg" `failsAt` (6, tooManyBytes 4 Nothing)
  runEach (outer (inner 3 *> getWord16le)) "abcdefg" `failsAt` (3, tooManyBytes 4 Nothing)
  runEach (outer (inner 2) *> getWord32le) "abcdefg" @?= Right 0x66656463
  -- An alternative that failed takes nothing.
  runEach (outer ((inner 6 *> empty) <|> getByteString 4)) "abcdefg" @?= Right "abcd"

isolatedParts :: Assertion
isolatedParts = do
  let four = withBudget (bytes 4)
  -- It ends with the budget: its end is an end.
  runEach (four (isolate 4 getRemainingByteString)) "abcdef" @?= Right "abcd"
  runEach (four (isolate 4 (many getWord8))) "abcdef" @?= Right [97, 98, 99, 100]
  runEach (four (isolate 4 (getByteString 4 *> getWord8))) "abcdef" `failsAt` (4, MissingInput 1 0)
  -- It is longer.
  runEach (four (isolate 5 getRemainingByteString)) "abcdef" `failsAt` (4, tooManyBytes 4 Nothing)
  runEach (four (isolateAtMost 5 getRemainingByteString)) "abcdef"
    `failsAt` (4, tooManyBytes 4 Nothing)
  runEach (four (isolateAtMost 5 getRemainingByteString)) "abcd" @?= Right "abcd"
  -- Where a budget inside of another went beyond it, the part still ends.
  runEach (isolateAtMost 2 (four (withBudget (bytes 9) (skip 2)) *> getWord8)) "abcdef"
    `failsAt` (2, MissingInput 1 0)
  runEach (isolateAtMost 2 (withBudget (bytes 1) (withBudget (bytes 2) (skip 2) *> getWord8))) "abc"
    `failsAt` (2, MissingInput 1 0)
  -- A budget inside does not go beyond an isolated part.
  runEach (four (isolateAtMost 5 (withBudget (bytes 9) getRemainingByteString))) "abcdefgh"
    @?= Right "abcde"
  runEach (isolate 5 (four (withBudget (bytes 9) getRemainingByteString))) "abcdefgh"
    @?= Right "abcde"

otherBudgets :: Assertion
otherBudgets =
  runEach (withBudget (bytes 4) (withBudget levels (many getWord8))) "abcdef"
    `failsAt` (4, tooManyBytes 4 Nothing)

levels :: Budget
levels = defaultBudget {budgetDepth = 9}

-- The cursor is after the limit then. Nothing is read from there on, and what was read is there.
beyond :: Assertion
beyond = do
  let ten = withBudget (bytes 10)
      taken n = withBudget (bytes n) (skip n)
      input = S.pack [0 .. 99]
      refused g = runEach g input `failsAt` (20, tooManyBytes 10 Nothing)
  forM_ [() <$ takeWhile (/= 50), () <$ takeWhile (const True), () <$ getWord8, skipWhile (/= 50)] $
    \g -> do
      refused (ten (isolateAtMost 30 (taken 20) *> g))
      refused (ten (skip 5 *> isolate 8 (withBudget (bytes 8) (skip 8)) *> taken 7 *> g))
      refused (ten (taken 20 *> g))
      refused (ten (lookAhead (taken 30) *> taken 20 *> g))
      refused (ten ((taken 15 *> empty) <|> taken 20 *> g))
  runEach (ten (many (withBudget (bytes 15) (satisfy (< 5) *> skip 11)) *> takeWhile (/= 99))) input
    `failsAt` (12, tooManyBytes 10 Nothing)
  fst <$> runEach (ten (match (taken 20))) input @?= Right (S.take 20 input)
  fst <$> runEach (ten (match (pure ()))) input @?= Right ""

-- A decoder runs on one chunk as on a strict string, but not with another result.
oneChunk :: Assertion
oneChunk = do
  let long = (getByteString (most + 1) *> empty) <|> getByteString 2
      ways = [L.fromStrict, \bs -> L.fromChunks [S.take 1 bs, S.drop 1 bs]]
  runGet long "abc" @?= Right "ab"
  forM_ ways $ \asLazy -> do
    runGetLazy long (asLazy "abc") @?= Right "ab"
    runGetLazy (withBudget defaultBudget long) (asLazy "abc") @?= Right "ab"
    B.runGet long (asLazy "abc") @?= "ab"
    runGetLazy (withBudget (bytes maxBound) long) (asLazy "abc") @?= Right "ab"

extremes :: Assertion
extremes = do
  forM_ [0, -1, minBound] $ \n -> do
    runEach (withBudget (bytes n) (pure 'x')) "abc" @?= Right 'x'
    runEach (withBudget (bytes n) (pure 'x')) "" @?= Right 'x'
    runEach (withBudget (bytes n) getWord8) "abc" `failsAt` (0, tooManyBytes 0 (Just 1))
    runEach (withBudget (bytes n) getWord8) "" `failsAt` (0, MissingInput 1 0)
  forM_ [maxBound, maxBound - 1] $ \n -> do
    runEach (getWord8 *> withBudget (bytes n) getWord8) "abc" @?= Right 98
    runEach (getWord8 *> withBudget (bytes n) (skip (maxBound - 1))) "abc"
      `failsAt` (1, MissingInput (maxBound - 1) 2)

compatHasNone :: Assertion
compatHasNone = do
  let lbs = L.fromChunks (replicate 65 megabyte)
      n = 65 * S.length megabyte
      whole = S.length <$> getByteString n
  B.runGet whole lbs @?= n
  C.runGetLazy whole lbs @?= Right n
  case B.pushEndOfInput (B.runGetIncremental whole `B.pushChunks` lbs) of
    B.Done _ _ m -> m @?= n
    _ -> assertFailure "binary's decoder did not end"
  unless (either (const False) (\(_, _, m) -> m == n) (B.runGetOrFail whole lbs)) $
    assertFailure "binary's runGetOrFail"
