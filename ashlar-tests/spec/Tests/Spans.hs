{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Spans
-- Description : Decoders on bytes that have been read, and decoders of other libraries
module Tests.Spans (tests) where

import Ashlar.Codec (encode, get)
import Ashlar.Get
import Ashlar.Get.Unsafe
import Control.Applicative
import Control.Exception (displayException)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Int (Int64)
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Actions
import Tests.Failures
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "decoders within decoders"
    [ testProperty "bytes that were read: as a part of the input" likeAPart,
      testCase "bytes that were read: the error is at its offset in the input" offsets,
      testProperty "bytes that are not of the input: as a run of its own" likeARun,
      testCase "offsets count from the first of the bytes" jumps,
      testCase "bytes that are not of the input: the outer error has the inner one" ownErrors,
      testCase "the budget is that of the decoder around" budgets,
      testCase "alternatives inside and around" alternatives,
      testProperty "a foreign decoder, at every split" foreignSplits,
      testCase "a foreign decoder: where it ends, refuses, starves" foreignEnds,
      testCase "a foreign decoder that returns too much" foreignTooMuch,
      testCase "a foreign decoder starts at each try" foreignTries
    ]

-- The bytes are decoded when some more have been read.
likeAPart :: Action -> NonNegative (Small Int) -> [Word8] -> Property
likeAPart a (NonNegative (Small n)) ws =
  checkShares expected (onEverySplit later bs expected)
  where
    later = getSpan len >>= \s -> skip 2 *> inSpan s p <* skip 1
    p = runAction a
    ws' = take 30 ws
    len = min n (length ws')
    bs = S.pack (ws' ++ [1, 2, 3])
    expected = runGet (lookAhead (isolateAtMost len p) <* skip (len + 3)) bs

likeARun :: Action -> [Word8] -> Property
likeARun a ws =
  checkShares expected (onEverySplit packed "ab" expected)
  where
    packed = getWord8 *> label "packed" (inSpan (ownBytes bs) p)
    p = runAction a
    bs = S.pack (take 30 ws)
    expected = case runGet p bs of
      Right seen -> Right seen
      Left e -> failingIn ["packed"] 1 (InOwnBytes e)

failingIn :: [String] -> Int64 -> Reason -> Either DecodeError a
failingIn within' at why = Left (failure at within' why [] S.empty)

bytewise :: S.ByteString -> L.ByteString
bytewise = L.fromChunks . map S.singleton . S.unpack

briefly :: Either DecodeError a -> Either (Int64, [String], Reason) a
briefly = either (\e -> Left (errorOffset e, errorLabels e, errorReason e)) Right

offsets :: Assertion
offsets = do
  let entry names = label "entry" (getWord8 >>= \i -> inSpan names (nameAt i))
      nameAt i = skip (fromIntegral i) *> getByteStringNul
      table = skip 2 *> label "table" (getSpan 6)
      two = table >>= \t -> label "entries" ((,) <$> entry t <*> entry t)
      ways bs = [runGet two bs, runGetLazy two (bytewise bs)]
  mapM_ (@?= Right ("cd", "ab")) (ways "..ab\0cd\0\3\0")
  mapM_
    ((@?= Left (8, ["entry", "entries"], MissingInput 1 0)) . briefly)
    (ways "..ab\0cde\0\6")
  spanBytes <$> runGet table "..ab\0cd\0" @?= Right "ab\0cd\0"
  -- It did not get farther than what failed behind.
  briefly (runGet (getSpan 2 >>= \t -> skip 3 *> (inSpan t (fail "no") <|> fail "neither")) "abcde")
    @?= (Left (5, [], Invalid "neither") :: Either (Int64, [String], Reason) ())

jumps :: Assertion
jumps = do
  let at n = skip 1 *> atOffset n getWord8
      ways n =
        [ origin (skip 2 *> getSpan 2) >>= \s -> inSpan s (at n),
          inSpan (ownBytes "cd") (at n)
        ]
  mapM_ ((@?= Right 99) . briefly . (`runGet` "abcd")) (ways 0)
  mapM_ ((@?= Right 100) . briefly . (`runGet` "abcd")) (ways 1)
  map (fmap (const ()) . briefly . (`runGet` "abcd")) (take 1 (ways 3))
    @?= [Left (3, [], BadOffset 3 2)]

ownErrors :: Assertion
ownErrors = do
  let record = inSpan (ownBytes "\1\2") (label "record" getWord32be)
  case runGet (skip 3 *> label "packed" record) "..." of
    Left e -> do
      (errorOffset e, errorLabels e) @?= (3, ["packed"])
      case errorReason e of
        InOwnBytes inner ->
          briefly (Left inner :: Either DecodeError ()) @?= Left (0, ["record"], MissingInput 4 2)
        other -> assertFailure (show other)
      summarizeError e
        @?= "at byte 3, in packed: in bytes of their own, "
        ++ "at byte 0, in record: 4 bytes needed, 2 left"
      -- The bytes are those, and not the input's.
      drop 1 (lines (displayException e))
        @?= [ "  00000000  01 02                                             |..|",
              "            ^^ ^^"
            ]
    Right _ -> assertFailure "decoded"

budgets :: Assertion
budgets = do
  let deep = deeper (getWord8 >>= \w -> if w == 0 then pure 0 else (1 +) <$> deep) :: Get Int
      three = withBudget defaultBudget {budgetDepth = 3}
      inner = getSpan 4 >>= \s -> deeper (inSpan s deep)
      own = deeper (inSpan (ownBytes "\1\1\0.") deep)
  briefly (runGet (three inner) "\1\0..") @?= Right 1
  briefly (runGet (three inner) "\1\1\0.") @?= Left (2, [], tooDeep 3)
  -- No choice around is tried then, but for those around the budget.
  briefly (runGet (three ((skip 5 *> empty) <|> inner <|> pure 7)) "\1\1\0...")
    @?= Left (2, [], tooDeep 3)
  runGet (three inner <|> pure 7) "\1\1\0." @?= Right 7
  case reasonOf (runGet (three (own <|> pure 7)) "") of
    Just (InOwnBytes e) -> (errorOffset e, errorReason e) @?= (2, tooDeep 3)
    other -> assertFailure (show other)
  -- A span that leads to itself.
  let pointer m = getWord8 >>= \to -> inSpan m (skip (fromIntegral to) *> pointer m) :: Get ()
      circle = getSpan 2 >>= \m -> inSpan m (pointer m)
  briefly (runGet circle "\0\0") @?= Left (1, [], tooDeep 100000)
  briefly (runGet (three circle) "\0\0") @?= Left (1, [], tooDeep 3)
  -- Steps are shared.
  let units = getSpan 8 >>= \s -> () <$ inSpan s (get :: Get [()])
      few = withBudget defaultBudget {budgetSteps = 5}
      bytes = encode (3 :: Int)
  runGet (few units) bytes @?= Right ()
  reasonOf (runGet (few (units *> units)) (bytes <> bytes)) @?= Just (tooManyEmpties 5)

alternatives :: Assertion
alternatives = do
  let table g = getSpan 4 >>= \s -> (,) <$> inSpan s g <*> getWord8
      here = briefly . (`runGet` "abcde")
  here (table ((skip 1 *> empty) <|> getWord8)) @?= Right (97, 101)
  here (table (many getWord8)) @?= Right ([97 .. 100], 101)
  here (table (getWord8 *> endOfInput) <|> pure ((), 1)) @?= Right ((), 1)
  -- An alternative that got farther has the error, whatever fails later.
  let farther g = getSpan 2 >>= \s -> (skip 3 *> fail "far") <|> inSpan s (fail "near") <|> g
  here (farther empty) @?= (Left (5, [], Invalid "far") :: Either (Int64, [String], Reason) ())
  here (farther (skip 2 *> fail "between"))
    @?= (Left (5, [], Invalid "far") :: Either (Int64, [String], Reason) ())
  -- A commit in it gives up the choices in it.
  here (table ((commit *> empty) <|> getWord8) <|> pure (1, 2)) @?= Right (1, 2)
  here (fst <$> table ((commit *> empty) <|> getWord8)) @?= Left (0, [], NoAlternative)

-- Up to the zero: how many bytes come before it.
upToZero :: Foreign Int
upToZero = counting 0
  where
    counting n = Hungry (pure . maybe (Refused "no zero") (fed n))
    fed n bs = case S.elemIndex 0 bs of
      Just i -> Enough (S.length bs - i - 1) (n + i)
      Nothing -> counting (n + S.length bs)

foreignSplits :: [Word8] -> Property
foreignSplits ws =
  onEverySplit (getWord8 *> getZero <* getWord8) bs (runGet (getWord8 *> naive <* getWord8) bs)
  where
    bs = S.pack (map (`mod` 8) (take 20 ws))
    getZero = label "zero" (getForeign (pure upToZero))
    naive = label "zero" $ do
      rest <- lookAhead getRemainingByteString
      case S.elemIndex 0 rest of
        Just i -> i <$ skip (i + 1)
        Nothing -> fail "no zero"

foreignEnds :: Assertion
foreignEnds = do
  let zero = getForeign (pure upToZero)
      starving = getForeign (pure hungry) :: Get ()
      hungry = Hungry (\_ -> pure hungry)
      atOnce = getForeign (pure (Enough 0 'x'))
      refusing = getForeign (pure (Hungry (\_ -> pure (Refused "never")))) :: Get ()
      ways g bs = map briefly [runGet g bs, runGetLazy g (bytewise bs)]
  mapM_ (@?= Right 2) (ways (isolate 3 zero) "ab\0cd")
  mapM_ (@?= Left (0, [], Invalid "no zero")) (ways (isolate 2 zero) "ab\0cd")
  mapM_
    (@?= Left (2, [], Invalid "isolate: 1 of 3 bytes were not read"))
    (ways (isolate 3 zero) "a\0cd")
  mapM_ (@?= Left (3, [], MissingInput 1 0)) (ways starving "abc")
  mapM_ (@?= Left (1, [], MissingInput 1 0)) (ways (isolate 1 starving) "abc")
  mapM_ (@?= Left (2, [], tooManyBytes 2 Nothing)) $
    ways (withBudget defaultBudget {budgetBytes = Just 2} starving) "abc"
  mapM_ (@?= Right ('x', 97)) (ways ((,) <$> atOnce <*> getWord8) "abc")
  mapM_ (@?= Left (1, ["r"], Invalid "never")) (ways (getWord8 *> label "r" refusing) "abc")
  mapM_ (@?= Right 97) (ways (((0 :: Word8) <$ refusing) <|> getWord8) "abc")

foreignTooMuch :: Assertion
foreignTooMuch = mapM_ refused [-1, 4, maxBound, minBound]
  where
    refused n =
      briefly (runGet (getForeign (pure (Hungry (\_ -> pure (Enough n 'x'))))) "abc")
        @?= Left (0, [], Invalid "a foreign decoder returned bytes that it was not given")

foreignTries :: Assertion
foreignTries = do
  starts <- newIORef (0 :: Int)
  let g = getForeign (upToZero <$ modifyIORef starts (+ 1))
  r <- runGetIO (pure "ab\0c") (lookAhead g *> ((g *> empty) <|> g) <* getWord8)
  r @?= Right 2
  readIORef starts >>= (@?= 3)
