{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Get
-- Description : Decoders against a model, on every split of their input
module Tests.Get (tests) where

import Ashlar.Builder (int64LE, toStrictByteString, word8)
import Ashlar.Codec (decodeLazy, encode)
import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Ashlar.Get.ST
import Control.Applicative
import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.Bifunctor (first)
import qualified Data.ByteString as S
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import Data.Either (isRight)
import Data.IORef
import Data.Int (Int64)
import Data.List (isInfixOf)
import Data.Primitive.MutVar
import qualified Data.Text as T
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as UM
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label, total)
import Tests.Actions
import Tests.Failures
import Tests.Model
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "Get"
    [ testProperty
        "random decoders against the model, on every split (INV-G1, G2, G3)"
        againstModel,
      testProperty "laws of Functor, Applicative, Monad, Alternative" laws,
      testCase "fmap and <*> do not force" lazyInValues,
      testCase "a value's exception is not a decode error" valueException,
      testCase "a decode inside a value inside a decoder" nestedRuns,
      testCase "a decoder in a nested run is run once" nestedOnce,
      testCase "decoders that look at the errors of others" looking,
      testCase "labels are not forced unless there is an error" labelsLazy,
      testCase "maxBound bytes and the like are missing" hugeNumbers,
      testCase "100,000 nested alternatives" deepAlternatives,
      testCase "many on a long input" manyLong,
      testCase "back to the start of long chunks" longChunks,
      testCase "back from a limit, and on to the end" backFromLimit,
      testCase "getByteString is a slice" slices,
      testCase "GetST fills a vector" fillVector,
      testCase "GetST: alternatives do not undo writes" writesStay,
      testCase "GetST: labels, isolate, lookAhead" aroundST,
      testCase "runGetRest" rest,
      testCase "an interrupted decode can be forced again" interrupted
    ]

newtype Input = Input [Word8]
  deriving stock (Show)

instance Arbitrary Input where
  arbitrary = choose (0, 14) >>= \n -> Input <$> vectorOf n arbitrary
  shrink (Input ws) = map Input (shrink ws)

-- A chunk that has been read to its end is let go of, unless a choice needs it.
longChunks :: Assertion
longChunks = forM_ [511, 512, 513, 600, 5000] $ \n -> do
  let chunks = [S.replicate n w | w <- [1 .. 4]]
      input = L.fromChunks chunks
      p = replicateM_ 3 (getByteString n) *> empty <|> getByteString (3 * n)
  runGetLazy p input @?= Right (S.concat (take 3 chunks))
  runGetLazy (getByteString n *> lookAhead (skip n *> getWord8)) input @?= Right 3
  runGetLazy (getByteString n *> lookAhead (skip n *> getWord8) *> getWord8) input @?= Right 2

-- The input ends after one byte only for the alternative that has failed.
backFromLimit :: Assertion
backFromLimit = do
  r <- timeout 120000000 $ do
    let p = isolate 1 (getWord8 *> empty) <|> P.takeWhile (< 3)
    runGet p "\1\2\2\3" @?= Right "\1\2\2"
    runGetLazy p (L.fromChunks ["\1\2", "\2\3"]) @?= Right "\1\2\2"
  r @?= Just ()

againstModel :: Action -> Input -> Property
againstModel a (Input ws) = checkShares expected (onEverySplit (runAction a) (S.pack ws) expected)
  where
    expected = modelAction ws a

