{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Push
-- Description : Push mode
module Tests.Push (tests) where

import Ashlar.Builder (int64LE, toStrictByteString)
import qualified Ashlar.Compat.Cereal.Get as Cereal
import Ashlar.Get
import Ashlar.Get.Feed
import Ashlar.Get.ST
import Control.Applicative
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Primitive.MutVar
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as UM
import Data.Word (Word8)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label, total)
import Tests.Actions
import Tests.Failures
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "push mode"
    [ testProperty "the same result, rest and offset, in any chunks" sameInChunks,
      testProperty "any state can be resumed more than once" resumedAgain,
      testProperty "one decoder for each value of a stream" forEachValue,
      testCase "chunks of about a kilobyte" kilobytes,
      testCase "it ends as soon as it can" asSoonAsItCan,
      testCase "empty chunks, and chunks after the end" oddChunks,
      testCase "pushChunks is lazy" lazyChunks,
      testCase "after 64 MiB a state keeps no input, and can be used once" longHistory,
      testCase "Feed: a second resumption is an error" usedTwice,
      testCase "Feed: constant memory" constantMemory,
      testCase "an alternative of many chunks is run once" runOnce,
      testCase "a value that throws" valueThrows,
      testGroup
        "in unusual contexts"
        [ testCase "resumed twice in the middle of a vector" twiceInVector,
          testCase "resumed by several threads at once" manyThreads,
          testCase
            "under mask"
            ( evaluate (pushed 500) >>= \d ->
                mask_ (outcome (finished d)) >>= (@?= expected)
            ),
          testCase
            "started under mask"
            (mask_ (evaluate (pushed 500)) >>= \d -> outcome (finished d) >>= (@?= expected)),
          testCase
            "under uninterruptibleMask"
            (uninterruptibleMask_ (outcome (finished (pushed 500))) >>= (@?= expected)),
          testCase "under atomically" underAtomically,
          testCase "Feed under mask" (mask_ (newFeed getter >>= fedAll) >>= (@?= expected)),
          testCase "in a bound thread, from another" inBound,
          testCase "a decoder that pushes to another one" nested,
          testCase "interrupted again and again" interrupted,
          testCase "killed, and resumed by several threads" killedAndResumed
        ]
    ]

-- The result, the input left, and the offset at which it begins.
type Outcome a = (Either DecodeError a, S.ByteString, Int64)

ofDecoder :: Decoder a -> Maybe (Outcome a)
ofDecoder d = case d of
  Done rest at a -> Just (Right a, rest, at)
  Fail rest at e -> Just (Left e, rest, at)
  Partial _ -> Nothing

ofFeed :: Feed a -> Maybe (Outcome a)
ofFeed d = case d of
  FeedDone rest at a -> Just (Right a, rest, at)
  FeedFail rest at e -> Just (Left e, rest, at)
  FeedPartial _ -> Nothing

ofLazy :: Get a -> [S.ByteString] -> Maybe (Outcome a)
ofLazy g chunks = Just $ case runGetOrFail g (L.fromChunks chunks) of
  Right (rest, at, a) -> (Right a, L.toStrict rest, at)
  Left (rest, at, e) -> (Left e, L.toStrict rest, at)

sameInChunks :: Action -> [Word8] -> Property
sameInChunks a bytes =
  conjoin
    [ counterexample (show (map S.length chunks)) $
        ofDecoder (pushEndOfInput (pushChunks (runGetIncremental g) (L.fromChunks chunks)))
          === whole
          .&&. ofDecoder (pushEndOfInput (foldl pushChunk (runGetIncremental g) chunks))
          === whole
          .&&. ofLazy g chunks
          === whole
          .&&. unsafePerformIO (newFeed g >>= \f -> foldM feed f chunks >>= feedEndOfInput)
            `isFed` whole
      | chunks <- splits input
    ]
  where
    g = runAction a
    input = S.pack (take 8 bytes)
    whole = ofLazy g [input]
    isFed f o = ofFeed f === o

