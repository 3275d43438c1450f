{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Combinators
-- Description : Repetition, choice and separators, against a naive model
module Tests.Combinators (tests) where

import Ashlar.Get
import Ashlar.Get.Combinators
import Ashlar.Get.Parse (bytes, word8)
import Control.Applicative
import Control.Exception (ErrorCall (..), evaluate, try)
import Control.Monad (forM_)
import Data.Bifunctor (bimap, first, second)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Maybe (fromMaybe)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Scan (agrees, agreesAt, failsAt)

tests :: TestTree
tests =
  testGroup
    "Get.Combinators"
    [ testProperty "repetition" repetition,
      testProperty "up to a terminator" upToEnd,
      testProperty "separators" separators,
      testProperty "choice" choices,
      testProperty "chainl, chainr and their like" operators,
      testProperty "refine refuses what its function does" refusing,
      testCase "elements that read nothing" readNothing,
      testCase "primed functions force their values, the others do not" primes,
      testCase "long inputs, in constant memory" long,
      testCase "the separator after the last element stays" separatorStays
    ]

-- The element follows a byte, so it does not begin at offset 0. A value that is refused is refused
-- where it begins.
refusing :: Element -> Property
refusing e = forAll (S.pack <$> listOf (elements [97, 98, 44])) $ \bs ->
  agreesAt (word8 97 *> refine few (get e)) (S.cons 97 bs) $ case model e (S.unpack bs) of
    -- After the first byte.
    Just (x, more) -> bimap (const 1) (\y -> (y, S.pack more)) (few x)
    -- The error is the same as without the check.
    Nothing -> Left (either errorOffset (const (-1)) (runGet (word8 97 *> get e) (S.cons 97 bs)))
  where
    few :: [Word8] -> Either String Int
    few x = if length x < 3 then Right (length x) else Left "too many"

-- A naive parser of lists.
type Model a = [Word8] -> Maybe (a, [Word8])

-- | The element that is repeated.
data Element = Letter Word8 | Both Element Element | Either' Element Element | Perhaps Element
  deriving stock (Show)

instance Arbitrary Element where
  arbitrary = sized $ \n ->
    if n <= 1
      then Letter <$> elements [97, 98, 44]
      else
        frequency
          [ (3, Letter <$> elements [97, 98, 44]),
            (1, Both <$> half <*> half),
            (1, Either' <$> half <*> half),
            (1, Perhaps <$> half)
          ]
    where
      half = scale (`div` 2) arbitrary
  shrink e = case e of
    Letter _ -> []
    Both a b -> [a, b] ++ [Both a' b | a' <- shrink a] ++ [Both a b' | b' <- shrink b]
    Either' a b -> [a, b]
    Perhaps a -> a : map Perhaps (shrink a)

get :: Element -> Get [Word8]
get e = case e of
  Letter w -> pure <$> word8 w
  Both a b -> (++) <$> get a <*> get b
  Either' a b -> get a <|> get b
  Perhaps a -> option [] (get a)

model :: Element -> Model [Word8]
model e s = case e of
  Letter w | c : more <- s, c == w -> Just ([c], more)
  Letter _ -> Nothing
  Both a b -> do
    (x, more) <- model a s
    (y, rest) <- model b more
    Just (x ++ y, rest)
  Either' a b -> model a s <|> model b s
  Perhaps a -> Just (fromMaybe ([], s) (model a s))

-- As many elements as there are, until one reads nothing.
manyOf :: Model a -> Model [a]
manyOf p s = case p s of
  Just (a, more) | length more < length s -> first (a :) <$> manyOf p more
  _ -> Just ([], s)

followed :: Model a -> (a -> Model b) -> Model b
followed p f s = p s >>= uncurry f

orElse :: Model a -> Model a -> Model a
orElse p q s = p s <|> q s

returned :: a -> Model a
returned a s = Just (a, s)

newtype Input = Input [Word8]
  deriving stock (Show)

instance Arbitrary Input where
  arbitrary = choose (0, 8) >>= \n -> Input <$> vectorOf n (elements [97, 97, 98, 44])
  shrink (Input ws) = map Input (shrink ws)

same :: (Eq a, Show a) => String -> Input -> Get a -> Model a -> Property
same name (Input ws) g m =
  counterexample name $ agrees g (S.pack ws) (second S.pack <$> m ws)

repetition :: Element -> Int -> Input -> Property
repetition e k input =
  conjoin
    [ same "many" input (many p) (manyOf m),
      same "many'" input (many' p) (manyOf m),
      same "many1" input (many1 p) some1,
      same "many1'" input (many1' p) some1,
      same "manyFold" input (manyFold (flip (:)) [] p) (manyOf m `followed` (returned . reverse)),
      same "skipMany" input (skipMany p) (manyOf m `followed` \_ -> returned ()),
      same "skipMany1" input (skipMany1 p) (some1 `followed` \_ -> returned ()),
      same "count" input (count n p) (times n),
      same "skipCount" input (skipCount n p) (times n `followed` \_ -> returned ())
    ]
  where
    (p, m) = (get e, model e)
    n = k `mod` 5 - 1
    some1 = m `followed` \a -> manyOf m `followed` (returned . (a :))
    times i
      | i <= 0 = returned []
      | otherwise = m `followed` \a -> times (i - 1) `followed` (returned . (a :))

upToEnd :: Element -> Element -> Input -> Property
upToEnd e f input =
  conjoin
    [ same "manyTill" input (manyTill p end) (untilEnd `followed` (returned . fst)),
      same "manyTill'" input (manyTill' p end) (untilEnd `followed` (returned . fst)),
      same "manyTill_" input (manyTill_ p end) untilEnd,
      same
        "someTill"
        input
        (someTill p end)
        (m `followed` \a -> untilEnd `followed` (returned . (a :) . fst)),
      same "skipManyTill" input (skipManyTill p end) (untilEnd `followed` (returned . snd))
    ]
  where
    (p, m) = (get e, model e)
    (end, mEnd) = (get f, model f)
    untilEnd s = case mEnd s of
      Just (x, rest) -> Just (([], x), rest)
      Nothing -> case m s of
        Just (a, more)
          | length more < length s ->
            (\((as, x), rest) -> ((a : as, x), rest)) <$> untilEnd more
        _ -> Nothing

separators :: Element -> Element -> Input -> Property
separators e f input =
  conjoin
    [ same "sepBy" input (sepBy p sep) (sep1 `orElse` returned []),
      same "sepBy'" input (sepBy' p sep) (sep1 `orElse` returned []),
      same "sepBy1" input (sepBy1 p sep) sep1,
      same "sepBy1'" input (sepBy1' p sep) sep1,
      same "endBy" input (endBy p sep) (manyOf ended),
      same
        "endBy1"
        input
        (endBy1 p sep)
        (ended `followed` \a -> manyOf ended `followed` (returned . (a :))),
      same "sepEndBy" input (sepEndBy p sep) (sepEnd1 `orElse` returned []),
      same "sepEndBy1" input (sepEndBy1 p sep) sepEnd1,
      same
        "between"
        input
        (between sep sep p)
        (mSep `followed` \_ -> m `followed` \a -> mSep `followed` \_ -> returned a)
    ]
  where
    (p, m) = (get e, model e)
    (sep, mSep) = (get f, model f)
    sep1 = m `followed` \a -> manyOf (mSep `followed` const m) `followed` (returned . (a :))
    ended = m `followed` \a -> mSep `followed` \_ -> returned a
    sepEnd1 = m `followed` \a -> rounds `followed` (returned . (a :))
    -- A separator is read even if no element follows.
    rounds s = case mSep s of
      Nothing -> Just ([], s)
      Just (_, more) -> case m more of
        Just (a, rest) | length rest < length s -> first (a :) <$> rounds rest
        Just (_, rest) -> Just ([], rest)
        Nothing -> Just ([], more)

-- The result shows which operators were applied, and to what.
operators :: Element -> Element -> Input -> Property
operators e f input =
  conjoin
    [ same "chainl1" input (chainl1 p op) left1,
      same "chainl" input (chainl p op (Leaf [9])) (left1 `orElse` returned (Leaf [9])),
      same "chainr1" input (chainr1 p op) right1,
      same "chainr" input (chainr p op (Leaf [9])) (right1 `orElse` returned (Leaf [9]))
    ]
  where
    p = Leaf <$> get e
    op = flip Applied <$> get f
    m = model e `followed` (returned . Leaf)
    rounds = manyOf (model f `followed` \w -> m `followed` \a -> returned (w, a))
    left1 =
      m `followed` \a -> rounds `followed` (returned . foldl (\acc (w, b) -> Applied acc w b) a)
    right1 = m `followed` \a -> rounds `followed` (returned . toRight a)
    toRight a more = case more of
      [] -> a
      (w, b) : rest -> Applied a w (toRight b rest)

data Expression = Leaf [Word8] | Applied Expression [Word8] Expression
  deriving stock (Eq, Show)

choices :: [Element] -> Element -> Input -> Property
choices es e input =
  conjoin
    [ same "choice" input (choice (map get es)) (foldr (orElse . model) (const Nothing) es),
      same "option" input (option [0] (get e)) (model e `orElse` returned [0]),
      same
        "eitherP"
        input
        (eitherP (get e) getWord8)
        ((model e `followed` (returned . Left)) `orElse` any1)
    ]
  where
    any1 s = case s of
      w : more -> Just (Right w, more)
      [] -> Nothing

readNothing :: Assertion
readNothing = do
  runGet (many nothing) "ab" @?= Right []
  runGet (chainl1 (1 <$ nothing) ((+) <$ nothing)) "ab" @?= Right (1 :: Int)
  runGet (chainr1 (1 <$ nothing) ((+) <$ nothing)) "ab" @?= Right (1 :: Int)
  runGet (sepBy nothing nothing) "ab" @?= Right [()]
  runGet (sepEndBy nothing nothing) "ab" @?= Right [()]
  runGet (endBy nothing nothing) "ab" @?= Right []
  runGet (skipMany nothing) "ab" @?= Right ()
  runGet (manyFold (\n () -> n + 1) (0 :: Int) nothing) "ab" @?= Right 0
  runGet (manyTill nothing (word8 97)) "ab" @?= Right []
  failsAt 0 (runGet (manyTill nothing (word8 98)) "ab")
  failsAt 0 (runGet (skipManyTill nothing (word8 98)) "ab")
  runGet (length <$> count 1000 nothing) "" @?= Right 1000
  -- Bytes read before do not count.
  runGet (getWord8 *> count 3 nothing) "a" @?= Right [(), (), ()]
  forM_ [maxBound, 2 ^ (30 :: Int)] $ \n -> do
    failsAt 0 (runGet (skipCount n nothing) "")
    failsAt 1 (runGet (getWord8 *> skipCount n (nothing <|> nothing)) "a")
    failsAt 2 (runGet (count n getWord8) "ab")
  runGet (count (-1) getWord8) "" @?= Right []
  where
    nothing = pure () :: Get ()

primes :: Assertion
primes = do
  lazily (many boom) >>= (@?= Right 2)
  lazily (sepBy boom (pure ())) >>= (@?= Right 2)
  lazily (count 2 boom) >>= (@?= Right 2)
  lazily (manyTill boom endOfInput) >>= (@?= Right 2)
  mapM_
    (\g -> lazily g >>= (@?= Left (ErrorCall "forced")))
    [ many' boom,
      many1' boom,
      sepBy' boom (pure ()),
      sepBy1' boom (pure ()),
      manyTill' boom endOfInput
    ]
  where
    boom = errorWithoutStackTrace "forced" <$ getWord8 :: Get ()
    lazily :: Get [()] -> IO (Either ErrorCall Int)
    lazily g = try (evaluate (either (const 0) length (runGet g "ab")))

-- The input is lazy. If it were retained, it would exceed the suite's heap limit.
long :: Assertion
long = do
  run (manyFold (\n w -> n + fromIntegral w) 0 getWord8) @?= Right (n0 * 97)
  run (0 <$ skipMany getWord8) @?= Right 0
  run (0 <$ skipCount n0 getWord8) @?= Right 0
  run (0 <$ skipManyTill getWord8 endOfInput) @?= Right 0
  run (length <$> many (word8 97 <|> word8 98)) @?= Right n0
  run (length <$> sepBy1 (word8 97) (word8 97)) @?= Right (n0 `div` 2)
  where
    n0 = 2000000 :: Int
    chunk = S.replicate 1000 97
    run :: Get Int -> Either DecodeError Int
    run g = runGetLazy g (L.fromChunks (replicate 2000 chunk))

separatorStays :: Assertion
separatorStays = do
  let number = bytes "12"
  runGetRest (sepBy number (word8 44)) "12,12,x" @?= Right (["12", "12"], ",x")
  runGetRest (sepEndBy number (word8 44)) "12,12,x" @?= Right (["12", "12"], "x")
  runGetRest (endBy number (word8 44)) "12,12;" @?= Right (["12"], "12;")
  runGetRest (sepBy number (word8 44)) (C.pack "x") @?= Right ([], "x")
