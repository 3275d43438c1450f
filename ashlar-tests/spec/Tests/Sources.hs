{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Sources
-- Description : Input from Handles and from actions, value by value
module Tests.Sources (tests) where

import Ashlar.Builder
import Ashlar.Get
import Ashlar.Get.Feed
import Control.Applicative (empty, many, (<|>))
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word8)
import System.Directory (getTemporaryDirectory, removeFile)
import System.IO
import System.IO.Unsafe (unsafePerformIO)
import System.Process (createPipe)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (again, label)
import Tests.Failures
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "sources"
    [ testProperty "values one after another, in any chunks" valuesInTurn,
      testCase "offsets count from the start of the source" offsetsGoOn,
      testCase "values from a Handle" fromHandle,
      testCase "a Handle is asked only for what is needed" fromPipe,
      testCase "the source is not asked after its end" notAfterEnd,
      testCase "a source after an exception" leftByException,
      testCase "a source that is in use refuses a second decoder" inUse,
      testCase "two threads that use a source at once" takenAtOnce,
      testCase "an exception of the source" sourceThrows,
      testCase "interrupted while it waits for a Handle" whileWaiting,
      testCase "interrupted while it waits, and used again" usedAgain,
      testProperty "interrupted any number of times, in any chunks" interruptedOften,
      testProperty "a failed attempt consumes nothing" takesNothing,
      testCase "an attempt in a value that is interrupted" attemptInValue,
      testProperty "folds that stop, end or fail" folds,
      testProperty "nextOrEnd: a value, the end, or a truncation" valueOrEnd,
      testCase "every function that reads a file" onFile,
      testCase "bytes are retained only for open choice points" retention
    ]

-- Decoders that run in turn read the values, however the input is cut.
valuesInTurn :: [Int64] -> Property
valuesInTurn xs =
  conjoin
    [ ioProperty $ do
        rest <- newIORef chunks
        source <-
          newSource
            ( atomicModifyIORef
                rest
                (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty))
            )
        ys <- foldFrom source getInt64le (\acc y -> pure (y : acc)) []
        end <- getFrom source bytesRead
        pure (fmap reverse ys === Right few .&&. end === Right (8 * fromIntegral (length few)))
      | chunks <- splits (toStrictByteString (foldMap int64LE few))
    ]
  where
    few = take 3 xs

offsetsGoOn :: Assertion
offsetsGoOn = do
  rest <- newIORef ["abc", "defg"]
  source <-
    newSource
      ( atomicModifyIORef
          rest
          (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty))
      )
  getFrom source (skip 2) >>= (@?= Right ())
  getFrom source bytesRead >>= (@?= Right 2)
  getFrom source (lookAhead (getByteString 3)) >>= (@?= Right "cde")
  getFrom source (label "x" getInt64le)
    >>= (@?= Left (failure 2 ["x"] (MissingInput 8 5) [] "cdefg"))
  getFrom source (getByteString 5 <* endOfInput) >>= (@?= Right "cdefg")

fromHandle :: Assertion
fromHandle = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      hPutBuilder h (foldMap int64LE [1 .. 50000])
      hClose h
      withBinaryFile path ReadMode $ \h' -> do
        source <- handleSource h'
        foldFrom source getInt64le (\acc x -> pure (acc + x)) 0 >>= (@?= Right (sum [1 .. 50000]))
      withBinaryFile path ReadMode $ \h' ->
        hRunGet h' (sum <$> many getInt64le <* endOfInput) >>= (@?= Right (sum [1 .. 50000]))

-- The other end of the pipe has sent one message and waits for the answer.
fromPipe :: Assertion
fromPipe = do
  (r, w) <- createPipe
  mapM_ (\h -> hSetBinaryMode h True >> hSetBuffering h NoBuffering) [r, w]
  source <- handleSource r
  forM_ [1 .. 20] $ \i -> do
    hPutBuilder w (int64LE i)
    answer <- newEmptyMVar
    _ <- forkIO (getFrom source getInt64le >>= putMVar answer)
    takeMVar answer >>= (@?= Right i)
  hClose w
  getFrom source isEmpty >>= (@?= Right True)

notAfterEnd :: Assertion
notAfterEnd = do
  ended <- newIORef False
  rest <- newIORef ["ab"]
  let next = do
        ps <- readIORef rest
        case ps of
          p : more -> p <$ writeIORef rest more
          [] -> do
            before <- atomicModifyIORef ended (\e -> (True, e))
            when before $ assertFailure "asked again"
            pure S.empty
  source <- newSource next
  getFrom source (many getWord8) >>= (@?= Right [97, 98])
  getFrom source isEmpty >>= (@?= Right True)
  getFrom source (getWord8 <|> pure 0) >>= (@?= Right 0)