-- Each state on the way can also be resumed with other input, whether it was resumed before or not.
-- That does not disturb the first run.
resumedAgain :: Action -> [Word8] -> [Word8] -> Property
resumedAgain a bytes others =
  conjoin
    [ ofDecoder (endedBy other d) === expect (S.take i input <> other)
      | (i, d) <- states,
        other <- [later i, S.pack others, ""]
    ]
    .&&. ofDecoder (pushEndOfInput (snd (last states))) === expect input
  where
    g = runAction a
    input = S.pack (take 6 bytes)
    later i = S.drop i input
    endedBy other d = pushEndOfInput (if S.null other then d else pushChunk d other)
    expect bs = ofLazy g [bs]
    states = zip [0 ..] (scanl pushChunk (runGetIncremental g) (map S.singleton (S.unpack input)))

-- A decoder that is kept decodes each value anew, whether it comes in one chunk or byte by byte.
forEachValue :: Action -> [Word8] -> Property
forEachValue a bytes =
  conjoin
    [ counterexample (show i) $ fed [bs] === ofLazy g [bs] .&&. fed (bytesOf bs) === ofLazy g [bs]
      | (i, bs) <- zip [0 :: Int ..] (S.tails input)
    ]
  where
    fed = ofDecoder . pushEndOfInput . foldl pushChunk kept
    bytesOf = map S.singleton . S.unpack
    g = runAction a
    kept = runGetIncremental g
    input = S.pack (take 12 bytes)

-- Values and failures that end at the end of a long chunk, before it and after it. The bytes that a
-- run has passed are let go in pieces of half a kilobyte.
kilobytes :: Assertion
kilobytes = forM_ [1020 .. 1028] $ \end -> do
  let value = getWord8 *> getByteString (end - 1)
      decoders =
        [value, value <* isEmpty, value <* endOfInput, value <* getWord64be, value *> empty]
      input = S.pack (map fromIntegral [0 .. 1030 :: Int])
  forM_ (zip [0 :: Int ..] decoders) $ \(i, g) ->
    forM_ [1, 700, 1019, 1020, 1022, 1023, 1024, 1025, 1026, 1029] $ \n -> do
      let cut k = [S.take k input, S.take (n - k) (S.drop k input), S.drop n input]
      forM_ [cut 0, cut (n `div` 2), cut (n - 1)] $ \chunks ->
        (end, i, n, ofLazy g (filter (not . S.null) chunks))
          @?= (end, i, n, ofLazy g [input])

asSoonAsItCan :: Assertion
asSoonAsItCan = do
  steps (pure 'x') 0
  steps getWord8 1
  steps (replicateM 3 getWord8) 3
  steps (getByteString 5) 5
  steps (skip 6) 6
  steps (lookAhead (getByteString 4) *> getWord8) 4
  steps ((getWord8 *> empty) <|> getWord8) 1
  steps (isolate 2 (getWord8 *> getWord8 <* endOfInput)) 2
  steps (isolate 2 (many getWord8)) 2
  steps (getWord8 *> fail "at once" :: Get ()) 1
  steps isEmpty 1
  steps (match (getWord8 *> getWord8)) 2
  steps (notFollowedBy (getWord8 *> getWord8)) 2
  steps ((getWord16be *> empty) <|> (getWord8 *> fail "no more")) 2
  -- A budget that is used up without input.
  steps (endless :: Get ()) 0
  where
    endless = deeper endless
    -- The decoder ends after n bytes, fed one by one.
    steps :: Get a -> Int -> Assertion
    steps g n = do
      let ds = scanl pushChunk (runGetIncremental g) (replicate 10 "a")
      length (takeWhile isPartial ds) @?= n
      fs <- newFeed g >>= \f -> feeds f (0 :: Int)
      fs @?= n
    isPartial d = case d of
      Partial _ -> True
      _ -> False
    feeds f n = case f of
      FeedPartial _ -> feed f "a" >>= \f' -> feeds f' (n + 1)
      _ -> pure n

