{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Budget
-- Description : Limits on costs that the size of the input does not bound
module Tests.Budget (tests) where

import Ashlar.Codec
import Ashlar.Get
import Ashlar.Get.Combinators (skipCount)
import qualified Ashlar.Get.Decimal as D
import qualified Ashlar.Get.Parse as P
import qualified Ashlar.Get.Time as T
import Control.Applicative
import Control.Exception (evaluate)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Fixed (Centi)
import Data.Ratio ((%))
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.Failures

tests :: TestTree
tests =
  testGroup
    "budgets"
    [ testCase "a million levels are refused" million,
      testCase "the error names the budget's number" named,
      testCase "exactly as many levels as the budget allows" exactly,
      testCase "a budget within a budget" within,
      testCase "the number of empty elements is limited" empties,
      testCase "a budget within a budget, in an alternative that fails" failedWithin,
      testCase "backtracking regains no steps" spentIsSpent,
      testCase "fractions of large numbers are limited" fractions,
      testCase "digits of numbers that are not bounded are limited" digits,
      testCase "small chunks deep inside of a value cost no steps" suspended,
      testCase "a match within a match" matches,
      testCase "budgets of minBound and maxBound" extremes,
      testGroup "a budget that is used up" usedUp
    ]

-- The number of levels. A 0 ends them.
nested :: Get Int
nested = deeper (getWord8 >>= \w -> if w == 0 then pure 0 else (+ 1) <$> nested)

million :: Assertion
million = do
  let bs = S.replicate 1000000 1
  brief (runGet nested bs) @?= Left (fromIntegral levels, [], tooDeep levels)
  brief (runGetLazy nested (L.fromChunks (replicate 100 (S.replicate 10000 1))))
    @?= Left (fromIntegral levels, [], tooDeep levels)
  case pushChunk (runGetIncremental nested) bs of
    Fail _ _ e -> errorReason e @?= tooDeep levels
    _ -> assertFailure "not failed"
  where
    levels = budgetDepth defaultBudget

-- The error names the innermost budget, through labels and alternatives.
named :: Assertion
named = do
  let levels n = defaultBudget {budgetDepth = n}
      few n = defaultBudget {budgetSteps = n}
      reasonIn g = reasonOf (runGetWith (levels 7) g (S.replicate 10 1))
  reasonIn (() <$ nested) @?= Just (tooDeep 7)
  reasonIn (label "a" (withBudget (levels 3) (label "b" (() <$ nested <|> empty)) <?> "c"))
    @?= Just (tooDeep 3)
  reasonIn (withBudget (levels 3) (deeper getWord8) *> (() <$ nested)) @?= Just (tooDeep 7)
  reasonIn (withBudget (levels 9) (withBudget (few 4) (skipCount 5 (pure ()))))
    @?= Just (tooManyEmpties 4)
  reasonOf (runGet (skipCount maxBound (pure ())) "") @?= Just (tooManyEmpties 1048576)

exactly :: Assertion
exactly = do
  let levels n = S.replicate (n - 1) 1 <> "\0"
  runGet nested (levels (budgetDepth defaultBudget)) @?= Right (budgetDepth defaultBudget - 1)
  runGetWith defaultBudget {budgetDepth = 5} nested (levels 5) @?= Right 4
  reasonOf (runGetWith defaultBudget {budgetDepth = 5} nested (levels 6)) @?= Just (tooDeep 5)
  -- Adjacent levels do not add up.
  runGetWith defaultBudget {budgetDepth = 1} (many (deeper getWord8)) "abc" @?= Right [97, 98, 99]
  -- An alternative begins at the level of its choice.
  runGetWith
    defaultBudget {budgetDepth = 2}
    ((deeper (deeper getWord8) *> empty) <|> deeper (deeper getWord8))
    "a"
    @?= Right 97

within :: Assertion
within = do
  let two = defaultBudget {budgetDepth = 2}
  runGetWith two (deeper (deeper (withBudget two (deeper (deeper getWord8))))) "a" @?= Right 97
  reasonOf (runGetWith two (deeper (withBudget two getWord8 *> deeper (deeper getWord8))) "ab")
    @?= Just (tooDeep 2)
  -- Elements inside of the inner budget do not count outside.
  let few = defaultBudget {budgetSteps = 10}
      units = get :: Get [()]
      five = encode (replicate 5 ())
  runGetWith
    few
    (length <$> (units *> withBudget few (units *> units) *> units))
    (S.concat (replicate 4 five))
    @?= Right 5
  overBudget
    10
    ( runGetWith
        few
        (units *> withBudget few units *> units *> units)
        (S.concat (replicate 4 five))
    )

empties :: Assertion
empties = do
  decodeWith budget (encode (replicate 7 ())) @?= Right (replicate 7 ())
  overBudget 7 (decodeWith budget (encode (replicate 8 ())) :: Either DecodeError [()])
  overBudget
    7
    ( decodeLazyWith budget (encodeLazy [replicate 4 (), replicate 4 ()]) ::
        Either DecodeError [[()]]
    )
  -- Those in a failed alternative count, and so do those in a look-ahead.
  overBudget
    7
    ( runGetWith
        budget
        (((get :: Get [()]) *> empty) <|> get)
        (encode (replicate 7 ())) ::
        Either
          DecodeError
          [()]
    )
  overBudget
    7
    ( runGetWith budget (lookAhead (get :: Get [()]) *> get) (encode (replicate 7 ())) ::
        Either DecodeError [()]
    )
  runGetWith
    budget {budgetSteps = 14}
    (((get :: Get [()]) *> empty) <|> get)
    (encode (replicate 7 ()))
    @?= Right (replicate 7 ())
  -- 'match' decodes its elements once, so they count once.
  runGetWith budget (S.length . fst <$> match (get :: Get [()])) (encode (replicate 7 ()))
    @?= Right 8
  -- Each value of a source has a budget of its own.
  let bs = encode (replicate 600000 ())
  source <- newSource (pure (bs <> bs))
  r <- getFrom source ((,) <$> (length <$> (get :: Get [()])) <*> bytesRead)
  r @?= Right (600000, 8)
  r' <- getFrom source (length <$> (get :: Get [()]))
  r' @?= Right 600000
  where
    budget = defaultBudget {budgetSteps = 7}

-- Elements inside of an inner budget count only there, even if the decoder fails.
failedWithin :: Assertion
failedWithin = do
  let few = defaultBudget {budgetSteps = 10}
      more = defaultBudget {budgetSteps = 1000}
      units = get :: Get [()]
      five = encode (replicate 5 ())
      within' = withBudget more (skipCount 900 (pure ()) *> empty) :: Get [()]
  runGetWith few ((within' <|> units) *> ((units *> within') <|> pure [])) (five <> five)
    @?= Right []
  overBudget
    10
    ( runGetWith
        few
        ((within' <|> units) *> units *> units)
        (S.concat (replicate 3 five))
    )
  -- A failure does not leave the larger budget in force either.
  overBudget 10 (runGetWith few ((withBudget more empty <|> pure ()) *> skipCount 11 (pure ())) "")
  brief (runGetLazy (withBudget few (many (within' <|> units))) (L.fromChunks (replicate 2 five)))
    @?= Right [replicate 5 (), replicate 5 ()]

-- No choice inside of the budget catches it. Where some did, these took exponential time.
usedUp :: [TestTree]
usedUp =
  [ testCase "levels of strict input" (runGet shallow opened `fails` tooDeep 20),
    testCase "levels of input in chunks" (runGetLazy shallow (chunks opened) `fails` tooDeep 20),
    testCase "steps that read nothing" $ do
      runGet (few (length <$> brackets unit)) opened `fails` tooManyEmpties 20
      runGetLazy (few (length <$> brackets unit)) (chunks opened) `fails` tooManyEmpties 20,
    testCase "bytes of input" $ do
      let ten = withBudget defaultBudget {budgetBytes = Just 10}
      runGet (ten (brackets (pure ()))) opened `fails` tooManyBytes 10 Nothing
      runGetLazy (ten (brackets (pure ()))) (chunks opened) `fails` tooManyBytes 10 Nothing,
    testCase "choices and look-aheads pass it on" $ do
      let over = skipCount 21 (pure ())
          choices = [over <|> pure (), attempt over <|> pure (), () <$ many over]
      forM_ (notFollowedBy over : choices) $ \g -> do
        runGet (few g) "a" `fails` tooManyEmpties 20
        runGetLazy (few g) (chunks "ab") `fails` tooManyEmpties 20
        runGet (few g <|> skip 1) "a" @?= Right ()
        -- The commit is not forgotten.
        runGet (few (commit *> g) <|> skip 1) "a" `fails` tooManyEmpties 20
        runGet (attempt (few (commit *> g)) <|> skip 1) "a" @?= Right ()
  ]
  where
    opened = S.replicate 200 40
    chunks = L.fromChunks . map S.singleton . S.unpack
    shallow = withBudget defaultBudget {budgetDepth = 20} (brackets (pure ()))
    few = withBudget defaultBudget {budgetSteps = 20}
    unit = skipCount 1 (pure ())
    -- There are exponentially many ways to read open brackets.
    brackets each = deeper (many (getWord8 >>= \w -> each *> bracket each w))
    bracket each w
      | w == 40 = () <$ brackets each
      | otherwise = if w == 46 then pure () else empty
    fails r reason = timeout 120000000 (evaluate (reasonOf r)) >>= (@?= Just (Just reason))

-- The run decodes a million empty elements in all, not a million for each byte, which would take
-- hours.
spentIsSpent :: Assertion
spentIsSpent = do
  let thousand = skipCount 1000 (pure ())
      input = S.replicate 100000 0
  forM_
    [ (thousand *> empty) <|> getWord8,
      attempt ((thousand *> empty) <|> getWord8),
      (lookAhead thousand *> empty) <|> getWord8,
      (notFollowedBy thousand *> empty) <|> getWord8
    ]
    $ \g -> do
      r <- timeout 120000000 (evaluate (brief (length <$> runGet (many g) input)))
      r @?= Just (Left (1048, [], tooManyEmpties 1048576))

-- Only fractions whose numbers both are large count.
fractions :: Assertion
fractions = do
  let power n = 2 ^ (8 * n :: Int) :: Integer
      large = power 4999 % (power 4999 + 1)
      one n x =
        runGetWith defaultBudget {budgetSteps = n} (get :: Get Rational) (encode (x :: Rational))
  one 10000 large @?= Right large
  reasonOf (one 9999 large) @?= Just (over 9999)
  one 0 (power 100000 % (power 4095 + 1)) @?= Right (power 100000 % (power 4095 + 1))
  one 0 (power 4000 % (power 4000 + 1)) @?= Right (power 4000 % (power 4000 + 1))
  -- A million bytes in all.
  let many' = replicate 105 large
  reasonOf (decode (encode many') :: Either DecodeError [Rational]) @?= Just (over 1048576)
  decode (encode (take 104 many')) @?= Right (take 104 many')
  where
    over n = stepsFor n "check fractions"

digits :: Assertion
digits = do
  let few = withBudget defaultBudget {budgetSteps = 5000}
      ones n = S.replicate n 49
      refused g text = reasonOf (runGet (few g) text) @?= Just (stepsFor 5000 "read digits")
      taken g text = reasonOf (runGet (few g) text) @?= Nothing
  taken (() <$ (P.decimal :: Get Integer)) (ones 5000)
  refused (() <$ (P.decimal :: Get Integer)) (ones 5001)
  forM_ [() <$ D.scaled, () <$ (D.fixed :: Get Centi)] $ \g -> do
    taken g (S.replicate 9000 48 <> ones 5000)
    refused g (ones 5001)
  taken (() <$ T.day) (ones 5000 <> "-01-01")
  refused (() <$ T.day) (ones 5001 <> "-01-01")

stepsFor :: Int -> String -> Reason
stepsFor n what =
  OverBudget ("more than " ++ show n ++ " steps to " ++ what ++ "; withBudget raises the limit")

-- Where chunks end costs nothing, however deep inside of a value. (Each suspension used to copy the
-- stack, and levels used to be charged for that.)
suspended :: Assertion
suspended = do
  let input n = S.replicate (n - 1) 1 <> "\0"
      within' n g = withBudget defaultBudget {budgetSteps = n} g
      bytes n = L.fromChunks (map S.singleton (S.unpack (input n)))
  forM_ [32, 33, 272, 1000, 3000, 100000] $ \n -> do
    ended (runGetIncremental (within' 0 nested) `pushChunk` input n) @?= Right (n - 1)
    ended (runGetIncremental (within' 0 nested) `pushChunks` bytes n) @?= Right (n - 1)
  where
    ended state = case state of
      Done _ _ a -> Right a
      Fail _ _ e -> Left (errorReason e)
      Partial _ -> error "it wants more"

-- A match joins its bytes. Those of a match in it are copied once more, and each 1,024 bytes of
-- them are a step. Bytes that are in one chunk, or joined for the first time, cost nothing.
matches :: Assertion
matches = do
  let levels = 100
      content = S.replicate 102400 7
      input = S.replicate levels 40 <> content <> S.replicate levels 41
      around :: Int -> Get a -> Get a
      around n g
        | n == 0 = g
        | otherwise = snd <$> match (getWord8 *> around (n - 1) g <* getWord8)
      decoder = around levels (getByteString (S.length content))
      within' n = withBudget defaultBudget {budgetSteps = n}
      inChunks = L.fromChunks . pieces 1000
      costs = (levels - 1) * 100
  runGet (within' 0 decoder) input @?= Right content
  runGetLazy (within' costs decoder) (inChunks input) @?= Right content
  reasonOf (runGetLazy (within' (costs - 1) decoder) (inChunks input))
    @?= Just (OverBudget (moreThan (costs - 1) ++ again))
  runGetLazy (within' 0 (many (fst <$> match (skip 1500)))) (inChunks (S.replicate 150000 7))
    @?= Right (replicate 100 (S.replicate 1500 7))
  where
    moreThan n = "more than " ++ show n
    again = " bytes joined again; withBudget raises the limit"
    pieces n bs = if S.null bs then [] else let (a, b) = S.splitAt n bs in a : pieces n b

extremes :: Assertion
extremes = do
  let none = defaultBudget {budgetDepth = minBound, budgetSteps = minBound}
      all' = Budget maxBound maxBound (Just maxBound)
  runGetWith none getWord8 "a" @?= Right 97
  reasonOf (runGetWith none (deeper getWord8) "a") @?= Just (tooDeep 0)
  decodeWith none (encode ([] :: [()])) @?= Right ([] :: [()])
  overBudget 0 (decodeWith none (encode [()]) :: Either DecodeError [()])
  runGetWith all' nested (S.replicate 200000 1 <> "\0") @?= Right 200000
  decodeWith all' (encode (replicate 2000000 ())) @?= Right (replicate 2000000 ())

overBudget :: Int -> Either DecodeError a -> Assertion
overBudget n r = reasonOf r @?= Just (tooManyEmpties n)