laws :: Action -> Action -> Action -> Input -> Property
laws p q r (Input ws) =
  conjoin
    [ same (fmap id x) x,
      same (fmap (reverse . drop 1) x) (fmap reverse (fmap (drop 1) x)),
      same (pure id <*> x) x,
      same (pure (.) <*> (f <$> x) <*> (f <$> y) <*> z) ((f <$> x) <*> ((f <$> y) <*> z)),
      same (return [] >>= const x) x,
      same (x >>= return) x,
      same ((x >>= k) >>= const z) (x >>= \a -> k a >>= const z),
      same (x *> y) (x >>= const y),
      same (x <* y) (x >>= \a -> a <$ y),
      same (empty <|> x) x,
      same (x <|> empty) x,
      same ((x <|> y) <|> z) (x <|> (y <|> z)),
      same ((commit *> x) <|> y) (commit *> x),
      same (((commit *> x) <|> y) <|> z) (commit *> x),
      same (attempt (commit *> x) <|> y) (attempt x <|> y),
      same (x <> y) ((<>) <$> x <*> y),
      same (mempty <> x) x
    ]
  where
    (x, y, z) = (runAction p, runAction q, runAction r)
    f = (++)
    k a = (a ++) <$> y
    bs = S.pack ws
    same a b = runGet a bs === runGet b bs

lazyInValues :: Assertion
lazyInValues = do
  right (runGet (const 1 <$> fmap boom getWord8) "a") 1
  right (runGet (fst <$> ((,) <$> getWord8 <*> (boom <$> getWord8))) "ab") 97
  right (runGet (2 <$ (boom <$> getWord8)) "a") 2
  where
    boom :: Word8 -> Word8
    boom _ = throw (userError "forced")
    right :: Either DecodeError Word8 -> Word8 -> Assertion
    right e w = e @?= Right w

valueException :: Assertion
valueException = do
  let ran bs =
        try
          ( evaluate
              ( runGet
                  ( (getWord8 >>= \w -> if w == 97 then throw (userError "value") else pure w)
                      <|> pure 0
                  )
                  bs
              )
          )
  ran "a"
    >>= either
      (\e -> show (e :: IOException) @?= "user error (value)")
      (\r -> assertFailure (show r))
  r <- try (evaluate (runGetLazy (throw (userError "value") :: Get Word8) "a"))
  either (\e -> show (e :: IOException) @?= "user error (value)") (\x -> assertFailure (show x)) r
  -- Exceptions of the input's chunks.
  lazy <-
    try
      ( evaluate
          ( runGetLazy
              (getWord8 *> getWord8 <|> pure 0)
              (L.fromChunks ["a", throw (userError "chunk")])
          )
      )
  either
    (\e -> show (e :: IOException) @?= "user error (chunk)")
    (\x -> assertFailure (show x))
    lazy

nestedRuns :: Assertion
nestedRuns = runGet outer "ab" @?= Right (Left (failure 0 [] (MissingInput 8 1) [] "a"), 98)
  where
    outer = do
      bs <- getByteString 1
      -- The inner failure is the inner run's result and nothing else.
      let inner = runGet getInt64le bs
      w <- (if inner == Right 0 then empty else getWord8) <|> pure 0
      pure (inner, w)

-- Each level decodes the rest of its input, and ends as that did. Then it looks whether its own
-- input ends. If a level ran what is inside of it twice, the time would double at each level.
nestedOnce :: Assertion
nestedOnce = forM_ ((,) <$> ways <*> [False, True]) $ \((way, run), succeeds) -> do
  runs <- newIORef (0 :: Int)
  let level = (getWord8 >>= next) <* endOfInput
      next w = if w == 0 then innermost w else getRemaining >>= inner
      innermost w = if counted runs w == 0 && not succeeds then empty else pure ()
      inner bs = either fail pure (run level bs)
      input = S.replicate 20 1 <> S.singleton 0
  (way, either (const False) (const True) (run level input)) @?= (way, succeeds)
  n <- readIORef runs
  (way, n) @?= (way, 1)
  where
    ways =
      [ ("strict", \g -> first show . runGet g),
        ("one chunk", flip (inLazy . L.fromStrict)),
        ("one chunk, with a thunk after it", flip (inLazy . L.fromChunks . pure)),
        ("two chunks", flip (inLazy . inTwo)),
        ("pushed", \g bs -> ofDecoder (pushEndOfInput (runGetIncremental g `pushChunk` bs)))
      ] ::
        [(String, Get () -> S.ByteString -> Either String ())]
    inTwo bs = L.fromChunks (filter (not . S.null) [S.take 2 bs, S.drop 2 bs])
    inLazy lbs g = first (\(_, _, e) -> show e) (() <$ runGetOrFail g lbs)
    getRemaining = L.toStrict <$> getRemainingLazyByteString
    ofDecoder d = case d of
      Done {} -> Right ()
      Fail _ _ e -> Left (show e)
      Partial _ -> Left "it waits after the end"

