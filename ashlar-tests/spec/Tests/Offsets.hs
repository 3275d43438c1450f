{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Offsets
-- Description : Decoders that go to offsets, in memory, in streams and in files
module Tests.Offsets (tests) where

import Ashlar.Builder (hPutBuilder, word16BE, word64BE)
import Ashlar.Get
import Control.Applicative
import Control.Exception
import Control.Monad (replicateM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int64)
import Data.Maybe (isJust)
import Data.Word (Word8)
import System.IO
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Failures (tooDeep, tooManyHeld)
import Tests.Files
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "offsets"
    [ testProperty "random jumps against the model, on every split" model,
      testProperty "random jumps in a file, from any position" inFile,
      testProperty "without an origin: a look-ahead that begins later" law,
      testCase "an offset out of range, and where the error is" outOfRange,
      testCase "an offset leads back only within an origin" back,
      testCase "isolated parts and budgets hold in a jump" limits,
      testCase "alternatives, inside and around" alternatives,
      testCase "offsets that lead in a circle" circles,
      testCase "a jump costs what it reads, also if it fails" costs,
      testCase "a file is sought through: 300 MB, of which little is read" large,
      testCase "a file: an exception in a jump ends an attempt, and not the source" attempts,
      testCase "a Handle that cannot seek" unseekable
    ]

-- The step is for the jump, and one for each 1,024 bytes that it reads.
costs :: Assertion
costs = mapM_ check [pure (), empty]
  where
    check end = do
      run 5 end @?= Right ()
      either errorReason (const TrailingInput) (run 4 end)
        @?= OverBudget "more than 4 jumps to offsets; withBudget raises the limit"
    run steps end =
      runGetWith defaultBudget {budgetSteps = steps} (jump end <|> pure ()) (S.replicate 5000 0)
    jump end = origin (atOffset 100 (skip 4096 *> end))

-- What a program does: it takes bytes, goes to offsets, and sets origins.
data Move
  = Take Int
  | Jump Int [Move]
  | From [Move]
  | Try [Move] [Move]
  deriving stock (Show)

instance Arbitrary Move where
  arbitrary = sized (go . min 5 . (`div` 8))
    where
      go :: Int -> Gen Move
      go depth =
        frequency $
          (4, Take <$> choose (0, 3)) :
          if depth <= 0
            then []
            else
              [ (3, Jump <$> frequency [(9, choose (0, 9)), (1, choose (-1, 99))] <*> moves depth),
                (1, From <$> moves depth),
                (1, Try <$> moves depth <*> moves depth)
              ]
      moves depth = resize 4 (listOf (go (depth - 1)))
  shrink move = case move of
    Take n -> Take <$> shrink n
    Jump o ms -> ms ++ (Jump o <$> shrink ms) ++ ((`Jump` ms) <$> shrink o)
    From ms -> ms ++ (From <$> shrink ms)
    Try a b -> a ++ b ++ (Try a <$> shrink b) ++ ((`Try` b) <$> shrink a)

decoder :: [Move] -> Get [S.ByteString]
decoder = fmap concat . traverse one
  where
    one move = case move of
      Take n -> (: []) <$> getByteString n
      Jump o ms -> atOffset (fromIntegral o) (decoder ms)
      From ms -> origin (decoder ms)
      Try a b -> decoder a <|> decoder b

-- The bytes taken and the offset afterwards, or nothing. All is within an origin at 0.
naive :: S.ByteString -> [Move] -> Maybe ([S.ByteString], Int)
naive input = go 0 0
  where
    go _ at [] = Just ([], at)
    go base at (move : more) = do
      (taken, now) <- one base at move
      (rest, end) <- go base now more
      Just (taken ++ rest, end)
    one base at move = case move of
      Take n
        | at + n > S.length input -> Nothing
        | otherwise -> Just ([S.take n (S.drop at input)], at + n)
      Jump o ms
        | o < 0 || base + o > S.length input -> Nothing
        | otherwise -> (\(taken, _) -> (taken, at)) <$> go base (base + o) ms
      From ms -> go at at ms
      Try a b -> go base at a <|> go base at b

bytesOf :: [Word8] -> S.ByteString
bytesOf = S.pack . take 9

model :: [Move] -> [Word8] -> Property
model moves ws =
  classify (isJust wanted) "succeeds" $
    onEverySplit g bs strict .&&. either (const Nothing) Just strict === wanted
  where
    bs = bytesOf ws
    g = (,) <$> origin (decoder moves) <*> (fromIntegral <$> bytesRead)
    strict = runGet g bs
    wanted = naive bs moves

-- The value begins after some bytes of the file, and another one follows.
inFile :: [Move] -> [Word8] -> NonNegative (Small Int) -> Property
inFile moves ws (NonNegative (Small before)) = ioProperty . inTemporaryFile $ \path -> do
  S.writeFile path (S.replicate before 9 <> bs)
  results <- withBinaryFile path ReadMode $ \h -> do
    hSeek h AbsoluteSeek (fromIntegral before)
    source <- handleSource h
    (,) <$> attemptFrom source g <*> getFrom source g
  pure $
    -- The second begins where the first has ended, if it has.
    fst results === strict .&&. case strict of
      Left _ -> snd results === strict
      Right (_, n) -> snd results === runGet (skip n *> g) bs
  where
    bs = bytesOf ws
    g = (,) <$> origin (decoder moves) <*> (fromIntegral <$> bytesRead) :: Get ([S.ByteString], Int)
    strict = runGet g bs

law :: NonNegative (Small Int64) -> [Word8] -> Property
law (NonNegative (Small n)) ws =
  onEverySplit (rest (atOffset n)) bs expected
    .&&. (if n == 0 then onEverySplit (skip 0 *> rest (atOffset 0)) bs expected else property True)
  where
    bs = bytesOf ws
    rest around = (,) <$> around getWord8 <*> getRemainingByteString
    expected = runGet (rest (atOffset n)) bs

briefly :: Either DecodeError a -> Either (Int64, [String], Reason) a
briefly = either (\e -> Left (errorOffset e, errorLabels e, errorReason e)) Right

-- Strict, byte by byte, and from a file.
everyWay ::
  (Eq a, Show a) => Get a -> S.ByteString -> Either (Int64, [String], Reason) a -> Assertion
everyWay g bs expected = do
  briefly (runGet g bs) @?= expected
  briefly (runGetLazy g (L.fromChunks (map S.singleton (S.unpack bs)))) @?= expected
  fromFile <- inTemporaryFile $ \path -> S.writeFile path bs *> runGetFile path g
  briefly fromFile @?= expected

outOfRange :: Assertion
outOfRange = do
  everyWay (getWord8 *> atOffset 4 getWord8) "abcd" (Left (4, [], MissingInput 1 0))
  everyWay (getWord8 *> atOffset 4 (pure 'x')) "abcd" (Right 'x')
  everyWay (getWord8 *> atOffset 5 getWord8) "abcd" (Left (1, [], BadOffset 5 4))
  everyWay (atOffset maxBound getWord8) "abcd" (Left (0, [], BadOffset maxBound 4))
  everyWay (skip 2 *> atOffset (-1) getWord8) "abcd" (Left (2, [], Invalid "a negative offset: -1"))
  everyWay
    (getWord8 *> label "name" (viaOffset (fromIntegral <$> getWord8) getWord8))
    "a\9cd"
    (Left (1, ["name"], BadOffset 9 4))
  -- It counts, and the size, from the origin.
  everyWay (skip 2 *> origin (atOffset 3 getWord8)) "abcd" (Left (2, [], BadOffset 3 2))
  -- An error at the offset is there.
  everyWay
    (label "table" (atOffset 2 (label "entry" (getWord8 *> fail "no"))))
    "abcd"
    (Left (3, ["entry", "table"], Invalid "no") :: Either (Int64, [String], Reason) ())

back :: Assertion
back = do
  everyWay
    (skip 2 *> atOffset 1 getWord8)
    "abcd"
    (Left (2, [], Invalid "offset 1 leads back, and no origin is around it"))
  -- Nor in a jump, where what it comes back to is kept.
  everyWay
    (skip 1 *> atOffset 3 (atOffset 2 getWord8))
    "abcd"
    (Left (3, [], Invalid "offset 2 leads back, and no origin is around it"))
  everyWay
    (skip 1 *> atOffset 2 (atOffset 0 getWord8))
    "abcd"
    (Left (2, [], Invalid "offset 0 leads back, and no origin is around it"))
  everyWay (origin (skip 2 *> atOffset 1 getWord8)) "abcd" (Right 98)
  everyWay (getWord8 *> origin (skip 2 *> atOffset 1 getWord8)) "abcd" (Right 99)
  -- A commit lets go of choices, not of an origin.
  everyWay (origin ((skip 2 *> commit *> atOffset 1 getWord8) <|> pure 0)) "abcd" (Right 98)

limits :: Assertion
limits = do
  everyWay (isolate 2 (skip 2 *> atOffset 3 getWord8)) "abcd" (Left (2, [], BadOffset 3 2))
  everyWay (isolate 4 (skip 4 <* atOffset 4 (pure ()))) "abcd" (Right ())
  everyWay
    (withBudget defaultBudget {budgetBytes = Just 2} (atOffset 3 getWord8))
    "abcd"
    (Left (2, [], OverBudget "more than 2 bytes; withBudget raises the limit"))

alternatives :: Assertion
alternatives = do
  everyWay ((atOffset 9 getWord8 <|> atOffset 2 getWord8) <* skip 4) "abcd" (Right 99)
  everyWay ((atOffset 2 (getWord8 *> empty) <|> getWord8) <* getWord8) "abcd" (Right 97)
  everyWay (many (atOffset 3 getWord8 *> getWord8)) "abcd" (Right [97, 98, 99, 100])
  everyWay (atOffset 1 (many getWord8 <* endOfInput)) "abcd" (Right [98, 99, 100])
  briefly (runGet ((atOffset 2 (getWord8 *> commit *> empty) <|> getWord8) <* getWord8) "abcd")
    @?= Left (3, [], NoAlternative)

circles :: Assertion
circles = do
  -- Each jump is a step.
  let few n = withBudget defaultBudget {budgetSteps = 5} (replicateM_ n (atOffset 0 getWord8))
  runGet (few 5) "a" @?= Right ()
  check (runGet (few 6) "a")
  -- So is each KiB that is read there, whether it was read before or not.
  let long n m = withBudget defaultBudget {budgetSteps = 100} (replicateM_ n (atOffset 0 (skip m)))
  runGet (long 100 1023) (S.replicate 100000 0) @?= Right ()
  runGet (long 1 101375) (S.replicate 200000 0) @?= Right ()
  check (runGet (long 1 102400) (S.replicate 200000 0))
  runGet (long 50 1024) (S.replicate 100000 0) @?= Right ()
  check (runGet (long 51 1024) (S.replicate 100000 0))
  over (origin inside)
  over (withBudget defaultBudget {budgetSteps = 50000} (origin (onwards 0)))
  where
    over g = do
      check (runGet g "\0\0")
      fromFile <- inTemporaryFile $ \path -> S.writeFile path "\0\0" *> runGetFile path g
      check fromFile
    check r = case briefly r of
      Left (_, _, OverBudget _) -> pure ()
      other -> assertFailure (show other)
    -- Each jump in the one before.
    inside = viaOffset (fromIntegral <$> getWord16be) inside :: Get ()
    -- One after the other.
    onwards :: Int64 -> Get ()
    onwards n = atOffset n (fromIntegral <$> getWord16be) >>= onwards

large :: Assertion
large = inTemporaryFile $ \path -> do
  withBinaryFile path WriteMode $ \h -> do
    hPutBuilder h (word64BE 299999992)
    hSetFileSize h 300000000
    hSeek h AbsoluteSeek 299999992
    hPutBuilder h (word16BE 7)
  let get = getInt64be
      number = fromIntegral <$> getWord16be :: Get Int
  runGetFile path (viaOffset get number) >>= (@?= Right 7) . briefly
  -- Back again, also within an origin, and many times.
  let andBack = viaOffset get (atOffset 0 get) <* replicateM_ 100 (atOffset 200000000 get)
  runGetFile path (origin andBack) >>= (@?= Right 299999992) . briefly
  -- Each within the one before: little of a chunk is put aside. Also with a choice around each.
  let next :: Int -> Get a -> Get a
      next n = atOffset (fromIntegral n * 2000)
      deepest, tried :: Int -> Get Int
      into g n = if n == 0 then pure 0 else skip 3 *> next n (g (n - 1)) <* skip 1
      deepest n = (+ min n 1) <$> into deepest n
      tried n = into tried n <|> pure n
  runGetFile path (origin (deepest 20000)) >>= (@?= Right 20000) . briefly
  runGetFile path (origin (tried 20000)) >>= (@?= Right 0) . briefly
  -- What choices may go back to has a limit, also in jumps.
  let holding = (skip 30000000 *> atOffset 0 holding) <|> pure ()
  runGetFile path (origin holding)
    >>= (@?= Left (30000000, [], tooManyHeld (Just 90000000))) . briefly
  let four = withBudget defaultBudget {budgetBytes = Just maxBound, budgetDepth = 4}
  runGetFile path (four (origin holding)) >>= (@?= Left (0, [], tooDeep 4)) . briefly

data Stop = Stop
  deriving stock (Eq, Show)

instance Exception Stop

attempts :: Assertion
attempts = inTemporaryFile $ \path -> do
  S.writeFile path "abcdefgh"
  withBinaryFile path ReadMode $ \h -> do
    source <- handleSource h
    let stopping w = if w == 104 then throw Stop else w
        calm = (,) <$> getWord8 <*> origin (atOffset 2 (atOffset 6 getWord8))
        g = (,) <$> getWord8 <*> origin (atOffset 2 (atOffset 6 stops))
        stops = getWord8 >>= \w -> pure $! stopping w
    r <- try (attemptFrom source g)
    r @?= Left Stop
    attemptFrom source calm >>= (@?= Right (97, 104)) . briefly
    getFrom source getRemainingByteString >>= (@?= Right "bcdefgh")
  -- In a file of many chunks.
  let bytes = S.pack [fromIntegral (i * i `quot` 7) | i <- [0 .. 299999 :: Int]]
  S.writeFile path bytes
  withBinaryFile path ReadMode $ \h -> do
    source <- handleSource h
    let far = origin (getWord8 *> atOffset 200000 (getWord8 *> atOffset 100000 (throw Stop)))
    r <- try (attemptFrom source far)
    r @?= (Left Stop :: Either Stop (Either DecodeError ()))
    attemptFrom source getRemainingByteString >>= (@?= Right bytes)

unseekable :: Assertion
unseekable = withBinaryFile "/dev/zero" ReadMode $ \h -> do
  r <- hRunGet h (origin (skip 9 *> atOffset 100000 getWord8 <* atOffset 0 getWord8))
  r @?= Right 0
  -- Within the limit of streams.
  far <- hRunGet h (atOffset 100000000 getWord8)
  briefly far
    @?= Left (67108864, [], tooManyHeld Nothing)