longHistory :: Assertion
longHistory = do
  let chunk = S.replicate 1048576 0
      states = iterate (`pushChunk` chunk) (runGetIncremental (skip (70 * 1048576)))
      end d = ofDecoder (foldl pushChunk d (replicate 70 chunk))
      most = Just (Right (), "", 70 * 1048576)
      without (r, bs, n) = (r, S.length bs, n)
  (without <$> ofDecoder (states !! 70)) @?= (without <$> most)
  -- Its history is short enough.
  fmap without (end (states !! 60)) @?= Just (Right (), 60 * 1048576, 70 * 1048576)
  used <- try (evaluate (states !! 66 `pushChunk` S.replicate 1048576 1))
  case used of
    Left (ErrorCall e) ->
      e
        @?= "Ashlar.Get: a Partial was used for the second time, after more than 64 MiB of input"
    Right _ -> assertFailure "a second use"
  -- The chunk that it begins with counts, too.
  case Cereal.runGetPartial (Cereal.skip (80 * 1048576)) (S.replicate (65 * 1048576) 0) of
    Cereal.Partial resume -> do
      case resume (S.replicate (15 * 1048576) 0) of
        Cereal.Done () _ -> pure ()
        _ -> assertFailure "not done"
      second <- try (evaluate (resume (S.replicate (15 * 1048576) 1)))
      either (\(ErrorCall _) -> pure ()) (\_ -> assertFailure "a second use after all") second
    _ -> assertFailure "not partial"

oddChunks :: Assertion
oddChunks = do
  let d = runGetIncremental getWord8
  ofDecoder (d `pushChunk` "" `pushChunk` "" `pushChunk` "a" `pushChunk` "b" `pushChunk` "c")
    @?= Just (Right 97, "bc", 1)
  ofDecoder (pushEndOfInput (pushEndOfInput d)) @?= Just (failing 0 (MissingInput 1 0), "", 0)
  ofDecoder (pushEndOfInput d `pushChunk` "x") @?= Just (failing 0 (MissingInput 1 0), "x", 0)
  f <- newFeed getWord8
  f1 <- feed f ""
  -- An empty chunk did not resume it.
  f2 <- feed f "a"
  ofFeed f2 @?= Just (Right 97, "", 1)
  f3 <- feed f2 "b"
  ofFeed f3 @?= Just (Right 97, "b", 1)
  r <- try (feed f1 "a")
  either (\e -> const (pure ()) (e :: IOException)) (const (assertFailure "resumed twice")) r
  f4 <- feedEndOfInput f3
  ofFeed f4 @?= Just (Right 97, "b", 1)

lazyChunks :: Assertion
lazyChunks = do
  let chunks = L.fromChunks ["a", throw (userError "forced")]
  case runGetIncremental (getWord8 *> getWord8 *> getWord8) `pushChunks` L.take 1 chunks of
    Partial _ -> pure ()
    _ -> assertFailure "not partial"
  -- A value of the decoder is not forced.
  case runGetIncremental
    ( const (0 :: Int)
        <$> fmap (\_ -> throw (userError "value") :: Int) getWord8
    )
    `pushChunk` "a" of
    Done _ _ n -> n @?= 0
    _ -> assertFailure "not done"

usedTwice :: Assertion
usedTwice = do
  f <- newFeed getter
  f1 <- feed f "abc"
  second <- try (feed f "abc")
  either
    (\e -> assertBool (show e) ("Ashlar.Get.Feed" `S.isInfixOf` message e))
    (const (assertFailure "resumed twice"))
    second
  -- The second one did not harm the first.
  _ <- feed f1 "d"
  pure ()
  where
    message e = S.pack (map (fromIntegral . fromEnum) (show (e :: IOException)))

-- 600 MiB, under the suite's heap limit.
constantMemory :: Assertion
constantMemory = do
  let anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}
  f <- newFeed (anyBytes (length <$> many ((getWord8 *> fail "no") <|> skip 65536)))
  f' <- foldM (\s i -> feed s (S.replicate 1048576 (fromIntegral i))) f [1 .. 600 :: Int]
  end <- feedEndOfInput f'
  ofFeed end @?= Just (Right (600 * 16), "", 600 * 1048576)