leftByException :: Assertion
leftByException = do
  source <- newSource (pure "abc")
  r <- try (getFrom source (getWord8 >>= \_ -> throw (userError "value") :: Get ()))
  either
    (\e -> show (e :: IOException) @?= "user error (value)")
    (const (assertFailure "no exception"))
    r
  again <- try (getFrom source getWord8)
  either (@?= SourceBusy 0) (const (assertFailure "no exception")) again

-- A second decoder starts while the first one waits for input.
inUse :: Assertion
inUse = do
  asked <- newEmptyMVar
  go <- newEmptyMVar
  source <- newSource (putMVar asked () >> takeMVar go)
  done <- newEmptyMVar
  _ <- forkIO (getFrom source getWord8 >>= putMVar done)
  takeMVar asked
  second <- try (getFrom source getWord8)
  either (@?= SourceBusy 0) (const (assertFailure "no exception")) second
  putMVar go "a"
  takeMVar done >>= (@?= Right 97)

-- Two threads keep reading from one source. The action of the source never runs in both at once.
takenAtOnce :: Assertion
takenAtOnce = do
  inside <- newIORef (0 :: Int)
  overlaps <- newIORef (0 :: Int)
  let count ref k = atomicModifyIORef' ref (\n -> (n + k, n))
  source <- newSource $ do
    others <- count inside 1
    when (others /= 0) $ void (count overlaps 1)
    replicateM_ 20 (readIORef inside)
    "a" <$ count inside (-1)
  let tries = forM_ [1 .. 20000 :: Int] $ \_ -> do
        r <- try (getFrom source getWord8)
        either (\e -> const (pure ()) (e :: SourceBusy)) (@?= Right 97) r
  threads <- forM [0, 1] $ \i -> do
    done <- newEmptyMVar
    _ <- forkOn i (try tries >>= putMVar done)
    pure done
  forM_ threads $ takeMVar >=> either (throwIO :: SomeException -> IO ()) pure
  readIORef overlaps >>= (@?= 0)

sourceThrows :: Assertion
sourceThrows = do
  source <- newSource (throwIO (userError "source"))
  r <- try (getFrom source (getWord8 <|> pure 0))
  either
    (\e -> show (e :: IOException) @?= "user error (source)")
    (const (assertFailure "no exception"))
    r

-- The exception gets through at once, even from inside of an alternative.
whileWaiting :: Assertion
whileWaiting = do
  (r, w) <- createPipe
  source <- handleSource r
  hPutBuilder w (int64LE 1) >> hFlush w
  getFrom source getInt64le >>= (@?= Right 1)
  t <- timeout 10000 (getFrom source ((getWord8 *> getWord8) <|> pure 0))
  t @?= Nothing
  -- The decoder is lost, and so is the input that it had read.
  after' <- try (getFrom source getWord8)
  either (@?= SourceBusy 8) (const (assertFailure "no exception")) after'
  mapM_ hClose [r, w]

-- 'attemptFrom' is interrupted as above. Then the rest of the input arrives.
usedAgain :: Assertion
usedAgain = do
  (r, w) <- createPipe
  mapM_ (\h -> hSetBinaryMode h True >> hSetBuffering h NoBuffering) [r, w]
  source <- handleSource r
  let message =
        label
          "message"
          ( getNested
              (fromIntegral <$> getWord8)
              (many getInt64le <* commit <|> empty)
          )
      waits = timeout 20000 (attemptFrom source message) >>= (@?= Nothing)
  waits
  S.hPut w (S.singleton 24) >> waits
  S.hPut w (toStrictByteString (int64LE 1 <> int64LE 2)) >> waits
  waits
  S.hPut w (toStrictByteString (int64LE 3 <> word8 8)) >> attemptFrom source message
    >>= (@?= Right [1, 2, 3])
  waits
  S.hPut w (S.take 5 (toStrictByteString (int64LE 4))) >> waits
  getFrom source bytesRead >>= (@?= Right 25)
  hClose w
  fmap brief (attemptFrom source message)
    >>= (@?= Left (26, ["message"], MissingInput 8 5))
  getFrom source getRemainingByteString
    >>= (@?= Right (S.cons 8 (S.take 5 (toStrictByteString (int64LE 4)))))
  hClose r

