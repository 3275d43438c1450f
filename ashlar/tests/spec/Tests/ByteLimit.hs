{-# LANGUAGE OverloadedStrings #-}

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
import Ashlar.Get.Feed
import Ashlar.Get.Parse (decimal, skipWhile, takeWhile)
import Ashlar.Get.Stream
import Control.Applicative
import Control.Monad (forM_, unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import qualified Data.Vector.Unboxed as U
import Data.Word (Word64)
import System.IO (IOMode (..), withBinaryFile)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Failures
import Tests.Files
import Prelude hiding (takeWhile)

tests :: TestTree
tests =
  testGroup
    "budgets of bytes"
    [ testCase "nothing is read for a length that is too long" announced,
      testCase "all input that is not in memory has a limit" streamsAreLimited,
      testCase "a strict string has none" strictIsNot,
      testCase "withBudget raises it" raised,
      testCase "exactly as many bytes as the budget allows" exactly,
      testCase "scanners" scanners,
      testCase "each value of a stream has its own" eachValue,
      testCase "a budget within a budget" nestedBudgets,
      testCase "an isolated part that ends with the budget" isolatedParts,
      testCase "a budget of other things leaves the bytes alone" otherBudgets,
      testCase "what an inner budget has taken beyond the limit" beyond,
      testCase "lazy input of one chunk" oneChunk,
      testCase "what is extreme" extremes,
      testCase "the stand-ins for other libraries have none" compatHasNone
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

-- The announced length is refused before its bytes are asked for.
announced :: Assertion
announced = do
  forM_ [getStrict, getLazy, getSkipped, getPart, get :: Get S.ByteString] $ \g -> do
    (next, given) <- endless (encode (2 ^ (30 :: Int) :: Int) <> "abc")
    source <- newSource next
    r <- getFrom source g
    reasonOf r @?= Just (tooManyBytes most (Just (2 ^ (30 :: Int))))
    readIORef given >>= (@?= 11)
  -- Elements take eight bytes each.
  forM_ [() <$ list, () <$ (get :: Get (U.Vector Int)), () <$ (count >>= vector)] $ \g -> do
    (next, given) <- endless (encode (2 ^ (27 :: Int) :: Int) <> "abc")
    source <- newSource next
    r <- getFrom source g
    reasonOf r @?= Just (tooManyBytes most (Just (2 ^ (30 :: Int))))
    readIORef given >>= (@?= 11)
  where
    count = fromIntegral <$> getInt64le :: Get Int
    list = get :: Get [Int]
    vector n = getVectorLE n :: Get (U.Vector Word64)
    getStrict = count >>= getByteString
    getLazy = L.toStrict <$> (count >>= getLazyByteString . fromIntegral)
    getSkipped = "" <$ (count >>= skip)
    getPart = getNested count getRemainingByteString

-- Every way to run a decoder on such input.
limitedRuns :: FilePath -> Get a -> [L.ByteString -> IO (Either DecodeError ())]
limitedRuns file g =
  [ \lbs -> pure (() <$ runGetLazy g lbs),
    \lbs -> pure (() <$ runGetLazyWhole g lbs),
    \lbs -> pure (either (\(_, _, e) -> Left e) (const (Right ())) (runGetOrFail g lbs)),
    \lbs -> pure (() <$ runGetLazy g (L.fromStrict (L.toStrict lbs))),
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
    (i, offsetAndReason r) @?= (i, Just (fromIntegral most, tooManyBytes most Nothing))

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
  let large = getByteString 40000000
      input = L.fromChunks (replicate 40 (S.replicate 3000000 1))
  map S.length <$> streamToEither (runGetStream large input) @?= Right (replicate 3 40000000)
  case foldl pushed (0, runGetValues large) (L.toChunks input) of
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
  runEach (four (isolate 5 getRemainingByteString)) "abcdef" `failsAt` (0, tooManyBytes 4 (Just 5))
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
    offsetAndReason (runGetLazy long (asLazy "abc"))
      @?= Just (0, tooManyBytes most (Just (most + 1)))
    -- A budget of other things has the limit that is around it.
    offsetAndReason (runGetLazy (withBudget defaultBudget long) (asLazy "abc"))
      @?= Just (0, tooManyBytes most (Just (most + 1)))
    B.runGet long (asLazy "abc") @?= "ab"
    runGetLazy (withBudget (bytes maxBound) long) (asLazy "abc") @?= Right "ab"

extremes :: Assertion
extremes = do
  forM_ [0, -1, minBound] $ \n -> do
    runEach (withBudget (bytes n) (pure 'x')) "abc" @?= Right 'x'
    runEach (withBudget (bytes n) (pure 'x')) "" @?= Right 'x'
    runEach (withBudget (bytes n) getWord8) "abc" `failsAt` (0, tooManyBytes 0 (Just 1))
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