-- Each level inspects the message of the next one. The innermost decoder runs at most once for each
-- level. (It ran a million times.) Each level runs 100 others besides, which must not use up what a
-- second run allows within it.
looking :: Assertion
looking = forM_ ways $ \(way, run) -> do
  runs <- newIORef (0 :: Int)
  let level = getWord8 >>= next
      next w = if w == 0 then innermost w else getRemaining >>= inner
      innermost w = if counted runs w == 0 then fail "bad leaf" else pure ()
      others bs = all (isRight . runGet getWord8) (replicate 100 bs)
      inner bs = case run level bs of
        _ | not (others bs) -> fail "others"
        Left e | "bytes needed" `isInfixOf` e -> fail "truncated"
        Left _ -> fail "bad leaf"
        Right () -> pure ()
      getRemaining = L.toStrict <$> getRemainingLazyByteString
      input = S.replicate 20 1 <> S.singleton 0
  fmap ("bad leaf" `isInfixOf`) (swapped (run level input)) @?= Right True
  n <- readIORef runs
  assertBool (way ++ ": " ++ show n) (n <= 22)
  where
    ways =
      [ ("strict", \g -> first displayException . runGet g),
        ("one chunk", \g -> inLazy g . L.fromStrict),
        ("two chunks", \g bs -> inLazy g (L.fromChunks [S.take 2 bs, S.drop 2 bs]))
      ] ::
        [(String, Get () -> S.ByteString -> Either String ())]
    inLazy g lbs = first (\(_, _, e) -> displayException e) (() <$ runGetOrFail g lbs)
    swapped = either Right Left