-- Count the elements that are decoded inside of alternatives, with one chunk for each element.
runOnce :: Assertion
runOnce = do
  let n = 2000
      counted :: Get Int
      counted = runGetST $ do
        count <- newMutVar 0
        _ <-
          (replicateM_ n (liftGet getWord8 >> modifyMutVar' count (+ 1)) >> empty)
            <|> many (liftGet (skip 1) >> modifyMutVar' count (+ 1))
        readMutVar count
  f <- newFeed counted >>= \f -> foldM (\s _ -> feed s "a") f [1 .. n]
  end <- feedEndOfInput f
  ofFeed end @?= Just (Right (2 * n), "", fromIntegral n)

valueThrows :: Assertion
valueThrows = do
  let g = (getWord8 >>= \w -> if w == 97 then throw (userError "value") else pure w) <|> pure 0
      expectValue r =
        either
          (\e -> show (e :: IOException) @?= "user error (value)")
          (const (assertFailure "no exception"))
          =<< try r
  expectValue (newFeed g >>= \f -> void (feed f "a"))
  case runGetIncremental g of
    Partial k -> do
      expectValue (void (outcome (k (Just "a"))))
      -- The same again, and then with another byte.
      expectValue (void (outcome (k (Just "a"))))
      outcome (k (Just "b")) >>= (@?= Just (Right 98, "", 1))
    _ -> assertFailure "not partial"

-- * In unusual contexts

numbers :: S.ByteString
numbers = toStrictByteString (foldMap int64LE [1 .. 1000])

-- It is suspended inside of a choice, of 'many' and of 'lookAhead', and outside of all of them.
getter :: Get Int64
getter =
  (+)
    <$> ((replicateM_ 700 getInt64le *> empty) <|> sums 0)
      <*> (lookAhead (sum <$> many getInt64le) <* skip 4000)
  where
    sums n
      | n == (500 :: Int) = pure 0
      | otherwise = (+) <$> getInt64le <*> sums (n + 1)

expected :: Maybe (Outcome Int64)
expected = Just (Right (sum [1 .. 1000]), "", 8000)

-- The decoder after n numbers, in chunks of 13 bytes.
pushed :: Int -> Decoder Int64
pushed n = foldl pushChunk (runGetIncremental getter) (chunksOf 13 (S.take (8 * n) numbers))

-- Feeds the 500 numbers left.
finished :: Decoder Int64 -> Decoder Int64
finished d = pushEndOfInput (foldl pushChunk d (chunksOf 13 (S.drop 4000 numbers)))

chunksOf :: Int -> S.ByteString -> [S.ByteString]
chunksOf n = takeWhile (not . S.null) . map (S.take n) . iterate (S.drop n)

outcome :: Decoder a -> IO (Maybe (Outcome a))
outcome d = ofDecoder <$> evaluate d

fedAll :: Feed Int64 -> IO (Maybe (Outcome Int64))
fedAll f = ofFeed <$> (foldM feed f (chunksOf 13 numbers) >>= feedEndOfInput)

twiceInVector :: Assertion
twiceInVector = do
  let filled :: Get (U.Vector Int64)
      filled = runGetST $ do
        v <- UM.new 100
        forM_ [0 .. 99] $ \i -> liftGet getInt64le >>= UM.write v i
        U.unsafeFreeze v
      half = foldl pushChunk (runGetIncremental filled) (chunksOf 13 (S.take 403 numbers))
      with bs d = ofDecoder (foldl pushChunk d (chunksOf 13 bs))
      zeros = S.replicate 397 0
      result bs = Just (runGet filled bs, "", 800)
  first <- evaluate (with (S.take 397 (S.drop 403 numbers)) half)
  second <- evaluate (with zeros half)
  -- The second run did not write into the vector of the first.
  first @?= result (S.take 800 numbers)
  second @?= result (S.take 403 numbers <> zeros)
  with zeros half @?= result (S.take 403 numbers <> zeros)

manyThreads :: Assertion
manyThreads = forM_ [1 .. 20 :: Int] $ \round' -> do
  d <- evaluate (pushed 500)
  begin <- newEmptyMVar
  results <- forM [0 .. 3 :: Int] $ \i -> do
    done <- newEmptyMVar
    _ <- forkIO $ do
      readMVar begin
      let bs = toStrictByteString (foldMap int64LE [fromIntegral (i * 1000 + k) | k <- [1 .. 500]])
      r <- try (outcome (pushEndOfInput (foldl pushChunk d (chunksOf (10 + round') bs))))
      putMVar done r
    pure done
  putMVar begin ()
  sums <- mapM takeMVar results
  forM_ (zip [0 ..] sums) $ \(i, r) ->
    either
      (\e -> assertFailure (show (e :: SomeException)))
      (@?= Just (Right (sum [1 .. 500] + sum [i * 1000 + k | k <- [1 .. 500]]), "", 8000))
      r

underAtomically :: Assertion
underAtomically = do
  d <- evaluate (pushed 500)
  var <- newTVarIO (0 :: Int)
  r <- atomically $ do
    modifyTVar' var (+ 1)
    case ofDecoder (finished d) of
      Just o -> pure (Just o)
      Nothing -> retry
  r @?= expected
  r' <- atomically (readTVar var >>= \n -> n `seq` pure (ofDecoder (finished (pushed 500))))
  r' @?= expected

inBound :: Assertion
inBound = do
  d <- evaluate (pushed 500)
  done <- newEmptyMVar
  _ <- forkOS (outcome (finished d) >>= putMVar done)
  takeMVar done >>= (@?= expected)
  outcome (finished d) >>= (@?= expected)

-- A decoder runs inside of a value of another. Both wait for input.
nested :: Assertion
nested = do
  let outer :: Decoder Int64 -> Get Int64
      outer d = do
        bs <- getByteString 100
        case pushChunk d bs of
          Done _ _ n -> pure n
          Fail _ _ e -> fail (displayException e)
          d' -> isEmpty >>= \end -> if end then endOf (pushEndOfInput d') else outer d' <|> empty
      endOf d = case d of
        Done _ _ n -> pure n
        _ -> fail "no end"
  let r =
        pushEndOfInput
          ( foldl
              pushChunk
              (runGetIncremental (outer (runGetIncremental getter)))
              (chunksOf 17 numbers)
          )
  outcome r >>= (@?= expected)

-- Timeouts interrupt the resumed decoder at any point. A state that is forced again is the right
-- one.
interrupted :: Assertion
interrupted = do
  let long = toStrictByteString (foldMap int64LE [1 .. 100000])
      g = sum <$> many (getInt64le <|> empty) <|> pure 0
      states = scanl pushChunk (runGetIncremental g) (chunksOf 4001 long)
      persist limit x = timeout limit (evaluate x) >>= maybe (persist (limit * 2) x) pure
  mapM_ (persist 1) states
  r <- persist 1 (pushEndOfInput (last states))
  ofDecoder r @?= Just (Right (sum [1 .. 100000]), "", 800000)

-- Threads that force the same state are killed one after the other. Then several resume it at once.
killedAndResumed :: Assertion
killedAndResumed = forM_ [1 .. 10 :: Int] $ \i -> do
  let long = toStrictByteString (foldMap int64LE [1 .. 20000])
      g = (replicateM_ 1000000 getWord8 *> empty) <|> (sum <$> many getInt64le)
      -- One chunk, which keeps the decoder busy.
      d = pushEndOfInput (runGetIncremental g `pushChunk` long)
  forM_ [1 .. 5 :: Int] $ \k -> do
    done <- newEmptyMVar
    t <- forkFinally (evaluate d) (\_ -> putMVar done ())
    threadDelay (20 * i * k)
    killThread t
    takeMVar done
  results <- forM [1 .. 4 :: Int] $ \_ -> do
    done <- newEmptyMVar
    _ <- forkIO (try (outcome d) >>= putMVar done)
    pure done
  rs <- mapM takeMVar results
  forM_ rs $
    either
      (\e -> assertFailure (show (e :: SomeException)))
      (@?= Just (Right (sum [1 .. 20000]), "", 160000))
