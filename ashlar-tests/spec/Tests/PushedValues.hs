{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.PushedValues
-- Description : Many values from input that is pushed
--
-- The model decodes each value by a strict run on all of the input.
module Tests.PushedValues (tests) where

import Ashlar.Get
import Ashlar.Get.Combinators (skipCount)
import Ashlar.Get.Feed
import Control.Applicative (empty, many, (<|>))
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import Data.IORef
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word16, Word32, Word8)
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
    "pushed values"
    [ testProperty "the values, the end and the rest of the model, in any chunks" asTheModel,
      testProperty "after each chunk, all whole values and the bytes of the next" afterEachChunk,
      testProperty "any state can be used again, with other input" usedAgain,
      testProperty "pulled in another monad" pulled,
      testProperty "a pull that throws loses nothing" pullThrows,
      testCase "a value that reads nothing" readsNothing,
      testCase "empty chunks, and chunks after the end" oddChunks,
      testCase "each value has a budget of its own" budgetOfEach,
      testCase "a commit is for one value" commitOfOne,
      testCase "an error tells of one value" errorOfOne,
      testCase "values within looked-ahead input" lookedAhead,
      testCase "600 MB of pushed values take constant memory" constantMemory,
      testCase "a state between two values keeps no chunk" keepsNothing,
      testCase "one value in many chunks" manyChunks,
      testCase "an exception of the decoder" decoderThrows,
      testCase "an exception of the fold" foldThrows,
      testCase "interrupted again and again" interrupted,
      testCase "killed, and resumed by several threads" killedAndResumed,
      testCase "under mask, and under atomically" inContexts
    ]

-- How the values of a stream end: what is left, its offset, and the error.
type End = (S.ByteString, Int64, Maybe DecodeError)

-- What has been handed out, and the state.
type Pushed a = ([a], Values a)

endOf :: Values a -> Maybe End
endOf state = case state of
  ValuesFail rest at e -> Just (rest, at, Just e)
  ValuesDone at -> Just ("", at, Nothing)
  ValuesPartial {} -> Nothing

ended :: Pushed a -> ([a], Maybe End)
ended = fmap endOf

model :: Get a -> S.ByteString -> ([a], Maybe End)
model g input = go [] 0
  where
    go acc at = case runGet (skip at *> ((,) <$> nextOrEnd g <*> bytesRead)) input of
      Left e -> (reverse acc, Just (S.drop at input, fromIntegral at, Just e))
      Right (Nothing, _) -> (reverse acc, Just ("", fromIntegral at, Nothing))
      Right (Just a, next) -> go (a : acc) (fromIntegral next)

pushAll :: Values a -> [S.ByteString] -> Pushed a
pushAll start = List.foldl' push ([], start)

push :: Pushed a -> S.ByteString -> Pushed a
push (as, state) bs = let (more, next) = feedValues state bs in (as ++ more, next)

pushEnd :: Pushed a -> Pushed a
pushEnd (as, state) = let (more, next) = feedValuesEnd state in (as ++ more, next)

asTheModel :: Action -> [Word8] -> Property
asTheModel a bytes =
  conjoin
    [ counterexample (show (map S.length chunks)) (ended (pushEnd (pushAll start chunks)) === whole)
      | chunks <- map (concatMap (\bs -> ["", bs, ""])) (take 1 cuts) ++ cuts
    ]
  where
    input = S.pack (take 7 bytes)
    cuts = splits input
    start = runGetValues (runAction a)
    whole = model (runAction a) input

-- The decoder need not look ahead, so that what is whole does not depend on what comes.
afterEachChunk :: [Word8] -> [Int] -> Property
afterEachChunk bytes cuts = conjoin (zipWith holds [0 ..] states)
  where
    g = getWord8 >>= \n -> getByteString (fromIntegral (n `mod` 5))
    input = S.pack bytes
    chunks = cut (map (`mod` 4) cuts) input
    cut (n : more) bs | not (S.null bs) = S.take n bs : cut more (S.drop n bs)
    cut _ bs = [bs]
    states = scanl push ([], runGetValues g) chunks
    holds i (as, state) = case (model g before, state) of
      ((bs, Just (rest, at, _)), ValuesPartial left offset _) ->
        (as, left, offset) === (bs, rest, at)
      _ -> counterexample "not partial" False
      where
        before = S.concat (take i chunks)