counted :: IORef Int -> Word8 -> Word8
counted runs w = unsafePerformIO (w <$ modifyIORef' runs (+ 1))
{-# NOINLINE counted #-}

labelsLazy :: Assertion
labelsLazy = runGet (label (error "forced") getWord8) "a" @?= Right 97

hugeNumbers :: Assertion
hugeNumbers = forM_ [maxBound, maxBound - 1, maxBound `div` 2 + 1] $ \n -> do
  missing n (() <$ getByteString n)
  missing n (skip n)
  missing n (() <$ getLazyByteString (fromIntegral n))
  missing 9 (isolate n (() <$ getByteString 9))
  missing n (isolate n (skip n))
  missing n (isolate 8 (skip n))
  where
    missing n g = do
      brief (runGet (getWord8 *> g) "abcd") @?= Left (1, [], MissingInput n 3)
      brief (runGetLazy (anyBytes (getWord8 *> g)) (L.fromChunks ["a", "b", "cd"]))
        @?= Left (1, [], MissingInput n 3)
    anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}

deepAlternatives :: Assertion
deepAlternatives =
  runGet (foldr (\_ g -> (getWord8 *> empty) <|> g) (pure 'x') [1 .. 100000 :: Int]) "a"
    @?= Right 'x'

manyLong :: Assertion
manyLong = do
  let bs = toStrictByteString (foldMap int64LE [1 .. 100000] <> word8 1)
      chunks = takeWhile (not . S.null) (map (S.take 1000) (iterate (S.drop 1000) bs))
      total = sum [1 .. 100000]
  (sum <$> runGet (many getInt64le <* getWord8) bs) @?= Right total
  (sum <$> runGetLazy (many getInt64le <* getWord8) (L.fromChunks chunks)) @?= Right total
  (length <$> runGet (many (getWord8 <|> empty)) bs) @?= Right (S.length bs)

slices :: Assertion
slices = do
  let bs = S.pack [0 .. 200]
      address (fp, offset, _) = unsafeForeignPtrToPtr fp `plusPtr` offset
      from g = either (assertFailure . show) (pure . address . B.toForeignPtr) (runGet g bs)
  start <- from (getByteString 201)
  inside <- from (skip 10 *> getByteString 100)
  inside `minusPtr` start @?= 10

fillVector :: Assertion
fillVector = do
  let bs = toStrictByteString (foldMap int64LE [0 .. 99])
      filled :: Get (U.Vector Int64)
      filled = runGetST $ do
        v <- UM.new 100
        forM_ [0 .. 99] $ \i -> liftGet getInt64le >>= UM.write v (99 - i)
        U.unsafeFreeze v
      expected = Right (U.enumFromStepN 99 (-1) 100)
  runGet filled bs @?= expected
  runGetLazy filled (L.fromChunks (map S.singleton (S.unpack bs))) @?= expected
  -- Each run of a GetST has a state of its own.
  runGet ((,) <$> lookAhead filled <*> filled) bs @?= ((,) <$> expected <*> expected)

writesStay :: Assertion
writesStay = runGet g "a" @?= Right (1, 97)
  where
    g :: Get (Int, Word8)
    g = runGetST $ do
      ref <- newMutVar 0
      w <- (writeMutVar ref 1 *> liftGet getWord8 *> liftGet getWord8) <|> liftGet getWord8
      n <- readMutVar ref
      pure (n, w)

aroundST :: Assertion
aroundST = do
  run (labelST "x" (liftGet getInt64le)) "ab" @?= Left (failure 0 ["x"] (MissingInput 8 2) [] "ab")
  run (isolateST 1 (liftGet getWord8) >> liftGet getWord8) "ab" @?= Right 98
  run (isolateST 1 (liftGet (skip 2)) >> pure (0 :: Int)) "ab" @?= failing 0 (MissingInput 2 1)
  run (lookAheadST (liftGet getWord8) >> liftGet getWord8) "ab" @?= Right 97
  where
    run :: (forall s. GetST s a) -> S.ByteString -> Either DecodeError a
    run g = runGet (runGetST g)

rest :: Assertion
rest = do
  runGetRest getWord8 "abc" @?= Right (97, "bc")
  runGetRest (lookAhead getWord8) "abc" @?= Right (97, "abc")
  runGetRest (skip 4) "abc" @?= failing 0 (MissingInput 4 3)

-- Timeouts interrupt the decoder again and again, also inside of alternatives. In the end the
-- result is the right one.
interrupted :: Assertion
interrupted = do
  let bs = toStrictByteString (foldMap int64LE [1 .. 200000])
      chunked = L.fromChunks (takeWhile (not . S.null) (map (S.take 999) (iterate (S.drop 999) bs)))
      getter = sum <$> many (getInt64le <|> empty)
      expected = Right (sum [1 .. 200000])
      persist limit x = timeout limit (evaluate x) >>= maybe (persist (limit * 2) x) pure
  r <- persist 10 (runGet getter bs)
  r @?= expected
  l <- persist 10 (runGetLazy getter chunked)
  l @?= expected
  -- In the middle of a text, which the package text decodes.
  let long = T.replicate 300000 (T.pack "a\228\8364")
      encoded = L.fromStrict (encode [long, long])
  texts <- persist 10 (decodeLazy encoded :: Either DecodeError [T.Text])
  texts == Right [long, long] @? "another text"
  -- The first thread is killed in the middle. Another one forces the value.
  let shared = runGetLazy getter chunked
  t <- forkIO (void (evaluate shared))
  threadDelay 2000
  killThread t
  shared @?= expected