-- The source throws before some of its chunks. Values, offsets and errors are as if it did not.
interruptedOften :: Property
interruptedOften =
  forAll
    ( (,)
        <$> resize 3 (listOf (S.pack <$> resize 4 (listOf arbitrary)))
          <*> infiniteListOf (choose (0, 2 :: Int))
    )
    $ \(strings, times) ->
      let input = S.concat [S.cons (fromIntegral (S.length bs)) bs | bs <- strings] <> S.pack [9, 7]
          value =
            (,)
              <$> bytesRead
                <*> ( skip 0
                        *> nextOrEnd
                          ((getWord8 >>= \n -> commit *> getByteString (fromIntegral n)) <|> empty)
                    )
          wanted = take (length strings + 1) (run input)
          run bs = go 0
            where
              go at = case runGetRest ((,) <$> (skip at *> value) <*> bytesRead) bs of
                Left e -> [Left (errorOffset e, errorReason e)]
                Right (((_, x), now), _) -> Right (fromIntegral at, x) : go (fromIntegral now)
       in conjoin
            [ ioProperty $ do
                rest <- newIORef (zip times chunks)
                source <- newSource . join . atomicModifyIORef rest $ \l -> case l of
                  (n, p) : more | n > 0 -> ((n - 1, p) : more, throwIO (userError "not now"))
                  (_, p) : more -> (more, pure p)
                  [] -> ([], pure S.empty)
                let again =
                      try (attemptFrom source value)
                        >>= either (\e -> const again (e :: IOException)) pure
                results <- forM wanted $ \_ ->
                  either (\e -> Left (errorOffset e, errorReason e)) Right <$> again
                pure (results === wanted)
              | chunks <- splits input
            ]

takesNothing :: [Word8] -> Int -> Int -> Property
takesNothing bytes k n =
  conjoin
    [ ioProperty $ do
        rest <- newIORef chunks
        source <-
          newSource
            ( atomicModifyIORef
                rest
                (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty))
            )
        _ <- getFrom source (skip before)
        r <-
          attemptFrom
            source
            ( (many (satisfy even) *> skip beyond *> commit *> empty)
                <|> (skip beyond <* fail "no")
            )
        left <- getFrom source ((,) <$> bytesRead <*> getRemainingByteString)
        pure ((() <$ r) =/= Right () .&&. left === Right (fromIntegral before, S.drop before input))
      | chunks <- splits input
    ]
  where
    input = S.pack (take 6 bytes)
    before = abs k `mod` (S.length input + 1)
    beyond = abs n `mod` (S.length input - before + 1)

-- The interrupted evaluation is frozen, and resumes when the value is forced again.
attemptInValue :: Assertion
attemptInValue = do
  (r, w) <- createPipe
  mapM_ (\h -> hSetBinaryMode h True >> hSetBuffering h NoBuffering) [r, w]
  source <- handleSource r
  let x = unsafePerformIO (attemptFrom source getInt64le)
  S.hPut w (S.pack [1, 0, 0])
  timeout 20000 (evaluate x) >>= (@?= Nothing)
  S.hPut w (S.pack [0, 0, 0, 0, 0])
  evaluate x >>= (@?= Right 1)
  mapM_ hClose [r, w]

-- Against a fold of a list. Each byte is a value, except for 255, which begins a value of three
-- bytes.
folds :: [Word8] -> Word8 -> Property
folds bytes limit =
  conjoin
    [ ioProperty $ do
        rest <- newIORef chunks
        source <-
          newSource
            ( atomicModifyIORef
                rest
                (\ps -> case ps of p : more -> (more, p); [] -> ([], S.empty))
            )
        r <- foldFromUntil source value step' []
        left <- getFrom source ((,) <$> bytesRead <*> getRemainingByteString)
        let (wanted, at) = model 0 [] (S.unpack input)
        pure $
          outcome r === wanted
            .&&. left === Right (at, S.drop (fromIntegral at) input)
            .&&. classify (either (const True) (const False) wanted) "fails" True
      | chunks <- splits input
    ]
  where
    input = S.pack (map shifted (take 6 bytes))
    -- Often the first byte of three.
    shifted b = if b > 200 then 255 else b
    value = getWord8 >>= \b -> if b == 255 then sum <$> replicateM 2 getWord8 else pure b
    step' acc x = pure (if x == limit `mod` 8 then Left (x, acc) else Right (x : acc))
    outcome r = case r of
      FoldEnded at acc -> Right (at, Nothing, acc)
      FoldStopped at (x, acc) -> Right (at, Just x, acc)
      FoldFailed at acc e -> Left (at, acc, errorReason e)
    model at acc ws = case ws of
      [] -> (Right (at, Nothing, acc), at)
      255 : a : b : more -> next 3 (a + b) more
      255 : _ -> (Left (at, acc, MissingInput 1 0), at)
      w : more -> next 1 w more
      where
        next n x more
          | x == limit `mod` 8 = (Right (at + n, Just x, acc), at + n)
          | otherwise = model (at + n) (x : acc) more