usedAgain :: Action -> [Word8] -> [Word8] -> Property
usedAgain a bytes others =
  conjoin
    [ ended (pushEnd (push state other)) === model g (S.take i input <> other)
      | (i, state) <- states,
        other <- [S.drop i input, S.pack others, ""]
    ]
    .&&. ended (pushEnd (last inTurn)) === model g input
  where
    g = runAction a
    input = S.pack (take 6 bytes)
    inTurn = scanl push ([], runGetValues g) (map S.singleton (S.unpack input))
    -- A state that has failed ignores what comes.
    states = zip [0 ..] (takeWhile (null . endOf . snd) inTurn)

-- What is left to pull, and what the fold has seen.
newtype Script a = Script {runScript :: Now -> (a, Now)}

type Now = ([S.ByteString], [Word16])

instance Functor Script where
  fmap = liftM

instance Applicative Script where
  pure a = Script (\s -> (a, s))
  (<*>) = ap

instance Monad Script where
  m >>= k = Script (\s -> let (a, s') = runScript m s in runScript (k a) s')

pulled :: [[Word8]] -> Property
pulled chunks =
  (total, endOf state, seen) === (sum (map fromIntegral as), end, as) .&&. left === drop 1 behind
  where
    (taken, behind) = break S.null (map S.pack chunks ++ [""])
    (as, end) = model getWord16be (S.concat taken)
    next = Script (\(bss, ws) -> (mconcat (take 1 bss), (drop 1 bss, ws)))
    see n w = Script (\(bss, ws) -> (n + fromIntegral w, (bss, ws ++ [w])))
    fold = foldValues next see (0 :: Int) (runGetValues getWord16be)
    ((total, state), (left, seen)) = runScript fold (taken ++ behind, [])

-- Each pull throws first.
pullThrows :: [Word8] -> Property
pullThrows bytes = ioProperty $ do
  coming <- newIORef (map S.singleton (S.unpack input))
  failing' <- newIORef False
  let next = do
        now <- atomicModifyIORef' failing' (\f -> (not f, f))
        if now
          then atomicModifyIORef' coming (\l -> (drop 1 l, mconcat (take 1 l)))
          else throwIO (userError "not now")
      go acc state = case endOf state of
        Just end -> pure (acc, Just end)
        Nothing -> do
          r <- try (pullValues next state)
          case r of
            Left e -> (e :: IOException) `seq` go acc state
            Right (as, later) -> go (acc ++ as) later
  got <- go [] (runGetValues getWord16be)
  pure (got === model getWord16be input)
  where
    input = S.pack bytes

readsNothing :: Assertion
readsNothing = do
  alike (pure 'x') ["abc"]
  alike (pure 'x') []
  alike (lookAhead getWord8) ["a", "bc"]
  alike (length <$> many (getWord8 *> empty :: Get ())) ["abc"]
  -- After a value.
  alike (many (getWord8 >>= \w -> if w == 97 then pure w else empty)) ["aa", "ab", "c"]

-- The model says the same of these chunks.
alike :: (Eq a, Show a) => Get a -> [S.ByteString] -> Assertion
alike g chunks = ended (pushEnd (pushAll (runGetValues g) chunks)) @?= model g (S.concat chunks)

oddChunks :: Assertion
oddChunks = do
  let start = runGetValues getWord16be
  ended (pushEnd (pushAll start ["", "\0", "", "\1", ""])) @?= ([1], Just ("", 2, Nothing))
  let done = pushEnd (push ([], start) "\0\1")
  ended (pushEnd done) @?= ([1], Just ("", 2, Nothing))
  ended (push done "\0\2") @?= ([1], Just ("", 2, Nothing))
  let cut = pushEnd (push ([], start) "\0\1\2")
      missing = either Just (const Nothing) (failing 2 (MissingInput 2 1)) :: Maybe DecodeError
      withFound = fmap (\e -> e {errorFound = "\2"}) missing
  ended (pushEnd cut) @?= ([1], Just ("\2", 2, withFound))
  ended (push cut "\3\4") @?= ([1], Just ("\2\3\4", 2, withFound))

budgetOfEach :: Assertion
budgetOfEach = do
  let halfOf = nothing 600000 *> getWord8
  ended (pushEnd (pushAll (runGetValues halfOf) ["ab"])) @?= ([97, 98], Just ("", 2, Nothing))
  alike (nothing 600000 *> halfOf) ["a"]
  where
    nothing n = skipCount n (pure ())

commitOfOne :: Assertion
commitOfOne = forM_ (splits "abcdef") $ \chunks -> do
  alike ((getWord8 *> commit *> getWord8) <|> pure 0) chunks
  alike (getWord8 *> commit *> ((getWord8 *> empty) <|> getWord8)) chunks

-- The first value ends where the second fails. Its own failures there are not in the error.
errorOfOne :: Assertion
errorOfOne = do
  forM_ (splits "abx") (alike g)
  errorExpected <$> (snd (model g "abx") >>= \(_, _, e) -> e) @?= Just ["a"]
  where
    g = (satisfy (== 97) <?> "a") *> many (satisfy (== 98) <?> "b")

-- Each value looks at three bytes and takes one. So values begin before the chunk that came last.
lookedAhead :: Assertion
lookedAhead = do
  let g = lookAhead (getByteString 3) <* skip 1
      input = S.pack [1 .. 30]
  forM_ [1 .. 7] $ \n -> do
    let chunks = takeWhile (not . S.null) (map (S.take n) (iterate (S.drop n) input))
        states = scanl push ([], runGetValues g) chunks
    ended (pushEnd (last states)) @?= model g input
    forM_ (zip [0 ..] states) $ \(i, (as, state)) -> case state of
      ValuesPartial rest at _ -> do
        rest @?= S.drop (length as) (S.take (i * n) input)
        at @?= fromIntegral (length as)
      _ -> assertFailure "not partial"

-- 600 MiB, under the suite's heap limit. Each chunk ends within a value.
constantMemory :: Assertion
constantMemory = do
  let g = (getWord8 *> fail "no") <|> (S.length <$> getByteString 65537)
      next (n, state) i = case feedValues state (S.replicate 1048576 (fromIntegral (i :: Int))) of
        (as, later) -> evaluate (n + sum as) >>= \n' -> n' `seq` pure (n', later)
  (n, state) <- foldM next (0, runGetValues g) [1 .. 600]
  n @?= 65537 * whole
  case state of
    ValuesPartial rest at _ -> do
      S.length rest @?= 600 * 1048576 - n
      at @?= fromIntegral n
    _ -> assertFailure "not partial"
  where
    whole = (600 * 1048576) `div` 65537

-- All the chunks together would exceed the suite's heap limit.
keepsNothing :: Assertion
keepsNothing = do
  states <- forM [1 .. 1200 :: Int] $ \i -> do
    let (as, state) = feedValues (runGetValues (skip 1024)) (S.replicate 1048576 (fromIntegral i))
    length as @?= 1024
    pure state
  forM_ states $ \state -> endOf (snd (feedValuesEnd state)) @?= Just ("", 1048576, Nothing)

-- If each stop cost as much as the chunks before it, this would take minutes.
manyChunks :: Assertion
manyChunks = do
  let n = 50000
      chunk = S.singleton 7
      g = (replicateM_ (n - 1) (skip 1) *> getWord8) <|> getWord8
      go state i
        | i == (0 :: Int) = pure state
        | otherwise = case feedValues state chunk of
          ([], later) -> go later (i - 1)
          _ -> assertFailure "too early"
  state <- go (runGetValues g) (n - 1)
  fst (feedValues state chunk) @?= [7]

decoderThrows :: Assertion
decoderThrows = do
  let g = getWord8 >>= \w -> if w == 120 then throw (userError "value") else pure w
  forM_ [g, (g <* fail "no") <|> g, g <|> pure 0] $ \h -> do
    let state = snd (push ([], runGetValues h) "ab")
        expectValue x = do
          r <- try (evaluate x)
          either
            (\e -> show (e :: IOException) @?= "user error (value)")
            (const (assertFailure "no exception"))
            r
    expectValue (feedValues state "cx")
    -- The same again, and then with other bytes.
    expectValue (feedValues state "cx")
    ended (pushEnd (push ([], state) "cd")) @?= ([99, 100], Just ("", 4, Nothing))

foldThrows :: Assertion
foldThrows = do
  coming <- newIORef ["abc", "def"]
  let next = atomicModifyIORef' coming (\l -> (drop 1 l, mconcat (take 1 l)))
      start = runGetValues getWord8
  r <- try (foldValues next (\_ w -> when (w == 98) (throwIO (userError "fold"))) () start)
  either (\e -> show (e :: IOException) @?= "user error (fold)") (const (assertFailure "none")) r
  -- The state has not changed.
  ended (pushEnd (push ([], start) "xy")) @?= ([120, 121], Just ("", 2, Nothing))
  (n, state) <- foldValues next (\n _ -> pure (n + 1)) (0 :: Int) start
  (n, endOf state) @?= (3, Just ("", 3, Nothing))

numbers :: Int -> S.ByteString
numbers n = S.pack (concatMap (\i -> map (fromIntegral . div i) [1, 256, 65536, 16777216]) [1 .. n])

-- In an alternative, which fails at first.
number :: Get Word32
number = (getWord32le *> empty) <|> getWord32le

-- Timeouts interrupt the loop at any point. A pair that is forced again is the right one.
interrupted :: Assertion
interrupted = do
  let n = 20000
      input = numbers n
      chunks = takeWhile (not . S.null) (map (S.take 4001) (iterate (S.drop 4001) input))
      persist limit x = timeout limit (evaluate x) >>= maybe (persist (limit * 2) x) pure
      forced pair = length (fst pair) `seq` pair
      next (acc, state) bs = do
        let pair = feedValues state bs
        (as, later) <- persist 1 (forced pair)
        -- The same chunk again, from the same state.
        (bs', _) <- evaluate (forced (feedValues state bs))
        bs' @?= as
        pure (as : acc, later)
  (acc, state) <- foldM next ([], runGetValues number) chunks
  concat (reverse acc) @?= map fromIntegral [1 .. n]
  fmap endOf (feedValuesEnd state) @?= ([], Just ("", fromIntegral (4 * n), Nothing))

killedAndResumed :: Assertion
killedAndResumed = forM_ [1 .. 10 :: Int] $ \i -> do
  let n = 5000
      state = snd (feedValues (runGetValues number) (S.take 6 (numbers n)))
      pair = feedValues state (S.drop 6 (numbers n))
  forM_ [1 .. 5 :: Int] $ \k -> do
    done <- newEmptyMVar
    t <- forkFinally (evaluate pair) (\_ -> putMVar done ())
    threadDelay (20 * i * k)
    killThread t
    takeMVar done
  results <- forM [1 .. 4 :: Int] $ \k -> do
    done <- newEmptyMVar
    -- Two of them use the state itself.
    let mine = if even k then pair else feedValues state (S.drop 6 (numbers n))
    _ <- forkIO (try (evaluate (sum (map toInteger (fst mine)))) >>= putMVar done)
    pure done
  rs <- mapM takeMVar results
  forM_ rs $
    either
      (\e -> assertFailure (show (e :: SomeException)))
      (@?= sum [2 .. toInteger n])

inContexts :: Assertion
inContexts = do
  let input = numbers 500
      (first, second) = S.splitAt 1001 input
      state = snd (feedValues (runGetValues number) first)
      expected = ([251 .. 500], Just ("", 2000, Nothing))
      ours = evaluate (ended (pushEnd (feedValues state second)))
  mask_ ours >>= (@?= expected)
  let other = snd (feedValues (runGetValues number) first)
  r <- atomically (pure $! ended (pushEnd (feedValues other second)))
  r @?= expected
  done <- newEmptyMVar
  _ <- forkOS (evaluate (ended (pushEnd (feedValues state second))) >>= putMVar done)
  takeMVar done >>= (@?= expected)