-- The result is the same from a source and in push mode.
valueOrEnd :: [Word8] -> Property
valueOrEnd bytes =
  onEverySplit (nextOrEnd getWord16be) input wanted
    .&&. conjoin
      [ ioProperty $ do
          f <- newFeed (nextOrEnd getWord16be) >>= \f -> foldM feed f chunks >>= feedEndOfInput
          pure $ case f of
            FeedDone rest _ r -> (Right r, rest) === (wanted, S.drop 2 input)
            FeedFail _ _ e -> Left e === wanted
            FeedPartial _ -> counterexample "not done" False
        | chunks <- splits input
      ]
  where
    input = S.pack (take 4 bytes)
    wanted = case S.unpack input of
      [] -> Right Nothing
      [b] -> Left (failure 0 [] (MissingInput 2 1) [] (S.singleton b))
      a : b : _ -> Right (Just (fromIntegral a * 256 + fromIntegral b))

onFile :: Assertion
onFile = do
  dir <- getTemporaryDirectory
  bracket (openBinaryTempFile dir "ashlar") (\(path, h) -> hClose h >> removeFile path) $
    \(path, h) -> do
      hPutBuilder h (foldMap int64LE [1 .. 5])
      hClose h
      runGetFile path getInt64le >>= (@?= Right 1)
      fmap brief (runGetFileWhole path getInt64le) >>= (@?= Left (8, [], TrailingInput))
      runGetFileWhole path (sum <$> many getInt64le) >>= (@?= Right 15)
      let opened = withBinaryFile path ReadMode
      opened (\h' -> hRunGetWhole h' (skip 32 *> getInt64le)) >>= (@?= Right 5)
      fmap brief (opened (\h' -> hRunGetWhole h' (skip 30))) >>= (@?= Left (30, [], TrailingInput))
      opened (\h' -> hFoldGet h' getInt64le (\acc x -> pure (x : acc)) [])
        >>= (@?= Right [5, 4, 3, 2, 1])
      fmap brief (opened (\h' -> hFoldGet h' (skip 12) (\n () -> pure (n + 1)) (0 :: Int)))
        >>= (@?= Left (36, [], MissingInput 12 4))
      opened
        ( \h' ->
            hFoldGetUntil
              h'
              getInt64le
              (\acc x -> pure (if x > 3 then Left acc else Right (x : acc)))
              []
        )
        >>= (@?= FoldStopped 32 [3, 2, 1])
      opened (\h' -> runGetIO (S.hGet h' 3) getInt64le) >>= (@?= Right 1)
      opened (\h' -> runGetIOWhole (S.hGet h' 3) (sum <$> many getInt64le)) >>= (@?= Right 15)
      bs <- opened (\h' -> S.hGet h' 12)
      runGetWhole (skip 12) bs @?= Right ()
      runGetLazyWhole (skip 12) (L.fromStrict bs) @?= Right ()
      brief (runGetWhole (skip 11) bs) @?= Left (11, [], TrailingInput)
      brief (runGetLazyWhole (skip 11) (L.fromStrict bs)) @?= Left (11, [], TrailingInput)

-- Each element is an alternative that closes again, so the collector frees the chunks before the
-- cursor. The 1200 chunks of 1 MiB would exceed the suite's heap limit.
retention :: Assertion
retention = do
  count <- newIORef (0 :: Int)
  let next = do
        n <- readIORef count
        writeIORef count (n + 1)
        pure (if n >= 1200 then S.empty else S.replicate 1048576 (fromIntegral n))
      element = (getWord8 *> fail "no") <|> skip 65536
  source <- newSource next
  n <- getFrom source (anyBytes (length <$> many element))
  n @?= Right (1200 * 16)
  let lazy = L.fromChunks [S.replicate 1048576 (fromIntegral i) | i <- [1 .. 1200 :: Int]]
  (length <$> runGetLazy (anyBytes (many element)) lazy) @?= Right (1200 * 16)
  where
    anyBytes = withBudget defaultBudget {budgetBytes = Just maxBound}
